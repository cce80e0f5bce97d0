"""Set a phone's settings for a task, see that they hold, and give the phone its own values back.

The phone's values are kept in the ValueStore before anything is set, so that a later run gives them back after a kill.
Commands: Android's ``settings``, ``svc``, ``cmd uimode|locale|alarm``.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from manyhands.actors.phones.adb import dumps
from manyhands.actors.phones.adb.server import is_network_serial
from manyhands.actors.phones.adb.shell import Ask, command_line
from manyhands.actors.phones.adb.value_store import ValueStore
from manyhands.protocol.errors import SetupRefused
from manyhands.protocol.phones import STAND_IN_PRODUCT
from manyhands.protocol.tasks.build import DeviceSettings

BEFORE = "before:"
"""The beginning of names in the ValueStore; the name of a setting follows. The value is the phone's own, a line break,
and what the task has set."""
UNSET = "null"
"""What ``settings get`` prints for a setting without a value."""
HOLDS_S, POLL_S = 3.0, 0.1
"""How long a setting may take to hold, as networks do, and how often it is read meanwhile."""
SCALES = ("window_animation_scale", "transition_animation_scale", "animator_duration_scale")
_log = logging.getLogger(__name__)
_LOOPBACK = re.compile(r"(127\.|localhost:|\[::1\]:)")
_WIRELESS = "._adb"
"""A part of the serials of phones that adb found by itself in the network."""


def _first_match(pattern: str) -> Callable[[str], str | None]:
    def parse(output: str) -> str | None:
        match = re.search(pattern, output)
        return match[1] if match else None

    return parse


_parse_word = _first_match(r"\A\s*(\S+)\s*\Z")


@dataclass(frozen=True, slots=True)
class DeviceSetting:
    """Read and write one setting of a phone. Its values are texts, as the phone prints them."""

    read: str
    """The line that prints it."""
    write: Callable[[str], list[str]]
    """Return the command that sets it to a value."""
    parse: Callable[[str], str | None]
    """Return the value in what is printed; None if it is in no known form."""


def _in_table(namespace: str, name: str) -> DeviceSetting:
    def write(value: str) -> list[str]:
        change = ["delete", namespace, name] if value == UNSET else ["put", namespace, name, value]
        return ["settings", *change]

    return DeviceSetting(f"settings get {namespace} {name}", write, _parse_word)


def _network(line: str, service: str, parse: Callable[[str], str | None]) -> DeviceSetting:
    def write(value: str) -> list[str]:
        return ["svc", service, "disable" if value == "0" else "enable"]

    return DeviceSetting(line, write, parse)


def _parse_wifi(output: str) -> str | None:
    """Return 0 or 1. Android also has 2 (on in airplane mode) and 3 (off by airplane mode)."""
    return {"0": "0", "1": "1", "2": "1", "3": "0"}.get(output.strip())


def _parse_mobile_data(output: str) -> str:
    """Return 1 if a SIM's data are on, else 0. A phone of several SIMs has a number behind the name."""
    return "1" if re.search(r"^mobile_data\d*=1\s*$", output, re.MULTILINE) else "0"


def _app_locale(package: str) -> DeviceSetting:
    def write(value: str) -> list[str]:
        return ["cmd", "locale", "set-app-locales", package, "--locales", value.strip("[]")]

    line = command_line([["cmd", "locale", "get-app-locales", package]])
    return DeviceSetting(line, write, _first_match(r"are (\[[^\]]*\])"))


LOCALE = "locale:"
"""The beginning of the name of an app's language; a package follows."""
SETTINGS: Mapping[str, DeviceSetting] = {
    "time_zone_auto": _in_table("global", "auto_time_zone"),
    "time_zone": DeviceSetting(
        "getprop persist.sys.timezone", lambda value: ["cmd", "alarm", "set-timezone", value], _parse_word
    ),
    "dark_mode": DeviceSetting(
        "cmd uimode night", lambda value: ["cmd", "uimode", "night", value], _first_match(r"Night mode: (\w+)")
    ),
    "font_scale": _in_table("system", "font_scale"),
    "rotation_auto": _in_table("system", "accelerometer_rotation"),
    "rotation": _in_table("system", "user_rotation"),
    **{name: _in_table("global", name) for name in SCALES},
    "wifi": _network("settings get global wifi_on", "wifi", _parse_wifi),
    "mobile_data": _network("settings list global | grep mobile_data", "data", _parse_mobile_data),
}
"""The settings by our names, in the order in which they are set."""


