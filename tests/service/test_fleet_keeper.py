"""What a service says of its work while its fleet cannot be opened."""

from __future__ import annotations

import asyncio
from pathlib import Path

from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.protocol.service.batches import TaskPhase
from manyhands.service.database.batches.batch_repository import BatchRepository
from manyhands.service.database.engine import ServiceDatabase
from manyhands.service.database.event_repository import EventRepository
from manyhands.service.fleet_keeper import RUNS, FleetKeeper
from tests.service.database.work import AT, begin, request


async def test_nothing_runs_after_a_restart_until_the_fleet_is_open(tmp_path: Path) -> None:
    """The run folder of the service before cannot be read: the fleet is tried again and again."""
    database = await ServiceDatabase.open(f"sqlite:///{tmp_path / 'service.db'}")
    batches = BatchRepository(database)
    await batches.accept(request("a", "b"), "ann", None, AT)
    assert await begin(batches, "b1.a", "e1", "p1", AT + 1)
    run = tmp_path / RUNS / "000001_service"
    run.mkdir(parents=True)
    (run / "run.yaml").write_text("no run")
    keeper = FleetKeeper(tmp_path, FleetSettings(), batches, EventRepository(database))
    working = asyncio.create_task(keeper.run())
    try:
        async with asyncio.timeout(100):
            while "has failed" not in str((status := await keeper.status()).waiting_for):
                await asyncio.sleep(0.01)
    finally:
        working.cancel()
        await asyncio.wait([working])
    batch, task = await batches.batch("b1"), await batches.task("b1.a")
    await database.close()
    assert (status.waiting, status.running, status.is_ready) == (2, 0, False)
    assert (batch.waiting, batch.running, task.phase, task.episode) == (2, 0, TaskPhase.WAITING, "e1")
