"""A connection that drops for a minute in the middle of a film: the film goes on, and nothing is missing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.web.breakable_proxy import BreakableProxy
from tests.web.report_page import ReportPage, address_of
from tests.web.test_film import FILM, shown
from tests.web.test_run_page import run_python

MINUTE_MS = 60_000
PATIENCE_MS = 60_000
"""A film of eight steps plays in ten seconds; a busy machine takes longer."""
STEPS = 8
NOTE_SHOWN_STEPS = """() => {
  globalThis.shownSteps = [];
  const look = () => {
    const step = document.querySelector('[aria-current=step] .strip-foot')?.textContent.match(/[0-9]+/)?.[0];
    if (step === undefined || shownSteps.at(-1)?.step === step) return;
    shownSteps.push({ step, missing: document.querySelectorAll('.film-stage .shot-missing').length });
  };
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true });
  look();
}"""
"""Keeps each step that is shown, and how many of its screens are missing when it comes."""


class FolderHandler(SimpleHTTPRequestHandler):
    """Serves a folder whose files no browser keeps."""

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, *words: object) -> None:
        """Print nothing."""


@dataclass(frozen=True)
class Way:
    """How a page reaches its report, and how that breaks."""

    address: str
    lose: Callable[[], object]
    restore: Callable[[], object]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report with one film of eight steps."""
    folder = tmp_path_factory.mktemp("lost") / "report of a run"
    run_python("tests.web.generated_film", folder, "--steps", str(STEPS), "--screens", str(STEPS), "--small")
    return folder


@pytest.fixture
def report(chromium: Browser) -> Iterator[ReportPage]:
    with ReportPage.open(chromium) as page:
        page.may_be_offline = page.may_lack_parts = True
        yield page
    assert page.complaints == []


@pytest.fixture
def proxy(folder: Path) -> Iterator[BreakableProxy]:
    """A way to a server that serves the report over HTTP."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(FolderHandler, directory=str(folder)))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    proxy = BreakableProxy(server.server_address[1])
    yield proxy
    proxy.close()
    server.shutdown()
    server.server_close()


@pytest.fixture(params=["offline", "port closed", "disk away"])
def way(request: pytest.FixtureRequest, report: ReportPage, folder: Path, proxy: BreakableProxy) -> Way:
    """Ways to lose a report: the browser is offline, its server is gone, or the disk is."""
    url = f"http://127.0.0.1:{proxy.port}"
    if request.param == "offline":
        return Way(url, partial(report.context.set_offline, True), partial(report.context.set_offline, False))
    if request.param == "port closed":
        return Way(url, proxy.cut, proxy.mend)
    elsewhere = folder.with_name("unplugged")
    return Way(address_of(folder), partial(folder.rename, elsewhere), partial(elsewhere.rename, folder))


def lose_for_a_minute(page: Page, way: Way) -> None:
    """Lose the report until the page's clock has gone on by a minute."""
    way.lose()
    page.clock.run_for(MINUTE_MS)
    expect(page.get_by_text("The film's screens cannot be reached.")).to_be_visible()
    page.clock.run_for(MINUTE_MS)


def test_a_film_that_plays_waits_and_goes_on(report: ReportPage, way: Way) -> None:
    page = report.page
    page.clock.install()
    report.go(way.address, f"{FILM}?step=0")
    expect(page.get_by_role("img", name="Screen after the action of step 0")).to_be_visible()
    page.evaluate(NOTE_SHOWN_STEPS)
    page.locator("h1").click()
    page.keyboard.press(" ")
    page.clock.run_for(1500)
    expect(shown(page)).to_contain_text("Step 1")
    lose_for_a_minute(page, way)
    assert int(page.evaluate("shownSteps.at(-1).step")) < STEPS - 1
    expect(page.get_by_role("button", name="Pause (Space)")).to_be_visible()
    way.restore()
    expect(shown(page)).to_contain_text(f"Step {STEPS - 1}", timeout=PATIENCE_MS)
    expect(page.get_by_text("The film's screens cannot be reached.")).to_have_count(0)
    assert page.evaluate("shownSteps") == [{"step": str(step), "missing": 0} for step in range(STEPS)]


def test_what_a_person_asked_for_meanwhile_comes(report: ReportPage, way: Way) -> None:
    page = report.page
    page.clock.install()
    report.go(way.address, f"{FILM}?step=0")
    expect(page.get_by_role("img", name="Screen after the action of step 0")).to_be_visible()
    way.lose()
    page.keyboard.press("End")
    page.keyboard.press("4")
    page.clock.run_for(MINUTE_MS)
    expect(shown(page)).to_contain_text(f"Step {STEPS - 1}")
    expect(page.get_by_text("The film's screens cannot be reached.")).to_be_visible()
    expect(page.locator(".film-stage .shot-missing").first).to_contain_text("as soon as it can be reached")
    way.restore()
    page.clock.run_for(6000)
    expect(page.locator(".film-stage img.shot-picture")).to_have_count(2)
    expect(page.get_by_text("The film's screens cannot be reached.")).to_have_count(0)
    page.get_by_role("button", name="planner").first.click()
    expect(page.get_by_role("region", name="Prompt").get_by_text("Instruction")).to_be_visible()


def test_a_page_that_opens_while_the_report_is_away_comes_by_itself(report: ReportPage, way: Way) -> None:
    page = report.page
    page.clock.install()
    report.go(way.address)
    page.get_by_role("row").nth(1).wait_for()
    way.lose()
    page.evaluate(f"location.hash = '#{FILM}'")
    expect(page.get_by_text("The report's files cannot be reached")).to_be_visible()
    page.clock.run_for(MINUTE_MS)
    way.restore()
    page.clock.run_for(6000)
    expect(page.locator(".film-stage img.shot-picture").first).to_be_visible()
