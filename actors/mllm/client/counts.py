"""Count a client's calls, by role and server."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from manyhands.actors.mllm.client.trace import Trace
from manyhands.protocol.errors import ManyhandsError, ReplyUnusable
from manyhands.protocol.messages import CallCounts, ModelCall
from manyhands.protocol.roles.role import Role


class CallTotals:
    """Add up calls as they end."""

    def __init__(self) -> None:
        self._sums: defaultdict[tuple[Role, str], defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
        """The sums by role and server. Each maps the name of a field of CallCounts to its sum."""
        self._errors: defaultdict[tuple[Role, str], Counter[str]] = defaultdict(Counter)

    @contextmanager
    def counting(self, trace: Trace) -> Iterator[None]:
        """Count the call of ``trace``, however it ends."""
        try:
            yield
        except asyncio.CancelledError:
            self._sums[trace.role, trace.server]["cancelled"] += 1
            raise
        except ManyhandsError as error:
            self._errors[trace.role, trace.server][error.code] += 1
            raise
        finally:
            self._add(trace)

    def unusable(self, call: ModelCall) -> None:
        """Count an answered call whose answer was not a valid reply."""
        self._errors[call.role, call.server][ReplyUnusable.code] += 1

    def counts(self) -> tuple[CallCounts, ...]:
        return tuple(
            CallCounts.model_validate({"role": role, "server": server, "errors": self._errors[role, server], **sums})
            for (role, server), sums in sorted(self._sums.items())
        )

    def _add(self, trace: Trace) -> None:
        sums = self._sums[trace.role, trace.server]
        sums["calls"] += 1
        sums["retries"] += max(0, trace.attempts - 1)
        sums["repairs"] += trace.repair
        sums["queue_ms"] += trace.queue_ms
        sums["latency_ms"] += trace.latency_ms
        for name, tokens in trace.usage:
            sums[name] += tokens
