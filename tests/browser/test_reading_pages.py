"""Pages to read in a real browser: their labels are the texts of the page, line by line and word by word."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import sync_playwright

from training.reading import pages
from training.reading.kinds import KINDS

COLLECT = (Path(pages.__file__).parent / "collect.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ["CHROMIUM"])
        yield browser.new_page(viewport={"width": 412, "height": 9000})
        browser.close()


@pytest.mark.parametrize("number", range(2 * len(KINDS)))
def test_lines_and_words_are_those_of_the_page(tab: Tab, number: int) -> None:
    made = pages.page("develop", 7, number)
    tab.set_content(made.document)
    lines: list[dict[str, Any]] = tab.evaluate(COLLECT)
    said = tab.evaluate("() => [...document.querySelectorAll('[data-label]')].map((e) => e.textContent).join('')")
    read = "".join(line["text"] for line in lines)
    # A hyphen stands at the end of a line where the browser has broken a word.
    assert squeezed(read).replace("-", "") == squeezed(said).replace("-", "")
    assert [line["order"] for line in lines] == list(range(len(lines)))
    for line in lines:
        left, top, right, bottom = line["box"]
        assert squeezed(line["text"]) == squeezed("".join(word["text"] for word in line["words"]))
        for before, word in zip([None, *line["words"]], line["words"], strict=False):
            x1, y1, x2, y2 = word["box"]
            assert left - 0.01 <= x1 < x2 <= right + 0.01
            assert top - 0.01 <= y1 < y2 <= bottom + 0.01
            assert before is None or before["box"][2] <= x1 + 0.1, "words of a line stand from left to right"


def test_justified_lines_end_at_one_side(tab: Tab) -> None:
    number = list(KINDS).index("article")
    tab.set_content(pages.page("develop", 7, number).document)
    lines: list[dict[str, Any]] = tab.evaluate(COLLECT)
    sides = [round(line["box"][2]) for line in lines[3:]]
    assert max(map(sides.count, sides)) > len(sides) / 2


def squeezed(text: str) -> str:
    return re.sub(r"\s", "", text)
