"""The journal's codec: records one after another, each found again if its neighbour is damaged.

Each record is an envelope (``protocol.envelope``) as msgpack in a frame of its own (``protocol.frames``). A whole frame
need not be readable: it may hold a kind of record that only a newer version knows.

Records have their place in the journal, ``seq``, and the epoch of the lease under which they were written. Whoever does
not know whether records were written writes them again, with the same places; whoever goes on with an episode under a
newer lease goes on at a place of its choice. So a reader takes each place once, by the newest epoch that wrote it.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, get_args

from pydantic import BaseModel

from manyhands.protocol.envelope import Codec, Envelope
from manyhands.protocol.errors import WireError
from manyhands.protocol.frames import ByteFrame, Damage, frame, frame_at, walk
from manyhands.protocol.host_clock import HOST_CLOCK
from manyhands.protocol.records import Record

RECORD_TYPES: tuple[type[BaseModel], ...] = get_args(get_args(Record)[0])
CODEC: Codec[Any] = Codec({model.model_fields["kind"].default: model for model in RECORD_TYPES})


@dataclass(frozen=True, slots=True)
class Scan:
    """Hold all that could be read of a journal: each record once, in the order of their places."""

    envelopes: tuple[Envelope[Any], ...]
    damage: tuple[Damage, ...]
    """What could not be read, and places of which nothing is there."""
    next_seq: int
    """The place behind the last record that is there."""
    epoch: int
    """The newest under which something was written; 0 in journals of before they had any."""

    @property
    def records(self) -> tuple[Record, ...]:
        return tuple(envelope.body for envelope in self.envelopes)


class Newest(NamedTuple):
    """Hold what counts of a journal: of each place, what the newest epoch wrote there first."""

    by_seq: dict[int, int]
    """Index of the record, by its place, in the order of the places."""
    epoch: int

    @property
    def next_seq(self) -> int:
        return max(self.by_seq, default=-1) + 1


def encode(
    record: Record, episode: str, step: int | None = None, seq: int | None = None, epoch: int | None = None
) -> bytes:
    """Return one framed record. Raises WireError for what a journal cannot hold."""
    sealed = CODEC.seal(record, sent_at=HOST_CLOCK.now(), episode=episode, step=step, seq=seq, epoch=epoch)
    return frame(CODEC.pack(sealed))


def decode(data: bytes | memoryview, offset: int = 0) -> tuple[Envelope[Any], int]:
    """Return the record at ``offset`` and the offset behind it. Raises a WireError, never anything else."""
    view = memoryview(data)
    found = frame_at(view, offset)
    return CODEC.unpack(found.payload(view)), found.end


def written_last(data: bytes) -> float:
    """Return when the newest record was written (Unix seconds), whatever it is; 0 where none can be read."""
    view = memoryview(data)
    newest = 0.0
    for found in walk(data).frames:
        try:
            newest = max(newest, CODEC.head(found.payload(view)).sent_at or 0.0)
        except WireError:
            continue
    return newest


def newest_of(places: Iterable[tuple[int | None, int | None]]) -> Newest:
    """Return which records count, of those with these places and epochs, in the order in which they were written.

    A record without a place follows the one before it. What an older epoch wrote at the first place of a newer one or
    behind it nobody took up, and what it wrote later came too late: neither counts.
    """
    kept: dict[int, tuple[int, int]] = {}
    """Of each place, the epoch that wrote it and the record's index."""
    begun: list[tuple[int, int]] = []
    """Of each newer epoch, the index of its first record and the place of that."""
    newest, following, count = 0, 0, 0
    for index, (place, written) in enumerate(places):
        count = index + 1
        seq = following if place is None else place
        epoch = newest if written is None else written
        if epoch < newest:
            continue
        if epoch > newest:
            begun.append((index, seq))
            newest, following = epoch, seq
        if seq not in kept or kept[seq][0] < epoch:
            kept[seq] = (epoch, index)
        following = max(following, seq + 1)
    taken_up = _first_places(begun, count)
    return Newest({seq: kept[seq][1] for seq in sorted(kept) if seq < taken_up[kept[seq][1]]}, newest)


def _first_places(begun: Sequence[tuple[int, int]], count: int) -> Sequence[float]:
    """Return, for each of ``count`` records, the first place that a newer epoch took up behind it."""
    at = dict(begun)
    first: list[float] = [math.inf] * count
    least = math.inf
    for index in range(count - 1, -1, -1):
        first[index] = least
        least = min(least, at.get(index, math.inf))
    return first


def scan(data: bytes) -> Scan:
    """Read every record that counts, and name what is damaged or missing. Never raises."""
    walked = walk(data)
    read: list[tuple[ByteFrame, Envelope[Any] | None]] = []
    places: list[tuple[int | None, int | None]] = []
    damage = list(walked.damage)
    view = memoryview(data)
    for found in walked.frames:
        payload = found.payload(view)
        try:
            envelope = CODEC.unpack(payload)
        except WireError as error:
            damage.append(Damage(found.start, found.end, f"offset {found.start}: {error}"))
            try:
                head = CODEC.head(payload)
            except WireError:
                continue
            read.append((found, None))
            places.append((head.seq, head.epoch))
        else:
            read.append((found, envelope))
            places.append((envelope.seq, envelope.epoch))
    newest = newest_of(places)
    by_seq = {seq: read[index] for seq, index in newest.by_seq.items()}
    damage.extend(_gaps({seq: found for seq, (found, _) in by_seq.items()}, damage))
    envelopes = tuple(envelope for _, envelope in by_seq.values() if envelope is not None)
    return Scan(envelopes, tuple(sorted(damage, key=lambda part: part.start)), newest.next_seq, newest.epoch)


def _gaps(by_seq: dict[int, ByteFrame], damage: Sequence[Damage]) -> list[Damage]:
    """Name places of which nothing is there, unless damage lies where they would be."""
    gaps: list[Damage] = []
    expected, behind = 0, 0
    ordered = sorted(damage, key=lambda part: part.start)  # no two of them overlap
    starts = [part.start for part in ordered]
    for seq, found in by_seq.items():
        next_part = bisect_left(starts, behind)
        lost = next_part < len(ordered) and ordered[next_part].end <= found.start
        if seq > expected and not lost:
            which = f"record {expected} is" if seq == expected + 1 else f"records {expected} to {seq - 1} are"
            gaps.append(Damage(found.start, found.start, f"offset {found.start}: {which} missing"))
        expected, behind = seq + 1, found.end
    return gaps
