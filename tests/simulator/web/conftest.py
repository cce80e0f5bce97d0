"""A real Chromium for web phones. Without it, or without Playwright, these tests are not run: make test-web-phones."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from manyhands.simulator.web.access import PageAccess

if TYPE_CHECKING:
    from manyhands.simulator.web.browser import WebBrowser

PAGES = Path(__file__).parent / "pages"
CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))


@pytest.fixture
async def browser() -> AsyncIterator[WebBrowser]:
    """A browser whose pages load from ``pages`` alone."""
    pytest.importorskip("playwright", reason="needs Playwright: make test-web-phones")
    if "CHROMIUM" not in os.environ and not CHROMIUM.exists():
        pytest.skip(f"needs {CHROMIUM}: make test-web-phones")
    from manyhands.simulator.web.browser import WebBrowser

    async with WebBrowser(PageAccess((PAGES,))) as browser:
        yield browser
