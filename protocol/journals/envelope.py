"""Wrap messages and records in envelopes, and encode envelopes as msgpack."""

from __future__ import annotations

import uuid
from math import isfinite
from typing import Any, Generic, NamedTuple, TypeVar

import msgpack
from pydantic import BaseModel, Field, ValidationError
from pydantic_core import to_jsonable_python

from manyhands.protocol import PROTOCOL_VERSION
from manyhands.protocol.base import Message
from manyhands.protocol.errors import UnknownKind, UnknownVersion, WireError
from manyhands.protocol.utilities.validation_words import describe_error

B = TypeVar("B", bound=BaseModel)
V = TypeVar("V", list[Any], dict[Any, Any])

_SURROGATES = "surrogatepass"
"""JSON may escape half a surrogate pair, so a model's reply may hold one. Keep it unchanged."""


MOST_VALUES = 100_000
"""The most values in an envelope. Without this limit, a megabyte could hold a million empty maps, which take a second
to read."""


class Envelope(Message, Generic[B]):
    version: int = PROTOCOL_VERSION
    id: str = Field(default_factory=lambda: uuid.uuid4().hex)
    kind: str
    """The name of the body's type. A :class:`Codec` knows the types of its wire."""
    episode: str | None = None
    step: int | None = None
    seq: int | None = Field(default=None, ge=0)
    """The record's place in the episode's journal, from 0. None outside journals."""
    epoch: int | None = Field(default=None, ge=0)
    """The epoch of the lease under which the envelope was written."""
    sent_at: float
    """Unix seconds."""
    body: B


class Head(NamedTuple):
    """Hold the fields of an envelope that can be read without its body."""

    kind: str | None
    seq: int | None
    epoch: int | None
    sent_at: float | None = None
    """Unix seconds."""


_HEAD_BYTES = 512
"""Usually enough for the fields before the body."""


class Codec(Generic[B]):
    """Pack and unpack the envelopes of one wire. ``kinds`` names the types of its bodies."""

    def __init__(self, kinds: dict[str, type[B]]) -> None:
        self._kinds = dict(kinds)
        self._names = {model: kind for kind, model in kinds.items()}

    def seal(self, body: B, sent_at: float, **fields: Any) -> Envelope[B]:
        """Return an envelope around ``body``; ``fields`` are other fields of :class:`Envelope`."""
        return Envelope(kind=self._names[type(body)], sent_at=sent_at, body=body, **fields)

    def pack(self, envelope: Envelope[B]) -> bytes:
        """Return the envelope's bytes.

        Raises WireError for values that JSON or msgpack cannot hold, such as an int of more than 64 bits or an object
        in a request, and for more than ``MOST_VALUES`` values.
        """
        try:
            fields = envelope.model_dump(mode="json", exclude={"body"}, exclude_none=True)
            # The body is not dumped as JSON, which has no bytes. What msgpack lacks, such as a time, is as in JSON.
            fields["body"] = envelope.body.model_dump(by_alias=True)
            packed: bytes = msgpack.packb(fields, default=to_jsonable_python, unicode_errors=_SURROGATES)
            if len(packed) > MOST_VALUES:
                _unpacked(packed)  # raises if a reader would refuse the bytes
        except (ValueError, TypeError, OverflowError, RecursionError) as error:
            raise WireError(f"envelope of kind {envelope.kind!r} cannot be packed: {error}") from error
        return packed

    def head(self, data: bytes | memoryview) -> Head:
        """Return the fields of an envelope that stand before its body. Raises WireError.

        The body comes last, so most of it is not read. It may be of any kind.
        """
        try:
            return _head(data[:_HEAD_BYTES])
        except msgpack.OutOfData:
            pass
        except (ValueError, TypeError, msgpack.exceptions.UnpackException) as error:
            raise WireError(f"{len(data)} bytes are not an envelope: {error}") from error
        try:
            return _head(data)
        except (ValueError, TypeError, msgpack.exceptions.UnpackException) as error:
            raise WireError(f"{len(data)} bytes are not an envelope: {error}") from error

    def unpack(self, data: bytes | memoryview) -> Envelope[B]:
        """Return the envelope. Raises WireError, UnknownVersion or UnknownKind, and nothing else."""
        try:
            fields = _unpacked(data)
        except (ValueError, TypeError, msgpack.exceptions.UnpackException) as error:
            raise WireError(f"{len(data)} bytes are not msgpack: {error}") from error
        if not isinstance(fields, dict):
            raise WireError(f"an envelope is a map, not {type(fields).__name__}")
        version, kind, body = fields.get("version"), fields.get("kind"), fields.pop("body", None)
        if version != PROTOCOL_VERSION:
            age = "a newer" if isinstance(version, int) and version > PROTOCOL_VERSION else "an older"
            raise UnknownVersion(f"envelope of {age} version, {version!r}; this build reads {PROTOCOL_VERSION}")
        model = self._kinds.get(kind) if isinstance(kind, str) else None
        if model is None:
            raise UnknownKind(f"envelope of kind {kind!r}; this wire knows {', '.join(sorted(self._kinds))}")
        try:
            # Fields that a newer version added are ignored, also in bodies that hold people's input.
            return Envelope[B].model_validate({**fields, "body": model.model_validate(body, extra="ignore")})
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            raise WireError(f"envelope of kind {kind!r}: {where}: {describe_error(first)}") from error


class _Counter:
    """Count the values that msgpack decodes, and refuse more than ``MOST_VALUES``."""

    def __init__(self) -> None:
        self._values = 0

    def count(self, value: V) -> V:
        """Count a list or a map and its entries. Raises ValueError over the limit."""
        self._values += 1 + len(value)
        if self._values > MOST_VALUES:
            raise ValueError(f"more than {MOST_VALUES} values")
        return value


def _unpacked(data: bytes | memoryview) -> Any:
    """Return the decoded value. Raises ValueError, TypeError or UnpackException."""
    if len(data) <= MOST_VALUES:  # each value takes at least a byte
        return msgpack.unpackb(data, strict_map_key=True, unicode_errors=_SURROGATES)
    count = _Counter().count
    return msgpack.unpackb(
        data,
        strict_map_key=True,
        unicode_errors=_SURROGATES,
        object_hook=count,
        list_hook=count,
        max_array_len=MOST_VALUES,
        max_map_len=MOST_VALUES,
    )


def _head(data: bytes | memoryview) -> Head:
    count = _Counter().count
    unpacker = msgpack.Unpacker(unicode_errors=_SURROGATES, object_hook=count, list_hook=count)
    unpacker.feed(data)
    fields: dict[str, Any] = {}
    for _ in range(unpacker.read_map_header()):
        name = unpacker.unpack()
        if name == "body":
            break
        fields[name] = unpacker.unpack()
    kind, sent_at = fields.get("kind"), fields.get("sent_at")
    return Head(
        kind if isinstance(kind, str) else None,
        _number(fields.get("seq")),
        _number(fields.get("epoch")),
        sent_at if isinstance(sent_at, float) and isfinite(sent_at) else None,
    )


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and value >= 0 else None
