"""What the console does: filters in the address, search by keys, hostile texts, a connection that drops, 200 phones."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.web.conftest import canned_service
from tests.web.console_page import WIDTHS, ConsolePage

MOST_TILES = 60
"""More tiles of medium size than this are never in the document, however many phones there are."""


BUSY = {"phase": "busy", "task": "b1.t1", "screen": "e" * 32, "thumbnail": "R0lGODlhAQABAAAAACw="}
"""A phone of the wall at work, with a picture of one pixel."""


def show_wall(page: Page, *looks: list[dict[str, object]]) -> None:
    """Let the wall's stream send the phones of these looks, and then end."""
    sent = "".join(
        f"data: {json.dumps({'at': number, 'is_whole': number == 0, 'phones': phones, 'gone': []})}\n\n"
        for number, phones in enumerate(looks)
    )
    page.route("**/api/v1/wall", lambda route: route.fulfill(body=sent, content_type="text/event-stream"))


@pytest.fixture
def own() -> Iterator[str]:
    """A service that a test may change; its URL."""
    yield from canned_service("12")


def test_filters_are_in_the_address_and_whoever_opens_it_sees_the_same(
    chromium: Browser, canned: str, console: ConsolePage
) -> None:
    page = console.page
    console.go(canned, "/fleet")
    page.get_by_role("button", name="Set aside").click()
    page.get_by_label("Search phones").fill("north")
    page.get_by_label("Group by").select_option("model")
    page.get_by_role("group", name="Size").get_by_role("button").last.click()
    expect(page.locator(".tile").first).to_be_visible()
    shown = page.locator(".tile-serial").all_inner_texts()
    assert shown
    assert "phase=aside" in page.url
    with ConsolePage.open(chromium) as other:
        other.page.goto(page.url)
        expect(other.page.locator(".tile-serial")).to_have_text(shown)
        expect(other.page.get_by_label("Search phones")).to_have_value("north")


def test_a_tile_keeps_its_picture_until_the_tasks_next_one_is_there(canned: str, console: ConsolePage) -> None:
    page = console.page
    same, other = ({**BUSY, "serial": f"10.9.9.{last}:5555"} for last in (1, 2))
    new = {"screen": "f" * 32, "thumbnail": None}
    show_wall(page, [same, other], [{**same, **new}, {**other, **new, "task": "b1.t2"}])
    console.go(canned, "/fleet")
    pictures = page.locator(".tile-screen img")
    expect(page.locator(".tile")).to_have_count(2)
    expect(pictures).to_have_count(1)
    expect(page.locator(".tile", has_text="10.9.9.1:").locator("img")).to_be_visible()


def test_a_step_has_the_same_number_on_the_wall_on_its_phones_page_and_in_lists(
    canned: str, console: ConsolePage
) -> None:
    page = console.page
    show_wall(page, [{**BUSY, "serial": "10.9.9.1:5555", "step": 0}])
    console.go(canned, "/fleet")
    expect(page.locator(".tile-foot")).to_contain_text("step 0")
    console.go(canned, "/phones/10.9.9.1%3A5555")
    expect(page.get_by_role("region", name="What it does now")).to_contain_text("step 0")
    console.go(canned, "/batches/b13?state=running")
    expect(page.locator(".task-reason").first).to_contain_text("step 4 ")


def test_a_tile_says_who_has_the_phone(canned: str, console: ConsolePage) -> None:
    page = console.page
    phones = [{**BUSY, "serial": f"10.9.9.{last}:5555", "stages": ["plan"]} for last in (1, 2)]
    show_wall(page, [phones[0], {**phones[1], "taken_over_by": "kim"}])
    console.go(canned, "/fleet?q=taken+over")
    expect(page.locator(".tile")).to_have_count(1)
    expect(page.locator(".tile")).to_contain_text("kim has the phone")


def test_a_fleet_without_work_leads_to_a_batch(canned: str, console: ConsolePage) -> None:
    page = console.page
    show_wall(page, [{"serial": "10.9.9.1:5555", "phase": "free"}])
    idle = {"running": 0, "waiting": 0}
    page.route("**/api/v1/status", lambda route: route.fulfill(json=route.fetch().json() | idle))
    console.go(canned, "/fleet")
    page.get_by_role("link", name="Submit a batch").click()
    expect(page.get_by_label("Goals, one a line")).to_be_visible()


