"""The goals of the model that learns: what it is scored on is nothing that it has learned from."""

from __future__ import annotations

from pathlib import Path

import yaml

from manyhands.protocol.tasks.task import TaskSpec
from manyhands.simulator.phone.apps.preferences import SWITCHES as ON_THE_PHONE
from manyhands.simulator.phone.apps.settings import SECTIONS, Toggle
from manyhands.simulator.rehearsal.script import load_scripts
from training.demo.goals import SEEDS, SWITCHES, goals, scripts, tasks


def test_no_goal_no_name_and_no_seed_is_in_both_parts() -> None:
    learned, scored = list(goals("learn")), list(goals("score"))
    assert not {one.text for one in learned} & {one.text for one in scored}
    assert not SWITCHES["learn"].keys() & SWITCHES["score"].keys()
    assert not {one.value for one in learned if isinstance(one.value, str)} & {one.value for one in scored}
    assert not {*SEEDS["learn"]} & {*SEEDS["score"]}


def test_the_phone_has_every_switch_on_the_page_that_a_goal_names() -> None:
    titles = {
        line.key: (section.title[0], line.title[0])
        for section in SECTIONS
        for line in section.lines
        if isinstance(line, Toggle)
    }
    for part in SWITCHES.values():
        assert part.items() <= titles.items()
        assert part.keys() <= {one.key for one in ON_THE_PHONE}


def test_each_task_is_valid_and_the_rehearsed_model_has_a_script_for_it(tmp_path: Path) -> None:
    file = tmp_path / "scripts.yaml"
    file.write_text(yaml.safe_dump(scripts(), sort_keys=False))
    rehearsed = load_scripts([file])
    every = [*tasks("learn"), *tasks("score")]
    assert len({one["id"] for one in every}) == len(every)
    for one in every:
        script = rehearsed.for_goal(TaskSpec.model_validate(one).goal)
        assert script is not None
        assert "{" not in str(script.subgoals)
