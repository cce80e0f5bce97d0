"""Define the bounds of a service: how large, how often and how many at once its clients may ask."""

from __future__ import annotations

import os

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from manyhands.protocol.errors import BadFile
from manyhands.protocol.utilities.validation_words import describe_error, suggest

SERVICE_PREFIX = "MANYHANDS_SERVICE_"
MIB = 1024 * 1024


class ServiceBounds(BaseSettings):
    """Hold the bounds of a service. The environment sets them: ``MANYHANDS_SERVICE_BODY_BYTES=1000000``."""

    model_config = SettingsConfigDict(
        env_prefix=SERVICE_PREFIX, frozen=True, extra="forbid", use_attribute_docstrings=True
    )

    body_bytes: int = Field(default=16 * MIB, ge=1024)
    """Bytes of one request's body. A larger body gets 413."""
    bodies_bytes: int = Field(default=64 * MIB, ge=1024)
    """Bytes of all bodies in memory. Beyond it a request with a body gets 503."""
    yaml_bytes: int = Field(default=2 * MIB, ge=1024)
    """Bytes of a YAML body, which is slower to read than JSON."""
    body_s: float = Field(default=60, gt=0)
    """Seconds that a client may take to send a body."""
    address_rate: float = Field(default=500, gt=0)
    """Requests a second of one network address, with bursts of twice as many. More get 429."""
    token_rate: float = Field(default=100, gt=0)
    """Requests a second of one token, with bursts of twice as many. More get 429."""
    requests: int = Field(default=128, ge=1)
    """Requests in work at once; streams do not count. More get 503."""
    token_requests: int = Field(default=32, ge=1)
    """Requests of one token in work at once; streams do not count. More get 429."""
    streams: int = Field(default=256, ge=1)
    """Open event streams. More get 503."""
    token_streams: int = Field(default=32, ge=1)
    """Open event streams of one token. More get 429."""
    stream_events: int = Field(default=2000, ge=10)
    """Events that a stream may lag behind before its client is cut off."""
    heartbeat_s: float = Field(default=15, gt=0)
    """Quiet seconds after which a stream sends a comment."""
    wall_s: float = Field(default=1, gt=0)
    """Seconds between two updates of the wall."""
    connections: int = Field(default=1024, ge=2)
    """Open connections. A further connection closes the longest idle one; if none is idle, it gets 503."""
    address_connections: int = Field(default=512, ge=1)
    """Open connections of one network address, treated likewise."""
    request_s: float = Field(default=15, gt=0)
    """Seconds that a client may take to send a request's head."""
    stall_s: float = Field(default=30, gt=0)
    """Seconds after which a connection is closed if its client reads nothing."""
    heads_bytes: int = Field(default=32 * 1024, ge=1024)
    """Bytes of a request's head."""
    thumbnails_bytes: int = Field(default=32 * MIB, ge=1024)
    """Bytes of small pictures in memory."""
    audit_entries: int = Field(default=10_000, ge=10)
    """Audit entries that may wait to be written. Beyond it, requests wait."""


def read_bounds() -> ServiceBounds:
    """Return the bounds that the environment sets. Raises BadInput, which names each variable that is wrong."""
    names = {SERVICE_PREFIX + name.upper() for name in ServiceBounds.model_fields}
    set_names = {name.upper() for name in os.environ if name.upper().startswith(SERVICE_PREFIX)}
    unknown = [f"unknown variable {name}{suggest(name, names)}" for name in sorted(set_names - names)]
    try:
        bounds = ServiceBounds()
    except ValidationError as error:
        unknown += [
            f"{SERVICE_PREFIX}{item['loc'][0]}".upper() + f": {describe_error(item)}" for item in error.errors()
        ]
    if unknown:
        raise BadFile("environment", tuple(unknown))
    return bounds
