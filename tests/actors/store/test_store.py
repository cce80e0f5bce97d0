"""The run folder: what an append has written when it returns, and what damage leaves."""

from __future__ import annotations

import asyncio
import errno
import os
import stat
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from manyhands.actors.frames import Frame, content_id, decode_jpeg, decode_png, encode_png
from manyhands.actors.store import RunStore, StoreSettings
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import StaleEpoch, StoreError, StoreFull
from manyhands.protocol.journals.journal import Scan, encode, scan
from manyhands.protocol.journals.records import Acted, ActionSent, EpisodeEnded, EpisodeStarted, Record, Resumed, Span
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.screens.actions import Home
from manyhands.protocol.tasks.task import TaskSpec

RGB = np.arange(40 * 30 * 3, dtype=np.uint32).astype(np.uint8).reshape(40, 30, 3)


def acted(step: int) -> Acted:
    return Acted(step=step, span=Span(start=1, end=2))


ENDED = EpisodeEnded(at=1, ending=Ending.FINISHED, reason="", steps=1, verified=None, rubrics={})


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[RunStore]:
    store = RunStore(StoreSettings(folder=tmp_path))
    await store.start()
    yield store
    await store.stop()


def journal_path(folder: Path, episode: str) -> Path:
    return folder / "episodes" / episode / "journal.mh"


def journal(folder: Path, episode: str) -> Scan:
    return scan(journal_path(folder, episode).read_bytes())


def written(folder: Path, episode: str) -> tuple[Record, ...]:
    return journal(folder, episode).records


async def test_records_lie_on_disk_in_order_when_an_append_returns(store: RunStore, tmp_path: Path) -> None:
    await store.append("a", [acted(0), acted(1)], 0, 1)
    assert written(tmp_path, "a") == (acted(0), acted(1))
    await store.append("a", [ENDED], 2, 1)
    await store.append("a", [acted(2)], 3, 1)  # after an end the journal is opened anew
    assert written(tmp_path, "a") == (acted(0), acted(1), ENDED, acted(2))


