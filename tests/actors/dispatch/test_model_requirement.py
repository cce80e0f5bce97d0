"""A batch whose model servers go and come back, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import pytest

from manyhands.actors.dispatch.dispatcher import Dispatcher
from manyhands.actors.dispatch.missing_requirements import CHECK_S, HEARD_S, ModelRequirement
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import ActorLost
from manyhands.protocol.messages import ModelCounts
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.roles.role import STEP_ROLES, Role
from manyhands.protocol.runs.limits import Limits
from manyhands.protocol.runs.progress import RunProgress
from manyhands.protocol.runs.results import EpisodeOrder
from tests.actors.dispatch.dispatch_parts import Fixture, tasks
from tests.virtual_clock import START, VirtualClock, run_virtual

CLOCK = VirtualClock()
Told = Callable[[], Sequence[ModelCounts]]


class Clients:
    """The clients of one role; ``away``: from when to when none of its servers answers, in seconds of the run."""

    def __init__(self, *away: tuple[float, float], answers_from: float = 0.0) -> None:
        self._away = away
        self._answers_from = answers_from

    async def counts(self) -> Sequence[ModelCounts]:
        now = CLOCK.now() - START
        if now < self._answers_from:
            raise ActorLost("it is being started again")
        since = next((began for began, ended in self._away if began <= now < ended), None)
        why = "" if since is None else "no connection"
        return [ModelCounts(model="m", away_since=None if since is None else START + since, away_why=why)]


def needing(fixture: Fixture, patience_s: float = 900.0, **clients: Clients) -> Callable[..., Dispatcher]:
    roles = {role: clients.get(role.value, Clients()) for role in STEP_ROLES}
    requirement = ModelRequirement(roles, patience_s, CLOCK)
    return lambda *hosts: Dispatcher(
        fixture.settings(), hosts, fixture.book, LongTermMemory(), fixture.store, fixture.clock, (requirement,)
    )


@pytest.mark.parametrize("role", [role.value for role in STEP_ROLES])
def test_no_task_is_handed_out_while_one_role_has_no_server_and_progress_says_so(role: str) -> None:
    async def main() -> None:
        fixture, starts = Fixture(("p0",)), []

        async def script(order: EpisodeOrder) -> Ending:
            starts.append(CLOCK.now() - START - 10)
            return Ending.FINISHED

        dispatcher = needing(fixture, **{role: Clients((12.0, 102.0))})(fixture.host(script))
        running = asyncio.create_task(dispatcher.run("b", tasks(4)))
        await asyncio.sleep(60)
        progress: RunProgress = await dispatcher.progress()
        results = await running
        assert [result.ending for result in results] == [Ending.FINISHED] * 4
        (wait,) = progress.held_up
        assert (wait.what, wait.since - START, wait.reason) == ("the model", 12.0, f"no connection ({role})")
        assert (progress.waiting, len(progress.running)) == (2, 0)
        assert starts[:2] == [0.0, 10.0]
        assert 102 <= starts[2] <= 104

    run_virtual(main())


def test_tasks_that_wait_too_long_for_a_model_end_as_no_model_in_journals() -> None:
    async def main() -> None:
        fixture = Fixture(("p0",))
        dispatcher = needing(fixture, 300.0, plan=Clients((2.0, 1e9)))(fixture.host(seconds=20.0))
        results = await dispatcher.run("b", tasks(3))
        assert [result.ending for result in results] == [Ending.FINISHED, Ending.NO_MODEL, Ending.NO_MODEL]
        assert [result.verified for result in results[1:]] == [None, None]
        assert results[1].reason == "no connection (plan)"
        assert 302 <= CLOCK.now() - START < 310
        assert {len(records) for records in fixture.store.journals.values()} == {2}

    run_virtual(main())


def test_a_patience_of_hours_is_not_cut_short_because_nothing_runs_meanwhile() -> None:
    """Nothing may run for an hour before tasks are given up; the model is away for two, by leave."""

    async def main() -> None:
        fixture = Fixture(("p0",), idle_s=3600.0)
        dispatcher = needing(fixture, 4 * 3600.0, plan=Clients((2.0, 7202.0)))(fixture.host(seconds=20.0))
        results = await dispatcher.run("b", tasks(3))
        assert [(result.ending, result.reason) for result in results] == [(Ending.FINISHED, "")] * 3

    run_virtual(main())


def test_an_episode_that_waits_for_the_model_is_no_lost_host() -> None:
    """Its own limit is 10 s and the dispatcher allows 5 s more; it waits for 800 s twice."""

    async def main() -> None:
        fixture = Fixture(("p0",), overtime_s=5.0)
        clients = Clients((2.0, 802.0), (806.0, 1606.0))
        host = fixture.host(seconds=1609.0)
        results = await needing(fixture, decide=clients)(host).run("b", tasks(1, limits=Limits(wall_s=10)))
        assert [result.ending for result in results] == [Ending.FINISHED]

    run_virtual(main())


def test_time_that_the_model_was_there_still_counts() -> None:
    async def main() -> None:
        fixture = Fixture(("p0",), overtime_s=5.0)
        host = fixture.host(seconds=1e6)
        dispatcher = needing(fixture, decide=Clients((2.0, 102.0)))(host)
        results = await dispatcher.run("b", tasks(1, limits=Limits(wall_s=10), attempts=1))
        assert [result.ending for result in results] == [Ending.HOST_LOST]
        assert 115 <= CLOCK.now() - START < 115 + 2 * CHECK_S

    run_virtual(main())


def test_a_client_that_a_server_answered_lately_speaks_against_one_that_finds_none() -> None:
    async def main() -> None:
        now = CLOCK.now()
        lost = ModelCounts(model="m", away_since=now - 60, away_why="no route")
        told = {"counts": [lost, ModelCounts(model="m", heard_at=now - 1)]}

        class Two:
            async def counts(self) -> Sequence[ModelCounts]:
                return told["counts"]

        requirement = ModelRequirement({Role.PLAN: Two()}, 900.0, CLOCK)
        watching = asyncio.create_task(requirement.watch(lambda: None))
        await asyncio.sleep(1)
        assert requirement.missing() is None
        await asyncio.sleep(HEARD_S + CHECK_S)
        assert requirement.missing() is not None
        told["counts"] = [lost.model_copy(update={"away_since": None}), ModelCounts(model="m")]
        await asyncio.sleep(CHECK_S)
        assert requirement.missing() is None
        watching.cancel()

    run_virtual(main())


def test_a_role_that_does_not_answer_says_nothing_of_its_model() -> None:
    async def main() -> None:
        requirement = ModelRequirement({Role.PLAN: Clients((0.0, 50.0), answers_from=30.0)}, 900.0, CLOCK)
        watching = asyncio.create_task(requirement.watch(lambda: None))
        await asyncio.sleep(20)
        assert requirement.missing() is None
        await asyncio.sleep(20)
        assert requirement.missing() is not None
        await asyncio.sleep(15)
        assert requirement.missing() is None
        assert requirement.paused_s() == pytest.approx(50, abs=2 * CHECK_S)
        watching.cancel()

    run_virtual(main())


def test_a_defect_in_a_roles_figures_ends_no_batch(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Clients):
        async def counts(self) -> Sequence[ModelCounts]:
            raise ValueError("a figure that is none")

    async def main() -> None:
        fixture = Fixture(("p0",))
        results = await needing(fixture, note=Broken())(fixture.host()).run("b", tasks(2))
        assert [result.ending for result in results] == [Ending.FINISHED] * 2

    run_virtual(main())
    assert "asking the clients of note failed by a defect" in caplog.text