def test_search_and_sections_by_keyboard(canned: str, console: ConsolePage) -> None:
    page = console.page
    console.go(canned, "/fleet")
    page.keyboard.press("2")
    expect(page.get_by_role("heading", name="Queue")).to_be_visible()
    page.keyboard.press("/")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.type("10.0.0.17:")
    expect(page.get_by_role("option", name="10.0.0.17:5555")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("10.0.0.17:5555")
    page.keyboard.press("/")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.go_back()
    expect(page.get_by_role("heading", name="Queue")).to_be_visible()


def test_search_finds_tasks_that_have_ended_and_old_batches(canned: str, console: ConsolePage) -> None:
    page = console.page
    console.go(canned, "/fleet")
    page.keyboard.press("/")
    page.get_by_role("combobox", name="Search phones, batches").fill("greeting to tom")
    ended = re.compile(r"b1[0-9]\.t[0-9]+ · (done|check failed|undecided|impossible|error|step limit|repeated)")
    expect(page.get_by_role("option", name="Send this greeting to Tom").first).to_contain_text(ended)
    page.get_by_role("combobox", name="Search phones, batches").fill("b1.t1")
    expect(
        page.get_by_role("option", name=re.compile(r"b1\.t1 · (done|check failed|undecided|impossible)"))
    ).to_be_visible()
    page.get_by_role("combobox", name="Search phones, batches").fill("shop checkout")
    expect(page.get_by_role("option", name=re.compile("b1 · "))).to_be_visible()


@pytest.mark.parametrize(("verified", "words"), [(False, "check failed"), (None, "undecided"), (True, "done")])
def test_search_says_what_became_of_a_task_as_its_badge_does(
    canned: str, console: ConsolePage, verified: bool | None, words: str
) -> None:
    page = console.page

    def answer(route: Route) -> None:
        (first, *_) = route.fetch().json()["items"]
        ended = {"phase": "ended", "ending": "finished", "verified": verified, "is_done": verified is True}
        route.fulfill(json={"items": [first | ended], "next_cursor": None})

    page.route("**/api/v1/tasks?*", answer)
    console.go(canned, "/fleet")
    page.keyboard.press("/")
    page.get_by_role("combobox", name="Search phones, batches").fill("greeting to tom")
    found = page.get_by_role("option", name=re.compile(r"b\d+\.t\d+ · "))
    expect(found).to_contain_text(re.compile(rf"· {words}$"))


def test_batches_that_are_not_loaded_are_found_too(canned: str, console: ConsolePage) -> None:
    page = console.page
    old = {"id": "b0", "name": "the first of all", "phase": "ended"}

    def answer(route: Route) -> None:
        items = route.fetch(url=f"{canned}/api/v1/batches").json()["items"]
        is_search, is_ended = "text=the+first" in route.request.url, "phase=ended" in route.request.url
        ended = [one for one in items if one["phase"] == "ended"] if is_ended else []
        route.fulfill(json={"items": [items[0] | old] if is_search else ended, "next_cursor": None})

    page.route("**/api/v1/batches?*", answer)
    console.go(canned, "/work")
    expect(page.get_by_role("link", name="the first of all")).to_have_count(0)
    page.get_by_label("Search batches").fill("the first")
    expect(page.get_by_role("link", name="the first of all")).to_be_visible()


def be(page: Page, owner: str, role: str) -> None:
    """Let somebody else be signed in."""
    page.route(
        "**/api/v1/session", lambda route: route.fulfill(json=route.fetch().json() | {"owner": owner, "role": role})
    )


@pytest.mark.parametrize(("role", "says"), [("read", "Your role is read"), ("submit", "belong to others")])
def test_what_a_person_may_not_change_is_not_offered(canned: str, console: ConsolePage, role: str, says: str) -> None:
    page = console.page
    be(page, "kim", role)

    def answer(route: Route) -> None:
        attention = route.fetch().json()
        causes = [cause | {"changeable": 0} for cause in attention["causes"]]
        route.fulfill(json=attention | {"causes": causes})

    def fail(route: Route) -> None:
        task = route.fetch().json()["items"][0]
        failed = {"phase": "ended", "ending": "error", "is_done": False, "reason": "why"}
        route.fulfill(json={"items": [task | failed], "next_cursor": None})

    page.route("**/api/v1/attention", answer)
    page.route("**/api/v1/phones/*/tasks?*", fail)
    console.go(canned, "/attention")
    expect(page.locator(".cause").first).to_contain_text(says)
    expect(page.get_by_role("button", name=re.compile("Retry|Dismiss"))).to_have_count(0)
    expect(page.get_by_role("button", name="Resume")).to_be_disabled()
    console.go(canned, "/phones/10.0.0.4%3A5555")
    expect(page.get_by_role("button", name="Retry b14.t0")).to_be_disabled()


def test_a_part_of_a_cause_is_retried_as_a_part(canned: str, console: ConsolePage) -> None:
    page = console.page
    be(page, "kim", "submit")

    def answer(route: Route) -> None:
        attention = route.fetch().json()
        route.fulfill(json=attention | {"causes": [attention["causes"][0] | {"changeable": 3}]})

    page.route("**/api/v1/attention", answer)
    console.go(canned, "/attention")
    expect(page.locator(".cause")).to_contain_text("17×")
    expect(page.get_by_role("button", name="Retry your 3")).to_be_enabled()
    expect(page.get_by_role("button", name="Dismiss your 3")).to_be_enabled()


def test_a_paused_episode_is_called_paused_everywhere(canned: str, console: ConsolePage) -> None:
    page = console.page
    phone, task = "10.9.9.1:5555", "b13.t3"
    held = {**BUSY, "serial": phone, "task": task, "is_paused": True, "held_by": "kim", "stages": ["plan"]}
    show_wall(page, [held])

    def answer(route: Route) -> None:
        first = route.fetch().json()["items"][0]
        running = {"id": task, "phone": phone, "phase": "running", "ending": None, "is_done": None}
        route.fulfill(json={"items": [first | running], "next_cursor": None})

    page.route("**/api/v1/tasks?*", answer)
    console.go(canned, "/fleet")
    expect(page.locator(".tile")).to_contain_text("paused by kim")
    expect(page.locator(".tile")).not_to_contain_text("plan")
    console.go(canned, "/batches/b13")
    expect(page.get_by_role("row").filter(has_text=task)).to_contain_text("paused")
    console.go(canned, f"/phones/{phone}")
    expect(page.get_by_role("region", name="What it does now")).to_contain_text("paused by kim")


def test_a_long_goal_is_seen_whole_and_its_number_stands_at_its_beginning(canned: str, console: ConsolePage) -> None:
    page = console.page
    console.go(canned, "/work/submit")
    field = page.get_by_label("Goals, one a line")
    field.fill("Open Settings and " + "turn on everything that has a switch, " * 6 + "\nTurn on dark mode.")
    assert field.evaluate("field => field.scrollWidth <= field.clientWidth")
    first, second = (page.locator(".editor-number").nth(number).bounding_box() for number in (0, 1))
    assert first is not None
    assert second is not None
    assert second["y"] >= first["y"] + 60


def test_a_schedule_takes_yaml_and_tells_its_times_before_it_is_made(canned: str, console: ConsolePage) -> None:
    page = console.page
    console.go(canned, "/work/schedules/new")
    when = page.get_by_label("When", exact=False).first
    expect(page.locator("#schedule-times")).to_contain_text("Next:")
    when.fill("every night")
    expect(page.locator("#schedule-times")).to_contain_text("names no times")
    page.get_by_role("button", name="YAML", exact=True).click()
    page.get_by_label("Tasks in YAML").fill("- id: no\n  goal: x")
    expect(page.locator(".editor-mistake")).to_contain_text("line 1")
    page.get_by_label("Tasks in YAML").fill("- id: dark\n  goal: Turn on dark mode.")
    page.get_by_label("Name", exact=True).fill("nightly")
    make = page.get_by_role("button", name="Make the schedule")
    expect(make).to_be_disabled()
    when.fill("0 2 * * *")
    expect(make).to_be_enabled()
    with page.expect_request(re.compile("/schedules[?]")) as asked:
        make.click()
    assert asked.value.post_data == "- id: dark\n  goal: Turn on dark mode."
    assert asked.value.headers["content-type"] == "application/yaml"
    assert "when=0+2+*+*+*" in asked.value.url
    expect(
        page.get_by_role("heading", name="Schedules").or_(page.get_by_role("link", name="Make a schedule"))
    ).to_be_visible()


def test_a_mistake_in_yaml_is_marked_at_its_line(canned: str, console: ConsolePage) -> None:
    page = console.page
    console.go(canned, "/work")
    page.get_by_role("button", name="Submit a batch").or_(page.get_by_role("link", name="Submit a batch")).click()
    page.get_by_role("button", name="YAML", exact=True).click()
    page.get_by_label("Tasks in YAML").fill(
        "tasks:\n  - id: dark\n    goal: Turn on dark mode.\n  - id: no\n    goal: Wait."
    )
    expect(page.locator(".editor-mistake")).to_contain_text("line 4")
    expect(page.locator(".editor-wrong")).to_have_text("4")
    page.get_by_role("button", name="line 4").click()
    assert (
        page.evaluate(
            "getSelection().toString() || document.activeElement.value.slice("
            "document.activeElement.selectionStart, document.activeElement.selectionEnd)"
        )
        == "  - id: no"
    )
    expect(page.locator("form").get_by_role("button", name="Submit", exact=True)).to_be_disabled()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    "place",
    [
        "/fleet",
        "/fleet?size=l",
        "/fleet?size=s",
        "/work",
        "/batches/b12",
        "/attention",
        "/phones/10.0.0.4%3A5555?tab=log",
    ],
)
def test_hostile_texts_are_shown_as_texts(chromium: Browser, hostile: str, width: int, place: str) -> None:
    with ConsolePage.open(chromium, width) as console:
        console.go(hostile, place)
        expect(console.page.locator(".navigation-count-bad")).to_have_text(re.compile("^[0-9]+ need a person"))
        assert console.page.evaluate("document.querySelectorAll('#app script, #app img[onerror]').length") == 0
        assert "broken" not in console.page.title()
        assert console.overflow() <= 0
        if place == "/attention":
            expect(console.page.get_by_text("<img src=x onerror=").first).to_be_visible()
    assert console.complaints == []


