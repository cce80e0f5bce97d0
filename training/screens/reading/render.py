"""Shows pages in headless Chromium: the picture, the same without its texts and icons, and where each of them is."""

from __future__ import annotations

import base64
import io
import mimetypes
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Error, Playwright, Route

from manyhands.protocol.errors import BadInput
from training.screens import photos
from training.screens.browser import HOST, RenderError
from training.screens.look import Phone
from training.screens.reading.labels import Shot
from training.screens.reading.pages import Page
from training.screens.reading.parts import HERE, MODULES


class Browser:
    """Holds one tab of a Chromium that reaches no network: each request is answered from this machine's files."""

    def __init__(self, playwright: Playwright, executable: str) -> None:
        """Start it. Raises BadInput where there is none."""
        if not Path(executable).exists():
            raise BadInput(
                f"{executable} is missing: apt-get install chromium on Debian and Ubuntu, or name it with --chromium"
            )
        self._chromium = playwright.chromium.launch(
            executable_path=executable, args=["--hide-scrollbars", "--font-render-hinting=none", "--disable-gpu"]
        )
        context = self._chromium.new_context()
        context.route("**/*", self._answer)
        self._tab = context.new_page()
        self._session = context.new_cdp_session(self._tab)
        self._markup = ""

    def close(self) -> None:
        self._chromium.close()

    def shoot(self, page: Page) -> Shot:
        """Show a page and find its texts and icons. Raises RenderError."""
        try:
            self.show(page)
            found = self._tab.evaluate("window.collect()")
            picture = self.picture()
            self._tab.evaluate("window.hide()")
            without = self.picture()
        except Error as error:
            raise RenderError(f"page {page.number} of {page.part} ({page.kind}): {error}") from error
        return Shot(picture, differing(picture, without), found)

    def show(self, page: Page) -> None:
        """Show a page and wait for its fonts and pictures."""
        phone: Phone = page.phone
        size = {"width": phone.width, "height": phone.height, "deviceScaleFactor": phone.density, "mobile": False}
        self._session.send("Emulation.setDeviceMetricsOverride", size)
        self._markup = page.markup
        self._tab.goto(f"{HOST}/page/{page.part}/{page.number}", wait_until="load")
        self._tab.evaluate("document.fonts.ready.then(() => true)")

    def picture(self) -> bytes:
        """Return what is shown, as a PNG."""
        shot = self._session.send("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True})
        return base64.b64decode(shot["data"])

    def hide_word(self, label: int, start: int, end: int) -> None:
        """Paint these characters of a label no more; for tests."""
        self._tab.evaluate("([label, start, end]) => window.hideWord(label, [start, end])", [label, start, end])

    def _answer(self, route: Route) -> None:
        address = route.request.url
        path = address.removeprefix(HOST).split("?")[0]
        if not address.startswith(HOST):
            route.abort()
        elif path.startswith("/page/"):
            route.fulfill(body=self._markup, content_type="text/html; charset=utf-8")
        elif path.startswith("/photo/"):
            route.fulfill(body=photos.photo(int(Path(path).stem)), content_type="image/jpeg")
        else:
            folder, _, rest = path.lstrip("/").partition("/")
            file = {"own": HERE, "modules": MODULES}.get(folder, HERE / "none") / rest
            if file.is_file():
                kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
                route.fulfill(path=file, content_type=kind, headers={"cache-control": "max-age=3600"})
            else:
                route.fulfill(status=404, body="")


def differing(picture: bytes, other: bytes, from_: int = 6) -> NDArray[np.bool_]:
    """Return which pixels of two pictures of one size differ by more than ``from_`` levels."""
    one, two = (np.asarray(Image.open(io.BytesIO(each)).convert("RGB"), np.int16) for each in (picture, other))
    return np.asarray(np.abs(one - two).max(2) > from_)
