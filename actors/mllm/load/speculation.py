"""Whether a call that may turn out not to be needed may be sent now. Pure logic; the clock is the caller's.

A server that has nothing left to give serves each speculative call at the cost of one that is needed. Three things
tell of it: something waits (in our queue, in the servers'), the servers' caches are full, or answers come much slower
than they did at best. The last is needed where servers take on all that comes and share their speed: there, nothing
ever waits. It shows by itself, because speculation shortens a step only where there is room: on full servers the same
number of steps, with fewer calls in a row in each, means that each call takes longer (``actors.mllm.load.latency``).

What is seen is seconds old, and many clients see it at once. So room is taken slowly: after any sign no speculative
call is let in for a while, then a growing share of them. A sign that comes soon after makes that while much longer:
where servers are full whatever we do, trying costs next to nothing.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from manyhands.actors.mllm.load.latency import Pace
from manyhands.actors.mllm.load.limiter import Queue
from manyhands.protocol.roles import Role
from manyhands.protocol.runs import RoomSettings


@dataclass(frozen=True, slots=True)
class Load:
    """What a client sees of itself and of its servers at a moment."""

    in_flight: int
    """Calls of this client that have been let in."""
    cap: int
    """How many that may be."""
    waiting: int
    """Calls in this client's own queue."""
    servers: Sequence[Queue] = ()
    """What the servers said last; those that tell nothing are left out."""


PROVEN_S = 60.0
"""A sign that comes later than this after speculation began is taken for a new state of affairs."""
LONGER = 4.0
"""Times the wait, where it comes sooner."""
FEW_CALLS = 4
"""While it is not known how fast answers are at best, none are let in where so many are in flight: what is measured
then must not have been made slow by speculation."""
QUEUED_MS = 100.0
"""A call that waited longer than this in our own queue is a sign."""
FULL_CACHE = 0.9
"""Mean share of the servers' KV caches in use that is a sign; vLLM would soon preempt requests."""


class Room:
    """``now`` is in seconds of any clock that goes forward; ``draw`` gives numbers in [0, 1)."""

    def __init__(self, settings: RoomSettings, draw: Callable[[], float] = random.random) -> None:
        self._settings = settings
        self._draw = draw
        self._wait_s = settings.wait_s
        self._clear_since: float | None = None
        self._paces: dict[Role, Pace] = {}

    def share(self, now: float) -> float:
        """Of the speculative calls, how many are let in: 0 to 1."""
        if self._clear_since is None:
            return 0.0
        on_for = now - self._clear_since - self._wait_s
        if on_for < 0:
            return 0.0
        ramp_s = self._settings.ramp_s
        # A new best has to be tried, and what is tried for long at a small share shows nothing and costs all the same.
        if self._wait_s > self._settings.wait_s and not any(pace.on_trial for pace in self._paces.values()):
            ramp_s = max(ramp_s, self._wait_s / 2)
        return min(1.0, on_for / ramp_s) if ramp_s else 1.0

    def see(self, load: Load, now: float) -> None:
        """How things stand: to be told whenever the servers were asked."""
        if self._clear_since is None:
            self._clear_since = now - self._wait_s
        if _sign(load):
            self.full(now)

    def may_enter(self, load: Load, now: float) -> bool:
        """Whether a speculative call may be sent at once. It must not wait in a queue."""
        self.see(load, now)
        if _sign(load) or load.in_flight + 1 > self._settings.in_flight_share * load.cap:
            return False
        if load.in_flight >= FEW_CALLS and not self._knows_the_best:
            return False
        return self._draw() < self.share(now)

    def entered(self, queue_ms: float, now: float) -> None:
        """A call was let in after a time in our own queue."""
        if queue_ms > QUEUED_MS:
            self.full(now)

    def answered(self, role: Role, latency_ms: float, tokens: int, now: float) -> None:
        """A call was answered at its first attempt: its time since it was let in, and the tokens of the answer."""
        pace = self._paces.setdefault(role, Pace())
        pace.add(latency_ms, tokens, ahead=self.share(now) > 0)
        if pace.slowness > self._settings.slower:
            self.full(now)

    def full(self, now: float) -> None:
        """A sign that the servers have too much to do; a refusal (429, 503) is one too."""
        if self._clear_since is not None and (on_for := now - self._clear_since - self._wait_s) > 0:
            soon = on_for <= PROVEN_S
            for pace in self._paces.values():
                pace.tried(well=not soon)
            self._wait_s = min(LONGER * self._wait_s, self._settings.longest_wait_s) if soon else self._settings.wait_s
        self._clear_since = now

    @property
    def _knows_the_best(self) -> bool:
        return bool(self._paces) and all(pace.known for pace in self._paces.values())


def _sign(load: Load) -> bool:
    if load.waiting > 0:
        return True
    if not load.servers:
        return False
    if sum(queue.waiting for queue in load.servers) > len(load.servers):  # one each may just have come
        return True
    return sum(queue.cache_usage for queue in load.servers) / len(load.servers) >= FULL_CACHE
