"""Going on in place, promise by promise; that nothing else differs is in test_resumption.py."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from manyhands.actors.episode.checks.check import RUBRICS
from manyhands.actors.episode.host import EpisodeHost, HostSettings
from manyhands.actors.episode.resumption import finished_stages
from manyhands.actors.episode.stages.verdicts import NOBODY_SAW
from manyhands.actors.profiles import PROFILES
from manyhands.actors.store import RunStore, StoreSettings
from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.errors import (
    ActorLost,
    HostStateAway,
    LeaseLost,
    ManyhandsError,
    ModelError,
    ModelRefused,
    ModelUnreachable,
    PhoneLost,
    StateUnavailable,
    StoreError,
    StoreFull,
)
from manyhands.protocol.journals.effective_records import interruptions
from manyhands.protocol.journals.journal import scan
from manyhands.protocol.journals.journal_file import END
from manyhands.protocol.journals.records import (
    Acted,
    ActionReceived,
    ActionSent,
    EpisodeEnded,
    EpisodeStarted,
    NotesTaken,
    PhonePrepared,
    Planned,
    Record,
    Reflected,
    Resumed,
    ScreenCaptured,
    StageRecord,
)
from manyhands.protocol.roles.requests import DecideRequest
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.runs.results import MOST_RESUMES, EpisodeOrder, EpisodeResult
from manyhands.protocol.screens.actions import Action, OpenApp, RunShortcut, Stop, Tap
from tests.actors.episode.interruption import Cut, actions, cut_after, interrupted
from tests.actors.episode.world import World, content_id, order, right_action, shown
from tests.virtual_clock import START, VirtualLoop, run_virtual

CHECK = {"source": "content://example/state", "holds": {"path": "screen", "equals": "s3"}}


def play(world: World, given: EpisodeOrder) -> EpisodeResult:
    return run_virtual(world.host().run_episode(given))


def of(kind: Any, world: World) -> list[Any]:
    return [record for record in world.written("run-task-1") if isinstance(record, kind)]


def stopped(world: World, last: Callable[[Record], bool], given: EpisodeOrder | None = None) -> EpisodeOrder:
    """Play an episode, then cut its journal after the first record that is meant. Return the order to go on."""
    given = given or order()
    play(world, given)
    return cut_after(world, given, last)


def is_(kind: type[Any], step: int = 0) -> Callable[[Record], bool]:
    return lambda record: isinstance(record, kind) and getattr(record, "step", step) == step


# ---------------------------------------------------------------------------- where it goes on
def test_what_was_found_of_the_last_step_stays_and_what_came_later_is_found_again() -> None:
    world = World()
    given = stopped(world, is_(Planned, 2))
    world.begun.clear()
    result = play(world, given)
    assert (result.ending, result.steps, result.in_vain) == (Ending.FINISHED, 3, 0)
    (resumed,) = of(Resumed, world)
    assert (resumed.step, resumed.epoch, resumed.serial, resumed.cause) == (1, 2, "phone-1", "killed")
    assert [len(world.begun[name]) for name in ("plan", "decide", "verify")] == [2, 1, 1]
    assert world.begun["reset"] == []
    assert [record.step for record in of(ScreenCaptured, world)] == [0, 1, 2, 2, 3]


def test_finished_stages_are_counted_from_records_and_from_what_they_needed() -> None:
    world = World()
    given = stopped(world, is_(ActionSent, 2), order(without=["notetaker"]))
    loop = PROFILES["e"].loop(given.settings, RUBRICS)
    records = (*world.written("run-task-1"), Resumed(at=0, step=2, serial="p", epoch=2, cause=""))
    counts = finished_stages(loop, records)
    assert counts == {"plan": 3, "decide": 3, "act": 2, "capture": 3, "perceive": 3, "verify": 2, "rubrics": 2}
    # Of what was void, and of the screen after the action that it goes on with, nothing counts.
    later = [record for record in records if not isinstance(record, Acted | ScreenCaptured)]
    assert finished_stages(loop, later) == counts


def test_without_an_action_it_begins_at_step_one_without_a_reset() -> None:
    world = World()
    given = stopped(world, is_(Planned, 0))
    assert play(world, given).ending is Ending.FINISHED
    assert world.begun["reset"] == [("run-task-1:reset", None)]
    assert of(Resumed, world)[0].step == -1


def test_a_phone_that_was_not_prepared_yet_is_reset_under_another_key() -> None:
    world = World()
    given = stopped(world, is_(EpisodeStarted))
    assert play(world, given).ending is Ending.FINISHED
    assert world.begun["reset"] == [("run-task-1:reset", None), ("run-task-1:reset:2", None)]
    assert len(of(PhonePrepared, world)) == 1


def test_lessons_are_those_of_its_journal_and_not_of_a_later_order() -> None:
    told: list[tuple[str, ...]] = []

    def chooses(request: DecideRequest) -> Action:
        told.append(request.brief.tips)
        return right_action(shown(request.screen))

    world = World(chooses=chooses)
    given = stopped(world, is_(Planned, 1))
    told.clear()
    later = given.memory.model_copy(update={"tips": ("learned since",)})
    assert play(world, given.model_copy(update={"memory": later})).ending is Ending.FINISHED
    assert told == [("look",)] * 2


def test_an_order_to_go_on_with_what_was_never_written_begins() -> None:
    world = World()
    given = order().model_copy(update={"resume": "its host died"})
    assert play(world, given).ending is Ending.FINISHED
    assert of(Resumed, world) == []
    assert len(of(EpisodeStarted, world)) == 1


def test_an_end_that_stands_in_the_journal_stays_and_is_told_again() -> None:
    world = World()
    first = play(world, order(task={"check": CHECK}))
    before = bytes(world.on_disk["run-task-1"])
    world.epoch, world.screen = 2, "s0"
    lease = order().lease.model_copy(update={"epoch": 2})
    given = order(task={"check": CHECK}).model_copy(update={"lease": lease, "resume": "the store was away"})
    again = play(world, given)
    assert again.model_dump(exclude={"started_at"}) == first.model_dump(exclude={"started_at"})
    assert again.verified
    assert bytes(world.on_disk["run-task-1"]) == before


def test_an_end_that_had_been_reached_is_reached_again_without_another_action() -> None:
    """The journal was cut between the verdict by which a limit was reached, and the end."""
    world = World(chooses=lambda request: Tap(x=90, y=9), moves=lambda screen, action: screen)
    chosen = order(task={"limits": {"max_failures": 2}})
    given = stopped(world, is_(Reflected, 1), chosen)
    result = play(world, given)
    assert (result.ending, len(world.ledger)) == (Ending.FAILURE_LIMIT, 2)


def test_the_verdict_is_shown_the_screen_of_before_from_the_run_folder() -> None:
    world = World()
    given = stopped(world, is_(ActionSent, 1), order(cheap_verdicts=[]))
    world.begun.clear()
    assert play(world, given).ending is Ending.FINISHED
    asked = world.begun["verify"][0]  # its pictures are those of these screens, or the reflector of this world fails
    assert (asked.before.content_id, asked.after.content_id) == (content_id("s1"), content_id("s2"))
    assert [record.reflection.made_by for record in of(Reflected, world)] == ["model"] * 3


def test_a_verdict_on_a_screen_that_was_lost_says_that_nobody_saw() -> None:
    world = World()
    given = stopped(world, is_(ActionSent, 1), order(cheap_verdicts=[]))
    del world.screens[content_id("s1")]
    assert play(world, given).ending is Ending.FINISHED
    judged = of(Reflected, world)[1].reflection
    assert (judged.outcome, judged.error, judged.made_by) == (Outcome.B, NOBODY_SAW, "check")
    assert of(Resumed, world)[0].unseen == (1,)


def test_notes_under_way_are_made_again() -> None:
    world = World(latency=lambda method, count: 9.0 if method == "note" else 0.1)
    given = stopped(world, is_(ActionSent, 2))
    noted = [record.step for record in of(NotesTaken, world)]
    assert len(noted) < 2
    assert play(world, given).ending is Ending.FINISHED
    assert [record.step for record in of(NotesTaken, world)] == [0, 1, 2]
    assert of(NotesTaken, world)[-1].notes.text == "s1 s2 s3"


# ---------------------------------------------------------------------------- its last action
SEARCH = RunShortcut(shortcut="Search", arguments={"x": 1, "y": 100, "text": "tea"})


def test_the_atoms_of_a_shortcut_that_were_not_sent_stay_unsent() -> None:
    world = World(chooses=lambda request: right_action(shown(request.screen)) if request.history else SEARCH)
    given = stopped(world, is_(ActionReceived, 0))
    assert play(world, given).ending is Ending.FINISHED
    assert [record.action.name for record in of(ActionSent, world) if record.step == 0] == ["Tap"]
    assert of(Acted, world)[0].problem == "Tap, action 1 of 3: interrupted, so what follows was not sent"


@pytest.mark.parametrize(("fate", "status"), [("done", "done"), ("perhaps", "unknown"), ("perhaps not", "unknown")])
def test_what_became_of_an_action_without_a_receipt_is_asked_of_the_gateway(fate: Any, status: str) -> None:
    world = World()
    given = stopped(world, is_(ActionSent, 1))
    given = interrupted(world, given, Cut(1.0, of_bytes=True, fate=fate))
    assert play(world, given).ending is Ending.FINISHED
    assert [record.receipt.status for record in of(ActionReceived, world)][1] == status
    assert len(actions(world, order())) == 3
    assert len(set(world.ledger)) == len(world.ledger)


def test_a_step_whose_action_was_never_begun_is_decided_anew_and_has_not_failed() -> None:
    """One more failed step would end this task, and so would one more step."""
    world = World()
    limits = {"limits": {"max_failures": 1, "max_steps": 3}, "check": CHECK}
    given = order(task=limits)
    play(world, given)
    given = cut_after(world, given, is_(ActionSent, 1), "never begun")
    world.screen = "s1"
    result = play(world, given)
    assert (result.ending, result.steps, result.verified) == (Ending.FINISHED, 3, True)
    assert [record.receipt.status for record in of(ActionReceived, world)] == ["done", "refused", "done", "done"]
    assert world.ledger == ["run-task-1:0:1:0", "run-task-1:1:1:0:1", "run-task-1:2:1:0"]
    (resumed,) = of(Resumed, world)
    assert resumed.step == 0
    assert [record.step for record in of(Acted, world)] == [0, 1, 2]


def test_what_was_recalled_before_a_second_interruption_is_known_after_it() -> None:
    """The host dies again once the gateway has told that the action was never begun, before the episode goes on."""
    world = World()
    play(world, order())
    given = cut_after(world, order(), is_(ActionSent, 1), "never begun")
    world.screen = "s1"
    play(world, given)
    given = cut_after(world, given, lambda one: isinstance(one, ActionReceived) and one.receipt.status == "refused")
    world.screen = "s1"
    recalls = world.count["recall"]
    assert play(world, given).ending is Ending.FINISHED
    assert world.count["recall"] == recalls
    assert world.ledger == ["run-task-1:0:1:0", "run-task-1:1:1:0:1", "run-task-1:2:1:0"]


def test_an_action_that_the_phone_refused_has_failed_though_its_host_died_then() -> None:
    world = World(chooses=lambda request: right_action(shown(request.screen)) if request.history else OpenApp(app="No"))
    world.refuses = {"Open_App": "no such app"}
    given = stopped(world, is_(ActionReceived, 0))
    assert play(world, given).ending is Ending.FINISHED
    assert of(Resumed, world)[0].step == 0
    assert of(Acted, world)[0].problem == "no such app"


def test_an_end_from_outside_is_not_told_again_where_it_cannot_be_gone_on_with_yet() -> None:
    """Ctrl-C in the midst of an action; then the gateway does not answer."""
    world = World(latency=lambda method, count: 50.0 if method == "perform" and count == 1 else 0.1)

    async def cancelled() -> None:
        running = asyncio.create_task(world.host().run_episode(order()))
        await asyncio.sleep(20)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    run_virtual(cancelled())
    assert of(EpisodeEnded, world)[-1].ending is Ending.CANCELLED
    world.latency = lambda method, count: 0.1
    for epoch, away in ((2, True), (3, False)):
        world.epoch = epoch
        world.fault = lambda method, count, away=away: (  # type: ignore[misc]
            ActorLost("the gateway is gone") if away and method == "recall" else None
        )
        lease = order().lease.model_copy(update={"epoch": epoch})
        result = play(world, order().model_copy(update={"lease": lease, "resume": "cancelled"}))
        assert result.ending is (Ending.LEASE_LOST if away else Ending.FINISHED)


def test_the_app_in_front_is_compared_also_after_a_second_interruption() -> None:
    world = World()
    given = stopped(world, is_(ScreenCaptured, 2))
    world.fault = lambda method, count: PhoneLost("unplugged") if method == "capture" else None
    assert play(world, given).ending is Ending.PHONE_LOST
    world.fault, world.app, world.epoch = (lambda method, count: None), "com.other", world.epoch + 1
    given = given.model_copy(update={"lease": given.lease.model_copy(update={"epoch": world.epoch})})
    result = play(world, given)
    assert (result.ending, result.afresh) == (Ending.HOST_LOST, True)
    assert "com.other" in result.reason


def test_a_run_that_was_cut_off_counts_as_nothing_in_vain() -> None:
    world = World()
    given = stopped(world, is_(Acted, 0)).model_copy(update={"run_cut_off": True})
    for _ in range(2 * MOST_RESUMES):
        world.fault = lambda method, count: PhoneLost("unplugged") if method == "capture" else None
        assert play(world, given).in_vain == 0
        world.epoch += 1
        given = given.model_copy(update={"lease": given.lease.model_copy(update={"epoch": world.epoch})})
    world.fault = lambda method, count: None
    assert play(world, given).ending is Ending.FINISHED


def test_a_gateway_that_is_away_is_waited_for_before_it_is_asked() -> None:
    away = ActorLost("the gateway is gone")
    world = World(
        loses=lambda count: away if count == 1 else None,
        fault=lambda method, count: away if method == "recall" and count < 4 else None,
    )
    assert play(world, order()).ending is Ending.FINISHED
    assert world.ledger == [f"run-task-1:{step}:1:0" for step in range(3)]
    assert world.count["recall"] == 5


def test_a_gateway_that_stays_away_ends_it_as_a_lost_lease_and_it_goes_on_later() -> None:
    away = ActorLost("the gateway is gone")
    world = World(
        loses=lambda count: away if count == 1 else None,
        fault=lambda method, count: away if method == "recall" and world.epoch == 1 else None,
    )
    result = play(world, order())
    assert (result.ending, result.afresh) == (Ending.LEASE_LOST, False)
    world.epoch = 2
    lease = order().lease.model_copy(update={"epoch": 2})
    result = play(world, order().model_copy(update={"lease": lease, "resume": "lease lost"}))
    assert (result.ending, len(world.ledger)) == (Ending.FINISHED, 3)
    assert len(of(EpisodeEnded, world)) == 2


# ---------------------------------------------------------------------------- what cannot be gone on with
def test_with_another_app_in_front_it_is_to_be_begun_anew() -> None:
    world = World()
    given = stopped(world, is_(ScreenCaptured, 2))
    world.app = "com.other"
    result = play(world, given)
    assert (result.ending, result.afresh, len(world.ledger)) == (Ending.HOST_LOST, True, 2)
    assert "org.example" in result.reason
    assert "com.other" in result.reason
    assert of(EpisodeEnded, world)[-1].afresh


def test_an_app_that_its_last_action_may_have_opened_is_no_reason() -> None:
    world = World()
    given = stopped(world, is_(ActionSent, 1))
    world.app = "com.other"
    assert play(world, given).ending is Ending.FINISHED


def test_gone_on_three_times_without_a_finished_step_it_is_to_be_begun_anew() -> None:
    world = World()
    given = stopped(world, is_(Acted, 0))
    for times in range(1, MOST_RESUMES + 1):
        world.fault = lambda method, count: PhoneLost("unplugged") if method == "capture" else None
        result = play(world, given)
        assert (result.ending, result.in_vain, result.afresh) == (Ending.PHONE_LOST, times, False)
        world.epoch += 1
        given = given.model_copy(update={"lease": given.lease.model_copy(update={"epoch": world.epoch})})
    world.fault = lambda method, count: None
    result = play(world, given)
    assert (result.ending, result.afresh) == (Ending.HOST_LOST, True)
    assert "gone on 3 times without a finished step" in result.reason


def test_another_phone_than_its_own_does_not_go_on_with_it() -> None:
    world = World()
    given = stopped(world, is_(Acted, 0))
    lease = given.lease.model_copy(update={"serial": "phone-2"})
    result = play(world, given.model_copy(update={"lease": lease}))
    assert (result.ending, result.afresh) == (Ending.HOST_LOST, True)


def test_a_journal_with_a_hole_is_not_gone_on_with() -> None:
    world = World()
    given = stopped(world, is_(Acted, 1))
    lost = [record for record in world.written("run-task-1") if not is_(ScreenCaptured, 0)(record)]
    world.rewrite("run-task-1", lost)
    result = play(world, given)
    assert (result.ending, result.afresh) == (Ending.HOST_LOST, True)
    assert result.reason == "its journal has a hole in step 0"


def test_one_that_is_cancelled_before_its_journal_was_read_writes_nothing_over() -> None:
    world = World()
    given = stopped(world, is_(Acted, 1))
    before = bytes(world.on_disk["run-task-1"])
    world.latency = lambda method, count: 50.0 if method == "read" else 0.1

    async def main() -> None:
        running = asyncio.create_task(world.host().run_episode(given))
        await asyncio.sleep(1)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    run_virtual(main())
    assert bytes(world.on_disk["run-task-1"]) == before


def test_one_that_wakes_while_it_goes_on_elsewhere_writes_nothing_more() -> None:
    world = World()
    given = stopped(world, is_(Acted, 1))
    world.fences["run-task-1"] = 9
    before = bytes(world.on_disk["run-task-1"])
    assert play(world, given).ending is Ending.LEASE_LOST
    assert bytes(world.on_disk["run-task-1"]) == before


# ---------------------------------------------------------------------------- time
@pytest.mark.parametrize(("wall_s", "ending"), [(20.0, Ending.FINISHED), (9.0, Ending.TIME_LIMIT)])
def test_the_time_limit_counts_from_its_first_start_without_the_time_between(wall_s: float, ending: Ending) -> None:
    """A step takes 4 s; the interruption an hour."""
    latency = {"plan": 1.0, "decide": 1.0, "perform": 1.0, "capture": 0.5, "verify": 0.5}
    world = World(latency=lambda method, count: latency.get(method, 0.0))
    chosen = order(task={"limits": {"wall_s": wall_s}}, schedule="serial", cheap_verdicts=[])
    given = stopped(world, is_(Reflected, 0), chosen)

    async def main() -> EpisodeResult:
        await asyncio.sleep(3600)
        return await world.host().run_episode(given)

    result = run_virtual(main())
    assert result.ending is ending
    assert result.started_at == START


def test_the_time_for_which_nobody_asked_what_became_of_an_action_does_not_count() -> None:
    world = World()
    given = order(task={"limits": {"wall_s": 60.0}})
    play(world, given)
    given = cut_after(world, given, is_(ActionSent, 1), "never begun")
    world.screen = "s1"

    async def main() -> EpisodeResult:
        await asyncio.sleep(3600)
        return await world.host().run_episode(given)

    assert run_virtual(main()).ending is Ending.FINISHED
    (pause,) = interruptions(world.written("run-task-1"))
    assert pause[1] - pause[0] > 3500


@pytest.mark.parametrize("check", [None, CHECK])
@pytest.mark.parametrize("by_limit", [True, False])
def test_time_that_passed_while_its_host_was_frozen_decides_nothing(by_limit: bool, check: Any) -> None:
    """The host wakes when the phone is leased anew already, and before the next host has read the journal."""

    def thinks(method: str, count: int) -> float:
        if (method, count) == ("plan", 1):
            world.epoch = 2
            if by_limit:
                loop = asyncio.get_running_loop()
                assert isinstance(loop, VirtualLoop)
                loop.freeze(100.0)
        return 1.0

    world, task = World(latency=thinks), {"limits": {"wall_s": 60.0}, "check": check}
    if not by_limit:
        world.fault = lambda method, count: ModelError("late") if (method, count) == ("plan", 1) else None
    first = play(world, order(task=task))
    assert first.ending is Ending.LEASE_LOST
    assert ("60 s have passed" if by_limit else "late") in first.reason
    lease = order().lease.model_copy(update={"epoch": 2})
    again = play(world, order(task=task).model_copy(update={"lease": lease, "resume": first.reason}))
    assert (again.ending, len(world.ledger)) == (Ending.FINISHED, 3)


@pytest.mark.parametrize("method", ["reset", "capture", "perform"])
def test_one_whose_leases_and_keys_cannot_be_kept_for_a_while_goes_on_in_place(method: str) -> None:
    error = HostStateAway("the disk is full")
    world = World(fault=lambda asked, count: error if asked == method and count == 0 else None)
    first = play(world, order())
    assert (first.ending, first.reason.endswith(str(error))) == (Ending.LEASE_LOST, True)
    world.epoch = 2
    lease = order().lease.model_copy(update={"epoch": 2})
    again = play(world, order().model_copy(update={"lease": lease, "resume": first.reason}))
    assert (again.ending, len(world.ledger)) == (Ending.FINISHED, 3)


@pytest.mark.parametrize("error", [StoreFull("no space"), ActorLost("the store is gone")])
def test_one_whose_journal_cannot_be_read_for_too_long_blames_the_store(error: ManyhandsError) -> None:
    world = World()
    given = stopped(world, is_(Acted))
    world.fault = lambda method, count: error if method == "read" else None
    result = play(world, given)
    assert (result.ending, result.reason) == (Ending.HOST_LOST, str(error))


def test_a_store_that_stays_silent_at_the_end_is_to_blame() -> None:
    world = World()
    world.latency = lambda method, count: 1e6 if method == "append" and world.screen == "s3" else 0.1
    assert play(world, order()).ending is Ending.HOST_LOST


# ---------------------------------------------------------------------------- the check
@pytest.mark.parametrize(
    "error", [StateUnavailable("no provider yet"), ActorLost("the gateway is gone"), PhoneLost("unplugged")]
)
def test_a_check_that_could_not_be_asked_is_asked_again_while_a_lease_runs(error: ManyhandsError) -> None:
    world = World(fault=lambda method, count: error if method == "state" and count < 5 else None)
    result = play(world, order(task={"check": CHECK}))
    assert (result.ending, result.verified, world.count["state"]) == (Ending.FINISHED, True, 6)


@pytest.mark.parametrize(
    ("error", "asked", "ending"),
    [
        (StateUnavailable("no such provider"), 30, Ending.FINISHED),
        (StoreError("busy"), 1, Ending.FINISHED),
        (PhoneLost("unplugged"), 30, Ending.PHONE_LOST),
        (ActorLost("the gateway is gone"), 30, Ending.PHONE_LOST),
        (LeaseLost("taken"), 1, Ending.LEASE_LOST),
        (HostStateAway("full"), 30, Ending.LEASE_LOST),
    ],
)
def test_a_check_that_nobody_can_ask_is_given_up(error: ManyhandsError, asked: int, ending: Ending) -> None:
    world = World(fault=lambda method, count: error if method == "state" else None)
    result = play(world, order(task={"check": CHECK}))
    assert (result.ending, result.verified, world.count["state"]) == (ending, None, asked)
    assert str(error) in result.reason


@pytest.mark.parametrize("stops", [False, True])
def test_a_check_that_the_lease_did_not_last_for_is_asked_under_the_next_one(stops: bool) -> None:
    """The planner, or the operator by Stop, had found the goal reached: nothing is sent for it again."""
    world = World(goal_screen="never" if stops else "s3")
    if stops:
        world.chooses = lambda request: Stop() if shown(request.screen) == "s3" else right_action(shown(request.screen))
    world.fault = lambda method, count: LeaseLost("it ran out") if method == "state" and count == 0 else None
    first = play(world, order(task={"check": CHECK}))
    assert (first.ending, first.verified) == (Ending.LEASE_LOST, None)
    world.epoch = 2
    lease = order().lease.model_copy(update={"epoch": 2})
    given = order(task={"check": CHECK}).model_copy(update={"lease": lease, "resume": first.reason})
    again = play(world, given)
    assert (again.ending, again.verified, again.steps, len(world.ledger)) == (Ending.FINISHED, True, first.steps, 3)


def test_every_profile_can_tell_what_has_finished() -> None:
    for name, profile in PROFILES.items():
        loop = profile.loop(EpisodeSettings(profile=name))
        records: Sequence[StageRecord] = ()
        assert finished_stages(loop, records) == dict.fromkeys(loop.by_name, 0)


# ---------------------------------------------------------------------------- the real store
@pytest.mark.parametrize("part", range(1, 12))
def test_a_journal_file_that_was_cut_in_any_byte_is_gone_on_with_by_the_real_store(part: int, tmp_path: Path) -> None:
    world = World()

    async def main(given: EpisodeOrder) -> EpisodeResult:
        store = RunStore(StoreSettings(folder=tmp_path))
        await store.start()
        host = EpisodeHost(HostSettings(), replace(world.collaborators(), store=store), world.clock)
        try:
            return await host.run_episode(given)
        finally:
            await store.stop()

    path = tmp_path / "episodes" / "run-task-1" / "journal.mh"
    run_virtual(main(order()))
    world.on_disk["run-task-1"] = bytearray(path.read_bytes())
    place = part / 12
    cut = round(place * len(world.on_disk["run-task-1"]))  # as ``interrupted`` cuts
    given = interrupted(world, order(), Cut(place, of_bytes=True, fate="done"))
    with path.open("r+b") as file:
        file.truncate(cut)
    path.with_name(END).unlink()  # one that was cut off has not ended
    result = run_virtual(main(given))
    records = scan(path.read_bytes()).records
    assert (result.ending, result.steps, world.screen) == (Ending.FINISHED, 3, "s3")
    assert len(set(world.ledger)) == len(world.ledger) == 3
    assert sum(isinstance(record, Resumed) for record in records) == 1
    kept = sorted(path.parent.glob("journal.mh.cut-*"))
    assert sum(one.stat().st_size for one in kept) == cut - len(world.on_disk["run-task-1"])


@pytest.mark.parametrize(("error", "goes_on"), [(ModelUnreachable("429"), True), (ModelRefused("400"), False)])
def test_one_that_ended_because_of_the_servers_of_its_model_goes_on_in_place(error: ModelError, goes_on: bool) -> None:
    world = World(fault=lambda method, count: error if (method, count) == ("decide", 1) else None)
    first = play(world, order())
    assert (first.ending, first.steps) == (Ending.MODEL_FAILED, 1)
    world.epoch = 2
    lease = order().lease.model_copy(update={"epoch": 2})
    again = play(world, order().model_copy(update={"lease": lease, "resume": first.reason}))
    assert again.ending is (Ending.FINISHED if goes_on else Ending.MODEL_FAILED)
    assert len(world.ledger) == len(set(world.ledger)) == (3 if goes_on else 1)
