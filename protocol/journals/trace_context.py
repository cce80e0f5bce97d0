"""Derive the ids of traces (W3C Trace Context) from names that the journals hold: an episode is a trace.

Whoever knows a run, an episode and a step knows the ids. So a trace that is seen elsewhere leads to its step, an
episode keeps its trace if it is resumed on another host, and a span that is sent twice has one id.
"""

from __future__ import annotations

import hashlib

SAMPLED = "01"
_TRACE_BYTES, _SPAN_BYTES = 16, 8


def trace_id(run: str, episode: str) -> int:
    """Return the id of an episode's trace."""
    return _digest(f"{run}/{episode}", _TRACE_BYTES)


def step_span_id(run: str, episode: str, step: int) -> int:
    """Return the id of a step's span: the parent in the ``traceparent`` of all that the step asks for."""
    return _digest(f"{run}/{episode}/{step}", _SPAN_BYTES)


def span_id(run: str, episode: str, *path: str | int) -> int:
    """Return the id of another span of an episode. Without ``path`` it is the span of the episode itself."""
    return _digest("/".join(map(str, (run, episode, "span", *path))), _SPAN_BYTES)


def traceparent(run: str, episode: str, step: int) -> str:
    """Return a step's ``traceparent``: the trace is the episode, the parent the step."""
    return f"00-{trace_id(run, episode):032x}-{step_span_id(run, episode, step):016x}-{SAMPLED}"


def _digest(name: str, size: int) -> int:
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=size).digest())
