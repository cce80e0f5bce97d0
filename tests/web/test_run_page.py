"""The first page of a report: filters in the address, the timeline, keys, hostile texts, small screens."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.web.conftest import PYTHON
from tests.web.console_page import ROOT, SCHEMES, WIDTHS
from tests.web.report_page import ReportPage, address_of

TASKS, FAILED, MOST_DRAWN = 60, 15, 80
PLACES = {
    "tasks": "/",
    "filtered": "/?verdict=failed&app=Settings&q=dark",
    "nothing": "/?q=nowhere",
    "timeline": "/?tab=timeline",
    "part of the timeline": "/?tab=timeline&colour=verdict&from=60&to=140",
    "cost": "/?tab=cost",
    "learned": "/?tab=lessons",
    "about": "/?tab=about",
}


def run_python(*arguments: str | Path) -> None:
    subprocess.run([PYTHON, "-m", *arguments], cwd=ROOT, check=True, timeout=120, capture_output=True)


@pytest.fixture(scope="session")
def generated(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A report of generated data with hostile texts; its address."""
    folder = tmp_path_factory.mktemp("generated")
    run_python("tests.web.generated_report", folder, "--tasks", str(TASKS))
    return address_of(folder)


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A report of 1,000 tasks of up to 20 steps on 100 phones; its address."""
    folder = tmp_path_factory.mktemp("large")
    run_python("tests.web.generated_report", folder, "--tasks", "1000", "--phones", "100")
    return address_of(folder)


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A report that the command made from a run folder; its address."""
    folder = tmp_path_factory.mktemp("recorded") / "run"
    run_python("tests.evaluation.judged_run", folder)
    run_python("manyhands", "report", folder)
    return address_of(folder)


@pytest.fixture
def report(chromium: Browser) -> Iterator[ReportPage]:
    """A page of a browser of its own, which must not complain of anything."""
    with ReportPage.open(chromium) as page:
        yield page
    assert page.complaints == []


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES.keys())
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_no_violation_and_nothing_beside_the_window(
    chromium: Browser, generated: str, width: int, scheme: str, place: str
) -> None:
    with ReportPage.open(chromium, width, scheme) as report:
        report.go(generated, place)
        expect(report.page.locator("main h1")).to_be_visible()
        assert report.find_violations() == []
        assert report.overflow() <= 0
    assert report.complaints == []


def test_the_timeline_tells_pauses_and_takeovers(report: ReportPage, generated: str) -> None:
    page = report.page
    report.go(generated, "/?tab=timeline")
    legend = page.get_by_role("list", name="Colours of the timeline")
    expect(legend).to_contain_text("paused by a person")
    expect(legend).to_contain_text("taken over")
    page.get_by_role("button", name=re.compile("ann paused the episode")).click()
    assert "from=" in report.place


def test_two_fingers_zoom_the_timeline(report: ReportPage, generated: str) -> None:
    page = report.page
    report.go(generated, "/?tab=timeline")
    box = page.locator(".timeline-canvas").bounding_box()
    assert box is not None
    middle, y = box["x"] + box["width"] / 2, box["y"] + 60
    browser = report.context.new_cdp_session(page)
    browser.send("Emulation.setTouchEmulationEnabled", {"enabled": True})

    def touch(kind: str, *apart: float) -> None:
        points = [{"x": middle + side * far, "y": y, "id": id} for far in apart for id, side in ((1, -1), (2, 1))]
        browser.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", 60)
    for apart in (90, 120, 180):
        touch("touchMove", apart)
    touch("touchEnd")
    expect(page.get_by_role("button", name="Whole run")).to_be_enabled()
    found = re.search(r"from=([0-9.]+)&to=([0-9.]+)", report.place)
    assert found is not None
    assert 0 < float(found[1]) < float(found[2])
    assert report.place.startswith("#/?")  # no step was opened


def test_failed_tasks_come_first_and_then_slow_ones(report: ReportPage, generated: str) -> None:
    report.go(generated)
    signs = report.page.locator(".task-sign").evaluate_all("all => all.map(one => one.title)")
    assert signs[:FAILED] == ["Failed"] * FAILED
    assert signs[FAILED] == "Undecided"


def test_filters_are_in_the_address_and_can_be_shared(chromium: Browser, report: ReportPage, generated: str) -> None:
    page = report.page
    report.go(generated)
    page.get_by_role("button", name=re.compile("^Failed")).click()
    page.get_by_role("button", name="App", exact=True).click()
    page.get_by_role("checkbox", name=re.compile("Shop")).check()
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.type("prompt is longer")
    expect(report.rows).to_have_count(1)
    assert report.place == "#/?verdict=failed&app=Shop&q=prompt+is+longer"
    shown = report.shown_tasks()
    with ReportPage.open(chromium) as other:
        other.go(generated, report.place[1:])
        assert other.shown_tasks() == shown
        other.page.get_by_role("button", name="Clear", exact=True).click()
        expect(other.page.get_by_role("table", name="Tasks of the run")).to_have_attribute("aria-rowcount", "61")
        assert other.place == "#/"


def test_an_order_is_in_the_address(report: ReportPage, generated: str) -> None:
    report.go(generated)
    steps = report.page.get_by_role("button", name="Steps", exact=True)
    steps.click()
    steps.click()
    expect(report.page.get_by_role("columnheader", name="Steps")).to_have_attribute("aria-sort", "ascending")
    counts = [int(row.split("\n")[0]) for row in report.rows.locator("td.from-s").first.all_inner_texts()]
    assert counts == sorted(counts)
    assert "sort=steps" in report.place


