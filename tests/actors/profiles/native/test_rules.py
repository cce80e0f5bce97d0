"""The rules of ``native``: what an action counts as that the agent did not judge, and when the planner is asked."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from manyhands.actors.profiles.native.stages import NOT_JUDGED
from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.journals.records import ActionSent, NotesTaken, Planned, Reflected
from manyhands.protocol.roles.requests import PlanRequest
from manyhands.protocol.screens.actions import Action, Stop
from tests.actors.episode.world import right_action, tap
from tests.actors.profiles.native.test_loop import play, rightly
from tests.actors.profiles.native.world import NativeWorld

SCHEDULES = ["serial", "overlap", "speculate"]


@dataclass
class ForgetfulWorld(NativeWorld):
    """Its agent's reply on these screens cannot be read the first time."""

    unreadable: set[str] = field(default_factory=set)

    def act(self, name: str) -> Action | str:
        if name in self.unreadable:
            self.unreadable.remove(name)
            return "not a valid action: nothing"
        return Stop() if name == "s3" else right_action(name)


def forgetful(*screens: str) -> ForgetfulWorld:
    world = ForgetfulWorld(unreadable=set(screens))
    world.acts = world.act
    return world


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_an_action_counts_as_failed_if_the_answer_after_it_cannot_be_read(schedule: str) -> None:
    world = forgetful("s1")
    result, journal = play(world, schedule=schedule)
    first = next(one.reflection for one in journal if isinstance(one, Reflected))
    assert (first.outcome, first.made_by) == (Outcome.B, "check")
    assert first.error.startswith("Nobody judged this action.")
    assert (result.ending, world.screen) == (Ending.FINISHED, "s3")
    assert len([one for one in journal if isinstance(one, ActionSent)]) == 3, "each screen was tapped once"


def test_an_unreadable_answer_ends_an_episode_that_is_paper_exact() -> None:
    result, journal = play(forgetful("s1"), paper_exact=True)
    assert (result.ending, result.steps) == (Ending.UNUSABLE_REPLY, 1)
    assert result.reason == "agent: not a valid action: nothing"
    assert len([one for one in journal if isinstance(one, ActionSent)]) == 1


@pytest.mark.parametrize(("exact", "app"), [(False, "org.example"), (True, None)])
def test_a_run_that_is_paper_exact_tells_nothing_that_the_phone_reports(exact: bool, app: str | None) -> None:
    world = NativeWorld(acts=rightly("s2"))
    play(world, paper_exact=exact)
    assert {one.screenshot.app for asked in world.asked_to_act for one in asked.steps} == {app}


def test_an_action_that_a_form_without_verdicts_does_not_judge_counts_as_expected() -> None:
    world = NativeWorld(acts=rightly("s2"), judges_when_asked=False)
    result, journal = play(world)
    found = [one.reflection for one in journal if isinstance(one, Reflected)]
    assert [(one.outcome, one.made_by, one.check) for one in found] == [(Outcome.A, "check", NOT_JUDGED)] * 2
    assert [one.progress for one in found] == ["", ""]
    assert result.ending is Ending.FINISHED


def test_without_verdicts_an_action_that_changed_nothing_still_failed() -> None:
    world = NativeWorld(acts=lambda name: tap(9), moves=lambda screen, action: screen, judges_when_asked=False)
    result, journal = play(world)
    found = [one.reflection for one in journal if isinstance(one, Reflected)]
    assert {(one.outcome, one.check) for one in found} == {(Outcome.C, "unchanged")}
    assert result.ending is Ending.FAILURE_LIMIT


def test_a_failed_action_adds_nothing_to_the_progress_but_notes_are_kept() -> None:
    def acts(name: str) -> Action:
        return tap(9) if name == "s1" and len(world.ledger) == 1 else rightly("s2")(name)

    world = NativeWorld(acts=acts)
    _, journal = play(world)
    found = [one.reflection for one in journal if isinstance(one, Reflected)]
    assert [one.outcome for one in found] == [Outcome.A, Outcome.B, Outcome.A, Outcome.A]
    assert [one.progress.splitlines()[-1] for one in found] == ["came to s1", "came to s1", "came to s1", "came to s2"]
    notes = [one.notes.text for one in journal if isinstance(one, NotesTaken)][-1]
    assert notes.splitlines() == ["seen s0", "seen s1", "seen wrong-s1", "seen s1", "seen s2"]


def fails_for(count: int) -> NativeWorld:
    """Its agent taps in vain so often, and then goes to s1."""

    def acts(name: str) -> Action:
        if name == "s1":
            return Stop()
        return tap(50 + len(world.ledger)) if len(world.ledger) < count else right_action(name)

    world = NativeWorld(acts=acts, moves=lambda screen, action: "s1" if action == tap(0) else screen)
    return world


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_after_as_many_more_failures_the_planner_is_asked_again(schedule: str) -> None:
    world = fails_for(5)
    _, journal = play(world, {"limits": {"max_failures": 9}}, schedule=schedule)
    assert [len(one.failures) for one in world.requests("plan") if isinstance(one, PlanRequest)] == [0, 2, 2]
    assert [one.step for one in journal if isinstance(one, Planned)] == [0, 2, 4]


def test_without_escalation_failures_ask_no_planner() -> None:
    world = fails_for(5)
    play(world, {"limits": {"max_failures": 9}}, without=("escalation",))
    assert world.count["plan"] == 1


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(("failures", "ending"), [(3, Ending.FINISHED), (4, Ending.FAILURE_LIMIT)])
def test_the_help_of_the_planner_is_tried_before_failures_end_an_episode(
    schedule: str, failures: int, ending: Ending
) -> None:
    world = fails_for(failures)
    result, journal = play(world, {"limits": {"max_failures": 3}}, schedule=schedule)
    assert [one.step for one in journal if isinstance(one, Planned)] == [0, 2]
    assert (result.ending, len([one for one in journal if isinstance(one, ActionSent)])) == (ending, 4)


@pytest.mark.parametrize(
    ("escalate_after", "limits", "ending"),
    [
        (1, {"max_failures": 3}, Ending.FAILURE_LIMIT),
        (1, {"max_failures": 9, "max_steps": 3}, Ending.STEP_LIMIT),
        (2, {"max_failures": 3, "max_steps": 3}, Ending.STEP_LIMIT),
    ],
)
def test_help_for_failures_puts_off_their_limit_once_and_no_other(
    escalate_after: int, limits: dict[str, int], ending: Ending
) -> None:
    result, journal = play(fails_for(9), {"limits": limits}, escalate_after=escalate_after)
    assert (result.ending, len([one for one in journal if isinstance(one, ActionSent)])) == (ending, 3)


def test_without_a_planner_failures_end_an_episode_at_once() -> None:
    result, journal = play(fails_for(3), {"limits": {"max_failures": 3}}, without=("planner",))
    assert (result.ending, len([one for one in journal if isinstance(one, ActionSent)])) == (Ending.FAILURE_LIMIT, 3)


def test_failures_in_a_row_end_an_episode_before_another_action() -> None:
    result, journal = play(fails_for(9), {"limits": {"max_failures": 4}})
    assert result.ending is Ending.FAILURE_LIMIT
    assert len([one for one in journal if isinstance(one, ActionSent)]) == 4
