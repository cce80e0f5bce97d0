"""What every model server that stands in for vLLM is started with."""

from __future__ import annotations

from pydantic import Field

from manyhands.protocol.base import Input
from manyhands.protocol.roles import Role


class ServerSettings(Input):
    """Where a stand-in listens, how fast it answers, how often it is wrong."""

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
    """Seed of all that is drawn."""
