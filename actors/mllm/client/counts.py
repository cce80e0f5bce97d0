"""Figures of a client's calls, by role and server."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from manyhands.actors.mllm.client.trace import Trace
from manyhands.protocol.errors import ManyhandsError, ReplyUnusable
from manyhands.protocol.messages import CallCounts, ModelCall
from manyhands.protocol.roles import Role


@dataclass(slots=True)
class _Sums:
    whole: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    queue_ms: float = 0.0
    latency_ms: float = 0.0


class CallTotals:
    """Adds up calls as they end."""

    def __init__(self) -> None:
        self._sums: dict[tuple[Role, str], _Sums] = {}

    @contextmanager
    def counting(self, trace: Trace) -> Iterator[None]:
        """Count the call of ``trace``, however it ends."""
        try:
            yield
        except asyncio.CancelledError:
            self._of(trace.role, trace.server).whole["cancelled"] += 1
            raise
        except ManyhandsError as error:
            self._of(trace.role, trace.server).errors[error.code] += 1
            raise
        finally:
            self._add(trace)

    def unusable(self, call: ModelCall) -> None:
        """Count an answered call whose answer was not a valid reply."""
        self._of(call.role, call.server).errors[ReplyUnusable.code] += 1

    def counts(self) -> tuple[CallCounts, ...]:
        return tuple(
            CallCounts(
                role=role,
                server=server,
                errors=dict(sums.errors),
                queue_ms=sums.queue_ms,
                latency_ms=sums.latency_ms,
                **sums.whole,
            )
            for (role, server), sums in sorted(self._sums.items())
        )

    def _of(self, role: Role, server: str) -> _Sums:
        return self._sums.setdefault((role, server), _Sums())

    def _add(self, trace: Trace) -> None:
        sums = self._of(trace.role, trace.server)
        sums.whole.update(
            calls=1,
            retries=max(0, trace.attempts - 1),
            repairs=int(trace.repair),
            input_tokens=trace.usage.input_tokens,
            output_tokens=trace.usage.output_tokens,
            cached_tokens=trace.usage.cached_tokens,
        )
        sums.queue_ms += trace.queue_ms
        sums.latency_ms += trace.latency_ms
