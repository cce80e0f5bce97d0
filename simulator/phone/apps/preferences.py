"""Hold the phone's settings: switches with an effect, and Android's names for them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple


class Switchable(NamedTuple):
    """Describe a switch: its key in the state, Android's name for it, and the values of on and off."""

    key: str
    namespace: str
    name: str
    on: str = "1"
    off: str = "0"


SWITCHES = (
    Switchable("airplane_mode", "global", "airplane_mode_on"),
    Switchable("wifi", "global", "wifi_on"),
    Switchable("bluetooth", "global", "bluetooth_on"),
    Switchable("mobile_data", "global", "mobile_data"),
    Switchable("do_not_disturb", "global", "zen_mode"),
    Switchable("dark_mode", "secure", "ui_night_mode", on="2", off="1"),
    Switchable("network_speed_display", "system", "status_bar_show_network_speed"),
    Switchable("battery_percentage", "system", "status_bar_show_battery_percent"),
    Switchable("adaptive_brightness", "system", "screen_brightness_mode"),
    Switchable("auto_rotate", "system", "accelerometer_rotation"),
    Switchable("vibrate_on_ring", "system", "vibrate_when_ringing"),
    Switchable("vibration_mode", "global", "mode_ringer", on="1", off="2"),
    Switchable("location", "secure", "location_mode", on="3", off="0"),
)
ON_AT_FIRST = {"wifi", "mobile_data", "auto_rotate", "vibrate_on_ring", "location", "adaptive_brightness"}

LOCALE = ("system", "system_locales")
ADB_IME = "com.android.adbkeyboard/.AdbIME"
LATIN_IME = "com.android.inputmethod.latin/.LatinIME"
IMES = (ADB_IME, LATIN_IME)
DEFAULT_IME = ("secure", "default_input_method")
ROTATION = ("system", "user_rotation")
FREE_LIMIT = 500
SCALES = ("window_animation_scale", "transition_animation_scale", "animator_duration_scale")
AS_PREPARED = {
    **{("global", name): "0" for name in SCALES},
    ("global", "stay_on_while_plugged_in"): "15",
    ("global", "heads_up_notifications_enabled"): "0",
}
"""What is set on a real phone before it gets tasks (docs/real-phones.md)."""


class Preferences:
    """Hold switches by key, and any other Android setting as it was put.

    ``turned``: switches that start in the other position than usual.
    """

    def __init__(self, language: str, turned: Collection[str] = ()) -> None:
        self._on = {entry.key: (entry.key in ON_AT_FIRST) is not (entry.key in turned) for entry in SWITCHES}
        self._by_name = {(entry.namespace, entry.name): entry for entry in SWITCHES}
        self._free: dict[tuple[str, str], str] = {
            LOCALE: "zh-CN" if language == "zh" else "en-US",
            DEFAULT_IME: ADB_IME,
            ("secure", "enabled_input_methods"): ":".join(IMES),
            ROTATION: "0",
            ("global", "device_name"): "Manyhands Virtual",
            **AS_PREPARED,
        }

    def __getitem__(self, key: str) -> bool:
        return self._on[key]

    def __setitem__(self, key: str, on: bool) -> None:
        if key not in self._on:
            raise KeyError(key)
        self._on[key] = on
        if key == "airplane_mode":  # as on Android, Wi-Fi and Bluetooth follow airplane mode
            self._on["wifi"] = not on
            self._on["bluetooth"] = False

    @property
    def language(self) -> str:
        """Return ``zh`` or ``en``."""
        return "zh" if self._free[LOCALE].lower().startswith("zh") else "en"

    @property
    def online(self) -> bool:
        return self["wifi"] or (self["mobile_data"] and not self["airplane_mode"])

    @property
    def ime(self) -> str:
        return self._free[DEFAULT_IME]

    def get(self, namespace: str, name: str) -> str | None:
        entry = self._by_name.get((namespace, name))
        if entry:
            return entry.on if self[entry.key] else entry.off
        return self._free.get((namespace, name))

    def put(self, namespace: str, name: str, value: str) -> None:
        """Store a setting. Raises ValueError for a rotation, and if too many unknown settings are stored."""
        if (namespace, name) == ROTATION and value != "0":
            raise ValueError(f"this phone's display does not rotate: {name} stays 0")
        entry = self._by_name.get((namespace, name))
        if entry:
            self[entry.key] = value == entry.on if entry.off != "0" else value not in {"0", "", "false"}
            return
        if len(self._free) >= FREE_LIMIT and (namespace, name) not in self._free:
            raise ValueError(f"more than {FREE_LIMIT} settings: {namespace} {name} is not stored")
        self._free[namespace, name] = value

    def delete(self, namespace: str, name: str) -> None:
        """Delete a setting that is no switch. Language, keyboard and rotation always keep a value."""
        if (namespace, name) not in (LOCALE, DEFAULT_IME, ROTATION):
            self._free.pop((namespace, name), None)

    def all(self, namespace: str) -> dict[str, str]:
        """Return every setting of a namespace, by Android's name."""
        switches = {
            entry.name: entry.on if self[entry.key] else entry.off for entry in SWITCHES if entry.namespace == namespace
        }
        return switches | {name: value for (space, name), value in self._free.items() if space == namespace}

    def state(self) -> dict[str, Any]:
        return {**self._on, "language": self.language}