def test_batches_are_moved_in_the_queue_by_key_and_by_drag(own: str, console: ConsolePage) -> None:
    page = console.page
    console.go(own, "/work")
    rows = page.locator(".batch-queued .batch-link")
    expect(rows.first).to_be_visible()
    before = rows.evaluate_all("all => all.map(one => one.hash)")
    moved = page.locator(".batch-queued").filter(has=page.locator(f"a[href='{before[-1]}']"))
    moved.locator(".queue-handle").focus()
    page.keyboard.press("ArrowUp")
    expect(rows.last).to_have_attribute("href", before[-2])
    expect(moved.locator(".queue-handle")).to_be_focused()
    moved.locator(".queue-handle").drag_to(page.locator(".batch-queued").first)
    expect(rows.first).to_have_attribute("href", before[-1])
    page.get_by_role("button", name="Lower priority").first.click()
    expect(page.get_by_role("status").filter(has_text="has the priority")).to_be_attached()
    assert console.find_violations() == []


def test_everything_is_cancelled_after_a_question(own: str, console: ConsolePage) -> None:
    page = console.page
    console.go(own, "/work")
    expect(page.locator(".batch-queued").first).to_be_visible()
    count = page.locator(".batch-queued").count()
    page.get_by_role("button", name="Cancel all").click()
    expect(page.get_by_role("dialog")).to_contain_text(f"Cancel {count} open batches of everybody, with")
    page.get_by_role("button", name="Go back").click()
    expect(page.locator(".batch-queued")).to_have_count(count)
    page.get_by_role("button", name="Cancel all").click()
    page.get_by_role("button", name="Cancel all of them").click()
    expect(page.get_by_text(f"{count} batches cancelled. Schedules go on")).to_be_visible()
    expect(page.locator(".batch-queued")).to_have_count(0)
    assert console.find_violations() == []


