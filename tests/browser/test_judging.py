"""A person judges ten steps by keyboard, in a real headless Chromium: make test-browser.

The run is written and the page served by commands of ``.venv``; here there are a browser and a keyboard only. Where no
Chromium is named and none is there, the tests are skipped; with one named, a missing one fails.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect, sync_playwright

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv" / "bin" / "python"
NAMED = os.environ.get("CHROMIUM")
CHROMIUM = Path(NAMED or "/usr/bin/chromium")

pytestmark = pytest.mark.skipif(not NAMED and not CHROMIUM.exists(), reason=f"needs {CHROMIUM}: make test-browser")

FIRST, SECOND = "hostile-1-a", "short-2-b"
OPENED, FOUND = "opened <b>Settings</b>", "found the switch"
WRONG = 4
"""The step whose action and verdict the person finds wrong."""


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Two episodes, the first with ten decisions; goals, thoughts and answers are full of markup."""
    folder = tmp_path / "run"
    subprocess.run([PYTHON, "-m", "tests.evaluation.judged_run", folder], cwd=ROOT, check=True, timeout=120)
    return folder


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--disable-gpu"])
        yield browser
        browser.close()


class Desk:
    """A page of the browser, with all that it asked for and complained of."""

    def __init__(self, browser: Browser) -> None:
        self.context = browser.new_context()
        self.page: Page = self.context.new_page()
        self.asked: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", self._asks)
        self.page.on("console", self._says)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def counts(self, of: str) -> str:
        return self.page.locator(f"#{of}-counts").inner_text()

    def shown(self) -> str | None:
        """The step that is seen."""
        return self.page.locator(".step:visible").get_attribute("data-step")

    def _asks(self, request: Request) -> None:
        self.asked.append(request.url)

    def _says(self, message: ConsoleMessage) -> None:
        self.complaints.append(message.text)


@pytest.fixture
def desk(chromium: Browser) -> Iterator[Desk]:
    desk = Desk(chromium)
    yield desk
    desk.context.close()


@contextmanager
def judging(run: Path, name: str = "ann") -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The address of the page; after it what the command told at its end."""
    told: list[dict[str, Any]] = []
    command = [PYTHON, "-m", "manyhands", "suite", "judge", run, "--judge", name, "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        try:
            yield json.loads(process.stdout.readline())["url"], told
            process.send_signal(signal.SIGINT)
            told.append(json.loads(process.stdout.readline()))
            assert process.wait(timeout=60) == 0
        finally:
            process.kill()


def stored(run: Path, name: str = "ann") -> dict[str, Any]:
    episodes: dict[str, Any] = json.loads((run / "judgements" / f"{name}.json").read_text())["episodes"]
    return episodes


def scored(run: Path, name: str = "ann") -> dict[str, Any]:
    """The person's figures of the run."""
    done = subprocess.run(
        [PYTHON, "-m", "manyhands", "suite", "score", run, "--json"],
        capture_output=True,
        cwd=ROOT,
        check=True,
        timeout=120,
    )
    (score,) = json.loads(done.stdout)
    (figures,) = (
        judge["figures"] for judge in score["judges"] if (judge["source"], judge["judge"]) == ("person", name)
    )
    return dict(figures)


