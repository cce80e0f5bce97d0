"""What a rehearsed model is told when it starts."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from manyhands.protocol.base import Input
from manyhands.protocol.roles import Role


class RehearsalSettings(Input):
    """Where it listens, how fast it answers, how often it is wrong."""

    host: str = "127.0.0.1"
    port: int = Field(default=0, ge=0, le=65535)
    """0 takes a free one."""
    latency_s: dict[Role, float] = Field(default_factory=dict)
    """Seconds that a reply takes at least, by role; 0 for roles that are not named."""
    tokens_per_s: float | None = Field(default=None, gt=0)
    """Output tokens a second, shared by all requests; unlimited if None."""
    max_running: int = Field(default=64, ge=1)
    """Requests that are served at once; later ones wait their turn."""
    mistakes: float = Field(default=0.0, ge=0, le=1)
    """Share of replies that are wrong on purpose."""
    seed: int = 0
    """Of the mistakes and of the wording."""
    scripts: tuple[Path, ...] = ()
    """Files of goals that it has rehearsed beside its own."""
    reader_processes: int = Field(default=1, ge=1, le=16)
    cached_pages: int = Field(default=256, ge=1)
    """Images whose texts are remembered."""
    prefix_cache_tokens: int = Field(default=400_000, ge=0)
    """Tokens that the model of a prefix cache holds."""
