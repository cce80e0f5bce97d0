"""The first record of a journal and its end: kept twice, compared with its folder, and never missed in silence."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from manyhands.actors.store import RunStore, StoreSettings
from manyhands.deploy.fleet.run_files.recorded_run import read_recorded
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol import PROTOCOL_VERSION
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import BadInput, StoreError
from manyhands.protocol.journals.frames import walk
from manyhands.protocol.journals.journal import encode
from manyhands.protocol.journals.journal_file import END, START, read_journal
from tests.actors.store.test_store import ENDED, acted, journal_path, started
from tests.evaluation.run_records import resumed


async def run_of(folder: Path, *episodes: str) -> Path:
    """A run folder with finished episodes."""
    (folder / "run.yaml").write_text(f"versions: {{protocol: '{PROTOCOL_VERSION}'}}\nbatches: []\ntasks: []\n")
    store = RunStore(StoreSettings(folder=folder))
    await store.start()
    for at, episode in enumerate(episodes):
        await store.append(episode, [started(episode, at)], 0, 1)
        await store.append(episode, [acted(0), ENDED], 1, 1)
    await store.stop()
    return folder


def flip(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(bytes(data))


@pytest.mark.parametrize("place", [0, 5, 13, 100])
async def test_a_finished_episode_stays_finished_though_its_first_record_is_damaged(tmp_path: Path, place: int) -> None:
    folder = await run_of(tmp_path, "a")
    flip(journal_path(folder, "a"), place)
    store = RunStore(StoreSettings(folder=folder))
    await store.start()
    (index,) = await store.index()
    assert (index.started, index.ended) == (started("a", 0), ENDED)
    assert (await store.read("a", 2)).records == (started("a", 0), acted(0), ENDED)
    await store.stop()
    found = RunFolder(folder).journals["a"]
    assert (found.records[0], len(found.damage)) == (started("a", 0), 1)


async def test_resume_refuses_a_journal_of_which_nothing_tells_the_task(tmp_path: Path) -> None:
    folder = await run_of(tmp_path, "a")
    flip(journal_path(folder, "a"), 100)
    (journal_path(folder, "a").with_name(START)).unlink()
    with pytest.raises(BadInput, match="its first record is damaged, and nothing tells which task it is of; move"):
        read_recorded(folder, {})


async def test_journals_that_were_swapped_are_named_and_not_gone_on_with(tmp_path: Path) -> None:
    folder = await run_of(tmp_path, "a", "b")
    first, second = journal_path(folder, "a"), journal_path(folder, "b")
    first.rename(folder / "kept")
    second.rename(first)
    (folder / "kept").rename(second)
    with pytest.raises(BadInput, match="is the journal of b, in the folder of a: move it back"):
        read_recorded(folder, {})
    found = RunFolder(folder).journals
    assert [scan.damage[0].reason for scan in found.values()] == [
        "the folder of b holds records of a",
        "the folder of a holds records of b",
    ]


async def test_a_fifo_in_place_of_a_journal_is_refused_at_once(tmp_path: Path) -> None:
    folder = await run_of(tmp_path, "a")
    path = journal_path(folder, "a")
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(StoreError, match="is no regular file: move it away"):
        read_journal(path)
    with pytest.raises(BadInput, match="is no regular file"):
        read_recorded(folder, {})
    store = RunStore(StoreSettings(folder=folder))
    await store.start()
    with pytest.raises(StoreError, match="is no regular file"):
        await store.append("a", [acted(0)], 0, 1)
    await store.stop()


ACTED_AND_ENDED = (started("a", 0), acted(0), ENDED)


def place_of_end(path: Path) -> int:
    """Return an offset within the payload of the journal's last record."""
    return walk(path.read_bytes()).frames[-1].start + 40


@pytest.mark.parametrize("harm", ["flip", "cut", "cut in its midst"])
async def test_a_finished_episode_stays_finished_though_its_end_is_damaged(tmp_path: Path, harm: str) -> None:
    folder = await run_of(tmp_path, "a")
    path = journal_path(folder, "a")
    place = place_of_end(path)
    if harm == "flip":
        flip(path, place)
    else:
        path.write_bytes(path.read_bytes()[: place - (40 if harm == "cut" else 0)])
    store = RunStore(StoreSettings(folder=folder))
    await store.start()
    (index,) = await store.index()
    assert index.ended == ENDED
    assert (await store.read("a", 2)).records == ACTED_AND_ENDED
    await store.stop()
    assert RunFolder(folder).journals["a"].records == ACTED_AND_ENDED


async def test_an_end_that_was_gone_on_from_is_none_though_a_copy_is_left(tmp_path: Path) -> None:
    folder = await run_of(tmp_path, "a")
    flip(journal_path(folder, "a"), place_of_end(journal_path(folder, "a")))
    store = RunStore(StoreSettings(folder=folder))
    await store.start()
    await store.append("a", [resumed(0, at=50)], 3, 2)
    (index,) = await store.index()
    assert index.ended is None
    await store.stop()
    assert [record.kind for record in RunFolder(folder).journals["a"].records][-1] == "resumed"


async def test_run_folders_without_a_copy_of_the_end_are_read(tmp_path: Path) -> None:
    folder = await run_of(tmp_path, "a")
    journal_path(folder, "a").with_name(END).unlink()
    found = RunFolder(folder).journals["a"]
    assert (found.records, found.damage) == (ACTED_AND_ENDED, ())


async def test_two_ends_that_disagree_are_named_and_not_gone_on_with(tmp_path: Path) -> None:
    folder = await run_of(tmp_path, "a")
    path = journal_path(folder, "a")
    other = ENDED.model_copy(update={"ending": Ending.STEP_LIMIT})
    path.with_name(END).write_bytes(encode(other, "a", None, 2, 1))
    with pytest.raises(BadInput, match=r"says that its episode ended as finished, and end.mh beside it step_limit"):
        read_recorded(folder, {})
    found = RunFolder(folder).journals["a"]
    assert found.records == ACTED_AND_ENDED
    assert "ended as finished, and end.mh beside it step_limit" in found.damage[0].reason
