"""Drive a page of a browser as a phone's screen: touches, keys, pixels and views."""

from __future__ import annotations

import asyncio
import base64
import logging
import math
import struct
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

from playwright.async_api import BrowserContext, CDPSession, Dialog, Error, Frame, Page

from manyhands.simulator.phone.device import DeviceLost
from manyhands.simulator.phone.views import DRAWN, ViewNode
from manyhands.simulator.web.browser import LAUNCH_S, WebBrowser

log = logging.getLogger(__name__)

ANSWER_S = 30.0
"""A page that does not answer for so long has hung, and its phone is lost."""
LOAD_MS = 20_000
MOVE_S = 0.016
LONGEST_GESTURE_S = 2.0
DP = 160
READER = "window[Symbol.for('manyhands')]"
LEFT_MEANWHILE = ("Execution context was destroyed", "Frame was detached")
"""What Playwright's errors say of a script whose page is left for another one before the script ends."""

ERROR_PAGE, ERROR_PAGE_S = "chrome-error:", 2.0
"""The scheme of the browser's own pages about what did not load, and for how long one is waited for."""


class PageFailed(Exception):
    """Report what the browser refuses: an address that does not load, a script that throws. The screen goes on."""


@dataclass(frozen=True, slots=True)
class PageFacts:
    """Hold what a page tells at once.

    ``selection``: where it begins and ends in the focused field, None without one. ``page``: what the page's own
    ``manyhandsState()`` returns, for checks; None if it has no such function.
    """

    address: str
    title: str
    selection: tuple[int, int] | None = None
    page: Any = None


