"""The settings of Faust that losing nothing depends on."""

from pipelines.runtime.app import make_app
from pipelines.settings import load_settings
from tests.unit.pipelines.test_settings import GOOD


async def nothing() -> None:
    """A hook."""


async def test_c98_c103_there_are_no_tables_to_recover_and_none_to_share() -> None:
    app = make_app(load_settings(GOOD), "importance", opening=nothing, closing=nothing)
    assert dict(app.tables) == {}
    assert app.conf.table_standby_replicas == 0, "the sticky assignor leaves a third worker idle"
    assert not app.conf.topic_allow_declare
    assert app.conf.topic_disable_leader


async def test_c91_no_stall_makes_a_member_leave() -> None:
    app = make_app(load_settings(GOOD), "importance", opening=nothing, closing=nothing)
    assert app.conf.broker_max_poll_interval >= 86_400
    assert app.conf.broker_max_poll_records is not None
    assert app.conf.stream_wait_empty
    assert app.conf.broker_request_timeout > app.conf.broker_session_timeout


async def test_a_rebalance_asks_for_batches_only_until_partitions_are_assigned() -> None:
    app = make_app(load_settings(GOOD), "importance", opening=nothing, closing=nothing)
    assert not app.letting_go
    app.rebalancing, app.rebalancing_count = True, 1
    assert app.letting_go
    app._assigned_in = 1
    assert not app.letting_go, "a batch of the new generation would be given up, and its partition with it"
    app.rebalancing_count = 2
    assert app.letting_go
