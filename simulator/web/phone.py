"""Be a phone whose screen is a web page."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import count
from typing import Any

import numpy as np

from manyhands.simulator.phone.apps.preferences import ADB_IME, DEFAULT_IME, IMES, Preferences
from manyhands.simulator.phone.battery import Battery
from manyhands.simulator.phone.device import VIEW, AppInfo, DevicePart, Frame, Link, UnknownComponent
from manyhands.simulator.phone.keycodes import KEY_CODES
from manyhands.simulator.phone.views import ViewNode
from manyhands.simulator.phone.virtual_phone import POWER_KEYS, TYPEABLE
from manyhands.simulator.web.browser import WebBrowser
from manyhands.simulator.web.keys import browser_key
from manyhands.simulator.web.screen import PageFacts, PageFailed, WebScreen

log = logging.getLogger(__name__)

BROWSER = AppInfo("com.android.chrome", "com.google.android.apps.chrome.Main", "Chrome", False)
BROWSER_COMPONENT = f"{BROWSER.package}/{BROWSER.activity}"
HOME_COMPONENT = "com.android.launcher/com.android.launcher.Launcher"
LINKS = frozenset(("http", "https", "file"))
SEED = "{seed}"
KEY_POWER, KEY_MENU, KEY_WAKEUP, KEY_HOME, KEY_BACK = (
    KEY_CODES[name] for name in ("POWER", "MENU", "WAKEUP", "HOME", "BACK")
)

Step = Callable[[], Awaitable[None]]
StartUrl = str | Callable[[int], str]
"""The address of a start page, in which ``{seed}`` stands for the seed; or what returns the address for a seed."""


class WebPhone:
    """Implement ``PhoneDevice`` and ``RemoteDevice`` with a browser's page.

    ``start_url`` is the home screen. Every other page is the app Chrome. The on-screen keyboard is a state and is not
    drawn: it is shown while a field has the focus, until Back hides it.
    """

    model = "Manyhands Web Phone"

    def __init__(
        self, browser: WebBrowser, start_url: StartUrl, seed: int, width: int, height: int, density: int
    ) -> None:
        self.width, self.height, self.density = width, height, density
        self.screen = WebScreen(browser, width, height, density)
        self._access = browser.access
        self._start_url = start_url
        self._waiting: deque[Step] = deque()
        self._lock = asyncio.Lock()
        self._work: set[asyncio.Task[None]] = set()
        self._black = Frame(np.zeros((height, width, 3), np.uint8), 0)
        self._frame = self._black
        self._versions = count(1)
        self._initialize(seed)

    def _initialize(self, seed: int) -> None:
        self._seed = seed
        start = self._start_url
        self._home_url = start.replace(SEED, str(seed)) if isinstance(start, str) else start(seed)
        self._home_address = self._home_url
        self._last_address = ""
        """The page that Chrome showed last."""
        self._settings = Preferences("en")
        self._facts = PageFacts(self._home_url, "")
        self._views: ViewNode | None = None
        self._awake = True
        self._keyboard_hidden = False
        self.battery = Battery()

    # ------------------------------------------------------------------ RemoteDevice
    async def start(self) -> None:
        async with self._lock:
            self._waiting.clear()
            await self._start_screen()

    async def _start_screen(self) -> None:
        await self.screen.start(self._home_url)
        self._facts = await self.screen.facts()
        self._home_address = self._facts.address

    async def stop(self) -> None:
        for work in self._work:
            work.cancel()
        async with self._lock:
            await self.screen.stop()

    async def lost(self) -> None:
        await self.screen.lost()

    async def refresh(self, part: DevicePart = "state") -> None:
        """Do what ``RemoteDevice`` says. It goes on without its caller: a phone finishes what a client began."""
        work = asyncio.create_task(self._refresh(part))
        self._work.add(work)
        work.add_done_callback(self._forget)
        await asyncio.shield(work)

    def _forget(self, work: asyncio.Task[None]) -> None:
        self._work.discard(work)
        if not work.cancelled() and (error := work.exception()) is not None:
            log.debug("a web phone: %s", error)  # its caller, if one is left, raises it

    async def _refresh(self, part: DevicePart) -> None:
        async with self._lock:
            while self._waiting:
                try:
                    await self._waiting.popleft()()
                except PageFailed as error:
                    log.warning("a web phone: %s", error)
            self._facts = await self.screen.facts()
            if self._facts.selection is None:
                self._keyboard_hidden = False
            if not self._at_home():
                self._last_address = self._facts.address
            if part == "hierarchy":
                self._views = await self.screen.views()
            elif part == "frame":
                self._frame = await self._take_frame() if self._awake else self._black

    async def _take_frame(self) -> Frame:
        png = memoryview(await self.screen.screenshot())
        return self._frame if png == self._frame.png else Frame(None, next(self._versions), png)

    # ------------------------------------------------------------------ pixels
    def frame(self) -> Frame:
        return self._frame

    # ------------------------------------------------------------------ input
    def _input(self, step: Step) -> None:
        if self._awake:
            self._waiting.append(step)

    def tap(self, x: int, y: int) -> None:
        self.long_press(x, y, 0)

    def long_press(self, x: int, y: int, ms: int) -> None:
        async def press() -> None:
            self._keyboard_hidden = False
            await self.screen.long_press(x, y, ms)

        self._input(press)

    def swipe(self, x1: int, y1: int, x2: int, y2: int, ms: int) -> None:
        self._input(lambda: self.screen.swipe(x1, y1, x2, y2, ms))

    def key(self, code: int, held: frozenset[int] = frozenset()) -> None:
        if code in POWER_KEYS:
            self._awake = code == KEY_WAKEUP or (code == KEY_POWER and not self._awake)
        elif code == KEY_MENU:
            self._awake = True
        elif code == KEY_HOME:
            self._input(lambda: self.screen.show(self._home_url))
        elif code == KEY_BACK:
            self._input(self._back)
        elif key := browser_key(code, held):
            self._input(lambda: self.screen.press(key))

    async def _back(self) -> None:
        self._facts = await self.screen.facts()
        if self.keyboard_shown():
            self._keyboard_hidden = True
        elif not await self.screen.back() and not self._at_home():
            await self.screen.show(self._home_url)

    def input_text(self, text: str) -> None:
        missing = sorted(set(text) - TYPEABLE)
        if missing:
            raise ValueError(f"the key map of the virtual keyboard has no key for {missing[0]!r}; nothing was typed")
        self._input(lambda: self.screen.type_text(text))

    def ime_commit(self, text: str) -> None:
        if self.default_ime() == ADB_IME:
            self._input(lambda: self.screen.commit_text(text))

    def ime_clear(self) -> None:
        if self.default_ime() == ADB_IME:
            self._input(self.screen.clear_field)

    # ------------------------------------------------------------------ apps
    def apps(self) -> Sequence[AppInfo]:
        return (BROWSER,)

    def launch(self, component: str) -> None:
        """Show the page that Chrome showed last, if another one is in front."""
        if component not in (BROWSER.package, BROWSER_COMPONENT):
            raise UnknownComponent(f"{component} is not installed")
        if self._at_home() and self._last_address:
            self._show(self._last_address)

    def resolve(self, link: Link) -> str:
        opens = link.action == VIEW and link.package in (None, BROWSER.package) and link.scheme in LINKS
        if not opens or not self._access.allows(link.uri):
            raise UnknownComponent(f"no app opens {link.action} {link.uri}")
        return BROWSER_COMPONENT

    def open_link(self, link: Link) -> None:
        self.resolve(link)
        self._show(link.uri)

    def _show(self, url: str) -> None:
        self._waiting.append(lambda: self.screen.show(url))

    def force_stop(self, package: str) -> None:
        if package == BROWSER.package:
            self._last_address = ""
            if not self._at_home():
                self._show(self._home_url)

    def clear_data(self, package: str) -> None:
        if package == BROWSER.package:
            self._last_address = ""
            self._waiting.append(self._start_screen)

    def focus(self) -> str:
        return HOME_COMPONENT if self._at_home() else BROWSER_COMPONENT

    def home(self) -> str:
        return HOME_COMPONENT

    def _at_home(self) -> bool:
        return self._facts.address == self._home_address

    # ------------------------------------------------------------------ keyboard and settings
    def hierarchy(self) -> ViewNode | None:
        return self._views if self._awake else None

    def awake(self) -> bool:
        return self._awake

    def keyboard_shown(self) -> bool:
        return self._awake and self._facts.selection is not None and not self._keyboard_hidden

    def selection(self) -> tuple[int, int] | None:
        return self._facts.selection

    def imes(self) -> Sequence[str]:
        return IMES

    def default_ime(self) -> str:
        return self._settings.ime

    def set_ime(self, ime: str) -> None:
        if ime not in IMES:
            raise UnknownComponent(f"input method {ime} is not installed; there are {', '.join(IMES)}")
        self._settings.put(*DEFAULT_IME, ime)

    def setting(self, namespace: str, name: str) -> str | None:
        return self._settings.get(namespace, name)

    def put_setting(self, namespace: str, name: str, value: str) -> None:
        self._settings.put(namespace, name, value)

    def delete_setting(self, namespace: str, name: str) -> None:
        self._settings.delete(namespace, name)

    def settings(self, namespace: str) -> Mapping[str, str]:
        return self._settings.all(namespace)

    # ------------------------------------------------------------------ the simulator's own door
    def state(self) -> dict[str, Any]:
        """Return what was read at the last refresh. ``page`` is what the page's ``manyhandsState()`` returns."""
        package, _, activity = self.focus().partition("/")
        app = "Home" if self._at_home() else BROWSER.label
        front = {"app": app, "package": package, "activity": activity, "page": "web", "about": self._facts.address}
        return {
            "seed": self._seed,
            "foreground": front,
            "keyboard": self.keyboard_shown(),
            "web": {"address": self._facts.address, "title": self._facts.title},
            "page": self._facts.page,
            **self.lasting_state(),
        }

    def lasting_state(self) -> dict[str, Any]:
        return {"settings": self._settings.state()}

    def reset(self, seed: int) -> None:
        self._initialize(seed)
        self._waiting.append(self._start_screen)
