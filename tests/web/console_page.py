"""One page of the browser, with all that it complains of and asks of other machines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request

ROOT = Path(__file__).parents[2]
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
WIDTHS = (1400, 390)
SCHEMES = ("light", "dark")
WAIT_MS = 30_000
"""How long a test waits until a page is as expected. A machine ten times slower than an idle one needs it."""
OFFLINE = "net::ERR_"
"""How the browser names what becomes of requests while the test has cut the connection."""


class ConsolePage:
    """A page that keeps what the browser complains of. ``complaints`` must be empty at the end of a test."""

    def __init__(self, context: BrowserContext) -> None:
        self.context = context
        self.page: Page = context.new_page()
        self.complaints: list[str] = []
        self.may_be_offline = False
        self.page.on("console", self._says)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", self._asks)
        self._host = ""

    @classmethod
    @contextmanager
    def open(cls, browser: Browser, width: int = 1400, scheme: Any = "light") -> Iterator[Self]:
        """Open a page of a width in pixels, in light or dark colours."""
        size: Any = {"width": width, "height": 900}
        with browser.new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce") as context:
            context.set_default_timeout(WAIT_MS)
            opened = cls(context)
            yield opened
            opened.page.unroute_all(behavior="ignoreErrors")  # an answer of the test's own may be under way

    def go(self, service: str, place: str) -> None:
        """Open a place of the console, such as ``/fleet?size=s``, and wait until the page is drawn."""
        self._host = service
        self.page.goto(f"{service}/#{place}")
        self.page.locator("main h1").first.wait_for(state="attached")

    def find_violations(self) -> list[str]:
        """Return what axe-core finds on the page, one line for each element."""
        # A script that the page loads itself would be stopped by its policy; one that the browser evaluates is not.
        self.page.evaluate(AXE.read_text())
        found: list[dict[str, Any]] = self.page.evaluate(
            "async () => (await axe.run(document, {resultTypes: ['violations'], preload: false})).violations"
        )
        return [
            f"{one['id']}: {one['help']}: {node['html'][:160]}: {json.dumps(node.get('any', [])[:1])[:200]}"
            for one in found
            for node in one["nodes"][:5]
        ]

    def overflow(self) -> int:
        """Return by how many pixels the page is wider than the window."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))

    def _says(self, message: ConsoleMessage) -> None:
        if message.type not in ("error", "warning"):
            return
        if "401" in message.text and message.location["url"].endswith("/api/v1/session"):
            return  # The page asks who is signed in; nobody is yet.
        if self.may_be_offline and OFFLINE in message.text:
            return
        self.complaints.append(f"{message.text} ({message.location['url']})")

    def _asks(self, request: Request) -> None:
        if self._host and not request.url.startswith((self._host, "data:", "blob:")):
            self.complaints.append(f"asked elsewhere: {request.url[:200]}")
