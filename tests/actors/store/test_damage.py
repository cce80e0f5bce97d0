"""Every cut and every flipped bit of a small journal, read and then gone on with.

What is whole stays, also where nobody can read it; what is damaged is named; what is cut off is kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import msgpack
import pytest

from manyhands.actors.store.folder import LockedFolder
from manyhands.actors.store.journals import Append, Journals, encode_records
from manyhands.protocol.journals.frames import Damage, frame
from manyhands.protocol.journals.journal import Scan, scan
from manyhands.protocol.journals.records import ActionSent, Resumed
from manyhands.protocol.runs.run_cipher import PLAIN
from manyhands.protocol.screens.actions import Home

EPISODE = "a"
RESUMED = Resumed(at=1, step=1, serial="p", epoch=2, cause="killed")


def sent(step: int) -> ActionSent:
    return ActionSent(at=1, step=step, key=f"a:{step}", action=Home())


def newer(seq: int) -> bytes:
    """A record of a kind that a newer minor version has."""
    head = {"version": "1.9", "id": "n", "kind": "teleported", "episode": EPISODE, "seq": seq, "epoch": 1}
    packed: bytes = msgpack.packb({**head, "sent_at": 1.0, "body": {"where": "home"}})
    return frame(packed)


PARTS = (
    *(encode_records(EPISODE, [sent(step)], step, 1).data for step in range(2)),
    newer(2),
    encode_records(EPISODE, [sent(3)], 3, 1).data,
)
WHOLE = b"".join(PARTS)
STARTS = tuple(sum(map(len, PARTS[:number])) for number in range(len(PARTS) + 1))
READABLE = (0, 1, 3)
"""Steps of the parts that this version can read."""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[LockedFolder]:
    """In memory where that can be: thousands of journals are synced."""
    shared = Path("/dev/shm")
    with TemporaryDirectory(dir=shared if shared.is_dir() else tmp_path) as made:
        locked = LockedFolder(Path(made))
        asyncio.run(locked.take(0.0))
        yield locked
        locked.release()


def gone_on_with(folder: LockedFolder, content: bytes) -> tuple[Scan, Scan, bytes, list[bytes]]:
    """Read a journal and append to it: what was read before and after, the file, and what was cut off."""
    journals = Journals(folder, PLAIN)
    path = journals.path(EPISODE)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    before = scan(content)
    size = journals.fence(EPISODE, 2)
    assert scan(path.read_bytes()[:size]).next_seq == before.next_seq
    append = Append(EPISODE, encode_records(EPISODE, [RESUMED], before.next_seq, 2))
    journals.commit([append])
    journals.close()
    assert append.error is None
    cut = sorted(other for other in path.parent.iterdir() if other != path)
    assert all(other.stat().st_mode & 0o777 == 0o600 for other in cut)
    kept = [other.read_bytes() for other in cut]
    for other in cut:
        other.unlink()
    after = path.read_bytes()
    return before, scan(after), after, kept


def steps(found: Scan) -> list[int]:
    return [record.step for record in found.records if isinstance(record, ActionSent)]


def names(found: Scan, place: int) -> bool:
    return any(part.start <= place < part.end for part in found.damage)


def test_every_cut_leaves_all_whole_records_and_keeps_the_rest_beside_the_journal(folder: LockedFolder) -> None:
    for cut in range(len(WHOLE) + 1):
        before, after, content, kept = gone_on_with(folder, WHOLE[:cut])
        whole = [step for step in range(len(PARTS)) if STARTS[step + 1] <= cut]
        clean_end = STARTS[len(whole)]
        assert steps(before) == steps(after) == [step for step in whole if step in READABLE]
        assert names(before, clean_end) == (cut > clean_end)
        assert b"".join(kept) == WHOLE[clean_end:cut]
        assert content.startswith(WHOLE[:clean_end])
        assert after.records[-1] == RESUMED
        # What nobody can read is still named, and no place is missing.
        assert [part.start for part in after.damage] == [STARTS[2]] * (len(whole) > 2)


def test_every_flipped_bit_costs_one_record_at_most_and_nothing_is_cut_off(folder: LockedFolder) -> None:
    for place in range(len(WHOLE)):
        for bit in range(8):
            data = bytearray(WHOLE)
            data[place] ^= 1 << bit
            hit = next(number for number in range(len(PARTS)) if place < STARTS[number + 1])
            before, after, content, kept = gone_on_with(folder, bytes(data))
            assert steps(before) == steps(after) == [step for step in READABLE if step != hit]
            assert names(before, place)
            assert names(after, place)
            assert {part_of(part) for part in after.damage} == {2, hit}
            assert (content[: len(data)], kept) == (bytes(data), [])
            assert after.records[-1] == RESUMED


def part_of(damage: Damage) -> int:
    return next(number for number in range(len(PARTS)) if damage.start < STARTS[number + 1])


def test_what_was_cut_off_before_at_the_same_place_stays(folder: LockedFolder) -> None:
    path = Journals(folder, PLAIN).path(EPISODE)
    path.parent.mkdir(parents=True)
    for tail in (b"one", b"two", b"three"):
        journals = Journals(folder, PLAIN)
        path.write_bytes(PARTS[0] + PARTS[1][:20] + tail)
        journals.fence(EPISODE, 1)
        journals.close()
    kept = {other.read_bytes() for other in path.parent.glob("journal.mh.cut-*")}
    assert kept == {PARTS[1][:20] + tail for tail in (b"one", b"two", b"three")}
