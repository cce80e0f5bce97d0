"""Name the traces of episodes for whoever sees requests from outside: model servers, gateways beside phones."""

from __future__ import annotations

import hashlib


def traceparent(run: str, episode: str, step: int) -> str:
    """Return a step's ``traceparent`` (W3C Trace Context): the trace is the episode, the parent the step.

    It follows from what the journal has, so a trace that was seen outside leads to its step, also after an episode
    went on elsewhere.
    """
    trace = hashlib.blake2b(f"{run}/{episode}".encode(), digest_size=16)
    parent = hashlib.blake2b(f"{run}/{episode}/{step}".encode(), digest_size=8)
    return f"00-{trace.hexdigest()}-{parent.hexdigest()}-01"
