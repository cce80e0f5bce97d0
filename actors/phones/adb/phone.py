"""Operate a phone behind an adb server: atoms as shell lines, screenshots, state."""

from __future__ import annotations

import asyncio
import base64
import logging
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from manyhands.actors.frames import Frame, ModelImage, make_preview
from manyhands.actors.phones.adb import dumps, fitness
from manyhands.actors.phones.adb.apps import InstalledApps
from manyhands.actors.phones.adb.commands import Commands, PhoneFacts, commands_for, reset_commands
from manyhands.actors.phones.adb.device_facts import LABELS_LINE, TIME_LINE, device_labels, read_description
from manyhands.actors.phones.adb.emulator_console import console_port, restore_snapshot
from manyhands.actors.phones.adb.fitness import Preparation
from manyhands.actors.phones.adb.frame_source import (
    DISPLAYS_LINE,
    AdbCaptureLimits,
    AdbFrameSource,
    has_several,
    lit_display,
)
from manyhands.actors.phones.adb.keyboard import Keyboard, read_arrival, reading_line
from manyhands.actors.phones.adb.log_stream import CLOCK_LINE, LogStream, clock_offset
from manyhands.actors.phones.adb.secret_mask import SecretMask
from manyhands.actors.phones.adb.secret_typing import OTHER_APP, SecretTyping
from manyhands.actors.phones.adb.server import AdbServer
from manyhands.actors.phones.adb.server_start import ServerStarter
from manyhands.actors.phones.adb.settings import CONTENT_URI, AdbSettings
from manyhands.actors.phones.adb.setup.device_settings import DeviceSetup
from manyhands.actors.phones.adb.setup.installation import Installation
from manyhands.actors.phones.adb.shell import (
    ActionRefused,
    AnswerLost,
    ShellResult,
    command_line,
    keyed_line,
    receipt_status,
)
from manyhands.actors.phones.adb.state import PARTS, PREFIX, DeviceState
from manyhands.actors.phones.adb.value_store import ValueStore
from manyhands.actors.phones.adb.view_tree import BEGIN, LONGEST_S, VIEWS_LINE, read_views
from manyhands.actors.phones.screenshots import CaptureResources, Foreground, LastInput, Screenshots
from manyhands.actors.phones.settling.model import ActionKind
from manyhands.protocol.errors import (
    CaptureFailed,
    LogUnavailable,
    PhoneError,
    PhoneLost,
    PhoneUnfit,
    StateUnavailable,
    StoreError,
)
from manyhands.protocol.phones import DESCRIPTION, PICTURE, Perform, PhoneLog, Receipt, Reset, SettleSpec
from manyhands.protocol.screens.actions import Home, OpenApp, PhoneAction, Type
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import VIEWS, Screenshot, ViewTree
from manyhands.protocol.secrets import SECRETS, secret_names
from manyhands.protocol.utilities.host_clock import HOST_CLOCK

KEY_EVENTS_PER_S = 50
"""A slow phone's rate of key events, used for time limits."""
GIVE_BACK_S = 60.0
"""The time limit for restoring a phone's settings, because a phone that is given back may hang."""
_log = logging.getLogger(__name__)
_PREPARE = (
    f"{dumps.VERSIONS_LINE}; {dumps.HOME_LINE}; wm size; ime list -a -s; settings get secure default_input_method"
)


@dataclass(frozen=True, slots=True)
class AdbResources:
    """Hold what all phones of one transport share. Starting the transport makes it."""

    server: AdbServer
    starter: ServerStarter
    limits: AdbCaptureLimits
    captures: CaptureResources
    values: ValueStore


