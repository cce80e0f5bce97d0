"""Decide whether a speculative call, which may turn out not to be needed, may be sent now. Pure logic.

A server without spare capacity serves each speculative call at the expense of a call that is needed. Three signs show
that: calls wait (in our queue or in the servers'), the servers' caches are full, or answers take much longer than the
best ones. The third sign is needed for servers that accept everything and share their speed: there nothing ever waits.
Speculation shortens a step only if there is spare capacity. On full servers a step with speculation takes as long as
without it. It has fewer calls in a row, so each call takes longer (``actors.mllm.load.latency``).

Observations are seconds old, and many clients make them at the same time. So the budget takes capacity slowly. After
any sign of overload it admits no speculative calls for some time, then a growing share of them. If the next sign comes
soon, that time becomes much longer. So on servers that are always full, speculation is tried rarely and costs next to
nothing.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from manyhands.actors.mllm.load.latency import LatencyBaseline
from manyhands.actors.mllm.load.limiter import ServerQueue
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.episode_settings import SpeculationSettings


@dataclass(frozen=True, slots=True)
class ClientLoad:
    """Hold the load that a client sees at one moment: its own and its servers'."""

    in_flight: int
    """Calls of this client that have been admitted."""
    cap: int
    """The most calls that may be in flight."""
    waiting: int
    """Calls in this client's own queue."""
    servers: Sequence[ServerQueue] = ()
    """The servers' queues as last read, without servers that publish none."""

    @property
    def overloaded(self) -> bool:
        """Return whether calls wait, or the servers' caches are full."""
        if self.waiting > 0:
            return True
        if not self.servers:
            return False
        # one call for each server may just have arrived and not yet begun
        if sum(queue.backlog for queue in self.servers) > len(self.servers):
            return True
        return sum(queue.cache_usage for queue in self.servers) / len(self.servers) >= FULL_CACHE


PROVEN_S = 60.0
"""If speculation has been on for longer than this, a sign of overload counts as a change of circumstances."""
LONGER = 4.0
"""The factor by which the wait grows if a sign of overload comes before ``PROVEN_S``."""
FEW_CALLS = 4
"""Without a baseline, speculation is allowed only beside fewer calls in flight than this.

The baseline must not be measured while speculation slows answers down.
"""
QUEUED_MS = 100.0
"""A call that waited longer than this in our own queue is a sign of overload."""
FULL_CACHE = 0.9
"""A mean use of the servers' KV caches from this share on is a sign of overload: vLLM would soon preempt requests."""


class SpeculationBudget:
    """Admit speculative calls by the servers' spare capacity.

    ``now`` is in seconds of any clock that goes forward. ``draw`` returns numbers in [0, 1).
    """

    def __init__(self, settings: SpeculationSettings, draw: Callable[[], float] = random.random) -> None:
        self._settings = settings
        self._draw = draw
        self._wait_s = settings.wait_s
        self._clear_since: float | None = None
        self._baselines: dict[Role, LatencyBaseline] = {}

    def share(self, now: float) -> float:
        """Return the share of speculative calls that is admitted, 0 to 1."""
        if self._clear_since is None:
            return 0.0
        on_for = now - self._clear_since - self._wait_s
        if on_for < 0:
            return 0.0
        ramp_s = self._settings.ramp_s
        # A new best latency must be tested with full speculation. A small share over a long time would cost as much and
        # show nothing.
        on_trial = any(baseline.on_trial for baseline in self._baselines.values())
        if self._wait_s > self._settings.wait_s and not on_trial:
            ramp_s = max(ramp_s, self._wait_s / 2)
        return min(1.0, on_for / ramp_s) if ramp_s else 1.0

    def observe(self, load: ClientLoad, now: float) -> None:
        """Record the load. Call it whenever the servers' queues have been read."""
        if self._clear_since is None:
            self._clear_since = now - self._wait_s
        if load.overloaded:
            self.signal_overload(now)

    def admits(self, load: ClientLoad, now: float) -> bool:
        """Return whether a speculative call may be sent at once. Such a call must not wait in a queue."""
        self.observe(load, now)
        if load.overloaded or load.in_flight + 1 > self._settings.in_flight_share * load.cap:
            return False
        if load.in_flight >= FEW_CALLS and not self._baselines_known:
            return False
        return self._draw() < self.share(now)

    def admitted(self, queue_ms: float, now: float) -> None:
        """Record that a call was admitted after ``queue_ms`` in our own queue."""
        if queue_ms > QUEUED_MS:
            self.signal_overload(now)

    def answered(self, role: Role, latency_ms: float, tokens: int, now: float) -> float:
        """Record the answer to a first attempt: its time since admission, and its tokens.

        Return how many times the best latency the role's last answers took, each time that enough of them have come;
        else 1.
        """
        baseline = self._baselines.setdefault(role, LatencyBaseline())
        judged = baseline.add(latency_ms, tokens, speculating=self.share(now) > 0)
        if baseline.slowness > self._settings.slower:
            self.signal_overload(now)
        return baseline.slowness if judged else 1.0

    def signal_overload(self, now: float) -> None:
        """Stop speculation for a while, because the servers are overloaded.

        Also call this after a refusal (429, 503).
        """
        if self._clear_since is not None and (on_for := now - self._clear_since - self._wait_s) > 0:
            soon = on_for <= PROVEN_S
            for baseline in self._baselines.values():
                baseline.speculation_ended(soon)
            self._wait_s = min(LONGER * self._wait_s, self._settings.longest_wait_s) if soon else self._settings.wait_s
        self._clear_since = now

    @property
    def _baselines_known(self) -> bool:
        return bool(self._baselines) and all(baseline.is_known for baseline in self._baselines.values())
