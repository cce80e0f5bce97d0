"""Where all batches of a fleet stand together."""

from __future__ import annotations

import pytest

from manyhands.deploy.fleet.progress import FleetProgress
from manyhands.protocol.errors import ActorLost
from manyhands.protocol.runs.progress import RunProgress, TasksDone


class Dispatching:
    """A batch, as its dispatcher tells of it, or does not."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.gone = False

    async def progress(self) -> RunProgress:
        if self.gone:
            raise ActorLost("the dispatcher is gone")
        return RunProgress(total=self.total, waiting=0, running=(), done=TasksDone(), latest=())


async def test_batches_count_while_they_run_and_afterwards_as_they_said_last() -> None:
    progress = FleetProgress()
    async with progress.with_those_of(Dispatching(2)):
        async with progress.with_those_of(Dispatching(3)):
            assert (await progress.now()).total == 5
        assert (await progress.now()).total == 5
    assert (await progress.now()).total == 5


async def test_a_batch_whose_dispatcher_goes_at_its_end_keeps_its_results(caplog: pytest.LogCaptureFixture) -> None:
    progress, last = FleetProgress(), Dispatching(2)
    async with progress.with_those_of(last):
        last.gone = True
    assert (await progress.now()).total == 0
    assert "the dispatcher is gone" in caplog.text
