"""A person acts on the picture of a phone: in order, on the screen that is drawn, and without losing what was typed."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Request, Route, expect

from tests.web.conftest import canned_service
from tests.web.console_page import ConsolePage

EPISODE, REFUSED = "b1.t1-1-000000000001", "refuse me"
"""The episode of ``canned_takeover``, and the text that its phone does not type."""


@pytest.fixture
def service() -> Iterator[str]:
    """A service whose episode is taken over; its URL."""
    yield from canned_service("2")


@pytest.fixture
def sent(service: str, console: ConsolePage) -> list[dict[str, Any]]:
    """Open the episode's page; what the page sends to the phone from now on."""
    asked: list[dict[str, Any]] = []

    def keep(request: Request) -> None:
        if request.method == "POST" and request.url.endswith("/actions"):
            asked.append(request.post_data_json)

    console.page.on("request", keep)
    console.page.goto(f"{service}/#/episodes/{EPISODE}")
    expect(screen_of(console.page)).to_have_attribute("aria-busy", "false")
    return asked


def screen_of(page: Page) -> Locator:
    """Return the picture that a person touches."""
    return page.get_by_role("application")


def names(sent: list[dict[str, Any]]) -> list[str]:
    """Return the names of actions, or their text."""
    return [one["action"].get("text", one["action"]["name"]) for one in sent]


def test_a_key_after_typed_text_is_sent_after_it(sent: list[dict[str, Any]], console: ConsolePage) -> None:
    page = console.page
    screen_of(page).focus()
    page.keyboard.type("hello")
    page.get_by_role("button", name="Home", exact=True).click()
    expect(screen_of(page).locator("img")).to_have_attribute("src", f"/api/v1/episodes/{EPISODE}/screens/{3:032x}")
    assert names(sent) == ["hello", "Home"]
    assert [int(one["screen"], 16) for one in sent] == [1, 2]


def test_a_touch_after_typed_text_waits_for_the_screen_with_the_text(
    sent: list[dict[str, Any]], console: ConsolePage
) -> None:
    page = console.page
    screen_of(page).focus()
    page.keyboard.type("hello")
    screen_of(page).click(position={"x": 100, "y": 300})
    expect(page.get_by_text("The text was sent first")).to_be_visible()
    assert names(sent) == ["hello"]
    expect(screen_of(page)).to_have_attribute("aria-busy", "false")
    screen_of(page).click(position={"x": 100, "y": 300})
    expect(page.get_by_text("The text was sent first")).to_have_count(0)
    assert names(sent) == ["hello", "Tap"]


def test_typed_text_is_sent_when_the_person_turns_away(sent: list[dict[str, Any]], console: ConsolePage) -> None:
    page = console.page
    page.clock.install()
    page.clock.pause_at("2100-01-01")  # No pause in typing ends from now on.
    screen_of(page).focus()
    page.keyboard.type("hello")
    expect(page.locator(".phone-typed")).to_have_text("hello")
    page.get_by_role("button", name="Stop").focus()
    expect(page.locator(".phone-typed")).to_have_count(0)
    assert names(sent) == ["hello"]


def test_a_text_that_was_refused_is_kept(sent: list[dict[str, Any]], console: ConsolePage) -> None:
    page = console.page
    screen_of(page).focus()
    page.keyboard.type(REFUSED)
    page.get_by_role("button", name="Back", exact=True).click()
    expect(page.get_by_text("The text did not come to the phone.")).to_be_visible()
    expect(page.locator(".phone-typed")).to_have_text(REFUSED)
    expect(page.locator(".phone-problem")).to_have_text("Type: refused: no field has the focus")
    assert names(sent) == [REFUSED]
    screen_of(page).press("Backspace")
    screen_of(page).press("Enter")
    expect(page.locator(".phone-typed")).to_have_count(0)
    assert names(sent) == [REFUSED, REFUSED[:-1]]


