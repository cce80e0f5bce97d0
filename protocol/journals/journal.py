"""Encode and decode journals: a series of records. A damaged record does not hide its neighbours.

Each record is an envelope (``protocol.journals.envelope``) as msgpack in its own frame (``protocol.journals.frames``).
A whole frame may still be unreadable, for example if only a newer version knows its kind of record.

Each record has its place in the journal, ``seq``, and the epoch of the lease under which it was written. A writer that
does not know whether its records were written writes them again with the same places. A writer that continues an
episode under a newer lease chooses the place at which it continues. So a reader takes each place once, from the newest
epoch that wrote it.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, get_args

from pydantic import BaseModel

from manyhands.protocol.errors import WireError
from manyhands.protocol.journals.envelope import Codec, Envelope
from manyhands.protocol.journals.frames import ByteFrame, Damage, frame, frame_at, walk
from manyhands.protocol.journals.records import Record
from manyhands.protocol.utilities.host_clock import HOST_CLOCK

RECORD_TYPES: tuple[type[BaseModel], ...] = get_args(get_args(Record)[0])
CODEC: Codec[Any] = Codec({model.model_fields["kind"].default: model for model in RECORD_TYPES})


@dataclass(frozen=True, slots=True)
class Scan:
    """Hold all that could be read of a journal: each record once, in the order of places."""

    envelopes: tuple[Envelope[Any], ...]
    damage: tuple[Damage, ...]
    """The parts that could not be read, and the places without a record."""
    next_seq: int
    """The place after the last record."""
    epoch: int
    """The newest epoch that wrote something; 0 if no record has an epoch."""

    @property
    def records(self) -> tuple[Record, ...]:
        return tuple(envelope.body for envelope in self.envelopes)


class Newest(NamedTuple):
    """Hold which records count: for each place, the first record of the newest epoch that wrote there."""

    by_seq: dict[int, int]
    """The record's index by its place, in the order of places."""
    epoch: int

    @property
    def next_seq(self) -> int:
        return max(self.by_seq, default=-1) + 1


def encode(
    record: Record, episode: str, step: int | None = None, seq: int | None = None, epoch: int | None = None
) -> bytes:
    """Return one framed record. Raises WireError for a record that a journal cannot hold."""
    sealed = CODEC.seal(record, sent_at=HOST_CLOCK.now(), episode=episode, step=step, seq=seq, epoch=epoch)
    return frame(CODEC.pack(sealed))


def decode(data: bytes | memoryview, offset: int = 0) -> tuple[Envelope[Any], int]:
    """Return the record at ``offset`` and the offset after it. Raises a WireError, and nothing else."""
    view = memoryview(data)
    byte_frame = frame_at(view, offset)
    return CODEC.unpack(byte_frame.payload(view)), byte_frame.end


def written_last(data: bytes) -> float:
    """Return when the newest record of any kind was written, in Unix seconds; 0 if none can be read."""
    view = memoryview(data)
    newest = 0.0
    for byte_frame in walk(data).frames:
        try:
            newest = max(newest, CODEC.head(byte_frame.payload(view)).sent_at or 0.0)
        except WireError:
            continue
    return newest


def newest_of(places: Iterable[tuple[int | None, int | None]]) -> Newest:
    """Return which records count. ``places`` holds each record's place and epoch, in the order of writing.

    A record without a place follows the one before it. A newer epoch begins at some place. Records that an older epoch
    wrote at or after that place do not count. Those already written were not taken over by the newer epoch, and later
    ones came too late.
    """
    newest_by_seq: dict[int, tuple[int, int]] = {}
    """For each place, the epoch that wrote it and the record's index."""
    epoch_starts: list[tuple[int, int]] = []
    """For each newer epoch, the index of its first record and the place of that record."""
    newest, following, count = 0, 0, 0
    for index, (place, own_epoch) in enumerate(places):
        count = index + 1
        seq = following if place is None else place
        epoch = newest if own_epoch is None else own_epoch
        if epoch < newest:
            continue
        if epoch > newest:
            epoch_starts.append((index, seq))
            newest, following = epoch, seq
        if seq not in newest_by_seq or newest_by_seq[seq][0] < epoch:
            newest_by_seq[seq] = (epoch, index)
        following = max(following, seq + 1)
    taken_up = _first_places(epoch_starts, count)
    return Newest(
        {seq: newest_by_seq[seq][1] for seq in sorted(newest_by_seq) if seq < taken_up[newest_by_seq[seq][1]]}, newest
    )


def _first_places(epoch_starts: Sequence[tuple[int, int]], count: int) -> Sequence[float]:
    """Return, for each of ``count`` records, the lowest place at which a newer epoch began after it; inf if none."""
    at = dict(epoch_starts)
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
    for byte_frame in walked.frames:
        payload = byte_frame.payload(view)
        try:
            envelope = CODEC.unpack(payload)
        except WireError as error:
            damage.append(Damage(byte_frame.start, byte_frame.end, f"offset {byte_frame.start}: {error}"))
            try:
                head = CODEC.head(payload)
            except WireError:
                continue
            read.append((byte_frame, None))
            places.append((head.seq, head.epoch))
        else:
            read.append((byte_frame, envelope))
            places.append((envelope.seq, envelope.epoch))
    newest = newest_of(places)
    by_seq = {seq: read[index] for seq, index in newest.by_seq.items()}
    damage.extend(_gaps({seq: byte_frame for seq, (byte_frame, _) in by_seq.items()}, damage))
    envelopes = tuple(envelope for _, envelope in by_seq.values() if envelope is not None)
    return Scan(envelopes, tuple(sorted(damage, key=lambda part: part.start)), newest.next_seq, newest.epoch)


def _gaps(by_seq: dict[int, ByteFrame], damage: Sequence[Damage]) -> list[Damage]:
    """Return the places without a record as damage, unless other damage lies where they would be."""
    gaps: list[Damage] = []
    expected, behind = 0, 0
    ordered = sorted(damage, key=lambda part: part.start)  # no two of these parts overlap
    starts = [part.start for part in ordered]
    for seq, byte_frame in by_seq.items():
        next_part = bisect_left(starts, behind)
        is_lost = next_part < len(ordered) and ordered[next_part].end <= byte_frame.start
        if seq > expected and not is_lost:
            which = f"record {expected} is" if seq == expected + 1 else f"records {expected} to {seq - 1} are"
            gaps.append(Damage(byte_frame.start, byte_frame.start, f"offset {byte_frame.start}: {which} missing"))
        expected, behind = seq + 1, byte_frame.end
    return gaps
