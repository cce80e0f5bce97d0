"""Judge one phone by what its shell tells, and by a text that is typed into it and read back.

Each check returns what it found, and how to mend it. The text goes into the search field of the phone's settings or, if
there is none, into a new message, which is not sent. The phone is leased during the trial, so no run uses it.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import secrets
import time
import xml.etree.ElementTree as ET
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from manyhands.actors.phones.adb import AdbTransport, fitness
from manyhands.actors.phones.adb.commands import KEY_WAKE
from manyhands.actors.phones.adb.device_facts import ANIMATION_SCALES, DeviceFacts
from manyhands.actors.phones.adb.fitness import Condition
from manyhands.actors.phones.gateway import PhoneGateway
from manyhands.actors.policy.judgement import judge_for_author
from manyhands.deploy.doctor.findings import Finding, Fix, Status
from manyhands.protocol.errors import CallError, PhoneError, StoreError
from manyhands.protocol.messages import CallContext
from manyhands.protocol.phones import Lease, Perform, PhoneLimits, Receipt
from manyhands.protocol.policy import Policy
from manyhands.protocol.screens.actions import AtomicAction, Back, Home, Tap, Type
from manyhands.protocol.utilities.host_clock import HOST_CLOCK

OLDEST_SDK, NEWEST_SDK = 28, 36
"""The API levels of Android 9 and 16."""
SHORTEST_SCREEN_S = 600.0
"""The least timeout of a screen. With a shorter one, the screen may go off while a model thinks."""
ADB_KEYBOARD_AT = "https://github.com/senzhk/ADBKeyBoard"


@dataclass(frozen=True, slots=True)
class PhoneUnderCheck:
    """Hold a phone's facts, and what a check needs to suggest or apply a fix."""

    serial: str
    facts: DeviceFacts
    limits: PhoneLimits
    adb: str
    """The beginning of an adb command for this phone."""
    run: Callable[[str], Awaitable[None]]
    """Runs a line in the phone's shell. Raises PhoneLost, BadInput."""

    @property
    def condition(self) -> Condition:
        return self.facts.condition

    def finding(
        self, name: str, summary: str, status: Status = "ok", mend: str = "", shell: str = "", harmless: bool = False
    ) -> Finding:
        """Return a finding about this phone.

        ``shell``: a line for the phone's shell that mends it, in place of ``mend``. ``harmless``: ``--fix`` may run it.
        """
        fix: Fix | None = None
        if shell:
            mend = f"{self.adb} shell {shell}" if ";" not in shell else f"{self.adb} shell '{shell}'"
            fix = (lambda: self.run(shell)) if harmless else None
        return Finding(f"phone {self.serial}", name, summary, status, mend, fix)


PhoneCheck = Callable[[PhoneUnderCheck], Finding]


def _check_android(phone: PhoneUnderCheck) -> Finding:
    """Judge the version of Android."""
    facts = phone.facts
    device = " ".join(word for word in (facts.maker, facts.model) if word)
    if facts.sdk is None:
        return phone.finding("Android", f"it does not tell its version; {device}", "warning")
    summary = f"{facts.release} (API {facts.sdk}); {device}"
    if facts.sdk < OLDEST_SDK:
        return phone.finding("Android", f"{summary}: older than 9", "warning", "use a phone with Android 9 to 16")
    if facts.sdk > NEWEST_SDK:
        return phone.finding(
            "Android", f"{summary}: newer than 16", "warning", "tell us how it goes (docs/real-phones.md)"
        )
    return phone.finding("Android", summary)


def check_screen(phone: PhoneUnderCheck) -> Finding:
    """Judge whether the screen is on."""
    awake = phone.condition.awake
    if awake is False:
        wake = f"input keyevent {KEY_WAKE}"
        return phone.finding("screen", "off; a task wakes it", "warning", shell=wake, harmless=True)
    return phone.finding("screen", "on" if awake else "it does not tell whether it is on")


def _check_lock(phone: PhoneUnderCheck) -> Finding:
    """Judge the lock screen. A task dismisses one without a credential, but only the task shows whether that works."""
    condition = phone.condition
    if condition.locked and condition.secure:
        mend = "unlock it by hand; Settings > Security > Screen lock > None keeps it so"
        return phone.finding("lock", "it is locked and asks for a credential", "failure", mend)
    if condition.locked:
        dismiss = "wm dismiss-keyguard"
        return phone.finding("lock", "it is locked; a task unlocks it", "warning", shell=dismiss, harmless=True)
    return phone.finding("lock", "unlocked" if condition.locked is False else "it does not tell whether it is locked")


def _check_stays_awake(phone: PhoneUnderCheck) -> Finding:
    """Judge whether the screen goes off by itself."""
    facts = phone.facts
    if facts.stays_on:
        return phone.finding("stays awake", "while it is charged")
    if facts.screen_off_s is not None and facts.screen_off_s >= SHORTEST_SCREEN_S:
        return phone.finding("stays awake", f"for {facts.screen_off_s / 60:.0f} minutes without a touch")
    if facts.stays_on is None and facts.screen_off_s is None:
        return phone.finding("stays awake", "it does not tell")
    after = "" if facts.screen_off_s is None else f" after {facts.screen_off_s:g} s without a touch"
    summary = f"its screen goes off{after}"
    return phone.finding("stays awake", summary, "warning", shell="svc power stayon true", harmless=True)


