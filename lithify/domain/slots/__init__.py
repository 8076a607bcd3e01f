"""The rules of slots: what a slot's evidence makes true, for how long, and why.

`replay` is the whole decision, a pure function. The rules are numbered in `docs/concepts/slot-rules.md`.
"""

from lithify.domain.slots.fold import replay

__all__ = ["replay"]
