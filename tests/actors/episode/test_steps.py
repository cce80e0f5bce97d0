"""What the stages ask of whom, and what becomes of a step that goes wrong."""

from __future__ import annotations

from typing import Any

import pytest

from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.errors import (
    ActorLost,
    DeadlinePassed,
    ManyhandsError,
    ModelUnreachable,
    Overloaded,
    PhoneLost,
    ReplyUnusable,
    StateUnavailable,
)
from manyhands.protocol.journals.records import (
    Acted,
    ActionDecided,
    ActionReceived,
    ActionSent,
    Perceived,
    Planned,
    Record,
    Reflected,
    RubricsChecked,
    ScreenCaptured,
    StageFailed,
)
from manyhands.protocol.messages import CallContext
from manyhands.protocol.roles.memory import LongTermMemory, Shortcut, ShortcutStep
from manyhands.protocol.roles.requests import DecideRequest, NoteRequest, PlanRequest, ReflectRequest
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.screens.actions import Action, Answer, Enter, OpenApp, RunShortcut, Stop, Tap, Type, Wait
from tests.actors.episode.world import CALL, SEARCH, World, content_id, next_screen, order, right_action, shown, tap
from tests.permitted import permitted
from tests.virtual_clock import START, run_virtual

RUBRICS: dict[str, Any] = {
    "check": {"source": "content://example/state", "holds": {"path": "screen", "equals": "s3"}},
    "rubrics": [
        {"name": "one", "holds": {"path": "screen", "equals": "s1"}},
        {"name": "nine", "holds": {"path": "screen", "equals": "s9"}},
    ],
}


def run(world: World, task: dict[str, Any] | None = None, **settings: Any) -> tuple[EpisodeResult, list[Record]]:
    result = run_virtual(world.host().run_episode(order(task=task, **settings)))
    return result, world.journals["run-task-1"]


def of(kind: Any, journal: list[Record]) -> list[Any]:
    return [record for record in journal if isinstance(record, kind)]


def instead(screen: str, action: Action | str) -> Any:
    """An operator that once, on ``screen``, says ``action``, and otherwise does the right thing."""

    def chooses(request: DecideRequest) -> Action | str:
        if shown(request.screen) == screen and not any(past.action == action for past in request.history):
            if isinstance(action, str) and any(past.error == action for past in request.history):
                return right_action(screen)
            return action
        return right_action(shown(request.screen))

    return chooses


# ---------------------------------------------------------------------------- what each role is shown
@pytest.mark.parametrize("schedule", ["serial", "overlap"])
@pytest.mark.parametrize("slow", ["note", "plan", "perceive", "verify"])
def test_every_role_is_shown_what_the_paper_says_as_of_its_own_step(schedule: str, slow: str) -> None:
    world = World(latency=lambda method, count: 3.0 if method == slow else 0.1)
    run(world, task={"hints": "be quick"}, schedule=schedule)
    plans: list[PlanRequest] = world.requests("plan")
    decides: list[DecideRequest] = world.requests("decide")
    reflects: list[ReflectRequest] = world.requests("verify")
    notes: list[NoteRequest] = world.requests("note")

    assert [request.screenshot.content_id for request in plans] == [content_id(f"s{step}") for step in range(4)]
    assert [request.previous is None for request in plans] == [True, False, False, False]
    assert [request.progress for request in plans] == ["", ">s1", ">s1>s2", ">s1>s2>s3"]
    assert [request.notes for request in plans] == ["", "", "s1", "s1 s2"]
    assert all(request.brief.shortcuts == (SEARCH,) and request.brief.hints == "be quick" for request in plans)
    assert [shown(request.screen) for request in decides] == ["s0", "s1", "s2"]
    assert [request.plan.subgoal.text for request in decides] == ["leave s0", "leave s1", "leave s2"]
    assert [request.progress for request in decides] == ["", ">s1", ">s1>s2"]
    assert [request.notes for request in decides] == ["", "", "s1"]
    assert [len(request.history) for request in decides] == [0, 1, 2]
    assert decides[0].brief.tips == ("look",)
    assert [(request.before.content_id, request.after.content_id) for request in reflects] == [
        (content_id(f"s{step}"), content_id(f"s{step + 1}")) for step in range(3)
    ]
    assert [request.progress for request in reflects] == ["", ">s1", ">s1>s2"]
    assert [request.subgoal for request in reflects] == ["leave s0", "leave s1", "leave s2"]
    assert all(request.screen_after is None for request in reflects)
    assert [shown(request.screen) for request in notes] == ["s1", "s2", "s3"]
    assert [request.notes for request in notes] == ["", "s1", "s1 s2"]
    assert [request.progress for request in notes] == [">s1", ">s1>s2", ">s1>s2>s3"]
    assert [request.subgoal for request in notes] == ["leave s0", "leave s1", "leave s2"]


