"""A link that signs somebody in: it asks before it takes the place of another person's session."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.web.conftest import canned_service
from tests.web.console_page import ConsolePage


@pytest.fixture
def service() -> Iterator[str]:
    """A service on which anna is signed in, and on which a token is its owner's name; its URL."""
    yield from canned_service("2")


def open_link(page: Page, service: str, owner: str) -> None:
    page.goto("about:blank")
    page.goto(f"{service}/#token={owner}")


def test_a_link_of_somebody_else_asks_first(service: str, console: ConsolePage) -> None:
    page = console.page
    open_link(page, service, "ben")
    expect(page.get_by_text("You are signed in as anna")).to_contain_text("signs in ben")
    assert "ben" not in page.url
    assert console.find_violations() == []
    page.get_by_role("button", name="Stay signed in as anna").click()
    expect(page.get_by_role("button", name="Signed in as anna")).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="Signed in as anna")).to_be_visible()
    open_link(page, service, "ben")
    page.get_by_role("button", name="Sign in as ben").click()
    expect(page.get_by_role("button", name="Signed in as ben")).to_be_visible()


def test_a_link_that_is_pasted_into_an_open_page_counts(service: str, console: ConsolePage) -> None:
    page = console.page
    console.go(service, "/work")
    expect(page.get_by_role("button", name="Signed in as anna")).to_be_visible()
    page.goto(f"{service}/#token=ben")
    expect(page.get_by_text("You are signed in as anna")).to_contain_text("signs in ben")
    assert "ben" not in page.url
    page.get_by_role("button", name="Sign in as ben").click()
    expect(page.get_by_role("button", name="Signed in as ben")).to_be_visible()
    page.go_back()
    assert "ben" not in page.url


def test_a_link_of_the_same_person_asks_nothing(service: str, console: ConsolePage) -> None:
    open_link(console.page, service, "anna")
    expect(console.page.get_by_role("button", name="Signed in as anna")).to_be_visible()
