"""What docs/scaling.md has from assumed figures, and what becomes of it with measured ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from manyhands.deploy.benchmarks.model.report import ModelReport
from manyhands.deploy.benchmarks.scaling.costs import ASSUMED
from manyhands.deploy.benchmarks.scaling.measured_costs import measured_costs
from manyhands.deploy.benchmarks.scaling.tables import fill_page, fleet_needs, two_digits
from manyhands.deploy.command_line.cli import app
from manyhands.deploy.fleet.models import REHEARSED_SOURCE
from manyhands.protocol.errors import BadInput
from tests.deploy.benchmarks.test_model_page import report

PAGE = Path(__file__).parents[3] / "docs" / "scaling.md"


@pytest.fixture
def measured(tmp_path: Path) -> Path:
    path = tmp_path / "model.json"
    path.write_text(report().model_dump_json())
    return path


def test_the_page_is_up_to_date() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert fill_page(text, ASSUMED) == text, "run: make scaling"


def test_measured_figures_replace_every_assumed_one(measured: Path, tmp_path: Path) -> None:
    page = tmp_path / "scaling.md"
    page.write_text(PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    result = CliRunner().invoke(app, ["bench", "scaling", str(measured), "--write", str(page)])
    assert result.exit_code == 0, result.output
    text = page.read_text(encoding="utf-8")
    table = text[text.index("<!-- scaling model -->") : text.index("Nobody has measured")]
    assert "What answered: Qwen3-VL-8B, vLLM 0.33.0, NVIDIA H100." in table
    assert "| assumed |" not in table
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines() if line.startswith("| ")]
    told = {cells[0]: cells[1] for cells in rows[2:]}
    # one load of forty answered calls in 200 s, 0.2 steps a second: at 70 %, 0.14 steps a second of 0.7 phones
    assert told == {
        "time of a step": "8.5 s",
        "calls of the model": "3.4",
        "time of a call": "1.5 s",
        "input tokens": "1,000",
        "input tokens that are in no cache": "750",
        "output tokens": "50",
        "a server's steps a second": "0.14",
    }
    assert fill_page(text, ASSUMED) == PAGE.read_text(encoding="utf-8")


def test_what_a_fleet_needs_follows_from_the_measured_figures(measured: Path) -> None:
    result = CliRunner().invoke(app, ["bench", "scaling", str(measured), "--phones", "850", "--json"])
    said = json.loads(result.stdout)
    assert said["answered_by"] == "Qwen3-VL-8B, vLLM 0.33.0, NVIDIA H100"
    (fleet,) = said["fleets"]
    assert (fleet["phones"], fleet["steps a second"]) == (850, pytest.approx(100))
    assert fleet["requests a second to the model"] == pytest.approx(340)
    assert fleet["input tokens a second that no cache has"] == pytest.approx(75_000)
    assert fleet["servers of the model, of 0.14 steps a second each"] == pytest.approx(100 / 0.14)


def test_other_measured_profiles_are_named(tmp_path: Path) -> None:
    found = report()
    (one,) = found.profiles
    both = found.model_copy(update={"profiles": (one.model_copy(update={"profile": "native"}), one)})
    (tmp_path / "model.json").write_text(both.model_dump_json())
    result = CliRunner().invoke(app, ["bench", "scaling", str(tmp_path / "model.json")])
    assert "These are figures of native. Measured as well: --profile e" in result.output


def test_a_stand_in_is_named_above_each_table_of_its_figures() -> None:
    costs = measured_costs(report(REHEARSED_SOURCE, "manyhands-rehearsed"), None)
    text = fill_page(PAGE.read_text(encoding="utf-8"), costs)
    assert text.count("What answered: the rehearsed model, a stand-in for Qwen-VL; none of its figures is") == 2


def test_servers_are_whole_ones() -> None:
    servers = next(need for need in fleet_needs(ASSUMED) if need.is_whole)
    assert servers.told(10, 0.1) == "1"
    assert servers.told(10_000, 2 * ASSUMED.server_steps_s.value) == "2"
    assert servers.told(10_000, 2.01 * ASSUMED.server_steps_s.value) == "3"


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "0"), (0.0347, "0.035"), (0.996, "1.0"), (8.33, "8.3"), (99.6, "100"), (833, "830"), (3_617_500, "3,600,000")],
)
def test_two_digits(value: float, shown: str) -> None:
    assert two_digits(value) == shown


def test_reports_without_figures_are_refused() -> None:
    empty = report().model_copy(update={"profiles": ()})
    with pytest.raises(BadInput, match="no load of any profile"):
        measured_costs(empty, None)
    with pytest.raises(BadInput, match="there are e"):
        measured_costs(report(), "v1")


def test_what_is_no_report_or_page_is_refused(tmp_path: Path, measured: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text("{}")
    for options, why in (
        ([str(tmp_path / "missing.json")], "No such file"),
        ([str(other)], "is not the model.json"),
        (["--profile", "e"], "name the model.json"),
        ([str(measured), "--write", str(other)], "has no mark"),
    ):
        result = CliRunner().invoke(app, ["bench", "scaling", "--json", *options])
        assert result.exit_code == 2, options
        assert why in json.loads(result.stdout)["error"]
    assert other.read_text() == "{}"


def test_a_report_survives_its_json() -> None:
    found = report()
    assert ModelReport.model_validate_json(found.model_dump_json()) == found
