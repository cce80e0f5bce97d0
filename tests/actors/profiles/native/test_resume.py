"""An episode that is interrupted in the middle of its chat asks the same, byte for byte, as one that is not."""

from __future__ import annotations

import json

import pytest

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm.request.bodies import messages_of
from manyhands.actors.profiles.native.agent import NativeAgent
from manyhands.actors.profiles.native.requests import ActRequest
from manyhands.protocol.base import Ending
from manyhands.protocol.journals.records import Acted, ActionDecided, Record, Reflected, ScreenCaptured
from manyhands.protocol.screens.actions import Action, Back, Stop, Swipe
from tests.actors.episode.interruption import cut_after
from tests.actors.episode.world import order, right_action
from tests.actors.profiles.native.test_prompts import prompts
from tests.actors.profiles.native.world import NativeWorld
from tests.virtual_clock import run_virtual


def astray_once(world: NativeWorld) -> None:
    """On its way to s6 the agent swipes in vain, comes to a wrong page, and goes back."""

    def acts(name: str) -> Action:
        if name.startswith("wrong-"):
            return Back()
        if name == "s2" and len(world.ledger) == 2:
            return Swipe(x1=1, y1=9, x2=1, y2=1)
        return Stop() if name == "s6" else right_action(name)

    world.acts, world.reaches = acts, lambda name: name == "s4"


def sent(world: NativeWorld) -> dict[int, bytes]:
    """What the model is sent in each step, but for pixels."""
    found = {}
    for request in world.asked_to_act:
        images = [ModelImage(one.content_id, b"") for one in request.screenshots]
        found[len(request.steps) - 1] = body(request, images)
    return found


def body(request: ActRequest, images: list[ModelImage]) -> bytes:
    return json.dumps(messages_of(NativeAgent.prompt(prompts(), request, images))).encode()


def decided_in(step: int, record: Record) -> bool:
    return isinstance(record, ActionDecided) and record.step == step


def acted_in(step: int, record: Record) -> bool:
    return isinstance(record, Acted) and record.step == step


def judged_in(step: int, record: Record) -> bool:
    return isinstance(record, Reflected) and record.step == step


def test_a_stop_that_came_with_the_last_verdict_finishes_an_interrupted_task_too() -> None:
    given = order(task={"limits": {"max_steps": 3}}, profile="native")
    world = NativeWorld(acts=lambda name: Stop() if name == "s3" else right_action(name))
    run_virtual(world.host(records_ahead=1).run_episode(given))
    again = cut_after(world, given, lambda record: judged_in(2, record))
    assert run_virtual(world.host().run_episode(again)).ending is Ending.FINISHED
    onward = NativeWorld(acts=right_action)
    run_virtual(onward.host(records_ahead=1).run_episode(given))
    again = cut_after(onward, given, lambda record: judged_in(2, record))
    result = run_virtual(onward.host().run_episode(again))
    assert (result.ending, result.steps, onward.screen) == (Ending.STEP_LIMIT, 3, "s3")


def test_a_planner_whose_picture_was_lost_is_asked_about_the_next_screen() -> None:
    wrong = [Swipe(x1=1, y1=1, x2=1, y2=8), Swipe(x1=1, y1=1, x2=1, y2=9)]
    world = NativeWorld(goal_screen="none")
    world.acts = lambda name: Stop() if name == "s1" else wrong[len(world.ledger)] if len(world.ledger) < 2 else Back()
    world.moves = lambda screen, action: "s1" if screen == "wrong-2" else f"wrong-{len(world.ledger)}"
    world.latency = lambda method, count: 5.0 if method == "plan" and count else 0.0
    given = order(profile="native")
    run_virtual(world.host(records_ahead=1, screens_ahead=1).run_episode(given))
    assert [len(one.failures) for one in world.requests("plan")] == [0, 2], "at step 2, after two failures"
    again = cut_after(world, given, lambda record: acted_in(2, record))
    shown = next(one for one in world.written(given.episode) if isinstance(one, ScreenCaptured) and one.step == 2)
    del world.screens[shown.screenshot.content_id]
    result = run_virtual(world.host().run_episode(again))
    assert (result.ending, result.reason) == (Ending.FINISHED, "agent: on s1")