def _check_keyboard(phone: PhoneUnderCheck) -> Finding:
    """Judge whether any text can be typed, or only ASCII."""
    facts = phone.facts
    if facts.has_adb_keyboard:
        return phone.finding("keyboard", "ADBKeyboard types any text")
    summary = "no ADBKeyboard: only printable ASCII can be typed"
    mend = f"{phone.adb} install ADBKeyboard.apk (from {ADB_KEYBOARD_AT})"
    return phone.finding("keyboard", summary, "warning", mend)


def _check_resolution(phone: PhoneUnderCheck) -> Finding:
    """Judge the size of the screen."""
    size = phone.facts.size
    if size is None:
        return phone.finding("resolution", "'wm size' prints no size", "warning", shell="wm size reset")
    return phone.finding("resolution", f"{size.width}x{size.height}")


def _check_battery(phone: PhoneUnderCheck) -> Finding:
    """Judge the battery's charge by the limits that apply before a task."""
    condition = phone.condition
    why = fitness.why_unfit(Condition(battery=condition.battery, charging=condition.charging), phone.limits)
    if why is not None:
        mend = "put it on its charger; or phone_limits.min_battery in settings.yaml"
        return phone.finding("battery", why, "failure", mend)
    if condition.battery is None:
        return phone.finding("battery", "it does not tell its charge")
    state = {True: ", charging", False: ", not charging", None: ""}[condition.charging]
    return phone.finding("battery", f"{condition.battery:.0f} %{state}")


def _check_heat(phone: PhoneUnderCheck) -> Finding:
    """Judge the heat by the limits that apply before a task."""
    condition = phone.condition
    why = fitness.why_unfit(Condition(celsius=condition.celsius, thermal=condition.thermal), phone.limits)
    if why is not None:
        return phone.finding("heat", why, "failure", "let it cool: no sun, no cover; a slower charger")
    if condition.celsius is None:
        return phone.finding("heat", "it does not tell its temperature")
    status = "" if condition.thermal is None else f", thermal status {condition.thermal}"
    return phone.finding("heat", f"{condition.celsius:.1f} °C{status}")


def _check_storage(phone: PhoneUnderCheck) -> Finding:
    """Judge the free storage by the limits that apply before a task."""
    condition = phone.condition
    why = fitness.why_unfit(Condition(free_mb=condition.free_mb), phone.limits)
    if why is not None:
        return phone.finding("storage", why, "failure", shell="pm trim-caches 2G")
    if condition.free_mb is None:
        return phone.finding("storage", "it does not tell what is free")
    return phone.finding("storage", f"{condition.free_mb / 1024:.1f} GB free")


def _check_animations(phone: PhoneUnderCheck) -> Finding:
    """Judge whether animations are on. Every action waits until they end."""
    scale = phone.facts.animations
    if not scale:
        return phone.finding("animations", "off" if scale == 0 else "it does not tell")
    off = "; ".join(f"settings put global {name} 0" for name in ANIMATION_SCALES)
    summary = f"at {scale:g}: every action waits for them"
    return phone.finding("animations", summary, "warning", shell=off, harmless=True)


def _check_notifications(phone: PhoneUnderCheck) -> Finding:
    """Judge whether notifications pop up over apps."""
    has_heads_up = phone.facts.heads_up
    if has_heads_up:
        summary = "they come in over apps, and a task may tap one"
        return phone.finding(
            "notifications", summary, "warning", shell="settings put global heads_up_notifications_enabled 0"
        )
    return phone.finding("notifications", "they stay in the shade" if has_heads_up is False else "it does not tell")


PHONE_CHECKS: tuple[PhoneCheck, ...] = (
    _check_android,
    check_screen,
    _check_lock,
    _check_stays_awake,
    _check_keyboard,
    _check_resolution,
    _check_battery,
    _check_heat,
    _check_storage,
    _check_animations,
    _check_notifications,
)


HOLDER = "doctor"
LEASE_S = 60.0
FIELD_S = 3.0
"""How long an app may take until it shows its field."""
READ_S = 2.0
"""How long it may take until the typed text is in the field."""
LEAVE_S = 2.0
"""How long each of the actions may take by which the trial leaves the field."""
OPENINGS = (
    "am start -a android.settings.APP_SEARCH_SETTINGS",
    "am start -a com.android.settings.action.SETTINGS_SEARCH",
    "am start -a android.intent.action.SENDTO -d smsto:",
)
"""Shell lines that open an app with a text field. Not every phone has each of the apps."""
ANY_TEXT = 'Zoë\'s 100%s "ü" 中文 ok'
KEYS_TEXT = 'Zoe\'s 100%s "u" ok'
"""Without ADBKeyboard only these characters can be typed."""
FAILURES = (PhoneError, CallError, StoreError)
"""The errors that a trial may raise."""
_DUMP = "/data/local/tmp/manyhands_doctor.xml"
_DUMP_LINE = f"uiautomator dump {_DUMP} > /dev/null && cat {_DUMP}; rm -f {_DUMP}"
_BOUNDS = re.compile(r"\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]")
_POLL_S = 0.1


