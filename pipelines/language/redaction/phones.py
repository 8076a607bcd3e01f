"""Phone numbers: by a plus, by the way they are grouped, or by a cue."""

import re

import phonenumbers

from lithify.domain.redaction import SecretType
from pipelines.language.redaction.cues import Cue, cue_of
from pipelines.language.redaction.found import Found
from pipelines.language.redaction.runs import Run, Stretch

_MOBILE = re.compile(r"(?:(?:00)?86)?(1[3-9][0-9]{9})")
_MOBILE_SHAPES = frozenset(
    [(11,), (3, 4, 4), (3, 8), (7, 4), (3, 3, 5), (4, 4, 3), (4, 3, 4), (3, 5, 3), (5, 6), (6, 5)]
)
_NANP = re.compile(r"1?([2-9][0-9]{2}[2-9][0-9]{6})")
_NANP_SHAPES = frozenset([(3, 3, 4), (1, 3, 3, 4), (3, 7)])
_SOCIAL = re.compile(r"(?<![a-z])(?:ssn|social security)(?![a-z])", re.IGNORECASE)
_OPENING = re.compile(r"(?:\+|[(\[]\s?\+?\s?)$")
_TRUNK = re.compile(r"\(0\)")
_CLOSE = re.compile(
    r"(?:phone|mobile|cell|tel|fax|(?:call|text|ring|dial|reach)(?: (?:me|us|him|her|them))?(?: (?:at|on))?|电话|手机"
    r"|座机|传真|热线|打)"
    r"(?:\s?(?:number|no\.?|号码?|at|on|is|是|为|:|#)){0,3}[^A-Za-z0-9]{0,3}$",
    re.IGNORECASE,
)
_LENGTHS = (15, 14, 13, 12, 11, 10, 9, 8, 7)
_HOTLINES = frozenset({"400"})
"""First groups of service numbers that look American: they belong to nobody."""


class Phones:
    """Finds the phone numbers of some regions, and international ones of all."""

    def __init__(self, regions: tuple[str, ...]) -> None:
        self._regions = regions

    def find(self, run: Run, first: int) -> tuple[Found, int] | None:
        """A phone number from group `first`, the longest there is, and the index of the group after it."""
        for length in _LENGTHS:
            stretch = run.stretch(first, length)
            if stretch is None or not self._may_be(stretch):
                continue
            kind, number = self._read(stretch)
            if number:
                start = _opening(stretch)
                return Found(start, stretch.end, kind, number), stretch.after
        return None

    def _may_be(self, stretch: Stretch) -> bool:
        """Whether the digits alone leave it possible. Keeps long rows of short numbers from costing much."""
        digits = stretch.digits
        return (
            digits[0] == "0"
            or _MOBILE.fullmatch(digits) is not None
            or _NANP.fullmatch(digits) is not None
            or (_stands_alone(stretch) and min(stretch.shape) > 1)
            or "+" in stretch.run.text[_opening(stretch) : stretch.start]
        )

    def _read(self, stretch: Stretch) -> tuple[SecretType, str]:
        """The type and the number in one form; an empty form: it is none."""
        if not stretch.is_whole() or stretch.is_amount() or stretch.is_date():
            return SecretType.PHONE, ""
        text = stretch.run.text
        if "+" in text[_opening(stretch) : stretch.start]:
            return SecretType.PHONE, _international(stretch)
        cue = cue_of(text, stretch.start, stretch.end)
        if cue is Cue.OTHER or (cue is not Cue.PHONE and (stretch.is_decimal() or stretch.in_code())):
            return SecretType.PHONE, ""
        if cue is Cue.IDENTITY:
            named = len(stretch.digits) == 9 and _SOCIAL.search(text, max(0, stretch.start - 36), stretch.start)
            return SecretType.NATIONAL_ID, stretch.digits if named else ""
        return SecretType.PHONE, self._number(stretch, called=cue is Cue.PHONE)

    def _number(self, stretch: Stretch, *, called: bool) -> str:
        if stretch.joined() and not called:
            return ""
        return (
            self._mobile(stretch, called)
            or self._american(stretch, called)
            or self._dialled(stretch, called)
            or self._national(stretch, called)
        )

    def _mobile(self, stretch: Stretch, called: bool) -> str:
        """A Chinese mobile number, with or without 86 or 0086."""
        found = _MOBILE.fullmatch(stretch.digits) if "CN" in self._regions else None
        if found is None:
            return ""
        prefixed = len(stretch.digits) > 11
        usual = prefixed or stretch.shape in _MOBILE_SHAPES or set(stretch.shape) == {1}
        return f"86{found[1]}" if usual or called else ""

    def _american(self, stretch: Stretch, called: bool) -> str:
        """A number of the North American plan. In one piece it needs a cue."""
        found = _NANP.fullmatch(stretch.digits) if "US" in self._regions else None
        if found is None:
            return ""
        marked = stretch.run.text[stretch.start - 1 : stretch.start] == "(" or set(stretch.gaps) & {"-", ".", ")"}
        shaped = stretch.shape in _NANP_SHAPES and "/" not in stretch.gaps
        usual = shaped and stretch.digits[:3] not in _HOTLINES and (marked or _valid(found[1], "US"))
        return f"1{found[1]}" if usual or called else ""

    def _dialled(self, stretch: Stretch, called: bool) -> str:
        """An international number behind 00."""
        if not stretch.digits.startswith("00") or len(stretch.digits) < 10:
            return ""
        return _e164(_untrunked(stretch)[2:]) if called or (len(stretch.shape) > 1 and _stands_alone(stretch)) else ""

    def _national(self, stretch: Stretch, called: bool) -> str:
        """A number as it is dialled within one of the regions: grouped behind a 0, or with a cue."""
        if not _stands_alone(stretch) or not (
            (called and (len(stretch.digits) > 8 or _close(stretch))) or _grouped_behind_zero(stretch)
        ):
            return ""
        for region in self._regions:
            number = _valid(stretch.digits, region)
            if number:
                return number
        local = 7 <= len(stretch.digits) <= 12 and stretch.digits[0] != "1"
        return stretch.digits if local and _close(stretch) else ""


