"""Boxes of words against pixels: what changes when a word is not painted is what its box has to enclose.

Needs Chromium and the npm packages: make test-reading-screens, which names the Chromium in the environment. Where none
is named and something is missing, these tests are skipped.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="make test-reading-screens has Playwright")
NAMED = os.environ.get("CHROMIUM")
CHROMIUM = Path(NAMED or "/usr/bin/chromium")

from training.screens.reading.labels import label  # noqa: E402
from training.screens.reading.pages import KINDS, Pages  # noqa: E402
from training.screens.reading.parts import MODULES, part, parts  # noqa: E402
from training.screens.reading.render import Browser, differing  # noqa: E402

pytestmark = pytest.mark.skipif(
    not NAMED and not (CHROMIUM.exists() and MODULES.is_dir()),
    reason=f"needs {CHROMIUM} and the npm packages: make test-reading-screens",
)
SEED = 77
CHECKED = 6
"""Words of each page whose pixels are asked for."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with playwright.sync_playwright() as running:
        browser = Browser(running, str(CHROMIUM))
        yield browser
        browser.close()


@pytest.mark.parametrize("name", list(parts()))
def test_boxes_of_words_enclose_their_pixels(browser: Browser, name: str) -> None:
    pages = Pages(part(name), SEED)
    far = []
    for number in (KINDS.index("article"), KINDS.index("links"), KINDS.index("dates"), KINDS.index("places")):
        page = pages.page(number)
        shot = browser.shoot(page)
        rows = {text["order"]: text for text in label(page, shot, "a.png")["texts"] if not text.get("minor")}
        for order in sorted(rows)[:: max(1, len(rows) // CHECKED)]:
            found, row = shot.found["texts"][order], rows[order]
            at = order % len(row["words"])
            word = found["words"][at]
            browser.show(page)
            browser.hide_word(found["label"], word["start"], word["end"])
            painted = np.nonzero(differing(shot.picture, browser.picture()))
            assert len(painted[0]), (page.kind, word["text"])
            ink = [painted[1].min(), painted[0].min(), painted[1].max() + 1, painted[0].max() + 1]
            far.append(max(abs(int(a) - b) for a, b in zip(ink, row["words"][at]["box"], strict=True)))
    assert len(far) >= 4 * CHECKED
    assert np.mean(np.array(far) <= 3) >= 0.95, sorted(far)


@pytest.mark.parametrize("name", list(parts()))
def test_every_kind_comes_to_life_the_same_each_time(browser: Browser, name: str) -> None:
    pages = Pages(part(name), SEED)
    for number, kind in enumerate(KINDS):
        page = pages.page(number)
        assert (page.kind, page) == (kind, pages.page(number))
        image = label(page, browser.shoot(page), "a.png")
        assert abs(image["width"] - page.phone.width * page.phone.density) <= 1
        assert len(image["texts"]) > 5, kind
        for text in image["texts"]:
            letters = "".join(word["text"] for word in text["words"])
            assert letters == text["text"].replace(" ", ""), kind
    first, again = browser.shoot(pages.page(0)), browser.shoot(pages.page(0))
    assert first.picture == again.picture
    assert first.found == again.found


def test_long_words_are_divided_where_a_line_ends(browser: Browser) -> None:
    pages = Pages(part("develop"), SEED)
    articles = [page for page in map(pages.page, range(0, 12 * len(KINDS), len(KINDS))) if page.language == "en"]
    lines = [text["text"] for page in articles[:4] for text in label(page, browser.shoot(page), "a.png")["texts"]]
    assert any(line.endswith("-") for line in lines)
