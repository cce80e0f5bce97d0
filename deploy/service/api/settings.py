"""Define the bounds of a service: how large, how often and how many at once its clients may ask."""

from __future__ import annotations

import os

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from manyhands.protocol.errors import BadFile
from manyhands.protocol.validation_words import describe_error, suggest

SERVICE_PREFIX = "MANYHANDS_SERVICE_"
MIB = 1024 * 1024


class ServiceBounds(BaseSettings):
    """Hold the bounds of a service. The environment sets them: ``MANYHANDS_SERVICE_BODY_BYTES=1000000``."""

    model_config = SettingsConfigDict(
        env_prefix=SERVICE_PREFIX, frozen=True, extra="forbid", use_attribute_docstrings=True
    )

    body_bytes: int = Field(default=16 * MIB, ge=1024)
    """The most bytes of one request's body. A larger one is refused with 413."""
    bodies_bytes: int = Field(default=64 * MIB, ge=1024)
    """The most bytes of all bodies that are in memory. While there are more, requests with a body get 503."""
    yaml_bytes: int = Field(default=2 * MIB, ge=1024)
    """The most bytes of a body in YAML, which takes longer to read than JSON."""
    body_s: float = Field(default=60, gt=0)
    """How many seconds a client may take to send a body."""
    address_rate: float = Field(default=500, gt=0)
    """How many requests a second one network address may send. Twice as many may come at once. More get 429."""
    token_rate: float = Field(default=100, gt=0)
    """How many requests a second one token may send. Twice as many may come at once. More get 429."""
    requests: int = Field(default=128, ge=1)
    """How many requests are worked on at once, open streams not counted. More get 503."""
    token_requests: int = Field(default=32, ge=1)
    """How many requests of one token are worked on at once, open streams not counted. More get 429."""
    streams: int = Field(default=256, ge=1)
    """How many event streams may be open. More get 503."""
    token_streams: int = Field(default=32, ge=1)
    """How many event streams of one token may be open. More get 429."""
    stream_events: int = Field(default=2000, ge=10)
    """How many events a stream may lag behind. A client that reads more slowly is cut off, and may come back."""
    heartbeat_s: float = Field(default=15, gt=0)
    """After how many quiet seconds a stream sends a comment, so that both sides know that the other is there."""
    wall_s: float = Field(default=1, gt=0)
    """How many seconds pass between two updates of the wall of phones."""
    connections: int = Field(default=1024, ge=2)
    """How many connections may be open. For a further one, the one that has been idle longest is closed. If none is
    idle, the further one is closed, with 503."""
    address_connections: int = Field(default=512, ge=1)
    """How many connections of one network address may be open, in the same way."""
    request_s: float = Field(default=15, gt=0)
    """How many seconds a client may take to send the head of a request."""
    stall_s: float = Field(default=30, gt=0)
    """After how many seconds a connection is closed whose client reads nothing."""
    heads_bytes: int = Field(default=32 * 1024, ge=1024)
    """The most bytes of the head of a request."""
    thumbnails_bytes: int = Field(default=32 * MIB, ge=1024)
    """The most bytes of small pictures that are kept in memory."""
    audit_entries: int = Field(default=10_000, ge=10)
    """How many entries of the audit log may wait to be written. While there are more, requests wait."""


def read_bounds() -> ServiceBounds:
    """Return the bounds that the environment sets. Raises BadInput, which names each variable that is wrong."""
    names = {SERVICE_PREFIX + name.upper() for name in ServiceBounds.model_fields}
    given = {name.upper() for name in os.environ if name.upper().startswith(SERVICE_PREFIX)}
    unknown = [f"unknown variable {name}{suggest(name, names)}" for name in sorted(given - names)]
    try:
        bounds = ServiceBounds()
    except ValidationError as error:
        unknown += [
            f"{SERVICE_PREFIX}{item['loc'][0]}".upper() + f": {describe_error(item)}" for item in error.errors()
        ]
    if unknown:
        raise BadFile("environment", tuple(unknown))
    return bounds