def test_a_cause_shows_its_tasks(report: ReportPage, generated: str) -> None:
    report.go(generated)
    cause = report.page.locator(".cause").filter(has_text="the text was not typed")
    count = int(cause.locator(".cause-count").inner_text())
    cause.click()
    expect(report.rows).to_have_count(count)
    expect(report.rows.first).to_contain_text("the text was not typed")
    cause.click()
    assert report.place == "#/"


def test_filters_that_leave_nothing_say_what_to_do(report: ReportPage, generated: str) -> None:
    report.go(generated, "/?q=nowhere")
    expect(report.page.get_by_text("No task fits these filters")).to_be_visible()
    report.page.get_by_role("button", name="Clear the filters").click()
    expect(report.rows.first).to_be_visible()


def test_hostile_texts_are_shown_as_text(report: ReportPage, generated: str) -> None:
    report.go(generated, "/?q=task-10")
    expect(report.page.locator(".task-goal").first).to_contain_text("<script>document.title='taken'</script><img src=x")
    report.page.get_by_role("tab", name="Learned").click()
    expect(report.page.locator(".lesson").nth(1)).to_contain_text("<img src=x onerror=")
    report.page.get_by_role("tab", name="Timeline").click()
    expect(report.page.locator(".timeline-event").nth(1)).to_contain_text("cut: <script>")
    assert "taken" not in report.page.title()
    assert report.page.locator("main script, main img[src=x]").count() == 0


def test_the_timeline_is_walked_by_keys(report: ReportPage, generated: str) -> None:
    page = report.page
    report.may_lack_parts = True  # generated reports have no episodes
    report.go(generated, "/?tab=timeline")
    frame = page.locator(".timeline-frame")
    frame.focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    status = page.locator(".timeline [role=status]")
    expect(status).to_contain_text(re.compile(r"emulator-5556, task task-1, step \d+, verdict A"))
    page.keyboard.press("+")
    expect(page.get_by_role("button", name="Whole run")).to_be_enabled()
    assert "from=" in report.place
    page.keyboard.press("0")
    expect(page.get_by_role("button", name="Whole run")).to_be_disabled()
    page.keyboard.press("Escape")
    expect(status).to_be_empty()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".timeline-card")).to_contain_text("Step")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"#/episodes/task-0-1\?step=\d+"))


def test_the_pointer_shows_the_screen_and_zooms(report: ReportPage, generated: str) -> None:
    page = report.page
    report.go(generated, "/?tab=timeline")
    page.locator(".timeline-canvas").hover(position={"x": 400, "y": 40})
    card = page.locator(".timeline-card")
    expect(card).to_contain_text("Step")
    assert card.locator("img").evaluate("async image => { await image.decode(); return image.naturalWidth; }") > 0
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    page.wait_for_url(re.compile("from="))
    before = report.place
    box = page.locator(".timeline-canvas").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 600, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 700, box["y"] + 60, steps=4)
    page.mouse.up()
    assert report.place != before
    assert "/episodes/" not in report.place


def test_an_event_leads_to_its_place_on_the_timeline(report: ReportPage, generated: str) -> None:
    report.go(generated, "/?tab=timeline")
    report.page.get_by_role("button", name=re.compile("the run was resumed")).click()
    report.page.wait_for_url(re.compile("from="))


def test_keys_are_listed_and_lead_to_a_film_and_back(report: ReportPage, recorded: str) -> None:
    page = report.page
    report.go(recorded, "/?verdict=failed,undecided,done")
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_contain_text("next task")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.locator(".film")).to_be_visible()
    assert report.place.startswith("#/episodes/")
    page.get_by_role("navigation", name="Place").get_by_role("link").click()
    expect(report.rows.first).to_be_visible()
    assert "verdict=" in report.place


def test_a_real_run_has_its_figures(report: ReportPage, recorded: str) -> None:
    report.go(recorded)
    summary = json.loads((Path(recorded.removeprefix("file://")) / "summary.json").read_text())
    figures = report.page.get_by_role("region", name="Figures of the run")
    expect(figures).to_contain_text(f"of {summary['tasks']}")
    expect(report.rows).to_have_count(summary["tasks"])


def test_a_thousand_tasks_draw_only_what_is_near(report: ReportPage, large: str) -> None:
    report.go(large)
    expect(report.page.get_by_role("table", name="Tasks of the run")).to_have_attribute("aria-rowcount", "1001")
    assert report.rows.count() < MOST_DRAWN
    report.page.keyboard.press("End")
    expect(report.page.locator(".run-tasks tr[aria-rowindex='1001']")).to_be_visible()
    assert report.rows.count() < MOST_DRAWN


def test_colours_that_a_person_chose_stay(report: ReportPage, generated: str) -> None:
    report.go(generated)
    report.page.get_by_role("button", name="Colours: as the system").click()
    report.page.get_by_role("button", name="Colours: light").click()
    expect(report.page.locator("html")).to_have_attribute("data-theme", "dark")
    report.page.reload()
    expect(report.page.locator("html")).to_have_attribute("data-theme", "dark")


def test_a_report_without_its_folder_says_what_is_missing(chromium: Browser, generated: str, tmp_path: Path) -> None:
    whole = Path(generated.removeprefix("file://"))
    (tmp_path / "report").mkdir()
    for name in ("report.html", "report/report.js", "report/report.css"):
        (tmp_path / name).write_bytes((whole / name).read_bytes())
    with ReportPage.open(chromium) as report:
        report.may_lack_parts = True
        report.go(address_of(tmp_path))
        expect(report.page.get_by_text("This part of the report is missing")).to_be_visible()
        expect(report.page.get_by_text("manyhands report RUN")).to_be_visible()
