"""Read and show times on the command line: ``2h`` from now, ``2026-01-02T18:00``, ``in 5 min``."""

from __future__ import annotations

import re
from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from manyhands.protocol.errors import BadInput

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_DURATION = re.compile(r"^(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>[smhd])$")
HELP = "write a time from now such as 90s, 30m, 2h or 1d, or a moment such as 2026-01-02T18:00"


def read_duration(text: str, option: str) -> float:
    """Return the seconds of ``30m`` or ``2h``. Raises BadInput, which names the option."""
    match = _DURATION.match(text.strip())
    if match is None:
        raise BadInput(f"{option} {text}: write a time such as 90s, 30m, 2h or 1d")
    return float(match["number"]) * _SECONDS[match["unit"]]


def read_moment(text: str, option: str, now: float) -> float:
    """Return a moment in Unix seconds. One without a time zone is in that of this machine. Raises BadInput."""
    if _DURATION.match(text.strip()):
        return now + read_duration(text, option)
    try:
        moment = datetime.fromisoformat(text.strip()).timestamp()
    except (ValueError, OverflowError, OSError):
        raise BadInput(f"{option} {text}: {HELP}") from None
    if moment <= now:
        raise BadInput(f"{option} {text}: this moment is past; {HELP}")
    return moment


def show_moment(at: float | None) -> str:
    """Return a moment in this machine's time zone: ``2026-01-02 18:00:00``; a dash for None."""
    return "-" if at is None else datetime.fromtimestamp(at).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def show_moment_in(at: float | None, zone: str) -> str:
    """Return a moment in a time zone, which is named behind it; in this machine's zone if it does not know ``zone``."""
    try:
        time_zone = ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return show_moment(at)
    return "-" if at is None else f"{datetime.fromtimestamp(at, time_zone):%Y-%m-%d %H:%M:%S} {zone}"


def show_seconds(seconds: float) -> str:
    """Return a length of time in its two largest units: ``45 s``, ``2 min 5 s``, ``3 h 20 min``."""
    whole = max(0, round(seconds))
    parts = [(whole // 86400, "d"), (whole // 3600 % 24, "h"), (whole // 60 % 60, "min"), (whole % 60, "s")]
    first = next((index for index, (number, _) in enumerate(parts) if number), len(parts) - 1)
    parts_shown = [f"{number} {unit}" for number, unit in parts[first : first + 2] if number]
    return " ".join(parts_shown) or "0 s"
