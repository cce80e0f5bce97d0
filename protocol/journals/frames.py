"""Find the frames of a journal: where each record begins and ends. No record is decoded.

A record's frame, little-endian::

    sync mark   4 bytes   f5 4d 48 0a
    length      u32       of the payload
    header sum  u32       CRC-32 of the eight bytes before
    payload     length
    sum         u32       CRC-32 of the payload

A write that was cut off leaves a torn tail. No UTF-8 text contains a sync mark, because f5 begins no character there.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import NamedTuple

from manyhands.protocol.errors import JournalDamaged

SYNC = b"\xf5MH\n"
MAX_RECORD = 64 * 1024 * 1024
MOST_DAMAGE = 20_000
"""After so many pieces of damage, the rest of a journal is not searched."""
MOST_SUMMED = 4
"""Limit the checksums of damaged frames: in sum they may cover this many times the journal's length."""
_HEADER = struct.Struct("<4sII")
HEADER_SIZE = _HEADER.size
_SUM = struct.Struct("<I")


class ByteFrame(NamedTuple):
    """Hold where a whole frame lies: it begins at ``start``, and the next one at ``end``."""

    start: int
    end: int

    def payload(self, view: memoryview) -> memoryview:
        """Return the payload without a copy."""
        return view[self.start + _HEADER.size : self.end - _SUM.size]


@dataclass(frozen=True, slots=True)
class Damage:
    """Name the bytes ``start`` to ``end`` of a journal that hold no record.

    If records are missing, there are no such bytes.
    """

    start: int
    end: int
    reason: str


@dataclass(frozen=True, slots=True)
class Walk:
    """Hold the frames of a journal, and what lies between them."""

    frames: tuple[ByteFrame, ...]
    damage: tuple[Damage, ...]
    torn_at: int | None
    """The place at which a cut-off frame begins, if no whole frame follows it; else None."""


class _CutOff(JournalDamaged):
    """Signal that a frame begins but its end is missing."""


class _WrongSum(JournalDamaged):
    """Signal that a frame's checksum is not that of its payload."""

    def __init__(self, text: str, length: int) -> None:
        """Store the payload's length in bytes."""
        super().__init__(text)
        self.length = length


def frame(payload: bytes) -> bytes:
    """Return a payload in a frame. Raises JournalDamaged for a payload over the limit."""
    if len(payload) > MAX_RECORD:
        raise JournalDamaged(f"a record of {len(payload)} bytes is over the limit of {MAX_RECORD}")
    head = SYNC + _SUM.pack(len(payload))
    return head + _SUM.pack(zlib.crc32(head)) + payload + _SUM.pack(zlib.crc32(payload))


def frame_at(view: memoryview, offset: int) -> ByteFrame:
    """Return the frame at ``offset``. Raises JournalDamaged where there is no whole frame."""
    remaining = len(view) - offset
    if remaining < _HEADER.size:
        reason = f"offset {offset}: {remaining} bytes are too few for a header"
        began = SYNC.startswith(view[offset : offset + len(SYNC)])
        raise _CutOff(reason) if began else JournalDamaged(reason)
    mark, length, header_sum = _HEADER.unpack_from(view, offset)
    if mark != SYNC:
        raise JournalDamaged(f"offset {offset}: no sync mark")
    if header_sum != zlib.crc32(view[offset : offset + 8]) or length > MAX_RECORD:
        raise JournalDamaged(f"offset {offset}: damaged header")
    start = offset + _HEADER.size
    end = start + length + _SUM.size
    if end > len(view):
        raise _CutOff(f"offset {offset}: cut off {end - len(view)} bytes before its end")
    if _SUM.unpack_from(view, start + length)[0] != zlib.crc32(view[start : start + length]):
        raise _WrongSum(f"offset {offset}: wrong checksum", length)
    return ByteFrame(offset, end)


def walk(data: bytes) -> Walk:
    """Find every whole frame, and skip damage up to the next sync mark. Never raises, and decodes nothing.

    A file of many sync marks without a record could make the search very long. In such a file the search stops, and
    reports the rest as one piece of damage.
    """
    frames: list[ByteFrame] = []
    damage: list[Damage] = []
    torn_at: int | None = None
    summed = 0
    """Bytes of frames with a wrong checksum. Each such frame may claim to hold all that follows it."""
    with memoryview(data) as view:
        offset = 0
        while offset < len(view):
            try:
                byte_frame = frame_at(view, offset)
            except JournalDamaged as error:
                if len(damage) >= MOST_DAMAGE or summed > MOST_SUMMED * len(view):
                    reason = f"offset {offset}: not searched for records, after {len(damage)} pieces of damage"
                    damage.append(Damage(offset, len(view), reason))
                    torn_at = None  # the rest may hold whole frames
                    break
                summed += error.length if isinstance(error, _WrongSum) else 0
                if torn_at is None and isinstance(error, _CutOff):
                    torn_at = offset
                following = data.find(SYNC, offset + 1)
                end = len(view) if following < 0 else following
                damage.append(Damage(offset, end, str(error)))
                offset = end
            else:
                frames.append(byte_frame)
                torn_at = None
                offset = byte_frame.end
    return Walk(tuple(frames), tuple(damage), torn_at)
