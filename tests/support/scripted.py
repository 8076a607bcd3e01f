"""An extractor for tests of what comes after extraction: turns say their claims outright."""

from datetime import timedelta

from lithify.domain.claims import Basis, Claim, Cue, Kind, Polarity, Scope
from lithify.domain.ids import derive
from pipelines.language.model import Extraction, Role, TurnText


class ScriptedExtractor:
    """Reads `attribute=value basis cue ...` from a user's turn; several claims are parted by `;`.

    A value that starts with `!` is negative; `scope:trip` and `next_session` set the scope.
    """

    version = "scripted-1"

    def extract(self, turn: TurnText, before: TurnText | None) -> Extraction:  # noqa: ARG002
        """The claims that the turn spells out."""
        if turn.role is not Role.USER or "=" not in turn.content:
            return Extraction()
        parts = [part.split() for part in turn.content.split(";")]
        return Extraction(tuple(_claim(turn, ordinal, words) for ordinal, words in enumerate(parts)))


def _claim(turn: TurnText, ordinal: int, words: list[str]) -> Claim:
    attribute, _, value = words[0].partition("=")
    marks = set(words[1:])
    day = turn.occurred_at.date()
    midnight = turn.occurred_at.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    return Claim(
        id=derive(turn.turn_id, "scripted", ordinal),
        turn_id=turn.turn_id,
        session_id=turn.session_id,
        turn_index=turn.turn_index,
        ordinal=ordinal,
        subject=turn.speaker or "user",
        attribute=attribute,
        value=value.lstrip("!"),
        text=value.lstrip("!"),
        occurred_at=turn.occurred_at,
        local_date=day,
        day_end=midnight,
        polarity=Polarity.NEGATIVE if value.startswith("!") else Polarity.POSITIVE,
        kind=Kind.WITHDRAWAL if "withdrawal" in marks else Kind.VALUE,
        topics=(value,) if "withdrawal" in marks else (),
        basis=next((basis for basis in Basis if basis.value in marks), Basis.STATEMENT),
        cue=next((cue for cue in Cue if cue.value in marks), Cue.NONE),
        scope=next((scope for scope in Scope if scope.value in marks), Scope.SESSION),
        span=(0, len(turn.content)),
    )
