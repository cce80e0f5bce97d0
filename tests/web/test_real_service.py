"""A person works with a whole service: virtual phones, the rehearsed model, and a real Chromium."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.web.breakable_proxy import BreakableProxy
from tests.web.console_page import WAIT_MS, ConsolePage
from tests.web.real_service import RealService, run_real_service

PATIENCE_MS = 240_000
"""A busy machine opens a fleet, and plays a task, in minutes."""
MINUTE_MS = 60_000
KNOWN, LONG, UNKNOWN = "Turn on dark mode.", "Set the system sound to Do Not Disturb.", "Paint <b>the</b> fence."
"""What the rehearsed model does: at once, in forty steps, and not at all."""


def wait_until(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    end = time.monotonic() + PATIENCE_MS / 1000
    while not holds():
        assert time.monotonic() < end, "it never held"
        time.sleep(0.2)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealService]:
    with run_real_service(tmp_path_factory.mktemp("service"), 2) as service:
        yield service


@pytest.fixture
def console(chromium: Browser, service: RealService) -> Iterator[ConsolePage]:
    """The console, signed in by the link that the service prints."""
    with ConsolePage.open(chromium) as console:
        console.page.set_default_timeout(PATIENCE_MS)
        expect.set_options(timeout=PATIENCE_MS)
        console.page.goto(f"{service.url}/#token={service.token}")
        expect(console.page.locator(".tile")).to_have_count(2)
        assert service.token not in console.page.url
        yield console
    expect.set_options(timeout=WAIT_MS)


@pytest.fixture
def proxy(service: RealService) -> Iterator[BreakableProxy]:
    """A way to the service that breaks when the test wants it."""
    proxy = BreakableProxy(int(service.url.rpartition(":")[2]))
    yield proxy
    proxy.close()


def submit(page: Page, service: RealService, name: str, *goals: str) -> None:
    """Submit goals by the form, and wait for the batch's page."""
    page.goto(f"{service.url}/#/work/submit")
    page.get_by_label("Goals, one a line").fill("\n".join(goals))
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_role("button", name=re.compile(f"^Submit {len(goals)}")).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)


def test_submit_watch_and_clear_what_needs_a_person(service: RealService, console: ConsolePage) -> None:
    page = console.page
    submit(page, service, "evening", KNOWN, UNKNOWN)
    batch = page.url
    rows = page.get_by_role("table", name=re.compile("^Tasks of")).get_by_role("row")
    expect(rows.filter(has_text=KNOWN)).to_contain_text("done")
    expect(rows.filter(has_text=UNKNOWN)).to_contain_text("impossible")
    expect(page).to_have_title(re.compile(r"^\(1\)"))

    page.get_by_role("link", name="Attention").click()
    cause = page.locator(".cause")
    expect(cause).to_contain_text("impossible")
    cause.get_by_role("button", name="Retry").click()
    page.goto(batch)  # the retry fails, too, and opens the cause again
    expect(rows.filter(has_text=UNKNOWN).filter(has_text="impossible")).to_have_count(2)
    page.get_by_role("link", name="Attention").click()
    expect(page.locator(".cause")).to_have_count(1)
    page.locator(".cause").get_by_role("button", name="Dismiss").click()
    expect(page.get_by_text("Nothing needs a person")).to_be_visible()
    assert console.complaints == []


def test_a_film_is_stepped_by_keys(service: RealService, console: ConsolePage) -> None:
    page = console.page
    submit(page, service, "film", KNOWN)
    rows = page.get_by_role("table", name=re.compile("^Tasks of")).get_by_role("row")
    expect(rows.filter(has_text=KNOWN)).to_contain_text("done")
    page.get_by_role("link", name=KNOWN).click()
    expect(page.locator("[aria-current=step]")).to_be_visible()
    page.keyboard.press("Home")
    expect(page).to_have_url(re.compile("step=0"))
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("step=1"))
    assert console.find_violations() == []
    assert console.complaints == []


def test_take_over_tap_hand_back_and_stop(service: RealService, console: ConsolePage) -> None:
    page = console.page
    console.may_be_offline = True
    submit(page, service, "taken", LONG)
    expect(page.get_by_role("row").filter(has_text=LONG)).to_contain_text("running")
    page.get_by_role("link", name=LONG).click()
    page.get_by_role("button", name="Take over").click()
    screen = page.get_by_role("application")
    expect(screen.locator("img")).to_be_visible()
    expect(screen).to_have_attribute("aria-busy", "false")
    page.get_by_role("button", name="Home", exact=True).click()
    expect(screen).to_have_attribute("aria-busy", "false")
    before = screen.locator("img").get_attribute("src")
    box = screen.bounding_box()
    assert box is not None
    screen.click(position={"x": 0.13 * box["width"], "y": 0.41 * box["height"]})  # the first icon of the home screen
    expect(screen.locator("img")).not_to_have_attribute("src", before or "")
    page.get_by_role("button", name="Hand back").click()
    page.get_by_role("button", name="Pause", exact=True).click()  # a task that goes on may end before it is stopped
    expect(page.get_by_role("button", name="Resume", exact=True)).to_be_visible()

    console.context.set_offline(True)
    expect(page.get_by_text("The connection to the service is lost.")).to_be_visible()
    console.context.set_offline(False)
    expect(page.get_by_text("The connection is back.")).to_be_visible()

    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Stop it").click()
    expect(page.get_by_text(re.compile("^Stopped, after"))).to_be_visible()
    expect(page.locator(".film-head")).to_contain_text("cancelled")
    assert console.complaints == []


@pytest.mark.parametrize("way_of_loss", ["cut", "freeze"])
def test_a_minute_without_a_connection_misses_nothing(
    chromium: Browser, service: RealService, proxy: BreakableProxy, way_of_loss: str
) -> None:
    near = RealService(f"http://127.0.0.1:{proxy.port}", service.token)
    with ConsolePage.open(chromium) as console:
        console.may_be_offline = True
        page = console.page
        page.set_default_timeout(PATIENCE_MS)
        expect.set_options(timeout=PATIENCE_MS)
        page.clock.install()
        page.goto(f"{near.url}/#token={service.token}")
        submit(page, near, f"minute, {way_of_loss}", LONG)
        expect(page.get_by_role("row").filter(has_text=LONG)).to_contain_text("running")
        page.get_by_role("link", name=LONG).click()
        expect(page.locator(".film-stage img.shot-picture").first).to_be_visible()
        episode = page.url.partition("/episodes/")[2].partition("?")[0]
        before = len(service.steps_of(episode))
        getattr(proxy, way_of_loss)()
        page.clock.run_for(MINUTE_MS)
        wait_until(lambda: len(service.steps_of(episode)) >= before + 4)
        expect(page.get_by_text("The connection to the service is lost.")).to_be_visible()
        proxy.mend()
        expect(page.get_by_text("The connection is back. Nothing is missing.")).to_be_visible()
        steps = service.steps_of(episode)
        assert steps == list(range(len(steps)))
        page.keyboard.press("Home")
        for step in steps:
            expect(page.get_by_role("img", name=f"Screen before the action of step {step}", exact=True)).to_be_visible()
            expect(page.locator(".strip-shown .strip-foot")).to_contain_text(str(step))
            expect(page.locator(".film-stage .shot-missing")).to_have_count(0)
            page.keyboard.press("ArrowRight")
        assert console.complaints == []
    service.ask("/batches:cancel", {})  # a fast machine has ended the task by now, a slow one has not
    expect.set_options(timeout=WAIT_MS)
