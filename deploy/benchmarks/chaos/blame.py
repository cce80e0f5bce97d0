"""Which fault is to blame for what went wrong: the last one that had hit the phone before."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence

from manyhands.evaluation.faults import Fault

NO_FAULT = "no fault"
"""The row of what happened where no fault had hit the phone before."""


class Blame:
    """Know the faults of one round."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self._by_serial: defaultdict[str, list[Fault]] = defaultdict(list)
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