def test_a_picture_that_is_not_drawn_yet_takes_no_touch(sent: list[dict[str, Any]], console: ConsolePage) -> None:
    page = console.page
    held: list[Route] = []
    page.route(f"**/screens/{2:032x}", lambda route: held.append(route))
    page.get_by_role("button", name="Home", exact=True).click()
    expect(page.get_by_text("The new screen is on its way…")).to_be_visible()
    expect(page.get_by_role("button", name="Hand back")).to_be_enabled()
    expect(page.get_by_role("button", name="Back", exact=True)).to_be_disabled()
    screen_of(page).click(position={"x": 100, "y": 300}, force=True)
    assert names(sent) == ["Home"]
    held[0].continue_()
    expect(screen_of(page)).to_have_attribute("aria-busy", "false")
    screen_of(page).click(position={"x": 100, "y": 300})
    expect(screen_of(page).locator("img")).to_have_attribute("src", f"/api/v1/episodes/{EPISODE}/screens/{3:032x}")
    assert [int(one["screen"], 16) for one in sent] == [1, 2]


def test_a_result_is_no_problem(sent: list[dict[str, Any]], console: ConsolePage) -> None:
    page = console.page
    page.get_by_role("button", name="Hand back").click()
    page.get_by_role("button", name="Take over").click()
    expect(page.locator(".phone-result")).to_have_text("You have the phone. Tap, swipe and type on the picture.")
    expect(page.locator(".phone-problem")).to_have_count(0)
    assert sent == []


def test_a_page_without_random_uuids_acts_and_submits(service: str, console: ConsolePage) -> None:
    page = console.page
    page.add_init_script("delete Crypto.prototype.randomUUID")
    page.goto(f"{service}/#/episodes/{EPISODE}")
    expect(screen_of(page)).to_have_attribute("aria-busy", "false")
    page.get_by_role("button", name="Home", exact=True).click()
    expect(screen_of(page).locator("img")).to_have_attribute("src", f"/api/v1/episodes/{EPISODE}/screens/{2:032x}")
    page.goto(f"{service}/#/work/submit")
    expect(page.get_by_label("Goals, one a line")).to_be_visible()


def test_an_address_with_a_broken_token_opens_the_console(service: str, console: ConsolePage) -> None:
    console.page.goto(f"{service}/#token=%")
    expect(console.page.locator("main h1").first).to_be_attached()


def test_a_phone_that_a_person_has_is_not_said_to_run(sent: list[dict[str, Any]], console: ConsolePage) -> None:
    page = console.page
    expect(page.locator(".film-title")).to_contain_text("taken over by you")
    now = page.get_by_role("region", name="Now")
    expect(now).to_contain_text("You have the phone for")
    expect(now).to_contain_text("Without another action, the agent gets it back in")
    expect(page.get_by_role("region", name="Action")).to_contain_text("You have the phone")
    page.get_by_role("button", name="Hand back").click()
    expect(page.locator(".film-title")).to_contain_text("running")
    expect(page.get_by_role("region", name="Action")).to_contain_text("The step is under way")
    assert sent == []


def test_the_phone_that_a_person_has_is_the_largest_thing_on_the_page(
    sent: list[dict[str, Any]], console: ConsolePage
) -> None:
    page = console.page
    page.set_viewport_size({"width": 1280, "height": 720})
    expect(page.locator(".film-taken")).to_be_visible()
    page.wait_for_function("document.querySelector('.phone-screen').getBoundingClientRect().height > 480")
    box = screen_of(page).bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 720
    assert box["width"] > 216
    areas = page.locator(".film-taken .panel, .film-taken .badge, .phone-buttons, .film-taken .button").evaluate_all(
        "all => all.filter(one => one.getBoundingClientRect().top < innerHeight)"
        ".map(one => one.offsetWidth * Math.min(one.offsetHeight, innerHeight - one.getBoundingClientRect().top))"
    )
    assert max(areas) < box["width"] * box["height"]
    expect(page.get_by_role("button", name="Home", exact=True)).to_be_in_viewport()
    expect(page.get_by_label("Text to type on the phone")).to_be_in_viewport()
    assert console.overflow() <= 0
    assert sent == []


@pytest.mark.parametrize(("keyboard", "count"), [("hidden", 1), ("shown", 0)])
def test_typing_without_a_field_says_so(service: str, console: ConsolePage, keyboard: str, count: int) -> None:
    page = console.page
    page.route("**/control", lambda route: route.fulfill(json=route.fetch().json() | {"keyboard": keyboard}))
    page.goto(f"{service}/#/episodes/{EPISODE}")
    expect(screen_of(page)).to_have_attribute("aria-busy", "false")
    page.clock.install()
    page.clock.pause_at("2100-01-01")  # No pause in typing ends from now on.
    screen_of(page).focus()
    page.keyboard.type("hello")
    expect(page.locator(".phone-typed")).to_have_text("hello")
    expect(page.get_by_text("No field has the focus")).to_have_count(count)


