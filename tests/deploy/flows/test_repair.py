"""What the agent did takes the place of the steps that a flow could not do, and the rest stays as it is in the file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from manyhands.deploy.flows.draft import dump_flows
from manyhands.deploy.flows.repair import mend_flow
from manyhands.evaluation.episodes import RecordedEpisode, episode_of
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import BadInput
from manyhands.protocol.screens.actions import Action, Stop, Type
from manyhands.protocol.tasks.flow import drag
from manyhands.protocol.tasks.task import TaskSpec, parse_tasks
from manyhands.protocol.utilities.yaml_document import parse_yaml
from tests.actors.episode.world import SIZE, order
from tests.actors.profiles.flow.test_flow import PAGES, agent_calls, agent_of, changed
from tests.actors.profiles.flow.world import FlowWorld, Page
from tests.deploy.command_line.called import manyhands
from tests.evaluation.run_records import write_run
from tests.virtual_clock import run_virtual

FILE = """
- id: task
  goal: Send the note ${text}.
  variables: {text: Milk}
  check: {source: "content://example/state", holds: {path: screen, equals: sent}}
  flow:
    made_from: run, task
    is_checked: true
    steps:
      - action: {name: Open_App, app: Notes}
      - {before: {shows: [Notes, Shopping]}, action: {name: Tap, target: {text: New note}}}
      - {before: {shows: [New note form]}, action: {name: Tap, target: {text: Title}}}
      - {before: {keyboard: true}, action: {name: Type, text: "${text}"}, reads: []}
      - {before: {shows: [New note form], keyboard: true}, action: {name: Tap, target: {text: Send}}, effects: [send]}
    end: {shows: [Sent]}
"""
APP = {"app": "org.example"}
RENAMED = changed(list=Page(["Notes", "Shopping", "Write one"], {"Write one": "form"}))


def read(text: str) -> tuple[Any, TaskSpec]:
    document = parse_yaml(text, "flow.yaml")
    (entry,), (task,) = document.data, parse_tasks(document)
    return entry, task


def followed(
    task: TaskSpec, pages: Mapping[str, Page], taps: Mapping[str, str] | None = None, **actions: Action
) -> tuple[FlowWorld, RecordedEpisode]:
    world = FlowWorld(pages=dict(pages), taps=dict(taps or {}))
    agent_of(world, **actions)
    document = task.model_dump(mode="json", by_alias=True, exclude_unset=True)
    result = run_virtual(world.host().run_episode(order(task=document, profile="flow", elements="vision")))
    assert result.ending is Ending.FINISHED, result.reason
    episode = episode_of(world.written("run-task-1"))
    assert episode is not None
    return world, episode


def mended(
    pages: Mapping[str, Page], taps: Mapping[str, str], text: str = FILE, **actions: Action
) -> tuple[dict[str, Any], dict[str, Any], tuple[str, ...]]:
    """A flow, the same mended by an episode on these pages, where it needs no model then, and the warnings."""
    entry, task = read(text)
    _, episode = followed(task, pages, taps, **actions)
    result = mend_flow(entry, task, {}, episode, "second, task")
    _, again = read(yaml.safe_dump([dict(result.entry)]))
    world, _ = followed(again, pages)
    assert agent_calls(world) == 0
    return entry["flow"], result.entry["flow"], result.warnings


def test_a_renamed_button_is_the_one_step_that_changes() -> None:
    old, new, warnings = mended(RENAMED, {"list": "Write one"})
    assert new["steps"][1]["action"] == {"name": "Tap", "target": {"text": "Write one"}}
    assert [new["steps"][0], *new["steps"][2:]] == [old["steps"][0], *old["steps"][2:]]
    assert (new["end"], "is_checked" in new, warnings) == (old["end"], False, ())
    assert new["made_from"] == "run, task; mended by second, task"


def test_a_dialog_that_the_agent_closes_is_a_step_more() -> None:
    popup = Page(["What is new", "Got it"], {"Got it": "list"})
    pages = changed(s0=Page(["Home"], {"Notes": "popup"}), popup=popup)
    old, new, _ = mended(pages, {"popup": "Got it"})
    closing = {"before": {**APP, "shows": ["What is new"]}, "action": {"name": "Tap", "target": {"text": "Got it"}}}
    assert new["steps"] == [old["steps"][0], closing, *old["steps"][1:]]


def test_where_the_agent_scrolled_to_a_target_the_flow_looks_for_it() -> None:
    pages = changed(list=Page(["Notes", "Shopping", "Ideas"], scrolls_to="down"), down=PAGES["list"])
    old, new, _ = mended(pages, {}, list=drag("up", SIZE))
    assert new["steps"] == [old["steps"][0], {**old["steps"][1], "search": "up"}, *old["steps"][2:]]


def test_what_the_agent_types_is_the_variable_of_the_file() -> None:
    quick = Page(["Quick note", "Cancel"], typed_to="filled", keyboard=True)
    pages = changed(list=Page(["Notes", "Shopping", "Write one"], {"Write one": "quick"}), quick=quick)
    old, new, _ = mended(pages, {"list": "Write one"}, quick=Type(text="Milk"))
    typing = {"before": {**APP, "shows": ["Quick note", "Cancel"], "keyboard": True}}
    typing |= {"action": {"name": "Type", "text": "${text}"}}
    assert new["steps"][2:] == [typing, old["steps"][-1]]


def test_another_last_screen_is_the_end_from_then_on() -> None:
    pages = changed(sent=Page(["Notes", "On its way"]))
    old, new, _ = mended(pages, {}, sent=Stop())
    assert (new["steps"], new["end"]) == (old["steps"], {**APP, "shows": ["Notes", "On its way"]})


SWITCH = """
- id: task
  goal: Turn dark mode on.
  check: {source: "content://example/state", holds: {path: screen, equals: closed}}
  flow:
    steps:
      - {action: {name: Tap, target: {text: Dark mode, checked: false}}}
      - {before: {shows: [Dark mode is on]}, action: {name: Tap, target: {text: Close}}}