def test_the_planner_reads_the_newest_note_and_the_reflector_both_screens() -> None:
    world = World()
    run(world, paper_exact=True)
    assert [request.notes for request in world.requests("plan")] == ["", "s1", "s1 s2", "s1 s2 s3"]
    assert [shown(request.screen_after) for request in world.requests("verify")] == ["s1", "s2", "s3"]
    shots = [request.screenshot for request in world.requests("plan")]
    assert all(shot.keyboard == "unknown" and shot.app is None for shot in shots)


def test_the_operator_sees_five_past_actions_with_their_outcomes() -> None:
    world = World(goal_screen="s9", chooses=instead("s2", Tap(x=99, y=9)))
    run(world)
    last: DecideRequest = world.requests("decide")[-1]
    assert [past.step for past in last.history] == [5, 6, 7, 8, 9]
    wrong = next(request for request in world.requests("decide") if shown(request.screen) == "wrong-s2")
    assert (wrong.history[-1].outcome, wrong.history[-1].error) == (Outcome.B, "this is not the page")
    assert wrong.history[-1].action == Tap(x=99, y=9)


def test_after_two_failures_in_a_row_the_planner_is_shown_them() -> None:
    wrong = Tap(x=99, y=9)
    world = World(chooses=lambda request: wrong if len(request.history) < 2 else right_action(shown(request.screen)))
    result, _ = run(world)
    assert result.ending is Ending.FINISHED
    failures = [request.failures for request in world.requests("plan")]
    assert [len(shown) for shown in failures] == [0, 0, 2, 0, 0, 0, 0]
    assert [past.step for past in failures[2]] == [0, 1]


# ---------------------------------------------------------------------------- steps that fail
def test_a_decision_without_an_action_fails_its_step_and_touches_nothing() -> None:
    world = World(chooses=instead("s1", "there is no app 'Foo'"), latency=lambda method, count: 0.1)
    result, journal = run(world)
    assert (result.ending, result.steps) == (Ending.FINISHED, 4)
    assert len(world.ledger) == 3
    assert world.count["capture"] == 5
    assert world.count["perceive"] == 4
    judged = of(Reflected, journal)[1]
    assert (judged.step, judged.reflection.outcome, judged.reflection.made_by) == (1, Outcome.C, "check")
    assert judged.reflection.error == "there is no app 'Foo'"
    told: DecideRequest = world.requests("decide")[2]
    assert told.screenshot.content_id == world.requests("decide")[1].screenshot.content_id
    assert told.screenshot.taken_at > world.requests("decide")[1].screenshot.taken_at
    assert (told.history[-1].action, told.history[-1].error) == (None, "there is no app 'Foo'")
    assert [record.step for record in of(ScreenCaptured, journal)] == [0, 1, 2, 3, 4]
    assert of(Perceived, journal)[2].screen.cached


