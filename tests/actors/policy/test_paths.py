"""No way to a phone goes past the policy: who asks for actions, and what a request without a verdict is."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest
from pydantic import ValidationError

from manyhands.protocol.phones import Perform
from manyhands.protocol.policy import allow
from manyhands.protocol.screens.actions import Home, Tap
from tests.protocol.test_edge import REQUEST

ROOT = Path(__file__).parents[3]
NAMES = ("Perform", "judge", "judge_for_author", "find_refused_reset", "send_as")
ROOMS = ("actors", "benchmarks", "deploy", "evaluation", "protocol", "rollouts", "service", "simulator", "training")


@cache
def calls() -> Mapping[str, set[str]]:
    """The modules of the product that call a function or class, by its name."""
    found = defaultdict[str, set[str]](set)
    for path in (path for room in ROOMS for path in (ROOT / room).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for name in NAMES:
            if f"{name}(" in text and name in called_in(ast.parse(text)):
                found[name].add(str(path.relative_to(ROOT)))
    return found


def called_in(tree: ast.Module) -> set[str]:
    nodes = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {node.id for node in nodes if isinstance(node, ast.Name)}


def test_three_modules_ask_for_actions_and_each_has_a_verdict() -> None:
    """The agent's and persons' actions, the check's, and doctor's trial of typing."""
    asking = {
        "actors/episode/stages/act.py",
        "actors/episode/checks/evidence.py",
        "deploy/doctor/phone_checks.py",
    }
    assert calls()["Perform"] == asking


def test_what_people_have_written_down_is_judged_as_theirs_and_nothing_else_is() -> None:
    """A check's app or link, doctor's trial of typing, and the reset of a task."""
    assert calls()["judge_for_author"] == calls()["Perform"] - {"actors/episode/stages/act.py"}
    (resets,) = calls()["find_refused_reset"]
    episodes = (path for room in ("actors/episode", "deploy", "service") for path in (ROOT / room).rglob("*.py"))
    assert [str(path.relative_to(ROOT)) for path in episodes if "gateway.reset(" in path.read_text()] == [resets]


def test_only_the_gate_judges_the_agents_actions() -> None:
    assert calls()["judge"] >= {"actors/episode/stages/permission.py"}
    assert calls()["send_as"] == {"actors/episode/stages/act.py", "actors/episode/people/takeover.py"}


@pytest.mark.parametrize("verdict", ["", "0" * 16, allow(Home(), "another action").id])
def test_a_request_without_the_verdict_of_its_action_is_none(verdict: str) -> None:
    with pytest.raises(ValidationError, match="the policy must judge it first"):
        Perform(key="k", action=Tap(x=1, y=2), verdict=verdict)


def test_a_site_reads_no_request_whose_action_was_exchanged() -> None:
    """What comes over a broker is validated as it is read."""
    data = REQUEST.model_dump(mode="json")
    assert type(REQUEST).model_validate(data) == REQUEST
    data["perform"]["action"] = {"name": "Tap", "x": 7, "y": 7}
    with pytest.raises(ValidationError, match="the policy must judge it first"):
        type(REQUEST).model_validate(data)
