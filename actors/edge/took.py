"""Keep what calls under leases took."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from manyhands.protocol.messages import CallContext

MOST_CALLS = 10_000


@dataclass(frozen=True, slots=True)
class Took:
    """Say what one call under a lease took, in milliseconds: in all, and of that at the site itself."""

    method: str
    episode: str
    step: int
    ms: float
    site_ms: float


@dataclass(slots=True)
class Measuring:
    """Hold what is known of a call while it goes on."""

    method: str
    site_s: float = 0.0
    """What it took at the site: whoever gets the answer sets it."""


class LastCalls:
    """Keep what the last calls took, up to 10,000."""

    def __init__(self, now: Callable[[], float]) -> None:
        """``now`` gives seconds."""
        self._now = now
        self._took = deque[Took](maxlen=MOST_CALLS)

    def all(self) -> tuple[Took, ...]:
        """Return what they took, the oldest first."""
        return tuple(self._took)

    @contextmanager
    def measured(self, method: str, context: CallContext) -> Iterator[Measuring]:
        """Note what a call takes that gives a result; one that raises is not noted."""
        measuring, began_at = Measuring(method), self._now()
        yield measuring
        ms = max(0.0, self._now() - began_at) * 1000
        self._took.append(Took(method, context.episode, context.step, ms, measuring.site_s * 1000))