def test_ten_steps_are_judged_by_keyboard_stored_gone_on_with_and_scored(run: Path, desk: Desk) -> None:
    page = desk.page
    with judging(run) as (url, told):
        page.goto(url)
        expect(page.locator("body[data-ready]")).to_be_visible()
        assert (desk.shown(), desk.counts("episode"), desk.counts("run")) == ("0", "0 of 25", "0 of 27")
        for step in range(3):
            assert desk.shown() == str(step)
            desk.press("y", "y")  # the action and the verdict on it
        expect(page.locator("#run-counts")).to_have_text("6 of 27")
        assert stored(run)[FIRST]["actions"] == {"0": True, "1": True, "2": True}
    assert (told[0]["judged"], told[0]["by_kind"]["reflections"]) == (6, 3)

    with judging(run) as (url, told):
        page.goto(url)  # goes on with the first open question
        expect(page.locator("#run-counts")).to_have_text("6 of 27")
        assert desk.shown() == "3"
        for step in range(3, 9):
            desk.press(*(("n", "y", "n") if step == WRONG else ("y", "y")))  # a wrong action led to another page
        desk.press("y")  # the tenth decision, to stop, which has no verdict
        expect(page.locator("[aria-current]")).to_contain_text(OPENED)
        desk.press("Home", "ArrowRight", "ArrowRight")
        assert desk.shown() == "2"
        desk.press("y", "n")  # the first rubric by the step shown, the second by none
        desk.press("y", "y", "n")  # human operations
        desk.press("n")
        expect(page.locator("#complete")).to_be_visible()
        desk.press("Backspace")
        expect(page.locator("#episode-counts")).to_have_text("25 of 26")
        desk.press("y", "Enter")
        expect(page.locator("#goal")).to_have_text("Say five")
        desk.press("y", "n")
        expect(page.locator("#run-counts")).to_have_text("28 of 28")
        desk.press("PageUp")
        expect(page.locator("#goal")).to_contain_text("Turn on dark mode")
        assert page.locator("[data-name='4'] .mark").all_inner_texts() == ["wrong", "wrong page", "wrong"]
        assert page.locator("[data-kind=rubrics] .mark").all_inner_texts() == ["step 2", "never"]
    right = {str(step): step != WRONG for step in range(10)}
    said = {
        FIRST: {
            "success": True,
            "rubrics": {OPENED: 2, FOUND: None},
            "actions": right,
            "effects": {str(WRONG): True},
            "reflections": {step: value for step, value in right.items() if step != "9"},
            "operations": {"0": True, "1": True, "2": False},
            "statements": {},
        },
        SECOND: {
            "success": False,
            "rubrics": {},
            "actions": {"0": True},
            "effects": {},
            "reflections": {},
            "operations": {},
            "statements": {},
        },
    }
    assert stored(run) == said
    assert told[0]["episodes"] == said
    assert (told[0]["judged"], told[0]["questions"]) == (28, 28)
    figures = scored(run)
    by_hand = {"SR": 1 / 2, "AA": 10 / 11, "DA": 10 / 11, "PS": (9 / 10 + 1) / 2, "RA": 8 / 9, "SS": 1 / 2, "CR": 1.0}
    assert {name: figures[name]["value"] for name in by_hand} == pytest.approx(by_hand)


def test_what_a_wrong_action_led_to_is_asked_while_it_is_judged_as_wrong(run: Path, desk: Desk) -> None:
    page = desk.page
    effect = page.locator("[data-kind=effects][data-name='0']")
    with judging(run) as (url, told):
        page.goto(url)
        expect(page.locator("body[data-ready]")).to_be_visible()
        expect(page.locator("[data-kind=effects]:visible")).to_have_count(0)
        desk.press("n")
        expect(page.locator("[aria-current]")).to_contain_text("had an effect")
        desk.press("n")
        expect(effect.locator(".mark")).to_have_text("no effect")
        expect(page.locator("#run-counts")).to_have_text("2 of 28")
        page.reload()
        expect(effect.locator(".mark")).to_have_text("no effect")
        desk.press("Home", "y")  # it was right after all
        expect(page.locator("#run-counts")).to_have_text("1 of 27")
        expect(effect).to_be_hidden()
        desk.press("Home", "n")
        expect(page.locator("#run-counts")).to_have_text("1 of 28")
        expect(effect.locator(".mark")).to_have_text("")
    assert (told[0]["by_kind"]["actions"], told[0]["by_kind"]["effects"]) == (1, 0)
    assert stored(run)[FIRST]["effects"] == {}
    assert desk.complaints == []


