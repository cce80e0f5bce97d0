"""Say when a delivery that failed is tried again, and when it is given up."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

DAY_S = 86400.0


@dataclass(frozen=True, slots=True)
class RetryPlan:
    """Wait longer after each failure, by chance a little more or less, and give up in the end."""

    first_s: float = 5.0
    """About how long to wait after the first failure. Each further wait is twice as long."""
    longest_s: float = 600.0
    """The longest wait, unless the receiver asks for more."""
    longest_asked_s: float = 3600.0
    """The longest wait that a receiver can ask for (``Retry-After``)."""
    give_up_s: float = DAY_S
    """How long after its first attempt a delivery is given up."""

    def wait_s(self, failures: int, random: Random, asked_s: float | None = None) -> float:
        """Return how many seconds to wait after ``failures`` failures in a row.

        The wait doubles with each failure, up to ``longest_s``. By chance it is between half and the whole of that, so
        that receivers which failed together are not all tried again at the same moment.
        """
        doublings = min(max(failures, 1) - 1, 30)
        wait = min(self.first_s * 2.0**doublings, self.longest_s) * random.uniform(0.5, 1.0)
        return max(wait, min(asked_s or 0.0, self.longest_asked_s))

    def next_attempt(
        self, first_attempt_at: float, failures: int, now: float, random: Random, asked_s: float | None = None
    ) -> float | None:
        """Return when a delivery that failed now is tried again; None if it is given up."""
        end = first_attempt_at + self.give_up_s
        if now >= end:
            return None
        return min(now + self.wait_s(failures, random, asked_s), end)
