"""The journal's codec: records one after another, each found again if its neighbour is damaged.

A record's frame, little-endian::

    sync mark   4 bytes   f5 4d 48 0a
    length      u32       of the payload
    header sum  u32       CRC-32 of the eight bytes before
    payload     length    an envelope (``protocol.envelope``) as msgpack
    sum         u32       CRC-32 of the payload

A write that was cut off leaves a torn tail, which a reader reports and a writer truncates.
"""

from __future__ import annotations

import struct
import time
import zlib
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import BaseModel

from manyhands.protocol.envelope import Codec, Envelope
from manyhands.protocol.errors import JournalDamaged, WireError
from manyhands.protocol.records import Record

SYNC = b"\xf5MH\n"
MAX_RECORD = 64 * 1024 * 1024
_HEADER = struct.Struct("<4sII")
_SUM = struct.Struct("<I")

RECORD_TYPES: tuple[type[BaseModel], ...] = get_args(get_args(Record)[0])
CODEC: Codec[Any] = Codec({model.model_fields["kind"].default: model for model in RECORD_TYPES})


@dataclass(frozen=True, slots=True)
class Damage:
    """Mark bytes ``start`` to ``end`` of a journal that hold no record."""

    start: int
    end: int
    reason: str


@dataclass(frozen=True, slots=True)
class Scan:
    """Hold all that could be read of a journal. ``clean_end``: the offset behind the last whole record."""

    envelopes: tuple[Envelope[Any], ...]
    damage: tuple[Damage, ...]
    clean_end: int

    @property
    def records(self) -> tuple[Record, ...]:
        return tuple(envelope.body for envelope in self.envelopes)


def encode(record: Record, episode: str, step: int | None = None) -> bytes:
    """Return one framed record."""
    payload = CODEC.pack(CODEC.seal(record, sent_at=time.time(), episode=episode, step=step))
    if len(payload) > MAX_RECORD:
        raise JournalDamaged(f"a record of {len(payload)} bytes is over the limit of {MAX_RECORD}")
    head = SYNC + _SUM.pack(len(payload))
    return head + _SUM.pack(zlib.crc32(head)) + payload + _SUM.pack(zlib.crc32(payload))


def decode(data: bytes | memoryview, offset: int = 0) -> tuple[Envelope[Any], int]:
    """Return the record at ``offset`` and the offset behind it. Raises a WireError, never anything else."""
    view = memoryview(data)
    if len(view) - offset < _HEADER.size:
        raise JournalDamaged(f"offset {offset}: {len(view) - offset} bytes are too few for a header")
    mark, length, header_sum = _HEADER.unpack_from(view, offset)
    if mark != SYNC:
        raise JournalDamaged(f"offset {offset}: no sync mark")
    if header_sum != zlib.crc32(view[offset : offset + 8]) or length > MAX_RECORD:
        raise JournalDamaged(f"offset {offset}: damaged header")
    start = offset + _HEADER.size
    end = start + length + _SUM.size
    if end > len(view):
        raise JournalDamaged(f"offset {offset}: cut off {end - len(view)} bytes before its end")
    payload = bytes(view[start : start + length])
    if _SUM.unpack_from(view, start + length)[0] != zlib.crc32(payload):
        raise JournalDamaged(f"offset {offset}: wrong checksum")
    return CODEC.unpack(payload), end


def scan(data: bytes) -> Scan:
    """Read every whole record, skipping damage up to the next sync mark. Never raises."""
    envelopes: list[Envelope[Any]] = []
    damage: list[Damage] = []
    offset = clean_end = 0
    while offset < len(data):
        try:
            envelope, end = decode(data, offset)
        except WireError as error:
            following = data.find(SYNC, offset + 1)
            end = len(data) if following < 0 else following
            damage.append(Damage(offset, end, str(error)))
        else:
            envelopes.append(envelope)
            clean_end = end
        offset = end
    return Scan(tuple(envelopes), tuple(damage), clean_end)
