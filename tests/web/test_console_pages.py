"""Every page of the console: nothing that people with other senses or small screens stumble over."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.web.console_page import SCHEMES, WIDTHS, ConsolePage

PLACES = {
    "fleet": "/fleet",
    "small": "/fleet?size=s&group=lab",
    "large": "/fleet?size=l&phase=aside",
    "nothing": "/fleet?q=nowhere",
    "phone": "/phones/10.0.0.8%3A5555",
    "phone log": "/phones/10.0.0.8%3A5555?tab=log",
    "phone health": "/phones/10.0.0.8%3A5555?tab=health",
    "work": "/work",
    "batch": "/batches/b13?events=1",
    "task": "/tasks/b10.t1",
    "submit": "/work/submit",
    "schedules": "/work/schedules",
    "new schedule": "/work/schedules/new",
    "attention": "/attention",
    "health": "/health",
    "no such page": "/nowhere",
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES.keys())
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_no_violation_and_nothing_beside_the_window(
    chromium: Browser, canned: str, width: int, scheme: str, place: str
) -> None:
    with ConsolePage.open(chromium, width, scheme) as console:
        console.go(canned, place)
        expect(console.page.locator(".navigation-count-bad")).to_have_text("13 need a person")
        assert console.find_violations() == []
        assert console.overflow() <= 0
    assert console.complaints == []
