"""Make one phone fit for a task: wake it, unlock it, and find out whether it permits input."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

from manyhands.actors.phones.adb import dumps, fitness
from manyhands.actors.phones.adb.commands import KEY_HOME, Commands
from manyhands.actors.phones.adb.connection.shell import ShellResult, keyed_line
from manyhands.actors.phones.adb.errors import NoPicture
from manyhands.protocol.errors import PhoneUnfit
from manyhands.protocol.phones.messages import CHECK_KEY, PhoneLimits

T = TypeVar("T")

VAIN_INPUTS = 3
"""After so many inputs in a row that changed nothing, a phone may be one that drops input and reports success."""
_HOME: Commands = [["input", "keyevent", KEY_HOME]]
_START_SETTINGS: Commands = [["am", "start", "-W", "-a", "android.settings.SETTINGS"]]
_log = logging.getLogger(__name__)
_RIGHT_S = 3.0
"""How long a phone may take to wake and to show the screen behind its lock screen."""
_RIGHT_POLL_S = 0.1


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

        ``printed``: what ``fitness.CONDITION_LINE`` and ``dumps.HOME_LINE`` have printed. A phone on which many inputs
        changed nothing shows first that it takes input.
        """
        if self._refuses_touch:
            await self._touch(fitness.TOUCH_COMMANDS)
        current = fitness.condition(printed)
        deadline = time.monotonic() + _RIGHT_S
        while (commands := fitness.putting_right(current)) is not None and time.monotonic() < deadline:
            await self._touch(commands)
            screen = fitness.condition((await self._ask(fitness.SCREEN_LINE)).text)
            if fitness.putting_right(screen) == commands:
                await asyncio.sleep(_RIGHT_POLL_S)
            current = replace(current, awake=screen.awake, locked=screen.locked, secure=screen.secure)
        reason = fitness.why_unfit(current, self._limits)
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
        reason = fitness.touch_refusal(result)
        self._refuses_touch = reason is not None
        return reason

    async def _touch(self, commands: Commands) -> None:
        reason = self.note_refusal(await self._ask(keyed_line(CHECK_KEY, commands)))
        if reason is not None:
            raise PhoneUnfit(f"phone {self._serial}: {reason}")
