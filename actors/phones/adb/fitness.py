"""Make a phone fit for a task, and judge by its own reports whether it is.

Phones and versions print different texts. A text that is not understood counts as fit.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from manyhands.actors.phones.adb import dumps
from manyhands.actors.phones.adb.commands import KEY_HOME, KEY_MENU, KEY_WAKE, Commands
from manyhands.actors.phones.adb.shell import NoPicture, ShellResult, keyed_line
from manyhands.protocol.errors import PhoneUnfit
from manyhands.protocol.phones import CHECK_KEY, PhoneLimits
from manyhands.protocol.screens.geometry import Size

T = TypeVar("T")

VAIN_INPUTS = 3
"""After so many inputs in a row that changed nothing, a phone may be one that drops input and reports success."""
_HOME: Commands = [["input", "keyevent", KEY_HOME]]
_START_SETTINGS: Commands = [["am", "start", "-W", "-a", "android.settings.SETTINGS"]]
_log = logging.getLogger(__name__)
_RIGHT_S = 3.0
"""How long a phone may take to wake and to show the screen behind its lock screen."""
_RIGHT_POLL_S = 0.1

SCREEN_LINE = "dumpsys power | grep mWakefulness=; dumpsys window policy | grep -E 'howing|secure='"
"""Whether the screen is on and locked."""
CONDITION_LINE = (
    f"{SCREEN_LINE}; dumpsys battery; dumpsys thermalservice | grep 'Thermal Status'; df -k /data | grep /data"
)
"""Prints all that ``condition`` reads."""
SEVERE = 3
"""The thermal status (0 none to 6 shutdown) from which Android slows a phone down noticeably."""
THERMAL_WORDS = ("none", "light", "moderate", "severe", "critical", "emergency", "shutdown")

TOUCH_COMMANDS: Commands = [["input", "keyevent", KEY_WAKE]]
"""Shows whether a phone permits input, and changes nothing on a phone that is awake."""
_INPUT_DENIED = re.compile(r"\bINJECT_EVENTS\b|\bSecurityException\b.*\binject", re.IGNORECASE)
_WAKEFULNESS = re.compile(r"\bmWakefulness=(\w+)")
_LOCKED = re.compile(r"\b(?:showing|mIsShowing|mShowingLockscreen|isKeyguardShowing)=(true|false)\b")
_SECURE = re.compile(r"\bsecure=true\b")
_LEVEL = re.compile(r"^\s*level: (\d+)\s*$", re.MULTILINE)
_SCALE = re.compile(r"^\s*scale: ([1-9]\d*)\s*$", re.MULTILINE)
_POWERED = re.compile(r"^\s*\w+ powered: (true|false)\s*$", re.MULTILINE)
_TEMPERATURE = re.compile(r"^\s*temperature: (-?\d+)\s*$", re.MULTILINE)
_THERMAL = re.compile(r"^\s*Thermal Status: (\d+)\s*$", re.MULTILINE)
_FREE = re.compile(r"^\S+\s+\d+\s+\d+\s+(\d+)\s+\d+%\s+/data\S*\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Condition:
    """Hold a phone's report of itself; None for what it does not report, or reports in unknown words."""

    awake: bool | None = None
    locked: bool | None = None
    secure: bool = False
    """Whether its lock asks for a credential."""
    battery: float | None = None
    """Percent."""
    charging: bool | None = None
    celsius: float | None = None
    """The battery's temperature."""
    thermal: int | None = None
    free_mb: float | None = None
    """The free part of the storage of its apps."""


def condition(text: str) -> Condition:
    """Read what ``CONDITION_LINE`` prints."""
    wakefulness = _WAKEFULNESS.search(text)
    locked = _LOCKED.findall(text)
    level, scale, powered = _LEVEL.search(text), _SCALE.search(text), _POWERED.findall(text)
    temperature, thermal, free = _TEMPERATURE.search(text), _THERMAL.search(text), _FREE.search(text)
    return Condition(
        awake=wakefulness[1] == "Awake" if wakefulness else None,
        locked="false" not in locked if locked else None,
        secure=_SECURE.search(text) is not None,
        battery=100 * int(level[1]) / int(scale[1]) if level and scale else None,
        charging="true" in powered if powered else None,
        celsius=int(temperature[1]) / 10 if temperature else None,
        thermal=int(thermal[1]) if thermal else None,
        free_mb=int(free[1]) / 1024 if free else None,
    )


def putting_right(current: Condition) -> Commands | None:
    """Return the commands that wake or unlock a phone without a credential; None if none are needed."""
    if current.awake is False:
        return [["input", "keyevent", KEY_WAKE]]
    if current.locked:
        return [["wm", "dismiss-keyguard"], ["input", "keyevent", KEY_MENU]]
    return None


def _touch_refusal(result: ShellResult) -> str | None:
    """Return why a phone can carry out no action, if it has printed that it permits no input; else None."""
    if not _INPUT_DENIED.search(result.text + result.stderr.decode("utf-8", "replace")):
        return None
    return (
        "it permits no input from adb (INJECT_EVENTS): in its developer options, turn on 'USB debugging (Security "
        "settings)' (Xiaomi, Redmi, Poco, Vivo) or 'Disable permission monitoring' (Oppo, Realme, OnePlus)"
    )


