"""The loop of Mobile-Agent-v2: who is asked what, and when; what is restored, and who is told."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from statistics import median
from typing import Any

import pytest

from manyhands.actors.profiles.v2 import PROFILE
from manyhands.actors.profiles.v2.requests import OperationRequest, with_new
from manyhands.evaluation.audit import Ledger, LedgerRow, audit
from manyhands.evaluation.episode_view import view_episode
from manyhands.evaluation.episodes import episodes_of
from manyhands.evaluation.summary import summary_of
from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.journals.records import (
    Acted,
    ActionDecided,
    ActionSent,
    NotesTaken,
    Reflected,
    Restored,
    StageResult,
)
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.screens.actions import Action, Back, Home, Stop, Tap, Type
from manyhands.protocol.screens.argument_types import LONGEST
from tests.actors.episode.world import next_screen, shown
from tests.actors.profiles.v2.world import V2World, play, right_operation

SCHEDULES = ["serial", "overlap", "speculate"]
MODEL_ONLY: dict[str, Any] = {"cheap_verdicts": ()}


def wrong_once_on(screen: str) -> Callable[[OperationRequest], Action]:
    """Give decisions that are right, but for the first one on a screen."""

    def operates(request: OperationRequest) -> Action:
        wrong = shown(request.screen) == screen and not request.tried
        return Tap(x=99, y=1) if wrong else right_operation(request, "s3")

    return operates


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_it_goes_on_to_the_stop_of_the_decision_agent(schedule: str) -> None:
    world = V2World(keeps=lambda screen: f"seen: {screen}")
    result, journal = play(world, schedule=schedule, **MODEL_ONLY)
    assert (result.ending, result.reason, world.screen) == (Ending.FINISHED, "decision agent: from s3", "s3")
    progress = [record.data["progress"] for record in journal if isinstance(record, StageResult)]
    assert progress == [">0", ">0>1", ">0>1>2"]
    kept = [record.notes.text for record in journal if isinstance(record, NotesTaken)]
    assert kept == ["seen: s0", "seen: s0\nseen: s1", "seen: s0\nseen: s1\nseen: s2"]
    assert summary_of({}, [journal]).outcomes == {"A": 3, "B": 0, "C": 0}
    assert not [record for record in journal if isinstance(record, Restored)]


def test_each_is_given_what_its_equation_lists() -> None:
    world = V2World(keeps=lambda screen: f"seen: {screen}")
    play(world, schedule="serial", task={"hints": "Tap."}, **MODEL_ONLY)
    plans, decisions, verdicts = (world.requests(name) for name in ("plan", "decide", "reflect"))
    assert {request.brief.hints for request in (*plans, *decisions, *verdicts)} == {"Tap."}
    assert {request.brief.told for request in (*plans, *decisions, *verdicts)} == {("hints",)}
    assert [(request.operations[0].step, request.previous, request.focus) for request in plans] == [
        (0, "", "seen: s0"),
        (1, ">0", "seen: s0\nseen: s1"),
        (2, ">0>1", "seen: s0\nseen: s1\nseen: s2"),
    ]
    assert [(request.progress, request.focus) for request in decisions[:2]] == [("", ""), (">0", "seen: s0")]
    assert [[one.step for one in request.operations] for request in decisions] == [[], [0], [0, 1], [0, 1, 2]]
    assert decisions[1].operations[0].thought == "from s0"
    assert [(request.operation.step, request.focus) for request in verdicts[:1]] == [(0, "seen: s0")]


def test_the_paper_s_table_has_the_planning_agent_see_every_correct_operation() -> None:
    world = V2World()
    play(world, schedule="serial", paper_exact=True)
    assert [[one.step for one in request.operations] for request in world.requests("plan")] == [[0], [0, 1], [0, 1, 2]]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_an_erroneous_page_is_restored_and_leaves_no_trace_in_the_history(schedule: str) -> None:
    world = V2World(operates=wrong_once_on("s1"))
    result, journal = play(world, schedule=schedule, **MODEL_ONLY)
    assert (result.ending, world.screen, result.steps) == (Ending.FINISHED, "s3", 5)
    (restored,) = [record for record in journal if isinstance(record, Restored)]
    assert (restored.step, restored.backs, restored.restored, shown(restored.screen)) == (1, 1, True, "s1")
    told = next(request for request in world.requests("decide") if request.tried)
    assert shown(told.screen) == "s1"
    assert told.screenshot == restored.screenshot
    assert (told.restored, [(one.action, one.outcome) for one in told.tried]) == (True, [(Tap(x=99, y=1), Outcome.B)])
    assert [one.step for one in world.requests("decide")[-1].operations] == [0, 2, 3]
    done = [record.step for record in journal if isinstance(record, StageResult)]
    assert done == [1, 3, 4]
    backs = [record for record in journal if isinstance(record, ActionSent) and isinstance(record.action, Back)]
    assert [record.key for record in backs] == ["run-task-1:1:1:1"]
    assert world.unwritten == []
    received = ["run-task-1:reset", *world.ledger]
    ledger = Ledger(serial="phone-1", rows=[LedgerRow(key=key, line="input") for key in received])
    found = audit([journal], [ledger])
    assert (found.violations, found.keys) == ((), {"done": 6})
    (episode,) = episodes_of([journal])
    story = view_episode(episode)
    assert story.steps[2].screenshot == restored.screenshot
    assert story.steps[1].wrong_page is not None
    assert story.steps[1].wrong_page != restored.screenshot


def test_the_page_is_not_touched_before_the_verdict_nor_left_before_it_is_restored() -> None:
    world = V2World(operates=wrong_once_on("s0"))
    _, journal = play(world, schedule="overlap", **MODEL_ONLY)
    kinds = [
        (type(record).__name__, record.step)
        for record in journal
        if isinstance(record, Acted | Reflected | ActionSent | Restored)
    ]
    assert kinds[:7] == [
        ("ActionSent", 0),
        ("Acted", 0),
        ("Reflected", 0),
        ("ActionSent", 0),
        ("Restored", 0),
        ("ActionSent", 1),
        ("Acted", 1),
    ]


def test_back_is_pressed_three_times_at_most_and_the_decision_agent_knows() -> None:
    deeper = iter(range(1, 100))

    def moves(screen: str, action: Action) -> str:
        if isinstance(action, Home):
            return "s1"
        return f"lost-{next(deeper)}" if isinstance(action, Back) else next_screen(screen, action)

    def operates(request: Any) -> Action:
        if shown(request.screen).startswith("lost"):
            return Home()
        if shown(request.screen) == "s1" and request.restored is None and not request.operations[-1].step:
            return Tap(x=99, y=1)
        return right_operation(request, "s3")

    world = V2World(moves=moves, operates=operates)
    result, journal = play(world, schedule="overlap", **MODEL_ONLY)
    assert result.ending is Ending.FINISHED
    (restored,) = [record for record in journal if isinstance(record, Restored)]
    assert (restored.backs, restored.restored, shown(restored.screen)) == (3, False, "lost-3")
    told = world.requests("decide")[2]
    assert (told.restored, shown(told.screen), [one.outcome for one in told.tried]) == (False, "lost-3", [Outcome.B])


def test_where_back_does_nothing_it_is_not_pressed_again() -> None:
    stuck = V2World(
        moves=lambda screen, action: screen if isinstance(action, Back) else next_screen(screen, action),
        operates=lambda request: Stop() if request.restored is False else Tap(x=99, y=1),
    )
    _, journal = play(stuck, **MODEL_ONLY)
    (restored,) = [record for record in journal if isinstance(record, Restored)]
    assert (restored.backs, restored.restored) == (1, False)


def test_the_authors_code_presses_back_once() -> None:
    deeper = iter(range(1, 100))
    world = V2World(
        moves=lambda screen, action: (
            f"lost-{next(deeper)}" if isinstance(action, Back) else next_screen(screen, action)
        ),
        operates=lambda request: Stop() if request.restored is False else Tap(x=99, y=1),
    )
    _, journal = play(world, paper_exact=True)
    (restored,) = [record for record in journal if isinstance(record, Restored)]
    assert restored.backs == 1


def test_an_ineffective_operation_stays_and_is_told() -> None:
    world = V2World(
        moves=lambda screen, action: screen if action == Tap(x=99, y=1) else next_screen(screen, action),
        operates=wrong_once_on("s0"),
        judges_v2=lambda request: Outcome.C if request.before.content_id == request.after.content_id else Outcome.A,
    )
    result, journal = play(world, schedule="overlap", **MODEL_ONLY)
    assert result.ending is Ending.FINISHED
    assert not [record for record in journal if isinstance(record, Restored)]
    told = world.requests("decide")[1]
    assert (told.operations, told.restored, [one.outcome for one in told.tried]) == ((), None, [Outcome.C])


def test_an_unchanged_page_is_not_left_by_back_whatever_the_verdict() -> None:
    """With paper_exact Back is pressed as in the authors' code."""

    def operates(request: OperationRequest) -> Action:
        return Stop() if request.tried else Tap(x=99, y=1)

    for exact in (False, True):
        world = V2World(
            moves=lambda screen, action: screen if action == Tap(x=99, y=1) else next_screen(screen, action),
            operates=operates,
            judges_v2=lambda request: Outcome.B,
        )
        _, journal = play(world, schedule="overlap", paper_exact=exact, **MODEL_ONLY)
        backs = [one for one in journal if isinstance(one, ActionSent) and isinstance(one.action, Back)]
        assert len(backs) == len([one for one in journal if isinstance(one, Restored)]) == (1 if exact else 0)
        assert world.requests("decide")[1].restored is (True if exact else None)


