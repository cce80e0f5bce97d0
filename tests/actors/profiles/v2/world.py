"""The small world of the episodes' tests, with the agents of Mobile-Agent-v2 as functions of what they are shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from manyhands.actors.episode.host import Collaborators
from manyhands.actors.frames import ModelImage
from manyhands.actors.profiles.v2.requests import (
    CompletedProgress,
    FocusRequest,
    OperationRequest,
    ProgressRequest,
    VerdictRequest,
)
from manyhands.protocol.base import Outcome
from manyhands.protocol.journals.records import Record
from manyhands.protocol.messages import Answered, CallContext
from manyhands.protocol.roles.requests import Decision, Notes, Reflection
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.screens.actions import Action, Stop
from tests.actors.episode.world import World, call_of, decided, next_screen, order, shown, tap
from tests.virtual_clock import run_virtual


def right_operation(request: OperationRequest, goal: str) -> Action:
    """Tap on, up to the goal; v2 has no Back."""
    screen = shown(request.screen)
    return Stop() if screen == goal else tap(int(screen.removeprefix("wrong-")[1:]))


@dataclass
class V2World(World):
    operates: Callable[[OperationRequest], Action | str] | None = None
    """The decision agent's action, or the problem with its reply."""
    judges_v2: Callable[[VerdictRequest], Outcome] | None = None
    keeps: Callable[[str], str] = lambda screen: ""
    """What the memory unit keeps of the screen of that name."""
    moves: Callable[[str, Action], str] = field(default=next_screen)

    def collaborators(self) -> Collaborators:
        agents = {
            Role.PLAN: _Planning(self),
            Role.DECIDE: _Decision(self),
            Role.REFLECT: _Reflection(self),
            Role.NOTE: _Memory(self),
        }
        return replace(super().collaborators(), agents=agents)


@dataclass
class _Planning:
    world: V2World

    async def answer(
        self, request: ProgressRequest, context: CallContext, *images: ModelImage
    ) -> Answered[CompletedProgress]:
        assert images == ()
        self.world.admit("plan", context)
        async with self.world.asked("plan", request, counted=True):
            done = request.operations[-1].step
            return Answered(value=CompletedProgress(progress=f"{request.previous}>{done}"), calls=(call_of(Role.PLAN),))


@dataclass
class _Decision:
    world: V2World

    async def answer(self, request: OperationRequest, context: CallContext, *images: ModelImage) -> Answered[Decision]:
        (image,) = images
        self.world.admit("decide", context)
        async with self.world.asked("decide", request, counted=True):
            assert image.content_id == request.screenshot.content_id == request.screen.content_id
            chosen = self.world.operates(request) if self.world.operates else right_operation(request, "s3")
            messages = [{"role": "user", "content": f"decide on {self.world.shown_on(image)}"}]
            said = call_of(Role.DECIDE, messages, json.dumps(str(chosen)))
            return Answered(value=decided(chosen, f"from {self.world.shown_on(image)}"), calls=(said,))


@dataclass
class _Reflection:
    world: V2World

    async def answer(self, request: VerdictRequest, context: CallContext, *images: ModelImage) -> Answered[Reflection]:
        before, after = images
        async with self.world.asked("reflect", request, counted=True):
            assert (before.content_id, after.content_id) == (request.before.content_id, request.after.content_id)
            assert (request.screen_before.content_id, request.screen_after.content_id) == (
                before.content_id,
                after.content_id,
            )
            if self.world.judges_v2 is not None:
                outcome = self.world.judges_v2(request)
            else:
                outcome = Outcome.B if shown(request.screen_after).startswith("wrong-") else Outcome.A
            error = "" if outcome is Outcome.A else "this is not the page"
            verdict = Reflection(outcome=outcome, error=error, progress="", made_by="model")
            return Answered(value=verdict, calls=(call_of(Role.REFLECT),))


@dataclass
class _Memory:
    world: V2World

    async def answer(self, request: FocusRequest, context: CallContext, *images: ModelImage) -> Answered[Notes]:
        (image,) = images
        async with self.world.asked("memory", request, counted=True):
            assert image.content_id == request.screenshot.content_id
            assert request.conversation == ({"role": "user", "content": f"decide on {self.world.shown_on(image)}"},)
            return Answered(value=Notes(text=self.world.keeps(self.world.shown_on(image))), calls=(call_of(Role.NOTE),))


def play(world: V2World, **chosen: Any) -> tuple[EpisodeResult, tuple[Record, ...]]:
    """Give the result of an episode and its journal, as it is read from a file."""
    result = run_virtual(world.host().run_episode(order(profile="v2", **chosen)))
    return result, world.written(result.episode)
