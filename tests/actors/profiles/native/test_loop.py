"""One call a step: who is asked when, what is judged by whom, and where an episode ends."""

from __future__ import annotations

from typing import Any

import pytest

from manyhands.actors.profiles.native.profile import STEPS_UNREAD
from manyhands.actors.profiles.native.stages import next_subgoal
from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.journals.records import (
    ActionDecided,
    ActionSent,
    NotesTaken,
    Perceived,
    Planned,
    Record,
    Reflected,
    StageDropped,
)
from manyhands.protocol.roles.requests import Plan, Subgoal
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.screens.actions import Action, Answer, Back, Stop, Swipe
from tests.actors.episode.world import order, right_action, tap
from tests.actors.profiles.native.world import NativeWorld
from tests.virtual_clock import run_virtual

SCHEDULES = ["serial", "overlap", "speculate"]


def rightly(goal: str) -> Any:
    return lambda name: Stop() if name == goal else right_action(name)


def play(world: NativeWorld, task: dict[str, Any] | None = None, **chosen: Any) -> tuple[EpisodeResult, list[Record]]:
    given = order(task=task, profile="native", **chosen)
    result = run_virtual(world.host().run_episode(given))
    return result, list(world.written(given.episode))


def verdicts(journal: list[Record]) -> list[tuple[Outcome, str]]:
    return [(one.reflection.outcome, one.reflection.made_by) for one in journal if isinstance(one, Reflected)]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_it_makes_one_call_a_step_that_judges_and_acts(schedule: str) -> None:
    world = NativeWorld(acts=rightly("s3"))
    result, journal = play(world, schedule=schedule)
    assert (result.ending, result.reason, result.steps, world.screen) == (Ending.FINISHED, "agent: on s3", 4, "s3")
    assert world.count["decide"] == 4
    assert world.count["plan"] == 1
    assert verdicts(journal) == [(Outcome.A, "model")] * 3
    last = [one for one in journal if isinstance(one, Reflected)][-1]
    assert last.reflection.progress == "came to s1\ncame to s2\ncame to s3"
    assert [one.notes.text.splitlines()[-1] for one in journal if isinstance(one, NotesTaken)][-1] == "seen s3"


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_no_action_is_sent_before_the_verdict_on_the_one_before(schedule: str) -> None:
    _, journal = play(NativeWorld(acts=rightly("s3"), latency=lambda method, count: 1.0), schedule=schedule)
    judged: set[int] = set()
    for record in journal:
        if isinstance(record, Reflected):
            judged.add(record.step)
        elif isinstance(record, ActionSent):
            assert record.step == 0 or record.step - 1 in judged


def test_pictures_leave_all_at_once_and_words_stay() -> None:
    world = NativeWorld(acts=rightly("s5"))
    play(world)
    assert world.shown == [["s0"], ["s0", "s1"], ["s0", "s1", "s2"], ["s0", "s1", "s2", "s3"], ["s4"], ["s4", "s5"]]
    (*before, now) = world.asked_to_act[-1].steps
    assert [one.reply for one in before] == [f'{{"on": "s{number}", "chosen": "{tap(number)}"}}' for number in range(5)]
    assert not now.reply


def test_a_smaller_number_of_pictures_is_a_setting() -> None:
    world = NativeWorld(acts=rightly("s3"))
    play(world, chat_pictures=2)
    assert world.shown == [["s0"], ["s0", "s1"], ["s2"], ["s2", "s3"]]


