"""Messages between an episode and the phone that it holds."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from manyhands.protocol.actions import Atom
from manyhands.protocol.base import Message
from manyhands.protocol.screens import Screenshot


class PhoneInfo(Message):
    """Describe a phone as its transport lists it."""

    serial: str
    state: str
    """``device`` when usable; otherwise adb's word (offline, unauthorized, ...)."""
    model: str = ""
    product: str = ""
    """The name that its maker gave to this build; virtual phones' begin with ``manyhands_``."""


class Lease(Message):
    """Grant the right to touch a phone, once ``attach`` has returned it."""

    serial: str
    holder: str
    epoch: int = Field(ge=1)
    expires_at: float
    """Unix seconds."""


class SettleSpec(Message):
    """Configure when a screen counts as at rest: no change for a quiet time, or the limit (docs/settling.md)."""

    quiet_ms: int = Field(default=170, ge=0, le=5000)
    """A little more than the longest gap without change of ordinary transitions (150 ms)."""
    limit_ms: int = Field(default=3000, ge=0, le=60000)
    learn: bool = True
    """Wait longer where such an action in such an app is known to be followed by a late change."""


class Perform(Message):
    """Order one atom to be carried out once. A key that was seen before gets its first receipt again."""

    key: str = Field(pattern=r"^[A-Za-z0-9_.:/-]{1,200}$")
    action: Atom


class Receipt(Message):
    """Report what came of an action.

    ``done``: sent whole. ``refused``: not sent at all, ``detail`` is the reason (an app that is not there, a
    text that cannot be typed). ``unknown``: perhaps sent; whoever wants to know must look.
    """

    key: str
    status: Literal["done", "refused", "unknown"]
    detail: str = ""
    sent_at: float
    ms: float = Field(ge=0)
    queue_ms: float = Field(default=0, ge=0)
    """Waiting for a turn on the phone, before ``sent_at``; no part of ``ms``."""
    repeated: bool = False
    """True if the key had been seen before and the phone was not touched again."""
    opens: str | None = None
    """The package that the action was to bring to the front, where it is known: of Open_App and Home."""


class Performed(Message):
    """Hold an action's receipt, and what the screen showed once it had come to rest after it."""

    receipt: Receipt
    screenshot: Screenshot | None = None
    """None where it could not be had: whoever needs it asks again, and gets the error."""
    looked_ms: float = Field(default=0, ge=0)
    """From the receipt to the screenshot, queues included."""


def action_key(episode: str, step: int, attempt: int, atom: int) -> str:
    """Return the key of one atom: an episode id is unique over all runs."""
    return f"{episode}:{step}:{attempt}:{atom}"
