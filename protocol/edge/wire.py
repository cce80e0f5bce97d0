"""Encode messages as bytes: an envelope in a frame with a checksum, followed by a frame with the payload of a chunk.

A broker forwards any bytes. In msgpack a flipped bit often makes another valid message, such as a tap at another place.
The CRC-32 of the frame finds such damage.
"""

from __future__ import annotations

import math
import uuid
from typing import NamedTuple

from manyhands.protocol.base import Message
from manyhands.protocol.edge import messages
from manyhands.protocol.errors import WireError
from manyhands.protocol.journals.envelope import Codec, Envelope
from manyhands.protocol.journals.frames import frame, frame_at
from manyhands.protocol.phones import PhoneInfo

WIRE_NAMES: dict[str, type[Message]] = {
    # about a site
    "Hello": messages.HelloRequest,
    "Welcome": messages.HelloReply,
    "ListPhones": messages.ListPhonesRequest,
    "Phones": messages.ListPhonesReply,
    "Renew": messages.RenewRequest,
    "Renewed": messages.RenewReply,
    "Fetch": messages.FetchRequest,
    # about a phone, without a lease
    "Connect": messages.ConnectRequest,
    "AskSize": messages.SizeRequest,
    "SizeTold": messages.SizeReply,
    "ReadLabels": messages.ReadLabelsRequest,
    "LabelsRead": messages.ReadLabelsReply,
    "Look": messages.LookRequest,
    "Attach": messages.AttachRequest,
    "Attached": messages.AttachReply,
    "Detach": messages.DetachRequest,
    # about a phone, under a lease
    "Capture": messages.CaptureRequest,
    "Captured": messages.CaptureReply,
    "PerformOnce": messages.PerformRequest,
    "PerformAndCapture": messages.PerformAndCaptureRequest,
    "Shown": messages.PerformAndCaptureReply,
    "Reset": messages.ResetRequest,
    "AskState": messages.StateRequest,
    "Recall": messages.RecallReceiptsRequest,
    "Recalled": messages.RecallReceiptsReply,
    # replies to several requests
    "Done": messages.EmptyReply,
    "Failed": messages.ErrorReply,
    "Received": messages.ReceiptReply,
    "StateTold": messages.StateReply,
    # announcements
    "PictureChunk": messages.PictureChunk,
    "Presence": messages.Presence,
    "PhoneInfo": PhoneInfo,
}
"""The ``kind`` of each message in its envelope. Names never change, because sites and clients may run different
versions."""
EDGE_CODEC: Codec[Message] = Codec(WIRE_NAMES)


class Packet(NamedTuple):
    """Hold a message that was received."""

    envelope: Envelope[Message]
    data: bytes = b""
    """The payload: the bytes of a chunk of a picture."""


class PackedMessage(NamedTuple):
    """Hold a message in the bytes that are sent, once or several times."""

    id: str
    """The id of the envelope; a reply names it."""
    data: bytes


def pack(body: Message, sent_at: float, data: bytes = b"") -> PackedMessage:
    """Encode a message and its payload ``data``. Raises WireError for values that JSON cannot hold."""
    envelope = EDGE_CODEC.seal(body, sent_at, id=uuid.uuid4().hex)
    packed = frame(EDGE_CODEC.pack(envelope))
    return PackedMessage(envelope.id, packed + frame(data) if data else packed)


def unpack(packed: bytes) -> Packet:
    """Decode a message, which must use all the bytes. Raises WireError, never anything else."""
    view = memoryview(packed)
    head = frame_at(view, 0)
    envelope = EDGE_CODEC.unpack(head.payload(view))
    if not math.isfinite(envelope.sent_at):
        raise WireError(f"a message of kind {envelope.kind!r} was sent at no time: {envelope.sent_at}")
    if head.end == len(view):
        return Packet(envelope)
    carried = frame_at(view, head.end)
    if carried.end != len(view):
        raise WireError(f"{len(view) - carried.end} bytes too many behind a message of kind {envelope.kind!r}")
    return Packet(envelope, bytes(carried.payload(view)))
