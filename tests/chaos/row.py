"""One line of the table: what was done, and what came of it."""

import json
from dataclasses import asdict, dataclass

RECOVERY_SECONDS = 60.0
NO_ANSWER = "no answer"
"""What a member says that does not answer within 5 s."""


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of one scenario.

    Attributes:
        scenario: Its name.
        size: short or long.
        done: What was done, in words.
        times: How often.
        events: Turns published.
        lost: Turns that some worker has not applied, or that did not reach the end.
        duplicated: Claims, and conflicts between those that still count, beyond those of a quiet run.
        differing: Facts, overrides and verdicts unlike those of a quiet run, or unlike a fold of the evidence.
        behind: Events whose offset is not committed in the end.
        recovery_seconds: From the end of the disturbance until every member was ready and every group moved; None: not
            within two minutes.
        caught_up_seconds: Likewise, until turns published after it had gone all the way, behind what had piled up.
        readiness: "told" if every member said 503 with the cause during the outage, "-" where there is no outage to
            tell of, else what was said instead.
        restarted: Members that ended by themselves.
        seconds: The whole run.
    """

    scenario: str
    size: str
    done: str
    times: int
    events: int
    lost: int
    duplicated: int
    differing: int
    behind: int
    recovery_seconds: float | None
    caught_up_seconds: float | None
    readiness: str
    restarted: tuple[str, ...]
    seconds: float

    def faults(self) -> list[str]:
        """What does not hold; empty: everything does."""
        return self._wrong() + self._late()

    def is_only_late(self) -> bool:
        """Whether nothing but a time does not hold: it recovered, or answered, and took too long."""
        return not self._wrong() and bool(self._late())

    def _wrong(self) -> list[str]:
        names = ("lost", "duplicated", "differing", "behind", "restarted")
        found = [f"{name}: {value}" for name in names if (value := getattr(self, name))]
        if self.recovery_seconds is None:
            found.append("recovery: None")
        if self.readiness not in {"told", "-"} and NO_ANSWER not in self.readiness:
            found.append(f"readiness: {self.readiness}")
        return found

    def _late(self) -> list[str]:
        found = []
        if (self.recovery_seconds or 0.0) > RECOVERY_SECONDS:
            found.append(f"recovery: {self.recovery_seconds}")
        if NO_ANSWER in self.readiness:
            found.append(f"readiness: {self.readiness}")
        return found

    def as_json(self) -> str:
        """One line of JSON."""
        return json.dumps(asdict(self) | {"faults": self.faults()}, ensure_ascii=False)
