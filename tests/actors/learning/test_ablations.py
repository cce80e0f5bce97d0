"""What learners and the retriever are sent when a part is left out, and as in the paper: every word of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from manyhands.actors.learning.teacher import TeacherSettings
from manyhands.actors.memory import initial_memory
from manyhands.actors.memory.memory_service import MemoryContents
from manyhands.actors.mllm import dialect_named
from manyhands.actors.profiles import PROFILES
from manyhands.actors.prompts import Prompts
from manyhands.protocol.roles.role import Role
from manyhands.protocol.roles.sections import Section, split_sections
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from tests.actors.learning.test_teacher import FIND, SCOPE, Learner, more_tips, recall_order, school, writes

EVO = PROFILES["e+evo"]
TAUGHT = "A laptop is found by the search of the shop."
Sent = Mapping[Role, list[str]]
S = Section
TIPS, SHORTCUTS, BOTH = {S.TIPS}, {S.SHORTCUTS}, {S.TIPS, S.SHORTCUTS}
LEARNING = {Role.LEARN_TIPS, Role.LEARN_SHORTCUTS}


async def sent(folder: Path, **settings: Any) -> Sent:
    """What each role was sent until a task had recalled and taught; one that was not asked is not there."""
    memory = MemoryContents(folder / "memory.sqlite")
    memory.add(SCOPE, [TAUGHT, *(f"Row {number} holds thing {number}." for number in range(60))], [FIND])
    memory.close()
    async with school(folder, more_tips(), writes(None)) as one:
        one.settings = TeacherSettings(budget_tokens=300, shown_tokens=12_000)
        await one.teacher.recall(recall_order(**settings))
        await one.learn(**settings)
        asked: Mapping[Role, Learner] = {
            Role.RECALL: one.retriever, Role.LEARN_TIPS: one.tips, Role.LEARN_SHORTCUTS: one.shortcuts
        }  # fmt: skip
    chosen = EpisodeSettings(profile="e+evo", **settings)
    agents = {agent.role: agent for agent in EVO.agents(chosen)}
    prompts = Prompts(dialect_named("qwen3-vl"), "json", EVO.package)
    return {
        role: ["\n".join(map(str, agents[role].prompt(prompts, request, ()).content)) for request in learner.asked]
        for role, learner in asked.items()
        if learner.asked
    }


def sections(prompt: str, *but: Section) -> dict[Section, str]:
    return {name: text for name, text in split_sections(prompt).items() if name not in but}


@pytest.mark.parametrize(
    ("part", "not_asked"),
    [
        ("learn-tips", {Role.LEARN_TIPS}),
        ("learn-shortcuts", {Role.LEARN_SHORTCUTS}),
        ("recall", {Role.RECALL}),
        ("preconditions", set()),
        ("checks", set()),
        ("planner", set()),
    ],
)
async def test_without_a_part_its_role_is_not_asked_and_others_are_sent_the_same(
    tmp_path: Path, part: str, not_asked: set[Role]
) -> None:
    (tmp_path / "whole").mkdir()
    whole, found = await sent(tmp_path / "whole"), await sent(tmp_path, without=(part,))
    assert set(whole) == {Role.RECALL, *LEARNING}
    assert found == {role: prompts for role, prompts in whole.items() if role not in not_asked}


async def test_without_later_tasks_learners_are_asked_without_them_alone(tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir()
    whole, found = await sent(tmp_path / "whole"), await sent(tmp_path, without=("future-tasks",))
    assert found[Role.RECALL] == whole[Role.RECALL]
    for role in LEARNING:
        (before,), (after,) = whole[role], found[role]
        assert sections(before)[S.FUTURE] == "- Buy a mouse."
        assert sections(after, S.TASK) == sections(before, S.FUTURE, S.TASK)
        assert "still to come" not in after
        assert _without_aside(sections(before)[S.TASK]) == sections(after)[S.TASK]


def _without_aside(task: str) -> str:
    """The instructions without their words about tasks that are still to come."""
    for words in (", such as the ones still to come,", " such as the ones still to come"):
        task = task.replace(words, "")
    return task


@pytest.mark.parametrize(
    ("part", "asked", "gone"),
    [("tips", {Role.RECALL, Role.LEARN_SHORTCUTS}, TIPS), ("shortcuts", {Role.RECALL, Role.LEARN_TIPS}, SHORTCUTS)],
)
async def test_without_tips_or_shortcuts_nobody_is_told_them_or_learns_them(
    tmp_path: Path, part: str, asked: set[Role], gone: set[Section]
) -> None:
    (tmp_path / "whole").mkdir()
    whole, found = await sent(tmp_path / "whole"), await sent(tmp_path, without=(part,))
    if part == "tips":  # what is left fits its budget: nobody has to choose
        asked = asked - {Role.RECALL}
    assert set(found) == asked
    for role, (prompt,) in found.items():
        assert sections(prompt) == sections(whole[role][0], *gone), role


async def test_as_in_the_paper_each_learner_is_told_its_own_list_whole_and_nobody_chooses(tmp_path: Path) -> None:
    """Equations 8 and 9."""
    (tmp_path / "whole").mkdir()
    whole, found = await sent(tmp_path / "whole"), await sent(tmp_path, paper_exact=True)
    assert set(found) == LEARNING
    for role, own in ((Role.LEARN_TIPS, S.TIPS), (Role.LEARN_SHORTCUTS, S.SHORTCUTS)):
        (before,), (after,) = whole[role], found[role]
        otherwise = {S.ACTIONS, S.TASK, S.SHORTCUTS} if role is Role.LEARN_SHORTCUTS else set()
        assert own in sections(after)
        assert sections(after, *otherwise) == sections(before, *(BOTH - {own}), *otherwise)


async def test_a_budget_is_for_what_is_told(tmp_path: Path) -> None:
    """Tips that nobody is told take nothing of it."""
    memory = MemoryContents(tmp_path / "memory.sqlite")
    memory.add(SCOPE, [f"Row {number} holds thing {number}." for number in range(150)], [FIND])
    memory.close()
    async with school(tmp_path, more_tips(), writes(None)) as one:
        found = await one.teacher.recall(recall_order(without=("tips",)))
        asked = one.retriever.asked
    assert (found.memory.tips, found.calls, asked) == (initial_memory().tips, (), [])
    assert FIND in found.memory.shortcuts
