"""Turn the clock times of a time zone into moments, also where its clocks are set forward or back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo, available_timezones

from manyhands.protocol.errors import BadInput
from manyhands.protocol.utilities.validation_words import suggest

_EPOCH = datetime(1970, 1, 1)
DAY_S = 86400


class ZoneTimes:
    """Convert between moments (Unix seconds) and what the clocks of one zone show (datetimes without a zone)."""

    def __init__(self, zone: ZoneInfo) -> None:
        self._zone = zone

    def offset_s(self, at: float) -> float:
        """Return by how many seconds the zone's clocks are ahead of UTC at a moment."""
        offset = datetime.fromtimestamp(at, UTC).astimezone(self._zone).utcoffset()
        return 0.0 if offset is None else offset.total_seconds()

    def shown_at(self, at: float) -> datetime:
        """Return what the clocks show at a moment."""
        return _EPOCH + timedelta(seconds=at + self.offset_s(at))

    def first_moment(self, local_time: datetime) -> float:
        """Return the first moment at which the clocks show a time.

        If they never show it, because they were set forward over it, return the moment when they were set forward.
        """
        late, early = (self._moment(local_time, fold) for fold in (0, 1))
        if self.shown_at(late) == local_time:
            return late  # with fold 0 it is the first of two
        # In a gap, the offset of before gives a moment after the change, and that of afterwards a moment before it.
        return self._first_with_other_offset(early, late)

    def change_within(self, after: float, seconds: float) -> float | None:
        """Return the moment, at most ``seconds`` after ``after``, when the offset changed; None if it did not.

        Two changes that undo each other within this time are not seen.
        """
        if self.offset_s(after) == self.offset_s(after + seconds):
            return None
        return self._first_with_other_offset(after, after + seconds)

    def _moment(self, local_time: datetime, fold: int) -> float:
        return local_time.replace(tzinfo=self._zone, fold=fold).timestamp()

    def _first_with_other_offset(self, before: float, after: float) -> float:
        """Search between two moments with different offsets. Changes happen at whole seconds."""
        offset = self.offset_s(before)
        return _first_integer(lambda at: self.offset_s(at) != offset, int(before), int(after) + 1)


@lru_cache(maxsize=256)
def load_zone(name: str) -> ZoneTimes:
    """Return the time zone of an IANA name. Raises BadInput for an unknown name, with the nearest known one."""
    if name not in available_timezones():
        hint = suggest(name, available_timezones()) or "; write an IANA name such as Europe/Berlin"
        raise BadInput(f"zone: there is no time zone {name!r}{hint}")
    return ZoneTimes(ZoneInfo(name))


def _first_integer(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Return the first integer after ``low`` for which ``holds`` is true, by bisection. It is true for ``high``."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
