"""The small world with a memory: a loop as Mobile-Agent-E's, whose shortcuts are permitted and watched."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from manyhands.actors.episode.host import EpisodeHost, HostSettings
from manyhands.actors.episode.runtime import Collaborators
from manyhands.actors.frames import ModelImage
from manyhands.actors.profiles.e import PROFILE as E
from manyhands.actors.profiles.e_evo import PROFILE as E_EVO
from manyhands.protocol.messages import Answered, CallContext
from manyhands.protocol.roles.lessons import Lesson, LessonTaken, MemorySnapshot, Scope, ShortcutUse
from manyhands.protocol.roles.memory import LongTermMemory, SeenOn, Shortcut
from manyhands.protocol.roles.requests import Permit, PermitRequest
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.results import EpisodeOrder
from tests.actors.episode.world import SEARCH, World, call_of, order

NAME = "e+evo"


def knowing(shortcut: Shortcut = SEARCH, seen_on: SeenOn | None = None, **settings: Any) -> EpisodeOrder:
    """An order whose memory has one shortcut, learned as ``S1@1``."""
    told = {"shortcut_ids": ("S1@1",), "seen_on": (seen_on or SeenOn(),), "version": 7}
    memory = LongTermMemory(shortcuts=(shortcut,), **told)
    task = settings.pop("task", None)
    return order(task=task, **{"profile": NAME, **settings}).model_copy(update={"memory": memory})


@dataclass
class WatchedWorld(World):
    permits: Callable[[PermitRequest], str | None] = lambda request: None
    """Why the precondition does not hold, says the verifier; None where it does."""
    aside: dict[str, str] = field(default_factory=dict)
    """What the keeper has put aside, and why."""
    puts_aside: Callable[[ShortcutUse], bool] = lambda use: use.outcome in ("surprised", "failed")
    uses: dict[tuple[str, int], ShortcutUse] = field(default_factory=dict)
    """By episode and step, as a keeper keeps them."""

    def collaborators(self) -> Collaborators:
        among = super().collaborators()
        return replace(among, agents={**among.agents, Role.PERMIT: _Verifier(self)}, memory=_Keeper(self))

    def host(self, **settings: Any) -> EpisodeHost:
        known = {NAME: E_EVO, "e": E}
        return EpisodeHost(HostSettings(**settings), self.collaborators(), self.clock, known)


@dataclass
class _Verifier:
    world: WatchedWorld

    async def answer(self, request: PermitRequest, context: CallContext, *images: ModelImage) -> Answered[Permit]:
        (image,) = images
        async with self.world.asked("permit", request):
            assert image.content_id == request.screenshot.content_id
            reason = self.world.permits(request)
            said = Permit(holds=reason is None, reason="it is there" if reason is None else reason)
            return Answered[Permit](value=said, calls=(call_of(Role.PERMIT),))


@dataclass
class _Keeper:
    world: WatchedWorld

    async def known(self, scopes: Sequence[Scope]) -> MemorySnapshot:
        raise AssertionError("an episode is told what it knows by its order")

    async def search(self, scopes: Sequence[Scope], words: str, most: int) -> MemorySnapshot:
        raise AssertionError("an episode is told what it knows by its order")

    async def teach(self, lesson: Lesson) -> LessonTaken:
        raise AssertionError("an episode teaches nothing")

    async def used(self, use: ShortcutUse) -> None:
        async with self.world.asked("used", use):
            self.world.uses.setdefault((use.episode, use.step), use)
            if self.world.puts_aside(use):
                self.world.aside[use.shortcut] = f"It failed: {use.reason}"

    async def put_aside(self, shortcuts: Sequence[str]) -> Mapping[str, str]:
        async with self.world.asked("put_aside", tuple(shortcuts)):
            return {one: self.world.aside[one] for one in shortcuts if one in self.world.aside}
