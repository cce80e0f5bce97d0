"""Two runs beside each other, and a report of one file: the list, a task step by step, both films."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.web.console_page import SCHEMES, WIDTHS
from tests.web.report_page import ReportPage, address_of
from tests.web.test_run_page import run_python

PLACES = {
    "list": "/",
    "one kind of change": "/?change=same&q=dark",
    "task": "/tasks/hostile?step=3",
    "nothing": "/tasks/x",
}


@pytest.fixture(scope="session")
def difference(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The pages of two equal runs; their address."""
    folder = tmp_path_factory.mktemp("difference")
    for name in ("monday", "tuesday"):
        run_python("tests.evaluation.judged_run", folder / name)
    run_python("manyhands", "diff", folder / "monday", folder / "tuesday", "--html", folder / "pages")
    return address_of(folder / "pages")


@pytest.fixture
def report(chromium: Browser) -> Iterator[ReportPage]:
    """A page of a browser of its own, which must not complain of anything."""
    with ReportPage.open(chromium) as page:
        page.may_ask_beside = True  # the pictures are in the run folders
        yield page
    assert page.complaints == []


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES.keys())
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_no_violation_and_nothing_beside_the_window(
    chromium: Browser, difference: str, width: int, scheme: str, place: str
) -> None:
    with ReportPage.open(chromium, width, scheme) as report:
        report.may_ask_beside = True
        report.go(difference, place)
        expect(report.page.locator("main")).to_be_visible()
        assert report.find_violations() == []
        assert report.overflow() <= 0
    assert report.complaints == []


def test_a_key_that_comes_before_the_steps_does_not_lose_the_place(report: ReportPage, difference: str) -> None:
    report.press_at_first_sight(".pair-goal", "ArrowRight")
    report.go(difference, "/tasks/hostile?step=2")
    expect(report.page.locator("[aria-current=step]")).to_have_attribute("aria-label", re.compile("^Step 2: "))
    assert "step=2" in report.place


def test_a_task_is_stepped_through_by_keys(report: ReportPage, difference: str) -> None:
    page = report.page
    report.go(difference)
    expect(page.locator("main h1")).to_contain_text("monday")
    page.get_by_role("link", name=re.compile("Turn on dark mode")).first.click()
    expect(page.locator("[aria-current=step]")).to_be_visible()
    for key in ("Home", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    expect(page.locator("[aria-current=step]")).to_have_attribute(
        "aria-label", re.compile("^Step 2: before as expected")
    )
    assert "step=2" in report.place
    before, after = page.get_by_role("region", name="Before"), page.get_by_role("region", name="After")
    for side in (before, after):
        expect(side).to_contain_text("Tap (12, 20)")
        assert side.locator("img").evaluate("async image => { await image.decode(); return image.naturalWidth; }") == 54
    after.get_by_role("link", name="Film").click()
    expect(page.locator(".film")).to_be_visible()
    assert report.place.startswith("#/right/episodes/")
    page.get_by_role("navigation", name="Place").get_by_role("link").click()
    expect(page.get_by_role("table", name="Tasks of both runs")).to_be_visible()


def test_a_report_of_one_file_has_all_in_it(chromium: Browser, tmp_path: Path) -> None:
    run_python("tests.evaluation.judged_run", tmp_path / "run")
    alone = tmp_path / "alone"
    alone.mkdir()
    run_python("manyhands", "report", tmp_path / "run", "--one-file", alone / "report.html")
    with ReportPage.open(chromium) as report:
        report.go(address_of(alone))
        picture = report.page.locator(".task-picture").first
        assert picture.evaluate("async image => { await image.decode(); return image.naturalWidth; }") > 0
        report.page.locator(".row-link").first.click()
        expect(report.page.locator(".film")).to_be_visible()
    assert report.complaints == []
