"""Define messages between actors. Coordinates are pixels of the screenshot; images travel separately."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, Generic, Literal, Self, TypeVar

from pydantic import ConfigDict, Field, SecretStr, model_validator

from manyhands.protocol.base import Message
from manyhands.protocol.roles.role import Role

T = TypeVar("T")


class ModelSession(Message):
    """Hold an episode's own way to its model. It is in no journal, no log and no prompt."""

    url: str
    """The base URL: requests go to ``/chat/completions`` below it."""
    key: SecretStr | None = None
    headers: tuple[tuple[str, str], ...] = Field(default=(), repr=False)
    """More headers of each request, by name."""

    @property
    def key_text(self) -> str | None:
        """Return the key as it is sent."""
        return None if self.key is None else self.key.get_secret_value()


class SessionFacts(Message):
    """Hold what a gateway is told of an episode when its session opens."""

    run: str
    episode: str
    """The id. It names the session, too."""
    task: str
    group: str
    """The id that the repeats of a task share."""
    attempt: int


class CallContext(Message):
    """Hold what goes with every call: which step it is for and how long it may take."""

    episode: str
    step: int = Field(ge=0)
    deadline: float
    """Unix seconds. Every role enforces the deadline itself, because a caller that was killed cannot cancel
    the call."""
    speculative: bool = False
    """Whether the result may turn out not to be needed. Such a call comes after all calls whose results are needed."""
    patience_s: float | None = Field(default=None, ge=0)
    """How long a model call waits while no server answers, before it raises ModelAway; None: until its deadline."""
    seed: int = Field(default=0, ge=0)
    """What is added to the seed of sampling, so that episodes of one group differ. Only roles in steps add it."""
    traceparent: str = ""
    """The step of the call, in the form of W3C Trace Context. It travels to model servers and to phones elsewhere."""
    session: ModelSession | None = None
    """The episode's own way to its model, if it has one. Only roles get it."""


# ---------------------------------------------------------------------------- the model, as recorded
class Usage(Message):
    input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)
    cached_tokens: int = Field(default=0, ge=0)


class WeightSpan(Message):
    """Say which weights wrote the tokens of a reply from ``start`` to before ``end``."""

    version: str = Field(max_length=200)
    start: int = Field(ge=0)
    end: int = Field(ge=0)


class CallTokens(Message):
    """Hold the tokens of a call as the server reports them: 4 bytes for an id, 4 for a log probability."""

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    prompt: bytes = Field(repr=False)
    """The ids of the prompt, with all places of its pictures: u32, little-endian."""
    reply: bytes = Field(repr=False)
    """The ids of the reply, with the token that ended it: u32, little-endian."""
    logprobs: bytes = Field(repr=False)
    """The log probability of each token of the reply: float32, little-endian."""

    @classmethod
    def pack(cls, prompt: Sequence[int], reply: Sequence[int], logprobs: Sequence[float]) -> Self:
        """Return the tokens, packed. Raises struct.error for an id of more than 32 bits."""
        ids = (struct.pack(f"<{len(some)}I", *some) for some in (prompt, reply))
        return cls(prompt=next(ids), reply=next(ids), logprobs=struct.pack(f"<{len(logprobs)}f", *logprobs))

    @model_validator(mode="after")
    def _fit(self) -> Self:
        if len(self.prompt) % 4 or len(self.reply) % 4 or len(self.reply) != len(self.logprobs):
            raise ValueError("the tokens of a call are incomplete")
        return self

    @property
    def prompt_ids(self) -> tuple[int, ...]:
        return struct.unpack(f"<{len(self.prompt) // 4}I", self.prompt)

    @property
    def reply_ids(self) -> tuple[int, ...]:
        return struct.unpack(f"<{len(self.reply) // 4}I", self.reply)

    @property
    def reply_logprobs(self) -> tuple[float, ...]:
        return struct.unpack(f"<{len(self.logprobs) // 4}f", self.logprobs)


