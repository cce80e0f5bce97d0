"""The film of an episode in a report: by keyboard alone, hostile texts, small screens, many steps, model calls."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.web.console_page import SCHEMES, WIDTHS
from tests.web.report_page import ReportPage, address_of
from tests.web.test_run_page import run_python

FILM = "/episodes/film"
FAILURE, LAST_GOOD = 5, 4
"""The step that a person should look at first, and the last one that was as expected (``generated_film``)."""
MARKUP = "<script>document.title='taken'</script>"
"""The beginning of a hostile text."""
PLACES = {
    "step": f"{FILM}?step=5",
    "screen": f"{FILM}?step=1&tab=screen&boxes=1",
    "timing": f"{FILM}?step=2&tab=timing&view=slider",
    "calls": f"{FILM}?step=3&tab=calls&call=0&view=one",
    "log": f"{FILM}?step=4&tab=log",
}


@pytest.fixture(scope="session")
def film(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A report with one film of eight steps; its address."""
    folder = tmp_path_factory.mktemp("film")
    run_python("tests.web.generated_film", folder)
    return address_of(folder)


@pytest.fixture(scope="session")
def long_film(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A report with one film of 1,000 steps; its address."""
    folder = tmp_path_factory.mktemp("long")
    run_python("tests.web.generated_film", folder, "--steps", "1000")
    return address_of(folder)


@pytest.fixture
def report(chromium: Browser) -> Iterator[ReportPage]:
    """A page of a browser of its own. It complains of small pictures alone, which this report lacks."""
    with ReportPage.open(chromium) as page:
        page.may_lack_parts = True
        yield page
    assert page.complaints == []


@pytest.mark.parametrize(
    "reason",
    [
        "the same 2 actions on the same screens 4 times in a row: Open_App (Settings), Home",
        "the same action in a row failed 3 times",
    ],
)
def test_an_ending_by_repeats_is_named_as_what_it_is(report: ReportPage, tmp_path: Path, reason: str) -> None:
    run_python("tests.web.generated_film", tmp_path, "--repeats", reason)
    report.go(address_of(tmp_path), FILM)
    expect(report.page.get_by_text(f"The episode ended before the task was done: {reason}.")).to_be_visible()


def shown(page: Page) -> Locator:
    return page.locator("[aria-current=step]")


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES.keys())
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_no_violation_and_nothing_beside_the_window(
    chromium: Browser, film: str, width: int, scheme: str, place: str
) -> None:
    with ReportPage.open(chromium, width, scheme) as report:
        report.may_lack_parts = True
        report.go(film, place)
        expect(report.page.get_by_role("tabpanel")).not_to_be_empty()
        assert report.find_violations() == []
        assert report.overflow() <= 0
    assert report.complaints == []


def test_a_failed_episode_opens_at_its_failure_and_says_why(report: ReportPage, film: str) -> None:
    report.go(film, FILM)
    why = report.page.get_by_role("region", name="Why it failed")
    expect(why).to_contain_text("too many actions in a row did not do what was expected")
    expect(why).to_contain_text('messages.sent is "Hello"')
    expect(why).to_contain_text("no message")
    expect(shown(report.page)).to_contain_text(f"Step {FAILURE}B: a wrong page")


def test_a_key_counts_from_the_first_sight_of_a_film(report: ReportPage, film: str) -> None:
    report.press_at_first_sight("[aria-current=step]", "End")
    report.go(film, f"{FILM}?step=0")
    expect(shown(report.page)).to_contain_text("Step 7")


def test_a_film_can_be_seen_by_keyboard_alone(report: ReportPage, film: str) -> None:
    page = report.page
    report.go(film, f"{FILM}?step=0")
    press(page, "ArrowRight", "ArrowRight", "ArrowLeft")
    expect(shown(page)).to_contain_text("Step 1")
    press(page, "End")
    expect(shown(page)).to_contain_text("Step 7")
    press(page, "Home")
    expect(shown(page)).to_contain_text("Step 0")
    press(page, "f")
    expect(shown(page)).to_contain_text(f"Step {FAILURE}")
    press(page, "g")
    expect(shown(page)).to_contain_text(f"Step {LAST_GOOD}")
    press(page, "2", "b")
    expect(page.get_by_role("tab", name=re.compile("^Screen"))).to_have_attribute("aria-selected", "true")
    expect(page.locator(".boxes .box").first).to_be_attached()
    assert {"step=4", "tab=screen", "boxes=1"} <= set(report.place.split("?")[1].split("&"))
    before = page.get_by_role("img", name=f"Screen before the action of step {LAST_GOOD}")
    after = page.get_by_role("img", name=f"Screen after the action of step {LAST_GOOD}")
    for face, other in ((before, after), (after, before), (before, after)):
        press(page, "c")
        expect(face).to_be_visible()
        expect(other).to_have_count(0)
    press(page, "?")
    expect(page.get_by_role("dialog", name="Keys")).to_contain_text("to the failure")
    press(page, "Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_keys_on_a_tab_move_tabs_and_the_help_says_so(report: ReportPage, film: str) -> None:
    page = report.page
    report.go(film, f"{FILM}?step=1")
    page.get_by_role("tab", name="Timing").click()
    press(page, "End")
    expect(page.get_by_role("tab", name="Log")).to_be_focused()
    expect(shown(page)).to_contain_text("Step 1")
    press(page, ".", ".", ",")
    expect(shown(page)).to_contain_text("Step 2")
    expect(page.get_by_role("tab", name="Log")).to_be_focused()
    press(page, "?")
    expect(page.get_by_role("dialog", name="Keys")).to_contain_text("While a tab has the focus")
    expect(page.get_by_role("dialog", name="Keys")).to_contain_text("next step, on a tab, too")


def test_the_screen_tells_which_elements_the_phones_views_told_of(report: ReportPage, film: str) -> None:
    report.go(film, f"{FILM}?step=1&tab=screen")
    expect(report.page.get_by_role("heading", name="3 elements read before the action, 1 of them")).to_be_visible()
    expect(report.page.locator(".element-source")).to_have_text(["accessibility"])
    expect(report.page.get_by_role("listitem").filter(has=report.page.locator(".element-source"))).to_contain_text(
        "(no name)"
    )


def test_play_runs_to_the_end_and_can_be_paused(report: ReportPage, film: str) -> None:
    page = report.page
    report.go(film, f"{FILM}?step=0")
    page.get_by_role("combobox", name="Speed").select_option("8")
    page.locator("h1").click()
    press(page, " ")
    expect(page.get_by_role("button", name="Pause (Space)")).to_be_visible()
    expect(shown(page)).to_contain_text("Step 7")
    expect(page.get_by_role("button", name="Play (Space)")).to_be_visible()


def test_each_step_has_an_address(chromium: Browser, report: ReportPage, film: str) -> None:
    report.go(film, f"{FILM}?step=0&tab=timing")
    expect(report.page.locator(".controls-count")).to_have_text("Step 0 of 0 to 7")
    expect(report.page.locator(".film-facts").first).to_contain_text("8 done, at most 20")
    link = report.page.get_by_role("link", name=re.compile("^Step 3"))
    assert (link.get_attribute("href") or "").endswith("step=3&tab=timing")
    with ReportPage.open(chromium) as other:
        other.go(film, f"{FILM}?step=3&tab=timing")
        expect(shown(other.page)).to_contain_text("Step 3")
        expect(other.page.get_by_role("tab", name="Timing")).to_have_attribute("aria-selected", "true")


def test_a_tap_is_named_by_the_text_that_it_touched(report: ReportPage, film: str) -> None:
    report.go(film, f"{FILM}?step=0")
    action = report.page.get_by_role("region", name="Action")
    expect(action).to_contain_text(re.compile(r"Tap “.<script>document\.title='taken'.+….” \(318, 319\)"))
    press(report.page, "ArrowRight")
    expect(action).to_contain_text("Swipe (540, 1800)")


def test_texts_are_shown_as_differences(report: ReportPage, film: str) -> None:
    report.go(film, f"{FILM}?step=1")
    panel = report.page.get_by_role("tabpanel")
    expect(panel.locator("ins")).to_have_text("of Ben")
    expect(panel.locator("details", has_text="Plan")).to_contain_text("as before")


def test_a_text_with_little_in_common_is_shown_as_a_whole(report: ReportPage, film: str) -> None:
    report.go(film, f"{FILM}?step=2")
    panel = report.page.get_by_role("tabpanel")
    expect(panel.locator("del").first).to_have_text("Open the message of Ben")
    expect(panel.locator("ins").first).to_have_text("Write 172 dollars to Clara")


def test_the_numbers_of_stages_are_said(report: ReportPage, film: str) -> None:
    report.go(film, f"{FILM}?step=1&tab=timing")
    plot = report.page.get_by_role("group", name="Stages of the step over time")
    dropped = plot.get_by_role("img", name=re.compile("^plan.*dropped, because verify did not end as assumed"))
    dropped.focus()
    expect(report.page.locator(".gantt-said")).to_contain_text("began on an assumption about verify")
    expect(plot.get_by_role("img", name=re.compile("^perceive.*200.ms in queues"))).to_be_attached()
    expect(plot.get_by_role("img", name=re.compile("without a model server"))).to_be_attached()


def test_a_call_is_shown_by_section_and_copied_as_a_command(report: ReportPage, film: str, tmp_path: Path) -> None:
    page = report.page
    report.context.grant_permissions(["clipboard-read", "clipboard-write"])
    report.go(film, f"{FILM}?step=1&tab=calls")
    first = page.get_by_role("button", name=re.compile("^planner")).first
    first.click()
    expect(page.get_by_role("region", name="Prompt").get_by_text("Instruction")).to_be_visible()
    expect(page.get_by_role("img", name="Part 3 of a screen, shown to the model")).to_be_visible()
    expect(page.get_by_role("region", name="Reply")).to_contain_text("subgoal")
    page.evaluate("navigator.clipboard.writeText = async (text) => { globalThis.copied = text; }")
    page.get_by_role("button", name="Copy as curl").click()
    expect(page.get_by_role("button", name="Copy as curl")).to_contain_text("Copied")
    command = str(page.evaluate("copied"))
    assert "Bearer $MANYHANDS_API_KEY" in command
    script = tmp_path / "call.sh"
    # The shell reads the command, but cat takes the place of curl.
    script.write_text(f"curl() {{ cat; }}\nbase64() {{ cat > /dev/null; echo DATA; }}\n{command}")
    (tmp_path / "screens").mkdir()
    for name in re.findall(r"\$SCREENS/(\S+\.png)", command):
        (tmp_path / "screens" / name).write_bytes(b"")
    body = subprocess.run(
        ["bash", script], cwd=tmp_path, check=True, capture_output=True, text=True, timeout=120
    ).stdout
    recorded = page.evaluate("(text) => JSON.parse(text)", body)
    parts = recorded["messages"][1]["content"]
    assert MARKUP in parts[0]["text"]
    assert "It's Ben's." in parts[0]["text"]
    assert parts[1]["image_url"]["url"] == "data:image/png;base64,DATA"


def test_the_log_is_filtered_beside_the_step(report: ReportPage, film: str) -> None:
    page = report.page
    report.go(film, f"{FILM}?step=1&tab=log")
    lines = page.get_by_role("list", name="Log lines of this step").get_by_role("listitem")
    expect(lines).to_have_count(12)
    page.get_by_role("combobox", name="Level").select_option("E")
    expect(lines).to_have_count(2)
    page.get_by_role("searchbox", name="Find in the log").fill("line 19")
    expect(lines).to_have_count(1)
    assert "find=line+19" in report.place
    assert "level=E" in report.place


def test_hostile_texts_are_texts(report: ReportPage, film: str) -> None:
    page = report.page
    for place in PLACES.values():
        report.go(film, place)
        expect(page.get_by_role("tabpanel")).not_to_be_empty()
        assert "taken" not in page.title()
        assert page.locator("main img[onerror], main script").count() == 0
    expect(page.locator("h1")).to_contain_text(MARKUP)


def test_the_action_and_the_changes_are_drawn(report: ReportPage, film: str) -> None:
    page = report.page
    report.go(film, f"{FILM}?step=0")
    expect(page.locator(".action-ring")).to_have_count(1)
    press(page, "ArrowRight")
    expect(page.locator("path.action-flow")).to_have_count(1)
    press(page, "ArrowRight")
    expect(page.locator(".action-typed")).to_have_text(re.compile("<script>"))
    # Pixels from the disk cannot be read: what was read off the screens is compared.
    expect(page.locator(".change").first).to_be_attached()
    press(page, "d")
    expect(page.locator(".change")).to_have_count(0)


def test_a_thousand_steps_open_fast_and_stay_few(report: ReportPage, long_film: str) -> None:
    page = report.page
    report.go(long_film, f"{FILM}?step=500")
    expect(shown(page)).to_contain_text("Step 500")
    assert page.locator(".strip-step").count() < 60
    press(page, "End")
    expect(shown(page)).to_contain_text("Step 999")
    expect(shown(page)).to_be_in_viewport()


def test_places_in_a_model_s_words_are_told_in_pixels(report: ReportPage, film: str) -> None:
    report.go(film, f"{FILM}?step=0")
    action = report.page.get_by_role("region", name="Action")
    expect(action).to_contain_text("” (318, 319)")
    expect(action).to_contain_text("Its (294, 133) is (318, 319) in pixels.")
    report.go(film, f"{FILM}?step=1")
    expect(action).not_to_contain_text("in pixels")
