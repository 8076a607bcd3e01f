"""What text and ids may hold: cleaned content, valid ids."""

import re
from enum import StrEnum

_SURROGATE = re.compile("[\ud800-\udfff]")


class IdFault(StrEnum):
    """Why an id cannot be used."""

    EMPTY = "id_empty"
    NUL = "id_nul"
    SURROGATE = "id_surrogate"
    SLASH = "id_slash"
    """"/" joins tenant and user in message keys, so a tenant may not hold one."""


def clean(text: str) -> str:
    """`text` as every store takes it: NUL removed, each lone surrogate as U+FFFD; all else unchanged."""
    if "\x00" in text:
        text = text.replace("\x00", "")
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def named(speaker: str | None) -> str | None:
    """Who says "I": the name, cleaned; None where nothing of it can be seen, and the user speaks."""
    return None if speaker is None or is_empty(speaker) else clean(speaker).strip()


def is_empty(text: str) -> bool:
    """Whether nothing is left to understand: only white space, NUL, or zero-width characters."""
    return not clean(text).strip(" \t\r\n\f\v\u00a0\u3000\u200b\u200c\u200d\u2060\ufeff")


def valid_id(text: str, *, tenant: bool = False) -> IdFault | None:
    """Why `text` cannot be an id, or None. Ids are taken as they are: no trimming, folding or normalising.

    Args:
        text: the id.
        tenant: whether it is the tenant's, in which "/" is forbidden too.
    """
    if not text:
        return IdFault.EMPTY
    if "\x00" in text:
        return IdFault.NUL
    if _SURROGATE.search(text):
        return IdFault.SURROGATE
    if tenant and "/" in text:
        return IdFault.SLASH
    return None
