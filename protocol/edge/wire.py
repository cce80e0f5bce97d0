"""The bytes of a message: an envelope in a frame with a checksum, and behind it, in another, the bytes it carries.

A broker passes on what it is given, and in msgpack a flipped bit often makes another valid message: a tap elsewhere.
With the frame's CRC-32 it makes none.
"""

from __future__ import annotations

import math
import uuid
from typing import NamedTuple

from manyhands.protocol.base import Message
from manyhands.protocol.edge.messages import REPLIES, REQUESTS, TOLD
from manyhands.protocol.envelope import Codec, Envelope
from manyhands.protocol.errors import WireError
from manyhands.protocol.frames import frame, frame_at

EDGE: Codec[Message] = Codec({model.__name__: model for model in (*REQUESTS, *REPLIES, *TOLD)})


class Packet(NamedTuple):
    """Hold a message as it was read."""

    envelope: Envelope[Message]
    data: bytes = b""
    """What it carries: the bytes of a chunk."""


class Packed(NamedTuple):
    """Hold a message as it is sent, once or again."""

    id: str
    """That of its envelope, which a reply names."""
    data: bytes


def pack(body: Message, sent_at: float, data: bytes = b"") -> Packed:
    """Return a message as it is sent. Raises WireError for what JSON cannot say."""
    envelope = EDGE.seal(body, sent_at, id=uuid.uuid4().hex)
    packed = frame(EDGE.pack(envelope))
    return Packed(envelope.id, packed + frame(data) if data else packed)


def unpack(packed: bytes) -> Packet:
    """Return the message that all these bytes are. Raises WireError, never anything else."""
    view = memoryview(packed)
    head = frame_at(view, 0)
    envelope = EDGE.unpack(head.payload(view))
    if not math.isfinite(envelope.sent_at):
        raise WireError(f"a message of kind {envelope.kind!r} was sent at no time: {envelope.sent_at}")
    if head.end == len(view):
        return Packet(envelope)
    carried = frame_at(view, head.end)
    if carried.end != len(view):
        raise WireError(f"{len(view) - carried.end} bytes too many behind a message of kind {envelope.kind!r}")
    return Packet(envelope, bytes(carried.payload(view)))
