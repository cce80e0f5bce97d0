"""Messages between our actors. Pixels of the screenshot throughout; images travel beside."""

from __future__ import annotations

from typing import Any, Generic, Literal, TypeVar

from pydantic import Field

from manyhands.protocol.base import Message
from manyhands.protocol.roles import Role

T = TypeVar("T")


class CallContext(Message):
    """Goes with every call: what it is for and how long it may take."""

    episode: str
    step: int = Field(ge=0)
    deadline: float
    """Unix seconds. Every role enforces it itself, for a caller that was killed cancels nothing."""
    speculative: bool = False
    """What is asked may turn out not to be needed; it goes after everything that is."""
    patience_s: float | None = Field(default=None, ge=0)
    """How long a model call waits while no server answers, before it raises ModelAway; None: until its deadline."""
    traceparent: str = ""
    """The step that it belongs to, as W3C Trace Context writes it: it travels to model servers and phones elsewhere."""


# ---------------------------------------------------------------------------- the model, as recorded
class Usage(Message):
    input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)
    cached_tokens: int = Field(default=0, ge=0)


class ModelCall(Message):
    """Record one request to a model server and what came of it: enough to send it again.

    ``request`` is the JSON body as it was sent, with each image's data replaced by
    ``manyhands:<content id>``; the pixels are in the run folder.
    """

    role: Role
    server: str
    request: dict[str, Any]
    reply: str | None
    """The text of the answer; None if none came."""
    error: str | None = None
    usage: Usage = Usage()
    started_at: float
    latency_ms: float = Field(ge=0)
    queue_ms: float = Field(default=0, ge=0)
    """Time in our own admission queue, not in the server."""
    attempts: int = Field(default=1, ge=1)
    """How often it was sent. What found no server at its address was not."""
    reply_type: str = ""
    """The type of the reply that was asked for; empty in journals written before it was recorded."""
    repair: bool = False
    """The model was asked again because its answer to the same request could not be used."""
    away: tuple[tuple[float, float], ...] = ()
    """When the call waited because no server answered: beginnings and ends in Unix seconds."""
    cut: tuple[str, ...] = ()
    """The texts of the reply (``thought``, ``notes``, ...) that were longer than is kept, and were cut."""


class CallCounts(Message):
    """Sum up one role's calls at one server, since the client was started. Times are sums."""

    role: Role
    server: str
    calls: int = 0
    """Calls that ended, however: answered, failed, cancelled."""
    errors: dict[str, int] = Field(default_factory=dict)
    """Calls that ended in an error, by ManyhandsError.code; ``reply_unusable`` also where a repair helped."""
    retries: int = 0
    """Attempts beyond each call's first; they may have been at other servers."""
    repairs: int = 0
    cancelled: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    queue_ms: float = 0.0
    """Time in our own admission queue."""
    latency_ms: float = 0.0


class ServerCounts(Message):
    """Describe one server as its client sees it now."""

    server: str
    state: Literal["up", "cooling", "out"]
    """``cooling``: it refused for now; ``out``: it does not answer, and comes back when its /health does."""
    in_flight: int = 0
    """Requests of this client."""
    waiting: int | None = None
    """The server's own queue when it was last read; None where it publishes none (no /metrics)."""
    running: int | None = None
    cache_usage: float | None = None
    """Share of the KV cache in use, 0 to 1."""


class ModelCounts(Message):
    """Hold a model client's figures at a moment."""

    model: str
    calls: tuple[CallCounts, ...] = ()
    servers: tuple[ServerCounts, ...] = ()
    in_flight: int = 0
    """Calls that have been let in."""
    waiting: int = 0
    """Calls in our admission queue."""
    cap: int = 1
    """How many may be in flight now."""
    speculation_share: float = Field(default=0.0, ge=0, le=1)
    """The share of the speculative calls that is admitted now."""
    refused_speculation: int = 0
    """Speculative calls that the budget did not admit (SpeculationRefused); they count nowhere else."""
    away_since: float | None = None
    """Since when no server answers, in Unix seconds; None while one does, if only to refuse."""
    away_why: str = ""
    """Why the last of them does not answer, in a line."""
    heard_at: float = 0.0
    """When a server last answered a call, in Unix seconds; 0 before the first answer."""


class Answered(Message, Generic[T]):
    """Hold a role's result and the model calls that it took (none for a verdict made without the model)."""

    value: T
    calls: tuple[ModelCall, ...] = ()
    queue_ms: float = Field(default=0, ge=0)
