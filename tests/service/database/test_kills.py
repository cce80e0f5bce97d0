"""A process that is killed in the middle of its work loses nothing that it answered, and leaves nothing by halves."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random

from manyhands.protocol.service.batches import BatchPhase, BatchStatus, TaskPhase
from manyhands.protocol.service.events import EventKind, ServiceEvent
from manyhands.service.database.batches.batch_queries import TaskFilter
from manyhands.service.database.batches.batch_repository import BatchRepository
from manyhands.service.database.engine import ServiceDatabase
from manyhands.service.database.event_repository import EventRepository
from tests.service.database.work import AT, request

ROOT = Path(__file__).parents[3]
KILLS = 3


def write_until_killed(url: str, first: int, lines: int) -> list[str]:
    """What a writer answered before it was killed, right after the given number of lines."""
    command = [sys.executable, "-m", "tests.service.database.writer", url, str(first)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(lines)]
        process.send_signal(signal.SIGKILL)
        said += process.stdout.readlines()
    # The last line may be cut off.
    return [line.strip() for line in said if line.endswith("\n")]


async def test_nothing_that_was_answered_is_lost(url: str) -> None:
    random = Random(37)
    said: list[str] = []
    for kill in range(KILLS):
        new = write_until_killed(url, kill * 1000, random.randint(10, 40))
        assert new[0] == "open"
        said += new[1:]
    database = await ServiceDatabase.open(url)
    batches, events = BatchRepository(database), EventRepository(database)
    for line in said:
        match line.split():
            case ["accepted", id, key]:
                again, is_new = await batches.accept(request("a", "b", "c"), "ann", key, AT)
                assert (again.id, is_new) == (id, False)
            case ["ended", id]:
                assert (await batches.task(id)).phase is TaskPhase.ENDED
            case ["cancelled", id]:
                assert (await batches.batch(id)).phase is BatchPhase.CANCELLED
    assert len([line for line in said if line.startswith("ended")]) > KILLS
    told = await read_all(events)
    stored = await read_batches(batches)
    assert stored
    with_results: list[str] = []
    for batch in stored:
        tasks = (await batches.tasks(TaskFilter(batch=batch.id))).items
        ended = [task for task in tasks if task.phase is TaskPhase.ENDED]
        with_results += [task.id for task in ended]
        assert batch.tasks == len(tasks) == 3
        assert batch.done + batch.failed + batch.cancelled == len(ended)
        assert batch.running == [task.phase for task in tasks].count(TaskPhase.RUNNING)
    ends = Counter(event.task for event in told if event.kind is EventKind.TASK_ENDED)
    ended_ids = {
        task.id for batch in stored for task in (await batches.tasks(TaskFilter(batch=batch.id))).items if task.ending
    }
    assert ends == Counter(dict.fromkeys(ended_ids, 1))
    accepted = Counter(event.batch for event in told if event.kind is EventKind.BATCH_ACCEPTED)
    assert accepted == Counter({batch.id: 1 for batch in stored})
    await database.close()


async def read_all(events: EventRepository) -> list[ServiceEvent]:
    found: list[ServiceEvent] = []
    while new := await events.since(found[-1].id if found else 0, 1000):
        found += new
    return found


async def read_batches(batches: BatchRepository) -> list[BatchStatus]:
    page = await batches.batches(limit=100)
    found = [*page.items]
    while page.next_cursor:
        page = await batches.batches(cursor=page.next_cursor, limit=100)
        found += page.items
    return found
