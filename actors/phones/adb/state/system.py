"""Read the settings, the apps, the packages, the properties, the battery, the nodes of the screen, and the clipboard.

None of these reads changes the phone. ``uiautomator`` writes a file, which is removed at once. A shell cannot read the
clipboard itself, so the app Clipper is asked for it (github.com/majido/clipper).
"""

from __future__ import annotations

import re
from typing import Any

from manyhands.actors.phones.adb import dumps, fitness
from manyhands.actors.phones.adb.shell import Ask, make_reader, quote_answer
from manyhands.actors.phones.adb.view_tree import parse_views, walk
from manyhands.protocol.errors import StateUnavailable

_NAMESPACES = ("system", "secure", "global")
_MARK = "--- "
_SETTINGS_LINE = "; ".join(f"echo '{_MARK}{name}'; settings list {name}" for name in _NAMESPACES)
_UI_FILE = "/data/local/tmp/manyhands_ui.xml"
_UI_LINE = f"uiautomator dump {_UI_FILE} > /dev/null && cat {_UI_FILE}; rm -f {_UI_FILE}"
_SETTING = re.compile(r"^([^\s=]+)=(.*)$")
_PROPERTY = re.compile(r"^\[([^\]]+)\]: \[(.*)\]$", re.MULTILINE)


def _parse_settings(text: str) -> dict[str, dict[str, str]] | None:
    tables: dict[str, dict[str, str]] = {}
    values: dict[str, str] = {}
    for line in text.splitlines():
        if line.startswith(_MARK):
            values = tables.setdefault(line.removeprefix(_MARK).strip(), {})
        elif (match := _SETTING.match(line)) is not None:
            values[match[1]] = match[2]
    return tables if any(tables.values()) else None


def _parse_front_app(text: str) -> dict[str, str | None] | None:
    return {"front": dumps.app_in_front(text)} if text.strip() else None


def _parse_packages(text: str) -> list[dict[str, Any]] | None:
    return [{"name": name, "version": int(version)} for name, version in dumps.app_versions(text).items()] or None


def _parse_properties(text: str) -> list[dict[str, str]] | None:
    return [{"name": name, "value": value} for name, value in _PROPERTY.findall(text)] or None


def _parse_battery(text: str) -> dict[str, float | bool | None] | None:
    condition = fitness.condition(text)
    if condition.battery is None:
        return None
    return {"percent": round(condition.battery), "charging": condition.charging, "celsius": condition.celsius}


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


_PART_MARK = "--- manyhands"
_APPS_LINE = f"{dumps.VERSIONS_LINE}; echo '{_PART_MARK}'; {dumps.FRONT_LINE}; echo '{_PART_MARK}'; ps -A -o NAME"
"""The line asks ``ps`` for the processes. From Android 8 to 16, ``ps`` prints their whole names in the same form. The
report of ``dumpsys activity processes`` is a hundred times as long, and its form differs between versions."""


def _parse_apps(text: str) -> list[dict[str, Any]] | None:
    parts = text.split(f"{_PART_MARK}\n")
    if len(parts) != 3:
        return None
    versions, front = dumps.app_versions(parts[0]), dumps.app_in_front(parts[1])
    processes = {name.strip().partition(":")[0] for name in parts[2].splitlines()}
    if not versions or len(processes) < 2:  # one name is the header of ps, and every phone has processes
        return None
    return [
        {
            "package": package,
            "version": int(version),
            "front": package == front,
            "running": package == front or package in processes,
        }
        for package, version in versions.items()
    ]


read_apps = make_reader(_APPS_LINE, _parse_apps)
"""Returns the apps, each with ``package``, ``version`` (a number), ``front`` and ``running`` (booleans).

An app counts as running if a process has its package's name (or that name, a colon and more), or if it is in front. So
an app in the background whose only process has another name counts as not running.
"""


_CLIPPER = "ca.zgrs.clipper"
_MOST_BYTES = 1 << 20
_BROADCAST = f"am broadcast -p {_CLIPPER} -a clipper.get"
"""A broadcast to Clipper alone. Some systems deliver none that names no package."""
_CLIPBOARD_LINE = f"getprop ro.build.version.sdk; {dumps.FRONT_LINE}; {_BROADCAST} | head -c {_MOST_BYTES}"
_ANSWER = re.compile(r'^Broadcast completed: result=(-?\d+)(?:, data="(.*)")?', re.MULTILINE | re.DOTALL)
_ANDROID_10 = 29
_TOLD = "-1"


async def read_clipboard(ask: Ask) -> dict[str, str]:
    """Return the clipboard as ``text``. Raises StateUnavailable, PhoneLost.

    From Android 10 on, Clipper can read the text only while it is in front or if it has a system permission.
    """
    answer = await ask(_CLIPBOARD_LINE)
    match = _ANSWER.search(answer.text)
    if match is None:
        raise StateUnavailable(f"it answered: {quote_answer(answer)}")
    if match[2] is None:
        raise StateUnavailable("a shell cannot read the clipboard, and the app Clipper, which tells it, did not answer")
    before = answer.text[: match.start()]
    version = re.match(r"\d+", before)
    may_read = dumps.app_in_front(before) == _CLIPPER or (version is not None and int(version[0]) < _ANDROID_10)
    if match[1] != _TOLD and not may_read:
        raise StateUnavailable("Clipper got no text: from Android 10 on it reads the clipboard only while in front")
    return {"text": match[2]}
