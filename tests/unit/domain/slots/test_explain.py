"""Explanations: every rule has words in both languages, and the numbers are in them."""

import re
from pathlib import Path

import pytest

import lithify.domain.slots as package
from lithify.domain.claims import Cue, Polarity
from lithify.domain.slots.explain import Language, explain_contender, explain_hint, explain_verdict
from lithify.domain.slots.phrases import OUTCOMES, QUESTIONS, REASONS
from lithify.domain.slots.state import Contender, VerdictKind
from tests.support.slots import ALLERGY, DIET, EAGER, Talk, day


def contested() -> Talk:
    talk = Talk(policy=EAGER)
    talk.say(day(0), "vegetarian")
    for number in (1, 2, 3):
        talk.choose(day(number), "meat")
    return talk


def gathering(posterior: float, days: int, needed: int = 3) -> Contender:
    at = day(0)
    positive = Polarity.POSITIVE
    return Contender("meat", "meat", positive, posterior, days, needed, 0.85, at, at, day(30), ("claim",))


def test_contender_tells_days_and_posterior() -> None:
    (contender,) = contested().replay().contenders
    sentence = explain_contender(contender, DIET)
    assert sentence.startswith("diet of the user: meat is gathering evidence (3 days, 3 needed; posterior 0.")
    assert "3天,需要3天" in explain_contender(contender, DIET, "Mia", Language.ZH)


@pytest.mark.parametrize(
    ("contender", "pinned", "english", "chinese"),
    [
        (
            gathering(0.78, 8),
            False,
            "(8 days, 3 needed; posterior 0.78 of 0.85). It becomes the fact once more days for it raise the posterior "
            "by 0.07, or at once if it is said to be for good; without another mention it is dropped on 2026-04-01.",
            "(8天,需要3天;后验概率0.78,门槛0.85)。后续支持使后验概率再升高0.07,或用户明确说是长期的,它就成为事实;"
            "若不再提起,将于2026-04-01放弃。",
        ),
        (
            gathering(0.4, 1),
            False,
            "(1 day, 3 needed; posterior 0.40 of 0.85). It becomes the fact with at least 2 more days for it and a "
            "posterior higher by 0.45, or at once",
            "至少再有2天支持它且后验概率再升高0.45",
        ),
        (gathering(0.9, 8, 9), False, "with 1 more day for it, or at once", "再有1天支持它"),
        (gathering(0.9, 6, 9), False, "with 3 more days for it, or at once", "再有3天支持它"),
        (gathering(0.9, 3), False, "at the end of a day whose last word is for it", "当天结束时它就成为事实"),
        (gathering(0.9, 3), True, "pinned, so only a command changes it; without", "已记的值被固定,只有命令能修改"),
    ],
)
def test_contender_tells_what_would_change_it(contender: Contender, pinned: bool, english: str, chinese: str) -> None:
    assert english in explain_contender(contender, DIET, pinned=pinned)
    assert chinese in explain_contender(contender, DIET, language=Language.ZH, pinned=pinned)


def test_a_posterior_just_below_the_threshold_is_not_rounded_up_to_it() -> None:
    assert "posterior 0.84 of 0.85" in explain_contender(gathering(0.8499, 3), DIET)
    assert "posterior 0.57 of 0.85" in explain_contender(gathering(0.57, 3), DIET)


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
