"""Define what a phone tells of itself at the beginning of a task, for the prompts."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from manyhands.protocol.base import Message

DESCRIPTION = "phone://description"
"""The address in a phone's state that holds a :class:`PhoneDescription`."""
MOST_APPS = 100
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


class PhoneDescription(Message):
    time: datetime | None = None
    """The phone's time, with its offset from UTC. None if the phone does not tell it."""
    zone: str = ""
    """The name of the phone's time zone, such as ``Europe/Zurich``; empty if the phone has none."""
    apps: tuple[str, ...] = Field(default=(), max_length=MOST_APPS)
    """The labels of installed apps, in the order of the alphabet."""


def describe_time(phone: PhoneDescription) -> str:
    """Return date, weekday, time and zone in words; empty if the time is unknown."""
    time = phone.time
    if time is None:
        return ""
    offset = time.strftime("%z")
    name = "" if phone.zone == "UTC" else phone.zone
    zone = ", ".join(filter(None, (f"UTC{offset[:3]}:{offset[3:5]}" if offset else "", name)))
    day = f"{_DAYS[time.weekday()]}, {time.day} {_MONTHS[time.month - 1]} {time.year}"
    return f"{day}, {time:%H:%M}" + (f" ({zone})" if zone else "")