def test_the_planner_is_asked_at_the_start_after_failures_and_subgoals() -> None:
    wrong = [Swipe(x1=1, y1=1, x2=1, y2=9), Swipe(x1=1, y1=1, x2=1, y2=8)]

    def acts(name: str) -> Action:
        if name.startswith("wrong-"):
            return wrong.pop() if wrong else Back()
        if name == "s1" and len(wrong) == 2:
            return wrong.pop()
        return Stop() if name == "s6" else right_action(name)

    world = NativeWorld(acts=acts, reaches=lambda name: name in ("s3", "s5"), goal_screen="none")
    _, journal = play(world, {"limits": {"max_failures": 9}})
    planned = [one.step for one in journal if isinstance(one, Planned)]
    failed = [one.step for one in journal if isinstance(one, Reflected) and one.reflection.outcome is not Outcome.A]
    assert failed[:2] == [1, 2]
    reached = [
        one.step
        for one in journal
        if isinstance(one, ActionDecided) and one.decision.verdict and one.decision.verdict.subgoal_reached
    ]
    assert len(reached) == 2
    assert reached[0] < 7 < reached[1]
    assert planned == [0, 3, 7], "once the plan has stood for four steps"
    asked = world.requests("plan")
    assert [len(one.failures) for one in asked] == [0, 2, 0]
    assert asked[1].failures[0].error == "I see wrong-s1"


def test_a_plan_is_told_once_in_the_step_in_which_it_comes() -> None:
    world = NativeWorld(acts=rightly("s2"))
    play(world)
    steps = world.asked_to_act[-1].steps
    assert [one.plan for one in steps] == ["tap on", "", ""]
    assert [one.subgoal for one in steps] == ["leave s0", "", ""]


def test_without_a_planner_nobody_plans() -> None:
    world = NativeWorld(acts=rightly("s2"))
    result, _ = play(world, without=("planner",))
    assert (result.ending, world.count["plan"]) == (Ending.FINISHED, 0)


def test_a_planner_that_finds_the_goal_reached_ends_it() -> None:
    world = NativeWorld(acts=right_action, goal_screen="s4", reaches=lambda name: name == "s4")
    result, _ = play(world)
    assert (result.ending, result.reason) == (Ending.FINISHED, "planner: there")


def test_a_verdict_of_a_rule_stands_against_the_agents() -> None:
    world = NativeWorld(acts=lambda name: tap(9), moves=lambda screen, action: screen, says=lambda name: Outcome.A)
    result, journal = play(world)
    assert result.ending is Ending.FAILURE_LIMIT
    assert verdicts(journal) == [(Outcome.C, "check")] * 4
    request = world.asked_to_act[1]
    assert request.unchanged.startswith("Nothing on the screen changed.")
    assert request.steps[1].told.startswith("Nothing on the screen changed.")
    assert request.steps[1].asks_verdict


def test_the_agent_is_told_why_the_phone_went_home() -> None:
    world = NativeWorld(acts=lambda name: tap(0) if name == "s0" else Stop())
    world.sends_home = lambda screen: "screencap says 'no'" if screen == "s1" else ""
    play(world)
    told = world.asked_to_act[-1].steps[1].told
    assert "gives no picture (screencap says 'no'), so the phone was sent to its home screen" in told


def test_what_was_not_carried_out_and_an_answer_are_not_judged_by_the_agent() -> None:
    chosen: list[Action | str] = ["not a valid action: nothing", Answer(text="42"), tap(0), Stop()]
    world = NativeWorld(acts=lambda name: chosen.pop(0))
    result, journal = play(world)
    assert result.answer == "42"
    steps = world.asked_to_act[-1].steps
    assert [one.asks_verdict for one in steps] == [False, False, False, True]
    assert "was not carried out: not a valid action: nothing" in steps[1].told
    assert steps[2].told == "The user was told: 42"
    assert verdicts(journal) == [(Outcome.C, "check"), (Outcome.A, "check"), (Outcome.A, "model")]


@pytest.mark.parametrize("schema", [None, {"type": "string"}])
def test_words_that_end_the_task_are_its_answer_and_nobody_asks_again(schema: object) -> None:
    world = NativeWorld(acts=rightly("s2"), tells=lambda name: "It is large." if name == "s2" else "")
    result, _ = play(world, {"answer": {"schema": schema}} if schema else None)
    assert (result.ending, result.answer) == (Ending.FINISHED, "It is large.")
    assert world.count["decide"] == 3


def test_an_answer_that_stops_and_judges_the_last_step_that_a_limit_allows_finishes() -> None:
    world = NativeWorld(acts=rightly("s3"))
    assert play(world, {"limits": {"max_steps": 3}})[0].ending is Ending.FINISHED
    world = NativeWorld(acts=right_action)
    result, journal = play(world, {"limits": {"max_steps": 3}})
    assert result.ending is Ending.STEP_LIMIT
    assert len([one for one in journal if isinstance(one, ActionSent)]) == 3
    assert len(verdicts(journal)) == 3


