"""Workers whose clocks are wrong: `python -m tests.support.skewed run NAME`, by the slot in LITHIFY_INSTANCE_ID.

Odd slots are behind, even ones ahead. What the product's own modules call `datetime` is replaced; the clocks of
libraries, Kafka and PostgreSQL are right, as they are when one machine's clock is not.
"""

import datetime as real
import os
import sys
from types import ModuleType
from typing import Any

MINUTES = 15


class _Kind(type):
    """Every datetime counts as one of these: the real ones too."""

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, real.datetime)


def skewed(minutes: float) -> type[real.datetime]:
    """A datetime whose `now` is wrong by so many minutes."""

    class Skewed(real.datetime, metaclass=_Kind):
        def __new__(cls, *args: Any, **kwargs: Any) -> Any:
            return real.datetime(*args, **kwargs)  # noqa: DTZ001 - whatever it was given

        @classmethod
        def now(cls, tz: real.tzinfo | None = None) -> Any:
            return real.datetime.now(tz) + real.timedelta(minutes=minutes)

    return Skewed


def _ours(module: ModuleType) -> bool:
    return module.__name__.split(".")[0] in {"lithify", "pipelines", "workers"}


def main() -> None:
    """Load everything, replace the clock, and run the command."""
    import workers.assembly  # noqa: F401, PLC0415
    from workers.__main__ import app  # noqa: PLC0415

    slot = int(os.environ["LITHIFY_INSTANCE_ID"].rsplit("-", 1)[1])
    clock = skewed(-MINUTES if slot % 2 else MINUTES)
    changed = 0
    for module in list(sys.modules.values()):
        if _ours(module) and getattr(module, "datetime", None) is real.datetime:
            module.datetime = clock  # type: ignore[attr-defined]
            changed += 1
    assert changed, "no module asks the clock any more: this proves nothing"
    app()


if __name__ == "__main__":
    main()
