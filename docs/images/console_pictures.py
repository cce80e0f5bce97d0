"""``make console-pictures``: pictures of the console's pages, ``docs/images/console-*.png``.

They show a canned service of 200 phones (``tests/web/canned_service.py``), in a headless Chromium. The two pictures of
an episode show a real service with virtual phones and the rehearsed model (``tests/web/real_service.py``).

Usage: ``PYTHONPATH=. .venv-browser/bin/python docs/images/console_pictures.py /usr/bin/chromium``
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.web.real_service import PYTHON, ROOT, run_real_service

HERE = Path(__file__).parent
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
    shows: str = "main"
    """What must be on the page before the picture is taken, as a selector."""

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
            page.locator(self.shows).first.wait_for()
            return _shoot(page, self.name)


def _wait_for_pictures(page: Page) -> None:
    page.wait_for_load_state("load")
    page.evaluate("Promise.all([...document.images].map((image) => image.decode().catch(() => null)))")


GOAL = "Find a laptop in Shop for under 1000 dollars that has an Nvidia GPU and more than 8 GB RAM, "
GOAL += "and add it to the cart."
"""Of the episode that is shown while it runs."""
STEPS = 5
"""How many steps the episode has done before it is shown."""
CROSS_MOVES = 30
"""How often a key moves the cross down, from the middle of the screen to a button at its end."""
PATIENCE_MS = 240_000


def take_episode(browser: Browser) -> list[Path]:
    """Write a picture of an episode that runs, and one of it after a person has taken it over; return their paths."""
    expect.set_options(timeout=PATIENCE_MS)
    with (
        tempfile.TemporaryDirectory() as folder,
        run_real_service(Path(folder), 1) as service,
        browser.new_context(viewport={"width": 1400, "height": 860}, reduced_motion="reduce") as context,
    ):
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.goto(f"{service.url}/#token={service.token}")
        expect(page.locator(".tile")).to_have_count(1)
        service.ask("/batches", {"name": "shop checkout", "tasks": [{"id": "laptop", "goal": GOAL}]})
        page.locator(".tile", has_text=GOAL).click()
        page.get_by_role("link", name="Watch it live").click()
        expect(page.locator(".controls-count")).to_contain_text(re.compile(f"Step {STEPS}"))
        expect(page.locator(".live-stage").first).to_be_visible()
        page.keyboard.press("ArrowLeft")  # the newest step may have no more than a screen
        expect(page.locator(".strip-shown .strip-letter")).to_be_visible()
        paths = [_shoot(page, "episode")]
        page.get_by_role("button", name="Take over").click()
        expect(page.get_by_role("application")).to_have_attribute("aria-busy", "false")
        page.get_by_role("application").focus()
        for _ in range(CROSS_MOVES):
            page.keyboard.press("ArrowDown")
        return [*paths, _shoot(page, "takeover")]


def _shoot(page: Page, name: str) -> Path:
    _wait_for_pictures(page)
    path = HERE / f"console-{name}.png"
    page.screenshot(path=path)
    return path


MISTAKE = "tasks:\n  - id: dark\n    goal: Turn on dark mode.\n  - id: no\n    goal: Set an alarm for 6:30.\n"
PICTURES = (
    Picture("fleet", "/fleet?group=lab", shows=".tile"),
    Picture("fleet-dark", "/fleet?size=s", scheme="dark", shows=".tile"),
    Picture("phone", "/phones/10.0.0.8%3A5555?tab=health", size=(1400, 800), shows=".handset-strip rect"),
    Picture("work", "/work", shows=".batch"),
    Picture("batch", "/batches/b13", shows="[role=row] a"),
    Picture("submit", "/work/submit?as=yaml", size=(1400, 480), text=MISTAKE),
    Picture("schedules", "/work/schedules", size=(1400, 420), shows=".schedule"),
    Picture("attention", "/attention", shows=".cause"),
    Picture("health", "/health", scheme="dark", shows=".plot path"),
    Picture("narrow", "/fleet", size=(390, 844), shows=".tile"),
)


def take_pages(browser: Browser) -> list[Path]:
    """Write the pictures of the canned service; return their paths."""
    command = [PYTHON, "-m", "tests.web.canned_service", PHONES]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        try:
            service = process.stdout.readline().strip()
            return [picture.take(browser, service) for picture in PICTURES]
        finally:
            process.kill()


def main(chromium: str) -> None:
    """Start the browser, and write all pictures."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--disable-gpu", "--no-sandbox"])
        paths = [*take_pages(browser), *take_episode(browser)]
        browser.close()
    subprocess.run([PYTHON, "-c", REDUCE, *paths], check=True)


if __name__ == "__main__":
    main(sys.argv[1])
