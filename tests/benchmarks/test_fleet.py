"""``manyhands bench fleet``: what it refuses, the sizes of fleets, and a fleet that fails."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from manyhands.benchmarks.fleet import doubled, fleet_sizes, measure_all, show, sources
from manyhands.benchmarks.fleet_throughput import FleetLoad, FleetRow, Tell
from manyhands.deploy.command_line.cli import app
from manyhands.deploy.command_line.output import text_console
from manyhands.deploy.settings.loading import load_settings
from manyhands.evaluation.provenance import Provenance, this_machine
from manyhands.protocol.errors import BadInput


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--phones", "0"], "--phones 0: write numbers from 1 to 1000"),
        (["--perception", "guessed"], "--perception guessed"),
        (["--latency", "plan"], "--latency plan: write ROLE=SECONDS"),
    ],
)
def test_bad_input_is_refused_before_anything_starts(arguments: list[str], said: str) -> None:
    done = CliRunner().invoke(app, ["bench", "fleet", "--json", *arguments])
    assert done.exit_code == 2
    error = json.loads(done.stdout)
    assert error["code"] == "bad_input"
    assert said in error["error"]


def test_sizes() -> None:
    assert fleet_sizes("16,1,4,4") == (1, 4, 16)
    assert doubled((2, 5, 9)) == (2, 4, 8)


async def up_to_four(load: FleetLoad, phones: int, tokens_per_s: float | None, tell: Tell) -> FleetRow:
    if phones > 4:
        raise BadInput("the fleet did\nnot start")
    return FleetRow(
        phones=phones,
        tokens_per_s=tokens_per_s,
        episodes=4,
        endings={"step_limit": 4},
        steps=16,
        window_s=30,
        episodes_per_hour=100 * phones,
        step_p50_ms=8000,
        step_p95_ms=9000,
        cpu_ms_per_step={"driver": 50},
        memory_mib={"driver": 100},
    )


async def test_a_fleet_that_fails_leaves_those_before_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    load = FleetLoad(load_settings({"phones": ["virtual:1"]}), {}, 4, 4, "modelled:0.3:2", tmp_path)
    measured = await measure_all(load, (1, 4, 16, 64), (None,), text_console(stderr=True), up_to_four)
    provenance = Provenance(sources(load), this_machine(), load.out)
    for as_json in (True, False):
        capsys.readouterr()
        assert show(measured, load, provenance, as_json) == 1
        told = capsys.readouterr()
        assert told.err == "error: 16 phones, unlimited model: the fleet did not start\n"
        if as_json:
            said = json.loads(told.out)
            assert [row["phones"] for row in said["rows"]] == [1, 4]
            assert said["failed"] == "16 phones, unlimited model: the fleet did not start"
            assert "2 at a time" in said["sources"]["perception"]
        else:
            assert "400" in told.out
    with pytest.raises(BadInput):
        await measure_all(load, (16,), (None,), text_console(stderr=True), up_to_four)