def test_a_field_is_not_said_to_be_cleared_by_enter_alone() -> None:
    def operates(request: OperationRequest) -> Action:
        return Stop() if request.tried else Type(text="\n", clear=True)

    world = V2World(operates=operates)
    _, journal = play(world, **MODEL_ONLY)
    assert not [one for one in journal if isinstance(one, ActionSent)]
    assert "Type: a field is cleared only where" in world.requests("decide")[1].tried[0].error


def test_a_page_that_nobody_judged_stays() -> None:
    def operates(request: Any) -> Action | str:
        return Stop() if request.tried else "no valid action"

    _, journal = play(V2World(operates=operates))
    assert not [record for record in journal if isinstance(record, Restored)]


def test_memory_runs_beside_the_phone_and_nothing_of_the_phone_waits_for_it() -> None:
    seconds = {"decide": 2.0, "memory": 3.0, "perform": 2.0, "reflect": 1.0, "plan": 1.0, "capture": 1.0}
    world = V2World(latency=lambda method, count: seconds.get(method, 0.0))
    play(world, schedule="overlap", **MODEL_ONLY)
    spans = {name: [(began, ended) for one, began, ended, _ in world.calls if one == name] for name in seconds}
    for (began, _), (acted, rest) in zip(spans["memory"], spans["perform"], strict=False):
        assert began == pytest.approx(acted)
        assert rest > began
    serial = V2World(latency=lambda method, count: seconds.get(method, 0.0))
    play(serial, schedule="serial", **MODEL_ONLY)
    ended = {name: max(end for _, _, end, _ in one.calls) for name, one in (("o", world), ("s", serial))}
    assert ended["s"] - ended["o"] == pytest.approx(3 * 3.0)