@pytest.mark.parametrize("schedule", ["serial", "overlap"])
@pytest.mark.parametrize("action", ["no JSON in it", OpenApp(app="Foo"), Tap(x=100, y=0)])
def test_what_changes_by_itself_is_seen_after_a_step_that_sent_nothing(action: Action | str, schedule: str) -> None:
    world = World(refuses={"Open_App": "no app is called 'Foo'"})

    def chooses(request: DecideRequest) -> Action | str:
        if shown(request.screen) != "s1":
            return right_action(shown(request.screen))
        world.screen = "s2"  # what was loading is there now
        return action

    world.chooses = chooses
    result, journal = run(world, schedule=schedule)
    assert (result.ending, result.steps) == (Ending.FINISHED, 3)
    judged = of(Reflected, journal)[1].reflection
    assert (judged.outcome, judged.made_by) == (Outcome.C, "check")
    assert judged.error.startswith(of(Acted, journal)[1].problem)
    assert judged.error.endswith("the screen has changed by itself since.")
    assert shown(world.requests("decide")[2].screen) == "s2"


def test_an_unusable_plan_leaves_the_former_plan() -> None:
    world = World(fault=lambda method, count: ReplyUnusable("?", (CALL,)) if (method, count) == ("plan", 1) else None)
    result, journal = run(world)
    assert (result.ending, result.steps) == (Ending.FINISHED, 3)
    assert [(record.step, record.stage, record.calls) for record in of(StageFailed, journal)] == [(1, "plan", (CALL,))]
    assert [request.plan.subgoal.text for request in world.requests("decide")] == ["leave s0", "leave s0", "leave s2"]


@pytest.mark.parametrize(("bad", "ending"), [(2, Ending.FINISHED), (3, Ending.FAILURE_LIMIT)])
def test_without_any_plan_the_step_fails_and_the_planner_is_asked_again(bad: int, ending: Ending) -> None:
    error = ReplyUnusable("no plan in it")
    world = World(fault=lambda method, count: error if method == "plan" and count < bad else None)
    result, journal = run(world, task={"limits": {"max_failures": 3}})
    assert result.ending is ending
    if ending is Ending.FINISHED:
        assert result.steps == 3 + bad
    assert of(ActionDecided, journal)[0].decision.problem == "There is no plan yet: no plan in it"
    assert world.count["plan"] >= bad + 1


@pytest.mark.parametrize("error", [ReplyUnusable("?", (CALL,)), ModelUnreachable("gone"), DeadlinePassed("late")])
def test_a_note_that_fails_leaves_the_notes_as_they_were(error: Exception) -> None:
    world = World(fault=lambda method, count: error if (method, count) == ("note", 1) else None)
    result, journal = run(world)
    assert result.ending is Ending.FINISHED
    assert [(record.step, record.stage) for record in of(StageFailed, journal)] == [(1, "note")]
    assert [request.notes for request in world.requests("note")] == ["", "s1", "s1"]


def test_a_verdict_that_cannot_be_read_is_a_failed_step_with_a_reason() -> None:
    error = ReplyUnusable("neither A nor B nor C", (CALL,))
    world = World(fault=lambda method, count: error if (method, count) == ("verify", 1) else None)
    result, journal = run(world)
    assert result.ending is Ending.FINISHED
    assert of(StageFailed, journal)[0].calls == (CALL,)
    judged = of(Reflected, journal)[1].reflection
    assert (judged.outcome, judged.made_by) == (Outcome.B, "check")
    assert "neither A nor B nor C" in world.requests("decide")[2].history[-1].error


def test_a_refused_action_is_a_failed_step_with_the_reason_of_the_gateway() -> None:
    world = World(chooses=instead("s1", OpenApp(app="Foo")), refuses={"Open_App": "no app is called 'Foo'"})
    result, journal = run(world)
    assert (result.ending, result.steps) == (Ending.FINISHED, 4)
    assert of(Acted, journal)[1].problem == "no app is called 'Foo'"
    assert world.requests("decide")[2].history[-1].error == "no app is called 'Foo'"
    assert world.count["capture"] == 5


