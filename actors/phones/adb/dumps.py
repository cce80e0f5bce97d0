"""Read what Android's shell commands print. Phones and versions differ, so each reader uses what it finds."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Mapping
from typing import Any

from manyhands.protocol.errors import StateUnavailable
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Keyboard

FRONT_LINE = (
    "dumpsys window | grep -E '^WINDOW MANAGER|Display: mDisplayId=|mCurrentFocus=|mFocusedApp='; "
    "dumpsys input_method | grep -E 'mInputShown|mCursorSel'"
)
"""Prints the app in front, the keyboard and the caret. The line changes nothing on the phone."""
SECURE_LINE = "dumpsys SurfaceFlinger | grep -o 'isSecure=[a-z]* geom'"
"""Tells of each layer on the display whether it forbids pictures (Android 10 and later). Displays have such a line,
too, but no ``geom`` follows there (AOSP, LayerFECompositionState.cpp and OutputCompositionState.cpp)."""
HOME_LINE = (
    "echo home=$(cmd package resolve-activity --brief "
    "-a android.intent.action.MAIN -c android.intent.category.HOME | tail -n 1)"
)
"""The home screen's activity."""

VERSION_NAMES_LINE = "dumpsys package packages | grep -E '^Hidden|^  Package |versionName='"
"""The versions of all apps as people know them. The phone takes a second to print them."""
PACKAGES_LINE = "pm list packages --user $(am get-current-user || echo 0)"
"""The installed apps of the user in front. Without a user, a phone with a work profile or a Secure Folder throws."""
VERSIONS_LINE = f"{PACKAGES_LINE} --show-versioncode"
"""The versions of these apps, from Android 8 on."""

_PART = "--- "
"""Begins the line before the output of one of several commands."""
_DISPLAY_PART = re.compile(r"^(?:WINDOW MANAGER.*|\s*Display: mDisplayId=(\d+).*)$", re.MULTILINE)
_FOCUS = re.compile(r"mCurrentFocus=Window\{\S+ \S+ ([A-Za-z][\w.]*)/")
_FOCUSED_APP = re.compile(r"mFocusedApp=.*? ([A-Za-z][\w.]*)/")
_SHOWN = re.compile(r"\bmInputShown=(true|false)\b")
_BOUND = re.compile(r"\bmCurId=(\S+)")
_SELECTION = re.compile(r"\bmCursorSelStart=(-?\d+) mCursorSelEnd=(-?\d+)")
_HOME = re.compile(r"^home=([A-Za-z][\w.]*)/", re.MULTILINE)
_INPUT_METHOD = re.compile(r"^([\w.]+/[\w.$]+)\s*$", re.MULTILINE)
_SIZE = re.compile(r"\b(Override|Physical) size: (\d+)x(\d+)")
_COMPONENT = re.compile(r"^\s*([A-Za-z][\w.]*)/([\w.$]+)\s*$", re.MULTILINE)
_PACKAGE = re.compile(r"^package:([\w.]+)\s*$", re.MULTILINE)
_VERSION = re.compile(r"^package:([\w.]+) versionCode:(\d+)", re.MULTILINE)
_VERSIONED = re.compile(r"^  Package \[([\w.]+)\]|^\s+versionName=(.*)$", re.MULTILINE)
_LABEL_ROW = re.compile(r"^Row: \d+ label=(.*), package=([\w.]+), activity=([\w.$]*)\s*$", re.MULTILINE)
_JSON_ROW = re.compile(r"^Row: 0 json=([A-Za-z0-9+/=]*)\s*$", re.MULTILINE)


def is_secure(text: str) -> bool:
    """Return whether a layer on the display forbids pictures, by ``SECURE_LINE``; False if the phone says nothing."""
    return "isSecure=true" in text


def mark_parts(lines: Mapping[str, str]) -> str:
    """Return one line that runs several, each by its name, so that ``marked_parts`` can tell their outputs apart."""
    return "; ".join(f"echo '{_PART}{name}'; {line}" for name, line in lines.items())


def marked_parts(text: str) -> dict[str, str]:
    """Return the output of each line of ``mark_parts``, by its name."""
    parts: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith(_PART):
            lines = parts.setdefault(line.removeprefix(_PART).strip(), [])
        else:
            lines.append(line)
    return {name: "\n".join(printed).strip("\r\n") for name, printed in parts.items()}


