"""The run folder: what an append has written when it returns, and what damage leaves."""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from manyhands.actors.frames import Frame, content_id, decode_png
from manyhands.actors.store import RunStore, StoreSettings
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import StoreError
from manyhands.protocol.journal import Scan, encode, scan
from manyhands.protocol.records import Acted, EpisodeEnded, Record, Span

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


def journal(folder: Path, episode: str) -> Scan:
    return scan((folder / "episodes" / episode / "journal.mh").read_bytes())


def written(folder: Path, episode: str) -> tuple[Record, ...]:
    return journal(folder, episode).records


async def test_records_lie_on_disk_in_order_when_an_append_returns(store: RunStore, tmp_path: Path) -> None:
    await store.append("a", [acted(0), acted(1)])
    assert written(tmp_path, "a") == (acted(0), acted(1))
    await store.append("a", [ENDED])
    await store.append("a", [acted(2)])  # after an end the journal is opened anew
    assert written(tmp_path, "a") == (acted(0), acted(1), ENDED, acted(2))


async def test_appends_of_many_episodes_share_syncs_and_keep_their_order(
    store: RunStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await asyncio.gather(*(store.append(f"e{number}", [acted(0)]) for number in range(4)))
    real, syncs = os.fsync, []
    monkeypatch.setattr(os, "fsync", lambda file: (syncs.append(file), real(file)))
    await asyncio.gather(*(store.append(f"e{n % 4}", [acted(1 + n // 4)]) for n in range(80)))
    assert len(syncs) < 80
    for number in range(4):
        assert [record.step for record in written(tmp_path, f"e{number}")] == list(range(21))


async def test_a_cancelled_append_neither_breaks_the_journal_nor_others(store: RunStore, tmp_path: Path) -> None:
    tasks = [asyncio.create_task(store.append("a", [acted(n)])) for n in range(30)]
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
    await store.append("a", [acted(2)])
    await store.stop()
    assert written(tmp_path, "a") == (acted(0), acted(2))
    assert journal(tmp_path, "a").damage == ()


async def test_a_disk_that_fills_up_costs_the_records_not_the_journal(
    store: RunStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.append("a", [acted(0)])
    real = os.write

    def full(file: int, data: memoryview) -> int:
        monkeypatch.setattr(os, "write", refuse)
        return real(file, data[: len(data) // 2])

    def refuse(file: int, data: memoryview) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(StoreError, match="No space left"):
        await store.append("a", [acted(1)])
    monkeypatch.setattr(os, "write", real)
    await store.append("a", [acted(2)])
    assert written(tmp_path, "a") == (acted(0), acted(2))


@pytest.mark.parametrize("episode", ["", ".", "..", "../x", "a/b", "/etc", ".hidden", "a\n", "a" * 200])
async def test_an_episode_id_cannot_leave_the_folder(store: RunStore, tmp_path: Path, episode: str) -> None:
    with pytest.raises(StoreError, match="episode id"):
        await store.append(episode, [acted(0)])
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
