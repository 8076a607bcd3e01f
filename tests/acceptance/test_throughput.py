"""The throughput benchmark, small: it measures, prints, and leaves nothing."""

import re
from pathlib import Path

import pytest

from benchmarks.locomo import SYNTHETIC
from benchmarks.throughput import main
from tests.support.brokers import EMBEDDED_ALONE


@EMBEDDED_ALONE
def test_it_measures_and_prints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert main([str(SYNTHETIC), "--runs", "1", "--turns", "60"]) == 0
    printed = capsys.readouterr().out
    for speed in ("full, median of 1", "half that rate"):
        row = re.search(rf"{speed}\D+(\d+) \D+([\d.]+) \D+([\d.]+) ", printed)
        assert row is not None, printed
        rate, p50, p99 = map(float, row.groups())
        assert rate > 0
        assert 0 < p50 <= p99
    for process in ("postgres", "broker", "importance", "extraction", "conflict", "reflection", "gateway"):
        assert process in printed
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_not_there_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "none.json")]) == 1
    assert "none.json" in capsys.readouterr().err
