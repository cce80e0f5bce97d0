"""A phone that shows the next canned page at every input, whatever the input is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from manyhands.simulator.canned.frames import Page, stamped
from manyhands.simulator.phone.battery import Battery
from manyhands.simulator.phone.device import AppInfo, Frame, Link, UnknownComponent
from manyhands.simulator.phone.views import DRAWN, ROOT, ViewNode
from manyhands.simulator.system.phone_system import ADB_KEYBOARD

APPS = (
    AppInfo("com.android.settings", "com.android.settings.Settings", "Settings", True),
    AppInfo("org.manyhands.canned", "org.manyhands.canned.Main", "Canned", False),
)
HOME = "com.android.launcher3/com.android.launcher3.Launcher"
_HOME_KEY = 3
_SEED_BITS = 12


class CannedPhone:
    """Implement ``simulator.phone.device.PhoneDevice``. ``pages`` may be shared: they are only read.

    Frames differ from phone to phone and from input to input, also after a reset.
    """

    def __init__(self, seed: int, pages: Sequence[Page], density: int) -> None:
        self.model = "Manyhands Canned Phone"
        self.height, self.width = pages[0].rgb.shape[:2]
        self.density = density
        self.battery = Battery()
        self._pages = pages
        self._seed = seed
        self._inputs = 0
        self._since_reset = 0
        self._focus = HOME
        self._settings: dict[str, dict[str, str]] = {"system": {}, "secure": {}, "global": {}}
        self._frame = self._make_frame()

    # ------------------------------------------------------------------ pixels
    def frame(self) -> Frame:
        return self._frame

    def _next(self) -> None:
        self._inputs += 1
        self._since_reset += 1
        self._frame = self._make_frame()

    def _make_frame(self) -> Frame:
        number = (self._inputs << _SEED_BITS | self._seed % (1 << _SEED_BITS)) & 0xFFFF_FFFF
        return stamped(self._pages[self._since_reset % len(self._pages)], number)

    # ------------------------------------------------------------------ input
    def tap(self, x: int, y: int) -> None:
        self._next()

    def long_press(self, x: int, y: int, ms: int) -> None:
        self._next()

    def swipe(self, x1: int, y1: int, x2: int, y2: int, ms: int) -> None:
        self._next()

    def key(self, code: int, held: frozenset[int] = frozenset()) -> None:
        if code == _HOME_KEY:
            self._focus = HOME
        self._next()

    def input_text(self, text: str) -> None:
        if not all(" " <= character <= "~" for character in text):
            raise ValueError("the key map has printable ASCII alone")
        self._next()

    def ime_commit(self, text: str) -> None:
        self._next()

    def ime_clear(self) -> None:
        self._next()

    # ------------------------------------------------------------------ apps
    def apps(self) -> Sequence[AppInfo]:
        return APPS

    def launch(self, component: str) -> None:
        for app in APPS:
            if component in (app.package, f"{app.package}/{app.activity}"):
                self._focus = f"{app.package}/{app.activity}"
                self._next()
                return
        raise UnknownComponent(component)

    def resolve(self, link: Link) -> str:
        raise UnknownComponent(link.action)

    def open_link(self, link: Link) -> None:
        raise UnknownComponent(link.action)

    def force_stop(self, package: str) -> None:
        if self._focus.startswith(package + "/"):
            self._focus = HOME

    def clear_data(self, package: str) -> None: ...

    def focus(self) -> str:
        return self._focus

    def home(self) -> str:
        return HOME

    # ------------------------------------------------------------------ keyboard and settings
    def hierarchy(self) -> ViewNode | None:
        return ViewNode(
            ROOT, (0, 0, self.width, self.height), children=[ViewNode(DRAWN, (0, 0, self.width, self.height))]
        )

    def awake(self) -> bool:
        return True

    def keyboard_shown(self) -> bool:
        return False

    def selection(self) -> tuple[int, int] | None:
        return None

    def imes(self) -> Sequence[str]:
        return (ADB_KEYBOARD,)

    def default_ime(self) -> str:
        return ADB_KEYBOARD

    def set_ime(self, ime: str) -> None:
        if ime != ADB_KEYBOARD:
            raise UnknownComponent(ime)

    def setting(self, namespace: str, name: str) -> str | None:
        return self._settings[namespace].get(name)

    def put_setting(self, namespace: str, name: str, value: str) -> None:
        self._settings[namespace][name] = value

    def delete_setting(self, namespace: str, name: str) -> None:
        self._settings[namespace].pop(name, None)

    def settings(self, namespace: str) -> Mapping[str, str]:
        return dict(self._settings[namespace])

    # ------------------------------------------------------------------ the simulator's own door
    def state(self) -> dict[str, Any]:
        """``inputs`` since the latest reset: a check may ask for a number of them."""
        return {"canned": True, "inputs": self._since_reset}

    def reset(self, seed: int) -> None:
        self._focus = HOME
        self._since_reset = 0
        self._inputs += 1
        self._frame = self._make_frame()
