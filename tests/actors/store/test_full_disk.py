"""A disk that is full while an episode runs: a real one of 1 MB, which needs root."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from manyhands.actors.clock import RealClock
from manyhands.actors.episode.host import EpisodeHost, HostSettings
from manyhands.actors.store import RunStore, StoreSettings
from manyhands.deploy.fleet.run_files.run_folder import write_run_yaml
from manyhands.evaluation.summary import summarise
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import StoreFull
from manyhands.protocol.journals.journal import scan
from manyhands.protocol.journals.records import ActionReceived, ActionSent, ScreenCaptured
from manyhands.protocol.tasks.task import TaskSpec
from tests.actors.episode.world import World, order
from tests.evaluation.run_records import started, write_run

HELD_S = 2.0


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 1 MB."""
    if os.geteuid() != 0:
        pytest.skip("needs root, to mount a tmpfs of 1 MB as a disk that can be full")
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"needs the right to mount a tmpfs of 1 MB: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def fill(folder: Path) -> Path:
    """Leave no space on a disk; return the file that takes it."""
    ballast = folder / "ballast"
    with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
        while file.write(bytes(4096)):
            pass
    assert os.statvfs(folder).f_bavail == 0
    return ballast


async def test_an_episode_holds_while_the_disk_is_full_and_goes_on_as_if_nothing_had_been(disk: Path) -> None:
    world = World(clock=RealClock(), goal_screen="s9", latency=lambda method, count: 0.02)
    store = RunStore(StoreSettings(folder=disk))
    await store.start()
    host = EpisodeHost(HostSettings(), dataclasses.replace(world.collaborators(), store=store), world.clock)
    given = order()
    given = given.model_copy(update={"lease": given.lease.model_copy(update={"expires_at": world.clock.now() + 60})})
    running = asyncio.create_task(host.run_episode(given))
    while len(world.ledger) < 3:
        await asyncio.sleep(0.01)
    ballast = fill(disk)
    while not any("run folder" in episode.doing for episode in await host.progress()):
        await asyncio.sleep(0.01)
    held = len(world.ledger)
    await asyncio.sleep(HELD_S)
    assert len(world.ledger) == held < 9
    assert not running.done()
    ballast.unlink()
    result = await running
    await host.stop()
    await store.stop()
    assert (result.ending, result.steps) == (Ending.FINISHED, 9)
    found = scan((disk / "episodes" / given.episode / "journal.mh").read_bytes())
    assert found.damage == ()
    sent = [record.key for record in found.records if isinstance(record, ActionSent)]
    assert (
        sent == world.ledger == [record.receipt.key for record in found.records if isinstance(record, ActionReceived)]
    )
    captured = {record.screenshot.content_id for record in found.records if isinstance(record, ScreenCaptured)}
    assert {path.stem for path in (disk / "screens").iterdir()} == captured


def test_at_the_end_of_a_run_a_full_disk_costs_files_and_no_results(
    disk: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_run(disk, {"run_id": "r"}, {"e": [started("e", TaskSpec(id="a", goal="g"))]})
    before = summarise(disk)
    asked, written = (disk / "run.yaml").read_bytes(), (disk / "summary.json").read_bytes()
    fill(disk)
    with pytest.raises(StoreFull, match=r"run\.yaml: No space left"):
        write_run_yaml(disk, {"profile": "e" * 5000}, [])
    assert summarise(disk) == before
    assert "summary.json is not as new as the journals: No space left" in caplog.text
    assert ((disk / "run.yaml").read_bytes(), (disk / "summary.json").read_bytes()) == (asked, written)
    assert sorted(path.name for path in disk.iterdir()) == ["ballast", "episodes", "run.yaml", "summary.json"]
