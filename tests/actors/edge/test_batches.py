"""A batch on a phone elsewhere, in the midst of which something between here and there goes: nothing is lost by it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from manyhands.actors.dispatch.dispatcher import Dispatcher
from manyhands.actors.dispatch.settings import DispatchSettings
from manyhands.actors.episode.host import EpisodeHost, HostSettings
from manyhands.protocol.base import Ending
from manyhands.protocol.journals.records import ActionSent, EpisodeStarted, Resumed
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.tasks.task import TaskSpec
from tests.actors.edge.edge_world import PHONE, EdgeWorld, edge_world
from tests.actors.edge.memory_broker import MemoryLink, as_sent
from tests.virtual_clock import run_virtual

Fault = Callable[[EdgeWorld], Awaitable[None]]
TAPS = 6


async def _without(edge: EdgeWorld, link: MemoryLink, seconds: float) -> None:
    await edge.broker.lose(link)
    await asyncio.sleep(seconds)
    await edge.broker.regain(link)


async def our_link_is_cut(edge: EdgeWorld) -> None:
    """For a minute, and what was sent meanwhile is nowhere."""
    await _without(edge, edge.client_link, 60)


async def the_sites_link_is_cut(edge: EdgeWorld) -> None:
    await _without(edge, edge.server_link, 60)


async def broker_is_killed(edge: EdgeWorld) -> None:
    """It forgets all that it held; both sides connect again."""
    edge.broker.retained.clear()
    await asyncio.gather(_without(edge, edge.client_link, 1), _without(edge, edge.server_link, 2))


async def broker_is_frozen(edge: EdgeWorld) -> None:
    """For 40 s; then all that was sent meanwhile comes at once."""
    loop = asyncio.get_running_loop()
    thawed_at = loop.time() + 40
    edge.broker.faults = lambda topic, data: ((max(0.0, thawed_at - loop.time()), data),)
    await asyncio.sleep(40)
    edge.broker.faults = as_sent


async def gateway_is_killed(edge: EdgeWorld) -> None:
    """And started again on the same database, by whoever watches over it."""
    await edge.broker.lose(edge.server_link)
    await asyncio.sleep(3)
    await edge.restart_server()


FAULTS = (our_link_is_cut, the_sites_link_is_cut, broker_is_killed, broker_is_frozen, gateway_is_killed)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
@hypothesis_settings(max_examples=12)
@given(moment=st.floats(0, 90))
def test_whatever_goes_between_the_task_is_carried_out_once_in_its_first_attempt(fault: Fault, moment: float) -> None:
    async def main() -> None:
        async with edge_world() as edge:
            world = edge.world
            world.goal_screen = f"s{TAPS}"
            world.latency = lambda method, count: {"plan": 4.0, "decide": 5.0, "verify": 3.0}.get(method, 0.3)
            host = EpisodeHost(HostSettings(), edge.collaborators(), world.clock)
            settings = DispatchSettings(run="r", serials=(PHONE,))
            store = edge.collaborators().store
            dispatcher = Dispatcher(settings, (host,), edge.client, LongTermMemory(), store, world.clock)
            running = asyncio.create_task(dispatcher.run("b", [TaskSpec(id="t", goal="Go there")]))
            await asyncio.sleep(moment)
            await fault(edge)
            (result,) = await running
            assert (result.ending, result.attempt) == (Ending.FINISHED, 1), result.reason
            assert world.screen == world.goal_screen
            assert max(Counter(world.ledger).values()) == 1
            assert len(world.ledger) == TAPS
            (journal,) = world.on_disk
            records = world.written(journal)
            assert sum(isinstance(record, EpisodeStarted) for record in records) == 1
            assert [record.key for record in records if isinstance(record, ActionSent)][-1] == world.ledger[-1]
            assert sum(isinstance(record, Resumed) for record in records) <= 3

    run_virtual(main())