def _stands_alone(stretch: Stretch) -> bool:
    """Whether nothing but "/" ties it to other digits."""
    return all(
        group is None or "/" in stretch.run.text[min(group[1], stretch.end) : max(group[0], stretch.start)]
        for group in stretch.neighbours()
    )


def _grouped_behind_zero(stretch: Stretch) -> bool:
    shape = stretch.shape
    if not stretch.digits.startswith("0") or stretch.digits[1] == "0" or not 9 <= len(stretch.digits) <= 13:
        return False
    return 2 <= len(shape) <= 6 and 2 <= shape[0] <= 5 and all(2 <= size <= 8 for size in shape[1:])


def _close(stretch: Stretch) -> bool:
    """Whether the cue stands right before it: "tel 62345678", not "call me about the 62345678"."""
    return _CLOSE.search(stretch.run.text, max(0, stretch.start - 30), stretch.start) is not None


def _opening(stretch: Stretch) -> int:
    """Where a number begins with its plus and bracket."""
    found = _OPENING.search(stretch.run.text, max(0, stretch.start - 4), stretch.start)
    return found.start() if found else stretch.start


def _untrunked(stretch: Stretch) -> str:
    """Digits without the "(0)" that is not dialled from abroad."""
    inside = stretch.run.text[stretch.start : stretch.end]
    return "".join(filter(str.isdigit, _TRUNK.sub("", inside)))


def _international(stretch: Stretch) -> str:
    digits = _untrunked(stretch)
    return _e164(digits) if 8 <= len(digits) <= 15 else ""


def _e164(digits: str) -> str:
    try:
        number = phonenumbers.parse(f"+{digits}", None)
    except phonenumbers.NumberParseException:
        return ""
    return digits if phonenumbers.is_possible_number(number) else ""


def _valid(digits: str, region: str) -> str:
    try:
        number = phonenumbers.parse(digits, region)
    except phonenumbers.NumberParseException:
        return ""
    valid = phonenumbers.is_valid_number(number)
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)[1:] if valid else ""
