"""Define what an episode asks the phone that it holds, and what phones tell of themselves, their log included."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Literal, Self

from pydantic import Base64Bytes, ConfigDict, Field, model_validator

from manyhands.protocol.base import Message
from manyhands.protocol.policy import digest_action
from manyhands.protocol.public_input import PublicInput
from manyhands.protocol.screens.actions import PhoneAction
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Screenshot
from manyhands.protocol.tasks.build import Build, DeviceSettings

USABLE = "device"
"""The state of a usable phone, for every transport. Messages and files contain this word."""
STAND_IN_PRODUCT = "manyhands_"
"""The beginning of the names of virtual phones' builds."""


class PhoneInfo(Message):
    """Describe a phone as its transport lists it."""

    serial: str
    state: str
    """``USABLE``, or the transport's word for why the phone is not usable (offline, unauthorized, ...)."""
    advice: str = ""
    """What a person can do about a phone that is not usable; empty if the transport does not know."""
    model: str = ""
    product: str = ""
    """The maker's name for this build. Names of virtual phones begin with ``STAND_IN_PRODUCT``."""

    @property
    def usable(self) -> bool:
        return self.state == USABLE

    @property
    def labels(self) -> dict[str, str]:
        """Return the labels that the listing gives, without asking the phone."""
        return {"model": self.model} if self.model else {}

    @property
    def explained_state(self) -> str:
        """Return the state, with the advice if there is any."""
        return f"{self.state}; {self.advice}" if self.advice else self.state


class TransportStatus(Message):
    """Report the program through which a transport reaches phones, and whether that program runs."""

    name: str
    """The name of what the transport uses, such as ``adb server``."""
    address: str
    running: bool


def holder_name(episode: str, folder_id: str) -> str:
    """Return the holder's name for an episode's lease. It includes the folder's id.

    In a copy of the run's folder, episodes have the same names. So the episode's name alone does not identify the
    holder.
    """
    return episode if not folder_id or episode.endswith(f"@{folder_id}") else f"{episode}@{folder_id}"


def episode_of(holder: str) -> str:
    """Return the episode for which a holder has the lease."""
    return holder.partition("@")[0]


class Lease(Message):
    """Grant the right to touch a phone. ``attach`` returns it."""

    serial: str
    holder: str
    epoch: int = Field(ge=1)
    expires_at: float
    """Unix seconds."""
    undisturbed: bool = False
    """Whether nobody else has had the phone, or tried to, since this holder's last lease."""


class PhoneLimits(PublicInput):
    """Configure what a phone must have to get a task. What it does not report in a known form counts as fulfilled."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    min_battery: float = Field(default=10, ge=0, le=100)
    """The least charge of the battery, in percent. A charging phone may have less."""
    max_celsius: float = 45
    """The highest temperature of the battery."""
    min_free_mb: float = Field(default=200, ge=0)
    """The least free storage for apps (`/data`), in MB."""


class SettleSpec(Message):
    """Configure when a screen counts as at rest: no change for a quiet time, or the limit (docs/settling.md)."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    quiet_ms: int = Field(default=170, ge=0, le=5000)
    """A screen is at rest after so many milliseconds without a change. Ordinary transitions have gaps of up to 150."""
    limit_ms: int = Field(default=3000, ge=0, le=60000)
    """Milliseconds after which a moving screen is taken as it is."""
    learn: bool = True
    """Wait longer after an action that is known to bring a late change in this app."""


class Perform(Message):
    """Ask to perform one atomic action once.

    A request with a key that was seen before gets the first receipt of that key.
    """

    key: str = Field(pattern=r"^[A-Za-z0-9_.:/-]{1,200}$")
    action: PhoneAction
    verdict: str
    """The id of the verdict that allows this very action (``protocol.policy``)."""

    @model_validator(mode="after")
    def _is_judged(self) -> Self:
        if self.verdict != digest_action(self.action):
            raise ValueError(f"{self.action.name} has no verdict of its own: the policy must judge it first")
        return self


class Reset(Message):
    """Ask to put the phone into the state in which a task begins, once for each key."""

    key: str
    seed: int | None = None
    """What the phone's contents are made from, if it can make them; None leaves them as they are."""
    build: Build | None = None
    """The app under test, which is installed and prepared."""
    device: DeviceSettings | None = None
    """The settings that the phone has until it is given back."""
    keeps_place: bool = False
    """Whether only the settings are set, for an episode that goes on where it was."""


CRASHES = "phone://crashes/"
"""The beginning of an address in a phone's state; a package follows. It holds ``crashes``, a list of AppCrash."""


