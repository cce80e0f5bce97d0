"""Captions in an episode: on which screens they stand, and what a captioner that fails costs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from manyhands.actors.episode.host import EpisodeHost, HostSettings
from manyhands.actors.episode.stages.perceive import CAPTIONER_S
from manyhands.actors.frames import Frame
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import ActorLost, CaptureFailed, DeadlinePassed, ManyhandsError, Overloaded
from manyhands.protocol.messages import CallContext
from manyhands.protocol.roles.requests import DecideRequest
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.screens.actions import Action
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element, Screen, Screenshot
from tests.actors.episode.world import World, WorldPerception, order, right_action, shown
from tests.virtual_clock import run_virtual


@dataclass
class Icons(WorldPerception):
    """Each screen has an icon, too, without a name."""

    async def perceive(self, screenshot: Screenshot, frame: Frame, context: CallContext) -> Screen:
        screen = await super().perceive(screenshot, frame, context)
        icon = Element(kind="icon", box=Box(x1=50, y1=50, x2=60, y2=60), content="", confidence=1.0)
        return screen.model_copy(update={"elements": (*screen.elements, icon)})


@dataclass
class Knowing:
    """A captioner that knows an icon from the second time on; ``error``: what it raises instead."""

    world: World
    error: ManyhandsError | None = None
    asked: list[tuple[float, float]] = field(default_factory=list)
    """How long it might wait for a model, and until its deadline."""

    async def caption(self, screen: Screen, frame: Frame, route: str, wait_s: float, context: CallContext) -> Screen:
        self.asked.append((wait_s, context.deadline - self.world.clock.now()))
        if self.error is not None:
            raise self.error
        caption = "star" if len(self.asked) > 1 else ""
        *others, icon = screen.elements
        return screen.model_copy(update={"elements": (*others, icon.model_copy(update={"content": caption}))})


@dataclass
class Named(WorldPerception):
    """Each screen has two icons, of which our own network names one."""

    async def perceive(self, screenshot: Screenshot, frame: Frame, context: CallContext) -> Screen:
        screen = await super().perceive(screenshot, frame, context)
        icons = [
            Element(kind="icon", box=Box(x1=x, y1=50, x2=x + 10, y2=60), content=name, confidence=1.0)
            for x, name in ((50, "gear"), (80, ""))
        ]
        return screen.model_copy(update={"elements": (*screen.elements, *icons)})


@dataclass
class Naming(Knowing):
    """A captioner that names what it is given without a name: ``star``, but the second icon only if it ``sees`` it."""

    sees: bool = True
    answers: bool = True

    async def caption(self, screen: Screen, frame: Frame, route: str, wait_s: float, context: CallContext) -> Screen:
        self.asked.append((wait_s, 0.0))
        *others, first, second = screen.elements
        named = [
            icon.model_copy(update={"content": "star"}) if says and not icon.content else icon
            for icon, says in ((first, self.answers), (second, self.answers and self.sees))
        ]
        return screen.model_copy(update={"elements": (*others, *named)})


@pytest.mark.parametrize(
    ("settings", "sees", "answers", "shown_names", "captioned"),
    [
        ({"captions": True}, True, True, ["gear", "star"], 1),
        ({"captions": True, "caption_all": True}, True, True, ["star", "star"], 2),
        ({"captions": True, "caption_all": True}, False, True, ["star", ""], 1),
        ({"captions": True, "caption_all": True}, True, False, ["gear", ""], 0),
    ],
)
def test_a_model_names_all_icons_where_it_is_to_and_ours_stand_where_it_names_none(
    settings: dict[str, bool], sees: bool, answers: bool, shown_names: list[str], captioned: int
) -> None:
    world = World()
    captioner = Naming(world, sees=sees, answers=answers)
    collaborators = replace(world.collaborators(), perception=Named(world), captioner=captioner)
    host = EpisodeHost(HostSettings(), collaborators, world.clock)
    result = run_virtual(host.run_episode(order(schedule="serial", **settings)))
    assert result.ending is Ending.FINISHED
    screens = [request.screen for request in world.requests("decide")]
    assert [[one.content for one in screen.elements[1:]] for screen in screens] == [shown_names] * 3
    assert {screen.captioned for screen in screens} == {captioned}


def run(world: World, captioner: Knowing, **settings: object) -> tuple[EpisodeResult, list[list[str]]]:
    """How the episode ended, and the icons that the operator was shown in each step."""
    collaborators = replace(world.collaborators(), perception=Icons(world), captioner=captioner)
    host = EpisodeHost(HostSettings(), collaborators, world.clock)
    result = run_virtual(host.run_episode(order(schedule="serial", **settings)))
    return result, [[one.content for one in request.screen.elements[1:]] for request in world.requests("decide")]


def nothing_at_first(request: DecideRequest) -> Action | str:
    """No action in the first step, so that the second one has the same screenshot."""
    return right_action(shown(request.screen)) if request.history else "I see no way"


def test_a_caption_that_came_late_stands_on_the_next_screen_though_that_is_the_same() -> None:
    world = World(chooses=nothing_at_first)
    captioner = Knowing(world)
    result, icons = run(world, captioner, captions=True, caption_wait_s=2.5)
    assert result.ending is Ending.FINISHED
    assert icons == [[""], ["star"], ["star"], ["star"]]
    assert world.count["perceive"] == 4  # the screen that was the same was read once
    assert set(captioner.asked) == {(2.5, 2.5 + CAPTIONER_S)}


def test_no_captioner_is_asked_where_no_captions_are_wanted() -> None:
    world = World()
    captioner = Knowing(world)
    _, icons = run(world, captioner)
    assert captioner.asked == []
    assert icons == [[""]] * 3


@pytest.mark.parametrize("error", [ActorLost("gone"), Overloaded("busy"), DeadlinePassed("late"), CaptureFailed("cut")])
def test_a_captioner_that_fails_costs_nothing_but_captions(error: ManyhandsError) -> None:
    world = World()
    result, icons = run(world, Knowing(world, error), captions=True)
    assert result.ending is Ending.FINISHED
    assert icons == [[""]] * 3
