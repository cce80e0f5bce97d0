"""Define the settings that every stand-in for a model server has."""

from __future__ import annotations

from pydantic import Field

from manyhands.protocol.base import Input
from manyhands.protocol.roles.role import Role


class ServerSettings(Input):
    """Hold where a stand-in listens, how fast it answers, and how often it is wrong."""

    host: str = "127.0.0.1"
    port: int = Field(default=0, ge=0, le=65535)
    """0 chooses a free port."""
    latency_s: dict[Role, float] = Field(default_factory=dict)
    """The least time that a reply takes, in seconds, by role; 0 for roles that are not named."""
    tokens_per_s: float | None = Field(default=None, gt=0)
    """Output tokens a second, shared by all requests; unlimited if None."""
    input_token_ms: float = Field(default=0.0, ge=0)
    """What each input token that no cache holds adds to the least time of a reply, in milliseconds."""
    output_token_ms: float = Field(default=0.0, ge=0)
    """What each output token adds."""
    picture_ms: float = Field(default=0.0, ge=0)
    """What each picture adds that no cache holds."""
    max_running: int = Field(default=64, ge=1)
    """How many requests are served at once; further ones wait."""
    mistakes: float = Field(default=0.0, ge=0, le=1)
    """The share of replies that are wrong on purpose."""
    seed: int = 0
    """The seed of all draws (``serving.draws``)."""
