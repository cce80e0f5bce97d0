"""Find the fault that is to blame for what went wrong, and undo the effect of faults that step the clock."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence

from manyhands.evaluation.run_folder import InjectedFault

NO_FAULT = "no fault"
"""The row for what happened on a phone that no fault had hit before."""


class Blame:
    """Find the fault to blame, among the faults of one round."""

    def __init__(self, faults: Sequence[InjectedFault]) -> None:
        self._by_serial: defaultdict[str, list[InjectedFault]] = defaultdict(list)
        for fault in sorted(faults, key=lambda fault: fault.at):
            for serial in fault.hit:
                self._by_serial[serial].append(fault)
        self.last = max(faults, key=lambda fault: fault.at).kind if faults else NO_FAULT
        """The kind of the last fault of all. This kind is to blame for tasks that never began or never ended."""

    def kind(self, serial: str, at: float) -> str:
        """Return the kind of the last fault that had hit a phone before this time."""
        faults = self._by_serial[serial]
        place = bisect_right([fault.at for fault in faults], at)
        return faults[place - 1].kind if place else NO_FAULT


_SLACK_S = 5.0
"""Seconds by which times in the journal may lie before the beginning or after the end of a fault."""


class SteppedClock:
    """Know when a run's clock was wrong, and by how much."""

    def __init__(self, faults: Sequence[InjectedFault]) -> None:
        self._off = [(fault.at - _SLACK_S, fault.over + _SLACK_S, fault.clock_s) for fault in faults if fault.clock_s]

    def true(self, at: float) -> float:
        """Return the machine's time for a time by the run's clock, both in Unix seconds.

        Faults step the clock by more than the length of a run. So a time comes from a stepped clock if it lies within
        the fault once the step is taken off.
        """
        return next((at - by for start, end, by in self._off if start <= at - by <= end), at)
