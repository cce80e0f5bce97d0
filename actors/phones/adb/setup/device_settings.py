"""Set a phone's settings for a task, see that they hold, and give the phone its own values back.

The earlier values are kept in the ValueStore before anything is set, so that a later run gives them back after a kill.
Commands: Android's ``settings``, ``svc``, ``cmd uimode|locale|alarm``.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from manyhands.actors.phones.adb.server import is_network_serial
from manyhands.actors.phones.adb.shell import Ask, command_line
from manyhands.actors.phones.adb.value_store import ValueStore
from manyhands.protocol.errors import SetupRefused
from manyhands.protocol.tasks.build import DeviceSettings

BEFORE = "before:"
"""The beginning of names in the ValueStore; the name of a setting follows."""
UNSET = "null"
"""What ``settings get`` prints for a setting without a value."""
HOLDS_S, POLL_S = 3.0, 0.1
"""How long a setting may take to hold, as networks do, and how often it is read meanwhile."""
SCALES = ("window_animation_scale", "transition_animation_scale", "animator_duration_scale")
_log = logging.getLogger(__name__)
_LOOPBACK = re.compile(r"(127\.|localhost:|\[::1\]:)")


@dataclass(frozen=True, slots=True)
class DeviceSetting:
    """Read and write one setting of a phone. Its values are texts, as the phone prints them."""

    read: tuple[str, ...]
    """The command that prints it."""
    write: Callable[[str], list[str]]
    """Return the command that sets it to a value."""
    pattern: str = r"\A\s*(\S+)\s*\Z"
    """Finds the value in what is printed."""

    def value_in(self, output: str) -> str | None:
        """Return the value that was printed; None if it is in no known form."""
        match = re.search(self.pattern, output)
        return match[1] if match else None


def _stored(namespace: str, name: str) -> DeviceSetting:
    def write(value: str) -> list[str]:
        change = ["delete", namespace, name] if value == UNSET else ["put", namespace, name, value]
        return ["settings", *change]

    return DeviceSetting(("settings", "get", namespace, name), write)


def _network(name: str, service: str) -> DeviceSetting:
    def write(value: str) -> list[str]:
        return ["svc", service, "disable" if value == "0" else "enable"]

    return DeviceSetting(("settings", "get", "global", name), write)


def _app_locale(package: str) -> DeviceSetting:
    def write(value: str) -> list[str]:
        return ["cmd", "locale", "set-app-locales", package, "--locales", value.strip("[]")]

    return DeviceSetting(("cmd", "locale", "get-app-locales", package), write, r"are (\[[^\]]*\])")


LOCALE = "locale:"
"""The beginning of the name of an app's language; a package follows."""
SETTINGS: Mapping[str, DeviceSetting] = {
    "time_zone_auto": _stored("global", "auto_time_zone"),
    "time_zone": DeviceSetting(
        ("getprop", "persist.sys.timezone"), lambda value: ["cmd", "alarm", "set-timezone", value]
    ),
    "dark_mode": DeviceSetting(
        ("cmd", "uimode", "night"), lambda value: ["cmd", "uimode", "night", value], r"Night mode: (\w+)"
    ),
    "font_scale": _stored("system", "font_scale"),
    "rotation_auto": _stored("system", "accelerometer_rotation"),
    "rotation": _stored("system", "user_rotation"),
    **{name: _stored("global", name) for name in SCALES},
    "wifi": _network("wifi_on", "wifi"),
    "mobile_data": _network("mobile_data", "data"),
}
"""The settings by our names, in the order in which they are set."""


def setting_of(name: str) -> DeviceSetting:
    """Return a setting by its name."""
    return _app_locale(name.removeprefix(LOCALE)) if name.startswith(LOCALE) else SETTINGS[name]


def values_of(settings: DeviceSettings, package: str) -> Mapping[str, str]:
    """Return the values that a task asks for, by the names of settings. ``package``: the app under test."""
    values: dict[str, str] = {}
    if settings.time_zone is not None:
        values |= {"time_zone_auto": "0", "time_zone": settings.time_zone}
    if settings.dark_mode is not None:
        values["dark_mode"] = "yes" if settings.dark_mode else "no"
    if settings.font_scale is not None:
        values["font_scale"] = f"{settings.font_scale:g}"
    if settings.orientation is not None:
        values |= {"rotation_auto": "0", "rotation": "1" if settings.orientation == "landscape" else "0"}
    if settings.animations is not None:
        values |= dict.fromkeys(SCALES, "1" if settings.animations else "0")
    if settings.network is not None:
        values["wifi"] = str(int(settings.network in ("all", "wifi")))
        values["mobile_data"] = str(int(settings.network in ("all", "mobile")))
    if settings.locale is not None:
        values[LOCALE + package] = f"[{settings.locale}]"
    return values


class DeviceSetup:
    """Set one phone's settings. Calls may raise SetupRefused, PhoneLost, StoreError."""

    def __init__(self, serial: str, ask: Ask, values: ValueStore) -> None:
        """``ask`` runs a line on the phone."""
        self._serial = serial
        self._ask = ask
        self._values = values

    async def prepare(self, settings: DeviceSettings, package: str) -> None:
        """Set what a task asks for. ``package``: the app under test, empty without one."""
        values = values_of(settings, package)
        if values.get("wifi") == "0" and is_network_serial(self._serial) and not _LOOPBACK.match(self._serial):
            raise SetupRefused(f"phone {self._serial}: adb reaches it by its network, so its Wi-Fi stays on")
        earlier = await self._values.read(self._serial)
        before = {BEFORE + name: await self._read(name) for name in values if BEFORE + name not in earlier}
        await self._values.write(self._serial, before)
        for name, value in values.items():
            await self._write(name, value)

    async def give_back(self) -> None:
        """Set what earlier tasks had changed to the phone's own values. What the phone refuses is logged and kept.

        Raises PhoneLost, StoreError.
        """
        earlier = await self._values.read(self._serial)
        for name in (*SETTINGS, *(one.removeprefix(BEFORE) for one in earlier if one.startswith(BEFORE + LOCALE))):
            value = earlier.get(BEFORE + name)
            if value is None:
                continue
            try:
                await self._write(name, value)
            except SetupRefused as error:
                _log.warning("%s; its own value, which it does not take back now, is %s", error, value)
                if not name.startswith(LOCALE):  # the language of an app that is gone matters to nobody
                    continue
            await self._values.write(self._serial, {BEFORE + name: None})

    async def _read(self, name: str) -> str:
        setting = setting_of(name)
        answer = await self._ask(command_line([setting.read]))
        value = setting.value_in(answer.text)
        if value is None:
            raise SetupRefused(
                f"phone {self._serial}: it does not tell {name}: {answer.complaint or 'it says nothing'}"
            )
        return value

    async def _write(self, name: str, value: str) -> None:
        answer = await self._ask(command_line([setting_of(name).write(value)]))
        deadline = time.monotonic() + HOLDS_S
        while not _are_equal(now := await self._read(name), value):
            if time.monotonic() > deadline or answer.status != 0:
                complaint = f": {answer.complaint}" if answer.complaint else ""
                raise SetupRefused(f"phone {self._serial}: {name} stays {now} and is not {value}{complaint}")
            await asyncio.sleep(POLL_S)


def _are_equal(one: str, other: str) -> bool:
    """Return whether two values are the same; capitals and the form of numbers make no difference."""
    are_numbers = all(re.fullmatch(r"\d+(\.\d+)?", text) for text in (one, other))
    return one.casefold() == other.casefold() or (are_numbers and float(one) == float(other))
