"""Every way in which an episode ends, through the host's own door."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any

import pytest
from pydantic import Field

from manyhands.actors.episode.host import EpisodeHost, HostSettings
from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.errors import (
    ActorLost,
    CallError,
    CaptureFailed,
    DeadlinePassed,
    InvalidRecord,
    LeaseLost,
    ManyhandsError,
    ModelError,
    ModelRefused,
    ModelUnreachable,
    Overloaded,
    PerceptionError,
    PhoneLost,
    ReplyUnusable,
    StateUnavailable,
    StoreError,
)
from manyhands.protocol.journals.records import EpisodeEnded, EpisodeStarted, NotesTaken, Record, StageFailed
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.limits import Count, CountedState, Counters, Limit, Limits
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.screens.actions import Action, Back, Stop, Swipe, Tap
from tests.actors.episode.world import CALL, World, content_id, order, tap
from tests.virtual_clock import START, run_virtual


def run(world: World, task: dict[str, Any] | None = None, **settings: Any) -> tuple[EpisodeResult, list[Record]]:
    """The result of one episode and its journal, which is closed and agrees with it."""
    given = order(task=task, **settings)
    result = run_virtual(world.host().run_episode(given))
    journal = world.journals[given.episode]
    assert isinstance(journal[0], EpisodeStarted)
    (ended,) = [record for record in journal if isinstance(record, EpisodeEnded)]
    assert journal[-1] is ended
    assert (ended.ending, ended.explanation, ended.steps) == (result.ending, result.reason, result.steps)
    assert (ended.verified, ended.rubrics, ended.answer) == (result.verified, result.rubrics, result.answer)
    return result, journal


def nth(method: str, number: int, error: BaseException) -> Callable[[str, int], BaseException | None]:
    return lambda asked, count: error if (asked, count) == (method, number) else None


def since(method: str, number: int, error: BaseException) -> Callable[[str, int], BaseException | None]:
    return lambda asked, count: error if asked == method and count >= number else None


def every(method: str, error: BaseException) -> Callable[[str, int], BaseException | None]:
    return lambda asked, count: error if asked == method else None


BOTH = pytest.mark.parametrize("schedule", ["serial", "overlap"])
CHECK = {"source": "content://example/state", "holds": {"path": "screen", "equals": "s3"}}


@BOTH
def test_finished_when_the_planner_finds_the_goal_reached(schedule: str) -> None:
    world = World()
    result, journal = run(world, task={"check": CHECK}, schedule=schedule)
    assert (result.ending, result.steps, result.verified) == (Ending.FINISHED, 3, True)
    assert result.reason == "planner: there"
    assert [record.step for record in journal if isinstance(record, NotesTaken)] == [0, 1, 2]
    assert set(world.screens) == {content_id(f"s{number}") for number in range(4)}


def test_finished_when_the_operator_says_stop() -> None:
    world = World(goal_screen="never", chooses=lambda request: Stop() if request.history else tap(0))
    result, _ = run(world, task={"check": CHECK})
    assert (result.ending, result.steps, result.verified) == (Ending.FINISHED, 2, False)
    assert [str(test) for test in result.unmet] == ['expected screen is "s3"; found "s1"']
    assert len(world.ledger) == 1


def test_impossible_when_the_planner_says_so() -> None:
    world = World()
    agents = world.collaborators().agents

    class Doubtful:
        async def answer(self, *args: Any) -> Any:
            answered = await agents[Role.PLAN].answer(*args)
            return answered.model_copy(
                update={"value": answered.value.model_copy(update={"status": "impossible", "thought": "no such app"})}
            )

    collaborators = replace(world.collaborators(), agents={**agents, Role.PLAN: Doubtful()})
    host = EpisodeHost(HostSettings(), collaborators, world.clock)
    result = run_virtual(host.run_episode(order()))
    assert (result.ending, result.reason, result.steps) == (Ending.IMPOSSIBLE, "planner: no such app", 0)


def test_a_stage_that_asks_an_undeclared_role_is_a_named_defect() -> None:
    world = World()
    agents = {role: agent for role, agent in world.collaborators().agents.items() if role is not Role.NOTE}
    host = EpisodeHost(HostSettings(), replace(world.collaborators(), agents=agents), world.clock)
    result = run_virtual(host.run_episode(order()))
    assert result.ending is Ending.INTERNAL_ERROR
    assert "a stage asks the notetaker, which is not among the roles of its profile" in result.reason


@BOTH
def test_step_limit_after_as_many_steps_and_with_the_last_note(schedule: str) -> None:
    result, journal = run(World(goal_screen="s9"), task={"limits": {"max_steps": 4}}, schedule=schedule)
    assert (result.ending, result.steps) == (Ending.STEP_LIMIT, 4)
    assert [record.step for record in journal if isinstance(record, NotesTaken)] == [0, 1, 2, 3]


def test_failure_limit_after_as_many_failed_steps_in_a_row() -> None:
    world = World(chooses=lambda request: tap(0) if len(request.history) == 0 else Tap(x=90, y=len(request.history)))
    world.moves = lambda screen, action: "s1"
    result, _ = run(world)
    assert (result.ending, result.steps) == (Ending.FAILURE_LIMIT, 4)
    assert result.reason.startswith("3 failed steps in a row; the last: Nothing on the screen changed.")


@pytest.mark.parametrize(
    ("outcomes", "paper_exact", "steps", "reason"),
    [
        ("ABABAB", False, 6, "the same action in a row failed 3 times"),
        ("AAAAAA", True, 4, "the same action 4 times in a row"),
        ("ABABAB", True, 4, "the same action 4 times in a row"),
    ],
)
def test_repeat_limit_when_the_same_action_fails_again_and_again(
    outcomes: str, paper_exact: bool, steps: int, reason: str
) -> None:
    """With ``paper_exact``, when it is decided again and again."""
    world = World(goal_screen="never", chooses=lambda request: tap(0))
    world.judges = lambda request: Outcome(outcomes[len(world.ledger) - 1])
    world.moves = lambda screen, action: f"s{len(world.ledger)}"
    result, _ = run(world, paper_exact=paper_exact)
    assert (result.ending, result.steps, result.reason) == (Ending.REPEAT_LIMIT, steps, reason)
    assert len(world.ledger) == steps


def count_swipes(state: CountedState, step: int) -> Count:
    decisions = (state.step(number).decision for number in range(step + 1))
    swipes = sum(decision is not None and isinstance(decision.action, Swipe) for decision in decisions)
    return Count(swipes, f"{swipes} swipes")


class LimitsOfSwipes(Limits):
    max_swipes: Annotated[int, Limit(Ending.REPEAT_LIMIT, ours=Counters(count_swipes))] = Field(default=2, ge=1)


def test_a_limit_is_added_by_its_declaration_alone() -> None:
    swipe = Swipe(x1=50, y1=80, x2=50, y2=20)
    world = World(goal_screen="never", chooses=lambda request: swipe if len(request.history) % 2 else tap(0))
    world.judges = lambda request: Outcome.A
    world.moves = lambda screen, action: f"s{len(world.ledger)}"
    given = order()
    task = given.task.model_copy(update={"limits": LimitsOfSwipes()})
    result = run_virtual(world.host().run_episode(given.model_copy(update={"task": task})))
    assert (result.ending, result.steps, result.reason) == (Ending.REPEAT_LIMIT, 4, "2 swipes")


def test_an_equal_action_that_works_each_time_may_be_repeated() -> None:
    """A plus sign is tapped until the number is right."""
    world = World(goal_screen="s7", chooses=lambda request: tap(0), judges=lambda request: Outcome.A)
    world.moves = lambda screen, action: f"s{len(world.ledger)}"
    result, _ = run(world)
    assert (result.ending, len(world.ledger)) == (Ending.FINISHED, 7)


@pytest.mark.parametrize(("paper_exact", "ending"), [(False, Ending.FINISHED), (True, Ending.STEP_LIMIT)])
def test_a_goal_reached_by_the_last_step_is_finished_but_not_as_in_the_paper(paper_exact: bool, ending: Ending) -> None:
    result, journal = run(World(goal_screen="s3"), task={"limits": {"max_steps": 3}}, paper_exact=paper_exact)
    assert (result.ending, result.steps) == (ending, 3)
    assert [record.step for record in journal if isinstance(record, NotesTaken)] == [0, 1, 2]


@pytest.mark.parametrize("action", [Swipe(x1=50, y1=150, x2=50, y2=50), Back()])
def test_swipe_and_back_may_be_repeated(action: Action) -> None:
    world = World(goal_screen="s9", chooses=lambda request: action, judges=lambda request: Outcome.A)
    world.moves = lambda screen, action: f"s{len(world.ledger)}"
    result, _ = run(world)
    assert (result.ending, result.steps) == (Ending.FINISHED, 9)


def test_time_limit_lets_an_action_finish_and_cancels_what_else_runs() -> None:
    times = {"plan": 4.0, "perceive": 20.0, "renew": 0.0}
    world = World(goal_screen="s9", latency=lambda method, count: times.get(method, 0.5))
    result, journal = run(world, task={"limits": {"wall_s": 30.0}})
    assert (result.ending, result.reason) == (Ending.TIME_LIMIT, "30 s have passed")
    assert result.ended_at - START == pytest.approx(30.0, abs=0.01)
    assert "perceive" in world.cancelled
    world = World(goal_screen="s9", latency=lambda method, count: 5.0 if method == "perform" else 0.1)
    result, journal = run(world, task={"limits": {"wall_s": 4.0}})
    assert (result.ending, result.steps) == (Ending.TIME_LIMIT, 1)
    assert [record.kind for record in journal][-3:] == ["action_received", "acted", "episode_ended"]


@pytest.mark.parametrize("reply", ["plan", "verify", "note"])
def test_unusable_reply_ends_an_episode_as_the_paper_does(reply: str) -> None:
    result, journal = run(World(fault=nth(reply, 1, ReplyUnusable("gibberish", (CALL,)))), paper_exact=True)
    assert (result.ending, result.reason) == (Ending.UNUSABLE_REPLY, f"{reply}: gibberish")
    (failed,) = [record for record in journal if isinstance(record, StageFailed)]
    assert (failed.stage, failed.code, failed.calls) == (reply, "reply_unusable", (CALL,))


def test_a_reply_that_is_no_action_ends_an_episode_as_the_paper_does() -> None:
    result, _ = run(World(chooses=lambda request: "no JSON in it"), paper_exact=True)
    assert (result.ending, result.reason, result.steps) == (Ending.UNUSABLE_REPLY, "operator: no JSON in it", 0)


@BOTH
@pytest.mark.parametrize(
    ("method", "number", "error"),
    [
        ("reset", 0, PhoneLost("unplugged")),
        ("capture", 0, PhoneLost("unplugged")),
        ("capture", 1, PhoneLost("unplugged")),
        ("capture", 2, PhoneLost("unplugged")),
        ("perform", 1, PhoneLost("unplugged")),
        ("perform", 1, ActorLost("the gateway is gone")),
        ("capture", 1, DeadlinePassed("no picture")),
        ("renew", 0, PhoneLost("unplugged")),
    ],
)
def test_phone_lost(method: str, number: int, error: ManyhandsError, schedule: str) -> None:
    latency = {"renew": 2.0}
    world = World(fault=since(method, number, error), latency=lambda method, count: latency.get(method, 1.0))
    result, _ = run(world, task={"check": CHECK}, schedule=schedule)
    assert result.ending is Ending.PHONE_LOST
    assert str(error) in result.reason
    assert result.verified is None


def test_phone_lost_when_no_picture_is_ever_whole() -> None:
    result, _ = run(World(fault=every("capture", CaptureFailed("half a picture"))))
    assert (result.ending, result.reason) == (Ending.PHONE_LOST, "capture: half a picture")


def test_a_single_damaged_picture_is_taken_again() -> None:
    world = World(fault=nth("capture", 1, CaptureFailed("half a picture")))
    result, _ = run(world)
    assert result.ending is Ending.FINISHED


@pytest.mark.parametrize("method", ["perform", "capture", "reset", "renew"])
def test_lease_lost_when_another_holder_took_the_phone(method: str) -> None:
    world = World(fault=every(method, LeaseLost("epoch 2 is newer")))
    result, _ = run(world, task={"check": CHECK})
    assert (result.ending, result.verified) == (Ending.LEASE_LOST, None)
    assert not world.ledger


def test_lease_lost_ends_what_runs_at_once() -> None:
    world = World(
        latency=lambda method, count: 60.0 if method == "plan" else 0.1,
        fault=nth("renew", 2, LeaseLost("epoch 2 is newer")),
    )
    result, _ = run(world, lease_s=9.0)
    assert result.ending is Ending.LEASE_LOST
    assert result.ended_at - START < 7.0
    assert "plan" in world.cancelled


@pytest.mark.parametrize(
    ("renewing_s", "error"), [(0.1, Overloaded("later")), (0.1, StoreError("the database is locked")), (1e6, None)]
)
def test_lease_lost_when_it_could_not_be_renewed_in_time(renewing_s: float, error: ManyhandsError | None) -> None:
    times = {"plan": 60.0, "renew": renewing_s}
    world = World(
        latency=lambda method, count: times.get(method, 0.1),
        fault=lambda method, count: error if method == "renew" else None,
    )
    result, _ = run(world, lease_s=9.0)
    assert result.ending is Ending.LEASE_LOST
    assert 9.0 <= result.ended_at - START < 13.0


@pytest.mark.parametrize("error", [Overloaded("later"), StoreError("the database is locked")])
def test_a_lease_that_is_renewed_late_is_kept(error: ManyhandsError) -> None:
    world = World(latency=lambda method, count: 60.0 if method == "plan" else 0.1, fault=nth("renew", 1, error))
    result, _ = run(world, lease_s=9.0)
    assert result.ending is Ending.FINISHED
    assert world.count["renew"] >= 4 * 60 / 3.1


@pytest.mark.parametrize("method", ["plan", "decide", "verify"])
@pytest.mark.parametrize(
    "error",
    [ModelUnreachable("no server", (CALL,)), ModelRefused("too long"), DeadlinePassed("late", (CALL,)), ActorLost("x")],
)
def test_model_failed(method: str, error: ManyhandsError) -> None:
    result, journal = run(World(fault=nth(method, 1, error)), task={"check": CHECK})
    assert (result.ending, result.reason, result.verified) == (Ending.MODEL_FAILED, f"{method}: {error}", False)
    (failed,) = [record for record in journal if isinstance(record, StageFailed)]
    assert (failed.stage, failed.code) == (method, error.code)
    assert isinstance(error, ModelError | CallError)
    assert failed.calls == error.calls


def test_model_failed_when_a_role_does_not_even_keep_its_own_deadline() -> None:
    world = World(latency=lambda method, count: 1e9 if method == "decide" else 0.1)
    result, _ = run(world, deadlines={"decide": 7.0})
    assert (result.ending, result.reason) == (
        Ending.MODEL_FAILED,
        "decide: decide of step 0: no answer by the deadline",
    )
    assert 7.0 < result.ended_at - START < 12.0


@pytest.mark.parametrize("error", [PerceptionError("no engine"), DeadlinePassed("late"), CaptureFailed("no PNG")])
def test_perception_failed(error: ManyhandsError) -> None:
    result, _ = run(World(fault=nth("perceive", 1, error)))
    assert (result.ending, result.reason) == (Ending.PERCEPTION_FAILED, f"perceive: {error}")


@pytest.mark.parametrize(
    "method", ["capture", "perceive", "plan", "decide", "perform", "verify", "note", "renew", "reset"]
)
def test_internal_error_names_the_defect_and_leaves_nothing_running(method: str) -> None:
    latency = {"renew": 2.0}
    world = World(
        fault=nth(method, 0, LookupError("no such key")), latency=lambda method, count: latency.get(method, 1.0)
    )
    result, _ = run(world)
    assert result.ending is Ending.INTERNAL_ERROR
    assert "LookupError: no such key" in result.reason
    assert world.in_flight == 0


@pytest.mark.parametrize(("method", "number"), [("append", 1), ("put_screens", 0)])
@pytest.mark.parametrize(
    ("error", "ending"),
    [(StoreError("read-only"), Ending.HOST_LOST), (InvalidRecord("an int of 70 bits"), Ending.INTERNAL_ERROR)],
)
def test_an_unwritable_folder_ends_as_a_store_error_and_nothing_is_sent(
    method: str, number: int, error: StoreError, ending: Ending
) -> None:
    world = World(fault=lambda asked, count: error if asked == method and count >= number else None)
    result = run_virtual(world.host().run_episode(order()))
    assert result.ending is ending
    assert str(error) in result.reason
    written = [record.key for record in world.journals["run-task-1"] if record.kind == "action_sent"]
    assert world.ledger == written[: len(world.ledger)]
    assert method == "put_screens" or not world.ledger


@BOTH
@pytest.mark.parametrize(("method", "number"), [("append", 0), ("append", 1), ("append", 3), ("put_screens", 0)])
def test_a_store_whose_process_died_ends_as_host_lost_for_another_attempt(
    method: str, number: int, schedule: str
) -> None:
    world = World(fault=lambda asked, count: ActorLost("it died") if asked == method and count >= number else None)
    result = run_virtual(world.host().run_episode(order(schedule=schedule)))
    assert result.ending is Ending.HOST_LOST
    assert "it died" in result.reason


@pytest.mark.parametrize("schedule", ["serial", "overlap"])
@pytest.mark.parametrize("after", [0.5, 1.5, 3.2, 4.7, 6.1])
def test_cancelled_closes_the_journal_and_goes_on_cancelling(after: float, schedule: str) -> None:
    world = World(goal_screen="never", latency=lambda method, count: 0.0 if method == "append" else 0.9)

    async def main() -> None:
        host = world.host()
        running = asyncio.create_task(host.run_episode(order(schedule=schedule)))
        await asyncio.sleep(after)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert await host.progress() == []

    run_virtual(main())
    journal = world.journals["run-task-1"]
    assert isinstance(journal[-1], EpisodeEnded)
    assert journal[-1].ending is Ending.CANCELLED
    assert sum(isinstance(record, EpisodeEnded) for record in journal) == 1
    assert world.in_flight == 0


def test_a_cancel_while_the_journal_closes_leaves_one_ending() -> None:
    world = World(latency=lambda method, count: 5.0 if method in ("append", "put_screens") else 0.1)

    async def main() -> None:
        running = asyncio.create_task(world.host().run_episode(order()))
        while not any(record.kind == "noted" for record in world.journals.get("run-task-1", [])):
            await asyncio.sleep(0.1)
        await asyncio.sleep(0.2)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    run_virtual(main())
    assert [record.kind for record in world.journals["run-task-1"]].count("episode_ended") == 1


def test_a_check_that_cannot_be_asked_leaves_the_ending_and_says_why() -> None:
    world = World(fault=every("state", StateUnavailable("no provider")))
    result, _ = run(
        world, task={"check": CHECK, "rubrics": [{"name": "r", "holds": {"path": "screen", "equals": "s1"}}]}
    )
    assert (result.ending, result.verified, result.rubrics) == (Ending.FINISHED, None, {"r": False})
    assert result.reason == (
        'its check could not be decided: expected screen is "s3"; found nothing, for it could not be asked: no provider'
    )


def test_a_rubric_in_words_is_left_to_judges() -> None:
    told = {"name": "r", "holds": {"path": "screen", "equals": "s3"}}
    result, _ = run(World(), task={"check": CHECK, "rubrics": [told, {"name": "Looked well."}]})
    assert (result.verified, result.rubrics) == (True, {"r": True})
    result, _ = run(World(), task={"rubrics": [{"name": "Looked well."}]})
    assert (result.verified, result.rubrics) == (None, {})


def test_a_host_refuses_more_episodes_than_it_may_run_and_stops_those_it_runs() -> None:
    world = World(latency=lambda method, count: 1.0)

    async def main() -> None:
        host = world.host(max_episodes=2)
        running = [asyncio.create_task(host.run_episode(order(f"episode-{number}"))) for number in range(2)]
        await asyncio.sleep(4.5)
        with pytest.raises(Overloaded, match="2 episodes"):
            await host.run_episode(order("episode-2"))
        doing = await host.progress()
        assert [(item.episode, item.step, item.doing) for item in doing] == [
            ("episode-0", 0, "leave s0"),
            ("episode-1", 0, "leave s0"),
        ]
        assert {item.stages for item in doing} == {("decide",)}
        assert [item.subgoal for item in doing] == ["leave s0"] * 2
        for item in doing:
            assert item.step_since is not None
            assert item.step_since <= item.stage_since
            assert item.screen is not None
            assert len(item.screen) == 32
        assert [START + 4.5 - item.stage_since for item in doing] == pytest.approx([0.5, 0.5])
        await host.stop()
        assert all(task.cancelled() for task in running)

    run_virtual(main())
    assert [world.journals[f"episode-{number}"][-1].kind for number in range(2)] == ["episode_ended"] * 2
