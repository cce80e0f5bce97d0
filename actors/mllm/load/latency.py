"""Measure how much longer answers take than the best ones. Pure logic.

An answer takes some time to its first token, and then a time for each further token. Only whole answers are measured:
streaming them to see the first tokens would take more CPU than the rest of a call. So the expected latency, by the
number of tokens, is a straight line fitted to the last few hundred answers. Latencies relative to that line can be
compared, whatever the lengths of the answers.

Answers also differ by themselves: one picture is in the server's cache, the next one must be read. So a slower answer
does not count against the server if the difference is within the usual spread of answers.

Answers that speculation made slow must not become the expectation. While speculation is on, answers are learned only if
they are better than the best block so far. That best block is kept for a while even if later answers are slower, so
that a full server can be recognized. After that time the best of the latest blocks replaces it, because the server may
have changed for good. If speculation has to end soon after such a replacement, the server was full, and the former best
block is restored.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

BLOCK = 16
"""Answers that are judged together, because single answers vary with the server's other work."""
BLOCKS = 16
"""The number of blocks to which the line is fitted."""
KEPT = 256
"""After so many blocks that are slower than the best one, a later block replaces the best one."""
CHANCE = 2.0
"""Answers may be slower by so many standard errors before they count as a sign of overload."""


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


class LatencyBaseline:
    """Learn the best latency of one role's answers and compare new answers with it."""

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
