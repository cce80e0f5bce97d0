"""A memory that knows much: what ten tasks need of it is in their brief, which keeps to its budget.

The keeper and the search are real, the prompts too; the rehearsed retriever chooses, by words.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from manyhands.actors.frames import ModelImage
from manyhands.actors.learning.teacher import Teacher, TeacherSettings
from manyhands.actors.memory import initial_memory
from manyhands.actors.memory.memory_service import MemoryContents, MemoryService, MemorySettings
from manyhands.actors.memory.rules import tokens_of_shortcut, tokens_of_tip
from manyhands.actors.mllm import parse
from manyhands.actors.prompts import Prompts
from manyhands.actors.roles import Retriever
from manyhands.actors.store import RunStore, StoreSettings
from manyhands.protocol.errors import ModelUnreachable
from manyhands.protocol.messages import Answered, CallContext, ModelCall
from manyhands.protocol.roles.learners import RecallReply
from manyhands.protocol.roles.learning import RecallOrder
from manyhands.protocol.roles.lessons import FLEET
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.roles.requests import RecallRequest, Recollection
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.simulator.rehearsal.model import RehearsedModel
from manyhands.simulator.rehearsal.request import parse_request
from manyhands.simulator.rehearsal.settings import RehearsalSettings
from manyhands.simulator.suites import EVERYDAY
from tests.simulator.rehearsal.eyes import LayoutEyes
from tests.simulator.rehearsal.loop import DIALECT
from tests.simulator.rehearsal.many_lessons import NEEDED, SHORTCUTS, TIPS, many_shortcuts, many_tips
from tests.simulator.rehearsal.parts import body
from tests.simulator.rehearsal.scripts import SCRIPTS
from tests.simulator.suites.tasks import SUITES

TASKS = {task.id: task for task in SUITES[EVERYDAY] if task.id in NEEDED}
SETTINGS = TeacherSettings()


class Rehearsed:
    """The retriever's agent, whose model is the rehearsed one in this process; or one that does not answer."""

    def __init__(self, answers: bool) -> None:
        self._answers = answers
        self._model = RehearsedModel(SCRIPTS, LayoutEyes(), RehearsalSettings())
        self.shown: list[RecallRequest] = []

    async def answer(self, request: RecallRequest, context: CallContext, *images: ModelImage) -> Answered[Recollection]:
        self.shown.append(request)
        if not self._answers:
            raise ModelUnreachable("no server answers")
        prompt = Retriever.prompt(Prompts(DIALECT), request, ())
        made = body(RecallReply, {}, [])
        made["messages"][-1]["content"] = [{"type": "text", "text": "\n\n".join(map(str, prompt.content))}]
        written = await self._model.answer(parse_request(made, {}))
        value = Retriever.read(parse(RecallReply, written.text), request.reply_context, DIALECT)
        call = ModelCall(role=Role.RECALL, server="s", request={}, reply=written.text, started_at=1.0, latency_ms=1.0)
        return Answered(value=value, calls=(call,))


@asynccontextmanager
async def much(folder: Path, tips: int = TIPS, answers: bool = True) -> AsyncIterator[tuple[Teacher, Rehearsed]]:
    """Someone who recalls from a memory with that many tips, the last ones, and all shortcuts."""
    path = folder / "memory.sqlite"
    contents = MemoryContents(path)
    taken = contents.add(FLEET, many_tips()[-tips:], many_shortcuts())
    contents.close()
    assert (len(taken.added), taken.refused) == (tips + SHORTCUTS, ())
    (folder / "run").mkdir()
    store, keeper = RunStore(StoreSettings(folder=folder / "run")), MemoryService(MemorySettings(path=path))
    retriever = Rehearsed(answers)
    await keeper.start()
    try:
        yield Teacher(SETTINGS, keeper, store, {Role.RECALL: retriever}), retriever
    finally:
        await keeper.stop()


def tokens(memory: LongTermMemory) -> int:
    return sum(map(tokens_of_tip, memory.tips)) + sum(map(tokens_of_shortcut, memory.shortcuts))


async def recalled(teacher: Teacher, name: str, **settings: Any) -> LongTermMemory:
    chosen = EpisodeSettings(profile="e+evo", **settings)
    order = RecallOrder(run="r", episode=f"{name}-1", task=TASKS[name], settings=chosen, deadline=1e12)
    return (await teacher.recall(order)).memory


def test_all_that_is_known_is_more_than_a_retriever_is_shown() -> None:
    whole = LongTermMemory(tips=many_tips(), shortcuts=many_shortcuts())
    assert (len(set(whole.tips)), len({one.name for one in whole.shortcuts})) == (TIPS, SHORTCUTS)
    assert tokens(whole) > SETTINGS.shown_tokens
    assert len(TASKS) == len(NEEDED) == 10
    assert sum(not task.goal.isascii() for task in TASKS.values()) == 4


@pytest.mark.parametrize("answers", [True, False], ids=["chosen", "nobody answers"])
@pytest.mark.parametrize("tips", [TIPS, 300], ids=["searched", "all shown"])
async def test_what_ten_tasks_need_is_in_their_briefs_which_keep_to_the_budget(
    tmp_path: Path, tips: int, answers: bool
) -> None:
    start, present = initial_memory(), set(many_tips()[-tips:])
    async with much(tmp_path, tips, answers) as (teacher, retriever):
        for name, needed in NEEDED.items():
            memory = await recalled(teacher, name)
            if needed.tip in present:
                assert needed.tip in memory.tips, name
            assert needed.shortcut in ("", *(one.name for one in memory.shortcuts)), name
            assert memory.tips[: len(start.tips)] == start.tips
            assert memory.shortcuts[: len(start.shortcuts)] == start.shortcuts
            assert tokens(memory) <= SETTINGS.budget_tokens, name
    assert len(retriever.shown) == 10
    for request in retriever.shown:
        shown = LongTermMemory(tips=request.brief.tips, shortcuts=request.brief.shortcuts)
        assert tokens(shown) <= SETTINGS.shown_tokens
        assert tips == TIPS or len(shown.tips) == len(start.tips) + tips