@pytest.mark.parametrize(("keyboard", "count"), [("hidden", 1), ("shown", 0)])
def test_a_text_of_the_box_without_a_field_says_so(
    service: str, console: ConsolePage, keyboard: str, count: int
) -> None:
    page = console.page
    page.route("**/control", lambda route: route.fulfill(json=route.fetch().json() | {"keyboard": keyboard}))
    page.goto(f"{service}/#/episodes/{EPISODE}")
    expect(screen_of(page)).to_have_attribute("aria-busy", "false")
    box = page.get_by_label("Text to type on the phone")
    box.fill("hello")
    expect(page.get_by_role("button", name="Type", exact=True)).to_be_enabled()
    expect(page.get_by_text("No field has the focus")).to_have_count(count)
    page.get_by_role("button", name="Type", exact=True).click()
    expect(box).to_have_value("")
    expect(page.get_by_text("No field had the focus: the text went nowhere")).to_have_count(count)
    page.get_by_role("button", name="Home", exact=True).click()
    expect(page.get_by_text("No field had the focus")).to_have_count(0)


def test_a_phone_that_is_taken_without_an_episode_speaks_of_no_agent(service: str, console: ConsolePage) -> None:
    page = console.page

    def answer(route: Route) -> None:
        soon = {} if route.request.method == "POST" else {"ends_at": time.time() + 60}
        route.fulfill(json=route.fetch().json() | {"is_by_hand": True} | soon)

    page.route(re.compile("/control$|:hand-back$"), answer)
    page.goto(f"{service}/#/episodes/{EPISODE}")
    expect(page.locator(".taken-end")).to_contain_text("Without another action, the phone is free again in")
    expect(page.get_by_role("region", name="Now")).to_contain_text("Without another action, it is free again in")
    expect(page.locator("main")).not_to_contain_text(re.compile("agent", re.IGNORECASE))
    page.get_by_role("button", name="Hand back").click()
    expect(page.get_by_text("Handed back. The phone is free again.")).to_be_visible()


def test_a_paused_episode_is_not_said_to_run(service: str, console: ConsolePage) -> None:
    page = console.page

    def answer(route: Route) -> None:
        route.fulfill(json=route.fetch().json() | {"phase": "paused", "by": "kim", "ends_at": None})

    page.route("**/control", answer)
    page.goto(f"{service}/#/episodes/{EPISODE}")
    expect(page.locator(".film-title")).to_contain_text("paused by kim")
    expect(page.locator(".film-title")).not_to_contain_text("running")
    expect(page.get_by_role("region", name="Now")).to_contain_text("kim has paused the episode for")
    expect(page.get_by_role("button", name="Resume")).to_be_visible()


def test_a_key_that_leads_nowhere_says_why(sent: list[dict[str, Any]], console: ConsolePage) -> None:
    page = console.page
    page.keyboard.press("f")
    expect(page.get_by_role("status").filter(has_text="It has not failed so far.")).to_be_visible()
    page.keyboard.press("g")
    expect(page.get_by_role("status").filter(has_text="No action before was as expected.")).to_be_visible()
    assert sent == []


def test_a_film_that_was_followed_to_its_end_stays_at_the_last_step(service: str, console: ConsolePage) -> None:
    page = console.page
    over: dict[str, object] = {}

    def answer(route: Route) -> None:
        report = route.fetch(headers={}).json()
        report["steps"] = [report["steps"][0] | {"step": step} for step in range(3)]
        route.fulfill(json=report | {"episode": report["episode"] | over})

    page.route("**/report?*", answer)
    page.goto(f"{service}/#/episodes/{EPISODE}")
    expect(page.locator("[aria-current=step]")).to_contain_text("Step 2")
    over |= {"ending": "finished", "ended_at": 1.0, "verified": True}
    expect(page.locator(".film-head")).to_contain_text("done")
    expect(page.locator("[aria-current=step]")).to_contain_text("Step 2")
    page.reload()
    expect(page.locator("[aria-current=step]")).to_contain_text("Step 0")
