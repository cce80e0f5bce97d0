"""Episodes and the keeper of a real file: what one use taught, the next one knows."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from manyhands.actors.clock import RealClock
from manyhands.actors.episode.runtime import Collaborators
from manyhands.actors.memory.memory_service import MemoryService, MemorySettings
from manyhands.protocol.journals.records import ActionSent, StageResult
from manyhands.protocol.roles.lessons import LearnedFrom, Lesson, Permission, task_scope
from manyhands.protocol.roles.memory import Shortcut
from manyhands.protocol.runs.results import EpisodeOrder
from tests.actors.episode.shortcut_world import NAME, WatchedWorld
from tests.actors.episode.test_shortcut_stages import CALL, lacks_its_field, searches
from tests.actors.episode.test_steps import instead, of
from tests.actors.episode.world import SEARCH, SIZE, order

SCOPE = task_scope("search")
TAUGHT = SEARCH.model_copy(update={"description": "Search.", "precondition": "A search field is shown."})


@dataclass
class KeptWorld(WatchedWorld):
    keeper: MemoryService | None = None

    def collaborators(self) -> Collaborators:
        return replace(super().collaborators(), memory=self.keeper)


@asynccontextmanager
async def kept(path: Path) -> AsyncIterator[MemoryService]:
    keeper = MemoryService(MemorySettings(path=path))
    await keeper.start()
    try:
        yield keeper
    finally:
        await keeper.stop()


async def teach(keeper: MemoryService, episode: str, shortcut: Shortcut = TAUGHT) -> None:
    source = LearnedFrom(episode=episode, size=SIZE, app="org.example")
    made_from = (await keeper.known((SCOPE,))).version
    captured = await keeper.teach(
        Lesson(id=episode, scope=SCOPE, made_from=made_from, source=source, shortcuts=(shortcut,))
    )
    assert captured.refused == ()


async def recalled(keeper: MemoryService, episode: str) -> EpisodeOrder:
    memory = (await keeper.known((SCOPE,))).for_episode()
    return order(episode, profile=NAME).model_copy(update={"memory": memory})


async def play(keeper: MemoryService, given: EpisodeOrder, **settings: Any) -> list[Any]:
    among = KeptWorld(clock=RealClock(), keeper=keeper, chooses=instead("s1", CALL), **settings)
    await among.host().run_episode(given)
    return among.journals[given.episode]


def name_of(given: EpisodeOrder) -> str:
    """The id and version by which an episode knows the shortcut."""
    offered = given.memory.offered("Search")
    assert offered is not None
    return offered.id


def said(journal: list[Any]) -> list[tuple[str, str]]:
    permissions = [Permission.model_validate(one.data) for one in of(StageResult, journal) if one.stage == "permit"]
    return [(one.shortcut, one.by) for one in permissions]


def sent(journal: list[Any]) -> list[str]:
    return [record.action.name for record in of(ActionSent, journal) if record.step == 1]


async def test_a_bad_shortcut_is_used_once_on_all_phones_and_its_mended_version_later(tmp_path: Path) -> None:
    async with kept(tmp_path / "memory.sqlite") as keeper:
        await teach(keeper, "e0")
        first, second = await recalled(keeper, "e1"), await recalled(keeper, "e2")
        bad = name_of(first)
        assert sent(await play(keeper, first, moves=lacks_its_field)) == ["Tap"]
        # The other phone had been told it before.
        other = await play(keeper, second, moves=lacks_its_field)
        assert (sent(other), said(other)[-1]) == ([], (bad, "put_aside"))
        assert (await recalled(keeper, "e3")).memory.offered("Search") is None

        await teach(keeper, "e1", TAUGHT.model_copy(update={"precondition": "A search field is shown, empty."}))
        third = await recalled(keeper, "e4")
        mended = name_of(third)
        assert mended.partition("@")[0] == bad.partition("@")[0]
        assert mended != bad
        assert sent(await play(keeper, third, moves=searches)) == ["Tap", "Type", "Enter"]
        known = next(one for one in (await keeper.known((SCOPE,))).shortcuts if one.shortcut.name == "Search")
        assert known.texts_seen == ("s1",)


async def test_what_worked_in_one_app_is_refused_in_another(tmp_path: Path) -> None:
    async with kept(tmp_path / "memory.sqlite") as keeper:
        await teach(keeper, "e0")
        elsewhere = await play(keeper, await recalled(keeper, "e1"), moves=searches, app="org.other")
        assert (sent(elsewhere), [by for _, by in said(elsewhere)][-1]) == ([], "app")
        there = await play(keeper, await recalled(keeper, "e2"), moves=searches)
        assert sent(there) == ["Tap", "Type", "Enter"]
