"""Turns with secrets in them, and turns that only seem to have some."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.redaction import values
from benchmarks.redaction.templates import NEGATIVES, PAIRS, SECRETS

MAKERS: dict[str, tuple[values.Make, ...]] = {
    "phone": (values.mobile, values.mobile, values.landline, values.american, values.european),
    "national_id": (values.resident,),
    "card": (values.card,),
    "iban": (values.account,),
    "passport": (values.passport,),
    "email": (values.email,),
    "secret": (values.api_key,),
    "token": (values.token,),
    "password": (values.password,),
    "pin": (values.pin,),
    "address_en": (values.address_en,),
    "address_eu": (values.address_eu,),
    "address_zh": (values.address_zh,),
    "ip": (values.ipv4, values.ipv4, values.ipv6),
    "order": (values.order,),
    "tracking": (values.tracking,),
    "hash": (values.made_hash,),
    "uuid": (values.made_uuid,),
    "moment": (values.moment,),
    "version": (values.version,),
    "isbn": (values.isbn,),
    "coordinates": (values.coordinates,),
    "price": (values.price,),
    "code": (values.code_line,),
    "plate": (values.plate,),
    "messenger": (values.messenger,),
    "flight": (values.flight,),
    "bad_resident": (values.bad_resident,),
    "bad_card": (values.bad_card,),
    "none": (lambda _rng: "",),
}


@dataclass(frozen=True, slots=True)
class Item:
    """One turn."""

    text: str
    secrets: tuple[tuple[str, str], ...] = ()
    """(category, what must not stay), in order."""
    category: str = ""
    """Of one that has none: what it seems to have."""


def items(count: int, seed: int) -> Iterator[Item]:
    """So many turns, the same for a seed: 45 % with one secret, 10 % with two, 45 % with none."""
    rng = random.Random(seed)
    for _ in range(count):
        way = rng.random()
        if way < 0.45:
            yield _with_secret(rng)
        elif way < 0.55:
            yield _pair(rng)
        else:
            yield _without(rng)


def _with_secret(rng: random.Random) -> Item:
    category = rng.choice(list(SECRETS))
    value = rng.choice(MAKERS[category])(rng)
    return Item(_fill(rng.choice(SECRETS[category]), value), ((category, value),))


def _without(rng: random.Random) -> Item:
    category = rng.choice([*NEGATIVES, "none", "none", "order"])
    value = rng.choice(MAKERS[category])(rng)
    return Item(_fill(rng.choice(NEGATIVES[category]), value), category=category)


def _pair(rng: random.Random) -> Item:
    """Two secrets, or a secret beside what only seems one."""
    first = _with_secret(rng)
    second = rng.choice([_with_secret, _without])(rng)
    pair = rng.choice([(first, second), (second, first)])
    text = rng.choice(PAIRS).replace("{a}", pair[0].text).replace("{b}", pair[1].text)
    return Item(text, pair[0].secrets + pair[1].secrets, "pair")


def _fill(template: str, value: str) -> str:
    return template.replace("{x}", value).replace("{{", "{").replace("}}", "}")
