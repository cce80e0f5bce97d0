"""A run folder that cannot be used for a while, or is moved, while an episode runs: it is waited for, and named."""

from __future__ import annotations

import asyncio
import dataclasses
import errno
import os
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from manyhands.actors.clock import RealClock
from manyhands.actors.episode.host import EpisodeHost, HostSettings
from manyhands.actors.frames import Frame, content_id
from manyhands.actors.store import RunStore, StoreSettings
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import StoreError
from manyhands.protocol.journals.journal import scan
from manyhands.protocol.journals.records import ActionSent
from manyhands.protocol.runs.folder_identity import identity_of
from manyhands.protocol.runs.results import EpisodeOrder, EpisodeResult
from tests.actors.episode.world import World, order
from tests.actors.store.test_store import ENDED, acted, started, written

RGB = np.zeros((4, 4, 3), np.uint8)


@dataclass
class Running:
    """An episode of nine steps that has acted three times."""

    folder: Path
    world: World
    store: RunStore
    host: EpisodeHost
    given: EpisodeOrder
    result: asyncio.Task[EpisodeResult]

    async def held(self) -> None:
        """Wait until the episode waits for the run folder."""
        while not any("run folder" in episode.doing for episode in await self.host.progress()):
            assert not self.result.done(), self.result.result()
            await asyncio.sleep(0.01)

    async def check_finished(self, folder: Path) -> None:
        result = await self.result
        assert (result.ending, result.steps) == (Ending.FINISHED, 9)
        found = scan((folder / "episodes" / self.given.episode / "journal.mh").read_bytes())
        assert found.damage == ()
        assert [record.key for record in found.records if isinstance(record, ActionSent)] == self.world.ledger


@asynccontextmanager
async def running(folder: Path, **settings: Any) -> AsyncIterator[Running]:
    world = World(clock=RealClock(), goal_screen="s9", latency=lambda method, count: 0.02)
    store = RunStore(StoreSettings(folder=folder))
    await store.start()
    host = EpisodeHost(HostSettings(), dataclasses.replace(world.collaborators(), store=store), world.clock)
    given = order(**settings)
    given = given.model_copy(update={"lease": given.lease.model_copy(update={"expires_at": world.clock.now() + 60})})
    result = asyncio.create_task(host.run_episode(given))
    while len(world.ledger) < 3:
        await asyncio.sleep(0.01)
    try:
        yield Running(folder, world, store, host, given, result)
    finally:
        result.cancel()
        await asyncio.gather(result, return_exceptions=True)
        await host.stop()
        await store.stop()


def refuse(code: int) -> Callable[..., int]:
    def refused(*_: object) -> int:
        raise OSError(code, os.strerror(code))

    return refused


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "runs" / "a"
    made.mkdir(parents=True)
    return made


@pytest.mark.parametrize("code", [errno.EROFS, errno.EIO, errno.EACCES, errno.ESTALE])
async def test_whatever_keeps_the_run_folder_from_being_written_is_waited_for(
    code: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(folder) as episode:
        monkeypatch.setattr(os, "write", refuse(code))
        monkeypatch.setattr(os, "ftruncate", refuse(code))
        await episode.held()
        assert not episode.result.done()
        monkeypatch.undo()
        await episode.check_finished(folder)


async def test_a_run_folder_that_stays_away_is_to_blame_and_not_the_task(folder: Path) -> None:
    async with running(folder, disk_wait_s=0.5) as episode:
        away = folder.rename(folder.with_name("b"))
        result = await episode.result
        assert result.ending is Ending.HOST_LOST
        assert f"run folder {folder} is now {away}" in result.reason


async def test_a_run_folder_that_is_moved_is_waited_for_and_nothing_is_made_in_its_place(folder: Path) -> None:
    async with running(folder) as episode:
        away = folder.rename(folder.with_name("b"))
        before = written(away, episode.given.episode)
        await episode.held()
        assert not folder.exists()
        with pytest.raises(StoreError, match=f"run folder {folder} is now {away}: move it back, or stop the run and"):
            await episode.store.append("new", [acted(0)], 0, 1)
        with pytest.raises(StoreError, match="is now"):
            await episode.store.put_screens([content_id(RGB)], Frame("rgb", RGB))
        with pytest.raises(StoreError, match="is now"):
            await episode.store.index()
        with pytest.raises(StoreError, match="is now"):
            await episode.store.screen("a" * 32)
        assert (folder.exists(), written(away, episode.given.episode)) == (False, before)
        away.rename(folder)
        await episode.check_finished(folder)


async def test_a_folder_in_its_place_is_named_and_left_alone(folder: Path) -> None:
    async with running(folder) as episode:
        away = folder.rename(folder.with_name("b"))
        shutil.copytree(away, folder)
        there = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
        await episode.held()
        with pytest.raises(StoreError, match=f"run folder {folder}: another folder stands in its place, it is now"):
            await episode.store.append("new", [acted(0)], 0, 1)
        assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == there
        shutil.rmtree(folder)
        away.rename(folder)
        await episode.check_finished(folder)


async def test_a_folder_that_was_deleted_is_named(folder: Path) -> None:
    store = RunStore(StoreSettings(folder=folder))
    await store.start()
    await store.append("a", [acted(0)], 0, 1)
    shutil.rmtree(folder)
    with pytest.raises(StoreError, match=f"run folder {folder} is gone: it was deleted while its run goes on"):
        await store.append("a", [acted(1)], 1, 1)
    assert not folder.exists()
    await store.stop()


async def test_a_store_that_is_started_again_makes_no_folder_anew(folder: Path) -> None:
    store = RunStore(StoreSettings(folder=folder))
    await store.start()
    await store.append("a", [started("a", 1), ENDED], 0, 1)
    await store.stop()
    again = StoreSettings(folder=folder, identity=identity_of(folder))
    away = folder.rename(folder.with_name("b"))
    with pytest.raises(StoreError, match=f"run folder {folder} is gone: it was moved or deleted"):
        await RunStore(again).start()
    assert not folder.exists()
    folder.mkdir()
    with pytest.raises(StoreError, match=f"run folder {folder}: another folder stands in its place"):
        await RunStore(again).start()
    assert list(folder.iterdir()) == []
    folder.rmdir()
    away.rename(folder)
    back = RunStore(again)
    await back.start()
    assert [entry.ended for entry in await back.index()] == [ENDED]
    await back.stop()


async def test_a_reader_of_a_newer_epoch_keeps_older_ones_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = RunStore(StoreSettings(folder=folder))
    await store.start()
    await store.append("a", [acted(0)], 0, 1)
    await store.read("a", 5)
    for name in ("write", "ftruncate"):
        monkeypatch.setattr(os, name, refuse(errno.EROFS))
    with pytest.raises(StoreError, match="Read-only"):
        await store.append("a", [acted(1)], 1, 5)
    monkeypatch.undo()
    with pytest.raises(StoreError, match="epoch 5"):
        await store.append("a", [acted(9)], 1, 1)
    await store.stop()
