"""Boxes against pixels: what changes when an icon is hidden is what its label has to enclose.

Needs Chromium and the npm packages: make test-icon-screens, which names the Chromium in the environment. Where none is
named and something is missing, these tests are skipped.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import count, islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

playwright = pytest.importorskip("playwright.sync_api", reason="make test-icon-screens has Playwright")
NAMED = os.environ.get("CHROMIUM")
CHROMIUM = Path(NAMED or "/usr/bin/chromium")

from training.screens import labels  # noqa: E402
from training.screens.browser import Browser  # noqa: E402
from training.screens.grammar import Grammar, Page  # noqa: E402
from training.screens.kits import MODULES, Materials  # noqa: E402

pytestmark = pytest.mark.skipif(
    not NAMED and not (CHROMIUM.exists() and MODULES.is_dir()),
    reason=f"needs {CHROMIUM} and the npm packages: make test-icon-screens",
)
FLAT = "<style>* { box-shadow: none !important; filter: none !important; text-shadow: none !important }</style>"
"""A shadow is painted, and is no part of its icon."""
HIDDEN = "<style>[data-icon] { visibility: hidden !important }</style>"
PAGES = 2
"""Pages of each kit."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with playwright.sync_playwright() as running:
        browser = Browser(running, str(CHROMIUM), "png")
        yield browser
        browser.close()


@pytest.fixture(scope="module", params=[False, True], ids=["training", "holdout"])
def pages(request: pytest.FixtureRequest) -> list[Page]:
    materials = Materials(request.param)
    grammar, kits = Grammar(41, materials), materials.kits
    pages: list[Page] = []
    for kit in kits:
        materials.kits = [kit]
        pages += islice((page for page in map(grammar.page, count()) if not page.full), PAGES)
    return pages


def pixels(picture: bytes) -> NDArray[np.int16]:
    return np.asarray(Image.open(io.BytesIO(picture)).convert("RGB"), np.int16)


def painted(difference: NDArray[np.bool_], box: list[int], around: int = 6) -> list[int] | None:
    """The extent of what differs in and just around ``box``."""
    x, y = max(box[0] - around, 0), max(box[1] - around, 0)
    rows, columns = np.nonzero(difference[y : box[3] + around, x : box[2] + around])
    if not len(rows):
        return None
    return [int(v) for v in (x + columns.min(), y + rows.min(), x + columns.max() + 1, y + rows.max() + 1)]


def whole_icons(image: dict[str, Any], page: Page) -> list[list[int]]:
    own = (page.kit.name, "keyboard")
    return [row["box"] for row in image["icons"] if not row.get("minor") and row["set"] not in own]


def test_boxes_enclose_what_is_painted(browser: Browser, pages: list[Page]) -> None:
    errors = []
    for page in pages:
        shot = browser.shoot(replace(page, before=page.before + FLAT))
        without = browser.shoot(replace(page, before=page.before + FLAT + HIDDEN))
        difference = np.abs(pixels(shot.picture) - pixels(without.picture)).max(2) > 8
        for box in whole_icons(labels.label(page, shot, "a.png"), page):
            ink = painted(difference, box)
            errors.append(99 if ink is None else max(abs(a - b) for a, b in zip(ink, box, strict=True)))
    assert len(errors) > 50
    assert np.mean(np.array(errors) <= 3) >= 0.97, sorted(errors)
    assert 99 not in errors


def test_every_kit_comes_to_life(browser: Browser, pages: list[Page]) -> None:
    for page in pages:
        shot = browser.shoot(page)
        image = labels.label(page, shot, "a.png")
        assert image["width"] == round(page.phone.width * page.phone.density)
        assert len(image["icons"]) + len(image["texts"]) > 5, page.kit.name


def test_the_same_page_is_the_same_picture(browser: Browser, pages: list[Page]) -> None:
    first, again = browser.shoot(pages[0]), browser.shoot(pages[0])
    assert np.array_equal(pixels(first.picture), pixels(again.picture))
    assert first.found == again.found
