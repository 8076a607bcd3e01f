# Needs Python 3.11 to 3.13 and make. Everything else is installed into .venv, once.
# Paths are relative, so that a folder with a space in its name works.

.DEFAULT_GOAL := help
.PHONY: help demo up test test-kafka chaos check format bench bench-promotion bench-extraction test-embeddings clean

PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' 2>/dev/null \
	&& echo $$python && break; done)
# Tests mostly wait: two at a time, each file in one process, for its servers are made once.
PARALLEL = -n 2 --dist loadfile --no-loadscope-reorder
INSTALL = -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable

help:
	@echo "make demo             a conversation becomes memory, on an embedded stack"
	@echo "make up               run the embedded stack until Ctrl-C"
	@echo "make test             all tests that need no embedding model of their own"
	@echo "make test-kafka       contract, acceptance and short chaos tests on Apache Kafka (../shared/kafka)"
	@echo "make chaos            the long chaos runs on Apache Kafka; writes docs/reliability.md (an hour)"
	@echo "make check            style, types, import rules"
	@echo "make format           put the style right"
	@echo "make bench            throughput and lag, on the embedded stack"
	@echo "make bench-promotion  promotion by evidence on simulated users; writes docs/promotion-results.md"
	@echo "make bench-extraction reading turns by rules, on labelled turns; writes docs/extraction-results.md"
	@echo "make test-embeddings  the tests with sentence-transformers, in .venv-embeddings (large)"
	@echo "make clean            remove what the other targets installed; data stays"

demo: .venv/.local
	.venv/bin/python -m ops.demo

up: .venv/.local
	.venv/bin/python -m ops.local up

test: .venv/.dev
	.venv/bin/python -m pytest $(PARALLEL)

test-kafka: .venv/.dev
	@test -x ../shared/kafka/kafka || { echo "make test-kafka needs Apache Kafka at ../shared/kafka" >&2; exit 1; }
	LITHIFY_TEST_BROKER=kafka .venv/bin/python -m pytest $(PARALLEL) tests/contract tests/acceptance tests/chaos

chaos: .venv/.dev
	@test -x ../shared/kafka/kafka || { echo "make chaos needs Apache Kafka at ../shared/kafka" >&2; exit 1; }
	.venv/bin/python -m tests.chaos

check: .venv/.dev
	.venv/bin/python -m ruff check .
	.venv/bin/python -m ruff format --check .
	.venv/bin/python -m mypy
	.venv/bin/lint-imports

format: .venv/.dev
	.venv/bin/python -m ruff check --fix .
	.venv/bin/python -m ruff format .

bench: .venv/.dev
	.venv/bin/python -m benchmarks

bench-promotion: .venv/.dev
	.venv/bin/python -m benchmarks.promotion

bench-extraction: .venv/.dev
	.venv/bin/python -m benchmarks.extraction

test-embeddings: .venv-embeddings/.embeddings
	.venv-embeddings/bin/python -m pytest -m embeddings

clean:
	rm -rf .venv .venv-embeddings

.venv/.created .venv-embeddings/.created:
	@test -n "$(PYTHON)" || { echo "Python 3.11, 3.12 or 3.13 is needed" >&2; exit 1; }
	$(PYTHON) -m venv $(@D)
	@touch $@

.venv/.local: .venv/.created pyproject.toml constraints.txt
	.venv/bin/python $(INSTALL) ".[local]"
	@touch $@

.venv/.dev: .venv/.created pyproject.toml constraints.txt
	.venv/bin/python $(INSTALL) ".[dev]"
	@touch $@ .venv/.local

# Apart from .venv, so that what `make test` runs in has no torch in it.
.venv-embeddings/.embeddings: .venv-embeddings/.created pyproject.toml constraints.txt
	.venv-embeddings/bin/python $(INSTALL) ".[dev,embeddings]"
	@touch $@