class WebScreen:
    """Show one page at a time, in a context of its own: no cookie or storage is shared with other phones.

    Coordinates and sizes are in pixels of the screen. A page is ``width * 160 / density`` CSS pixels wide. All methods
    raise DeviceLost if the page or the browser has crashed, or does not answer within ANSWER_S seconds, and PageFailed
    for what the browser refuses. ``start`` and methods that read the screen raise DeviceLost for that, too.
    """

    def __init__(self, browser: WebBrowser, width: int, height: int, density: int) -> None:
        self._browser = browser
        self._scale = density / DP
        self._size = (width, height)
        self._metrics = {
            "width": math.ceil(width / self._scale),
            "height": math.ceil(height / self._scale),
            "deviceScaleFactor": self._scale,
            "mobile": False,
        }
        self._context: BrowserContext | None = None
        self._page: Page | None = None
        self._cdp: CDPSession | None = None
        self._gone = asyncio.Event()

    # ------------------------------------------------------------------ life
    async def start(self, url: str) -> None:
        """Show ``url`` in a new context: no cookies, storage or history remain. An address that fails is logged."""
        await self.stop()
        self._gone.clear()
        async with self._need("a new context", LAUNCH_S + ANSWER_S):
            self._context = await self._browser.open_context()
        async with self._need("a new page"):
            self._page = page = await self._context.new_page()
            page.set_default_timeout(LOAD_MS)
            page.on("crash", self._leave)
            page.on("close", self._leave)
            page.on("dialog", _answer_dialog)
            self._cdp = cdp = await self._context.new_cdp_session(page)
            await cdp.send("Emulation.setDeviceMetricsOverride", self._metrics)
            await cdp.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
        await self.show(url)
        async with self._need("its history"):
            await self._session().send("Page.resetNavigationHistory")

    def _leave(self, page: Page) -> None:
        if page is self._page:  # not one that was closed on purpose
            self._gone.set()

    async def stop(self) -> None:
        """Close the context. Stopping twice is no error."""
        context, self._context, self._page, self._cdp = self._context, None, None, None
        if context is not None:
            with suppress(Error, TimeoutError):  # a crashed browser has closed it, a hung one never does
                async with asyncio.timeout(ANSWER_S):
                    await context.close()

    async def lost(self) -> None:
        """Wait until the page or the browser has crashed or hung."""
        await self._gone.wait()

    # ------------------------------------------------------------------ pages
    async def open(self, url: str) -> None:
        """Load an address. Raises PageFailed."""
        async with self._answer(url):
            page, is_shown = self._front(), asyncio.Event()

            def see(frame: Frame) -> None:
                if frame is page.main_frame and frame.url.startswith(ERROR_PAGE):
                    is_shown.set()

            page.on("framenavigated", see)
            try:
                await page.goto(url)
            except Error:  # the browser's own page about it comes later, and would interrupt what is loaded next
                with suppress(TimeoutError):
                    async with asyncio.timeout(ERROR_PAGE_S):
                        await is_shown.wait()
                raise
            finally:
                page.remove_listener("framenavigated", see)

    async def show(self, url: str) -> None:
        """Load an address. If it fails, log that and leave the browser's own page about it, as a phone does."""
        try:
            await self.open(url)
        except PageFailed as error:
            log.warning("a web phone: %s", error)

    async def back(self) -> bool:
        """Close an open list, or go back in the history. Return whether there was something to go back from."""
        if await self._ask("closePicker()"):
            return True
        async with self._answer("its history"):
            history = await self._session().send("Page.getNavigationHistory")
            if history["currentIndex"] == 0:
                return False
            await self._front().go_back()
        return True

    # ------------------------------------------------------------------ input
    async def tap(self, x: int, y: int) -> None:
        await self.long_press(x, y, 0)

    async def long_press(self, x: int, y: int, ms: int) -> None:
        """Hold a point for ``ms`` milliseconds."""
        async with self._answer("a touch"):
            await self._touch("touchStart", x, y)
            await asyncio.sleep(min(ms / 1000, LONGEST_GESTURE_S))
            await self._touch("touchEnd")

    async def swipe(self, x1: int, y1: int, x2: int, y2: int, ms: int) -> None:
        """Move a finger in a straight line for ``ms`` milliseconds, at most LONGEST_GESTURE_S seconds."""
        seconds = max(MOVE_S, min(ms / 1000, LONGEST_GESTURE_S))
        async with self._answer("a swipe"):
            await self._touch("touchStart", x1, y1)
            begin, part = time.monotonic(), 0.0
            while part < 1:
                await asyncio.sleep(MOVE_S)
                part = min(1.0, (time.monotonic() - begin) / seconds)
                await self._touch("touchMove", x1 + part * (x2 - x1), y1 + part * (y2 - y1))
            await self._touch("touchEnd")

    async def _touch(self, kind: str, *point: float) -> None:
        points = [{"x": point[0] / self._scale, "y": point[1] / self._scale}] if point else []
        await self._session().send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    async def press(self, key: str) -> None:
        """Press a key or a combination by Playwright's name, such as ``Control+A``."""
        async with self._answer("a key"):
            await self._front().keyboard.press(key)

    async def type_text(self, text: str) -> None:
        """Type a text key by key."""
        async with self._answer("a text"):
            await self._front().keyboard.type(text)

    async def commit_text(self, text: str) -> None:
        """Put a text into the focused field at once, as an input method does."""
        async with self._answer("a text"):
            await self._front().keyboard.insert_text(text)

    async def clear_field(self) -> None:
        """Empty the focused field, if there is one."""
        if await self._ask("selectAll()"):
            await self.press("Backspace")

    # ------------------------------------------------------------------ what is shown
    async def screenshot(self) -> bytes:
        """Return the screen as a PNG of the screen's size."""
        width, height = (side / self._scale for side in self._size)
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}  # a viewport has whole CSS pixels
        async with self._need("a picture"):
            picture = await self._session().send(
                "Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True, "clip": clip}
            )
        png = base64.b64decode(picture["data"])
        if (size := struct.unpack_from(">2I", png, 16)) != self._size:
            raise DeviceLost(f"Chromium gave a picture of {size} pixels for a web phone of {self._size}")
        return png

    async def views(self) -> ViewNode:
        """Return the page's tree of views, made from its elements and their accessibility attributes."""
        views = await self._ask("views()")
        return _node(views, *self._size) if views else ViewNode(DRAWN, (0, 0, *self._size))

    async def facts(self) -> PageFacts:
        """Return the page's address, title and focused field."""
        facts = await self._ask("facts()")
        if not facts:  # the browser's own page about one that does not load
            return PageFacts(self._front().url, "")
        start, end = facts["selection"] or (None, None)
        selection = None if start is None or end is None else (start, end)
        return PageFacts(facts["address"], facts["title"], selection, facts["page"])

    async def evaluate(self, script: str) -> Any:
        """Return the value of a JavaScript expression or function in the page. Raises PageFailed if it throws."""
        async with self._answer("a script"):
            return await self._front().evaluate(script)

    async def _ask(self, call: str) -> Any:
        """Call a function of ``page.js``. Ask again if the page was left meanwhile."""
        async with self._need("the page"):
            while True:
                try:
                    return await self._front().evaluate(f"{READER}?.{call}")
                except Error as error:
                    if self._gone.is_set() or not any(words in error.message for words in LEFT_MEANWHILE):
                        raise
                    await asyncio.sleep(MOVE_S)

    # ------------------------------------------------------------------ answers
    @asynccontextmanager
    async def _need(self, what: str, seconds: float = ANSWER_S) -> AsyncIterator[None]:
        """Do ``_answer`` for what a screen cannot go on without. Raises DeviceLost."""
        try:
            async with self._answer(what, seconds):
                yield
        except PageFailed as error:
            width, height = self._size
            raise DeviceLost(
                f"Chromium refuses a web phone of {width}x{height} pixels {error}; reset the phone, or check its page, "
                "its size and CHROMIUM"
            ) from error

    @asynccontextmanager
    async def _answer(self, what: str, seconds: float = ANSWER_S) -> AsyncIterator[None]:
        """Give the browser so many seconds. Raises DeviceLost, and PageFailed for an error that is not its end."""
        try:
            async with asyncio.timeout(seconds):
                yield
        except TimeoutError as error:
            self._gone.set()
            raise DeviceLost(f"a web phone's page gave no answer in {seconds:g} s: {what}") from error
        except Error as error:
            message = error.message.partition("\n")[0]
            page = self._page
            if self._gone.is_set() or page is None or page.is_closed():
                self._gone.set()
                raise DeviceLost(f"a web phone's page is gone: {what}: {message}") from error
            raise PageFailed(f"{what}: {message}") from error

    def _front(self) -> Page:
        if self._page is None:
            raise DeviceLost("a web phone is not started")
        return self._page

    def _session(self) -> CDPSession:
        if self._cdp is None:
            raise DeviceLost("a web phone is not started")
        return self._cdp


async def _answer_dialog(dialog: Dialog) -> None:
    """Accept what only tells something, and dismiss what asks: pages stand still until then."""
    with suppress(Error):
        await (dialog.accept() if dialog.type in ("alert", "beforeunload") else dialog.dismiss())


def _node(facts: Mapping[str, Any], width: int, height: int) -> ViewNode:
    """Return a view and those in it. Its bounds end with the screen."""
    left, top, right, bottom = facts["bounds"]
    bounds = (min(left, width), min(top, height), min(right, width), min(bottom, height))
    children = [_node(child, width, height) for child in facts["children"]]
    return ViewNode(**{**facts, "bounds": bounds, "children": children})
