"""A plain phone for tests of the adb side: it remembers what it was told, and its screen is a counter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manyhands.simulator.phone.battery import Battery
from manyhands.simulator.phone.device import VIEW, AppInfo, Frame, Link, UnknownComponent
from manyhands.simulator.phone.views import ROOT, ViewNode

ADB_KEYBOARD = "com.android.adbkeyboard/.AdbIME"
LATIN = "com.android.inputmethod.latin/.LatinIME"
HOME = "com.example.launcher/com.example.launcher.Home"
BROWSER = "com.example.browser"
SETTINGS = "com.android.settings/com.android.settings.Settings"
SETTINGS_LINK = "android.settings.SETTINGS"
APPS = (
    AppInfo("com.android.settings", "com.android.settings.Settings", "Settings", True),
    AppInfo("com.example.notes", "com.example.notes.MainActivity", "Notes", False),
    AppInfo(BROWSER, "org.example.web.Main", "浏览器", False),
)


class PlainDevice:
    """Implements ``simulator.phone.device.PhoneDevice``. ``events`` holds every input as (name, arguments...)."""

    def __init__(self, seed: int = 1, width: int = 108, height: int = 240, density: int = 160) -> None:
        self.model = "Plain Phone"
        self.width = width
        self.height = height
        self.density = density
        self.events: list[tuple[Any, ...]] = []
        self.battery = Battery()
        self.on = True
        self.text = ""
        self.shown = False
        self.views: ViewNode | None = ViewNode(ROOT, (0, 0, width, height))
        self._seed = seed
        self._focus = HOME
        self._ime = LATIN
        self._settings: dict[str, dict[str, str]] = {"system": {"screen_brightness": "102"}, "secure": {}, "global": {}}
        self._drawn: tuple[int, NDArray[np.uint8]] | None = None

    # ------------------------------------------------------------------ pixels
    def frame(self) -> Frame:
        version = len(self.events)
        if self._drawn is None or self._drawn[0] != version:
            rgb = np.random.default_rng([self._seed, version]).integers(0, 256, (self.height, self.width, 3), np.uint8)
            self._drawn = (version, rgb)
        return Frame(self._drawn[1], version)

    # ------------------------------------------------------------------ input
    def tap(self, x: int, y: int) -> None:
        self.events.append(("tap", x, y))

    def long_press(self, x: int, y: int, ms: int) -> None:
        self.events.append(("long_press", x, y, ms))

    def swipe(self, x1: int, y1: int, x2: int, y2: int, ms: int) -> None:
        self.events.append(("swipe", x1, y1, x2, y2, ms))

    def key(self, code: int, held: frozenset[int] = frozenset()) -> None:
        self.events.append(("key", code, *sorted(held)))
        if code == 3:
            self._focus = HOME

    def input_text(self, text: str) -> None:
        if not all(" " <= character <= "~" for character in text):
            raise ValueError("no such keys")
        self.events.append(("text", text))
        self.text += text

    def ime_commit(self, text: str) -> None:
        self.events.append(("commit", text))
        self.text += text

    def ime_clear(self) -> None:
        self.events.append(("clear",))
        self.text = ""

    # ------------------------------------------------------------------ apps
    def apps(self) -> Sequence[AppInfo]:
        return APPS

    def launch(self, component: str) -> None:
        for app in APPS:
            if component in (app.package, f"{app.package}/{app.activity}"):
                self._focus = f"{app.package}/{app.activity}"
                self.events.append(("launch", component))
                return
        raise UnknownComponent(component)

    def resolve(self, link: Link) -> str:
        if link.action == SETTINGS_LINK:
            return SETTINGS
        if link.action == VIEW and link.scheme in ("http", "https") and link.package in (None, BROWSER):
            return f"{BROWSER}/org.example.web.Main"
        raise UnknownComponent(link.action)

    def open_link(self, link: Link) -> None:
        self.launch(self.resolve(link))
        self.events.append(("link", link.action, link.uri))

    def force_stop(self, package: str) -> None:
        self.events.append(("stop", package))
        if self._focus.startswith(package + "/"):
            self._focus = HOME

    def clear_data(self, package: str) -> None:
        self.events.append(("clear_data", package))

    def focus(self) -> str:
        return self._focus

    def home(self) -> str:
        return HOME

    # ------------------------------------------------------------------ keyboard and settings
    def hierarchy(self) -> ViewNode | None:
        return self.views

    def awake(self) -> bool:
        return self.on

    def keyboard_shown(self) -> bool:
        return self.shown

    def selection(self) -> tuple[int, int] | None:
        length = len(self.text.encode("utf-16-le", "surrogatepass")) // 2
        return length, length

    def imes(self) -> Sequence[str]:
        return (LATIN, ADB_KEYBOARD)

    def default_ime(self) -> str:
        return self._ime

    def set_ime(self, ime: str) -> None:
        if ime not in self.imes():
            raise UnknownComponent(ime)
        self._ime = ime

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
        return {"seed": self._seed, "text": self.text, "focus": self._focus, "quotes": "'\" ,=\n你好"}

    def reset(self, seed: int) -> None:
        self._seed = seed
        self.text = ""
        self._focus = HOME
        self.events.append(("reset", seed))
