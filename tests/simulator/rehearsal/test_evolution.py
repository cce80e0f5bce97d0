"""The scenarios of the suite evolution, with what the rehearsed model teaches, permits and uses."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import pytest

from manyhands.actors.learning.shortcut_validation import ValidatedShortcut, validate_shortcut
from manyhands.protocol.roles.memory import LongTermMemory, Shortcut
from manyhands.protocol.screens.actions import RunShortcut
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.simulator.rehearsal.model import RehearsedModel
from manyhands.simulator.rehearsal.planting import Planted
from manyhands.simulator.rehearsal.settings import RehearsalSettings
from manyhands.simulator.suites import HERE
from tests.simulator.rehearsal.eyes import LayoutEyes
from tests.simulator.rehearsal.loop import MEMORY, SIZE, Episode, in_process
from tests.simulator.rehearsal.scripts import SCRIPTS
from tests.simulator.suites.tasks import SUITES

TASKS = SUITES[HERE / "evolution.yaml"]
SCENARIOS = {
    scope: [task for task in TASKS if task.memory_scope == scope]
    for scope in dict.fromkeys(str(task.memory_scope) for task in TASKS)
}
OTHER_SIZE = Size(width=1440, height=3120)


@dataclass
class Scenario:
    """How the tasks of a scenario went, one after another."""

    memory: LongTermMemory = MEMORY
    calls: list[int] = field(default_factory=list)
    """By task; learning and permits are counted."""
    used: Counter[str] = field(default_factory=Counter)


async def carried_out(
    tasks: list[TaskSpec],
    evolves: bool,
    memory: LongTermMemory = MEMORY,
    size: Size = SIZE,
    planted: Planted = Planted.NOTHING,
) -> Scenario:
    scenario = Scenario(memory)
    for place, task in enumerate(tasks):
        eyes = LayoutEyes()
        model = RehearsedModel(SCRIPTS, eyes, RehearsalSettings(lessons=planted))
        episode = Episode(task, in_process(model), eyes.look, memory=scenario.memory, permits=evolves, size=size)
        played = await episode.play()
        assert played.verified, f"{task.id}: {played}"
        assert played.ending == "finished", f"{task.id}: {played}"
        scenario.used.update(one.action.shortcut for one in episode.done if isinstance(one.action, RunShortcut))
        if evolves:
            await learn(episode, scenario, [one.goal for one in tasks[place + 1 :]])
        scenario.calls.append(episode.calls.total())
    return scenario


async def learn(episode: Episode, scenario: Scenario, future: list[str]) -> None:
    """Teach what the episode supports."""
    tips = await episode.learn_tips(future)
    shortcuts = scenario.memory.shortcuts
    for proposed in await episode.learn_shortcuts(future):
        borne_out: ValidatedShortcut = validate_shortcut(proposed, episode.done, episode.size, [episode.task.goal])
        others = [one for one in shortcuts if one.name != proposed.name]
        shortcuts = (*others, borne_out.shortcut)
    scenario.memory = LongTermMemory(tips=tips, shortcuts=shortcuts)


@pytest.mark.slow
@pytest.mark.parametrize("scope", SCENARIOS)
async def test_later_tasks_of_a_scenario_need_fewer_calls_with_two_shortcuts(
    scope: str,
) -> None:
    tasks = SCENARIOS[scope]
    assert len(tasks) == 5
    alone, evolved = await carried_out(tasks, False), await carried_out(tasks, True)
    assert sum(evolved.calls[1:]) <= 0.8 * sum(alone.calls[1:]), (alone.calls, evolved.calls)
    learned = {one.name for one in evolved.memory.shortcuts} - {one.name for one in MEMORY.shortcuts}
    assert len(learned & evolved.used.keys()) >= 2
    assert evolved.memory.tips[: len(MEMORY.tips)] == MEMORY.tips
    assert len(evolved.memory.tips) > len(MEMORY.tips)
    again = await carried_out(tasks, True, evolved.memory, OTHER_SIZE)
    other_alone = await carried_out(tasks, False, size=OTHER_SIZE)
    assert sum(again.calls[1:]) <= 0.8 * sum(other_alone.calls[1:]), (other_alone.calls, again.calls)


def titled_note(memory: LongTermMemory) -> Shortcut:
    """A task may teach others beside it."""
    (found,) = (one for one in memory.shortcuts if one.name == "Write_Titled_Note")
    return found


async def test_a_shortcut_that_lacks_a_tap_fails_once_and_its_mended_version_is_used() -> None:
    tasks = SCENARIOS["notes_in_order"]
    lacking = (await carried_out(tasks[:1], True, planted=Planted.MISSING_TAP)).memory
    assert [step.name for step in titled_note(lacking).steps][:1] == ["Type"]
    once = await carried_out(tasks[1:2], True, lacking, planted=Planted.MISSING_TAP)
    assert once.used["Write_Titled_Note"] == 1
    assert titled_note(once.memory) == titled_note((await carried_out(tasks[:1], True)).memory)
    later = await carried_out(tasks[2:3], True, once.memory, planted=Planted.MISSING_TAP)
    assert later.used["Write_Titled_Note"] == 2


@pytest.mark.parametrize("planted", [Planted.WRONG_APP, Planted.FULL_FIELD, Planted.INJECTION, Planted.MARKS])
async def test_tasks_are_done_whatever_is_planted(planted: Planted) -> None:
    for tasks in SCENARIOS.values():
        await carried_out(tasks[:3], True, planted=planted)
