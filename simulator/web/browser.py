"""Run one headless Chromium for many web phones."""

from __future__ import annotations

import asyncio
import logging
import os
from contextlib import suppress
from importlib import resources
from pathlib import Path
from types import TracebackType
from typing import Self

from playwright.async_api import Browser, BrowserContext, Error, Playwright, Route, async_playwright

from manyhands.protocol.errors import BadInput
from manyhands.simulator.web.access import PageAccess

log = logging.getLogger(__name__)

CHROMIUM = Path("/usr/bin/chromium")
LAUNCH_S = 30.0
STOP_S = 5.0
USER_AGENT = (
    "Mozilla/5.0 (Linux; Android 14; Manyhands Web Phone) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/120.0.0.0 Mobile Safari/537.36"
)
PAGE_SCRIPT = (resources.files("manyhands.simulator.web") / "page.js").read_text("utf-8")


def find_chromium() -> Path:
    """Return the Chromium that the environment variable ``CHROMIUM`` names, else Debian's. Raises BadInput."""
    path = Path(os.environ.get("CHROMIUM", CHROMIUM))
    if not os.access(path, os.X_OK):
        raise BadInput(f"web phones need Chromium, and {path} is missing: apt-get install chromium, or set CHROMIUM")
    return path


class WebBrowser:
    """Give contexts of one Chromium. It starts with the first context, and starts again after it has ended.

    ``script`` runs in every page before its own scripts.
    """

    def __init__(self, access: PageAccess, script: str = "") -> None:
        self.access = access
        self._scripts = [PAGE_SCRIPT, *([script] if script else [])]
        self._executable = find_chromium()
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self._lock = asyncio.Lock()
        self.starts = 0
        """How often Chromium was started."""

    async def open_context(self) -> BrowserContext:
        """Return a new context, whose pages have no size yet. Raises Error if Chromium does not start."""
        async with self._lock:
            if self._browser is None or not self._browser.is_connected():
                await self._start()
            browser = self._browser
        assert browser is not None
        context = await browser.new_context(
            user_agent=USER_AGENT, accept_downloads=False, service_workers="block", no_viewport=True
        )
        await context.route("**/*", self._answer)
        for script in self._scripts:
            await context.add_init_script(script)
        return context

    async def _start(self) -> None:
        if self._playwright is None:
            self._playwright = await async_playwright().start()
        self._browser = await self._playwright.chromium.launch(
            executable_path=self._executable,
            chromium_sandbox=os.geteuid() != 0,  # root has none
            args=[
                "--disable-gpu",
                f"--host-resolver-rules={self.access.resolver_rules()}",
                "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
            ],
            timeout=1000 * LAUNCH_S,
        )
        self.starts += 1

    async def _answer(self, route: Route) -> None:
        try:
            if self.access.allows(route.request.url):
                await route.continue_()
            else:
                log.warning("a web phone may not load %.200s", route.request.url)
                await route.abort("blockedbyclient")
        except Error as error:  # the page went away meanwhile
            log.debug("a request had no page left: %s", error)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def stop(self) -> None:
        """End Chromium. Stopping twice is no error."""
        async with self._lock:
            playwright, self._playwright = self._playwright, None
            browser, self._browser = self._browser, None
            with suppress(TimeoutError):  # a hung Chromium ends with Playwright's process
                async with asyncio.timeout(STOP_S):
                    if browser is not None:
                        await browser.close()
            if playwright is not None:
                await playwright.stop()
