"""Decide whether a speculative call, which may turn out not to be needed, may be sent now. Pure logic.

A server without spare capacity serves each speculative call at the expense of a call that is needed. Three signs show
that: calls wait (in our queue or in the servers'), the servers' caches are full, or answers take much longer than the
best ones. The third sign is needed for servers that accept everything and share their speed: there nothing ever waits.
Speculation shortens a step only if there is spare capacity. On full servers a step with speculation takes as long as
without it. It has fewer calls in a row, so each call takes longer.

Observations are seconds old, and many clients make them at the same time. So the budget takes capacity slowly. After
any sign of overload it admits no speculative calls for some time, then a growing share of them. If the next sign comes
soon, that time becomes much longer. So on servers that are always full, speculation is tried rarely and costs next to
nothing.
"""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from manyhands.actors.mllm.load.admission import ServerQueue
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.episode_settings import SpeculationSettings

BLOCK = 16
"""Answers that are judged together, because single answers vary with the server's other work."""
BLOCKS = 16
"""The number of blocks to which the line is fitted."""
KEPT = 256
"""After so many blocks that are slower than the best one, a later block replaces the best one."""
CHANCE = 2.0
"""Answers may be slower by so many standard errors before they count as a sign of overload."""
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


@dataclass(slots=True)
class _Block:
    """Hold sums over some answers. ``tokens`` does not count the first token of each answer."""

    answers: int = 0
    tokens: float = 0.0
    ms: float = 0.0
    tokens_squared: float = 0.0
    tokens_ms: float = 0.0
    ms_squared: float = 0.0

    def add(self, tokens: float, ms: float) -> None:
        self.answers += 1
        self.tokens += tokens
        self.ms += ms
        self.tokens_squared += tokens * tokens
        self.tokens_ms += tokens * ms
        self.ms_squared += ms * ms


@dataclass(frozen=True, slots=True)
class _Line:
    """Hold the expected latency: ``first`` ms for the first token, ``each`` ms for every further one."""

    first: float
    each: float

    def slowness(self, block: _Block) -> float:
        """Return the answers' time divided by the expected time."""
        expected = self.first * block.answers + self.each * block.tokens
        return block.ms / expected if expected > 0 else 1.0

    def certain_slowness(self, block: _Block) -> float:
        """Return the slowness without the part that may be chance, judged by the spread of the answers in the block."""
        expected = self.first * block.answers + self.each * block.tokens
        if expected <= 0 or block.answers < 2:
            return self.slowness(block)
        off = block.ms - self.each * block.tokens
        off_squared = block.ms_squared - 2 * self.each * block.tokens_ms + self.each**2 * block.tokens_squared
        variance = max(0.0, off_squared - off * off / block.answers) / (block.answers - 1)
        return max(0.0, block.ms - CHANCE * math.sqrt(variance * block.answers)) / expected


class _LatencyBaseline:
    """Learn the best latency of one role's answers and compare new answers with it.

    An answer takes some time to its first token, and then a time for each further token. Only whole answers are
    measured: streaming them to see the first tokens would take more CPU than the rest of a call. So the expected
    latency, by the number of tokens, is a straight line fitted to the last few hundred answers. Latencies relative to
    that line can be compared, whatever the lengths of the answers.

    Answers also differ by themselves: one picture is in the server's cache, the next one must be read. So a slower
    answer does not count against the server if the difference is within the usual spread of answers.

    Answers that speculation made slow must not become the expectation. While speculation is on, answers are learned
    only if they are better than the best block so far. That best block is kept for a while even if later answers are
    slower, so that a full server can be recognized. After that time the best of the latest blocks replaces it, because
    the server may have changed for good. If speculation has to end soon after such a replacement, the server was full,
    and the former best block is restored.
    """

    def __init__(self) -> None:
        self._past: deque[_Block] = deque(maxlen=BLOCKS)
        """The last blocks without speculation."""
        self._best: _Block | None = None
        self._former: _Block | None = None
        """The replaced best, kept until speculation has shown whether replacing it was right."""
        self._age = 0
        """The blocks without speculation since the best one."""
        self._line = _Line(0.0, 0.0)
        self._slowness = 1.0
        self._filling = _Block()
        self._speculating = False
        """Whether speculation was on during some answer of the current block."""

    def add(self, ms: float, tokens: int, speculating: bool) -> bool:
        """Add an answer of ``tokens`` tokens that took ``ms``; ``speculating``: whether speculation was on.

        Return whether the answer completed a block, so that ``slowness`` is that of this block.
        """
        self._filling.add(max(0, tokens - 1), ms)
        self._speculating |= speculating
        if self._filling.answers == BLOCK:
            block, self._filling = self._filling, _Block()
            speculating, self._speculating = self._speculating, False
            self._learn(block, speculating)
            return True
        return False

    def speculation_ended(self, soon: bool) -> None:
        """Record that speculation had to end.

        If it ended ``soon``, a new best came from a full server and is dropped.
        """
        if soon and self._former is not None:
            self._best, self._age = self._former, 0
        self._former = None

    @property
    def is_known(self) -> bool:
        """Return whether a best is known to compare with."""
        return self._best is not None

    @property
    def on_trial(self) -> bool:
        """Return whether the best is new, and speculation has not yet shown whether the new best came from
        a full server.
        """
        return self._former is not None

    @property
    def slowness(self) -> float:
        """Return how many times the best latency the last answers took, at least.

        Return 1 while too little is known.
        """
        return self._slowness

    def _learn(self, block: _Block, speculating: bool) -> None:
        if not speculating or self._best is None:
            self._past.append(block)
            self._age += 1
        self._line = _fit_line([*self._past, self._best or block])
        if self._best is None or self._line.slowness(block) < self._line.slowness(self._best):
            self._best, self._former, self._age = block, None, 0
        elif self._age >= KEPT:
            self._former, self._best, self._age = self._best, min(self._past, key=self._line.slowness), 0
        best = self._line.slowness(self._best)
        self._slowness = self._line.certain_slowness(block) / best if best > 0 else 1.0


def _fit_line(blocks: Sequence[_Block]) -> _Line:
    """Fit a line through all answers by least squares. Neither ``first`` nor ``each`` is negative."""
    count = sum(block.answers for block in blocks)
    tokens, ms = sum(block.tokens for block in blocks), sum(block.ms for block in blocks)
    spread = sum(block.tokens_squared for block in blocks) - tokens * tokens / count
    together = sum(block.tokens_ms for block in blocks) - tokens * ms / count
    if spread <= 1e-9 * tokens * tokens:  # all answers have one length: any line through their mean fits
        return _Line(ms / count, 0.0)
    each = max(0.0, together / spread)
    first = (ms - each * tokens) / count
    if first < 0:
        return _Line(0.0, ms / tokens)
    return _Line(first, each)


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


class SpeculationBudget:
    """Admit speculative calls by the servers' spare capacity.

    ``now`` is in seconds of any clock that goes forward. ``draw`` returns numbers in [0, 1).
    """

    def __init__(self, settings: SpeculationSettings, draw: Callable[[], float] = random.random) -> None:
        self._settings = settings
        self._draw = draw
        self._wait_s = settings.wait_s
        self._clear_since: float | None = None
        self._baselines: dict[Role, _LatencyBaseline] = {}

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
        baseline = self._baselines.setdefault(role, _LatencyBaseline())
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
