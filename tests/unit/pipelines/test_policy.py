"""Policy files: the default file is the default policy, and a wrong file says what is wrong with it."""

from datetime import timedelta
from pathlib import Path

import pytest

from lithify.domain.claims import Basis
from lithify.domain.policy import Policy
from pipelines.policy import DEFAULT, PolicyError, load_policy, render_default


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "policy.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_default_file_is_the_default_policy() -> None:
    assert load_policy(DEFAULT) == load_policy(None) == Policy()


def test_the_default_file_is_up_to_date() -> None:
    assert DEFAULT.read_text(encoding="utf-8") == render_default(), "python -m pipelines.policy"


def test_every_setting_is_explained() -> None:
    lines = DEFAULT.read_text(encoding="utf-8").splitlines()
    settings = [number for number, line in enumerate(lines) if " = " in line and not line.startswith("#")]
    confidence = lines.index("[confidence]")
    assert settings
    assert [lines[n] for n in settings if n < confidence and not lines[n - 1].startswith("#")] == []


def test_what_is_left_out_stays(tmp_path: Path) -> None:
    policy = load_policy(
        written(
            tmp_path,
            'trip_life = "P10D"\n[promotion]\nthreshold = 0.9\n[confidence]\nchange = 0.8\n'
            '[attributes.diet]\nmin_days = 5\nwindow = "P60D"\n',
        )
    )
    assert policy.trip_life == timedelta(days=10)
    assert policy.override_idle == Policy().override_idle
    assert policy.promotion.threshold == 0.9
    assert policy.confidence[Basis.CHANGE] == 0.8
    assert policy.confidence[Basis.INSTRUCTION] == 0.95
    diet = policy.for_attribute("diet")
    assert (diet.min_days, diet.window, diet.threshold) == (5, timedelta(days=60), 0.9)
    assert policy.for_attribute("home") == policy.promotion


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("treshold = 1", "treshold: no such setting; there are "),
        ("[promotion]\ntreshold = 1", "promotion.treshold: no such setting"),
        ("[attributes.diet]\ndays = 1", "attributes.diet.days: no such setting"),
        ("[attributes]\ndiet = 3", "attributes.diet: expected a table"),
        ('trip_life = "a week"', "Invalid ISO8601 duration"),
        ('[promotion]\nmin_days = "three"', "Expected `int`"),
        ("trip_life = ", "Invalid value"),
    ],
)
def test_a_wrong_file_is_refused_with_its_reason(tmp_path: Path, text: str, reason: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(PolicyError) as caught:
        load_policy(path)
    assert str(caught.value).startswith(f"policy {path}: ")
    assert reason in str(caught.value)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="No such file"):
        load_policy(tmp_path / "none.toml")
