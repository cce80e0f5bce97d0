"""Batches go from the database into a fleet, and results come back, once each, whatever is restarted meanwhile."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from manyhands.actors.clock import RealClock
from manyhands.actors.dispatch.dispatcher import Dispatcher
from manyhands.protocol.base import Ending
from manyhands.protocol.messages import CallCounts
from manyhands.protocol.runs.control import FIRST_BATCH, read_control
from manyhands.protocol.runs.control_state import control_state
from manyhands.protocol.runs.interventions import EpisodePhase
from manyhands.protocol.runs.progress import Decisions, EpisodeProgress, RunProgress, TasksDone
from manyhands.protocol.runs.run_summary import AskedModel
from manyhands.protocol.service.batches import BatchPhase, BatchRequest, TaskPhase
from manyhands.protocol.service.events import EventKind
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.service import coordinator
from manyhands.service.coordinator import PAST_DEADLINE, Coordinator
from manyhands.service.database.batches.batch_repository import BatchRepository
from manyhands.service.database.engine import ServiceDatabase
from manyhands.service.database.event_repository import EventRepository
from manyhands.service.database.schema import TASKS
from manyhands.service.fleet_queue import FleetQueue
from tests.actors.dispatch.dispatch_parts import Fixture

PATIENCE_S = 100
CHECK = {"source": "content://a/b", "holds": {"all": [{"path": "a.b", "equals": "c"}] * 5}}


class DispatchedFleet:
    """A dispatcher with phones and a host in memory, as FleetQueue sees a fleet."""

    def __init__(self, dispatcher: Dispatcher, folder: Path, serials: Sequence[str]) -> None:
        self.folder, self.serials = folder, serials
        self.models: dict[str, AskedModel] = {}
        self._dispatcher = dispatcher

    async def progress(self) -> RunProgress:
        return await self._dispatcher.progress()

    async def decisions(self, last: Decisions) -> Decisions:
        return await self._dispatcher.decisions(last)

    async def call_counts(self) -> Sequence[CallCounts]:
        return ()


class World:
    """A database and a run folder that outlive dispatchers and coordinators."""

    def __init__(self, folder: Path, database: ServiceDatabase) -> None:
        self.folder, self.database = folder, database
        self.batches, self.events = BatchRepository(database), EventRepository(database)
        self.clock = RealClock()
        self.fixture = Fixture(("p0", "p1"), clock=self.clock, control=folder, is_open_ended=True, nonce="n")
        self.host = self.fixture.host(seconds=0.02)
        self._recover = False

    @asynccontextmanager
    async def fleet(self, make_queue: type[FleetQueue] = FleetQueue) -> AsyncIterator[FleetQueue]:
        """A fleet and its coordinator. Both end with the context, in the midst of whatever they do."""
        dispatcher = self.fixture.dispatcher(self.host)
        queue = make_queue(DispatchedFleet(dispatcher, self.folder, ("p0", "p1")))
        coordinator = Coordinator(self.batches, self.events, queue, self.clock)
        both: list[Coroutine[Any, Any, Any]] = [dispatcher.run(FIRST_BATCH, (), self._recover), coordinator.run()]
        tasks = [asyncio.create_task(one) for one in both]
        self._recover = True
        try:
            yield queue
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)

    async def submit(self, owner: str, count: int, **given: Any) -> str:
        tasks = tuple(TaskSpec(id=f"t{number}", goal="g") for number in range(count))
        batch, _ = await self.batches.accept(BatchRequest(tasks=tasks, **given), owner, None, self.clock.now())
        return batch.id

    async def until(self, batch: str, phase: BatchPhase) -> None:
        await until(lambda: self._is(batch, phase))

    async def _is(self, batch: str, phase: BatchPhase) -> bool:
        return (await self.batches.batch(batch)).phase is phase


async def until(holds: Callable[[], Coroutine[Any, Any, bool]]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not await holds():
            await asyncio.sleep(0.01)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    (tmp_path / "run").mkdir()
    database = await ServiceDatabase.open(f"sqlite:///{tmp_path / 'service.db'}")
    yield World(tmp_path / "run", database)
    await database.close()


async def test_each_accepted_task_has_one_result_over_restarts(world: World) -> None:
    first = await world.submit("anna", 30)
    async with world.fleet():
        second = await world.submit("ben", 5)
        await until(lambda: _some_ended(world, second))
    paused = await world.submit("ben", 3)
    await world.batches.pause([paused], world.clock.now())
    cancelled = await world.submit("anna", 4)
    async with world.fleet() as queue:
        await asyncio.sleep(0)
        await queue.cancel(await world.batches.cancel([cancelled], world.clock.now(), "not needed"), "not needed")
    async with world.fleet():
        await world.until(first, BatchPhase.ENDED)
        await world.until(second, BatchPhase.ENDED)
        await until(lambda: _all_ended(world, cancelled))
        held = await world.batches.batch(paused)
        assert (held.phase, held.waiting) == (BatchPhase.PAUSED, 3)
    await world.batches.resume([paused], world.clock.now())  # while no fleet is open
    async with world.fleet():
        await world.until(paused, BatchPhase.ENDED)
    ended: Counter[str] = Counter()
    last = 0
    while events := await world.events.since(last, 1000):
        last = events[-1].id
        ended.update(str(event.task) for event in events if event.kind is EventKind.TASK_ENDED)
    assert len(ended) == 30 + 5 + 3 + 4
    assert set(ended.values()) == {1}
    assert Counter(order.task.id for order in world.host.orders).keys() >= {f"{first}.t{n}" for n in range(30)}
    tasks = (await world.batches.tasks(limit=100)).items
    assert {task.ending for task in tasks if task.batch != cancelled} == {Ending.FINISHED}
    assert {task.ending for task in tasks if task.batch == cancelled} <= {Ending.FINISHED, Ending.CANCELLED}


async def test_a_batch_that_is_late_is_cancelled_with_the_reason(world: World) -> None:
    async with world.fleet() as queue:
        for serial in ("p0", "p1"):
            await queue.set_aside(serial, "maintenance")
        late = await world.submit("anna", 2, deadline=world.clock.now() + 0.2)
        await until(lambda: _all_ended(world, late))
    tasks = (await world.batches.tasks(limit=100)).items
    assert {(task.phase, task.ending, task.reason) for task in tasks} == {
        (TaskPhase.ENDED, Ending.CANCELLED, PAST_DEADLINE)
    }


async def test_a_phone_that_is_away_is_told_once_and_once_that_it_is_back(world: World) -> None:
    async with world.fleet():
        world.fixture.book.present["p0"] = world.fixture.book.present["p1"] = False
        batch = await world.submit("anna", 1)
        await until(lambda: _kinds(world, EventKind.PHONE_AWAY, 2))
        world.fixture.book.present["p0"] = world.fixture.book.present["p1"] = True
        await world.until(batch, BatchPhase.ENDED)
        await until(lambda: _kinds(world, EventKind.PHONE_BACK, 2))
    assert await _kinds(world, EventKind.PHONE_AWAY, 2)


class LostFleet(DispatchedFleet):
    """A fleet with one episode, until its phone is lost."""

    is_lost = False

    async def progress(self) -> RunProgress:
        one = EpisodeProgress(episode="b1.t0-1", task="b1.t0", serial="p0", step=2, doing="decide")
        running = () if self.is_lost else (one,)
        return RunProgress(total=1, waiting=0, running=running, done=TasksDone(), latest=(), phones=1)


async def test_a_task_whose_phone_is_lost_waits_and_runs_again_with_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coordinator, "REMEDY_S", 0.05)
    await world.submit("anna", 1)
    fleet = LostFleet(world.fixture.dispatcher(world.host), world.folder, ("p0",))
    coordinating = Coordinator(world.batches, world.events, FleetQueue(fleet), world.clock)
    working = asyncio.create_task(coordinating.run())

    async def counts(*expected: int) -> bool:
        totals = await world.batches.totals()
        return (totals.waiting, totals.running) == expected

    try:
        for fleet.is_lost in (False, True, False):
            await until(lambda: counts(int(fleet.is_lost), int(not fleet.is_lost)))
    finally:
        working.cancel()
        await asyncio.wait([working])


class HeldFleet(DispatchedFleet):
    """A fleet with one episode, whose phase the test decides."""

    phase, by, question = EpisodePhase.RUNNING, "", ""
    screen: str | None = "a"
    asked = 0

    async def was_asked(self, times: int) -> bool:
        return self.asked >= times

    async def progress(self) -> RunProgress:
        self.asked += 1
        held = None if self.phase is EpisodePhase.RUNNING else self.by
        one = EpisodeProgress(
            episode="b1.t0-1",
            task="b1.t0",
            serial="p0",
            step=2,
            doing="decide",
            phase=self.phase,
            held_by=held,
            question=self.question,
            screen=self.screen,
        )
        return RunProgress(total=1, waiting=0, running=(one,), done=TasksDone(), latest=(), phones=1)


async def _watch_phases(world: World, fleet: HeldFleet, phases: Sequence[tuple[EpisodePhase, str]]) -> None:
    """Let a coordinator of its own look at each of the phases."""
    fleet.phase, fleet.by = phases[0]
    coordinator = Coordinator(world.batches, world.events, FleetQueue(fleet), world.clock)
    working = asyncio.create_task(coordinator.run())
    try:
        for fleet.phase, fleet.by in phases:
            fleet.asked = 0
            await until(lambda: fleet.was_asked(3))
    finally:
        working.cancel()
        await asyncio.wait([working])


async def test_each_hold_of_an_episode_is_told_with_its_person_and_its_end_without_one(world: World) -> None:
    await world.submit("anna", 1)
    fleet = HeldFleet(world.fixture.dispatcher(world.host), world.folder, ("p0",))
    before_restart = (
        (EpisodePhase.PAUSED, "anna"),
        (EpisodePhase.TAKING_OVER, "ben"),
        (EpisodePhase.TAKEN_OVER, "ben"),
    )
    await _watch_phases(world, fleet, before_restart)
    # A service that comes later looks for the first time when the person has already handed the episode back.
    await _watch_phases(world, fleet, ((EpisodePhase.RUNNING, ""),))
    events = [event for event in await world.events.since(0, 99) if event.kind.value.startswith("episode.")]
    assert [(event.kind.value, event.data.get("by")) for event in events] == [
        ("episode.paused", "anna"),
        ("episode.taken_over", "ben"),
        ("episode.handed_back", None),
    ]


async def test_that_an_agent_asks_for_a_person_is_told_once_also_after_a_restart(world: World) -> None:
    await world.submit("anna", 1)
    fleet = HeldFleet(world.fixture.dispatcher(world.host), world.folder, ("p0",))
    asks = (EpisodePhase.PAUSED, "the agent")
    fleet.question = "Which account?"
    await _watch_phases(world, fleet, (asks,))
    fleet.screen, fleet.question = None, ""  # the next host has not read the journal yet
    await _watch_phases(world, fleet, ((EpisodePhase.RUNNING, ""),))
    fleet.screen, fleet.question = "a", "Which account?"
    await _watch_phases(world, fleet, (asks,))
    fleet.question = ""
    await _watch_phases(world, fleet, ((EpisodePhase.RUNNING, ""),))
    events = [event for event in await world.events.since(0, 99) if event.kind.value.startswith("episode.")]
    assert [(event.kind.value, event.task, event.data.get("question")) for event in events] == [
        ("episode.person_wanted", "b1.t0", "Which account?"),
        ("episode.resumed", "b1.t0", None),
    ]


async def test_a_long_batch_goes_in_parts_and_nobody_waits_for_it(world: World) -> None:
    task = TaskSpec.model_validate({"id": "t", "goal": "g" * 100, "check": CHECK})
    many = tuple(task.model_copy(update={"id": f"t{number}"}) for number in range(1200))
    long, _ = await world.batches.accept(BatchRequest(tasks=many, priority=-1), "anna", None, world.clock.now())
    short = await world.submit("ben", 3)
    async with world.fleet():
        await world.until(short, BatchPhase.ENDED)
        await world.batches.cancel([long.id], world.clock.now(), "too long")
        await until(lambda: _all_ended(world, long.id))
    added = control_state(read_control(world.folder)).added
    assert [id for id in added if id.startswith(long.id)] == [f"{long.id}.t{number}" for number in range(1200)]


async def test_a_task_that_the_fleet_holds_without_an_order_is_released(world: World) -> None:
    batch = await world.submit("anna", 1)
    async with world.fleet() as queue:
        await until(lambda: _handed_over(world, batch))
        await queue.hold([f"{batch}.t0"])  # a pause that crossed with its end
        await world.until(batch, BatchPhase.ENDED)


async def _some_ended(world: World, batch: str) -> bool:
    return (await world.batches.batch(batch)).done > 0


async def _all_ended(world: World, batch: str) -> bool:
    found = await world.batches.batch(batch)
    return found.waiting + found.running == 0


async def _kinds(world: World, kind: EventKind, count: int) -> bool:
    events = await world.events.since(0, 1000)
    return sum(event.kind is kind for event in events) == count


async def _handed_over(world: World, batch: str) -> bool:
    return (await world.batches.batch(batch)).run is not None


async def test_batches_that_no_fleet_can_take_end_as_failed_and_hold_up_nobody(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coordinator, "MOST_BATCHES", 2)  # of 100 it takes long to submit as many
    bad = BatchRequest(tasks=(TaskSpec(id="t0", goal="g", reset_seed=10**30), TaskSpec(id="t1", goal="g")))
    stuck = [(await world.batches.accept(bad, "mallory", None, world.clock.now()))[0].id for _ in range(3)]
    good = await world.submit("anna", 2)
    async with world.fleet():
        await world.until(good, BatchPhase.ENDED)
        for batch in stuck:
            await world.until(batch, BatchPhase.ENDED)
    task = await world.batches.task(f"{stuck[0]}.t0")
    assert (task.ending, task.is_done, task.attempts) == (Ending.INTERNAL_ERROR, False, 0)
    assert "no phone can be given this task" in str(task.reason)


class DefectiveQueue(FleetQueue):
    """Cannot take the batch b1, by a defect."""

    tries = 0

    async def hand_over(self, batch: str, owner: str, tasks: Sequence[TaskSpec]) -> None:
        if batch == "b1":
            self.tries += 1
            raise RuntimeError("a defect")
        await super().hand_over(batch, owner, tasks)


async def test_a_defect_with_one_batch_is_logged_once_and_holds_up_nobody(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(coordinator, "WATCH_S", 0.01)
    await world.submit("mallory", 1)
    good = await world.submit("anna", 1)
    async with world.fleet(DefectiveQueue) as queue:
        await world.until(good, BatchPhase.ENDED)
        async with asyncio.timeout(PATIENCE_S):
            while getattr(queue, "tries", 0) < 3:
                await asyncio.sleep(0.01)
    assert [record.getMessage() for record in caplog.records if record.exc_info] == [
        "b1 cannot be handed over by a defect; it is tried again and again"
    ]


async def test_a_task_that_this_version_cannot_read_fails_alone(world: World) -> None:
    batch = await world.submit("anna", 2)
    async with world.database.write() as change:
        statement = update(TASKS).where(TASKS.c.id == f"{batch}.t0").values(spec='{"id": "t0"}')
        await change.connection.execute(statement)
    async with world.fleet():
        await world.until(batch, BatchPhase.ENDED)
    failed, done = (await world.batches.tasks(limit=2)).items
    assert (failed.ending, done.ending) == (Ending.INTERNAL_ERROR, Ending.FINISHED)
    assert "cannot read" in str(failed.reason)


async def test_tasks_that_are_too_many_for_one_command_go_in_smaller_parts(world: World) -> None:
    tasks = tuple(TaskSpec(id=f"t{number}", goal="g", tags=("x",) * 5000) for number in range(40))
    batch, _ = await world.batches.accept(BatchRequest(tasks=tasks), "anna", None, world.clock.now())
    async with world.fleet():
        await world.until(batch.id, BatchPhase.ENDED)
    assert (await world.batches.batch(batch.id)).done == 40
