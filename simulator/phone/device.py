"""The interface between the adb device side of a virtual phone and the phone that it shows.

``simulator.adbd`` and ``simulator.shell`` speak adb and Android's shell; they know a phone only as a
:class:`PhoneDevice`. ``simulator.phone.virtual_phone`` implements it. All methods are synchronous, return at once
and are called from one event loop; what takes time on a phone (a page that loads, a transition)
shows in later calls of :meth:`PhoneDevice.frame`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from manyhands.simulator.phone.battery import Battery
from manyhands.simulator.phone.views import ViewNode


@dataclass(frozen=True, slots=True)
class Frame:
    """What the screen shows now.

    rgb: uint8 array of shape (height, width, 3), read-only; valid until the next call of ``frame``.
    version: equal versions mean equal pixels, so that encoded frames can be cached by it.
    png, raw: what ``screencap`` gives of it (``simulator.system.capture``), where the phone has that at hand.
    """

    rgb: NDArray[np.uint8]
    version: int
    png: memoryview | None = None
    raw: memoryview | None = None


@dataclass(frozen=True, slots=True)
class AppInfo:
    """An installed app. ``activity`` is the launcher activity, fully qualified."""

    package: str
    activity: str
    label: str
    system: bool


VIEW = "android.intent.action.VIEW"
SEND_TO = "android.intent.action.SENDTO"


@dataclass(frozen=True, slots=True)
class Link:
    """What an intent asks for: an action, what that is done to, the package that is to do it, texts given along."""

    action: str
    uri: str = ""
    package: str | None = None
    extras: Mapping[str, str] = field(default_factory=dict)

    @property
    def scheme(self) -> str:
        """Return the URI's, in lower case; empty without one."""
        return self.uri.partition(":")[0].lower() if ":" in self.uri else ""


class UnknownComponent(LookupError):
    """A package or component that is not installed."""


class PhoneDevice(Protocol):
    """A phone as its operating system sees it: input in, pixels and state out."""

    model: str
    width: int
    height: int
    density: int

    @property
    def battery(self) -> Battery:
        """Return what ``dumpsys battery`` reports and sets."""

    @battery.setter
    def battery(self, battery: Battery) -> None: ...

    # ------------------------------------------------------------------ pixels
    def frame(self) -> Frame: ...

    # ------------------------------------------------------------------ input
    def tap(self, x: int, y: int) -> None: ...

    def long_press(self, x: int, y: int, ms: int) -> None: ...

    def swipe(self, x1: int, y1: int, x2: int, y2: int, ms: int) -> None: ...

    def key(self, code: int, held: frozenset[int] = frozenset()) -> None:
        """Press a key (``phone.keycodes``) while the modifier keys ``held`` are down; most do nothing."""

    def input_text(self, text: str) -> None:
        """What ``input text`` does: key events of a virtual keyboard (printable ASCII only).

        Raises ValueError for characters that Android's key map does not have, as Android does
        (there a NullPointerException); nothing is typed then.
        """

    def ime_commit(self, text: str) -> None:
        """What ADBKeyboard does with a broadcast: commit any text into the focused field."""

    def ime_clear(self) -> None:
        """ADBKeyboard's ADB_CLEAR_TEXT."""

    # ------------------------------------------------------------------ apps
    def apps(self) -> Sequence[AppInfo]: ...

    def launch(self, component: str) -> None:
        """Start ``package`` or ``package/activity``. Raises UnknownComponent."""

    def resolve(self, link: Link) -> str:
        """``package/activity`` of the app that opens a link. Raises UnknownComponent where no app does."""

    def open_link(self, link: Link) -> None:
        """Show it in the app that opens it. Raises UnknownComponent."""

    def force_stop(self, package: str) -> None: ...

    def clear_data(self, package: str) -> None: ...

    def focus(self) -> str:
        """``package/activity`` in front (the activity fully qualified)."""

    def home(self) -> str:
        """Return the home screen's ``package/activity``, the activity fully qualified."""

    # ------------------------------------------------------------------ keyboard and settings
    def hierarchy(self) -> ViewNode | None:
        """Return the views of the window in front, also what must not be captured; None where no window is shown."""

    def awake(self) -> bool:
        """Return whether the screen is on. While it is off it is black, and only the keys that wake it do anything."""

    def keyboard_shown(self) -> bool: ...

    def selection(self) -> tuple[int, int] | None:
        """Return the UTF-16 units before what is selected in the field that has the focus, and up to its end.

        Both are the caret's place where nothing is selected; None where no field has the focus.
        """

    def imes(self) -> Sequence[str]:
        """Return the ids of the installed input methods, e.g. ``com.android.adbkeyboard/.AdbIME``."""

    def default_ime(self) -> str: ...

    def set_ime(self, ime: str) -> None:
        """Raises UnknownComponent."""

    def setting(self, namespace: str, name: str) -> str | None: ...

    def put_setting(self, namespace: str, name: str, value: str) -> None:
        """Raises ValueError where the phone does not store it."""

    def delete_setting(self, namespace: str, name: str) -> None:
        """A name that is not set is not an error."""

    def settings(self, namespace: str) -> Mapping[str, str]:
        """Return all that is set in a namespace (``system``, ``secure`` or ``global``)."""

    # ------------------------------------------------------------------ the simulator's own door
    def state(self) -> dict[str, Any]:
        """Return the true state of all apps and settings, as JSON values."""

    def reset(self, seed: int) -> None:
        """Back to the content that this seed gives, on the launcher."""


@runtime_checkable
class InputWitness(Protocol):
    """What a device may tell beside: what its inputs reached, so that equal effects are known by more than places."""

    def take_reached(self) -> Sequence[str]:
        """Return what each input since the last call reached, in order; one that reached nothing has no entry."""


@runtime_checkable
class TimedScreen(Protocol):
    """What a device may tell beside: when its screen comes to rest, for measuring whoever wants to know."""

    def rest(self) -> dict[str, Any]:
        """``resting``: whether the last input's changes are all shown; ``since``: when they were or will be, Unix."""