def test_a_forgotten_pause_needs_a_person_and_is_ended(own: str, console: ConsolePage) -> None:
    page = console.page
    console.go(own, "/attention")
    row = page.get_by_role("listitem").filter(has_text="paused")
    expect(row).to_contain_text("by kim")
    row.get_by_role("button", name="Resume").click()
    expect(row).to_have_count(0)


def test_a_question_of_an_agent_is_answered_once(own: str, console: ConsolePage) -> None:
    page = console.page
    console.go(own, "/attention")
    row = page.get_by_role("listitem").filter(has_text="Please log in.")
    expect(row).to_contain_text("asks")
    expect(row.get_by_role("button", name="Take over")).to_be_enabled()
    with page.expect_request(re.compile(":answer$")) as asked:
        row.get_by_role("textbox", name="Your answer").fill("I have logged in.")
        row.get_by_role("button", name="Answer").click()
    assert asked.value.post_data_json == {"text": "I have logged in."}
    expect(row).to_have_count(0)


def test_a_late_answer_is_refused_and_a_question_can_be_declined(own: str, console: ConsolePage) -> None:
    page = console.page
    attention: dict[str, object] = {}

    def keep(route: Route) -> None:  # the list of this page stays as it was when somebody else has answered
        attention.update(attention or route.fetch().json())
        route.fulfill(json=attention)

    page.route("**/api/v1/attention", keep)
    console.go(own, "/attention")
    row = page.get_by_role("listitem").filter(has_text="Please log in.")
    with page.expect_request(re.compile(":answer$")) as asked:
        row.get_by_role("button", name="Decline").click()
    assert asked.value.post_data_json == {"text": None}
    row.get_by_role("textbox", name="Your answer").fill("too late")
    row.get_by_role("button", name="Answer").click()
    expect(row).to_contain_text("anna has answered it already")
    (complaint,) = console.complaints
    assert "409" in complaint
    console.complaints.clear()


