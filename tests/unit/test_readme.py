"""The README's example runs, its commands exist, and its links lead somewhere."""

import re
from pathlib import Path

import pytest

from lithify.testing import FakeLithify

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_python_example_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    example = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert example is not None
    monkeypatch.setattr("lithify.client.Lithify", lambda _url: FakeLithify())
    exec(compile(example[1], "README.md", "exec"), {})  # noqa: S102 - the page's own example
    assert "<lithify-memory" in capsys.readouterr().out


def test_every_make_target_exists() -> None:
    targets = set(re.findall(r"make ([a-z-]+)", README))
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert {"demo", "test", "up", "check", "bench"} <= targets
    assert [target for target in targets if not re.search(rf"^{target}:", makefile, re.MULTILINE)] == []


@pytest.mark.parametrize(
    "page", [path.relative_to(ROOT) for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]], ids=str
)
def test_links_lead_somewhere(page: Path) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!https?://|#)([^)#\s]+)", text)
    assert [link for link in links if not ((ROOT / page).parent / link).exists()] == []
