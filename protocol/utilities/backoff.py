"""Wait longer after each failure in a row, or as long as a server asks for. The callers sleep, by their clocks."""

from __future__ import annotations

import contextlib
import itertools
import random
from collections.abc import Callable, Iterator
from email.utils import parsedate_to_datetime

from pydantic import Field

from manyhands.protocol.base import Input

_MOST_DOUBLINGS = 60


class Backoff(Input):
    """Give waits in seconds that double from ``first_s`` up to ``longest_s``."""

    first_s: float = Field(gt=0)
    longest_s: float = Field(gt=0)
    jitter: float = Field(default=0.0, ge=0, le=1)
    """The largest share of a wait that chance takes off, so that those which failed together do not return together."""

    def wait_s(self, failures: int, draw: Callable[[], float] = random.random) -> float:
        """Return the wait after ``failures`` failures in a row (at least one). ``draw`` returns a number in [0, 1)."""
        full_s = min(self.longest_s, self.first_s * 2.0 ** min(failures - 1, _MOST_DOUBLINGS))
        return full_s * (1 - self.jitter * draw()) if self.jitter else full_s

    def pauses(self) -> Iterator[float]:
        """Yield the wait after the first failure, after the second, and so on, without end."""
        return map(self.wait_s, itertools.count(1))


def read_retry_after(header: str | None, now: float) -> float | None:
    """Return the seconds of a header ``Retry-After``, which holds a number or a date; None if it holds neither.

    ``now``: Unix seconds. The result may be infinite.
    """
    with contextlib.suppress(ValueError):
        return max(0.0, float(header or ""))
    with contextlib.suppress(ValueError, OverflowError):
        return max(0.0, parsedate_to_datetime(header or "").timestamp() - now)
    return None
