"""Who gets the next free phone: by priority, then by turns of owners, then by age, among tasks that may run there."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyhands.actors.dispatch.task_queue import TaskQueue
from manyhands.protocol.base import Ending
from manyhands.protocol.runs.control import FIRST_BATCH, Add, LabelPhone, tell
from manyhands.protocol.runs.progress import Decisions
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.tasks.selectors import selects
from manyhands.protocol.tasks.task import TaskSpec
from tests.actors.dispatch.dispatch_parts import Fixture
from tests.virtual_clock import run_virtual

LABELS = {"p0": {"lab": "north"}, "p1": {"lab": "south"}, "p2": {"lab": "south", "big": "yes"}}
SELECTORS = ("", "lab=north", "lab=south", "big")
OWNERS = ("anna", "ben", "carl")


@st.composite
def owned_tasks(draw: st.DrawFn) -> list[tuple[TaskSpec, str]]:
    count = draw(st.integers(1, 12))
    return [
        (
            TaskSpec(
                id=f"t{number}",
                goal="g",
                priority=draw(st.integers(0, 1)),
                phones=draw(st.sampled_from(SELECTORS)),
            ),
            draw(st.sampled_from(OWNERS)),
        )
        for number in range(count)
    ]


def result(task: TaskSpec) -> EpisodeResult:
    return EpisodeResult(
        episode=f"{task.id}-1",
        task=task.id,
        serial="p",
        attempt=1,
        ending=Ending.FINISHED,
        reason="",
        steps=1,
        verified=None,
        rubrics={},
        started_at=0,
        ended_at=0,
    )


@given(owned_tasks(), st.data())
def test_nobody_is_passed_over(owned: list[tuple[TaskSpec, str]], data: st.DataObject) -> None:
    tasks, owners = [task for task, _ in owned], {task.id: owner for task, owner in owned}
    queue = TaskQueue(tasks, owner_of=owners.__getitem__)
    free, running = set(LABELS), {}
    last_turn: dict[str, int] = {}
    for turn in range(10 * len(tasks)):
        if queue.decided:
            break
        if free and (not running or data.draw(st.booleans())):
            serial = data.draw(st.sampled_from(sorted(free)))
            waiting = [attempt.task for attempt in queue.waiting if selects(attempt.task.phones, LABELS[serial])]
            attempt = queue.take(serial, lambda task: selects(task.phones, LABELS[serial]))  # noqa: B023
            assert (attempt is None) is (not waiting)
            if attempt is None:
                free.discard(serial)
                continue
            counts = Counter(owners[one.task.id] for one in running.values())
            highest = [task for task in waiting if task.priority == max(task.priority for task in waiting)]
            ranks = {task.id: (counts[owners[task.id]], last_turn.get(owners[task.id], -1)) for task in highest}
            assert attempt.task in highest
            assert ranks[attempt.task.id] == min(ranks.values())
            mine = [task for task in highest if owners[task.id] == owners[attempt.task.id]]
            assert attempt.task == mine[0], "the oldest of this owner"
            last_turn[owners[attempt.task.id]] = turn
            running[serial] = attempt
            free.discard(serial)
        elif running:
            serial = data.draw(st.sampled_from(sorted(running)))
            attempt = running.pop(serial)
            queue.settle(attempt, result(attempt.task))
            free = set(LABELS) - running.keys()
        else:
            free = set(LABELS)
    assert queue.decided


@settings(max_examples=30)
@given(owned_tasks())
def test_each_task_that_a_phone_may_have_is_carried_out_there(
    tmp_path_factory: pytest.TempPathFactory, owned: list[tuple[TaskSpec, str]]
) -> None:
    async def main(folder: Path) -> None:
        fixture = Fixture(tuple(LABELS), control=folder, is_open_ended=True)
        host = fixture.host()
        for serial, labels in LABELS.items():
            tell(folder, LabelPhone(at=0, phone=serial, labels=labels))
        for number, (task, owner) in enumerate(owned):
            tell(folder, Add(at=0, tasks=(task,), owner=owner, batch=f"b{number}"))
        dispatcher = fixture.dispatcher(host)
        run = asyncio.create_task(dispatcher.run(FIRST_BATCH, ()))
        await asyncio.sleep(20.0 * len(owned) + 5)
        assert len((await dispatcher.decisions(Decisions())).results) == len(owned)
        assert all(selects(order.task.phones, LABELS[order.lease.serial]) for order in host.orders)
        run.cancel()
        await asyncio.wait({run})

    run_virtual(main(tmp_path_factory.mktemp("run")))