def setting_of(name: str) -> DeviceSetting:
    """Return a setting by its name."""
    return _app_locale(name.removeprefix(LOCALE)) if name.startswith(LOCALE) else SETTINGS[name]


def values_of(settings: DeviceSettings, package: str, is_wide: bool) -> Mapping[str, str]:
    """Return the values that a task asks for, by the names of settings.

    ``package``: the app under test. ``is_wide``: whether the screen is wider than high when it is not turned.
    """
    values: dict[str, str] = {}
    if settings.time_zone is not None:
        values |= {"time_zone_auto": "0", "time_zone": settings.time_zone}
    if settings.dark_mode is not None:
        values["dark_mode"] = "yes" if settings.dark_mode else "no"
    if settings.font_scale is not None:
        values["font_scale"] = f"{settings.font_scale:g}"
    if settings.orientation is not None:
        values |= {"rotation_auto": "0", "rotation": str(int((settings.orientation == "landscape") is not is_wide))}
    if settings.animations is not None:
        values |= dict.fromkeys(SCALES, "1" if settings.animations else "0")
    if settings.network is not None:
        values["wifi"] = str(int(settings.network in ("all", "wifi")))
        values["mobile_data"] = str(int(settings.network in ("all", "mobile")))
    if settings.locale is not None:
        values[LOCALE + package] = f"[{settings.locale}]"
    return values


class DeviceSetup:
    """Set one phone's settings. Calls may raise PhoneLost, StoreError."""

    def __init__(self, serial: str, ask: Ask, store: ValueStore) -> None:
        """``ask`` runs a line on the phone."""
        self._serial = serial
        self._ask = ask
        self._store = store

    async def prepare(self, settings: DeviceSettings, package: str) -> None:
        """Set what a task asks for. ``package``: the app under test, empty without one. Raises SetupRefused."""
        size = dumps.screen_size((await self._ask("wm size")).text)
        values = values_of(settings, package, is_wide=size is not None and size.width > size.height)
        if values.get("wifi") == "0" and await self._is_reached_by_network():
            raise SetupRefused(f"phone {self._serial}: adb reaches it by its network, so its Wi-Fi stays on")
        earlier = await self._store.read(self._serial)
        rows: dict[str, str | None] = {}
        for name, value in values.items():
            own, *_ = (earlier.get(BEFORE + name) or await self._read(name)).split("\n")
            rows[BEFORE + name] = f"{own}\n{value}"
        await self._store.write(self._serial, rows)
        for name, value in values.items():
            await self._write(name, value)

    async def give_back(self) -> None:
        """Set what earlier tasks had set to the phone's own values.

        What was set again by others meanwhile stays. What the phone refuses is logged, and tried again next time.
        """
        earlier = await self._store.read(self._serial)
        for name in (*SETTINGS, *(one.removeprefix(BEFORE) for one in earlier if one.startswith(BEFORE + LOCALE))):
            row = earlier.get(BEFORE + name)
            if row is None:
                continue
            own, ours = row.split("\n")
            try:
                if _are_equal(await self._read(name), ours):
                    await self._write(name, own)
            except SetupRefused as error:
                _log.warning("%s; its own value, which it does not take back now, is %s", error, own)
                if not await self._is_of_missing_app(name):
                    continue
            await self._store.write(self._serial, {BEFORE + name: None})

    async def _is_of_missing_app(self, name: str) -> bool:
        """Return whether a setting is the language of an app that is no longer installed."""
        package = name.removeprefix(LOCALE)
        return package != name and "package:" not in (await self._ask(command_line([["pm", "path", package]]))).text

    async def _is_reached_by_network(self) -> bool:
        """Return whether adb needs the phone's own network. Behind this machine's address may be a tunnel to it."""
        if not is_network_serial(self._serial):
            return _WIRELESS in self._serial
        if not _LOOPBACK.match(self._serial):
            return True
        return not (await self._ask("getprop ro.product.name")).text.startswith(STAND_IN_PRODUCT)

    async def _read(self, name: str) -> str:
        setting = setting_of(name)
        answer = await self._ask(setting.read)
        value = setting.parse(answer.text)
        if value is None:
            complaint = answer.complaint or "no answer"
            raise SetupRefused(f"phone {self._serial}: it does not tell {name}: {complaint}")
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