def why_displaced(pictured: Size, reported: Size | None) -> str | None:
    """Return why taps would miss, if a screenshot has another size than the screen by ``wm size``; else None.

    Width and height change places when the phone is turned.
    """
    if reported is None or {pictured.width, pictured.height} == {reported.width, reported.height}:
        return None
    return (
        f"its screenshots have {pictured.width}x{pictured.height} pixels, but its screen is "
        f"{reported.width}x{reported.height}: taps would miss; 'wm size reset' mends it"
    )


def why_unfit(current: Condition, limits: PhoneLimits) -> str | None:
    """Return why a phone must not get a task; None if it is fit."""
    if current.awake is False:
        return "its screen does not wake"
    if current.locked and current.secure:
        return "it is locked and asks for a credential: unlock it by hand, or take its screen lock away"
    if current.locked:
        return "it is locked, and its lock screen does not go away"
    if current.battery is not None and current.battery < limits.min_battery and current.charging is False:
        return f"its battery is at {current.battery:.0f} % and not charging; a task needs {limits.min_battery:g} %"
    if current.celsius is not None and current.celsius > limits.max_celsius:
        return f"its battery has {current.celsius:.1f} °C; a task is begun up to {limits.max_celsius:g} °C"
    if current.thermal is not None and current.thermal >= SEVERE:
        word = THERMAL_WORDS[min(current.thermal, len(THERMAL_WORDS) - 1)]
        return f"it is hot: its thermal status is {current.thermal} ({word})"
    if current.free_mb is not None and current.free_mb < limits.min_free_mb:
        return f"its storage has {current.free_mb:.0f} MB left; a task needs {limits.min_free_mb:g} MB"
    return None


class Preparation:
    """Prepare a phone by commands that belong to no task. Calls may raise PhoneUnfit and PhoneLost."""

    def __init__(self, serial: str, ask: Callable[[str], Awaitable[ShellResult]], limits: PhoneLimits) -> None:
        """``ask`` runs a line on the phone."""
        self._serial = serial
        self._ask = ask
        self._limits = limits
        self._refuses_touch = False
        """Whether the phone permitted no input when it was touched last."""
        self._vain_inputs = 0

    async def make_fit(self, printed: str) -> None:
        """Wake and unlock the phone if necessary.

        ``printed``: what ``CONDITION_LINE`` and ``dumps.HOME_LINE`` have printed. A phone on which many inputs
        changed nothing shows first that it takes input.
        """
        if self._refuses_touch:
            await self._touch(TOUCH_COMMANDS)
        current = condition(printed)
        deadline = time.monotonic() + _RIGHT_S
        while (commands := putting_right(current)) is not None and time.monotonic() < deadline:
            await self._touch(commands)
            screen = condition((await self._ask(SCREEN_LINE)).text)
            if putting_right(screen) == commands:
                await asyncio.sleep(_RIGHT_POLL_S)
            current = replace(current, awake=screen.awake, locked=screen.locked, secure=screen.secure)
        reason = why_unfit(current, self._limits)
        if reason is not None:
            raise PhoneUnfit(f"phone {self._serial}: {reason}")
        if self._vain_inputs >= VAIN_INPUTS:
            await self._try_input(dumps.home_app(printed))

    async def look_from_home(self, look: Callable[[], Awaitable[T]]) -> tuple[T, str]:
        """Return what ``look`` returns. If the app in front forbids pictures, go to the home screen and look again.

        An episode goes on from there; without it, the phone would count as lost until another app is in front. The
        text says why the phone went home; it is empty if it did not. Raises what ``look`` raises.
        """
        try:
            return await look(), ""
        except NoPicture as error:
            _log.warning("%s; it goes to its home screen", error)
            await self._ask(keyed_line(CHECK_KEY, _HOME))
            return await look(), str(error).removeprefix(f"phone {self._serial}: ")

    def note_effect(self, has_changed: bool) -> None:
        """Count the inputs in a row after which the screen was as before."""
        self._vain_inputs = 0 if has_changed else self._vain_inputs + 1

    async def _try_input(self, home: str | None) -> None:
        """Start an app and check that Home leaves it. ``home``: the home screen's package, if it is known."""
        await self._ask(keyed_line(CHECK_KEY, _START_SETTINGS))
        app = await self._app_in_front()
        if None in (app, home) or app == home:
            return  # nothing can tell whether Home had an effect
        await self._touch(_HOME)
        deadline = time.monotonic() + _RIGHT_S
        while await self._app_in_front() == app:
            if time.monotonic() > deadline:
                raise PhoneUnfit(
                    f"phone {self._serial}: it drops input: {self._vain_inputs} actions in a row changed nothing, and "
                    f"Home does not leave {app}; restart it, and turn off what lies over other apps or filters touches "
                    "(a screen filter, an app lock, a policy of the device's owner)"
                )
            await asyncio.sleep(_RIGHT_POLL_S)
        self._vain_inputs = 0

    async def _app_in_front(self) -> str | None:
        return dumps.app_in_front((await self._ask(dumps.FRONT_LINE)).text)

    def note_refusal(self, result: ShellResult) -> str | None:
        """Return why the phone permits no input, and remember whether it does; None if it does."""
        reason = _touch_refusal(result)
        self._refuses_touch = reason is not None
        return reason

    async def _touch(self, commands: Commands) -> None:
        reason = self.note_refusal(await self._ask(keyed_line(CHECK_KEY, commands)))
        if reason is not None:
            raise PhoneUnfit(f"phone {self._serial}: {reason}")
