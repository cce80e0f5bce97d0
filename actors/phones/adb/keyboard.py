"""Choose ADBKeyboard while a phone is leased, see what it typed, and choose its owner's input method again afterwards.

The earlier choice is recorded before ADBKeyboard replaces it, in a database that outlives this process.

A broadcast ends with ``result=0`` whether somebody received it or not, so only the focused field, read from the tree of
views, can tell whether a text has arrived. A text that counts as lost is typed again. So it is lost only if every field
is as it was before: a field may show capitals for small letters, bullets, or one character of a code, and hand the
focus to the next field.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Literal

from manyhands.actors.phones.adb import dumps
from manyhands.actors.phones.adb.commands import ADB_KEYBOARD, Commands
from manyhands.actors.phones.adb.shell import ShellResult, command_line, keyed_line
from manyhands.actors.phones.adb.value_store import ValueStore
from manyhands.actors.phones.adb.view_tree import BEGIN, LONGEST_TEXT, VIEWS_LINE, View, parse_views, walk
from manyhands.protocol.errors import PhoneError, StateUnavailable, StoreError

Arrival = Literal["arrived", "lost", "unknown"]
"""``unknown``: no field with the focus can be read, or it has changed and does not hold the text."""
_FIELDS = ("EditText", "AutoCompleteTextView")


def reading_line(key: str, commands: Commands, text: str) -> str:
    """Return the line that types a text and prints the views, before the Enter that may end the text."""
    enter = commands[-1:] if text.endswith("\n") else []
    return keyed_line(key, commands[: len(commands) - len(enter)], VIEWS_LINE, enter)


def read_arrival(before: bytes, result: ShellResult, text: str) -> tuple[ShellResult, Arrival]:
    """Return what the commands of ``reading_line`` have printed, without the views, and whether the text is there.

    ``before``: the dump of the views from before the text was sent.
    """
    printed, begin, views = result.stdout.partition(BEGIN)
    return replace(result, stdout=printed), find_text(before, begin + views, text)


def find_text(before: bytes, after: bytes, text: str) -> Arrival:
    """Return whether ``text`` is in the focused field of the dump ``after``, or its fields are those of ``before``.

    An app may format what is typed (phone numbers, capitals).
    """
    try:
        earlier, fields = _fields(before), _fields(after)
    except StateUnavailable:
        return "unknown"
    focused = [field for field in fields if field.focused]
    if len(focused) != 1 or focused[0].password or len(focused[0].text) >= LONGEST_TEXT:
        return "unknown"
    has_text, has_changed = letters_of(text) in letters_of(focused[0].text), fields != earlier
    if has_text == has_changed:
        return "arrived" if has_text else "lost"
    return "unknown"


def _fields(dump: bytes) -> list[View]:
    """Return the fields for text. Raises StateUnavailable."""
    return [view for view in walk(parse_views(dump)) if is_field(view)]


def is_field(view: View) -> bool:
    """Return whether a view is a field for text, by its class."""
    return view.kind.endswith(_FIELDS)


def letters_of(text: str) -> str:
    """Return the letters and digits of a text that has some, else all that is no blank, all in lower case."""
    return ("".join(filter(str.isalnum, text)) or "".join(text.split())).casefold()


INPUT_METHOD = "input_method"
"""The name of the owner's choice among the values that are kept of a phone."""
NOT_INSTALLED = "this phone has no ADBKeyboard: install com.android.adbkeyboard"
MAY_NOT_BE_CHOSEN = (
    "ADBKeyboard of this phone may not be chosen from adb: choose it by hand, in the settings of languages, "
    "or turn on 'USB debugging (Security settings)' in the developer options; the phone says: {}"
)
RECEIVES_NOTHING = (
    "ADBKeyboard of this phone receives no texts: open it once by hand, let it run in the background, or install it "
    "again ('manyhands doctor' types a text to try it)"
)
MOST_CHECKS = 2
READY_S = 3.0
GIVE_BACK_S = 5.0
"""The time limit for restoring the input method, because a phone that is given back may hang."""
_POLL_S = 0.05
_CHOSEN = "settings get secure default_input_method"
_log = logging.getLogger(__name__)


