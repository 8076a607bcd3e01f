"""Explanations: every rule has words in both languages, and the numbers are in them."""

import re
from pathlib import Path

import pytest

import lithify.domain.slots as package
from lithify.domain.claims import Cue
from lithify.domain.slots.explain import Language, explain_contender, explain_hint, explain_verdict
from lithify.domain.slots.phrases import OUTCOMES, QUESTIONS, REASONS
from lithify.domain.slots.state import VerdictKind
from tests.support.slots import ALLERGY, DIET, EAGER, Talk, day


def contested() -> Talk:
    talk = Talk(policy=EAGER)
    talk.say(day(0), "vegetarian")
    for number in (1, 2, 3):
        talk.choose(day(number), "meat")
    return talk


def test_contender_tells_days_and_posterior() -> None:
    (contender,) = contested().replay().contenders
    sentence = explain_contender(contender, DIET)
    assert sentence.startswith("diet of the user: meat is gathering evidence (3 days, 3 needed; posterior 0.")
    assert sentence.endswith(" of 0.85).")
    assert "3天,需要3天" in explain_contender(contender, DIET, "Mia", Language.ZH)


def test_promotion_tells_its_numbers() -> None:
    talk = contested()
    talk.choose(day(4), "meat")
    verdict = next(item for item in talk.replay().verdicts if item.rule == "evidence")
    assert explain_verdict(verdict, DIET) == (
        "diet of the user: meat became the fact (instead of vegetarian; 4 days, 3 needed; "
        f"posterior {verdict.trace['posterior']:.2f} of 0.85), because it was supported on enough "
        "separate days."
    )


def test_override_tells_its_end() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.choose(day(1), "meat", cue=Cue.TEMPORARY, valid_to=day(2, 4))
    verdict = next(item for item in talk.replay().verdicts if item.kind == VerdictKind.OVERRIDDEN)
    assert "until 2026-03-04T04:00:00+00:00" in explain_verdict(verdict, DIET)
    assert "至2026-03-04" in explain_verdict(verdict, DIET, language=Language.ZH)


def test_hint_is_a_question() -> None:
    hint = next(item for item in contested().replay().hints if item.code == "contender")
    assert explain_hint(hint, DIET) == "Ask whether meat is for good (diet of the user; stored: vegetarian)."
    assert explain_hint(hint, DIET, "Mia", Language.ZH) == "请询问meat是否是长期的(Mia的饮食;已记:vegetarian)。"


def test_safety_hint_names_the_danger() -> None:
    talk = Talk(ALLERGY)
    talk.say(day(0), "peanuts")
    talk.change(day(1), "peanuts", no=True)
    (hint,) = talk.replay().hints
    assert "peanuts has really ceased to be a danger" in explain_hint(hint, ALLERGY)


@pytest.mark.parametrize("language", list(Language))
def test_every_rule_code_of_the_fold_has_words(language: Language) -> None:
    source = "".join(path.read_text("utf-8") for path in Path(package.__file__).parent.glob("*.py"))
    written = set(re.findall(r'VerdictKind\.[A-Z]+,\s*"([a-z_]+)"', source))
    written |= set(re.findall(r'overrides\.end\([^)]*?"([a-z_]+)"', source))
    written |= set(re.findall(r'end_rule = [^"\n]*"([a-z_]+)"', source))
    assert {"contender_silent", "undone", "answered_no", "stated_end", "declared"} <= written
    assert written <= REASONS.keys()
    assert all(language in words for words in (*REASONS.values(), *OUTCOMES.values(), *QUESTIONS.values()))
    assert set(OUTCOMES) == set(VerdictKind)


def test_every_hint_code_has_a_question() -> None:
    source = "".join(path.read_text("utf-8") for path in Path(package.__file__).parent.glob("*.py"))
    codes = set(re.findall(r'ask\(fold, cell, "([a-z_]+)"', source))
    assert codes == set(QUESTIONS)