class AppCrash(Message):
    """Describe a crash of an app, or that an app did not respond, as the phone reports it."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    id: str
    """Its time and kind in the phone's words, which tell it from others."""
    kind: Literal["crash", "not_responding"]
    """What happened."""
    package: str
    """The app's package."""
    reason: str
    """The exception, or what the app did not respond to, in one line."""
    trace: str = ""
    """The stack trace, or the beginning of a long one."""

    @property
    def words(self) -> str:
        """Return what people are told of it, in one line."""
        what = "crashed" if self.kind == "crash" else "did not respond"
        return f"{self.package} {what}: {self.reason}"


class Receipt(Message):
    """Report what came of an action.

    ``done``: the action was sent completely. ``refused``: it was certainly not done; ``detail`` is the reason (a
    missing app, a text that cannot be typed, an action that the phone does not know). ``unknown``: the action may have
    been sent; only the screen can tell.
    """

    key: str
    status: Literal["done", "refused", "unknown"]
    detail: str = ""
    sent_at: float
    ms: float = Field(ge=0)
    queue_ms: float = Field(default=0, ge=0)
    """How long the action waited for its turn on the phone, before ``sent_at``. ``ms`` does not include this time."""
    repeated: bool = False
    """Whether the key had been seen before, so that the phone was not touched again."""
    never_begun: bool = False
    """Whether the action was refused only because somebody asked for its receipt before it was begun."""
    opens: str | None = None
    """The package that the action should bring to the front, if that is known. Only Open_App and Home have one."""
    has_reset: bool = False
    """Whether the phone's contents were set for a task's ``reset_seed``, and its reset provider or console said so."""
    unfit: str = ""
    """Why the phone can carry out no action until a person changes a setting of it, with that setting; else empty."""


class Performed(Message):
    """Hold an action's receipt, and the screen after the action once it has settled."""

    receipt: Receipt
    screenshot: Screenshot | None = None
    """None if the capture failed. A caller that needs a screenshot asks again and gets the error."""
    looked_ms: float = Field(default=0, ge=0)
    """The time from the receipt to the screenshot, including queues."""


WHOLE_SITE = "/*"
"""The end of a pattern that means all phones of a site."""
ANY_SITE = "*"
"""Means every site, in a pattern of phones."""
LONGEST_FILE_NAME = 200
_NOT_IN_FILE_NAMES = re.compile(r"[^A-Za-z0-9._-]")
_PLAIN = re.compile(r"(?:[A-Za-z0-9-]+/(?![0-9]+\Z))?[A-Za-z0-9.-]+(?::[0-9]+)?")
"""Serials that remain different when ``_`` replaces ``/`` and ``:``. No part contains ``_``. After ``site/``, a serial
is not all digits, because digits alone could be taken for a port."""


def site_of(serial: str) -> str:
    """Return the site of a phone that is called ``site/serial``; empty for a phone of this machine."""
    site, separator, _ = serial.partition("/")
    return site if separator else ""


def file_name_of(serial: str) -> str:
    """Return a serial in the form of file names: ``site/127.0.0.1:7001`` becomes ``site_127.0.0.1_7001``.

    No two serials get the same name: the name of a long or unusual serial (not ``_PLAIN``) ends in a digest.
    """
    name = _NOT_IN_FILE_NAMES.sub("_", serial)
    if _PLAIN.fullmatch(serial) and len(name) <= LONGEST_FILE_NAME:
        return name
    digest = hashlib.blake2b(serial.encode(errors="surrogatepass"), digest_size=8).hexdigest()
    return f"{name[: LONGEST_FILE_NAME - len(digest) - 2]}__{digest}"


CHECK_KEY = "check"
"""The key of commands that wake or unlock a phone before a task. Such commands belong to no episode. The key may be
used again."""


def action_key(episode: str, step: int, attempt: int, atom: int, again: int = 0) -> str:
    """Return the key of one atomic action. Keys are unique, because an episode's id is unique over all runs.

    ``again`` counts the earlier keys of the same atomic action whose receipts were asked for before they were begun.
    """
    key = f"{episode}:{step}:{attempt}:{atom}"
    return f"{key}:{again}" if again else key


def episode_of_key(key: str) -> str:
    """Return the episode whose action or reset has this key."""
    return key.partition(":")[0]


def check_key(episode: str, step: int, epoch: int) -> str:
    """Return the key of what a check opens after the last ``step``, under the lease of ``epoch``."""
    return f"{episode}:check:{step}:{epoch}"


def reset_key(episode: str, epoch: int | None = None) -> str:
    """Return the key of an episode's reset.

    ``epoch``: the epoch of the lease under which the episode was resumed, if it was. A key is performed only once, so a
    second reset of the phone needs another key.
    """
    return f"{episode}:reset" if epoch is None else f"{episode}:reset:{epoch}"