class Keyboard:
    """Choose one phone's input method. ``take`` and ``hold`` may raise PhoneLost and StoreError."""

    def __init__(self, serial: str, ask: Callable[[str], Awaitable[ShellResult]], values: ValueStore) -> None:
        """``ask`` runs a line on the phone; ``values`` keeps its owner's choice."""
        self._serial = serial
        self._ask = ask
        self._values = values
        self.usable = False
        """Whether ADBKeyboard is installed, could be chosen, and has not lost a text under this lease."""
        self.problem = NOT_INSTALLED
        """Why ADBKeyboard is not usable, and what a person can do."""
        self._checks = 0
        """How many more texts are read back while none has been seen to arrive."""

    @property
    def is_doubtful(self) -> bool:
        """Return whether the next text is to be read back, because ADBKeyboard may not receive any."""
        return self.usable and self._checks > 0

    def count_arrival(self, arrival: Arrival) -> None:
        """Count a text that was read back. After a lost one, ADBKeyboard is not used under this lease."""
        self._checks = self._checks - 1 if arrival == "unknown" else 0
        if arrival == "lost":
            self.usable, self.problem = False, RECEIVES_NOTHING

    async def take(self, printed: str) -> str | None:
        """Choose ADBKeyboard if it is installed. ``printed``: the installed ids, then the chosen one.

        If another input method stays connected nevertheless, return its id, because text that is typed by ADBKeyboard
        would then be lost.
        """
        *installed, current = printed.split() or [""]
        self.usable, self.problem, self._checks = ADB_KEYBOARD in installed, NOT_INSTALLED, MOST_CHECKS
        if self.usable and current != ADB_KEYBOARD:
            return await self._replace(current)
        return None

    async def hold(self) -> None:
        """Choose ADBKeyboard again if a person or an app chose another: a broadcast would be lost silently."""
        current = dumps.input_method((await self._ask(_CHOSEN)).text)
        if self.usable and current != ADB_KEYBOARD:
            await self._replace(current or "")

    async def give_back(self) -> None:
        """Choose the earlier input method again. A failure is logged; the next give-back tries again."""
        try:
            async with asyncio.timeout(GIVE_BACK_S):
                await self._give_back()
        except (PhoneError, StoreError, TimeoutError) as error:
            _log.warning("%s has ADBKeyboard chosen until it is given back again: %s", self._serial, error)

    async def _give_back(self) -> None:
        before = (await self._values.read(self._serial)).get(INPUT_METHOD)
        if before is None:
            return
        if dumps.input_method((await self._ask(_CHOSEN)).text) == ADB_KEYBOARD:  # else another was chosen meanwhile
            answer = await self._ask(f"{command_line([['ime', 'set', before]])}; {_CHOSEN}")
            if before not in answer.text.split():
                _log.warning("%s does not take %s back: %s", self._serial, before, answer.complaint)
        await self._values.write(self._serial, {INPUT_METHOD: None})

    async def _replace(self, current: str) -> str | None:
        """Choose ADBKeyboard in place of ``current``.

        Return once it is connected, because before that it receives no broadcast. If another input method stays
        connected, return its id.
        """
        if dumps.input_method(current):
            await self._values.write(self._serial, {INPUT_METHOD: current})
        answer = await self._ask(command_line([["ime", "enable", ADB_KEYBOARD], ["ime", "set", ADB_KEYBOARD]]))
        self.usable = answer.status == 0
        if not self.usable:
            self.problem = MAY_NOT_BE_CHOSEN.format(answer.complaint)
        deadline = time.monotonic() + READY_S
        connected: str | None = None
        while self.usable and time.monotonic() < deadline:
            connected = dumps.bound_input_method((await self._ask("dumpsys input_method | grep mCurId=")).text)
            if connected in (ADB_KEYBOARD, None):
                return None
            await asyncio.sleep(_POLL_S)
        return connected if self.usable and connected is not None and "/" in connected else None
