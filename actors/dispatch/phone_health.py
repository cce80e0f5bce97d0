"""The health of a fleet: which phones can be used, and when lost ones are retried. Pure: time is an argument."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from manyhands.protocol.runs.progress import RunWait
from manyhands.protocol.utilities.backoff import Backoff

_NAMED = 4
"""The most phones whose failures are named in one line."""


@dataclass(slots=True)
class _Phone:
    aside: bool = False
    lost_at: float = 0.0
    """When the phone was set aside as lost."""
    again_at: float = 0.0
    failures: int = 0
    reason: str = ""


class FleetHealth:
    """Track the phones of a run: each is usable, held by someone else for now, or set aside as lost."""

    def __init__(self, serials: Sequence[str], backoff: Backoff, held_s: float, now: float) -> None:
        self._phones = {serial: _Phone() for serial in serials}
        self._backoff = backoff
        self._held_s = held_s
        self._none_since: float | None = None if serials else now

    def add(self, serial: str) -> None:
        """Track another phone; it counts as usable until it is lost. A phone that is tracked already stays as it is."""
        if serial not in self._phones:
            self._phones[serial] = _Phone()
            self._none_since = None

    @property
    def none_left_since(self) -> float | None:
        """Return when the last usable phone was lost; None while a phone is left, even one that another holder has."""
        return self._none_since

    @property
    def away(self) -> tuple[RunWait, ...]:
        """Return the phones that are set aside, each with its failure."""
        return tuple(
            RunWait(what=f"phone {serial}", since=phone.lost_at, reason=phone.reason)
            for serial, phone in self._phones.items()
            if phone.aside
        )

    @property
    def losses(self) -> dict[str, int]:
        """Return how often phones were lost in a row, since an episode last ended on them."""
        return {serial: phone.failures for serial, phone in self._phones.items() if phone.failures}

    def why_none(self) -> str:
        """Describe the phones' failures in a line."""
        reasons = [f"{serial}: {phone.reason}" for serial, phone in self._phones.items() if phone.reason]
        if len(reasons) > _NAMED:
            reasons[_NAMED:] = [f"and {len(reasons) - _NAMED} more"]
        return "; ".join(reasons) or ("none has served a task" if self._phones else "the run has no phones")

    def wait_s(self, serial: str, now: float) -> float:
        """Return for how many seconds to leave the phone alone."""
        return max(0.0, self._phones[serial].again_at - now)

    def is_aside(self, serial: str) -> bool:
        return self._phones[serial].aside

    def lost(self, serial: str, now: float, reason: str) -> None:
        """Set a lost phone aside, for longer after each loss in a row."""
        phone = self._phones[serial]
        if not phone.aside:
            phone.lost_at = now
        phone.failures += 1
        phone.aside, phone.reason = True, reason
        phone.again_at = now + self._backoff.wait_s(phone.failures)
        if self._none_since is None and all(phone.aside for phone in self._phones.values()):
            self._none_since = now

    def held(self, serial: str, now: float, reason: str) -> None:
        """Leave a phone alone for a while because another holder has it."""
        phone = self._phones[serial]
        phone.aside, phone.again_at, phone.reason = False, now + self._held_s, reason
        self._none_since = None

    def attached(self, serial: str) -> None:
        """Record that a lease was granted, so the phone is connected.

        Its failures stay counted until an episode has ended on it.
        """
        phone = self._phones[serial]
        phone.aside, phone.reason = False, ""
        self._none_since = None

    def served(self, serial: str) -> None:
        """Record that an episode ended and left the phone usable."""
        self._phones[serial].failures = 0
