"""What `doctor` makes of what a broker tells."""

import pytest
from confluent_kafka import ConsumerGroupState

from workers.operate.doctor.broker import counted


@pytest.mark.parametrize(
    ("state", "listed", "members"),
    [
        (ConsumerGroupState.STABLE, 2, 2),
        (ConsumerGroupState.STABLE, 0, None),  # the embedded broker lists none
        (ConsumerGroupState.EMPTY, 0, 0),
        (ConsumerGroupState.DEAD, 0, 0),
    ],
)
def test_a_stable_group_has_members_also_where_none_are_listed(
    state: ConsumerGroupState, listed: int, members: int | None
) -> None:
    assert counted(state, listed) == members
