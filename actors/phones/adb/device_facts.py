"""Read what a phone tells of itself: facts that a person checks, labels that selectors ask for, and facts for prompts.

Phones print these facts in different words. A fact that is not understood is None. The labels of apps are
``app:PACKAGE`` and ``app:NAME``. Only apps that the home screen starts have labels, because a phone has hundreds of
other packages that nobody asks for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from manyhands.actors.phones.adb import dumps, fitness
from manyhands.actors.phones.adb.apps import AppCatalogue
from manyhands.actors.phones.adb.commands import ADB_KEYBOARD
from manyhands.protocol.phones import MOST_APPS, PhoneDescription
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.tasks.selectors import is_label_name

ANIMATION_SCALES = ("window_animation_scale", "transition_animation_scale", "animator_duration_scale")
DEFAULT_SCALE = 1.0
"""Android's scale of animations if the setting was never written."""
_PARTS: Mapping[str, str] = {
    "release": "getprop ro.build.version.release",
    "sdk": "getprop ro.build.version.sdk",
    "maker": "getprop ro.product.manufacturer",
    "model": "getprop ro.product.model",
    "size": "wm size",
    **{name: f"settings get global {name}" for name in ANIMATION_SCALES},
    "stays_on": "settings get global stay_on_while_plugged_in",
    "screen_off": "settings get system screen_off_timeout",
    "heads_up": "settings get global heads_up_notifications_enabled",
    "quiet": "settings get global zen_mode",
    "keyboards": "ime list -a -s",
    "keyboard": "settings get secure default_input_method",
    "condition": fitness.CONDITION_LINE,
}
FACTS_LINE = dumps.mark_parts(_PARTS)
"""Prints all that ``read_facts`` reads, and changes nothing."""
_KEYBOARD = re.compile(r"^([\w.]+/[\w.$]+)\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class DeviceFacts:
    """Hold the facts that a phone reports about itself."""

    release: str = ""
    """The phone's Android version, as people know it."""
    sdk: int | None = None
    maker: str = ""
    model: str = ""
    size: Size | None = None
    animations: float | None = None
    """The largest of the phone's animation scales; 0 if all animations are off."""
    stays_on: bool | None = None
    """Whether the screen stays on while the phone is charged."""
    screen_off_s: float | None = None
    """After how many seconds without a touch the screen goes off."""
    heads_up: bool | None = None
    """Whether notifications are shown over apps."""
    keyboards: tuple[str, ...] = ()
    keyboard: str | None = None
    condition: fitness.Condition = field(default_factory=fitness.Condition)

    @property
    def has_adb_keyboard(self) -> bool:
        return ADB_KEYBOARD in self.keyboards


def read_facts(text: str) -> DeviceFacts:
    """Read what ``FACTS_LINE`` prints."""
    parts = dumps.marked_parts(text)
    scales = [_number(parts.get(name, "")) for name in ANIMATION_SCALES]
    is_reported = any(parts.get(name) for name in ANIMATION_SCALES)
    sdk, stays_on = _number(parts.get("sdk", "")), _number(parts.get("stays_on", ""))
    screen_off, heads_up = _number(parts.get("screen_off", "")), parts.get("heads_up", "")
    return DeviceFacts(
        release=parts.get("release", ""),
        sdk=None if sdk is None else int(sdk),
        maker=parts.get("maker", ""),
        model=parts.get("model", ""),
        size=dumps.screen_size(parts.get("size", "")),
        animations=max(DEFAULT_SCALE if scale is None else scale for scale in scales) if is_reported else None,
        stays_on=None if not parts.get("stays_on") else bool(stays_on),
        screen_off_s=None if screen_off is None else screen_off / 1000,
        heads_up=None if not heads_up else heads_up != "0" and parts.get("quiet", "0") in ("", "0", "null"),
        keyboards=tuple(_KEYBOARD.findall(parts.get("keyboards", ""))),
        keyboard=dumps.input_method(parts.get("keyboard", "")),
        condition=fitness.condition(parts.get("condition", "")),
    )


def _number(text: str) -> float | None:
    try:
        return float(text.strip())
    except ValueError:
        return None


APP = "app:"
_VERSIONS = "versions"
_PROPERTIES = {
    "model": "ro.product.model",
    "maker": "ro.product.manufacturer",
    "android": "ro.build.version.release",
    "sdk": "ro.build.version.sdk",
}
"""Android's properties, by the labels that show them."""
_SIZE = "size"
LABELS_LINE = dumps.mark_parts(
    {
        **{label: f"getprop {name}" for label, name in _PROPERTIES.items()},
        _SIZE: "wm size",
        _VERSIONS: dumps.VERSION_NAMES_LINE,
    }
)
"""Prints all that ``device_labels`` needs except the names of apps. It changes nothing on the phone."""


def device_labels(text: str, apps: AppCatalogue) -> dict[str, str]:
    """Return the labels of a phone.

    ``text``: what ``LABELS_LINE`` printed. ``apps``: the apps that its home screen starts.

    What the phone does not tell has no label. An app whose version it does not tell has an empty version.
    """
    parts = dumps.marked_parts(text)
    labels = {label: value for label in _PROPERTIES if (value := parts.get(label, "").strip())}
    if (size := dumps.screen_size(parts.get(_SIZE, ""))) is not None:
        labels[_SIZE] = f"{size.width}x{size.height}"
    return {**labels, **_app_labels(dumps.version_names(parts.get(_VERSIONS, "")), apps)}


def _app_labels(versions: Mapping[str, str], apps: AppCatalogue) -> dict[str, str]:
    by_package = {f"{APP}{package}": versions.get(package, "") for package in sorted(apps.packages())}
    by_name = {f"{APP}{name}": versions.get(package, "") for name, package in apps.by_label().items()}
    return {name: version for name, version in (by_name | by_package).items() if is_label_name(name)}


TIME_LINE = "date +%Y-%m-%dT%H:%M%z; getprop persist.sys.timezone; getprop ro.product.name"
_ZONE = re.compile(r"[A-Za-z0-9_+/-]{1,60}")
"""Matches the name of a zone. Whatever else the phone has in its place is no name, and may be words to the model."""


def read_description(text: str, labels: Iterable[str]) -> PhoneDescription:
    """Return the facts by what ``TIME_LINE`` printed and the labels of the installed apps."""
    lines = text.strip("\n").split("\n")
    first, zone, product = map(str.strip, lines if len(lines) == 3 else (lines[0], "", ""))
    try:
        time = datetime.strptime(first, "%Y-%m-%dT%H:%M%z")
    except ValueError:
        time = None
    return PhoneDescription(
        time=time,
        zone=zone if _ZONE.fullmatch(zone) else "",
        apps=tuple(sorted(labels, key=str.casefold)[:MOST_APPS]),
        product=product if _ZONE.fullmatch(product) else "",
    )
