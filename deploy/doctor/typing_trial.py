"""Type a text into a field of a phone, as a task does, and read it back from the phone.

The text goes into the search field of the phone's settings or, if there is none, into a new message, which is not sent.
The phone is leased during the trial, so no run uses it.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import secrets
import time
import xml.etree.ElementTree as ET
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from manyhands.actors.phones.adb import AdbTransport
from manyhands.actors.phones.gateway import PhoneGateway
from manyhands.protocol.errors import CallError, PhoneError, StoreError
from manyhands.protocol.messages import CallContext
from manyhands.protocol.phones import Lease, Perform, Receipt
from manyhands.protocol.screens.actions import AtomicAction, Back, Home, Tap, Type
from manyhands.protocol.utilities.host_clock import HOST_CLOCK

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

    def __init__(self, gateway: PhoneGateway, transport: AdbTransport) -> None:
        """Type through ``gateway`` and read back through ``transport``. Both must be started."""
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
        return await self._gateway.perform(lease, Perform(key=key, action=action), context)


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
