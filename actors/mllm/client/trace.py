"""Follow one call while it runs, and make its ModelCall."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from manyhands.protocol.messages import ModelCall, Usage
from manyhands.protocol.roles.role import Role
from manyhands.protocol.utilities.host_clock import HOST_CLOCK


@dataclass(slots=True)
class Trace:
    """Follow one call. ``queue_ms``: its time in our admission queue. The clock starts at its admission."""

    role: Role
    server: str
    """The server that was asked last."""
    request: dict[str, Any]
    """The body as sent, without its pictures."""
    reply_type: str
    repair: bool
    queue_ms: float = 0.0
    usage: Usage = field(default_factory=Usage)
    attempts: int = 0
    """Attempts that reached a server."""
    away: list[tuple[float, float]] = field(default_factory=list)
    """Times (begin and end) during which no server answered and the call waited."""
    started_at: float = field(default_factory=HOST_CLOCK.now)
    _began: float = field(default_factory=time.perf_counter)

    def admitted(self, queue_ms: float) -> None:
        self.queue_ms = queue_ms
        self.started_at = HOST_CLOCK.now()
        self._began = time.perf_counter()

    @property
    def latency_ms(self) -> float:
        """Return the time since admission in ms; 0 for a call that was never sent."""
        if self.attempts == 0:
            return 0.0
        return (time.perf_counter() - self._began) * 1000

    def call(self, reply: str | None, error: str | None) -> ModelCall:
        return ModelCall(
            role=self.role,
            server=self.server,
            request=self.request,
            reply=reply,
            error=error,
            usage=self.usage,
            started_at=self.started_at,
            latency_ms=self.latency_ms,
            queue_ms=self.queue_ms,
            attempts=max(1, self.attempts),
            reply_type=self.reply_type,
            repair=self.repair,
            away=tuple(self.away),
        )

    def failed(self, error: str) -> tuple[ModelCall, ...]:
        return (self.call(None, error),)