def test_equal_questions_are_allowed_at_once(own: str, console: ConsolePage) -> None:
    page = console.page
    console.go(own, "/attention")
    card = page.get_by_role("article").filter(has_text="may pay")
    expect(card).to_contain_text("Buy the ticket.")
    expect(card).to_contain_text("12 phones")
    expect(card.locator(".approval-touch")).to_be_visible()
    with page.expect_request(re.compile(":allow$")) as asked:
        card.get_by_role("button", name="Allow on 12 phones").click()
    assert asked.value.url.endswith("/approvals/00000000000000aa:allow")
    expect(card).to_have_count(0)


def test_a_failed_check_is_not_called_finished(canned: str, console: ConsolePage) -> None:
    console.go(canned, "/attention")
    cause = console.page.locator(".cause").filter(has_text="its check does not hold: expected dark_theme is true")
    expect(cause.locator(".badge")).to_have_text("check failed")


def test_a_lost_connection_is_told_and_comes_back_by_itself(canned: str, console: ConsolePage) -> None:
    page = console.page
    console.may_be_offline = True
    console.go(canned, "/fleet")
    expect(page.locator(".tile").first).to_be_visible()
    console.context.set_offline(True)
    expect(page.get_by_text("The connection to the service is lost.")).to_be_visible()
    expect(page.locator(".tile").first).to_be_visible()
    page.get_by_role("link", name="Work", exact=True).click()
    expect(page.get_by_text("The service does not answer")).to_be_visible()
    console.context.set_offline(False)
    expect(page.get_by_text("The connection is back.")).to_be_visible()
    expect(page.get_by_role("heading", name="Queue")).to_be_visible()
    expect(page.get_by_text("The service does not answer")).to_have_count(0)
    expect(page.get_by_text("The connection is back.")).to_have_count(0)


def test_two_hundred_phones_do_not_fill_the_document_nor_the_memory(canned: str, console: ConsolePage) -> None:
    page = console.page
    console.go(canned, "/fleet")
    expect(page.locator(".tile").first).to_be_visible()
    assert page.locator(".tile").count() <= MOST_TILES
    first = _settled_figures(page, updates=5)
    later = _settled_figures(page, updates=20)
    assert later["nodes"] <= first["nodes"] * 1.1
    assert later["bytes"] <= first["bytes"] * 1.2 + 2**20
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    expect(page.locator(".tile-serial").last).to_have_text("10.0.0.200:5555")
    assert page.locator(".tile").count() <= MOST_TILES


def _settled_figures(page: Page, updates: int) -> dict[str, float]:
    """Wait for so many updates of the wall, collect garbage, and return nodes and bytes of memory."""
    return page.evaluate(
        """async (updates) => {
          const tile = document.querySelector('.wall');
          for (let seen = 0; seen < updates; seen++) {
            await new Promise((resolve) => {
              const watch = new MutationObserver(() => { watch.disconnect(); setTimeout(resolve, 300); });
              watch.observe(tile, { subtree: true, childList: true, characterData: true, attributes: true });
            });
          }
          gc(); gc();
          return { nodes: document.querySelectorAll('*').length, bytes: performance.memory.usedJSHeapSize };
        }""",
        updates,
    )
