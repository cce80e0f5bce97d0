"""docs/fidelity.md: every element of the papers has a row, with words that mean something and files that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from manyhands.deploy.settings.loading import load_settings
from manyhands.evaluation.judgements import KINDS
from manyhands.evaluation.metrics.table import METRICS
from manyhands.evaluation.published import published
from manyhands.evaluation.suites.reading import papers_sets
from manyhands.protocol.learners import MOST_NEW_SHORTCUTS
from manyhands.protocol.limits import Limits

ROOT = Path(__file__).parents[1]
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (ROOT / "docs" / "fidelity.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| element")
]
STANDINGS = {"exact", "ours", "not"}


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_a_row_says_how_it_stands_and_where(row: list[str]) -> None:
    _, paper, default, exact, where = row
    assert re.match(r"(v1|v2|E|all|none)\b", paper)
    assert {default, exact} <= STANDINGS
    files = [name for name in re.findall(r"`([\w/.]+)`", where) if "/" in name]
    assert files
    assert [name for name in files if not (ROOT / name).is_file()] == []
    if "ours" in (default, exact):
        assert ";" in where or "docs/" in where, "what is ours says how it differs"


def test_every_equation_of_the_profiles_and_every_metric_of_the_papers_has_a_row() -> None:
    of_v2 = {int(n) for row in ROWS if row[1].startswith("v2 eq.") for n in re.findall(r"\d+", row[1][3:])}
    of_e = {int(n) for row in ROWS if row[1].startswith("E eq.") for n in re.findall(r"\d+", row[1])}
    assert of_v2 == set(range(1, 6))
    assert of_e == set(range(1, 10))
    told = " ".join(row[0] for row in ROWS)
    short = [name for name, one in METRICS.items() if one.paper != "ours" and name.isupper()]
    assert [name for name in short if not re.search(rf"\b{name}\b", told)] == []


def test_what_the_rows_count_is_what_the_data_holds() -> None:
    sizes = [len(one.instructions) for one in papers_sets()]
    assert sizes == [33, 44, 44, 25]
    counted = {row[0]: row for row in ROWS}
    assert {"Mobile-Eval, 33 instructions", "Mobile-Eval-v2, 44 and 44", "Mobile-Eval-E, 25 tasks"} <= counted.keys()
    human = sum(one.human_steps or 0 for one in papers_sets()[0].instructions)
    assert human == published().sets["Mobile-Eval"].operations


def test_what_is_exact_about_where_sequences_go_wrong_is_what_judges_are_asked() -> None:
    (row,) = (row for row in ROWS if row[1] == "v2 figure 4")
    assert (row[2:4] == ["exact", "exact"]) == ("effects" in KINDS)


def test_what_the_shortcuts_learner_may_write_is_what_its_reply_holds() -> None:
    (row,) = (row for row in ROWS if row[0].startswith("shortcuts reflector"))
    assert MOST_NEW_SHORTCUTS == 5
    assert "up to five new ones" in row[4]


def test_what_is_exact_about_replies_limits_and_sampling_is_what_settings_say() -> None:
    standing = {row[0]: row[2:4] for row in ROWS}
    default = load_settings({})
    assert (default.temperature, default.seed) == (0.0, 0)
    assert standing["temperature 0 and a fixed seed"] == ["exact", "exact"]
    assert (Limits().max_steps, Limits().max_failures, Limits().max_repeats) == (40, 3, 3)
    limits = ("40 steps", "three errors in a row", "the same action more than three times")
    assert [standing[name][1] for name in limits] == ["exact"] * 3


def test_rows_on_perception_point_to_the_page_that_says_what_may_stand_in() -> None:
    page = (ROOT / "docs" / "perception.md").read_text(encoding="utf-8")
    assert "\n## The papers' models\n" in page
    about = ("icon localization", "visual perception", "Perceptor", "OCR by", "icons by", "icon captions")
    rows = [row for row in ROWS if row[0].startswith(about)]
    assert len(rows) == len(about)
    assert [row[0] for row in rows if "(perception.md#the-papers-models)" not in row[4]] == []


def test_what_is_exact_about_captions_is_what_paper_exact_sets() -> None:
    exact = load_settings({"episode": {"paper_exact": True}}).episode
    (row,) = (row for row in ROWS if row[0].startswith("icon captions"))
    assert (row[3] == "exact") == (exact.captions and exact.caption_all)
