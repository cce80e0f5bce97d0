"""``make console-pictures``: pictures of the console's pages, ``docs/images/console-*.png``.

They show a canned service of 200 phones (``tests/web/canned_service.py``), in a headless Chromium.

Usage: ``.venv-browser/bin/python docs/images/console_pictures.py /usr/bin/chromium``
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PYTHON = ROOT / ".venv" / "bin" / "python"
PHONES = "200"
COLOURS = 256
REDUCE = (
    "import sys; from PIL import Image; "
    f"[Image.open(path).convert('RGB').quantize({COLOURS}).save(path, optimize=True) for path in sys.argv[1:]]"
)
"""Makes the pictures small. Pillow is in ``.venv``, Playwright in ``.venv-browser``."""


@dataclass(frozen=True)
class Picture:
    """A picture of one place of the console."""

    name: str
    place: str
    scheme: Any = "light"
    size: tuple[int, int] = (1400, 860)
    text: str = ""
    """What is written into the first large field before the picture is taken."""

    def take(self, browser: Browser, service: str) -> Path:
        """Write the picture; return its path."""
        size: Any = dict(zip(("width", "height"), self.size, strict=True))
        with browser.new_context(viewport=size, color_scheme=self.scheme, reduced_motion="reduce") as context:
            page = context.new_page()
            page.goto(f"{service}/#{self.place}")
            page.locator("main h1").first.wait_for(state="attached")
            page.locator(".navigation-count-bad").wait_for(state="attached")
            if self.text:
                page.locator("textarea").first.fill(self.text)
                page.locator(".submit-good, .editor-mistake").first.wait_for()
            _wait_for_pictures(page)
            path = HERE / f"console-{self.name}.png"
            page.screenshot(path=path)
        return path


def _wait_for_pictures(page: Page) -> None:
    page.wait_for_load_state("load")
    page.evaluate("Promise.all([...document.images].map((image) => image.decode().catch(() => null)))")


MISTAKE = "tasks:\n  - id: dark\n    goal: Turn on dark mode.\n  - id: no\n    goal: Set an alarm for 6:30.\n"
PICTURES = (
    Picture("fleet", "/fleet?group=lab"),
    Picture("fleet-dark", "/fleet?size=s", scheme="dark"),
    Picture("phone", "/phones/10.0.0.8%3A5555?tab=health"),
    Picture("work", "/work"),
    Picture("batch", "/batches/b13"),
    Picture("submit", "/work/submit?as=yaml", text=MISTAKE),
    Picture("schedules", "/work/schedules"),
    Picture("attention", "/attention"),
    Picture("health", "/health", scheme="dark"),
    Picture("narrow", "/fleet", size=(390, 844)),
)


def main(chromium: str) -> None:
    """Start the service and the browser, and write all pictures."""
    command = [PYTHON, "-m", "tests.web.canned_service", PHONES]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        try:
            service = process.stdout.readline().strip()
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium, args=["--disable-gpu", "--no-sandbox"])
                paths = [picture.take(browser, service) for picture in PICTURES]
                browser.close()
        finally:
            process.kill()
    subprocess.run([PYTHON, "-c", REDUCE, *paths], check=True)


if __name__ == "__main__":
    main(sys.argv[1])