@dataclass(frozen=True, slots=True)
class TextField:
    """Hold a text field that ``uiautomator`` has found. ``x``, ``y``: its centre in pixels."""

    text: str
    focused: bool
    x: int
    y: int


class TypingFailed(PhoneError):
    """Signal that a text could not be typed, or that another text was read back."""

    code = "typing_failed"


class TypingTrial:
    """Try typing on phones behind one adb server."""

    def __init__(self, gateway: PhoneGateway, transport: AdbTransport, policy: Policy) -> None:
        """Type through ``gateway`` and read back through ``transport``. Both must be started."""
        self._policy = policy
        self._gateway = gateway
        self._transport = transport

    async def run(self, serial: str, any_text: bool) -> str:
        """Type a text, read it back, and return it. ``any_text``: type more than ASCII.

        Raises TypingFailed, PhoneError, CallError, StoreError.
        """
        text = ANY_TEXT if any_text else KEYS_TEXT
        async with self._leased(serial) as lease:
            try:
                field = await self._open_field(lease)
                if not field.focused:
                    await self._perform(lease, Tap(x=field.x, y=field.y))
                receipt = await self._perform(lease, Type(text=text, clear=True))
                if receipt.status != "done":
                    raise TypingFailed(receipt.detail)
                await self._read_back(serial, text)
            finally:
                await self._leave(lease)
        return text

    @asynccontextmanager
    async def _leased(self, serial: str) -> AsyncIterator[Lease]:
        lease = await self._gateway.attach(serial, f"{HOLDER}-{secrets.token_hex(4)}", LEASE_S)
        try:
            yield lease
        finally:
            await self._gateway.detach(lease)

    async def _open_field(self, lease: Lease) -> TextField:
        for opening in OPENINGS:
            answer = await self._transport.ask(lease.serial, opening)
            if answer.status != 0 or "Error" in answer.text or "Error" in answer.complaint:
                continue
            deadline = time.monotonic() + FIELD_S
            while True:
                fields = await self._fields(lease.serial)
                if fields:
                    return next((field for field in fields if field.focused), fields[0])
                if time.monotonic() > deadline:
                    break
                await asyncio.sleep(_POLL_S)
        raise TypingFailed("neither the settings' search nor a new message has shown a text field")

    async def _read_back(self, serial: str, text: str) -> None:
        deadline = time.monotonic() + READ_S
        while True:
            texts = [field.text for field in await self._fields(serial)]
            if text in texts:
                return
            if time.monotonic() > deadline:
                texts_read = " and ".join(map(repr, texts)) or "no field"
                raise TypingFailed(f"{text!r} was typed, and {texts_read} was read back")
            await asyncio.sleep(_POLL_S)

    async def _fields(self, serial: str) -> Sequence[TextField]:
        return read_fields((await self._transport.ask(serial, _DUMP_LINE)).text)

    async def _leave(self, lease: Lease) -> None:
        """Hide the keyboard, leave the field, go home. Ignore failures, as the next task resets the phone."""
        for action in (Back(), Back(), Home()):
            with contextlib.suppress(*FAILURES):
                await self._perform(lease, action, LEAVE_S)

    async def _perform(self, lease: Lease, action: AtomicAction, limit_s: float = LEASE_S) -> Receipt:
        context = CallContext(episode=HOLDER, step=0, deadline=HOST_CLOCK.now() + limit_s)
        key = f"{lease.holder}:{secrets.token_hex(8)}"
        verdict = judge_for_author(self._policy, action, "", HOLDER)
        if verdict.decision != "allow":
            raise TypingFailed(f"{verdict.reason}; the policy refuses that")
        perform = Perform(key=key, action=action, verdict=verdict.id)
        return await self._gateway.perform(lease, perform, context)


def read_fields(text: str) -> Sequence[TextField]:
    """Return the text fields in the output of ``uiautomator dump``; none if the output is not such a dump."""
    begin, end = text.find("<hierarchy"), text.rfind("</hierarchy>")
    if begin < 0 or end < 0:
        return ()
    try:
        root = ET.fromstring(text[begin : end + len("</hierarchy>")])
    except ET.ParseError:
        return ()
    fields = []
    for node in root.iter("node"):
        bounds = _BOUNDS.fullmatch(node.get("bounds", ""))
        if bounds is not None and node.get("class", "").endswith(("EditText", "AutoCompleteTextView")):
            x_min, top, right, bottom = map(int, bounds.groups())
            focused = node.get("focused") == "true"
            fields.append(TextField(node.get("text", ""), focused, (x_min + right) // 2, (top + bottom) // 2))
    return fields
