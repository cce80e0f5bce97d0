"""What a role needs to know of its model: servers, name, sampling, limits."""

from __future__ import annotations

from pydantic import Field, field_validator

from actors.mllm.dialects import DIALECTS
from protocol.base import Input, Role

_MAX_TOKENS = {Role.PLAN: 1536, Role.DECIDE: 1024, Role.REFLECT: 1024, Role.NOTE: 1024}


class ModelSettings(Input):
    """One model behind one or several OpenAI-compatible servers."""

    urls: tuple[str, ...] = Field(min_length=1)
    """Base URLs, e.g. http://127.0.0.1:8000/v1. A phone keeps to one of them while it is healthy."""
    model: str | None = None
    """The model's name; the servers are asked (GET models) if not given."""
    api_key_env: str | None = None
    """Name of the environment variable that holds the key; no key is sent if not given."""
    temperature: float = Field(default=0.0, ge=0, le=2)
    seed: int = Field(default=0, ge=0)
    max_tokens: dict[Role, int] = Field(default_factory=lambda: dict(_MAX_TOKENS))
    """Longest answer by role."""
    max_in_flight: int = Field(default=64, ge=1)
    """Requests that one client has at its servers at a time."""
    max_waiting: int = Field(default=256, ge=0)
    """Calls that may wait for one of those places; the next one is refused (Overloaded)."""
    max_attempts: int = Field(default=10, ge=1)
    """How often one call is sent at most, within its deadline."""
    timeout_s: float = Field(default=180.0, gt=0)
    """How long one attempt may take."""
    connect_timeout_s: float = Field(default=5.0, gt=0)
    dialect: str = "qwen3-vl"
    """The coordinate convention of the model's family."""

    @field_validator("urls")
    @classmethod
    def _http(cls, urls: tuple[str, ...]) -> tuple[str, ...]:
        for url in urls:
            if not url.startswith(("http://", "https://")):
                raise ValueError(f"{url!r} is no http:// or https:// address")
        stripped = tuple(url.rstrip("/") for url in urls)
        if len(set(stripped)) < len(stripped):
            raise ValueError("a server is named twice")
        return stripped

    @field_validator("dialect")
    @classmethod
    def _known(cls, dialect: str) -> str:
        if dialect not in DIALECTS:
            raise ValueError(f"unknown dialect {dialect!r}; known are {', '.join(DIALECTS)}")
        return dialect

    @field_validator("max_tokens")
    @classmethod
    def _complete(cls, given: dict[Role, int]) -> dict[Role, int]:
        if any(tokens < 1 for tokens in given.values()):
            raise ValueError("an answer needs at least one token")
        return {**_MAX_TOKENS, **given}
