"""The state that any Android phone tells its shell, for checks: ``phone://state/PART[/PART...]``.

The parts, what a check finds under their names, and the commands that tell it. None changes the phone; ``uiautomator``
writes a file, which is removed again.

``settings``    ``system``, ``secure`` and ``global``: values (texts) by name, from ``settings list``
``app``         ``front``: the package whose window has the focus; None where a system window has it
``packages``    a list of ``name`` and ``version`` (a number), from ``pm list packages``
``properties``  a list of ``name`` and ``value``, from ``getprop``
``ui``          a list of the nodes of the window in front, from ``uiautomator dump``: ``text``, ``description``,
                ``id``, ``class``, ``package`` (texts), ``checked``, ``selected``, ``focused``, ``enabled`` (booleans)
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from manyhands.actors.phones.adb import dumps
from manyhands.actors.phones.adb.shell import ShellResult
from manyhands.protocol.errors import StateUnavailable

PREFIX = "phone://state/"
Ask = Callable[[str], Awaitable[ShellResult]]
"""Runs a line in the phone's shell. Raises PhoneLost."""

_NAMESPACES = ("system", "secure", "global")
_MARK = "--- "
_SETTINGS_LINE = "; ".join(f"echo '{_MARK}{name}'; settings list {name}" for name in _NAMESPACES)
_UI_FILE = "/data/local/tmp/manyhands_ui.xml"
_UI_LINE = f"uiautomator dump {_UI_FILE} > /dev/null && cat {_UI_FILE}; rm -f {_UI_FILE}"
_SETTING = re.compile(r"^([^\s=]+)=(.*)$")
_PROPERTY = re.compile(r"^\[([^\]]+)\]: \[(.*)\]$", re.MULTILINE)
_TEXTS = {
    "text": "text",
    "description": "content-desc",
    "id": "resource-id",
    "class": "class",
    "package": "package",
}
_BOOLEANS = ("checked", "selected", "focused", "enabled")


@dataclass(frozen=True, slots=True)
class StatePart:
    """Declare a part of the state: the line that asks for it, and how its answer is read (None: it holds nothing)."""

    line: str
    read: Callable[[str], Any]


async def read_device_state(source: str, ask: Ask) -> Mapping[str, Any]:
    """Return the parts that ``source`` names, by their names. Raises StateUnavailable, PhoneLost."""
    names = list(dict.fromkeys(source.removeprefix(PREFIX).split("/")))
    unknown = [name for name in names if name not in PARTS]
    if unknown:
        raise StateUnavailable(f"{source}: a phone has no state {unknown[0]!r}; there are {', '.join(PARTS)}")
    found = {}
    for name in names:
        answer = await ask(PARTS[name].line)
        value = PARTS[name].read(answer.text)
        if value is None:
            said = " ".join((answer.complaint or answer.text).split())[:200] or "nothing"
            raise StateUnavailable(f"{source}: the phone does not tell {name}; it answered: {said}")
        found[name] = value
    return found


def _read_settings(text: str) -> dict[str, dict[str, str]] | None:
    found: dict[str, dict[str, str]] = {}
    values: dict[str, str] = {}
    for line in text.splitlines():
        if line.startswith(_MARK):
            values = found.setdefault(line.removeprefix(_MARK).strip(), {})
        elif (match := _SETTING.match(line)) is not None:
            values[match[1]] = match[2]
    return found if any(found.values()) else None


def _read_app(text: str) -> dict[str, str | None] | None:
    return {"front": dumps.app_in_front(text)} if text.strip() else None


def _read_packages(text: str) -> list[dict[str, Any]] | None:
    return [{"name": name, "version": int(version)} for name, version in dumps.app_versions(text).items()] or None


def _read_properties(text: str) -> list[dict[str, str]] | None:
    return [{"name": name, "value": value} for name, value in _PROPERTY.findall(text)] or None


def _read_ui(text: str) -> list[dict[str, Any]] | None:
    begin, end = text.find("<hierarchy"), text.rfind("</hierarchy>")
    if begin < 0 or end < 0:
        return None
    try:
        root = ET.fromstring(text[begin : end + len("</hierarchy>")])
    except ET.ParseError:
        return None
    return [
        {name: node.get(key, "") for name, key in _TEXTS.items()}
        | {name: node.get(name) == "true" for name in _BOOLEANS}
        for node in root.iter("node")
    ]


PARTS: Mapping[str, StatePart] = {
    "settings": StatePart(_SETTINGS_LINE, _read_settings),
    "app": StatePart(dumps.FRONT_LINE, _read_app),
    "packages": StatePart(dumps.VERSIONS_LINE, _read_packages),
    "properties": StatePart("getprop", _read_properties),
    "ui": StatePart(_UI_LINE, _read_ui),
}
