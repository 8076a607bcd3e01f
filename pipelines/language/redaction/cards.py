"""Payment cards and resident ids: digits with a check digit."""

import re

from stdnum import luhn
from stdnum.cn import ric
from stdnum.exceptions import ValidationError

from lithify.domain.redaction import SecretType
from pipelines.language.redaction.cues import Cue, cue_of
from pipelines.language.redaction.found import Found
from pipelines.language.redaction.runs import Run, Stretch

_ISSUED = re.compile(
    r"4\d{12}|4\d{15}|4\d{18}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}"
    r"|3(?:0[0-5]|[689]\d)\d{11,13}|35(?:2[89]|[3-8]\d)\d{12}|6(?:011|5\d\d|4[4-9]\d)\d{12}|62\d{14,17}"
)
_SHAPES = frozenset(
    [(4, 4, 4, 4), (4, 4, 4, 4, 3), (4, 6, 5), (4, 6, 4), (4, 4, 4, 1), (6, 13), (6, 10), (8, 8), (4, 4, 4, 4, 2)]
)
_FIRST = frozenset("234569")
_LENGTHS = (19, 18, 17, 16, 15, 14, 13)
_PLAIN_GAPS = frozenset({" ", "-", ".", "_", "/", "--"})


def card(run: Run, first: int) -> tuple[Found, int] | None:
    """A card from group `first`, and the index of the group after it.

    One number of ten passes Luhn, so a number without a cue must also be grouped or begin as cards do.
    """
    for length in _LENGTHS:
        stretch = run.stretch(first, length)
        if stretch and stretch.digits[0] in _FIRST and luhn.is_valid(stretch.digits) and _is_card(stretch):
            return Found(stretch.start, stretch.end, SecretType.CARD, stretch.digits), stretch.after
    return None


def _is_card(stretch: Stretch) -> bool:
    if not stretch.is_whole() or not _PLAIN_GAPS.issuperset(stretch.gaps) or set(stretch.digits) == {"0"}:
        return False
    cue = cue_of(stretch.run.text, stretch.start, stretch.end)
    if cue is Cue.OTHER:
        return False
    if cue is Cue.CARD:
        return True
    usual = len(stretch.shape) == 1 or stretch.shape in _SHAPES or set(stretch.shape) == {1}
    return (
        usual
        and _ISSUED.fullmatch(stretch.digits) is not None
        and not stretch.is_amount()
        and not stretch.in_code()
        and not stretch.is_date()
        and not stretch.joined()
        and not any(group and 4 <= group[1] - group[0] <= 6 for group in stretch.neighbours())
    )


def resident(run: Run, first: int) -> tuple[Found, int] | None:
    """A Chinese resident id (GB 11643) from group `first`: 18 characters, the last perhaps an X."""
    text = run.text
    whole = run.stretch(first, 18)
    if whole is None:
        whole = run.stretch(first, 17)
        if whole is None or text[whole.end : whole.end + 1] not in {"x", "X"}:
            return None
    number = whole.digits if len(whole.digits) == 18 else f"{whole.digits}X"
    end = whole.end + len(number) - len(whole.digits)
    glued = text[end : end + 1]
    if (glued.isascii() and glued.isalnum()) or (whole.first == 0 and _glued_before(text, whole.start)):
        return None
    if not is_resident_id(number):
        return None
    return Found(whole.start, end, SecretType.NATIONAL_ID, number), whole.after


def _glued_before(text: str, start: int) -> bool:
    before = text[max(0, start - 1) : start]
    return before.isascii() and before.isalpha() and text[max(0, start - 3) : start].lower() not in {"id", " id", "sfz"}


def is_resident_id(number: str) -> bool:
    """Whether `number` (18 characters) holds a birth date and the right check character.

    The region is not looked up: codes come and go, and an id outlives them.
    """
    if number[6:8] not in {"18", "19", "20"}:
        return False
    try:
        ric.get_birth_date(number)
    except ValidationError:
        return False
    return ric.calc_check_digit(number) == number[-1].upper()