PICTURE = "phone://picture"
"""The address in a phone's state that holds a :class:`PhonePicture`."""


class PhonePicture(Message):
    """Hold the screen of a phone as a JPEG, at most 540 pixels wide."""

    jpeg: Base64Bytes
    """The JPEG; in JSON, in base64."""
    size: Size
    """The size of the screen."""


DESCRIPTION = "phone://description"
"""The address in a phone's state that holds a :class:`PhoneDescription`."""
MOST_APPS = 100
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


class PhoneDescription(Message):
    time: datetime | None = None
    """The phone's time, with its offset from UTC. None if the phone does not tell it."""
    zone: str = ""
    """The name of the phone's time zone, such as ``Europe/Zurich``; empty if the phone has none."""
    apps: tuple[str, ...] = Field(default=(), max_length=MOST_APPS)
    """The labels of installed apps, in the order of the alphabet."""
    product: str = ""
    """The maker's name for this build; empty if the phone does not tell it."""

    @property
    def is_stand_in(self) -> bool:
        """Return whether it is a virtual phone."""
        return self.product.startswith(STAND_IN_PRODUCT)


def describe_time(phone: PhoneDescription) -> str:
    """Return date, weekday, time and zone in words; empty if the time is unknown."""
    time = phone.time
    if time is None:
        return ""
    offset = time.strftime("%z")
    name = "" if phone.zone == "UTC" else phone.zone
    zone = ", ".join(filter(None, (f"UTC{offset[:3]}:{offset[3:5]}" if offset else "", name)))
    day = f"{_DAYS[time.weekday()]}, {time.day} {_MONTHS[time.month - 1]} {time.year}"
    return f"{day}, {time:%H:%M}" + (f" ({zone})" if zone else "")


LOGCAT = "logcat.txt"
"""The name of the file in an episode's folder."""
_HEADER = re.compile(
    r"# logcat, threadtime; (?:first at (?P<first>\S+) s; offset (?P<offset>\S+) s|no clock); "
    r"left out (?P<left_out>\d+) bytes"
)
_LINE = re.compile(r"(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d\.\d{1,9})( .*)")
_HALF_YEAR_S = 182 * 86400.0


class PhoneLog(Message):
    """Hold what a phone has logged since the last time."""

    text: str = ""
    """Whole lines, each with its end."""
    left_out: int = 0
    """Bytes that were left out, because the phone logged too much at a time."""
    clock_offset_s: float | None = None
    """What to subtract from a time of the log, read as UTC, for Unix seconds of the host; None if nobody knows."""


class LogHeader(Message):
    """Describe a recorded log. It is the first line of the file."""

    first_at: float
    """When the recording began, in Unix seconds. It tells the year of the lines."""
    clock_offset_s: float | None = None
    left_out: int = 0
    """Bytes that were left out: too much at a time, or the oldest of too much in all."""

    def text(self) -> str:
        """Return the header as a line, without its end."""
        offset = self.clock_offset_s
        clock = "no clock" if offset is None else f"first at {self.first_at:017.3f} s; offset {offset:+017.3f} s"
        return f"# logcat, threadtime; {clock}; left out {self.left_out:012d} bytes"

    @classmethod
    def read(cls, line: str) -> LogHeader | None:
        """Return the header that a line holds; None for another line."""
        match = _HEADER.match(line)
        if match is None:
            return None
        offset = match["offset"]
        return cls(
            first_at=float(match["first"] or 0.0),
            clock_offset_s=None if offset is None else float(offset),
            left_out=int(match["left_out"]),
        )


def lines_in_unix_time(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a recorded log with Unix seconds of the host (``-v epoch``) in the place of the phone's time.

    Lines without a known time stay as they are.
    """
    header: LogHeader | None = None
    for line in lines:
        header = header or LogHeader.read(line)
        at = None if header is None else _unix_time(line, header)
        yield line if at is None else f"{at:.3f}{line[line.index(' ', 6) :]}"


def _unix_time(line: str, header: LogHeader) -> float | None:
    match = _LINE.match(line)
    if match is None or header.clock_offset_s is None:
        return None
    month, day, hour, minute, second = match.groups()[:5]
    began = header.first_at + header.clock_offset_s
    try:
        year, rest = datetime.fromtimestamp(began, UTC).year, (int(month), int(day), int(hour), int(minute))
        at = datetime(year, *rest, tzinfo=UTC).timestamp() + float(second)
        if at < began - _HALF_YEAR_S:  # the year ended meanwhile
            at = datetime(year + 1, *rest, tzinfo=UTC).timestamp() + float(second)
    except (ValueError, OverflowError, OSError):
        return None
    return at - header.clock_offset_s
