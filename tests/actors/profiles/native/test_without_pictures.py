"""Without pictures the agent is shown what the phone tells of its views, and perception is not asked."""

from __future__ import annotations

from typing import Any

import pytest

from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.errors import BadInput, StateUnavailable
from manyhands.protocol.journals.records import Perceived, Reflected
from manyhands.protocol.roles.requests import PlanRequest
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.screens.actions import Stop, Tap
from tests.actors.episode.world import order
from tests.actors.profiles.native.test_elements import ViewWorld, quick_to_decide, world_to
from tests.virtual_clock import run_virtual


def play(world: ViewWorld, **settings: Any) -> EpisodeResult:
    return run_virtual(world.host().run_episode(order(profile="native", pictures="none", **settings)))


@pytest.mark.parametrize("schedule", ["serial", "overlap", "speculate"])
def test_agent_and_planner_see_the_views_and_no_picture(schedule: str) -> None:
    world = world_to("s4")
    assert play(world, schedule=schedule).ending is Ending.FINISHED
    assert {tuple(names) for names in world.shown} == {()}, "no picture went with a question"
    for number, request in enumerate(world.asked_to_act):
        screens = [[one.content for one in step.screen.elements] for step in request.steps if step.screen is not None]
        assert screens == [[f"s{number}"] for number in range(max(number - 1, 0), number + 1)]
    plans = [one for one in world.asked_of(Role.PLAN) if isinstance(one, PlanRequest)]
    assert plans
    assert all(one.screen is not None and one.screen.elements and not one.screenshots for one in plans)
    assert not world.requests("perceive")


def test_what_was_tapped_is_told_in_all_later_steps() -> None:
    world = ViewWorld(
        acts=lambda name: Stop() if name == "s4" else Tap(x=5, y=20),
        moves=lambda screen, action: f"s{int(screen[1:]) + 1}",
        latency=quick_to_decide,
    )
    play(world, without=("planner",))
    taps = [step.touched for step in world.asked_to_act[-1].steps]
    assert taps == ["", *(f'"s{number}"' for number in range(4))]


def test_a_phone_that_tells_nothing_is_asked_for_each_screen() -> None:
    def silent(screen: str, number: int) -> Exception:
        return StateUnavailable("no dump")

    world = world_to("s4", answers=silent)
    assert play(world, without=("planner",)).ending is Ending.FINISHED
    (episode,) = world.on_disk
    screens = [one.screen for one in world.written(episode) if isinstance(one, Perceived)]
    assert [(one.tree, one.elements) for one in screens] == [("refused", ())] * 5
    assert sorted(set(world.dumps)) == list(range(5))
    assert not world.requests("perceive")


def test_that_nothing_changed_is_still_seen_by_the_pixels() -> None:
    world = ViewWorld(
        acts=lambda name: Tap(x=1, y=1),
        says=lambda name: Outcome.A,
        moves=lambda screen, action: screen,
        latency=quick_to_decide,
    )
    result = play(world, without=("planner",))
    assert result.ending is Ending.FAILURE_LIMIT
    (episode,) = world.on_disk
    checks = [one.reflection.check for one in world.written(episode) if isinstance(one, Reflected)]
    assert set(checks) == {"unchanged"}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"profile": "e"}, "for the profile native alone"),
        ({"profile": "native+evo"}, "for the profile native alone"),
        ({"profile": "native", "elements": "both"}, "elements come from accessibility"),
        ({"profile": "native", "paper_exact": True}, "leave out paper_exact"),
        ({"profile": "native", "actions_per_call": 2}, "holds one action"),
    ],
)
def test_settings_that_contradict_it_are_refused(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        EpisodeSettings(**settings, pictures="none")
