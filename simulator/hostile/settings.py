"""What a hostile model server is started with."""

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
    """Configure where it listens, and which of its answers are hostile."""

    host: str = "127.0.0.1"
    port: int = Field(default=0, ge=0, le=65535)
    """0 takes a free one."""
    model: str = "manyhands-rehearsed"
    """The model that its honest answers name."""
    seed: int = 0
    """Seed of all answers: the n-th answer of a page is the same in every run."""
    share: float = Field(default=1.0, ge=0, le=1)
    """Share of hostile answers; the others are honest."""
    honest: frozenset[Page] = frozenset()
    """Pages that are never answered with hostility."""
    upstream: str | None = None
    """Base URL (``http://HOST:PORT/v1``) of a server that gives the honest answers; None: they are the plainest."""
    elsewhere: str = "http://127.0.0.1:9/v1"
    """Where redirects lead."""
    hang_s: float = Field(default=2.0, ge=0)
    """How long an answer that never comes takes to end."""
    endless_s: float = Field(default=60.0, ge=0)
    """How long an endless answer goes on, unless whoever asked hangs up."""
