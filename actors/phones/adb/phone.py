"""Work on a phone behind an adb server: atoms as shell lines, screenshots, state."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from manyhands.actors.frames import Frame, ModelImage
from manyhands.actors.phones.adb import dumps, fitness
from manyhands.actors.phones.adb.apps import AppCatalogue
from manyhands.actors.phones.adb.commands import Commands, PhoneFacts, commands_for, reset_commands
from manyhands.actors.phones.adb.input_methods import InputMethods
from manyhands.actors.phones.adb.keyboard import Keyboard
from manyhands.actors.phones.adb.quoting import command_line, keyed_line
from manyhands.actors.phones.adb.refusal import Refused
from manyhands.actors.phones.adb.screenshots import CaptureResources, Foreground, Screenshots, Sent
from manyhands.actors.phones.adb.settings import CONTENT_URI, AdbSettings
from manyhands.actors.phones.adb.wire import AnswerLost, ShellResult
from manyhands.actors.phones.settling.model import ActionKind
from manyhands.protocol.actions import Atom, Home, OpenApp, Type
from manyhands.protocol.errors import PhoneLost, PhoneUnfit, StateUnavailable
from manyhands.protocol.geometry import Size
from manyhands.protocol.phones import CHECK_KEY, Perform, Receipt, SettleSpec
from manyhands.protocol.screens import Screenshot

KEY_EVENTS_PER_S = 50
"""A slow phone's rate of key events, for time limits."""
_PREPARE = (
    f"{dumps.VERSIONS_LINE}; {dumps.HOME_LINE}; wm size; ime list -a -s; settings get secure default_input_method"
)
_RIGHT_S = 3.0
"""How long a phone may take to wake and to show what was behind its lock screen."""
_RIGHT_POLL_S = 0.1
_LAUNCHER_ACTIVITIES = (
    "cmd package query-activities --brief --components "
    "-a android.intent.action.MAIN -c android.intent.category.LAUNCHER"
)
_FAILURE = re.compile(r"^\s*(Error\b|Exception\b|java\.lang\.|Security exception)", re.MULTILINE)