# ---------------------------------------------------------------------------- actions
def test_each_atom_is_journaled_before_it_is_sent_to_a_screen_at_rest() -> None:
    call = RunShortcut(shortcut="Search", arguments={"x": 5, "y": 6, "text": "tea"})
    world = World(chooses=instead("s1", call))
    leads = {Tap(x=5, y=6): "field", Type(text="tea"): "typed", Enter(): "s1"}
    world.moves = lambda screen, action: leads.get(action) or f"s{int(screen[1:]) + 1}"  # type: ignore[call-overload]
    result, journal = run(world)
    assert result.ending is Ending.FINISHED
    sent = [record for record in of(ActionSent, journal) if record.step == 1]
    assert [record.action for record in sent] == [Tap(x=5, y=6), Type(text="tea"), Enter()]
    assert [record.key for record in sent] == [f"run-task-1:1:1:{atom}" for atom in range(3)]
    assert [record.receipt.status for record in of(ActionReceived, journal) if record.step == 1] == ["done"] * 3
    between = [name for name, _, _, what in world.calls if name in ("perform", "capture")]
    first = between.index("perform") + 2
    assert between[first : first + 5] == ["perform", "capture", "perform", "capture", "perform"]


def test_a_refused_atom_stops_the_shortcut() -> None:
    call = RunShortcut(shortcut="Search", arguments={"x": 5, "y": 6, "text": "tea"})
    world = World(chooses=instead("s1", call), refuses={"Type": "no field has the focus"})
    _, journal = run(world)
    assert [record.action.name for record in of(ActionSent, journal) if record.step == 1] == ["Tap", "Type"]
    assert of(Acted, journal)[1].problem == "Type, action 2 of 3: no field has the focus"
    judged = of(Reflected, journal)[1].reflection
    assert (judged.outcome, judged.made_by) == (Outcome.B, "check")


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (RunShortcut(shortcut="Fly"), "there is no shortcut 'Fly'; known are: Search"),
        (RunShortcut(shortcut="Search", arguments={"x": 5, "y": 6}), "Search needs the argument 'text'"),
        (
            RunShortcut(shortcut="Search", arguments={"x": 5, "y": 600, "text": "tea"}),
            "Tap: (5, 600) lies outside the screen of 100x200 pixels",
        ),
        (Tap(x=100, y=0), "Tap: (100, 0) lies outside the screen of 100x200 pixels"),
    ],
)
def test_an_action_that_does_not_fit_sends_nothing_and_says_why(call: Action, problem: str) -> None:
    world = World(chooses=instead("s1", call))
    result, journal = run(world)
    assert result.ending is Ending.FINISHED
    assert not [record for record in of(ActionSent, journal) if record.step == 1]
    assert of(Reflected, journal)[1].reflection.error == problem


NO_ANSWER = pytest.mark.parametrize("lost", [None, ActorLost("the gateway is gone")])
"""The gateway never answers, or is gone at once."""


@NO_ANSWER
def test_an_action_whose_answer_was_lost_is_not_sent_again(lost: ActorLost | None) -> None:
    world = World(loses=lambda count: (lost or 1e6) if count == 1 else None)
    result, journal = run(world, deadlines={"act": 5.0})
    assert (result.ending, result.steps) == (Ending.FINISHED, 3)
    assert world.ledger == [f"run-task-1:{step}:1:0" for step in range(3)]
    received = [record.receipt for record in of(ActionReceived, journal)]
    assert [(receipt.key, receipt.status) for receipt in received] == [(key, "done") for key in world.ledger]
    assert [receipt.repeated for receipt in received] == [False, True, False]


