"""The settings of Faust that losing nothing depends on."""

from typing import Any

import pytest
from faust.types import StreamT
from mode import Service
from mode.exceptions import MaxRestartsExceeded
from mode.supervisors import OneForOneSupervisor

from pipelines.runtime.app import StreamSupervisor, add_agent, make_app
from pipelines.settings import load_settings
from pipelines.topics import Topic
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


async def test_c89_a_member_outlives_the_loss_of_many_partitions_at_once() -> None:
    async def replaced(service: Any, index: int) -> Any:  # noqa: ARG001
        return Service()

    def lost(kind: type[OneForOneSupervisor]) -> tuple[Any, list[Service]]:
        streams = [Service() for _ in range(48)]
        supervisor = kind(max_restarts=100.0, over=1.0, replacement=replaced)
        supervisor.add(*streams)
        return supervisor, streams

    supervisor, streams = lost(OneForOneSupervisor)
    with pytest.raises(SystemExit) as ended:
        await supervisor.restart_services(streams)
    assert isinstance(ended.value.__context__, MaxRestartsExceeded), "what Faust does by itself"
    supervisor, streams = lost(StreamSupervisor)
    await supervisor.restart_services(streams)


async def test_the_streams_of_a_worker_have_that_supervisor() -> None:
    async def body(stream: StreamT[bytes]) -> None:
        """Reads nothing."""

    settings = load_settings(GOOD)
    app = make_app(settings, "importance", opening=nothing, closing=nothing)
    add_agent(app, settings, "importance", Topic.TURNS, body)
    [agent] = app.agents.values()
    assert agent.supervisor_strategy is StreamSupervisor