async def test_appends_of_many_episodes_share_syncs_and_keep_their_order(
    store: RunStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await asyncio.gather(*(store.append(f"e{number}", [acted(0)], 0, 1) for number in range(4)))
    real, syncs = os.fsync, []
    monkeypatch.setattr(os, "fsync", lambda file: (syncs.append(file), real(file)))
    await asyncio.gather(*(store.append(f"e{n % 4}", [acted(1 + n // 4)], 1 + n // 4, 1) for n in range(80)))
    assert len(syncs) < 80
    for number in range(4):
        assert [record.step for record in written(tmp_path, f"e{number}")] == list(range(21))


async def test_a_cancelled_append_neither_breaks_the_journal_nor_others(store: RunStore, tmp_path: Path) -> None:
    tasks = [asyncio.create_task(store.append("a", [acted(n)], n, 1)) for n in range(30)]
    await asyncio.sleep(0)
    for task in tasks[::3]:
        task.cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(result is None for n, result in enumerate(results) if n % 3)
    steps = [record.step for record in written(tmp_path, "a")]
    assert steps == sorted(steps)
    assert {n for n in range(30) if n % 3} <= set(steps)
    assert journal(tmp_path, "a").damage == ()


@given(cut=st.integers(min_value=1, max_value=60))
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_a_torn_tail_is_cut_off_before_the_next_append(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "episodes" / "a" / "journal.mh"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encode(acted(0), "a") + encode(acted(1), "a")[:-cut])
    store = RunStore(StoreSettings(folder=tmp_path))
    await store.start()
    await store.append("a", [acted(2)], 1, 1)
    await store.stop()
    assert written(tmp_path, "a") == (acted(0), acted(2))
    assert journal(tmp_path, "a").damage == ()


async def test_a_disk_that_fills_up_costs_the_records_not_the_journal(
    store: RunStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.append("a", [acted(0)], 0, 1)
    real = os.write

    def full(file: int, data: memoryview) -> int:
        monkeypatch.setattr(os, "write", refuse)
        return real(file, data[: len(data) // 2])

    def refuse(file: int, data: memoryview) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(StoreFull, match="No space left"):
        await store.append("a", [acted(1)], 1, 1)
    monkeypatch.setattr(os, "write", real)
    await store.append("a", [acted(2)], 1, 1)
    assert written(tmp_path, "a") == (acted(0), acted(2))


async def test_appends_whose_commit_fails_by_a_defect_do_not_count_as_written(
    store: RunStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(file: int) -> None:
        raise LookupError("a defect")

    monkeypatch.setattr(os, "fsync", broken)
    results = await asyncio.gather(*(store.append(f"e{n}", [acted(0)], 0, 1) for n in range(3)), return_exceptions=True)
    assert all(isinstance(result, LookupError | StoreError) for result in results)


async def test_a_full_disk_is_told_apart_and_leaves_nothing_half_written(
    store: RunStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.append("a", [acted(0)], 0, 1)
    before = journal_path(tmp_path, "a").read_bytes()

    def refuse(file: int) -> None:
        raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))

    monkeypatch.setattr(os, "fsync", refuse)  # a disk that fills up while what was written is brought to it
    with pytest.raises(StoreFull, match="quota"):
        await store.append("a", [acted(1)], 1, 1)
    monkeypatch.undo()
    assert journal_path(tmp_path, "a").read_bytes() == before
    assert sorted(path.name for path in journal_path(tmp_path, "a").parent.iterdir()) == ["journal.mh"]


# ---------------------------------------------------------------------------- going on
async def test_an_older_epoch_is_refused_once_a_newer_one_has_read_or_written(store: RunStore, tmp_path: Path) -> None:
    await store.append("a", [acted(0)], 0, 3)
    found = await store.read("a", 4)
    assert (found.records, found.next_seq, found.epoch) == ((acted(0),), 1, 3)
    with pytest.raises(StaleEpoch, match="epoch 4"):
        await store.append("a", [acted(9)], 1, 3)
    with pytest.raises(StaleEpoch):
        await store.read("a", 3)
    old, new = (asyncio.create_task(store.append("a", [acted(step)], 1, epoch)) for step, epoch in ((8, 3), (1, 4)))
    await asyncio.wait({old, new})
    assert isinstance(old.exception(), StaleEpoch)
    assert (written(tmp_path, "a"), new.exception()) == ((acted(0), acted(1)), None)


async def test_a_store_that_was_started_again_refuses_older_epochs_than_the_journal_has(tmp_path: Path) -> None:
    for epoch, refused in ((5, 4), (6, 5)):
        store = RunStore(StoreSettings(folder=tmp_path))
        await store.start()
        await store.append("a", [acted(epoch)], epoch - 5, epoch)
        await store.stop()
        store = RunStore(StoreSettings(folder=tmp_path))
        await store.start()
        with pytest.raises(StaleEpoch):
            await store.append("a", [acted(9)], 1, refused)
        await store.stop()
    assert written(tmp_path, "a") == (acted(5), acted(6))


async def test_an_append_that_is_made_again_after_a_restart_counts_once(tmp_path: Path) -> None:
    for _ in range(3):
        store = RunStore(StoreSettings(folder=tmp_path))
        await store.start()
        await store.append("a", [acted(0), acted(1)], 0, 1)
        await store.stop()
    assert written(tmp_path, "a") == (acted(0), acted(1))
    assert journal(tmp_path, "a").damage == ()


def started(episode: str, at: float, epoch: int = 1) -> EpisodeStarted:
    return EpisodeStarted(
        at=at,
        run="r",
        episode=episode,
        attempt=1,
        task=TaskSpec(id="t", goal="g"),
        serial="p",
        epoch=epoch,
        profile="e",
        schedule="serial",
        memory=LongTermMemory(),
    )


SENT = ActionSent(at=1, step=0, key="k", action=Home())


async def test_journals_have_one_writer_at_a_time(tmp_path: Path) -> None:
    before = RunStore(StoreSettings(folder=tmp_path))
    await before.start()
    with pytest.raises(StoreError, match="another process writes its journals"):
        await RunStore(StoreSettings(folder=tmp_path, other_s=0)).start()
    after = RunStore(StoreSettings(folder=tmp_path))
    async with asyncio.TaskGroup() as group:
        starting = group.create_task(after.start())
        await asyncio.sleep(0.1)
        assert not starting.done()
        await before.stop()
    await after.append("a", [acted(0)], 0, 1)
    await after.stop()


async def test_the_index_tells_where_each_episode_stands(store: RunStore, tmp_path: Path) -> None:
    def resumed(epoch: int) -> Resumed:
        return Resumed(at=3, step=0, serial="p", epoch=epoch, cause="killed", run_cut_off=epoch == 3)

    await store.append("late", [started("late", 9)], 0, 1)
    await store.append("done", [started("done", 1), SENT, acted(0), ENDED], 0, 2)
    await store.append("on", [started("on", 2), SENT, acted(0), ENDED], 0, 1)
    for epoch in (2, 3, 4):
        await store.append("on", [resumed(epoch)], (await store.read("on", epoch)).next_seq, epoch)
    journal_path(tmp_path, "no start").parent.mkdir()
    journal_path(tmp_path, "no start").write_bytes(encode(acted(0), "no start")[:-3])
    found = await store.index()
    assert [(one.started.episode, one.epoch) for one in found] == [
        ("done", 2),
        ("on", 4),
        ("late", 1),
    ]
    assert [(one.ended, one.in_vain) for one in found] == [(ENDED, 0), (None, 2), (None, 0)]
    await store.append("on", [acted(1)], 7, 4)
    assert [one.in_vain for one in await store.index()] == [0, 0, 0]


async def test_a_journal_that_has_not_changed_is_not_read_again_for_the_index(store: RunStore, tmp_path: Path) -> None:
    await store.append("a", [started("a", 1), acted(0)], 0, 1)
    (before,) = await store.index()
    path = journal_path(tmp_path, "a")
    was = path.stat()
    path.write_bytes(bytes(was.st_size))
    os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert await store.index() == (before,)
    os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns + 1))
    assert [(before.steps, one.steps) for one in await store.index()] == [(1, 0)]


async def test_a_screen_is_read_as_it_was_written(store: RunStore) -> None:
    name = content_id(RGB)
    assert await store.screen(name) is None
    await store.put_screens([name], Frame("rgb", RGB))
    png = await store.screen(name)
    assert png is not None
    assert np.array_equal(decode_png(png), RGB)
    with pytest.raises(StoreError, match="content id"):
        await store.screen("../run.yaml")


@pytest.mark.parametrize("episode", ["", ".", "..", "../x", "a/b", "/etc", ".hidden", "a\n", "a" * 200])
async def test_an_episode_id_cannot_leave_the_folder(store: RunStore, tmp_path: Path, episode: str) -> None:
    with pytest.raises(StoreError, match="episode id"):
        await store.append(episode, [acted(0)], 0, 1)
    assert list((tmp_path / "episodes").iterdir()) == []


@pytest.mark.parametrize("name", ["", "x", "../" + "a" * 29, "A" * 32, "a" * 33])
async def test_a_content_id_cannot_leave_the_folder(store: RunStore, tmp_path: Path, name: str) -> None:
    with pytest.raises(StoreError, match="content id"):
        await store.put_screens([name], Frame("rgb", RGB))
    assert list((tmp_path / "screens").iterdir()) == []


async def test_a_screen_is_written_once_and_whole(store: RunStore, tmp_path: Path) -> None:
    name = content_id(RGB)
    await asyncio.gather(*(store.put_screens([name], Frame("rgb", RGB)) for _ in range(8)))
    [path] = (tmp_path / "screens").iterdir()
    assert path.name == f"{name}.png"
    assert np.array_equal(decode_png(path.read_bytes()), RGB)
    before = path.stat()
    await store.put_screens([name], Frame("png", b"other bytes"))
    assert path.stat().st_mtime_ns == before.st_mtime_ns


async def test_a_screen_has_a_small_picture_that_others_cannot_read(store: RunStore, tmp_path: Path) -> None:
    rgb = np.zeros((2400, 1080, 3), np.uint8)
    rgb[:1200] = (200, 40, 40)
    name = content_id(rgb)
    await store.put_screens([name], Frame("png", encode_png(rgb)))
    [path] = (tmp_path / "thumbnails").iterdir()
    assert path.name == f"{name}.jpg"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    small = decode_jpeg(path.read_bytes())
    assert small.shape == (400, 180, 3)
    assert np.abs(small[50, 90].astype(int) - (200, 40, 40)).max() < 8
    assert path.stat().st_size < 4000


async def test_a_narrow_screen_is_not_enlarged(store: RunStore, tmp_path: Path) -> None:
    rgb = np.zeros((100, 90, 3), np.uint8)
    await store.put_screens([content_id(rgb)], Frame("rgb", rgb))
    [path] = (tmp_path / "thumbnails").iterdir()
    assert decode_jpeg(path.read_bytes()).shape == (100, 90, 3)


async def test_a_folder_that_cannot_be_written_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="file"):
        await RunStore(StoreSettings(folder=tmp_path / "file")).start()


async def test_a_screen_that_cannot_be_written_is_a_store_error(store: RunStore, tmp_path: Path) -> None:
    (tmp_path / "screens").rmdir()
    with pytest.raises(StoreError, match="screens"):
        await store.put_screens(["a" * 32], Frame("rgb", RGB))


async def test_of_several_screens_those_that_can_be_written_are(store: RunStore, tmp_path: Path) -> None:
    damaged, whole = "a" * 32, content_id(RGB)
    with pytest.raises(StoreError, match="aaaa"):
        await store.put_screens([damaged, whole], Frame("rgb", np.zeros((0, 0, 3), np.uint8)), Frame("rgb", RGB))
    assert np.array_equal(decode_png((tmp_path / "screens" / f"{whole}.png").read_bytes()), RGB)
