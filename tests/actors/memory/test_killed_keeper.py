"""Sixteen phones teach one scope while the keeper's process is killed again and again."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import Counter
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest

from manyhands.actors.memory.memory_service import MemoryContents, MemorySettings
from manyhands.actors.remote import MemoryProxy, spawn, stop
from manyhands.actors.remote.calls import Actor, ActorRestarting, call
from manyhands.protocol.roles.lessons import LearnedFrom, Lesson, LessonTaken, MemorySnapshot, TaughtTips, task_scope
from manyhands.protocol.roles.memory import Shortcut, ShortcutStep
from tests.actors.memory.keeping import KnownKeeper

pytestmark = pytest.mark.ray

T = TypeVar("T")
SCOPE = task_scope("shop")
PHONES, LESSONS = 16, 3
KILLS = int(os.environ.get("MH_TEST_KILLS", "10"))
THINGS = (
    *("anvil", "bucket", "candle", "dagger", "easel", "funnel", "goblet", "hammer"),
    *("inkpot", "jigsaw", "kettle", "ladder", "mallet", "needle", "oboe", "pillow"),
)
WHERE = ("attic", "cellar", "garden")


def lesson(phone: int, number: int, seen: MemorySnapshot) -> Lesson:
    texts = [tip.text for tip in seen.tips]
    steps = tuple(
        ShortcutStep(name="Click_Text", arguments_map={"text": word}) for word in (THINGS[phone], WHERE[number])
    )
    routine = Shortcut(name=f"Fetch_{THINGS[phone]}_{WHERE[number]}", precondition="The house is shown.", steps=steps)
    return Lesson(
        id=f"{phone}-{number}",
        scope=SCOPE,
        made_from=seen.version,
        source=LearnedFrom(episode=f"{phone}-{number}"),
        tips=TaughtTips(
            shown=tuple(tip.id for tip in seen.tips),
            tips=(*texts, f"The {THINGS[phone]} is in the {WHERE[number]}, {phone} steps behind door {number}."),
        ),
        shortcuts=(routine,),
    )


async def patiently(ask: Callable[[], Awaitable[T]]) -> T:
    """Ask again while the keeper is gone more often than a proxy asks by itself."""
    while True:
        try:
            return await ask()
        except ActorRestarting:
            await asyncio.sleep(0.05)


async def teach(memory: MemoryProxy, phone: int, taken: list[LessonTaken], seen: list[MemorySnapshot]) -> None:
    for number in range(LESSONS):
        snapshot = await patiently(lambda: memory.known([SCOPE]))
        seen.append(snapshot)
        taken.append(await patiently(partial(memory.teach, lesson(phone, number, snapshot))))


async def kill_again_and_again(keeper: Actor, taken: list[LessonTaken]) -> None:
    for kill in range(KILLS):
        while len(taken) < kill * PHONES * LESSONS // (KILLS + 1):
            await asyncio.sleep(0)
            await asyncio.sleep(0.005)
        os.kill(await patiently(lambda: call(keeper, "process", (), limit_s=30)), signal.SIGKILL)


@pytest.mark.timeout(240)
async def test_no_lesson_is_lost_doubled_or_seen_in_part(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite"
    keeper = await spawn(KnownKeeper, MemorySettings(path=path), max_restarts=-1)
    taken: list[LessonTaken] = []
    seen: list[MemorySnapshot] = []
    try:
        async with asyncio.timeout(200), asyncio.TaskGroup() as group:
            for phone in range(PHONES):
                group.create_task(teach(MemoryProxy(keeper), phone, taken, seen))
            group.create_task(kill_again_and_again(keeper, taken))
    finally:
        await stop(keeper)
    contents = MemoryContents(path)
    known = contents.known([SCOPE])
    events = Counter(event.kind for event in contents.history(SCOPE))
    contents.close()
    tips = [tip for tip in known.tips if not tip.initial]
    routines = [one for one in known.shortcuts if not one.initial]
    wanted = {f"{phone}-{number}" for phone in range(PHONES) for number in range(LESSONS)}
    assert Counter(episode for tip in tips for episode in tip.taught_by) == Counter(wanted)
    assert Counter(episode for one in routines for episode in one.taught_by) == Counter(wanted)
    assert events == Counter(added=2 * len(wanted))
    assert {id for one in taken for id in one.added} == {one.id for one in (*tips, *routines)}
    for snapshot in seen:  # each lesson has one tip and one routine: who saw one saw the other
        taught = {episode for tip in snapshot.tips for episode in tip.taught_by}
        assert taught == {episode for one in snapshot.shortcuts for episode in one.taught_by}