"""
ON_ALREADY = {
    "s0": Page(["Display", "Dark mode", "Close"], {"Close": "closed"}, switches={"Dark mode": True}),
    "closed": Page(["Home"]),
}


def test_a_switch_that_is_left_out_is_told() -> None:
    _, new, warnings = mended(ON_ALREADY, {"s0": "Close"}, SWITCH, closed=Stop())
    assert [step["action"]["target"]["text"] for step in new["steps"]] == ["Close"]
    assert warnings == ('Tap "Dark mode" is left out: the agent did without it',)


SEARCH = """
- id: task
  goal: Look at the list.
  check: {source: "content://example/state", holds: {path: screen, equals: s1}}
  flow:
    steps:
      - {action: {name: Tap, target: {text: Anna}}, search: up}
      - {before: {shows: [Anna]}, action: {name: Tap, target: {text: Call}}}
"""


@pytest.mark.parametrize(
    ("text", "pages"),
    [
        (SWITCH.replace("equals: closed", "equals: s0"), ON_ALREADY),
        (SEARCH, {"s0": Page(["Contacts", "Max"], scrolls_to="s1"), "s1": Page(["Contacts", "Zoe"])}),
    ],
    ids=["nothing", "scrolled"],
)
def test_steps_in_whose_place_the_agent_did_nothing_stay(text: str, pages: Mapping[str, Page]) -> None:
    entry, task = read(text)
    _, episode = followed(task, pages, s0=Stop(), s1=Stop())
    with pytest.raises(BadInput, match="there is nothing to mend"):
        mend_flow(entry, task, {}, episode, "second, task")


def test_only_a_verified_episode_of_the_same_flow_mends_it() -> None:
    entry, task = read(FILE)
    _, bread = read(FILE.replace("Milk", "Bread"))
    _, one_less = read(FILE.replace("      - action: {name: Open_App, app: Notes}\n", ""))
    started = {**PAGES, "s0": PAGES["list"]}
    for other, pages, why in (
        (task.model_copy(update={"check": None}), RENAMED, "only a verified episode can mend a flow"),
        (task, PAGES, "there is nothing to mend"),
        (one_less, started, 'step 1 is Tap "New note" there, and Open_App Notes in the file'),
        (bread, PAGES, 'step 4 is Type "Bread" there, and Type "Milk" in the file; give the values of that run by'),
    ):
        _, episode = followed(other, pages, {"list": "Write one"})
        with pytest.raises(BadInput, match=why):
            mend_flow(entry, task, {}, episode, "second, task")


STORED = dump_flows(parse_yaml(FILE, "flow.yaml").data)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run on pages with another button, beside the flow's file."""
    (tmp_path / "flow.yaml").write_text(STORED)
    (tmp_path / "other.yaml").write_text(STORED.replace("id: task", "id: other"))
    folder = tmp_path / "run"
    folder.mkdir()
    _, episode = followed(read(FILE)[1], RENAMED, {"list": "Write one"})
    asked = {"phones": ["p"], "run_id": "run", "tasks": [{"id": "task", "goal": "Send the note Milk."}]}
    write_run(folder, asked, {"task-1-x": episode.records})
    return folder


def test_the_command_shows_the_difference_and_stores_it(run: Path) -> None:
    file, out = run.parent / "flow.yaml", run.parent / "new.yaml"
    done = manyhands("flow", "mend", run, "task", file, "-o", out, "--unchecked")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"--- {file}\n+++ {out}\n" in done.stdout
    assert "5 steps, not checked by a second run" in done.stdout
    assert "\n-          text: New note\n+          text: Write one\n" in done.stdout
    assert file.read_text() == STORED
    said = json.loads(manyhands("flow", "mend", run, "task", file, "--unchecked", "--json").stdout)
    assert (said["flow"], said["steps"], said["is_checked"]) == (str(file), 5, False)
    assert f"+++ {file}\n" in said["difference"]
    assert file.read_text() == out.read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("RUN", "nobody", "flow.yaml"), "no episode of 'nobody' was verified; the run's tasks are task"),
        (("RUN", "task", "other.yaml"), "it has no task task, which this run carried out; it has other"),
        (("RUN", "task", "flow.yaml", "-o", "no/folder/flow.yaml"), "there is no folder"),
        (("RUN", "task", "flow.yaml", "--set", "text=Bread"), "it followed another flow: step 4 is Type"),
        (("RUN", "task", "flow.yaml", "--set", "wat=Bread"), "its variables are text"),
    ],
)
def test_bad_input_is_one_line(run: Path, arguments: tuple[str, ...], said: str) -> None:
    words = [str(run) if word == "RUN" else str(run.parent / word) if ".yaml" in word else word for word in arguments]
    done = manyhands("flow", "mend", *words)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert (run.parent / "flow.yaml").read_text() == STORED
