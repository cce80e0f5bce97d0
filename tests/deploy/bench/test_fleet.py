"""``manyhands bench fleet``: what it refuses, and the sizes and loads that are asked for."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from deploy.cli import app
from deploy.commands.bench.fleet import doubled, fleet_sizes, shares_of


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--phones", "0"], "--phones 0: write numbers from 1 to 1000"),
        (["--loads", "-1", "--simulate"], "--loads -1: write numbers above 0"),
        (["--perception", "guessed"], "--perception guessed"),
        (["--simulate", "--latency", "plan=1"], "--latency: changes nothing with --simulate"),
        (["--simulate", "--episode-steps", "4"], "--episode-steps: changes nothing with --simulate"),
        (["--steps", "10"], "--steps: changes nothing without --simulate"),
    ],
)
def test_bad_input_is_refused_before_anything_starts(arguments: list[str], said: str) -> None:
    done = CliRunner().invoke(app, ["bench", "fleet", "--json", *arguments])
    assert done.exit_code == 2
    error = json.loads(done.stdout)
    assert error["code"] == "bad_input"
    assert said in error["error"]


def test_sizes_and_loads() -> None:
    assert fleet_sizes("16,1,4,4") == (1, 4, 16)
    assert doubled((2, 5, 9)) == (2, 4, 8)
    assert shares_of("2,0.3") == (0.3, 2.0)
