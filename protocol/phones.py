"""Messages between an episode and the phone that it holds."""

from __future__ import annotations

import hashlib
import re
from typing import Literal

from pydantic import ConfigDict, Field

from manyhands.protocol.actions import AtomicAction
from manyhands.protocol.base import Input, Message
from manyhands.protocol.screens import Screenshot

USABLE = "device"
"""The state of a phone that can be used, whatever its transport: this word stands in messages and files."""


class PhoneInfo(Message):
    """Describe a phone as its transport lists it."""

    serial: str
    state: str
    """``USABLE``, or the transport's word for why it is not (offline, unauthorized, ...)."""
    advice: str = ""
    """What a person can do about a phone that is not usable, as its transport knows; empty where it does not."""
    model: str = ""
    product: str = ""
    """The name that its maker gave to this build; virtual phones' begin with ``manyhands_``."""

    @property
    def usable(self) -> bool:
        return self.state == USABLE

    @property
    def explained_state(self) -> str:
        """Return the state, and what to do about it where that is known."""
        return f"{self.state}; {self.advice}" if self.advice else self.state


class TransportStatus(Message):
    """Tell what a transport reaches phones through, and whether that runs."""

    name: str
    """What it is, such as ``adb server``."""
    address: str
    running: bool


def holder_name(episode: str, folder_id: str) -> str:
    """Return who holds a lease for an episode: a copy of its run's folder has episodes of the same names."""
    return episode if not folder_id or episode.endswith(f"@{folder_id}") else f"{episode}@{folder_id}"


def episode_of(holder: str) -> str:
    """Return the episode for which a holder has its lease."""
    return holder.partition("@")[0]


class Lease(Message):
    """Grant the right to touch a phone, once ``attach`` has returned it."""

    serial: str
    holder: str
    epoch: int = Field(ge=1)
    expires_at: float
    """Unix seconds."""
    undisturbed: bool = False
    """Whether nobody else has had the phone, or tried to, since the lease of this holder before this one."""


class PhoneLimits(Input):
    """Configure what a phone must have to be given a task; what it does not tell, or in other words, it has."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    min_battery: float = Field(default=10, ge=0, le=100)
    """Percent of its charge; a phone that is charging may have less."""
    max_celsius: float = 45
    """The highest temperature of its battery."""
    min_free_mb: float = Field(default=200, ge=0)
    """Free storage for its apps (`/data`), in MB."""


class SettleSpec(Message):
    """Configure when a screen counts as at rest: no change for a quiet time, or the limit (docs/settling.md)."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    quiet_ms: int = Field(default=170, ge=0, le=5000)
    """Milliseconds without a change after which a screen is at rest.

    A little more than the longest gap without change of ordinary transitions (150 ms).
    """
    limit_ms: int = Field(default=3000, ge=0, le=60000)
    """Milliseconds after which it is taken as it is."""
    learn: bool = True
    """Wait longer where such an action in such an app is known to be followed by a late change."""


class Perform(Message):
    """Order one atom to be carried out once. A key that was seen before gets its first receipt again."""

    key: str = Field(pattern=r"^[A-Za-z0-9_.:/-]{1,200}$")
    action: AtomicAction


class Receipt(Message):
    """Report what came of an action.

    ``done``: sent whole. ``refused``: certainly not done, ``detail`` is the reason (an app that is not there, a
    text that cannot be typed, an action that the phone does not know). ``unknown``: perhaps sent; whoever wants to
    know must look.
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
    never_begun: bool = False
    """True if it was refused only because somebody had asked what became of it before it was begun."""
    opens: str | None = None
    """The package that the action was to bring to the front, where it is known: of Open_App and Home."""


class Performed(Message):
    """Hold an action's receipt, and what the screen showed once it had come to rest after it."""

    receipt: Receipt
    screenshot: Screenshot | None = None
    """None where it could not be had: whoever needs it asks again, and gets the error."""
    looked_ms: float = Field(default=0, ge=0)
    """From the receipt to the screenshot, queues included."""


WHOLE_SITE = "/*"
"""Ends what names all phones of a site."""
ANY_SITE = "*"
"""Stands for each site in what names phones."""
LONGEST_FILE_NAME = 200
_NOT_IN_FILE_NAMES = re.compile(r"[^A-Za-z0-9._-]")
_PLAIN = re.compile(r"(?:[A-Za-z0-9-]+/(?![0-9]+\Z))?[A-Za-z0-9.-]+(?::[0-9]+)?")
"""Serials that are told apart also where ``_`` stands for ``/`` and ``:``: no part has one, and no phone of a site
is called by digits alone, as ports are."""


def site_of(serial: str) -> str:
    """Return the site of a phone that is called ``site/serial``; a phone of this machine has none: it is empty."""
    site, separator, _ = serial.partition("/")
    return site if separator else ""


def file_name_of(serial: str) -> str:
    """Return a serial as it stands in file names: ``site/127.0.0.1:7001`` becomes ``site_127.0.0.1_7001``.

    No two serials have the same one: those that are not written like that end in a digest.
    """
    name = _NOT_IN_FILE_NAMES.sub("_", serial)
    if _PLAIN.fullmatch(serial) and len(name) <= LONGEST_FILE_NAME:
        return name
    digest = hashlib.blake2b(serial.encode(errors="surrogatepass"), digest_size=8).hexdigest()
    return f"{name[: LONGEST_FILE_NAME - len(digest) - 2]}__{digest}"


CHECK_KEY = "check"
"""Named by lines that wake or unlock a phone before a task: they belong to no episode, and may come often."""


def action_key(episode: str, step: int, attempt: int, atom: int, again: int = 0) -> str:
    """Return the key of one atom: an episode id is unique over all runs.

    ``again``: how many keys of the same atom were recalled before they were begun.
    """
    key = f"{episode}:{step}:{attempt}:{atom}"
    return f"{key}:{again}" if again else key


def episode_of_key(key: str) -> str:
    """Return the episode whose action or reset a key stands for."""
    return key.partition(":")[0]


def reset_key(episode: str, epoch: int | None = None) -> str:
    """Return the key of an episode's reset; ``epoch`` is that of the lease under which it was gone on with, if it was.

    A key is carried out once, and a phone that is reset again needs another one.
    """
    return f"{episode}:reset" if epoch is None else f"{episode}:reset:{epoch}"
