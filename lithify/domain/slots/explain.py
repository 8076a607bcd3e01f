"""One sentence for a person: why the memory says what it says, and what would be worth asking.

The numbers come from the verdict's trace, so that "8 days, 3 needed; posterior 0.78 of 0.85" can be checked.
"""

from lithify.domain.catalog import Attribute
from lithify.domain.claims import USER, Polarity
from lithify.domain.slots import phrases
from lithify.domain.slots.phrases import Language
from lithify.domain.slots.state import Contender, Hint, Verdict

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
    contender: Contender, attribute: Attribute, subject: str = USER, language: Language = Language.EN
) -> str:
    """How far a contender has come. Arguments as for `explain_verdict`."""
    numbers = phrases.NUMBERS[language].format(
        days=contender.days,
        needed_days=contender.needed_days,
        posterior=contender.posterior,
        threshold=contender.threshold,
    )
    return phrases.GATHERING[language].format(
        name=_name(attribute, subject, language),
        value=_value(contender.value, contender.polarity, language),
        numbers=numbers,
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
        details.append(phrases.NUMBERS[language].format(**verdict.trace))
    return details


def _sentence(outcome: str, details: list[str], reason: str, language: Language) -> str:
    if language is Language.ZH:
        inside = f"({';'.join(details)})" if details else ""
        return f"{outcome}{inside},因为{reason}。"
    inside = f" ({'; '.join(details)})" if details else ""
    return f"{outcome}{inside}, because {reason}."
