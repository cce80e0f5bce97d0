"""The settings of a role's model: servers, name, sampling, limits."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field, field_validator

from manyhands.actors.mllm.formats import OutputFormat
from manyhands.actors.mllm.request.dialects import dialect_named
from manyhands.protocol.base import Input
from manyhands.protocol.errors import BadInput
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.episode_settings import SpeculationSettings
from manyhands.protocol.utilities.validation_words import mend_scheme

Grammar = Literal["guidance", "other"]
Priority = Annotated[int, Field(ge=-1000, le=1000)]

_MAX_TOKENS = {role: role.spec.longest_reply for role in Role}
_PRIORITIES = {role: role.spec.priority for role in Role}

SPECULATIVE = 2000
"""Added to the priority of a speculative call, so that it comes after all other calls."""


class ModelSettings(Input):
    """Configure one model on one or several OpenAI-compatible servers."""

    urls: tuple[str, ...] = Field(min_length=1)
    """Base URLs, e.g. http://127.0.0.1:8000/v1. A phone keeps to one of them while that server is healthy."""
    model: str | None = None
    """The model's name. Without one, the servers are asked (GET models)."""
    api_key_env: str | None = None
    """The name of the environment variable that holds the key. Without one, no key is sent."""
    temperature: float = Field(default=0.0, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    """Sample from the likeliest tokens with this share. None leaves it to the server, as with the penalties."""
    presence_penalty: float | None = Field(default=None, ge=-2, le=2)
    frequency_penalty: float | None = Field(default=None, ge=-2, le=2)
    repetition_penalty: float | None = Field(default=None, gt=0, le=2)
    top_k: int | None = Field(default=None, ge=1)
    system_prompt: str = ""
    """The system text that replaces that of the profile ``native``, such as the one on the model's card."""
    seed: int = Field(default=0, ge=0)
    max_tokens: dict[Role, int] = Field(default_factory=lambda: dict(_MAX_TOKENS))
    """The longest answer by role, in tokens."""
    max_in_flight: int = Field(default=64, ge=1)
    """The most requests that one client has in flight. While the servers' queues are long, the client
    lowers its cap."""
    max_waiting: int = Field(default=256, ge=0)
    """How many calls may wait for a place. Further calls are refused (Overloaded)."""
    max_attempts: int = Field(default=10, ge=1)
    """How often one call is sent at most, within its deadline."""
    repairs: int = Field(default=1, ge=0, le=1)
    """How often a model is asked for another reply after an invalid one, and told what is wrong."""
    priorities: dict[Role, Priority] = Field(default_factory=lambda: dict(_PRIORITIES))
    """Which calls go first, here and at servers that schedule by priority. Lower numbers come first."""
    speculation: SpeculationSettings = SpeculationSettings()
    """Whether and when speculative calls are sent."""
    has_sessions: bool = False
    """Whether the one URL is a trainer's gateway, at which each episode has an address of its own."""
    timeout_s: float = Field(default=180.0, gt=0)
    """The time limit of one attempt."""
    connect_timeout_s: float = Field(default=5.0, gt=0)
    dialect: str = "qwen3-vl"
    """The coordinate convention of the model's family."""
    max_pixels: int | None = Field(default=None, gt=0)
    """The cap on a picture's pixels that the servers were started with. None means the cap of the model's family."""
    output: OutputFormat = "json"
    """The format in which the model is to write its replies. Servers get a schema for ``json`` only."""
    grammar: Grammar = "guidance"
    """The servers' structured-output backend; see ``bodies.sent_schema``."""
    record_tokens: bool = False
    """Whether each call records the ids of its tokens, log probabilities and the version of the weights."""

    def priority(self, role: Role, speculative: bool = False) -> int:
        """Return a call's priority in our queue and the servers'."""
        return self.priorities[role] + (SPECULATIVE if speculative else 0)

    @field_validator("urls")
    @classmethod
    def _http(cls, urls: tuple[str, ...]) -> tuple[str, ...]:
        for url in urls:
            if "@" in urlsplit(url).netloc:  # addresses appear in journals
                raise ValueError("a server's address must not hold a password; name its variable: api_key_env")
            if not url.startswith(("http://", "https://")):
                raise ValueError(f"{url!r} is no http:// or https:// address; write {suggest_address(url)}")
        stripped = tuple(url.rstrip("/") for url in urls)
        if len(set(stripped)) < len(stripped):
            raise ValueError("a server is named twice")
        return stripped

    @field_validator("dialect")
    @classmethod
    def _is_dialect(cls, dialect: str) -> str:
        try:
            return dialect_named(dialect).name
        except BadInput as error:
            raise ValueError(str(error)) from None

    @field_validator("max_tokens")
    @classmethod
    def _complete(cls, limits: dict[Role, int]) -> dict[Role, int]:
        if any(tokens < 1 for tokens in limits.values()):
            raise ValueError("an answer needs at least one token")
        return {**_MAX_TOKENS, **limits}

    @field_validator("priorities")
    @classmethod
    def _all_roles(cls, priorities: dict[Role, int]) -> dict[Role, int]:
        return {**_PRIORITIES, **priorities}


def suggest_address(url: str) -> str:
    """Return the address that was probably meant by one with a wrong scheme or without any, such as localhost:8000."""
    scheme, _, rest = mend_scheme(url, ("http", "https")).partition("://")
    host, _, path = rest.strip("/").partition("/")
    return f"{scheme}://{host}/{path or 'v1'}"
