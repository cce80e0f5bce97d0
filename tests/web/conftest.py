"""A real Chromium for the pages of ``web/``. Without it, or without Playwright, these tests are not run."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="needs Playwright: make test-web")
from playwright.sync_api import Browser, expect, sync_playwright

from tests.web.console_page import ROOT, WAIT_MS, ConsolePage

NAMED = os.environ.get("CHROMIUM")
CHROMIUM = Path(NAMED or "/usr/bin/chromium")
PYTHON = ROOT / ".venv" / "bin" / "python"


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    if not NAMED and not CHROMIUM.exists():
        pytest.skip(f"needs {CHROMIUM}: make test-web")
    with sync_playwright() as playwright:
        # A container's root has no sandbox; precise memory figures need a flag.
        options = ["--disable-gpu", "--no-sandbox", "--enable-precise-memory-info", "--js-flags=--expose-gc"]
        expect.set_options(timeout=WAIT_MS)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=options)
        yield browser
        browser.close()


def canned_service(*options: str) -> Iterator[str]:
    """Run a canned service; its URL."""
    command = [PYTHON, "-m", "tests.web.canned_service", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


@pytest.fixture(scope="session")
def canned() -> Iterator[str]:
    """A service with 200 phones; its URL."""
    yield from canned_service("200")


@pytest.fixture(scope="session")
def hostile() -> Iterator[str]:
    """A service whose phones, goals and reasons try to break pages; its URL."""
    yield from canned_service("60", "0", "hostile")


@pytest.fixture
def console(chromium: Browser) -> Iterator[ConsolePage]:
    """A page of a browser of its own, which must not complain of anything."""
    with ConsolePage.open(chromium) as page:
        yield page
    assert page.complaints == []
