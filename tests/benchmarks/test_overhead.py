"""``manyhands bench overhead``: what it refuses, and what counts as Manyhands' own."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from manyhands.benchmarks.cpu import ADB_SERVER, RAY, Group, group_of
from manyhands.deploy.command_line.cli import app


def test_a_size_that_is_none_is_refused_before_anything_starts() -> None:
    result = CliRunner().invoke(app, ["bench", "overhead", "--size", "tall", "--json"])
    assert result.exit_code == 2
    assert json.loads(result.stdout)["code"] == "bad_input"


@pytest.mark.parametrize(
    ("kind", "group"),
    [
        ("driver", "own"),
        ("EpisodeHost", "own"),
        (RAY, "ray"),
        (ADB_SERVER, "adb"),
        ("canned phones", "stand-ins"),
        ("canned model", "stand-ins"),
        ("virtual phones", "stand-ins"),
    ],
)
def test_only_the_driver_and_actors_are_our_own(kind: str, group: Group) -> None:
    assert group_of(kind) == group
