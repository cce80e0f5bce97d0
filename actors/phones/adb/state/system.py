"""Read the settings, the app in front, the packages, the properties, the battery and the nodes of the screen.

None of these reads changes the phone. ``uiautomator`` writes a file, which is removed at once.
"""

from __future__ import annotations

import re
from typing import Any

from manyhands.actors.phones.adb import dumps, fitness
from manyhands.actors.phones.adb.screens.view_tree import parse_views, walk
from manyhands.actors.phones.adb.state.answers import make_reader
from manyhands.protocol.errors import StateUnavailable

_NAMESPACES = ("system", "secure", "global")
_MARK = "--- "
_SETTINGS_LINE = "; ".join(f"echo '{_MARK}{name}'; settings list {name}" for name in _NAMESPACES)
_UI_FILE = "/data/local/tmp/manyhands_ui.xml"
_UI_LINE = f"uiautomator dump {_UI_FILE} > /dev/null && cat {_UI_FILE}; rm -f {_UI_FILE}"
_SETTING = re.compile(r"^([^\s=]+)=(.*)$")
_PROPERTY = re.compile(r"^\[([^\]]+)\]: \[(.*)\]$", re.MULTILINE)


def _parse_settings(text: str) -> dict[str, dict[str, str]] | None:
    found: dict[str, dict[str, str]] = {}
    values: dict[str, str] = {}
    for line in text.splitlines():
        if line.startswith(_MARK):
            values = found.setdefault(line.removeprefix(_MARK).strip(), {})
        elif (match := _SETTING.match(line)) is not None:
            values[match[1]] = match[2]
    return found if any(found.values()) else None


def _parse_front_app(text: str) -> dict[str, str | None] | None:
    return {"front": dumps.app_in_front(text)} if text.strip() else None


def _parse_packages(text: str) -> list[dict[str, Any]] | None:
    return [{"name": name, "version": int(version)} for name, version in dumps.app_versions(text).items()] or None


def _parse_properties(text: str) -> list[dict[str, str]] | None:
    return [{"name": name, "value": value} for name, value in _PROPERTY.findall(text)] or None


def _parse_battery(text: str) -> dict[str, float | bool | None] | None:
    found = fitness.condition(text)
    if found.battery is None:
        return None
    return {"percent": round(found.battery), "charging": found.charging, "celsius": found.celsius}


def _parse_ui(text: str) -> list[dict[str, Any]] | None:
    try:
        views = parse_views(text.encode(errors="replace"))
    except StateUnavailable:
        return None
    return [
        {
            "text": view.text,
            "description": view.description,
            "id": view.id,
            "class": view.kind,
            "package": view.package,
            "checked": view.checked,
            "selected": view.selected,
            "focused": view.focused,
            "enabled": view.enabled,
        }
        for view in walk(views)
    ]


read_settings = make_reader(_SETTINGS_LINE, _parse_settings)
"""Returns ``system``, ``secure`` and ``global``. Each holds the values (texts) of its settings by name, from ``settings
list``."""
read_front_app = make_reader(dumps.FRONT_LINE, _parse_front_app)
"""Returns ``front``: the package whose window has the focus; None if a system window has it."""
read_packages = make_reader(dumps.VERSIONS_LINE, _parse_packages)
"""Returns the packages, each with ``name`` and ``version`` (a number), from ``pm list packages``."""
read_properties = make_reader("getprop", _parse_properties)
"""Returns the properties, each with ``name`` and ``value``, from ``getprop``."""
read_battery = make_reader("dumpsys battery", _parse_battery)
"""Returns ``percent`` (an integer), ``charging`` (a boolean) and ``celsius``, from ``dumpsys battery``. The last two
are None if the phone does not tell them."""
read_ui = make_reader(_UI_LINE, _parse_ui)
"""Returns the nodes of the window in front, from ``uiautomator dump``. Each has ``text``, ``description``, ``id``,
``class``, ``package`` (texts), ``checked``, ``selected``, ``focused``, ``enabled`` (booleans)."""
