"""One sentence for a person: why the memory says what it says, and what would be worth asking.

The numbers come from the verdict's trace, so that "8 days, 3 needed; posterior 0.78 of 0.85" can be checked.
"""

from collections.abc import Mapping

from lithify.domain.catalog import Attribute
from lithify.domain.claims import USER, Polarity
from lithify.domain.slots import phrases
from lithify.domain.slots.phrases import Language
from lithify.domain.slots.state import Contender, Hint, Verdict

Number = float | int | str | bool | None

__all__ = ["Language", "explain_contender", "explain_hint", "explain_verdict"]


def explain_verdict(
    verdict: Verdict, attribute: Attribute, subject: str = USER, language: Language = Language.EN
) -> str:
    """What was decided and why, with its numbers.

    Args:
        verdict: the decision; one of an unknown, newer rule is explained by its code.
        attribute: the catalog entry of its slot.
        subject: `USER` or the name of a third party.
        language: of the sentence; values stay as they were said.
    """
    outcome = phrases.OUTCOMES[verdict.kind][language].format(
        name=_name(attribute, subject, language), value=_value(verdict.value, verdict.polarity, language)
    )
    reasons = phrases.REASONS.get(verdict.rule, phrases.UNKNOWN_REASON)
    details = _details(verdict, language)
    return _sentence(outcome, details, reasons[language].format(rule=verdict.rule), language)


def explain_contender(
    contender: Contender,
    attribute: Attribute,
    subject: str = USER,
    language: Language = Language.EN,
    *,
    pinned: bool = False,
) -> str:
    """How far a contender has come, and what would change that.

    Args:
        contender: the value that is gathering evidence.
        attribute: the catalog entry of its slot.
        subject: `USER` or the name of a third party.
        language: of the sentences; values stay as they were said.
        pinned: whether the stored value is, so that no evidence replaces it.
    """
    trace = {"days": contender.days, "needed_days": contender.needed_days, "threshold": contender.threshold}
    numbers = _numbers(trace | {"posterior": _short_of(contender)}, language)
    standing = phrases.GATHERING[language].format(
        name=_name(attribute, subject, language),
        value=_value(contender.value, contender.polarity, language),
        numbers=numbers,
    )
    change = phrases.PINNED[language] if pinned else _would_promote(contender, language)
    dropped = phrases.DROPPED[language].format(day=contender.ends_at.date().isoformat())
    return f"{standing}{change};{dropped}。" if language is Language.ZH else f"{standing} {change}; {dropped}."


def _short_of(contender: Contender) -> float:
    """The posterior to two places, never shown as having reached the threshold before it has."""
    shown = round(contender.posterior, 2)
    return shown - 0.01 if contender.posterior < contender.threshold <= shown else shown


def _would_promote(contender: Contender, language: Language) -> str:
    """What the evidence still lacks."""
    missing = contender.needed_days - contender.days
    sure = contender.posterior >= contender.threshold
    if missing <= 0 and sure:
        return phrases.READY[language]
    days = (phrases.ONE_MORE_DAY if missing == 1 else phrases.MORE_DAYS)[language].format(count=missing)
    needs = phrases.NEEDS_DAYS if sure else phrases.NEEDS_BOTH if missing > 0 else phrases.NEEDS_POSTERIOR
    lacks = needs[language].format(days=days, surer=contender.threshold - _short_of(contender))
    return (
        f"{lacks},{phrases.FOR_GOOD[language]}" if language is Language.ZH else f"{lacks}, {phrases.FOR_GOOD[language]}"
    )


def explain_hint(hint: Hint, attribute: Attribute, subject: str = USER, language: Language = Language.EN) -> str:
    """The clarify question that a hint stands for. Arguments as for `explain_verdict`."""
    return phrases.QUESTIONS[hint.code][language].format(
        name=_name(attribute, subject, language),
        value=_value(hint.value, hint.polarity, language),
        against=hint.against or phrases.NOTHING[language],
    )


def _name(attribute: Attribute, subject: str, language: Language) -> str:
    name = attribute.name_zh if language is Language.ZH else attribute.name_en
    whose = phrases.THE_USER[language] if subject == USER else subject
    return phrases.NAME[language].format(attribute=name, subject=whose)


def _value(value: str, polarity: Polarity, language: Language) -> str:
    shown = value or phrases.NOTHING[language]
    return phrases.DENIED[language].format(value=shown) if polarity is Polarity.NEGATIVE else shown


def _details(verdict: Verdict, language: Language) -> list[str]:
    """What is replaced, until when, and by which numbers, as far as the verdict holds them."""
    details = []
    if verdict.replaced is not None and verdict.replaced != verdict.value:
        details.append(phrases.INSTEAD[language].format(replaced=verdict.replaced))
    if verdict.kind == "overridden" and "ends_at" in verdict.trace:
        details.append(phrases.UNTIL[language].format(ends_at=verdict.trace["ends_at"]))
    if {"days", "needed_days", "posterior", "threshold"} <= verdict.trace.keys():
        details.append(_numbers(verdict.trace, language))
    return details


def _numbers(trace: Mapping[str, Number], language: Language) -> str:
    words = phrases.NUMBERS_OF_ONE_DAY if trace["days"] == 1 else phrases.NUMBERS
    return words[language].format(**trace)


def _sentence(outcome: str, details: list[str], reason: str, language: Language) -> str:
    if language is Language.ZH:
        inside = f"({';'.join(details)})" if details else ""
        return f"{outcome}{inside},因为{reason}。"
    inside = f" ({'; '.join(details)})" if details else ""
    return f"{outcome}{inside}, because {reason}."