@NO_ANSWER
def test_an_action_that_was_never_begun_is_sent_in_the_same_step_under_another_key(lost: ActorLost | None) -> None:
    world = World(
        latency=lambda method, count: 1e6 if lost is None and (method, count) == ("perform", 1) else 0.1,
        fault=lambda method, count: lost if (method, count) == ("perform", 1) else None,
    )
    result, journal = run(world, deadlines={"act": 5.0})
    assert (result.ending, result.steps) == (Ending.FINISHED, 3)
    assert world.ledger == ["run-task-1:0:1:0", "run-task-1:1:1:0:1", "run-task-1:2:1:0"]
    received = {record.receipt.key: record.receipt.status for record in of(ActionReceived, journal)}
    assert received["run-task-1:1:1:0"] == "refused"
    assert [record.reflection.outcome for record in of(Reflected, journal)] == [Outcome.A] * 3
    context = CallContext(episode="run-task-1", step=1, deadline=START + 60)
    late = permitted(key="run-task-1:1:1:0", action=tap(1))
    again = run_virtual(world.collaborators().gateway.perform(order().lease, late, context))
    assert (again.status, len(world.ledger)) == ("refused", 3)


def test_an_action_that_nobody_knows_of_is_not_sent_again_but_judged_by_looking() -> None:
    in_vain = iter(["s1"])

    def moves(screen: str, action: Action) -> str:
        return next(in_vain, next_screen(screen, action)) if screen == "s1" else next_screen(screen, action)

    world = World(forgets=lambda key: ":1:1:" in key, moves=moves)
    result, journal = run(world)
    assert result.ending is Ending.FINISHED
    judged = of(Reflected, journal)[1].reflection
    assert (judged.outcome, judged.error) == (
        Outcome.C,
        "Nothing on the screen changed. The action may not have reached the phone.",
    )


def test_an_unknown_receipt_is_judged_by_looking_and_stops_a_shortcut() -> None:
    call = RunShortcut(shortcut="Search", arguments={"x": 1, "y": 100, "text": "tea"})
    world = World(chooses=instead("s1", call), forgets=lambda key: ":1:1:" in key)
    result, journal = run(world)
    assert result.ending is Ending.FINISHED
    assert [record.action.name for record in of(ActionSent, journal) if record.step == 1] == ["Tap"]
    assert "nobody knows whether the phone got it" in of(Acted, journal)[1].problem


def test_wait_takes_its_time_sends_nothing_and_is_judged_by_the_model() -> None:
    world = World(chooses=instead("s1", Wait(seconds=7.0)))
    result, journal = run(world)
    assert (result.ending, len(world.ledger)) == (Ending.FINISHED, 3)
    waited = of(Acted, journal)[1]
    assert waited.span.end - waited.span.start == pytest.approx(7.0)
    assert of(Reflected, journal)[1].reflection.made_by == "model"
    world = World(chooses=instead("s1", Wait(seconds=7.0)))
    _, journal = run(world, paper_exact=True)
    assert of(Acted, journal)[1].span.ms == pytest.approx(10_000)


def test_an_answer_is_recorded_and_the_episode_goes_on() -> None:
    world = World(chooses=instead("s1", Answer(text="It costs 3 euros.")))
    result, journal = run(world)
    assert (result.ending, result.answer, len(world.ledger)) == (Ending.FINISHED, "It costs 3 euros.", 3)
    judged = of(Reflected, journal)[1].reflection
    assert (judged.outcome, judged.made_by, judged.error) == (Outcome.A, "check", "")
    assert world.requests("plan")[2].progress == ">s1 The user was told: It costs 3 euros."


def test_as_the_paper_does_an_app_is_opened_by_a_tap_above_its_label() -> None:
    label = OpenApp(app="s1")
    world = World(
        chooses=lambda request: label if shown(request.screen) == "s1" else right_action(shown(request.screen))
    )
    world.moves = lambda screen, action: f"s{int(screen[1:]) + 1}"
    _, journal = run(world, paper_exact=True)
    assert of(ActionSent, journal)[1].action == Tap(x=20, y=15)
    world = World(chooses=instead("s1", OpenApp(app="Elsewhere")))
    _, journal = run(world, paper_exact=True)
    assert of(Acted, journal)[1].problem == "Open_App: the label 'Elsewhere' is not on the screen"
    assert of(Reflected, journal)[1].reflection.made_by == "model"


