"""Whatever clients and the fleet do, in whatever order: a task has one result, and a batch's counts are its tasks'."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from manyhands.protocol.base import Ending
from manyhands.protocol.errors import PhaseConflict
from manyhands.protocol.service.batches import BatchPhase, TaskPhase, TaskStatus
from manyhands.protocol.service.events import EventKind, ServiceEvent
from manyhands.service.database.batches.batch_queries import TaskFilter
from manyhands.service.database.batches.batch_repository import BatchRepository
from manyhands.service.database.engine import ServiceDatabase
from manyhands.service.database.event_repository import EventRepository
from tests.service.database.postgres import PostgresServer
from tests.service.database.work import AT, begin, end, progress, request, result

T = TypeVar("T")
W, P, R, E = TaskPhase.WAITING, TaskPhase.PAUSED, TaskPhase.RUNNING, TaskPhase.ENDED


@dataclass
class ModelTask:
    batch: str
    origin: str
    phase: TaskPhase = W
    in_fleet: bool = False
    """Whether the fleet may have it."""
    is_cancelled: bool = False
    episodes: int = 0
    is_done: bool | None = None


@dataclass
class ModelBatch:
    phase: BatchPhase = BatchPhase.OPEN
    is_over: bool = False
    ends: int = 0
    groups: dict[str, list[str]] = field(default_factory=dict)
    """The tasks that the fleet gets together, by the id of the group; those that it has are left out."""


class ServiceMachine(RuleBasedStateMachine):
    """Clients and a fleet act on a database and on a model of it."""

    make_url: Callable[[], str]
    drop_url: Callable[[str], None]

    @initialize()
    def open(self) -> None:
        self.runner = asyncio.Runner()
        self.url = type(self).make_url()
        self.database = self.wait(ServiceDatabase.open(self.url))
        self.batches, self.events = BatchRepository(self.database), EventRepository(self.database)
        self.model: dict[str, ModelBatch] = {}
        self.tasks: dict[str, ModelTask] = {}
        self.results: dict[str, TaskStatus] = {}
        self.told: list[ServiceEvent] = []

    def wait(self, work: Awaitable[T]) -> T:
        async def run() -> T:
            return await work

        return self.runner.run(run())

    def of_batch(self, batch: str) -> dict[str, ModelTask]:
        return {id: task for id, task in self.tasks.items() if task.batch == batch}

    def subject(self, data: st.DataObject) -> tuple[str, dict[str, ModelTask], bool]:
        """A batch or a task, and the tasks that are meant."""
        id = data.draw(st.sampled_from([*self.model, *self.tasks]))
        if id in self.model:
            return id, self.of_batch(id), True
        return id, {id: self.tasks[id]}, False

    def close(self, batch: str) -> None:
        stored = self.model[batch]
        if not stored.is_over and all(task.phase is E for task in self.of_batch(batch).values()):
            stored.is_over, stored.ends = True, stored.ends + 1
            if stored.phase is not BatchPhase.CANCELLED:
                stored.phase = BatchPhase.ENDED

    # ------------------------------------------------------------------------ clients
    @rule(count=st.integers(1, 3))
    def submit(self, count: int) -> None:
        ids = [f"t{number}" for number in range(count)]
        made, _ = self.wait(self.batches.accept(request(*ids), "ann", None, AT))
        names = [f"{made.id}.{id}" for id in ids]
        self.model[made.id] = ModelBatch(groups={made.id: names})
        self.tasks |= {name: ModelTask(made.id, name) for name in names}

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def pause(self, data: st.DataObject) -> None:
        id, tasks, is_batch = self.subject(data)
        expected = [name for name, task in tasks.items() if task.phase is W and not task.is_cancelled]
        assert list(self.wait(self.batches.pause([id], AT))) == expected
        for name in expected:
            self.tasks[name].phase = P
        if is_batch and self.model[id].phase is BatchPhase.OPEN:
            self.model[id].phase = BatchPhase.PAUSED

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def resume(self, data: st.DataObject) -> None:
        id, tasks, is_batch = self.subject(data)
        expected = [name for name, task in tasks.items() if task.phase is P and not task.is_cancelled]
        assert list(self.wait(self.batches.resume([id], AT))) == expected
        for name in expected:
            self.tasks[name].phase = W
        if is_batch and self.model[id].phase is BatchPhase.PAUSED:
            self.model[id].phase = BatchPhase.OPEN

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        id, tasks, is_batch = self.subject(data)
        expected = [name for name, task in tasks.items() if task.phase is not E]
        assert list(self.wait(self.batches.cancel([id], AT, "no"))) == expected
        if is_batch and self.model[id].phase in (BatchPhase.OPEN, BatchPhase.PAUSED):
            self.model[id].phase = BatchPhase.CANCELLED
        for name in expected:
            task = self.tasks[name]
            task.is_cancelled = True
            if not task.in_fleet:
                task.phase, task.is_done = E, False
        self.close(id if is_batch else self.tasks[id].batch)

    @precondition(lambda self: self.tasks)
    @rule(data=st.data())
    def retry(self, data: st.DataObject) -> None:
        id = data.draw(st.sampled_from([*self.tasks]))
        task = self.tasks[id]
        tries = [one for one in self.tasks.values() if one.origin == task.origin]
        if any(one.phase is not E for one in tries):
            with pytest.raises(PhaseConflict):
                self.wait(self.batches.retry([id], AT))
            return
        (made,) = self.wait(self.batches.retry([id], AT))
        assert made.id == f"{task.origin}.r{len(tries) + 1}"
        batch = self.model[task.batch]
        is_paused = batch.phase is BatchPhase.PAUSED
        batch.phase, batch.is_over = batch.phase if is_paused else BatchPhase.OPEN, False
        self.tasks[made.id] = ModelTask(task.batch, task.origin, P if is_paused else W)
        retries = sum(name != one.origin for name, one in self.of_batch(task.batch).items())
        batch.groups[f"{task.batch}+{retries}"] = [made.id]

    # ------------------------------------------------------------------------ the fleet
    @rule(most=st.integers(1, 3), is_heard=st.booleans())
    def hand_over(self, most: int, is_heard: bool) -> None:
        """Offer groups. Unless the coordinator is killed then (``is_heard``), it says that the fleet has them."""
        for group in self.wait(self.batches.not_handed_over(most)):
            names = self.model[group.batch].groups[group.id]
            open_tasks = [name for name in names if self.tasks[name].phase is not E]
            assert [task.id for task in group.tasks] == open_tasks
            assert list(group.paused) == [name for name in open_tasks if self.tasks[name].phase is P]
            assert list(group.cancelled) == [name for name in open_tasks if self.tasks[name].is_cancelled]
            for name in open_tasks:
                self.tasks[name].in_fleet = True
            if is_heard:
                self.wait(self.batches.mark_handed_over(group.id, "/runs/1"))
                del self.model[group.batch].groups[group.id]

    @precondition(lambda self: any(task.in_fleet for task in self.tasks.values()))
    @rule(data=st.data(), repeats=st.integers(1, 2))
    def begin(self, data: st.DataObject, repeats: int) -> None:
        id, task = self.in_fleet(data)
        is_open = task.phase is not E
        task.episodes += is_open
        for turn in range(repeats):
            began = self.wait(begin(self.batches, id, f"{id}-{task.episodes}", "p1", AT))
            assert began is (is_open and turn == 0)
        if is_open:
            task.phase = R

    @precondition(lambda self: any(task.in_fleet for task in self.tasks.values()))
    @rule(data=st.data(), step=st.integers(0, 3))
    def step(self, data: st.DataObject, step: int) -> None:
        id, task = self.in_fleet(data)
        if task.phase is not E and not task.episodes:  # the first report of an episode is its beginning
            task.episodes, task.phase = 1, R
        self.wait(self.batches.record_progress([progress(id, step, "plan", f"{id}-{task.episodes}")], AT))

    @precondition(lambda self: any(task.in_fleet for task in self.tasks.values()))
    @rule(data=st.data(), ending=st.sampled_from([Ending.FINISHED, Ending.STEP_LIMIT, Ending.CANCELLED]))
    def end(self, data: st.DataObject, ending: Ending) -> None:
        id, task = self.in_fleet(data)
        recorded = self.wait(end(self.batches, result(id, ending)))
        assert recorded is (task.phase is not E)
        if recorded:
            task.phase, task.is_done = E, ending is Ending.FINISHED
            self.close(task.batch)

    def in_fleet(self, data: st.DataObject) -> tuple[str, ModelTask]:
        id = data.draw(st.sampled_from([id for id, task in self.tasks.items() if task.in_fleet]))
        return id, self.tasks[id]

    # ------------------------------------------------------------------------ what must hold
    @invariant()
    def lists_agree_with_the_model(self) -> None:
        if not hasattr(self, "model"):
            return
        for id, batch in self.model.items():
            status = self.wait(self.batches.batch(id))
            stored = {task.id: task for task in self.wait(self.batches.tasks(TaskFilter(batch=id))).items}
            tasks = self.of_batch(id)
            assert {name: task.phase for name, task in stored.items()} == {n: task.phase for n, task in tasks.items()}
            phases = Counter(task.phase for task in tasks.values())
            done = sum(task.is_done is True for task in tasks.values())
            counts = (status.tasks, status.waiting, status.running, status.done)
            assert counts == (len(tasks), phases[W] + phases[P], phases[R], done)
            latest = {task.origin: name for name, task in tasks.items()}
            failed = {name for name, task in tasks.items() if task.is_done is False}
            retried = {name for name in failed if latest[tasks[name].origin] != name}
            cancelled = {name for name in failed - retried if stored[name].ending is Ending.CANCELLED}
            counted = (status.failed, status.cancelled, status.retried)
            assert counted == (len(failed - retried - cancelled), len(cancelled), len(retried))
            assert (status.phase, status.ended_at is not None) == (batch.phase, batch.is_over)
            for name, task in stored.items():
                assert (task.ending is None) is (task.phase is not E)
                if task.phase is E:
                    assert self.results.setdefault(name, task) == task

    @invariant()
    def events_agree_with_the_model(self) -> None:
        if not hasattr(self, "model"):
            return
        self.told += self.wait(self.events.since(self.told[-1].id if self.told else 0, 999))
        ended = Counter(event.task for event in self.told if event.kind is EventKind.TASK_ENDED)
        assert ended == Counter({id: 1 for id, task in self.tasks.items() if task.phase is E})
        began = Counter(event.task for event in self.told if event.kind is EventKind.TASK_BEGAN)
        assert began == Counter({id: task.episodes for id, task in self.tasks.items() if task.episodes})
        over = Counter(event.batch for event in self.told if event.kind is EventKind.BATCH_ENDED)
        assert over == Counter({id: batch.ends for id, batch in self.model.items() if batch.ends})

    def teardown(self) -> None:
        if hasattr(self, "runner"):
            self.wait(self.database.close())
            self.runner.close()
            type(self).drop_url(self.url)


def run(make: Callable[[], str], drop: Callable[[str], None], examples: int) -> None:
    machine = type("Machine", (ServiceMachine,), {"make_url": staticmethod(make), "drop_url": staticmethod(drop)})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=25,
            deadline=None,
            # Each step goes to disk: to look for a shorter example takes longer than a test may.
            phases=[Phase.reuse, Phase.generate],
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
        ),
    )


def test_phases_on_sqlite(tmp_path: Path) -> None:
    counter = iter(range(1_000_000))
    run(lambda: str(tmp_path / f"{next(counter)}.db"), lambda url: Path(url).unlink(), 15)


def test_phases_on_postgresql(postgres: PostgresServer) -> None:
    run(postgres.make_database, postgres.give_back, 6)
