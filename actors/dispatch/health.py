"""Which phones can be used, and when one that cannot is tried again. Pure: the time is an argument."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import Field

from manyhands.protocol.base import Input
from manyhands.protocol.runs import RunWait

_NAMED = 4
"""Of how many phones a line tells what is wrong with them."""


class Backoff(Input):
    """Waits that double from ``first_s`` to ``limit_s``."""

    first_s: float = Field(default=2.0, gt=0)
    limit_s: float = Field(default=30.0, gt=0)

    def wait_s(self, failures: int) -> float:
        """The wait after that many failures in a row, at least one."""
        return min(self.limit_s, self.first_s * 2.0 ** min(failures - 1, 30))


@dataclass(slots=True)
class _Phone:
    aside: bool = False
    lost_at: float = 0.0
    """Since when it is aside."""
    again_at: float = 0.0
    failures: int = 0
    reason: str = ""


class FleetHealth:
    """The phones of a run. A phone is usable, held by someone else for now, or put aside as lost."""

    def __init__(self, serials: Sequence[str], backoff: Backoff, held_s: float, now: float) -> None:
        self._phones = {serial: _Phone() for serial in serials}
        self._backoff = backoff
        self._held_s = held_s
        self._none_since: float | None = None if serials else now

    @property
    def none_left_since(self) -> float | None:
        """Since when no phone could be attached; None while one is left. One that someone else holds is left."""
        return self._none_since

    @property
    def away(self) -> tuple[RunWait, ...]:
        """The phones that are put aside, each with what is wrong with it."""
        return tuple(
            RunWait(what=f"phone {serial}", since=phone.lost_at, reason=phone.reason)
            for serial, phone in self._phones.items()
            if phone.aside
        )

    def why_none(self) -> str:
        """What is wrong with the phones, in a line."""
        reasons = [f"{serial}: {phone.reason}" for serial, phone in self._phones.items() if phone.reason]
        if len(reasons) > _NAMED:
            reasons[_NAMED:] = [f"and {len(reasons) - _NAMED} more"]
        return "; ".join(reasons) or ("none has served a task" if self._phones else "the run has no phones")

    def wait_s(self, serial: str, now: float) -> float:
        """How long to leave the phone alone."""
        return max(0.0, self._phones[serial].again_at - now)

    def is_aside(self, serial: str) -> bool:
        return self._phones[serial].aside

    def lost(self, serial: str, now: float, reason: str) -> None:
        """Put the phone aside, each time in a row for longer."""
        phone = self._phones[serial]
        if not phone.aside:
            phone.lost_at = now
        phone.failures += 1
        phone.aside, phone.reason = True, reason
        phone.again_at = now + self._backoff.wait_s(phone.failures)
        if self._none_since is None and all(phone.aside for phone in self._phones.values()):
            self._none_since = now

    def held(self, serial: str, now: float, reason: str) -> None:
        """Someone else has the phone."""
        phone = self._phones[serial]
        phone.aside, phone.again_at, phone.reason = False, now + self._held_s, reason
        self._none_since = None

    def attached(self, serial: str) -> None:
        """The phone's lease was ours: it is there. Its failures still count until it has served."""
        phone = self._phones[serial]
        phone.aside, phone.reason = False, ""
        self._none_since = None

    def served(self, serial: str) -> None:
        """An episode ended on the phone and left it whole."""
        self._phones[serial].failures = 0
