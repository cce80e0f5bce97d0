"""Where the elements of an episode's screens come from, and what a phone costs that tells no views."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from pydantic import ValidationError

from manyhands.actors.episode.host import EpisodeHost, HostSettings
from manyhands.actors.episode.stages.perceive import unnamed
from manyhands.actors.episode.view_reader import FIRST_PAUSE
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import DeadlinePassed, Overloaded, PhoneLost, StateUnavailable
from manyhands.protocol.journals.records import Perceived
from manyhands.protocol.messages import CallContext
from manyhands.protocol.phones import Lease
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.screens.screen import VIEWS, Element, Screen
from tests.actors.episode.world import SIZE, World, WorldGateway, content_id, order
from tests.virtual_clock import run_virtual

HANGS_S = 1000.0
WAIT_S = 5.0
Answer = Mapping[str, Any] | Exception | float
"""The views, an error, or how many seconds the dump hangs."""


def views(screen: str, shown: str | None = None, text: str = "") -> dict[str, Any]:
    """A button with a text that names the screen, at the place where perception reads the name."""
    label = {"kind": "android.widget.TextView", "depth": 1, "text": text or screen, "bounds": [0, 18, 50, 32]}
    button = {"kind": "android.widget.FrameLayout", "depth": 0, "bounds": [0, 10, 100, 40], "clickable": True}
    return {"shown": content_id(shown or screen), "views": [button, label]}


@dataclass
class ViewGateway(WorldGateway):
    """A phone that tells its views. ``answers`` takes the name of the screen and the number of the dump."""

    answers: Callable[[str, int], Answer] = lambda screen, number: views(screen)
    steps: list[int] = field(default_factory=list)
    """The steps in which a dump was asked for."""

    async def state(self, lease: Lease, source: str, context: CallContext) -> Mapping[str, Any]:
        if source != VIEWS:
            return await super().state(lease, source, context)
        self.steps.append(context.step)
        async with self.world.asked("state", context.step, counted=True):
            answer = self.answers(self.world.screen, len(self.steps) - 1)
            if isinstance(answer, Exception):
                raise answer
            if isinstance(answer, float):
                await self.world.clock.sleep(min(answer, context.deadline - self.world.clock.now()))
                raise DeadlinePassed("state: the deadline has passed")
            return answer


@dataclass
class Played:
    screens: list[Screen]
    seconds: float
    steps: list[int]

    @property
    def outcomes(self) -> list[str | None]:
        return [screen.tree for screen in self.screens]

    @property
    def sources(self) -> list[set[str]]:
        return [{one.source for one in screen.elements} for screen in self.screens]


def play(world: World, answers: Callable[[str, int], Answer] | None = None, **settings: Any) -> Played:
    gateway = ViewGateway(world, answers) if answers else ViewGateway(world)
    host = EpisodeHost(HostSettings(), replace(world.collaborators(), gateway=gateway), world.clock)
    given = {"schedule": "serial", "elements_wait_s": WAIT_S, **settings}

    async def timed() -> float:
        began = world.clock.now()
        result = await host.run_episode(order(**given))
        assert result.ending is Ending.FINISHED, result.reason
        return world.clock.now() - began

    seconds = run_virtual(timed())
    (written,) = world.on_disk
    return Played([one.screen for one in world.written(written) if isinstance(one, Perceived)], seconds, gateway.steps)


def slow_vision(method: str, count: int) -> float:
    return {"perceive": 2.0, "state": 1.5}.get(method, 0.1)


def test_vision_asks_no_phone_for_views() -> None:
    played = play(World())
    assert (played.steps, set(played.outcomes)) == ([], {None})


def test_accessibility_needs_no_perception() -> None:
    world = World()
    played = play(world, elements="accessibility")
    assert world.count["perceive"] == 0
    assert [screen.elements[0].content for screen in played.screens] == ["s0", "s1", "s2", "s3"]
    assert (set(played.outcomes), played.sources) == ({"used"}, [{"accessibility"}] * 4)
    control = played.screens[0].elements[0].control
    assert control is not None
    assert control.clickable


def test_both_run_side_by_side_and_nothing_stands_twice() -> None:
    vision = play(World(latency=slow_vision))
    played = play(World(latency=slow_vision), elements="both")
    assert played.seconds == pytest.approx(vision.seconds), "the dump runs while perception reads"
    assert [[one.content for one in screen.elements] for screen in played.screens] == [["s0"], ["s1"], ["s2"], ["s3"]]
    assert played.sources == [{"accessibility"}] * 4
    assert all(screen.timings_ms["tree"] == pytest.approx(1500) for screen in played.screens)


def test_both_add_what_the_views_lack() -> None:
    def canvas(screen: str, number: int) -> Answer:
        told = views(screen)
        for view in told["views"]:
            view["bounds"] = [0, 100, 100, 200]
        return told

    played = play(World(), canvas, elements="both")
    assert [[one.source for one in screen.elements] for screen in played.screens] == [["vision", "accessibility"]] * 4


@pytest.mark.parametrize("elements", ["accessibility", "both"])
def test_a_dump_that_hangs_costs_its_deadline_once(elements: str) -> None:
    vision = play(World(goal_screen="s20", latency=slow_vision))
    played = play(World(goal_screen="s20", latency=slow_vision), lambda *_: HANGS_S, elements=elements)
    beside = 0.0 if elements == "accessibility" else 2.0
    assert played.seconds == pytest.approx(vision.seconds + WAIT_S - beside)
    assert played.outcomes == ["late"] + ["left_out"] * 20
    assert played.sources == [{"vision"}] * 21
    assert played.steps == [0, FIRST_PAUSE, FIRST_PAUSE + 2 * FIRST_PAUSE], "later it is tried again, twice as late"


def test_a_phone_that_recovers_is_asked_again() -> None:
    def first_hangs(screen: str, number: int) -> Answer:
        return HANGS_S if number == 0 else views(screen)

    played = play(World(goal_screen="s8", latency=slow_vision), first_hangs, elements="both")
    assert played.outcomes == ["late", *["left_out"] * FIRST_PAUSE, *["used"] * (8 - FIRST_PAUSE)]


@pytest.mark.parametrize(
    "answer", [StateUnavailable("null root node"), PhoneLost("unplugged"), {"views": "none"}, {}, {"shown": 3}]
)
def test_a_phone_without_views_is_seen_by_vision_alone(answer: Answer) -> None:
    played = play(World(), lambda *_: answer, elements="both")
    assert played.outcomes == ["refused", "left_out", "left_out", "left_out"]
    assert played.sources == [{"vision"}] * 4


def test_views_of_another_screen_are_not_used_after_a_second_look() -> None:
    played = play(World(), lambda screen, _: views(screen, shown="elsewhere"), elements="accessibility")
    assert (set(played.outcomes), played.sources) == ({"changed"}, [{"vision"}] * 4)
    assert played.steps == [0, 0, 1, 1, 2, 2, 3, 3]


def test_a_second_look_may_find_the_screen_again() -> None:
    def second(screen: str, number: int) -> Answer:
        return views(screen, shown=None if number % 2 else "elsewhere")

    assert set(play(World(), second, elements="both").outcomes) == {"used"}


def test_a_second_look_that_is_late_leaves_the_phone_with_its_views() -> None:
    def late(screen: str, number: int) -> Answer:
        return views(screen, shown="elsewhere") if number == 0 else HANGS_S if number == 1 else views(screen)

    assert play(World(), late, elements="both").outcomes == ["changed", "used", "used", "used"]


def test_views_that_show_nothing_leave_the_screen_to_vision() -> None:
    def game(screen: str, number: int) -> Answer:
        surface = {"kind": "android.view.SurfaceView", "depth": 0, "bounds": [0, 0, 100, 200]}
        return {"shown": content_id(screen), "views": [surface]}

    played = play(World(), game, elements="accessibility")
    assert (set(played.outcomes), played.sources) == ({"empty"}, [{"vision"}] * 4)


def test_while_perception_is_busy_the_phone_is_not_asked_again() -> None:
    def busy(method: str, count: int) -> Exception | None:
        return Overloaded("busy") if method == "perceive" and count < 3 else None

    played = play(World(fault=busy), elements="both")
    assert set(played.outcomes) == {"used"}
    assert played.steps == [0, 1, 2, 3]


def test_names_that_the_phone_tells_are_no_captioners_to_give() -> None:
    box = {"x1": 0, "y1": 0, "x2": 9, "y2": 9}
    told, seen = (
        Element.model_validate({"kind": "icon", "content": "gear", "confidence": 1, "source": source, "box": box})
        for source in ("accessibility", "vision")
    )
    screen = Screen(content_id="", size=SIZE, elements=(told, seen), keyboard="hidden")
    assert [one.content for one in unnamed(screen).elements] == ["gear", ""]


@pytest.mark.parametrize("elements", ["accessibility", "both"])
def test_paper_exact_reads_pixels_alone(elements: str) -> None:
    with pytest.raises(ValidationError, match="paper_exact: the papers read elements off pixels"):
        EpisodeSettings.model_validate({"paper_exact": True, "elements": elements})