@pytest.mark.parametrize("kept", [2, 4])
def test_a_screen_that_was_lost_before_it_was_read_stays_unread(kept: int) -> None:
    world = NativeWorld(acts=lambda name: Stop() if name == "s6" else right_action(name))
    world.latency = lambda method, count: 9.0 if method == "perceive" and count > 1 else 0.0
    given = order(profile="native", chat_pictures=kept)
    run_virtual(world.host(records_ahead=1, screens_ahead=1).run_episode(given))
    again = cut_after(world, given, lambda record: acted_in(5, record))
    shown = next(one for one in world.written(given.episode) if isinstance(one, ScreenCaptured) and one.step == 5)
    del world.screens[shown.screenshot.content_id]
    result = run_virtual(world.host().run_episode(again))
    assert (result.ending, world.screen) == (Ending.FINISHED, "s6")


def long_winded_once(world: NativeWorld) -> None:
    """On s2 the agent's first answer goes on until its longest, and holds no action."""
    long = iter(["I look once more. " * 2000])

    def acts(name: str) -> Action | str:
        return Stop() if name == "s5" else next(long, right_action(name)) if name == "s2" else right_action(name)

    world.acts = acts


@pytest.mark.parametrize("last", [3, 4])
def test_an_answer_without_an_action_is_cut_in_the_chat_also_of_a_resumed_episode(last: int) -> None:
    whole, world = NativeWorld(), NativeWorld()
    for one in (whole, world):
        long_winded_once(one)
    given = order(profile="native")
    run_virtual(whole.host().run_episode(given))
    run_virtual(world.host(records_ahead=1, screens_ahead=1).run_episode(given))
    again = cut_after(world, given, lambda record: acted_in(last, record))
    asked_before = len(world.asked_to_act)
    assert run_virtual(world.host().run_episode(again)).ending is Ending.FINISHED
    cut = {request.steps[2].reply for one in (whole, world) for request in one.asked_to_act if len(request.steps) > 3}
    (reply,) = cut
    assert reply is not None
    assert reply.endswith(" ...")
    assert len(reply) == 4004
    uncut, went_on = sent(whole), world.asked_to_act[asked_before:]
    assert went_on
    for request in went_on:
        images = [ModelImage(one.content_id, b"") for one in request.screenshots]
        assert body(request, images) == uncut[len(request.steps) - 1]


@pytest.mark.parametrize("step", range(1, 7))
@pytest.mark.parametrize("last", [decided_in, acted_in, judged_in])
def test_a_chat_goes_on_with_the_same_bytes(step: int, last: object) -> None:
    assert callable(last)
    whole, world = NativeWorld(), NativeWorld()
    for one in (whole, world):
        astray_once(one)
    given = order(profile="native")
    result = run_virtual(whole.host().run_episode(given))
    run_virtual(world.host(records_ahead=1, screens_ahead=1).run_episode(given))
    again = cut_after(world, given, lambda record: bool(last(step, record)))
    asked_before = len(world.asked_to_act)
    resumed = run_virtual(world.host().run_episode(again))
    assert (resumed.ending, resumed.steps) == (result.ending, result.steps)
    went_on = world.asked_to_act[asked_before:]
    assert went_on
    uncut = sent(whole)
    for request in went_on:
        images = [ModelImage(one.content_id, b"") for one in request.screenshots]
        assert body(request, images) == uncut[len(request.steps) - 1]
    plans = [(one.progress, one.notes, one.previous) for one in whole.requests("plan")]
    assert all((one.progress, one.notes, one.previous) in plans for one in world.requests("plan"))