class ModelCall(Message):
    """Record one request to a model server and its result, completely enough to send it again.

    ``request`` is the JSON body that was sent, but ``manyhands:<content id>`` replaces the data of each image. The run
    folder holds the pixels.
    """

    role: Role
    server: str
    request: dict[str, Any]
    reply: str | None
    """The text of the answer; None if there was none."""
    error: str | None = None
    usage: Usage = Usage()
    started_at: float
    latency_ms: float = Field(ge=0)
    queue_ms: float = Field(default=0, ge=0)
    """Time in our own admission queue, not in the server."""
    attempts: int = Field(default=1, ge=1)
    """How often the request was sent. Attempts that found no server at the address do not count."""
    reply_type: str = ""
    """The type of reply that was asked for."""
    repair: bool = False
    """Whether this call asked the model again, because its answer to the same request was invalid."""
    away: tuple[tuple[float, float], ...] = ()
    """When the call waited because no server answered, or took requests: the begin and end of each wait, in Unix
    seconds."""
    is_busy: bool = False
    """Whether servers only refused requests in ``away``, as too busy or paused."""
    cut: tuple[str, ...] = ()
    """The texts of the reply (``thought``, ``notes``, ...) that were cut because they were over the length limit."""
    unused: bool = False
    """Whether the reply to another call of the same question stands instead of this one."""
    tokens: CallTokens | None = None
    """The tokens of prompt and reply; None unless the client records them."""
    weights: tuple[WeightSpan, ...] = ()
    """Which versions of the weights wrote the reply; empty if the server does not say."""


class CallCounts(Message):
    """Sum up one role's calls to one server since the client started. Times are sums."""

    role: Role
    server: str
    calls: int = 0
    """Calls that ended in any way: answered, failed or cancelled."""
    errors: dict[str, int] = Field(default_factory=dict)
    """Calls that ended in an error, by ManyhandsError.code. ``reply_unusable`` counts a call even if a
    repair helped."""
    retries: int = 0
    """Attempts beyond the first of each call. They may have gone to other servers."""
    repairs: int = 0
    cancelled: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    queue_ms: float = 0.0
    """Time in our own admission queue."""
    latency_ms: float = 0.0


class ServerCounts(Message):
    """Describe one server as its client sees it at the moment."""

    server: str
    state: Literal["up", "cooling", "out"]
    """``cooling``: it refuses requests for now. ``out``: it does not answer; it is used again when its /health page
    answers."""
    in_flight: int = 0
    """Requests of this client that the server is working on."""
    waiting: int | None = None
    """The length of the server's own queue at the last reading; None if the server publishes none (it has no /metrics
    page)."""
    running: int | None = None
    cache_usage: float | None = None
    """The share of the KV cache in use, from 0 to 1."""


class PartialReply(Message):
    """Hold what a model has written so far in a call that is not over."""

    role: Role
    since: float
    """When the call was sent, in Unix seconds."""
    text: str
    """The last few thousand characters."""


class ModelCounts(Message):
    """Hold the figures of a model's client at one moment."""

    model: str
    calls: tuple[CallCounts, ...] = ()
    servers: tuple[ServerCounts, ...] = ()
    in_flight: int = 0
    """Calls that have been admitted and have not ended."""
    waiting: int = 0
    """Calls in our admission queue."""
    cap: int = 1
    """How many calls may be in flight at the moment."""
    speculation_share: float = Field(default=0.0, ge=0, le=1)
    """The share of speculative calls that is admitted at the moment."""
    refused_speculation: int = 0
    """Speculative calls that the budget did not admit (SpeculationRefused). No other figure counts them."""
    away_since: float | None = None
    """Since when no server answers, in Unix seconds. None while a server answers, even if it only refuses."""
    away_why: str = ""
    """Why the server that failed last does not answer, in one line."""
    heard_at: float = 0.0
    """When a server last answered a call, in Unix seconds; 0 if none has answered yet."""


class Answered(Message, Generic[T]):
    """Hold a role's result and its model calls. A verdict that was made without the model has none."""

    value: T
    calls: tuple[ModelCall, ...] = ()
    queue_ms: float = Field(default=0, ge=0)
