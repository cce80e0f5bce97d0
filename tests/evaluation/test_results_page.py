"""The page of a run's results: read back by an HTML parser, as a browser would; hostile texts stay texts."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from manyhands.actors.frames import encode_png
from manyhands.evaluation.formats.results import to_html
from manyhands.evaluation.results import results_of
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import Ending
from manyhands.protocol.tasks.task import Check, TaskSpec
from manyhands.protocol.tasks.unmet_tests import UnmetTest
from tests.evaluation.run_records import ID, captured, ended, span, started, write_run

HOSTILE = "</td><script src=https://example.com/x.js></script><img src=x onerror=alert(1)>"
CHECK = {"source": "content://example/state", "holds": {"path": "dark", "equals": True}}


class Page(HTMLParser):
    """Collect the rows of the table, and each address that a browser would load or follow."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
        self.loaded += [value or "" for name, value in attrs if name == "src" or (name == "href" and tag != "a")]
        self.links += [value or "" for name, value in attrs if name == "href" and tag == "a"]

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    tasks = [
        TaskSpec(id="done", goal="Find the price."),
        TaskSpec(id="wrong", goal=HOSTILE, check=Check.model_validate(CHECK)),
        TaskSpec(id="lost", goal="Do it."),
    ]
    folder = tmp_path / "the run"
    folder.mkdir()
    unmet = UnmetTest(expected=HOSTILE, found="false")
    write_run(
        folder,
        {"run_id": HOSTILE, "tasks": [task.model_dump(mode="json") for task in tasks]},
        {
            "done": [started("done", tasks[0]), ended(5, steps=1, answer='{"price": 5, "<b>": "<i>"}')],
            "wrong": [
                started("wrong", tasks[1]),
                captured(0, span(1, 2)),
                ended(9, verified=False, unmet=(unmet,), reason=HOSTILE),
            ],
            "lost": [started("lost", tasks[2]), ended(3, Ending.PHONE_LOST, reason=HOSTILE)],
        },
    )
    (folder / "screens").mkdir()
    (folder / "screens" / f"{ID}.png").write_bytes(encode_png(np.zeros((20, 10, 3), np.uint8)))
    return RunFolder(folder)


def test_a_page_has_a_row_for_each_task_and_no_markup_of_a_text(run: RunFolder) -> None:
    page = Page(to_html(results_of(run), run))
    assert [row[0].strip() for row in page.rows[1:]] == ["done", "wrong", "lost"]
    assert {"answer: price", "answer: <b>"} <= {cell.strip() for cell in page.rows[0]}
    assert any("<i>" in cell for cell in page.rows[1])
    assert any(HOSTILE in cell for cell in page.rows[2])
    assert (page.tags.count("script"), page.tags.count("img")) == (1, 1)


def test_a_page_loads_nothing_and_shows_the_last_screen_of_a_failure(run: RunFolder) -> None:
    page = Page(to_html(results_of(run), run))
    assert [address.split(",")[0] for address in page.loaded] == ["data:image/jpeg;base64"]


def test_links_lead_to_the_episodes_from_where_the_page_is(run: RunFolder) -> None:
    inside, elsewhere = run.path / "pages" / "results.html", run.path.parent / "results.html"
    assert Page(to_html(results_of(run), run, inside)).links[0] == "../episodes/done/"
    assert Page(to_html(results_of(run), run, elsewhere)).links[0] == f"{run.path.as_uri()}/episodes/done/"
    (run.path / "report.html").write_text("a report", encoding="utf-8")
    assert Page(to_html(results_of(run), run, inside)).links[0] == "../report.html#/episodes/done"
    for page in (elsewhere, None):
        assert Page(to_html(results_of(run), run, page)).links[0] == f"{run.path.as_uri()}/report.html#/episodes/done"


def test_a_page_beside_a_link_to_the_run_folder_leads_to_the_folder_itself(run: RunFolder, tmp_path: Path) -> None:
    linked = tmp_path / "latest"
    linked.symlink_to(run.path)
    through = RunFolder(linked)
    (link, *_) = Page(to_html(results_of(through), through, tmp_path / "results.html")).links
    assert link == f"{run.path.as_uri()}/episodes/done/"


def test_no_style_or_script_names_a_host(run: RunFolder) -> None:
    text = to_html(results_of(run), run)
    for part in re.findall(r"<style>.*?</style>|<script>.*?</script>", text, re.DOTALL):
        assert "//" not in part