class AdbPhone:
    """Implements ``actors.interfaces.Phone``."""

    def __init__(self, serial: str, resources: AdbResources, settings: AdbSettings) -> None:
        self.serial = serial
        self._server = resources.server
        self._settings = settings
        self._source = AdbFrameSource(serial, resources.server, resources.limits, settings.capture_timeout_s)
        self._screenshots = Screenshots(serial, self._source, resources.captures)
        self._may_light_another = True
        """Whether another display than the one of the last screenshot may be lit now."""
        self._size: Size | None = None
        self._keyboard = Keyboard(serial, self._ask, resources.values)
        self._installation = Installation(serial, resources.server, self._ask, resources.values)
        self._device = DeviceSetup(serial, self._ask, resources.values)
        self._state = DeviceState(self._ask, settings.allow_shell_checks)
        self._apps = InstalledApps(self._ask, settings.label_providers)
        self._home: str | None = None
        self._versions: Mapping[str, str] = {}
        self._last_input: LastInput | None = None
        """The last input since the last screenshot."""
        self._shown: Screenshot | None = None
        """The last screenshot."""
        self._log: LogStream | None = None
        self._preparation = Preparation(serial, self._ask, settings.limits)
        self._mask = SecretMask(serial, self._ask, settings.secrets, settings.state_dir.expanduser())
        self._secrets = SecretTyping(self._ask, settings.secrets, self._mask)

    async def prepare(self, *, for_task: bool) -> None:
        """Make sure that the phone is online, read its size, and choose ADBKeyboard if it is installed.

        Raises PhoneUnknown, PhoneLost and StoreError. ``for_task``: also raises PhoneUnfit if the phone's own reports
        show that it is unfit. If the phone returns no screenshot, raises PhoneUnfit in any case. A resumed episode then
        waits for the phone as for a lost one.
        """
        await self._end_log()
        await self._server.ensure_online(self.serial)
        answer = await self._ask(f"{fitness.CONDITION_LINE}; {_PREPARE}" if for_task else _PREPARE)
        if for_task:
            await self._preparation.make_fit(answer.text)
        self._size = dumps.screen_size(answer.text)
        self._may_light_another = True
        self._apps.doubt()
        self._home = dumps.home_app(answer.text)
        self._versions = dumps.app_versions(answer.text)
        other = await self._keyboard.take(answer.text)
        if for_task and other is not None:
            raise PhoneUnfit(f"phone {self.serial}: ADBKeyboard was chosen, and {other} stays its keyboard")
        await self._ensure_visible()

    async def _ensure_visible(self) -> None:
        """Check that the phone returns screenshots of its screen, because a task without them ends at once.

        Raises PhoneUnfit, PhoneLost.
        """
        await self._choose_display()
        try:
            size, _ = await self._preparation.look_from_home(self._screenshots.check)
        except CaptureFailed as error:
            why = str(error).removeprefix(f"phone {self.serial}: ")
            raise PhoneUnfit(f"phone {self.serial}: it gives no screenshot: {why}") from error
        displaced = fitness.why_displaced(size, self._size)
        if displaced is not None:
            raise PhoneUnfit(f"phone {self.serial}: {displaced}")

    async def _choose_display(self) -> None:
        """Take pictures of the display that is lit, if the phone has several. Raises PhoneLost."""
        if self._may_light_another:
            printed = (await self._ask(DISPLAYS_LINE)).text
            self._source.display, self._may_light_another = lit_display(printed), has_several(printed)

    async def release(self) -> None:
        """Restore the phone's own input method and settings, and uninstall what was to go.

        What fails is logged, and the next ``release`` tries it again.
        """
        await self._keyboard.give_back()
        try:
            async with asyncio.timeout(GIVE_BACK_S):
                await self._device.give_back()
                await self._installation.give_back()
        except (PhoneError, StoreError, TimeoutError) as error:
            _log.warning("phone %s: it is not as it was until it is given back again: %s", self.serial, error)

    # ------------------------------------------------------------------ looking
    async def capture(self, settle: SettleSpec | None) -> tuple[Screenshot, ModelImage, Frame]:
        """Return the screen once it is at rest (at once without ``settle``). Raises PhoneLost, CaptureFailed."""
        await self._choose_display()

        async def take() -> tuple[tuple[Screenshot, ModelImage, Frame], str]:
            return await self._preparation.look_from_home(
                lambda: self._screenshots.capture(settle, self._last_input, self._foreground)
            )

        (screenshot, image, frame), reason = await self._mask.cover(
            self._source, take, lambda picture: "" if picture[0][0].is_black else picture[0][0].app
        )
        if screenshot.is_black:
            secure = dumps.is_secure((await self._ask(dumps.SECURE_LINE)).text)
            screenshot = screenshot.model_copy(update={"is_secure": secure})
        if self._last_input is not None and self._last_input.action is not None and self._shown is not None:
            self._preparation.note_effect(not screenshot.shows_as(self._shown))
        self._last_input, self._shown = None, screenshot
        return screenshot.model_copy(update={"sent_home": reason}), image, frame

    async def close(self) -> None:
        """End the frames that are still taken after a screenshot, and the log. The phone can be used again."""
        await self._end_log()
        await self._screenshots.close()

    async def size(self) -> Size:
        """Return the size of the last screenshot; before the first screenshot, the size by ``wm size``.

        Width and height change places when the phone is turned. Raises PhoneLost.
        """
        if self._screenshots.size is not None:
            return self._screenshots.size
        if self._size is None:
            self._size = dumps.screen_size((await self._ask("wm size")).text)
        if self._size is None:
            raise PhoneLost(f"phone {self.serial} does not print the size of its screen ('wm size')")
        return self._size

    async def labels(self) -> Mapping[str, str]:
        """Return the maker, the model, the Android version, and the versions of apps. Raises PhoneLost."""
        answer = await self._ask(LABELS_LINE)
        return device_labels(answer.text, await self._apps.catalogue())

    async def state(self, source: str) -> Mapping[str, Any]:
        """Return a state that is read through the shell (package ``state``), or the JSON object that a
        content provider answers.

        Raises StateUnavailable, PhoneLost.
        """
        if source == SECRETS:
            return await self._secrets.problems()
        if source == PICTURE:
            return await self._picture()
        try:
            state: Mapping[str, Any] = await self._mask.mask(await self._read_state(source))
        except StateUnavailable as error:
            raise StateUnavailable(await self._mask.mask(str(error))) from None
        return state

    async def _read_state(self, source: str) -> Mapping[str, Any]:
        if source == VIEWS:
            return await self._views()
        if source == DESCRIPTION:
            labels = (await self._apps.catalogue()).by_label()
            return read_description((await self._ask(TIME_LINE)).text, labels).model_dump(mode="json")
        if source.startswith(PREFIX):
            return await self._state.read(source)
        if not re.fullmatch(CONTENT_URI, source):
            raise StateUnavailable(
                f"a phone behind adb has no state at {source!r}: a check of it names parts of the phone's state "
                f"({PREFIX}state/{'/'.join(PARTS)}) or a content provider (content://AUTHORITY/PATH)"
            )
        answer = await self._ask(command_line([["content", "query", "--uri", source]]))
        return dumps.json_row(answer.text + answer.complaint, source)

    async def _views(self) -> Mapping[str, Any]:
        """Return the views of the window in front as a ViewTree. Raises StateUnavailable, PhoneLost, CaptureFailed."""
        views = await read_views(self._ask)
        content_id = await self._screenshots.recognize()
        if self._last_input is not None:  # the phone was touched since its last screenshot
            content_id = None
        return ViewTree(shown=content_id, views=views).model_dump(mode="json", exclude_defaults=True)

    async def _picture(self) -> Mapping[str, Any]:
        """Return the screen as a PhonePicture. Raises PhoneLost, CaptureFailed."""
        await self._choose_display()
        frame = await self._mask.cover(self._source, self._screenshots.look, lambda _: self._screenshots.app)
        rgb = await asyncio.to_thread(frame.rgb)
        jpeg = await asyncio.to_thread(make_preview, rgb)
        size = Size(width=rgb.shape[1], height=rgb.shape[0])
        return {"jpeg": base64.b64encode(jpeg).decode(), "size": size.model_dump(mode="json")}

    async def log(self) -> PhoneLog:
        """Return what the phone has logged since the last call. The first call begins to follow the log.

        Raises PhoneLost, and LogUnavailable once a secret was typed, as apps log what they get.
        """
        secret = LogUnavailable(f"phone {self.serial}: a secret was typed on it, so its log is not collected")
        if await self._mask.typed():
            raise secret
        if self._log is None or not self._log.is_open:
            before = HOST_CLOCK.now()
            printed = (await self._ask(CLOCK_LINE)).text
            offset_s = clock_offset(printed, before, HOST_CLOCK.now())
            await self._end_log()
            if await self._mask.typed():  # meanwhile
                raise secret
            self._log = LogStream(self._settings.host, self._settings.port, self.serial, offset_s)
        return self._log.take()

    async def _end_log(self) -> None:
        stream, self._log = self._log, None
        if stream is not None:
            await stream.close()

    # ------------------------------------------------------------------ touching
    async def perform(self, perform: Perform) -> Receipt:
        """Carry out one atom, as one line. Raises PhoneLost if certainly nothing was sent."""
        if isinstance(perform.action, Type) and secret_names(perform.action.text):
            return await self._type_secrets(perform.key, perform.action)
        try:
            commands = await self._commands(perform.action)
        except ActionRefused as refused:
            return _refuse(perform.key, refused)
        action = perform.action
        reads_back = isinstance(action, Type) and action.text.strip() and self._keyboard.is_doubtful
        typed = action if isinstance(action, Type) and reads_back else None
        before = b"" if typed is None else (await self._ask(VIEWS_LINE)).stdout
        if typed is not None and BEGIN not in before:  # a window that keeps moving has nothing to compare with
            self._keyboard.count_arrival("unknown")
            typed = None
        receipt = await self._touch(
            perform.key, commands, _duration(action, commands), action=self._kind_of(action), typed=typed, before=before
        )
        if typed is not None and receipt.status == "refused" and not self._keyboard.usable:
            return await self.perform(perform)  # nothing has arrived, and key events may carry the text
        return receipt.model_copy(update={"opens": self._opened_by(action)})

    async def _type_secrets(self, key: str, action: Type) -> Receipt:
        """Type a text with secrets, if they may be typed where the focus is. Raises PhoneLost."""
        try:
            if self._keyboard.usable:
                await self._keyboard.hold()
            secret = await self._secrets.prepare(action, await self._apps.catalogue(), self._keyboard.usable)
        except ActionRefused as refused:
            return _refuse(key, refused)
        self._source.painted = None
        await self._end_log()
        seconds = _duration(action, secret.commands)
        receipt = await self._touch(key, secret.commands, seconds, action=self._kind_of(action), guard=secret.guard)
        return receipt.model_copy(update={"detail": secret.hide(receipt.detail)})

    async def reset(self, reset: Reset) -> Receipt:
        """Wake, unlock, close the app in front, go home; call the reset provider with the seed if there is one.

        Apps in which a secret was typed are closed, too. With a seed, an emulator first restores its snapshot, if
        settings name one. The receipt is ``unknown`` if the provider did not confirm the reset. Raises PhoneLost if
        certainly nothing was sent, PhoneUnfit, and SetupRefused if the phone refuses the app under test or a setting.
        """
        if reset.keeps_place:
            return await self._set_up_again(reset)
        restores, seed = False, reset.seed
        await self._device.give_back()  # what a killed run has left
        if seed is not None and self._settings.reset_snapshot is not None:
            restores = await self._restore(self._settings.reset_snapshot)
        provider = self._settings.reset_provider
        seed_at = (provider, seed) if provider is not None and seed is not None else None
        front = await self._foreground()
        apps = await self._apps.catalogue()
        closed = front.app if front.app in apps.packages() else None
        typed = await self._mask.typed()
        closing = [["am", "force-stop", package] for package in sorted({app for one in typed.values() for app in one})]
        receipt = await self._touch(reset.key, [*closing, *reset_commands(closed, seed_at)], 0.0, seed_at is not None)
        if typed and receipt.status == "done":
            await self._mask.forget()
        if seed_at is not None:
            self._apps.doubt()
        if reset.build is not None:
            await self._installation.prepare(reset.build)
            self._apps.forget()
        if reset.device is not None:
            await self._device.prepare(reset.device, "" if reset.build is None else reset.build.package)
        if seed_at is not None or restores:
            return receipt.model_copy(update={"has_reset": receipt.status == "done"})
        if seed is not None and provider is None and receipt.status == "done":
            return receipt.model_copy(update={"detail": "no reset provider is configured: contents stay as they are"})
        return receipt

    async def _set_up_again(self, reset: Reset) -> Receipt:
        """Set the settings of a task that goes on: when the phone was given back, it got its own values."""
        sent_at, started_at = HOST_CLOCK.now(), time.perf_counter()
        if reset.device is not None:
            await self._device.prepare(reset.device, "" if reset.build is None else reset.build.package)
        return Receipt(key=reset.key, status="done", sent_at=sent_at, ms=(time.perf_counter() - started_at) * 1000)

    async def _restore(self, snapshot: str) -> bool:
        """Restore an emulator's snapshot, and prepare the phone again; return False if the phone is no emulator.

        Raises PhoneLost, PhoneUnfit.
        """
        if console_port(self.serial, self._server.host) is None:
            return False
        await self.close()
        await self.release()  # else the owner's input method would be remembered as ADBKeyboard
        await restore_snapshot(self._server, self.serial, snapshot)
        await self.prepare(for_task=True)
        return True

    async def _touch(
        self,
        key: str,
        commands: Commands,
        seconds: float,
        resets: bool = False,
        action: ActionKind | None = None,
        typed: Type | None = None,
        before: bytes = b"",
        guard: str = "",
    ) -> Receipt:
        """Send the one line of a key and return its receipt. ``typed``: read back whether this has arrived.

        ``before``: the dump of the views from before this text. The receipt is ``refused`` if nothing of the text has
        arrived. ``guard``: a line that must succeed before the commands run.
        """
        await self._screenshots.close()
        sent_at, started_at = HOST_CLOCK.now(), time.perf_counter()
        loop, is_on_secure = asyncio.get_running_loop(), self._shown is not None and self._shown.is_secure
        self._last_input = LastInput(loop.time(), action, is_on_secure)
        unfit = None
        try:
            line = keyed_line(key, commands, guard=guard)
            if typed is not None:
                line, seconds = reading_line(key, commands, typed.text), seconds + LONGEST_S
            result = await self._server.shell(self.serial, line, self._settings.command_timeout_s + seconds)
        except AnswerLost as error:
            status, detail = "unknown", str(error)
        else:
            if typed is not None:
                result, arrival = read_arrival(before, result, typed.text)
            lone = action.kind if action is not None and len(commands) == 1 else None
            status, detail = receipt_status(result, lone)
            unfit = self._preparation.note_refusal(result)
            if unfit is not None and commands[0][0] == "input":  # of a line, no command follows one that failed
                status = "refused"
            if typed is not None and status == "done":
                self._keyboard.count_arrival(arrival)
                if arrival == "lost":
                    status = "unknown" if typed.text.endswith("\n") else "refused"  # Enter was pressed
                    detail = f"nothing of the text has arrived: {self._keyboard.problem}"
            if guard and OTHER_APP in result.text:
                status, detail = "refused", "no secret was typed, as another window had the focus: look again"
            if resets and status == "done" and "Result: Bundle[" not in result.text:
                status, detail = "unknown", f"the reset provider did not answer: {result.complaint}"
        self._last_input = LastInput(loop.time(), action, is_on_secure)
        ms = (time.perf_counter() - started_at) * 1000
        return Receipt.model_validate(
            {"key": key, "status": status, "detail": detail, "sent_at": sent_at, "ms": ms, "unfit": unfit or ""},
        )

    async def _commands(self, action: PhoneAction) -> Commands:
        """Return the shell commands of an atom. Raises ActionRefused, PhoneLost."""
        if isinstance(action, Type) and self._keyboard.usable:
            await self._keyboard.hold()
        apps = None
        if isinstance(action, OpenApp):
            has_apps = self._apps.known is not None
            apps = await self._apps.catalogue()
            if has_apps:
                # An app may have been installed since the list was made.
                try:
                    apps.find(action.app)
                except ActionRefused:
                    self._apps.forget()
                    apps = await self._apps.catalogue()
        return commands_for(action, PhoneFacts(await self.size(), self._keyboard.usable, apps, self._keyboard.problem))

    def _kind_of(self, action: PhoneAction) -> ActionKind:
        """Return the kind of action by which settling learns: the atom's name, and the app in front or the
        app that the atom opens.
        """
        if isinstance(action, OpenApp) and self._apps.known is not None:
            return ActionKind(self._apps.known.find(action.app).package, action.name)
        return ActionKind(self._screenshots.app, action.name)

    def _opened_by(self, action: PhoneAction) -> str | None:
        """Return the package that ``action`` opens; None if the label was only close to an app's label."""
        if isinstance(action, OpenApp) and self._apps.known is not None:
            app = self._apps.known.called(action.app)
            return app.package if app else None
        return self._home if isinstance(action, Home) else None

    # ------------------------------------------------------------------ asking
    async def _ask(self, line: str) -> ShellResult:
        """Run a line that may run twice, because it touches nothing. Raises PhoneLost."""
        return await self._server.shell(self.serial, line, self._settings.command_timeout_s, asks=True)

    async def _foreground(self) -> Foreground:
        text = (await self._ask(dumps.FRONT_LINE)).text
        app = dumps.app_in_front(text)
        version = None if app is None else self._versions.get(app)
        label = "" if app is None else await self._apps.label(app)
        return Foreground(app, dumps.keyboard(text), dumps.caret(text), version, label)


def _refuse(key: str, reason: ActionRefused) -> Receipt:
    return Receipt(key=key, status="refused", detail=str(reason), sent_at=HOST_CLOCK.now(), ms=0)


def _duration(action: PhoneAction, commands: Commands) -> float:
    """Return how many seconds an action takes by itself at most."""
    if isinstance(action, Type):
        return sum(len(word) for command in commands for word in command) / KEY_EVENTS_PER_S
    return action.touch_s
