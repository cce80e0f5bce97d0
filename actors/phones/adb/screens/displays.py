"""Choose the display whose picture is taken: of a foldable phone, ``screencap`` alone may take the dark one."""

from __future__ import annotations

import re

DISPLAYS_LINE = "dumpsys display | grep DisplayDeviceInfo"
"""Prints the phone's displays, each with its physical id and whether it is on. The line changes nothing."""
_DISPLAY = re.compile(r'DisplayDeviceInfo\{.*?uniqueId="local:(\d+)"(.*)')
_STATE = re.compile(r"\bstate (\w+)")


def lit_display(text: str) -> str | None:
    """Return the id of the only display that is on, by ``DISPLAYS_LINE``; None if the phone has one display alone.

    Also None if none or several are on: then ``screencap`` takes the one that Android calls the first.
    """
    displays = {display: state for display, facts in _DISPLAY.findall(text) for state in _STATE.findall(facts)[:1]}
    lit = [display for display, state in displays.items() if state == "ON"]
    return lit[0] if len(displays) > 1 and len(lit) == 1 else None


def has_several(text: str) -> bool:
    """Return whether a phone has several displays of its own, so that another one may be lit later."""
    return len({display for display, _ in _DISPLAY.findall(text)}) > 1