class AdbPhone:
    """Implements ``actors.seams.Phone``."""

    def __init__(
        self, serial: str, resources: CaptureResources, settings: AdbSettings, input_methods: InputMethods
    ) -> None:
        self.serial = serial
        self._server = resources.server
        self._settings = settings
        self._screenshots = Screenshots(serial, resources, settings.capture_timeout_s)
        self._size: Size | None = None
        self._keyboard = Keyboard(serial, self._ask, input_methods)
        self._apps: AppCatalogue | None = None
        self._home: str | None = None
        self._versions: Mapping[str, str] = {}
        self._sent: Sent | None = None
        """What was sent to it since the last screenshot."""

    async def prepare(self, *, for_task: bool) -> None:
        """Make sure that it is online, learn its size, and choose ADBKeyboard where it is installed.

        Raises PhoneUnknown, PhoneLost, StoreError; PhoneUnfit as far as its reports are understood.
        """
        await self._server.ensure_online(self.serial)
        answer = await self._ask(f"{fitness.CONDITION_LINE}; {_PREPARE}" if for_task else _PREPARE)
        if for_task:
            await self._make_fit(fitness.condition(answer.text))
        self._size = dumps.screen_size(answer.text)
        self._apps = None
        self._home = dumps.home_app(answer.text)
        self._versions = dumps.versions(answer.text)
        other = await self._keyboard.take(answer.text)
        if for_task and other is not None:
            raise PhoneUnfit(f"phone {self.serial}: ADBKeyboard was chosen, and {other} stays its keyboard")

    async def _make_fit(self, found: fitness.Condition) -> None:
        """Wake and unlock the phone where that is needed. Raises PhoneUnfit."""
        deadline = time.monotonic() + _RIGHT_S
        while (commands := fitness.putting_right(found)) is not None and time.monotonic() < deadline:
            await self._ask(keyed_line(CHECK_KEY, commands))
            screen = fitness.condition((await self._ask(fitness.SCREEN_LINE)).text)
            if fitness.putting_right(screen) == commands:
                await asyncio.sleep(_RIGHT_POLL_S)
            found = replace(found, awake=screen.awake, locked=screen.locked, secure=screen.secure)
        reason = fitness.why_unfit(found, self._settings.limits)
        if reason is not None:
            raise PhoneUnfit(f"phone {self.serial}: {reason}")

    async def release(self) -> None:
        """Choose the input method that was chosen before ``prepare``; what fails is done the next time."""
        await self._keyboard.give_back()

    # ------------------------------------------------------------------ looking
    async def capture(self, settle: SettleSpec | None) -> tuple[Screenshot, ModelImage, Frame]:
        """Return the screen once it is at rest (at once without ``settle``). Raises PhoneLost, CaptureFailed."""
        taken = await self._screenshots.capture(settle, self._sent, self._foreground)
        self._sent = None
        return taken

    async def close(self) -> None:
        """End what goes on by itself after a screenshot. The phone can be used again afterwards."""
        await self._screenshots.close()

    async def size(self) -> Size:
        """Return the last screenshot's size, which turns with the phone; before the first one, that of ``wm size``.

        Raises PhoneLost.
        """
        if self._screenshots.size is not None:
            return self._screenshots.size
        if self._size is None:
            self._size = dumps.screen_size((await self._ask("wm size")).text)
        if self._size is None:
            raise PhoneLost(f"phone {self.serial} does not print the size of its screen ('wm size')")
        return self._size

    async def state(self, source: str) -> Mapping[str, Any]:
        """Return the JSON object that a content provider answers. Raises StateUnavailable, PhoneLost."""
        if not re.fullmatch(CONTENT_URI, source):
            raise StateUnavailable(f"{source!r} is not the URI of a content provider (content://AUTHORITY/PATH)")
        answer = await self._ask(command_line([["content", "query", "--uri", source]]))
        return dumps.json_row(answer.text + answer.complaint, source)

    # ------------------------------------------------------------------ touching
    async def perform(self, perform: Perform) -> Receipt:
        """Carry out one atom, as one line. Raises PhoneLost when it is certain that nothing was sent."""
        try:
            commands = await self._commands(perform.action)
        except Refused as refused:
            return Receipt(key=perform.key, status="refused", detail=str(refused), sent_at=time.time(), ms=0)
        receipt = await self._touch(
            perform.key, commands, _duration(perform.action, commands), action=self._kind_of(perform.action)
        )
        return receipt.model_copy(update={"opens": self._opened_by(perform.action)})

    async def reset(self, key: str, seed: int | None) -> Receipt:
        """Wake, unlock, close the app in front, home; and the reset provider with ``seed`` where there is one.

        ``unknown`` if the provider did not say that it did it. Raises PhoneLost as ``perform`` does.
        """
        provider = self._settings.reset_provider
        seed_at = (provider, seed) if provider is not None and seed is not None else None
        front = await self._foreground()
        apps = await self._catalogue()
        closed = front.app if front.app in apps.packages() else None
        receipt = await self._touch(key, reset_commands(closed, seed_at), 0.0, seed_at is not None)
        self._apps = None
        if seed is not None and provider is None and receipt.status == "done":
            return receipt.model_copy(update={"detail": "no reset provider is configured: contents stay as they are"})
        return receipt

    async def _touch(
        self, key: str, commands: Commands, seconds: float, resets: bool = False, action: ActionKind | None = None
    ) -> Receipt:
        """Send the one line of a key and return what came of it."""
        await self._screenshots.close()
        sent_at, started_at = time.time(), time.perf_counter()
        loop = asyncio.get_running_loop()
        self._sent = Sent(loop.time(), action)
        try:
            line = keyed_line(key, commands)
            result = await self._server.shell(self.serial, line, self._settings.command_timeout_s + seconds)
        except AnswerLost as error:
            status, detail = "unknown", str(error)
        else:
            status, detail = _verdict(result)
            if resets and status == "done" and "Result: Bundle[" not in result.text:
                status, detail = "unknown", f"the reset provider did not answer: {result.complaint}"
        self._sent = Sent(loop.time(), action)
        ms = (time.perf_counter() - started_at) * 1000
        return Receipt.model_validate(
            {"key": key, "status": status, "detail": detail, "sent_at": sent_at, "ms": ms},
        )

    async def _commands(self, action: Atom) -> Commands:
        """Return the shell commands of an atom. Raises Refused, PhoneLost."""
        if isinstance(action, Type) and self._keyboard.usable:
            await self._keyboard.hold()
        apps = None
        if isinstance(action, OpenApp):
            known = self._apps is not None
            apps = await self._catalogue()
            if known:
                # An app may have been installed since the list was made.
                try:
                    apps.find(action.app)
                except Refused:
                    self._apps = None
                    apps = await self._catalogue()
        return commands_for(action, PhoneFacts(await self.size(), self._keyboard.usable, apps))

    def _kind_of(self, action: Atom) -> ActionKind:
        """Return what settling learns by: the app in front, or the one that is opened, and the atom's name."""
        if isinstance(action, OpenApp) and self._apps is not None:
            return ActionKind(self._apps.find(action.app).package, action.name)
        return ActionKind(self._screenshots.app, action.name)

    def _opened_by(self, action: Atom) -> str | None:
        """Return the package that ``action`` is to bring to the front; None where a label was but near an app's."""
        if isinstance(action, OpenApp) and self._apps is not None:
            app = self._apps.called(action.app)
            return app.package if app else None
        return self._home if isinstance(action, Home) else None

    # ------------------------------------------------------------------ asking
    async def _ask(self, line: str) -> ShellResult:
        """Run a line that may run twice, for it touches nothing. Raises PhoneLost."""
        return await self._server.shell(self.serial, line, self._settings.command_timeout_s, asks=True)

    async def _foreground(self) -> Foreground:
        text = (await self._ask(dumps.FRONT_LINE)).text
        app = dumps.app_in_front(text)
        return Foreground(
            app, dumps.keyboard(text), dumps.caret(text), None if app is None else self._versions.get(app)
        )

    async def _catalogue(self) -> AppCatalogue:
        """Return the phone's apps, asked once and after a reset. Labels come from the providers that answer."""
        if self._apps is None:
            activities: dict[str, str | None] = dict(dumps.components((await self._ask(_LAUNCHER_ACTIVITIES)).text))
            if not activities:
                activities = dict.fromkeys(dumps.packages((await self._ask("pm list packages")).text))
            rows: list[tuple[str, str, str]] = []
            for provider in self._settings.label_providers:
                answer = await self._ask(command_line([["content", "query", "--uri", provider]]))
                rows += dumps.label_rows(answer.text)
            self._apps = AppCatalogue(activities, rows)
        return self._apps


def _verdict(result: ShellResult) -> tuple[str, str]:
    """Return a receipt's status and detail. Android's commands print some failures with exit status 0.

    A line that the phone complained about was sent and perhaps did a part: ``unknown``, never ``refused``.
    """
    if result.status == 0 and not _FAILURE.search(result.text + "\n" + result.stderr.decode("utf-8", "replace")):
        return "done", ""
    return "unknown", f"the phone complained: {result.complaint or f'exit status {result.status}'}"


def _duration(action: Atom, commands: Commands) -> float:
    """Return how long an action takes by itself, in seconds at most."""
    if isinstance(action, Type):
        return sum(len(word) for command in commands for word in command) / KEY_EVENTS_PER_S
    return action.touch_s