def test_schedules_overlap_as_much_as_the_documents_say() -> None:
    seconds = {
        "plan": 3.0,
        "decide": 3.0,
        "reflect": 2.5,
        "memory": 2.0,
        "perceive": 0.5,
        "perform": 0.1,
        "capture": 0.4,
    }
    took: dict[str, float] = {}
    for schedule in SCHEDULES:
        world = V2World(
            latency=lambda method, count: seconds.get(method, 0.0),
            keeps=lambda screen: f"seen: {screen}",
            operates=lambda request: right_operation(request, "s6"),
        )
        _, journal = play(world, schedule=schedule, **MODEL_ONLY)
        sent = [record.at for record in journal if isinstance(record, ActionSent)]
        took[schedule] = median(after - before for before, after in pairwise(sent))
    assert took["serial"] == pytest.approx(11.5)
    assert took["overlap"] == pytest.approx(11.5 - 2.0)
    assert took["speculate"] == pytest.approx(2.0 + 3.0)  # what was kept of each screen is new: decided again with it


@pytest.mark.parametrize(
    ("chosen", "lag"),
    [
        ({"schedule": "serial"}, 0),
        ({"schedule": "overlap", "paper_exact": True}, 0),
        ({"schedule": "overlap"}, 1),
        ({"schedule": "speculate"}, 1),
    ],
)
def test_the_reflection_agent_waits_for_the_memory_unit_where_the_paper_is_followed(
    chosen: dict[str, Any], lag: int
) -> None:
    slow = {"memory": 2.0, "reflect": 1.0}
    world = V2World(keeps=lambda screen: screen, latency=lambda method, count: slow.get(method, 0.0))
    play(world, **MODEL_ONLY, **chosen)
    kept = ["", "s0", "s0\ns1", "s0\ns1\ns2"]
    assert [request.focus for request in world.requests("reflect")] == kept[1 - lag : 4 - lag]


