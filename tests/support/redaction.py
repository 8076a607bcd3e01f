"""Turns with planted secrets."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Planted:
    """One turn with one secret in it."""

    turn_id: str
    text: str
    secret: str

    @property
    def needle(self) -> str:
        """What to look for: the secret; the whole turn where it is so short that ids and times hold it by chance."""
        return self.secret if len(self.secret) >= 8 else self.text

    @property
    def fields(self) -> dict[str, Any]:
        """As an event has them."""
        return {"id": self.turn_id, "content": self.text}


SAME = ("phone me at 138-0013-8000", "我的手机号是13800138000", "13811138000是我的新手机")
"""The same number twice, and another with the same last digits."""


def planted(
    templates: Mapping[str, Sequence[str]], makers: Mapping[str, Sequence[Callable[[random.Random], str]]], seed: int
) -> list[Planted]:
    """Every template with a value of its kind, the same for a seed."""
    rng = random.Random(seed)
    found = [
        Planted(f"same-{index}", text, secret)
        for index, (text, secret) in enumerate(zip(SAME, ("138-0013-8000", "13800138000", "13811138000"), strict=True))
    ]
    for kind, texts in templates.items():
        for index, text in enumerate(texts):
            secret = rng.choice(makers[kind])(rng)
            filled = text.replace("{x}", secret).replace("{{", "{").replace("}}", "}")
            found.append(Planted(f"{kind}-{index}", filled, secret))
    return found
