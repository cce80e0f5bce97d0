"""Define the interface between a virtual phone and the adb device side that serves it.

``simulator.adbd`` and ``simulator.shell`` speak adb and Android's shell. They know a phone only as a
:class:`PhoneDevice`, which ``simulator.phone.virtual_phone`` implements. All methods are synchronous, return at once,
and are called from one event loop. Slow effects, such as a page that loads or a transition, show in later calls of
:meth:`PhoneDevice.frame`. A device whose screen another process draws is a :class:`RemoteDevice` as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

import cv2
import numpy as np
from numpy.typing import NDArray

from manyhands.simulator.phone.battery import Battery
from manyhands.simulator.phone.views import ViewNode


@dataclass(frozen=True, slots=True)
class Frame:
    """Hold what the screen shows now.

    ``pixels``: read-only uint8 array of shape (height, width, 3), valid until the next call of ``frame``; None if the
    phone has only ``png``. ``version``: equal versions mean equal pixels, so it is a key for encoded frames. ``png``
    and ``raw``: the output of ``screencap`` (``simulator.system.capture``), if the phone has it already.
    """

    pixels: NDArray[np.uint8] | None
    version: int
    png: memoryview | None = None
    raw: memoryview | None = None

    @property
    def rgb(self) -> NDArray[np.uint8]:
        """Return ``pixels``, or decode ``png``, which takes 30 ms. Raises DeviceLost if that is no picture."""
        if self.pixels is not None:
            return self.pixels
        bgr = None if self.png is None else cv2.imdecode(np.frombuffer(self.png, np.uint8), cv2.IMREAD_COLOR)
        if bgr is None:
            raise DeviceLost("the phone's screen gave no picture: reset the phone")
        return np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2RGB), np.uint8)


@dataclass(frozen=True, slots=True)
class AppInfo:
    """Describe an installed app. ``activity`` is the fully qualified launcher activity."""

    package: str
    activity: str
    label: str
    system: bool
    version: int = 1


@dataclass(frozen=True, slots=True)
class AppFault:
    """Tell that an app crashed or did not respond: on which page, and when (Unix seconds)."""

    kind: Literal["crash", "not_responding"]
    package: str
    page: str
    at: float


@dataclass(frozen=True, slots=True)
class TextMessage:
    """An SMS on the phone. ``address`` is the other's number; ``at`` is in Unix seconds."""

    id: int
    address: str
    body: str
    sent: bool
    read: bool
    at: float


VIEW = "android.intent.action.VIEW"
SEND_TO = "android.intent.action.SENDTO"


@dataclass(frozen=True, slots=True)
class Link:
    """Hold what an intent asks for: an action, its URI, the package that must carry out the action, extra texts."""

    action: str
    uri: str = ""
    package: str | None = None
    extras: Mapping[str, str] = field(default_factory=dict)

    @property
    def scheme(self) -> str:
        """Return the URI's scheme in lower case; empty without a scheme."""
        return self.uri.partition(":")[0].lower() if ":" in self.uri else ""


class UnknownComponent(LookupError):
    """Signal a package or component that is not installed."""


class PhoneDevice(Protocol):
    """Be a phone as its operating system sees it: it takes input and gives pixels and state."""

    model: str
    width: int
    height: int
    density: int

    @property
    def battery(self) -> Battery:
        """Return the battery that ``dumpsys battery`` reports and sets."""

    @battery.setter
    def battery(self, battery: Battery) -> None: ...

    # ------------------------------------------------------------------ pixels
    def frame(self) -> Frame: ...

    # ------------------------------------------------------------------ input
    def tap(self, x: int, y: int) -> None: ...

    def long_press(self, x: int, y: int, ms: int) -> None: ...

    def swipe(self, x1: int, y1: int, x2: int, y2: int, ms: int) -> None: ...

    def key(self, code: int, held: frozenset[int] = frozenset()) -> None:
        """Press a key (``phone.keycodes``) while the modifier keys ``held`` are down. Most keys do nothing."""

    def input_text(self, text: str) -> None:
        """Do what ``input text`` does: send key events of a virtual keyboard (printable ASCII only).

        If a character is not in Android's key map, types nothing and raises ValueError. Android fails as well, with a
        NullPointerException.
        """

    def ime_commit(self, text: str) -> None:
        """Commit any text into the focused field, as ADBKeyboard does on a broadcast."""

    def ime_clear(self) -> None:
        """Empty the focused field, as ADBKeyboard does on ADB_CLEAR_TEXT."""

    # ------------------------------------------------------------------ apps
    def apps(self) -> Sequence[AppInfo]: ...

    def launch(self, component: str) -> None:
        """Start ``package`` or ``package/activity``. Raises UnknownComponent."""

    def resolve(self, link: Link) -> str:
        """Return ``package/activity`` of the app that opens a link. Raises UnknownComponent if no app does."""

    def open_link(self, link: Link) -> None:
        """Show a link in the app that opens it. Raises UnknownComponent."""

    def force_stop(self, package: str) -> None: ...

    def clear_data(self, package: str) -> None: ...

    def focus(self) -> str:
        """Return ``package/activity`` of the app in front, with the activity fully qualified."""

    def home(self) -> str:
        """Return ``package/activity`` of the home screen, with the activity fully qualified."""

    # ------------------------------------------------------------------ keyboard and settings
    def hierarchy(self) -> ViewNode | None:
        """Return the views of the window in front, even if it forbids screenshots; None if no window is shown."""

    def awake(self) -> bool:
        """Return whether the screen is on. While it is off it is black, and only keys that wake it have an effect."""

    def keyboard_shown(self) -> bool: ...

    def selection(self) -> tuple[int, int] | None:
        """Return where the selection in the focused field begins and ends, in UTF-16 units.

        Without a selection, both are the place of the caret. None if no field has the focus.
        """

    def imes(self) -> Sequence[str]:
        """Return the ids of the installed input methods, such as ``com.android.adbkeyboard/.AdbIME``."""

    def default_ime(self) -> str: ...

    def set_ime(self, ime: str) -> None:
        """Choose the input method. Raises UnknownComponent."""

    def setting(self, namespace: str, name: str) -> str | None: ...

    def put_setting(self, namespace: str, name: str, value: str) -> None:
        """Store a setting. Raises ValueError if the phone does not store it."""

    def delete_setting(self, namespace: str, name: str) -> None:
        """Delete a setting. A name without a value is no error."""

    def settings(self, namespace: str) -> Mapping[str, str]:
        """Return all settings of a namespace (``system``, ``secure`` or ``global``)."""

    # ------------------------------------------------------------------ the simulator's own door
    def state(self) -> dict[str, Any]:
        """Return the true state of all apps and settings, as JSON values."""

    def lasting_state(self) -> dict[str, Any]:
        """Return the part of the state that lasts: settings, and lists such as notes and messages."""

    def reset(self, seed: int) -> None:
        """Return to the seed's content and to the home screen."""


