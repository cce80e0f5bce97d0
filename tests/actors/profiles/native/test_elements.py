"""Where the phone tells its views, those of a recorded screen belong to the screen that the model saw."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from manyhands.actors.episode.host import Collaborators
from manyhands.protocol.base import Ending
from manyhands.protocol.journals.records import ActionSent, Perceived
from manyhands.protocol.messages import CallContext
from manyhands.protocol.phones import Lease
from manyhands.protocol.screens.actions import Stop
from manyhands.protocol.screens.screen import Screen
from tests.actors.episode.interruption import cut_after
from tests.actors.episode.test_elements import HANGS_S, WAIT_S, Answer, ViewGateway, views
from tests.actors.episode.world import content_id, order, right_action
from tests.actors.profiles.native.world import NativeWorld
from tests.virtual_clock import run_virtual

DECIDING_S, SEEING_S, DUMP_S = 0.5, 1.0, 1.5


@dataclass
class LateViews(ViewGateway):
    """A phone that dumps what it shows at the end of the dump, as uiautomator does."""

    async def state(self, lease: Lease, source: str, context: CallContext) -> Mapping[str, Any]:
        told = dict(await super().state(lease, source, context))
        return told if isinstance(self.answers(self.world.screen, 0), float) else {**told, **views(self.world.screen)}


@dataclass
class ViewWorld(NativeWorld):
    answers: Callable[[str, int], Answer] = lambda screen, number: views(screen)
    gateways: list[LateViews] = field(default_factory=list)

    def collaborators(self) -> Collaborators:
        self.gateways.append(LateViews(self, self.answers))
        return replace(super().collaborators(), gateway=self.gateways[-1])

    @property
    def dumps(self) -> list[int]:
        """The steps in which views were asked for."""
        return [step for gateway in self.gateways for step in gateway.steps]


def quick_to_decide(method: str, count: int) -> float:
    return {"perceive": SEEING_S, "state": DUMP_S, "decide": DECIDING_S}.get(method, 0.0)


def world_to(goal: str, **more: Any) -> ViewWorld:
    return ViewWorld(acts=lambda name: Stop() if name == goal else right_action(name), latency=quick_to_decide, **more)


def play(world: ViewWorld, **settings: Any) -> tuple[list[Screen], float]:
    given = order(profile="native", without=("planner",), elements_wait_s=WAIT_S, **settings)
    host = world.host()

    async def timed() -> float:
        began = world.clock.now()
        result = await host.run_episode(given)
        assert result.ending is Ending.FINISHED, result.reason
        return world.clock.now() - began

    seconds = run_virtual(timed())
    return [one.screen for one in world.written(given.episode) if isinstance(one, Perceived)], seconds


@pytest.mark.parametrize("schedule", ["serial", "overlap"])
@pytest.mark.parametrize("elements", ["accessibility", "both"])
def test_views_are_those_of_the_screen_that_the_model_saw(schedule: str, elements: str) -> None:
    world = world_to("s4")
    screens, _ = play(world, schedule=schedule, elements=elements)
    assert [screen.tree for screen in screens] == ["used"] * 5
    assert [[one.content for one in screen.elements] for screen in screens] == [[f"s{number}"] for number in range(5)]
    assert [screen.content_id for screen in screens] == [content_id(f"s{number}") for number in range(5)]
    assert sorted(set(world.dumps)) == world.dumps, "one dump for each screen"


def test_an_action_waits_for_views_only_as_long_as_they_take() -> None:
    _, vision = play(world_to("s4"), schedule="overlap")
    _, both = play(world_to("s4"), schedule="overlap", elements="both")
    assert (vision, both) == (pytest.approx(5 * SEEING_S), pytest.approx(5 * DUMP_S)), "the longest of each step"


def test_slow_perception_holds_up_no_views_and_keeps_those_of_each_screen() -> None:
    slow = {"perceive": 4 * DUMP_S, "state": DUMP_S, "decide": DECIDING_S}
    world = world_to("s4")
    world.latency = lambda method, count: slow.get(method, 0.0)
    screens, _ = play(world, schedule="overlap", elements="both")
    (written,) = world.on_disk
    sent = [one.at for one in world.written(written) if isinstance(one, ActionSent)]
    assert [later - sent[0] for later in sent] == pytest.approx([number * DUMP_S for number in range(4)])
    assert [screen.tree for screen in screens] == ["used"] * 5
    assert [[one.content for one in screen.elements] for screen in screens] == [[f"s{number}"] for number in range(5)]


def test_a_dump_that_hangs_costs_its_deadline_once() -> None:
    _, vision = play(world_to("s4"), schedule="overlap")
    screens, hung = play(world_to("s4", answers=lambda *_: HANGS_S), schedule="overlap", elements="both")
    assert [screen.tree for screen in screens] == ["late", *["left_out"] * 4]
    assert vision < hung <= vision + WAIT_S


def test_a_phone_that_was_touched_meanwhile_is_not_asked_for_its_views() -> None:
    """Perception takes longer than the dump, so an interruption in act(1) loses what perceive(1) has not said yet."""
    world = world_to("s4")
    world.latency = lambda method, count: 2 * DUMP_S if method == "perceive" else quick_to_decide(method, count)
    given = order(profile="native", without=("planner",), elements="both", elements_wait_s=WAIT_S)
    run_virtual(world.host(records_ahead=1, screens_ahead=1).run_episode(given))
    again = cut_after(world, given, lambda record: isinstance(record, ActionSent) and record.step == 1)
    before = len(world.dumps)
    assert [one.step for one in world.written(given.episode) if isinstance(one, Perceived)] == [0]
    result = run_virtual(world.host().run_episode(again))
    assert result.ending is Ending.FINISHED
    screens = {one.step: one.screen for one in world.written(given.episode) if isinstance(one, Perceived)}
    assert [screens[step].tree for step in range(5)] == ["used", "changed", "used", "used", "used"]
    assert [one.content for one in screens[1].elements] == ["s1"]
    assert world.dumps[before:] == [2, 3, 4]
