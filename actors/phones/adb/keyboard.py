"""Choose ADBKeyboard while a phone is held, and its owner's input method again afterwards.

What was chosen before is written down before ADBKeyboard takes its place, where it outlives this process.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from manyhands.actors.phones.adb import dumps
from manyhands.actors.phones.adb.input_methods import InputMethods
from manyhands.actors.phones.adb.quoting import command_line
from manyhands.actors.phones.adb.text_input import ADB_KEYBOARD
from manyhands.actors.phones.adb.wire import ShellResult
from manyhands.protocol.errors import PhoneError, StoreError

READY_S = 3.0
GIVE_BACK_S = 5.0
"""A phone that is given up may hang."""
_POLL_S = 0.05
_CHOSEN = "settings get secure default_input_method"
_log = logging.getLogger(__name__)


class Keyboard:
    """Choose one phone's input method. ``take`` and ``hold`` may raise PhoneLost and StoreError."""

    def __init__(self, serial: str, ask: Callable[[str], Awaitable[ShellResult]], before: InputMethods) -> None:
        """``ask`` runs a line on the phone; ``before`` is where its owner's choice is written down."""
        self._serial = serial
        self._ask = ask
        self._before = before
        self.usable = False
        """Whether ADBKeyboard is installed and could be chosen."""

    async def take(self, printed: str) -> str | None:
        """Choose ADBKeyboard where it is installed. ``printed``: ids of those installed, then the chosen one.

        Return another input method's id that stays connected all the same: what is typed then would be lost.
        """
        *installed, chosen = printed.split() or [""]
        self.usable = ADB_KEYBOARD in installed
        if self.usable and chosen != ADB_KEYBOARD:
            return await self._replace(chosen)
        return None

    async def hold(self) -> None:
        """Choose ADBKeyboard again if a person or an app chose another: a broadcast would be lost silently."""
        chosen = dumps.input_method((await self._ask(_CHOSEN)).text)
        if self.usable and chosen != ADB_KEYBOARD:
            await self._replace(chosen or "")

    async def give_back(self) -> None:
        """Choose what was chosen before. What fails is logged, and done when the phone is given back the next time."""
        try:
            async with asyncio.timeout(GIVE_BACK_S):
                await self._give_back()
        except (PhoneError, StoreError, TimeoutError) as error:
            _log.warning("%s has ADBKeyboard chosen until it is given back again: %s", self._serial, error)

    async def _give_back(self) -> None:
        before = await self._before.read(self._serial)
        if before is None:
            return
        if dumps.input_method((await self._ask(_CHOSEN)).text) == ADB_KEYBOARD:  # else somebody chose another since
            answer = await self._ask(f"{command_line([['ime', 'set', before]])}; {_CHOSEN}")
            if before not in answer.text.split():
                _log.warning("%s does not take %s back: %s", self._serial, before, answer.complaint)
        await self._before.write(self._serial, None)

    async def _replace(self, chosen: str) -> str | None:
        """Choose ADBKeyboard in place of ``chosen``; return once it is connected, for it hears no broadcast before.

        Where another stays connected, return its id.
        """
        if dumps.input_method(chosen):
            await self._before.write(self._serial, chosen)
        answer = await self._ask(command_line([["ime", "enable", ADB_KEYBOARD], ["ime", "set", ADB_KEYBOARD]]))
        self.usable = answer.status == 0
        deadline = time.monotonic() + READY_S
        connected: str | None = None
        while self.usable and time.monotonic() < deadline:
            connected = dumps.bound_input_method((await self._ask("dumpsys input_method | grep mCurId=")).text)
            if connected in (ADB_KEYBOARD, None):
                return None
            await asyncio.sleep(_POLL_S)
        return connected if self.usable and connected is not None and "/" in connected else None
