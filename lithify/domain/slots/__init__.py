"""The rules of slots: what a slot's evidence makes true, for how long, and why.

`replay` is the whole decision, a pure function. `begin` and `extend` give the same step by step, from checkpoints, and
`resume` picks whichever is possible. The rules are numbered in `docs/concepts/slot-rules.md`.
"""

from lithify.domain.slots.fold import replay
from lithify.domain.slots.resume import Checkpoint, StaleCheckpointError, begin, extend, resume, state_of

__all__ = ["Checkpoint", "StaleCheckpointError", "begin", "extend", "replay", "resume", "state_of"]
