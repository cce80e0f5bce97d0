"""Define the settings of a hostile model server."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from manyhands.protocol.base import Input


class Page(StrEnum):
    """Name the pages of a model server."""

    CHAT = "chat"
    MODELS = "models"
    HEALTH = "health"
    METRICS = "metrics"
    OTHER = "other"


class HostileSettings(Input):
    """Configure where the server listens, and which of its answers are hostile."""

    host: str = "127.0.0.1"
    port: int = Field(default=0, ge=0, le=65535)
    """0 means a free port."""
    model: str = "manyhands-rehearsed"
    """The model that its honest answers name."""
    seed: int = 0
    """The seed of all answers. The n-th answer of a page is the same in every run."""
    share: float = Field(default=1.0, ge=0, le=1)
    """The share of hostile answers. Other answers are honest."""
    honest: frozenset[Page] = frozenset()
    """Pages that get no hostile answers."""
    upstream: str | None = None
    """The base URL (``http://HOST:PORT/v1``) of a server that gives the honest answers. With None, they are minimal."""
    elsewhere: str = "http://127.0.0.1:9/v1"
    """Where redirects lead."""
    hang_s: float = Field(default=2.0, ge=0)
    """Seconds until a silent answer ends."""
    endless_s: float = Field(default=60.0, ge=0)
    """Seconds until an endless answer ends, unless the client hangs up before."""
