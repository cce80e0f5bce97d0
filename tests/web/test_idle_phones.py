"""Phones without a task: they show their screens when asked, and people take them over, name and select them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Request, expect

from tests.web.conftest import canned_service
from tests.web.console_page import ConsolePage
from tests.web.test_console_behaviour import show_wall

IDLE = {"serial": "10.9.9.1:5555", "phase": "free", "labels": {"name": "desk 3", "model": "Pixel 8"}}
PLACE = "/phones/10.9.9.1%3A5555"


@pytest.fixture
def service() -> Iterator[str]:
    """A service that a test may change; its URL."""
    yield from canned_service("3")


def asked_pictures(page: Page) -> list[str]:
    """Return the addresses of pictures that the page asks for from now on."""
    asked: list[str] = []

    def keep(request: Request) -> None:
        if "/picture?" in request.url:
            asked.append(request.url)

    page.on("request", keep)
    return asked


def test_an_idle_phone_shows_its_screen_when_it_is_asked_for(service: str, console: ConsolePage) -> None:
    page = console.page
    asked = asked_pictures(page)
    show_wall(page, [IDLE])
    console.go(service, PLACE)
    expect(page.get_by_text("No screen yet")).to_be_visible()
    assert asked == []
    page.get_by_role("button", name="Show it live").click()
    picture = page.get_by_role("img", name="The screen of 10.9.9.1:5555 now")
    expect(picture).to_have_attribute("src", re.compile(r"number=[1-9]\d*$"))  # it is asked again and again
    assert asked[0].endswith("number=0")
    assert console.find_violations() == []
    page.get_by_role("button", name="Show it live").click()
    expect(picture).to_have_count(0)


def test_a_phone_without_a_task_is_taken_over(service: str, console: ConsolePage) -> None:
    page = console.page
    show_wall(page, [IDLE])
    console.go(service, PLACE)
    page.get_by_role("button", name="Take over").click()
    screen = page.get_by_role("application")
    expect(screen).to_have_attribute("aria-busy", "false")
    page.get_by_role("button", name="Home", exact=True).click()
    expect(screen.locator("img")).to_have_attribute("src", re.compile(f"{2:032x}$"))


def test_whoever_leaves_the_page_waits_for_the_phone_no_more(service: str, console: ConsolePage) -> None:
    page = console.page
    show_wall(page, [IDLE])
    page.route(re.compile(r"/api/v1/tasks/"), lambda route: route.fulfill(json={"phase": "waiting"}))
    console.go(service, PLACE)
    page.get_by_role("button", name="Take over").click()
    expect(page.get_by_role("button", name="Waiting for the phone")).to_be_visible()
    with page.expect_request(re.compile(r"/api/v1/tasks/b\d+\.[^/]*:cancel$")) as cancelled:
        page.get_by_role("navigation").get_by_role("link", name="Fleet").first.click()
    assert cancelled.value.method == "POST"
    expect(page).to_have_url(re.compile("/fleet"))


def test_whoever_closes_the_page_waits_for_the_phone_no_more(service: str, console: ConsolePage) -> None:
    page = console.page
    show_wall(page, [{**IDLE, "serial": "10.9.9.8:5555"}])
    console.go(service, "/phones/10.9.9.8%3A5555")
    with page.expect_response(re.compile(":take-over$")) as answer:
        page.get_by_role("button", name="Take over").click()
    task = f"{service}/api/v1/tasks/{answer.value.json()['id']}"
    expect(page.get_by_role("button", name="Waiting for the phone")).to_be_visible()
    assert page.request.get(task).json()["phase"] == "waiting"
    page.unroute_all()  # what a test answers is lost when a page is closed
    page.goto("about:blank")
    page.goto(f"{service}/api/v1/status")
    page.evaluate(
        """async task => {
          while ((await (await fetch(task)).json()).phase !== "ended") await new Promise(done => setTimeout(done, 20));
        }""",
        task,
    )


def test_a_phones_name_stands_on_its_tile_and_its_page(service: str, console: ConsolePage) -> None:
    page = console.page
    show_wall(page, [IDLE, {"serial": "10.9.9.2:5555", "phase": "free"}])
    for size in "sml":
        console.go(service, f"/fleet?size={size}")
        expect(page.locator(".tile").first).to_contain_text("desk 3")
        expect(page.locator(".tile").last).to_contain_text("9.9.2:5555")
    page.get_by_label("Search phones").fill("desk")
    expect(page.locator(".tile")).to_have_count(1)
    page.locator(".tile").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("desk 3")
    expect(page.locator(".handset-about")).to_contain_text("10.9.9.1:5555")


def test_whoever_operates_names_a_phone_and_its_other_labels_stay(service: str, console: ConsolePage) -> None:
    page = console.page
    phone = {**IDLE, "own_labels": {"name": "desk 3", "lab": "north"}}
    named = {**phone, "labels": {"name": "desk 4", "model": "Pixel 8"}}
    show_wall(page, [phone])
    page.route(re.compile(r"/phones/[^/]*:labels$"), lambda route: route.fulfill(json=named))
    console.go(service, PLACE)
    page.get_by_role("button", name="Name", exact=True).click()
    field = page.get_by_label("Name of the phone")
    expect(field).to_have_value("desk 3")
    field.fill("desk 4")
    assert console.find_violations() == []
    with page.expect_request(re.compile(r"/phones/10.9.9.1%3A5555:labels$")) as request:
        field.press("Enter")
    assert request.value.post_data_json == {"labels": {"lab": "north", "name": "desk 4"}}
    expect(page.get_by_role("heading", level=1)).to_have_text("desk 4")


def test_free_phones_of_the_wall_show_their_screens_when_asked(service: str, console: ConsolePage) -> None:
    page = console.page
    asked = asked_pictures(page)
    show_wall(page, [IDLE, {"serial": "10.9.9.2:5555", "phase": "away"}])
    console.go(service, "/fleet")
    expect(page.locator(".tile")).to_have_count(2)
    assert asked == []
    page.get_by_role("button", name="Free screens").click()
    expect(page.locator(".tile img")).to_have_count(1)
    expect(page).to_have_url(re.compile("idle=1"))
    assert all("10.9.9.1" in url for url in asked)


def test_several_phones_are_set_aside_at_once(service: str, console: ConsolePage) -> None:
    page = console.page
    changed: list[str] = []
    show_wall(page, [{**IDLE, "serial": f"10.9.9.{last}:5555"} for last in (1, 2, 3)])

    def keep(request: Request) -> None:
        if request.method == "POST":
            changed.append(f"{request.url.rpartition('/')[2]} {request.post_data}")

    page.on("request", keep)
    page.route(
        re.compile(r"/phones/[^/]*:aside$"),
        lambda route: route.fulfill(
            json={"serial": "10.9.9." + route.request.url.partition("10.9.9.")[2][0] + ":5555", "phase": "aside"}
        ),
    )
    console.go(service, "/fleet")
    page.get_by_role("button", name="Select", exact=True).click()
    page.locator(".tile").nth(0).click()
    page.locator(".tile").nth(2).click()
    expect(page.get_by_text("2 phones selected")).to_be_visible()
    expect(page.get_by_role("button", name="Set aside", exact=True).last).to_be_disabled()
    page.get_by_label("Why they are set aside").fill("new screens")
    assert console.find_violations() == []
    page.get_by_label("Why they are set aside").press("Enter")
    expect(page.get_by_text("2 phones set aside.")).to_be_visible()
    assert [one.split(":5555:")[0] if ":5555:" in one else one.split("%3A")[0] for one in changed] == [
        "10.9.9.1",
        "10.9.9.3",
    ]
    assert all("new screens" in one for one in changed)