def test_what_models_and_screens_wrote_runs_nothing(run: Path, desk: Desk) -> None:
    page = desk.page
    with judging(run) as (url, _):
        page.goto(url)
        expect(page.locator("body[data-ready]")).to_be_visible()
        assert "<img src=x onerror=" in page.locator("#goal").inner_text()
        assert "</script><script>document.title" in page.locator("#answer").inner_text()
        desk.press("End", "Home", "y", "y")
        expect(page.locator("#run-counts")).to_have_text("2 of 27")
        assert page.title() == "Judging hostile"
        assert page.locator("script").count() == 1
        assert page.locator("img, iframe, #goal *, dd *").count() == 0
        assert page.locator(".step:visible figure").count() == 2
        assert page.locator(".step:visible image[href^='../screens/']").count() == 2
    assert {address for address in desk.asked if not address.startswith(url)} == set()
    assert any("/screens/" in address for address in desk.asked)
    assert desk.complaints == []


def test_markup_that_was_let_in_would_not_run(run: Path, desk: Desk) -> None:
    """The page's policy holds by itself: what the browser is made to insert is refused."""
    with judging(run) as (url, _):
        desk.page.goto(url)
        expect(desk.page.locator("body[data-ready]")).to_be_visible()
        desk.page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"document.title=1\">')")
        desk.page.evaluate("document.head.append(Object.assign(document.createElement('style'), {textContent: 'a{}'}))")
        desk.press("ArrowDown")
        expect(desk.page.locator("[aria-current]")).to_contain_text("verdict A")
        assert desk.page.title() == "Judging hostile"
    assert any("Content Security Policy" in complaint for complaint in desk.complaints)


def test_an_answer_that_is_not_stored_is_shown_as_such(run: Path, desk: Desk) -> None:
    with judging(run) as (url, _):
        desk.page.goto(url)
        expect(desk.page.locator("body[data-ready]")).to_be_visible()
        (run / "judgements" / "ann.json").mkdir()
        desk.press("y")
        expect(desk.page.locator("#trouble")).to_contain_text("Not stored: ")
        assert desk.page.locator("[data-kind=actions][data-name='0'] .mark").inner_text() == ""
        (run / "judgements" / "ann.json").rmdir()
        desk.press("ArrowUp", "y")
        expect(desk.page.locator("#trouble")).to_be_hidden()
        expect(desk.page.locator("#run-counts")).to_have_text("1 of 27")
    assert stored(run)[FIRST]["actions"] == {"0": True}


def test_of_two_quick_answers_that_both_fail_what_is_stored_is_shown(run: Path, desk: Desk) -> None:
    with judging(run) as (url, _):
        desk.page.goto(url)
        expect(desk.page.locator("body[data-ready]")).to_be_visible()
        (run / "judgements" / "ann.json").mkdir()
        desk.press("y", "ArrowUp", "n")
        expect(desk.page.locator("#trouble")).to_contain_text("Not stored: ")
        expect(desk.page.locator(".storing")).to_have_count(0)
        assert desk.page.locator("[data-kind=actions][data-name='0'] .mark").inner_text() == ""
        (run / "judgements" / "ann.json").rmdir()


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_another_sites_page_gets_nothing(run: Path, desk: Desk, host: str) -> None:
    """A page of another origin, even one on this machine, can neither read nor judge, not even with the address."""
    with judging(run) as (url, _):
        other = f"http://{host}:{int(url.split(':')[2].split('/')[0]) + 1}/"
        desk.page.route(f"{other}**", lambda route: route.fulfill(body="<p>elsewhere", content_type="text/html"))
        desk.page.goto(other)
        body = json.dumps({"episode": FIRST, "kind": "success", "name": "success", "value": True})
        for options in ({}, {"method": "PUT", "body": body}, {"method": "PUT", "body": body, "mode": "no-cors"}):
            got = desk.page.evaluate(
                "([url, options]) => fetch(url, options).then(answer => answer.status, () => 'refused')",
                [f"{url}judgements" if options else f"{url}episodes/0", options],
            )
            assert got == "refused"
    assert not (run / "judgements" / "ann.json").exists()
