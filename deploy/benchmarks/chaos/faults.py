"""The faults of a round: which is to blame for what went wrong, and when they had put the clock off."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence

from manyhands.evaluation.run_folder import InjectedFault

NO_FAULT = "no fault"
"""The row of what happened where no fault had hit the phone before."""


class Blame:
    """Know the faults of one round."""

    def __init__(self, faults: Sequence[InjectedFault]) -> None:
        self._by_serial: defaultdict[str, list[InjectedFault]] = defaultdict(list)
        for fault in sorted(faults, key=lambda fault: fault.at):
            for serial in fault.hit:
                self._by_serial[serial].append(fault)
        self.last = max(faults, key=lambda fault: fault.at).kind if faults else NO_FAULT
        """The last of all: what never began, or has no end, came after it."""

    def kind(self, serial: str, at: float) -> str:
        """Return the kind of the last fault that had hit a phone at a time."""
        faults = self._by_serial[serial]
        place = bisect_right([fault.at for fault in faults], at)
        return faults[place - 1].kind if place else NO_FAULT


_SLACK_S = 5.0
"""What a run writes down at the edge of a fault may be from a little before or after."""


class SteppedClock:
    """Know when a run's clock was off, and by how much."""

    def __init__(self, faults: Sequence[InjectedFault]) -> None:
        self._off = [(fault.at - _SLACK_S, fault.over + _SLACK_S, fault.clock_s) for fault in faults if fault.clock_s]

    def true(self, at: float) -> float:
        """Return the machine's time for one of the run's, both in Unix seconds.

        Steps are longer than a run, so a time is of a stepped clock if it lies where only that could have put it.
        """
        return next((at - by for start, end, by in self._off if start <= at - by <= end), at)