@runtime_checkable
class InputWitness(Protocol):
    """Tell what a device's inputs reached, for devices that know it. So tests can compare effects instead of places."""

    def take_reached(self) -> Sequence[str]:
        """Return what each input since the last call reached, in order. An input that reached nothing has no entry."""


@runtime_checkable
class InstallableDevice(Protocol):
    """Take builds of virtual apps (``simulator.phone.apps.builds``), and tell what went wrong in them."""

    def install(self, files: Sequence[bytes]) -> None:
        """Install a build from its files. Raises InstallRefused."""

    def uninstall(self, package: str) -> None:
        """Remove an installed build. Raises UnknownComponent for any other app."""

    def faults(self) -> Sequence[AppFault]:
        """Return the crashes of apps, the newest last."""


class InstallRefused(Exception):
    """Report that a build cannot be installed, by Android's name of the failure and a reason."""

    def __init__(self, failure: str, reason: str) -> None:
        super().__init__(f"{failure}: {reason}")


@runtime_checkable
class UserDevice(Protocol):
    """Tell a device's messages, contacts and clipboard, and which apps run, for devices that know it."""

    def text_messages(self) -> Sequence[TextMessage]:
        """Return all messages in the order of their ids."""

    def contacts(self) -> Sequence[tuple[str, str]]:
        """Return each contact's name and number."""

    def clipboard_text(self) -> str:
        """Return what was cut or copied last; empty if nothing was."""

    def running(self) -> Sequence[str]:
        """Return the packages of the apps that have a process."""


@runtime_checkable
class SecureScreen(Protocol):
    """Tell whether a window forbids screenshots, for devices that know it."""

    def secure(self) -> bool:
        """Return whether a window that is shown has Android's FLAG_SECURE."""


@runtime_checkable
class TimedScreen(Protocol):
    """Tell when a device's screen settles, for devices that know it. It measures how well others find that out."""

    def rest(self) -> dict[str, Any]:
        """Return ``resting``: whether all changes of the last input are shown; ``since``: when they are (Unix time)."""


DevicePart = Literal["state", "frame", "hierarchy"]
"""What a remote device reads: what it is asked for without delay, its pixels, or its views."""


class DeviceLost(ConnectionError):
    """Signal that the process that draws a device's screen has ended or does not answer."""


@runtime_checkable
class RemoteDevice(Protocol):
    """Be a device whose screen another process draws.

    Its inputs and resets wait, in order, until ``refresh``. All that it returns is what it read there last.
    """

    async def start(self) -> None:
        """Show the start page, also after a loss. Raises DeviceLost."""

    async def stop(self) -> None:
        """Give the screen back. Stopping twice is no error."""

    async def lost(self) -> None:
        """Wait until the screen is lost."""

    async def refresh(self, part: DevicePart = "state") -> None:
        """Carry out the inputs that wait, then read the state and, if another one is named, that part.

        Raises DeviceLost.
        """


async def refresh(device: PhoneDevice, part: DevicePart = "state") -> None:
    """Refresh a remote device; do nothing for others, which draw when they are asked. Raises DeviceLost."""
    if isinstance(device, RemoteDevice):
        await device.refresh(part)