@pytest.mark.parametrize("schedule", ["overlap", "speculate"])
def test_no_action_waits_for_perception_however_slow_it_is(schedule: str) -> None:
    began: list[list[float]] = []
    for seeing in (0.0, 5.0):
        slow = {"perceive": seeing, "decide": 1.0}
        world = NativeWorld(acts=rightly("s6"), latency=lambda method, count, slow=slow: slow.get(method, 0.0))  # type: ignore[misc]
        result, journal = play(world, schedule=schedule, without=("planner",))
        assert result.ending is Ending.FINISHED
        assert [one.step for one in journal if isinstance(one, Perceived)] == list(range(7))
        began.append([begun for method, begun, _, _ in world.calls if method == "perform"])
    assert began[0] == began[1]
    assert len(began[0]) == 6


def test_an_action_waits_before_too_many_pictures_wait_for_perception() -> None:
    slow = {"perceive": 5.0, "decide": 1.0}
    world = NativeWorld(acts=rightly("s12"), latency=lambda method, count: slow.get(method, 0.0))
    _, journal = play(world, schedule="overlap", without=("planner",))
    seen: set[int] = set()
    for record in journal:
        if isinstance(record, Perceived):
            seen.add(record.step)
        elif isinstance(record, ActionSent):
            assert record.step < STEPS_UNREAD or record.step - STEPS_UNREAD in seen
    assert seen == set(range(13))


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_subgoal_that_was_reached_early_is_remembered_until_the_planner_is_asked(schedule: str) -> None:
    """A planner that keeps its plan changes nothing in the chat, so no decision is made again."""
    slow = {"plan": 0.5, "decide": 1.0}
    world = NativeWorld(acts=rightly("s7"), reaches=lambda name: name == "s1", goal_screen="none")
    world.latency = lambda method, count: slow.get(method, 0.0)
    _, journal = play(world, schedule=schedule)
    assert [one.step for one in journal if isinstance(one, Planned)] == [0, 4]
    assert [one.plan.change for one in journal if isinstance(one, Planned)] == ["replan", "keep"]
    assert world.count["decide"] == 8
    assert not [one for one in journal if isinstance(one, StageDropped)]


def plan_of(text: str, subgoal: str) -> Plan:
    return Plan(thought="", text=text, subgoal=Subgoal(id=1, text=subgoal), change="next", status="continue")


@pytest.mark.parametrize(
    ("subgoal", "following"),
    [
        ("Open Notes", "Write the note"),
        ("Now: open notes.", "Write the note"),
        ("Write the note", None),
        ("Note", None),
        ("Read the page", None),
        ("", None),
    ],
)
def test_the_next_line_of_a_plan_is_the_next_subgoal(subgoal: str, following: str | None) -> None:
    assert next_subgoal(plan_of("1. Open Notes.\n2. Write the note.", subgoal)) == following


def test_the_line_with_the_very_text_of_the_subgoal_is_the_one_that_is_meant() -> None:
    assert next_subgoal(plan_of("1. Open Notes.\n2. Read.\n3. Open Notes again.", "Open Notes.")) == "Read"
    assert next_subgoal(plan_of("1. Tap 1.\n2. Tap 10.\n3. Tap 100.", "Tap 10")) == "Tap 100"


def test_a_plan_with_a_next_line_needs_no_planner_when_a_subgoal_is_reached() -> None:
    world = NativeWorld(acts=rightly("s4"), reaches=lambda name: name == "s2", plans="1. Leave s0.\n2. Go on.")
    _, journal = play(world)
    first, second = (one for one in journal if isinstance(one, Planned))
    assert (world.count["plan"], second.calls, second.step) == (1, (), 2)
    assert (first.plan.subgoal.id, second.plan.subgoal) == (1, Subgoal(id=2, text="Go on"))
    assert [one.subgoal for one in world.asked_to_act[-1].steps] == ["leave s0", "", "", "Go on", ""]
