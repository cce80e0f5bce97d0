"""A step's bars from a journal, the step that is chosen to be drawn, and the files that are drawn."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image

from manyhands.benchmarks.step.figures import read_run
from manyhands.benchmarks.step.gantt import GanttBar, Panel, bars_of, draw_steps, panels
from manyhands.evaluation.plots import check_plots
from manyhands.protocol.errors import BadInput
from manyhands.protocol.journals.records import Planned, StageDropped, StageResult
from tests.benchmarks.test_step_figures import serial_episode, speculating_episode
from tests.evaluation.run_records import captured, checked, noted, perceived, planned, span, write_run

PANEL = Panel("serial: 1.0 s", 1.0, [GanttBar("plan", 0, 1, kind="assuming")])


def test_bars_are_cut_to_the_step_and_say_what_they_are() -> None:
    assumed = planned(1, span(11, 14)).model_copy(update={"assumed": ("verify",)})
    dropped = StageDropped(step=1, span=span(12, 13), stage="decide", assumed=("plan",), wrong="plan")
    records = [
        noted(0, span(8, 10.5)),
        captured(1, span(10, 11), settle_ms=750),
        perceived(1, span(11, 12.5, queue_ms=500)),
        checked(0, 11),
        assumed,
        dropped,
        planned(2, span(21, 24)),
    ]
    assert bars_of(records, 10, 13.5) == [
        GanttBar("note", 0, 0.5),
        GanttBar("settle", 0, 0.75, source="phone"),
        GanttBar("capture", 0.75, 1, source="phone"),
        GanttBar("perceive", 1, 2.5, queue_s=0.5, source="perception"),
        GanttBar("plan", 1, 3.5, kind="assuming"),
        GanttBar("decide", 2, 3, kind="dropped"),
    ]


@pytest.fixture
def folders(tmp_path: Path) -> dict[str, Path]:
    made = {"serial": tmp_path / "serial", "speculate": tmp_path / "speculate"}
    for (name, folder), records in zip(made.items(), (serial_episode(), speculating_episode()), strict=True):
        folder.mkdir()
        write_run(folder, {"schedule": name, "tasks": [{"id": "a"}]}, {"e": records})
    return made


def test_a_plain_step_is_drawn_and_one_that_threw_work_away(folders: dict[str, Path]) -> None:
    drawn = panels({name: read_run(folder) for name, folder in folders.items()})
    assert [panel.title for panel in drawn] == [
        "serial: 11.8 s",
        "speculate: 11.8 s",
        "speculate, decide asked again: 10.2 s",
    ]


def test_any_stage_of_a_profile_is_drawn(folders: dict[str, Path], tmp_path: Path) -> None:
    records = [
        StageResult(step=record.step, span=record.span, stage="look", calls=record.calls, data={})
        if isinstance(record, Planned)
        else record
        for record in serial_episode()
    ]
    write_run(tmp_path, {"tasks": [{"id": "a"}]}, {"e": records})
    [drawn] = panels({"serial": read_run(tmp_path)})
    assert [bar.row for bar in drawn.bars if bar.row not in ("act", "settle", "capture", "perceive")] == [
        "verify",
        "note",
        "look",
        "decide",
    ]
    assert [bar.row for bar in drawn.bars if bar.verdict] == ["verify"]


def test_the_plots_are_pictures(folders: dict[str, Path], tmp_path: Path) -> None:
    drawn = panels({name: read_run(folder) for name, folder in folders.items()})
    png, svg = draw_steps(drawn, tmp_path / "plots")
    assert (png.name, svg.name) == ("step_gantt.png", "step_gantt.svg")
    with Image.open(png) as picture:
        assert picture.width > 1000
    assert ElementTree.parse(svg).getroot().tag.endswith("svg")


def test_the_same_figure_gives_the_same_file(tmp_path: Path) -> None:
    one, other = (draw_steps([PANEL], tmp_path / folder) for folder in ("one", "other"))
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in other]


def test_a_folder_that_cannot_be_written_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="that is a file"):
        check_plots(tmp_path / "file")
    with pytest.raises(BadInput, match="--plot"):
        draw_steps([PANEL], tmp_path / "file" / "under")
    check_plots(None)
    check_plots(tmp_path / "not there yet")
