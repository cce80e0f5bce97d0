"""How much longer answers take than at best. Pure logic.

An answer takes a time to its first token and then a time for each further one; only whole answers are seen, for
to see first tokens all answers would have to be streamed, at more CPU than the rest of a call. So what an answer of
so many tokens should take is read off the last few hundred answers, as a straight line through them; how long answers
take by that line can be compared, whatever their lengths.

Answers differ for reasons of their own, too: one picture is in the server's cache, the next must be read. So what a few
answers may be slower by chance, as much as they differ among themselves, is not held against the server.

What speculation has made slow must not become what is expected of answers without it: of what comes while it is on,
only what is better than the best is learned. And a best is kept for a while in which no answer reaches it, for a full
server must be known as one. Then the best of the last answers takes its place: a server that has become another one for
good is met anew. If speculation soon has to end again, it was a full one, and the best of before stands again.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

BLOCK = 16
"""Answers that are looked at together: single ones vary by what else the server does."""
BLOCKS = 16
"""From which it is learned what answers of so many tokens take now."""
KEPT = 256
"""Blocks for which a best is kept that no answer reaches any more."""
CHANCE = 2.0
"""Standard errors by which answers may be slower without being a sign."""
ANSWERS = (KEPT + 2) * BLOCK
"""After so many answers without speculation, nothing of before counts."""


@dataclass(slots=True)
class _Block:
    """Sums over some answers; ``tokens`` are those after the first."""

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
    """What answers are expected to take: ``first`` for the first token, ``each`` for every other one. In ms."""

    first: float
    each: float

    def slowness(self, block: _Block) -> float:
        """How long the answers took, by what is expected."""
        expected = self.first * block.answers + self.each * block.tokens
        return block.ms / expected if expected > 0 else 1.0

    def certain_slowness(self, block: _Block) -> float:
        """How long the answers took at least, if what they differ by among themselves is chance."""
        expected = self.first * block.answers + self.each * block.tokens
        if expected <= 0 or block.answers < 2:
            return self.slowness(block)
        off = block.ms - self.each * block.tokens
        off_squared = block.ms_squared - 2 * self.each * block.tokens_ms + self.each**2 * block.tokens_squared
        variance = max(0.0, off_squared - off * off / block.answers) / (block.answers - 1)
        return max(0.0, block.ms - CHANCE * math.sqrt(variance * block.answers)) / expected


class Pace:
    """Of the answers to one role."""

    def __init__(self) -> None:
        self._past: deque[_Block] = deque(maxlen=BLOCKS)
        """The last ones that came without speculation."""
        self._best: _Block | None = None
        self._former: _Block | None = None
        """The best that was forgotten, until it is known whether that was right."""
        self._age = 0
        """Blocks since the best."""
        self._line = _Line(0.0, 0.0)
        self._slowness = 1.0
        self._filling = _Block()
        self._ahead = False
        """Whether speculation was on for some answer of the block that is being filled."""

    def add(self, ms: float, tokens: int, ahead: bool) -> None:
        """An answer of so many tokens that took ``ms``; ``ahead``: while speculation was on."""
        self._filling.add(max(0, tokens - 1), ms)
        self._ahead |= ahead
        if self._filling.answers == BLOCK:
            block, self._filling = self._filling, _Block()
            ahead, self._ahead = self._ahead, False
            self._learn(block, ahead)

    def tried(self, well: bool) -> None:
        """Speculation had to end. Where that was soon, a best that was new is none, but what a full server takes."""
        if not well and self._former is not None:
            self._best, self._age = self._former, 0
        self._former = None

    @property
    def known(self) -> bool:
        """Whether there is a best to compare with."""
        return self._best is not None

    @property
    def on_trial(self) -> bool:
        """Whether the best is a new one, of which speculation will show whether it is that of a full server."""
        return self._former is not None

    @property
    def slowness(self) -> float:
        """How many times as long as at best the last answers took for certain; 1 while too little is known."""
        return self._slowness

    def _learn(self, block: _Block, ahead: bool) -> None:
        if not ahead or self._best is None:
            self._past.append(block)
            self._age += 1
        self._line = _fitted([*self._past, self._best or block])
        if self._best is None or self._line.slowness(block) < self._line.slowness(self._best):
            self._best, self._former, self._age = block, None, 0
        elif self._age >= KEPT:
            self._former, self._best, self._age = self._best, min(self._past, key=self._line.slowness), 0
        best = self._line.slowness(self._best)
        self._slowness = self._line.certain_slowness(block) / best if best > 0 else 1.0


def _fitted(blocks: Sequence[_Block]) -> _Line:
    """The line of least squares through all answers; neither part is negative."""
    count = sum(block.answers for block in blocks)
    tokens, ms = sum(block.tokens for block in blocks), sum(block.ms for block in blocks)
    spread = sum(block.tokens_squared for block in blocks) - tokens * tokens / count
    together = sum(block.tokens_ms for block in blocks) - tokens * ms / count
    if spread <= 1e-9 * tokens * tokens:  # all of one length: any line through their mean will do
        return _Line(ms / count, 0.0)
    each = max(0.0, together / spread)
    first = (ms - each * tokens) / count
    if first < 0:
        return _Line(0.0, ms / tokens)
    return _Line(first, each)
