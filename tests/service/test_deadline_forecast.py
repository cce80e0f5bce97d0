"""A batch that will miss its deadline is told so when it is accepted."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyhands.protocol.base import Ending
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.service.batches import BatchRequest, BatchStatus
from manyhands.protocol.service.fleet import PhonePhase, PhoneStatus
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.service.batch_forecast import find_warning
from manyhands.service.database.batches.batch_counts import Workload
from manyhands.service.database.batches.batch_repository import BatchRepository
from manyhands.service.database.engine import ServiceDatabase
from tests.service.database.work import begin, end

IDLE = Workload(own=10, running=0, before=0, beside=0, owners=0, task_s=30.0)
PHONES = [PhoneStatus(serial=f"p{number}", phase=PhonePhase.FREE, labels={"lab": "north"}) for number in range(2)]


def request(count: int, **given: object) -> BatchRequest:
    tasks = [TaskSpec(id=f"t{number}", goal="g") for number in range(count)]
    return BatchRequest.model_validate({"tasks": tasks, **given})


async def accepted(tmp_path: Path, **given: object) -> BatchStatus:
    database = await ServiceDatabase.open(str(tmp_path / "service.db"))
    batch, _ = await BatchRepository(database).accept(request(10, **given), "anna", None, 1000.0)
    await database.close()
    return batch


@pytest.mark.parametrize(
    ("workload", "left_s", "phones", "said"),
    [
        (IDLE, 151.0, PHONES, None),
        (IDLE, 149.0, PHONES, "it takes about 150 s and has 149 s: 10 tasks, 0 others before them, 2 phones"),
        (IDLE, 1.0, [], None),
        (Workload(10, 0, 0, 0, 0, None), 1.0, PHONES, None),
        (Workload(10, 2, 4, 0, 0, 30.0), 239.0, PHONES, "6 others before them"),
        (Workload(10, 0, 0, 1000, 1, 30.0), 301.0, PHONES, None),
        (Workload(10, 0, 0, 1000, 1, 30.0), 299.0, PHONES, "10 others before them"),
        (IDLE, 1000.0, [PHONES[0].model_copy(update={"phase": PhonePhase.ASIDE})], "no phone can be used now"),
        (IDLE, -1.0, PHONES, "the deadline has passed already"),
    ],
)
async def test_what_is_said(
    tmp_path: Path, workload: Workload, left_s: float, phones: list[PhoneStatus], said: str | None
) -> None:
    batch = await accepted(tmp_path, deadline=2000.0)
    warning = find_warning(batch, workload, phones, 2000.0 - left_s)
    assert warning is None if said is None else said in (warning or "")


async def test_only_chosen_phones_count(tmp_path: Path) -> None:
    batch = await accepted(tmp_path, deadline=2000.0, phones="lab=south")
    assert find_warning(batch, IDLE, PHONES, 1000.0) == "no phone that 'lab=south' chooses can be used now"


async def test_the_workload_is_counted(tmp_path: Path) -> None:
    database = await ServiceDatabase.open(str(tmp_path / "service.db"))
    batches = BatchRepository(database)
    first, _ = await batches.accept(request(3, priority=1), "ben", None, 0.0)
    await batches.accept(request(4), "ben", None, 0.0)
    mine, _ = await batches.accept(request(5), "anna", None, 0.0)
    await batches.accept(request(6, priority=-1), "carl", None, 0.0)
    await batches.mark_handed_over((await batches.not_handed_over(1))[0].id, "run")
    await begin(batches, f"{first.id}.t0", "e0", "p0", 10.0)
    await begin(batches, f"{first.id}.t1", "e1", "p0", 10.0)
    result = EpisodeResult(
        episode="e1",
        task=f"{first.id}.t1",
        serial="p0",
        attempt=1,
        ending=Ending.FINISHED,
        reason="",
        steps=1,
        verified=None,
        rubrics={},
        started_at=10.0,
        ended_at=34.0,
    )
    await end(batches, result)
    assert await batches.workload(mine) == Workload(own=5, running=1, before=1, beside=4, owners=1, task_s=24.0)
    await database.close()