# ---------------------------------------------------------------------------- cheap verdicts
@pytest.mark.parametrize(
    ("settings", "made_by"),
    [({}, "check"), ({"cheap_verdicts": []}, "model"), ({"paper_exact": True}, "model")],
)
def test_an_unchanged_screen_is_outcome_c_without_the_model_where_that_is_allowed(
    settings: dict[str, Any], made_by: str
) -> None:
    nothing_there = Tap(x=50, y=50)
    world = World(
        chooses=instead("s1", nothing_there),
        judges=lambda request: Outcome.C if request.before.content_id == request.after.content_id else Outcome.A,
    )
    world.moves = lambda screen, action: screen if action == nothing_there else f"s{int(screen[1:]) + 1}"
    result, journal = run(world, **settings)
    assert result.ending is Ending.FINISHED
    judged = of(Reflected, journal)[1]
    assert (judged.reflection.outcome, judged.reflection.made_by) == (Outcome.C, made_by)
    assert judged.reflection.error
    assert bool(judged.calls) == (made_by == "model")
    assert world.count["perceive"] == 4


# ---------------------------------------------------------------------------- beside the step
def test_rubrics_are_seen_after_every_action_and_before_the_next_one() -> None:
    world = World(latency=lambda method, count: 4.0 if method == "state" else 0.5)
    result, journal = run(world, task=RUBRICS)
    assert (result.verified, result.rubrics) == (True, {"one": True, "nine": False})
    assert [(record.step, record.held) for record in of(RubricsChecked, journal)] == [(0, ("one",)), (1, ()), (2, ())]
    states = [(began, ended) for name, began, ended, _ in world.calls if name == "state"]
    acts = [began for name, began, _, _ in world.calls if name == "perform"]
    for (began, ended), act, following in zip(states, acts, acts[1:], strict=False):
        assert act < began < ended <= following


def test_rubrics_that_cannot_be_read_do_not_end_the_episode_and_are_seen_at_its_end() -> None:
    error = StateUnavailable("no provider")
    world = World(fault=lambda method, count: error if (method, count) == ("state", 2) else None)
    three = {"name": "three", "holds": {"path": "screen", "equals": "s3"}}
    result, journal = run(world, task={**RUBRICS, "rubrics": [*RUBRICS["rubrics"], three]})
    assert (result.ending, result.verified) == (Ending.FINISHED, True)
    assert [record.step for record in of(RubricsChecked, journal)] == [0, 1]
    assert result.rubrics == {"one": True, "nine": False, "three": True}


def test_a_phone_lost_while_rubrics_are_read_ends_the_episode_by_stage() -> None:
    world = World(fault=lambda method, count: PhoneLost("gone") if (method, count) == ("state", 1) else None)
    result, journal = run(world, task=RUBRICS)
    assert (result.ending, result.reason) == (Ending.PHONE_LOST, "rubrics: gone")
    assert [(record.step, record.stage) for record in of(StageFailed, journal)] == [(1, "rubrics")]


def test_without_rubrics_the_state_is_asked_for_once_and_without_a_check_never() -> None:
    world = World()
    result, _ = run(world, task={"check": RUBRICS["check"]})
    assert (world.count["state"], result.verified, result.rubrics) == (1, True, {})
    world = World()
    result, _ = run(world)
    assert (world.count["state"], result.verified) == (0, None)


def test_the_phone_is_reset_with_the_seed_of_the_task_before_it_is_looked_at() -> None:
    world = World()
    _, journal = run(world, task={"reset_seed": 7})
    assert world.requests("reset") == [("run-task-1:reset", 7)]
    assert [record.kind for record in journal[:3]] == ["episode_started", "phone_prepared", "captured"]


