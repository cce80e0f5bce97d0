"""Define sums of times and model calls."""

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
    """The share of cached input tokens; None without input tokens."""
    errors: int = 0
    """Calls without an answer. An invalid answer does not count here; ``repairs`` counts it."""
    retries: int = 0
    """Attempts beyond the first of each call."""
    repairs: int = 0
    """Calls that asked again because the answer before was invalid."""
    queue_ms: Percentiles | None = None
    """Time in our own queue, over all calls."""
    latency_ms: Percentiles | None = None
    """Time from admission to the answer, retries included, over the answered calls."""
