"""Times and model calls, summed up."""

from __future__ import annotations

from manyhands.protocol.base import Message


class Percentiles(Message):
    p50: float
    p95: float
    mean: float


class RoleUsage(Message):
    """Sum up the model calls of one role, or those to one server."""

    calls: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cached_share: float | None = None
    """The share of the input tokens; None without any."""
    errors: int = 0
    """Calls without an answer. An answer that was no reply is none of them: ``repairs`` counts those."""
    retries: int = 0
    """Attempts after the first, of all calls."""
    repairs: int = 0
    """Calls that asked again because the answer before could not be used."""
    queue_ms: Percentiles | None = None
    """Waiting in our own queue, of all calls."""
    latency_ms: Percentiles | None = None
    """From being let in to the answer, retries included, of the calls that were answered."""