def test_speculation_gives_the_decision_agent_the_earlier_progress() -> None:
    world = V2World(latency=lambda method, count: 1.0 if method in ("decide", "plan", "reflect") else 0.0)
    _, journal = play(world, schedule="speculate", **MODEL_ONLY)
    assert [request.progress for request in world.requests("decide")] == ["", "", ">0", ">0>1"]
    assumed = [record.assumed for record in journal if isinstance(record, ActionDecided)]
    assert assumed[1:] == [("plan", "reflect", "restore")] * 3
    progress = [record.data["progress"] for record in journal if isinstance(record, StageResult)]
    assert progress == [">0", ">0>1", ">0>1>2"]


# ---------------------------------------------------------------------------- parts
def test_parts_can_be_left_out() -> None:
    for part, stage in (("planner", "plan"), ("reflector", "reflect"), ("memory", "memory")):
        settings = EpisodeSettings(profile="v2", without=(part,))
        PROFILE.check(settings)
        assert stage not in PROFILE.stage_names(settings)
        world = V2World(keeps=lambda screen: "kept")
        result, journal = play(world, without=[part], **MODEL_ONLY)
        assert (result.ending, world.screen) == (Ending.FINISHED, "s3")
        assert world.requests(stage) == []
        last = world.requests("decide")[-1]
        assert [one.step for one in last.operations] == [0, 1, 2]
        assert (last.progress is None) == (part == "planner")
        assert (last.focus is None) == (part == "memory")
        assert stage not in {getattr(record, "stage", "") for record in journal}
    untold = V2World()
    play(untold, without=["hints"], task={"hints": "Tap."})
    assert {request.brief.told for request in untold.requests("decide")} == {()}


def test_without_the_reflector_a_limit_ends_it_all_the_same() -> None:
    result, _ = play(V2World(), without=["reflector"], task={"limits": {"max_steps": 2}})
    assert (result.ending, result.steps) == (Ending.STEP_LIMIT, 2)


def test_three_errors_in_a_row_end_it_and_the_last_page_is_not_restored() -> None:
    world = V2World(operates=lambda request: Tap(x=99, y=1))
    result, journal = play(world, **MODEL_ONLY)
    assert (result.ending, result.steps) == (Ending.FAILURE_LIMIT, 3)
    assert [record.step for record in journal if isinstance(record, Restored)] == [0, 1]


def test_the_comparison_of_e_gives_it_e_s_tips() -> None:
    world = V2World()
    play(world, like_e=True)
    briefs = [request.brief for request in world.requests("decide")]
    assert {(brief.told, brief.tips) for brief in briefs} == {(("hints", "tips"), ("look",))}
    with pytest.raises(ValueError, match="like_e is for the profile v2 alone, and this one is e"):
        EpisodeSettings(like_e=True)


# ---------------------------------------------------------------------------- focus content
def test_focus_content_is_appended_where_it_is_new_and_bounded() -> None:
    assert with_new("", "") == ""
    assert with_new("a: 1", "a: 1") == "a: 1"
    assert with_new("a: 1", " b: 2 \n\na: 1") == "a: 1\nb: 2"
    long = "\n".join(f"{number}: {'x' * 90}" for number in range(30))
    kept = with_new(long, "new: 1")
    assert len(kept) <= LONGEST
    assert kept.endswith("new: 1")
    assert kept.splitlines()[0] in long.splitlines()
    assert len(with_new("", "y" * 3000)) == LONGEST
