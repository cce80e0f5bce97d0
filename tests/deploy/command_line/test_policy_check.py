"""``manyhands policy check``: what a policy would have said of the actions of a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from manyhands.protocol.journals.records import Perceived
from manyhands.protocol.policy import Effect
from manyhands.protocol.screens.actions import Home, Tap
from manyhands.protocol.tasks.task import TaskSpec
from tests.actors.policy.screens import place, screen
from tests.deploy.command_line.called import manyhands
from tests.evaluation.run_records import ended, sent, span, started, write_run


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run of one task that went home, and then tapped Pay."""
    x, y = place(1)
    folder = tmp_path / "run"
    folder.mkdir()
    records = [
        started("a-1", TaskSpec(id="a", goal="Buy coffee.")),
        Perceived(step=0, span=span(0, 1), screen=screen("Welcome")),
        sent(0, "a-1:0", action=Home()),
        Perceived(step=1, span=span(1, 2), screen=screen("Coffee", "Pay $12.50")),
        sent(1, "a-1:1", action=Tap(x=x, y=y)),
        ended(3, steps=2),
    ]
    write_run(folder, {"phones": ["p"], "tasks": [{"id": "a", "goal": "Buy coffee."}]}, {"a-1": records})
    return folder


def test_it_names_what_would_be_asked(run: Path) -> None:
    said = manyhands("policy", "check", run, "--json")
    value = json.loads(said.stdout)
    assert (said.returncode, value["actions"]) == (1, 2)
    (ask,) = value["asks"]
    assert (ask["task"], ask["step"], ask["effect"], ask["target"]) == ("a", 1, Effect.PAY, "Pay $12.50")
    text = manyhands("policy", "check", run).stdout
    assert "1 of 2 actions needs a person's word; pay: 1" in text


@pytest.mark.parametrize(("grant", "code"), [("pay", 0), ("pay:*:12.50", 0), ("pay:*:13", 1), ("send", 1)])
def test_a_grant_allows_it(run: Path, grant: str, code: int) -> None:
    assert manyhands("policy", "check", run, "--allow", grant).returncode == code


def test_a_grant_that_is_none_is_one_line(run: Path) -> None:
    said = manyhands("policy", "check", run, "--allow", "fly:Bank")
    assert said.returncode == 2
    assert "write EFFECT:APP:ABOUT" in said.stderr
    assert len(said.stderr.strip().splitlines()) == 1


def test_a_policy_of_a_file_is_tried(run: Path, tmp_path: Path) -> None:
    """The same file serves ``run --config``."""
    path = tmp_path / "config.yaml"
    path.write_text("episode:\n  policy: {ask: [send], signs: {send: {controls: [Welcome]}}}\n")
    assert manyhands("policy", "check", run, "--config", path).returncode == 0
    path.write_text("episode:\n  allow: ['pay:*:12.50']\n")
    assert manyhands("policy", "check", run, "--config", path).returncode == 0


@pytest.mark.parametrize("policy", ["{ask: [fly]}", "{signs: {fly: {}}}", "{phones: some}", "{aks: [pay]}"])
def test_a_policy_with_an_unknown_word_is_one_line(run: Path, tmp_path: Path, policy: str) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(f"episode:\n  policy: {policy}\n")
    said = manyhands("policy", "check", run, "--config", path)
    assert (said.returncode, len(said.stderr.strip().splitlines())) == (2, 1), said.stderr
    assert f"{path}: line 2: " in said.stderr