def app_in_front(text: str) -> str | None:
    """Return the package of the main display's app, by ``dumpsys window``; None if a system window is all there is.

    A panel, a shade or a pop-up over the app may have the focus, and other displays (a cover, a desktop) have an app
    and a focus of their own. Before Android 10, what has the focus is printed for no display.
    """
    parts = _DISPLAY_PART.split(text)
    displays = [(parts[0], ""), *zip(parts[2::2], parts[1::2], strict=True)]
    for display_id in ("0", ""):
        printed = "\n".join(lines for lines, display in displays if (display or "") == display_id)
        match = _FOCUSED_APP.search(printed) or _FOCUS.search(printed)
        if match:
            return match[1]
    return None


def keyboard(text: str) -> Keyboard:
    """Return whether the keyboard is shown, by ``dumpsys input_method``."""
    match = _SHOWN.search(text)
    if match is None:
        return "unknown"
    return "shown" if match[1] == "true" else "hidden"


def caret(text: str) -> int | None:
    """Return the UTF-16 units before the caret in the field that has the focus, by ``dumpsys input_method``.

    Android's client of the input method prints its selection there (InputMethodManager, since Android 1.5). Return None
    in three cases: the keyboard is not shown, because the numbers are then those of an earlier field; text is selected;
    or two clients are printed that differ.
    """
    selections = set(_SELECTION.findall(text))
    if keyboard(text) != "shown" or len(selections) != 1:
        return None
    ((start, end),) = selections
    return int(start) if start == end and int(start) >= 0 else None


def home_app(text: str) -> str | None:
    """Return the home screen's package, by ``HOME_LINE``; None if the phone has none, or has several and no
    choice was made.
    """
    match = _HOME.search(text)
    return match[1] if match and match[1] != "android" else None


def bound_input_method(text: str) -> str | None:
    """Return the input method that is connected now, by ``dumpsys input_method``."""
    match = _BOUND.search(text)
    return match[1] if match else None


def input_method(text: str) -> str | None:
    """Return the chosen input method, if a line of ``text`` contains nothing but an id."""
    match = _INPUT_METHOD.search(text)
    return match[1] if match else None


def screen_size(text: str) -> Size | None:
    """Return the size by ``wm size``; the override if there is one."""
    sizes = {match[1]: Size(width=int(match[2]), height=int(match[3])) for match in _SIZE.finditer(text)}
    return sizes.get("Override") or sizes.get("Physical")


def components(text: str) -> dict[str, list[str]]:
    """Return launcher activities by package, fully qualified, by ``cmd package query-activities``.

    A package may have several icons, such as Phone and Contacts of one app.
    """
    activities: dict[str, list[str]] = {}
    for package, activity in _COMPONENT.findall(text):
        activities.setdefault(package, []).append(full_activity(package, activity))
    return activities


def full_activity(package: str, activity: str) -> str:
    """Return the full name of an activity, which may be written without its package."""
    return package + activity if activity.startswith(".") else activity


def packages(text: str) -> list[str]:
    """Return the packages by ``pm list packages``."""
    return _PACKAGE.findall(text)


def app_versions(text: str) -> dict[str, str]:
    """Return the versions of apps by their packages, by ``VERSIONS_LINE``; none if the phone does not report any."""
    return dict(_VERSION.findall(text))


def version_names(text: str) -> dict[str, str]:
    """Return the versions of apps as people know them (11.120.3), by package, by ``VERSION_NAMES_LINE``.

    Only the first word of a version counts, because the rest says how the app was built: ``11.120.3 (arm64)``. An app
    of the system that was updated is printed again under the heading "Hidden", with the version from the factory.
    """
    versions: dict[str, str] = {}
    package = ""
    for match in _VERSIONED.finditer(text.partition("\nHidden")[0]):
        if match[1]:
            package = match[1]
        elif package:
            versions.setdefault(package, "".join(match[2].split()[:1]).replace("null", ""))
    return versions


def label_rows(text: str) -> list[tuple[str, str, str]]:
    """Return the (label, package, activity) rows of a content provider. The activity is fully qualified, or empty."""
    return [(label, package, full_activity(package, name)) for label, package, name in _LABEL_ROW.findall(text)]


def json_row(text: str, source: str) -> Mapping[str, Any]:
    """Return the JSON object in the first row of a content provider's answer. Raises StateUnavailable."""
    match = _JSON_ROW.search(text)
    if match is None:
        answer = " ".join(text.split())[:200] or "nothing"
        raise StateUnavailable(f"{source} answered no row 'json=<base64>' but: {answer}")
    try:
        value = json.loads(base64.b64decode(match[1], validate=True))
    except (binascii.Error, ValueError) as error:
        raise StateUnavailable(f"{source} answered a row that is not JSON in base64: {error}") from error
    if not isinstance(value, dict):
        raise StateUnavailable(f"{source} answered a JSON {type(value).__name__}, not an object")
    return value