def test_an_overloaded_actor_is_asked_again_and_the_wait_is_not_counted_as_work() -> None:
    busy = Overloaded("64 requests wait")
    world = World(
        fault=lambda method, count: busy if method == "plan" and count < 3 else None,
        latency=lambda method, count: 0.0 if method != "plan" else 1.0 if count >= 3 else 0.4,
    )
    result, journal = run(world)
    assert result.ending is Ending.FINISHED
    planned = of(Planned, journal)[0]
    assert planned.span.queue_ms == pytest.approx(50 + 100 + 200 + 3 * 400)  # in line, before it was refused
    assert planned.span.ms == pytest.approx(1000)


def test_waiting_for_a_turn_on_the_phone_is_not_counted_as_work() -> None:
    call = RunShortcut(shortcut="Search", arguments={"x": 5, "y": 6, "text": "tea"})
    world = World(chooses=instead("s0", call), queue_ms=400.0, latency=lambda method, count: 0.5)
    world.moves = lambda screen, action: f"s{int(screen[1:]) + 1}"
    _, journal = run(world)
    captured, acted = of(ScreenCaptured, journal)[0], of(Acted, journal)[0]
    assert (captured.span.queue_ms, captured.span.ms) == (400.0, pytest.approx(100))
    assert acted.span.queue_ms == 5 * 400.0  # three actions, and two looks between them


@pytest.mark.parametrize("lost", [None, PhoneLost("unplugged for a moment"), DeadlinePassed("no picture")])
def test_a_screen_comes_with_the_receipt_of_the_action_before_it_or_is_asked_for(lost: ManyhandsError | None) -> None:
    latency = {"perform": 0.25, "capture": 0.5, "append": 0.0}
    world = World(
        latency=lambda method, count: latency.get(method, 1.0),
        fault=lambda method, count: lost if (method, count) == ("capture", 1) else None,
    )
    result, journal = run(world)
    assert result.ending is Ending.FINISHED
    assert [receipt.receipt.status for receipt in of(ActionReceived, journal)] == ["done"] * 3
    acted, (first, second, *_) = of(Acted, journal)[0], of(ScreenCaptured, journal)
    assert first.span.ms == second.span.ms == pytest.approx(500)
    assert acted.span.ms == pytest.approx(250 if lost is None else 750)
    assert second.span.start == pytest.approx(acted.span.end)
    assert world.count["capture"] == (4 if lost is None else 5)


def test_a_screen_seen_before_a_wait_is_not_taken_for_the_one_after_it() -> None:
    tap, wait = ShortcutStep(name="Tap", arguments_map={"x": "x", "y": "y"}), ShortcutStep(name="Wait")
    wait_budget = Shortcut(name="Patience", arguments=("x", "y"), steps=(tap, wait))
    call = RunShortcut(shortcut="Patience", arguments={"x": 0, "y": 100})
    world = World(chooses=instead("s0", call))
    given = order().model_copy(update={"memory": LongTermMemory(shortcuts=(wait_budget,))})
    assert run_virtual(world.host().run_episode(given)).ending is Ending.FINISHED
    acted, captured = of(Acted, world.journals[given.episode])[0], of(ScreenCaptured, world.journals[given.episode])[1]
    assert captured.screenshot.taken_at >= acted.span.end > acted.span.start + 1


def test_records_are_written_behind_the_step_but_actions_wait_for_theirs() -> None:
    slow = {"append": 0.3, "put_screens": 2.0, "plan": 1.0}
    world = World(latency=lambda method, count: slow.get(method, 0.1))
    result, _ = run(world)
    assert result.ending is Ending.FINISHED
    assert not world.unwritten
    assert len(world.screens) == 4
    assert sum(world.appends) > 3 * len(world.appends)  # together, for each append costs a sync
    captures = [ended for name, _, ended, _ in world.calls if name == "capture"]
    plans = [began for name, began, _, _ in world.calls if name == "plan"]
    assert plans[0] - captures[0] < 0.01


def test_a_stop_by_the_operator_is_not_judged() -> None:
    world = World(goal_screen="never", chooses=lambda request: Stop())
    result, journal = run(world)
    assert (result.ending, result.steps) == (Ending.FINISHED, 1)
    assert not of(Reflected, journal)
