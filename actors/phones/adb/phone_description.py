"""Read what a phone tells of itself for the prompts: its time and the labels of its apps."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime

from manyhands.protocol.phones.phone_description import MOST_APPS, PhoneDescription

TIME_LINE = "date +%Y-%m-%dT%H:%M%z; getprop persist.sys.timezone"
_ZONE = re.compile(r"[A-Za-z0-9_+/-]{1,60}")
"""Matches the name of a zone. Whatever else the phone has in its place is no name, and may be words to the model."""


def read_description(text: str, labels: Iterable[str]) -> PhoneDescription:
    """Return the facts by what ``TIME_LINE`` printed and the labels of the installed apps."""
    first, _, rest = text.strip().partition("\n")
    try:
        time = datetime.strptime(first.strip(), "%Y-%m-%dT%H:%M%z")
    except ValueError:
        time = None
    zone = rest.strip() if _ZONE.fullmatch(rest.strip()) else ""
    return PhoneDescription(time=time, zone=zone, apps=tuple(sorted(labels, key=str.casefold)[:MOST_APPS]))
