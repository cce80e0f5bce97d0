"""A shortcut that was learned is permitted before it is used, watched while it is, and reported after."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from manyhands.actors.episode.profile import Loop, Profile, Stage
from manyhands.actors.episode.schedule import StageNeed
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages.shortcuts import with_shortcut_stages
from manyhands.actors.memory.shortcut_uses import unrecorded_uses
from manyhands.actors.profiles.e import PROFILE as E
from manyhands.actors.profiles.e_evo import asks_permit
from manyhands.actors.profiles.native import PROFILE as NATIVE
from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.errors import ActorLost, DeadlinePassed, ManyhandsError, PhoneLost, ReplyUnusable, StoreError
from manyhands.protocol.journals.effective_records import effective_records
from manyhands.protocol.journals.records import (
    Acted,
    ActionSent,
    EpisodeEnded,
    EpisodeStarted,
    Record,
    Reflected,
    StageFailed,
    StageResult,
)
from manyhands.protocol.roles.lessons import Permission, ShortcutUseReport
from manyhands.protocol.roles.memory import SeenOn, Shortcut, ShortcutStep
from manyhands.protocol.roles.requests import DecideRequest, PermitRequest
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.runs.results import EpisodeOrder
from manyhands.protocol.screens.actions import Action, Enter, OpenApp, RunShortcut, Tap, Type
from manyhands.protocol.screens.geometry import Size
from tests.actors.episode.interruption import FATES, Cut, Fate, cut_after, interrupted
from tests.actors.episode.shortcut_world import NAME, WatchedWorld, knowing
from tests.actors.episode.test_steps import instead, of
from tests.actors.episode.world import SIZE, call_of, content_id, next_screen, right_action, shown
from tests.virtual_clock import run_virtual

CALL = RunShortcut(shortcut="Search", arguments={"x": 5, "y": 6, "text": "tea"})
FIELD = Tap(x=5, y=6)
WORKED = SeenOn(texts=("S1",))
"""On the screen where it is used."""


def searches(screen: str, action: Action) -> str:
    """On s1 the shortcut's three actions lead to s2."""
    steps = {("s1", "Tap"): "field", ("field", "Type"): "typed", ("typed", "Enter"): "s2"}
    return steps.get((screen, action.name)) or next_screen(screen, action) if action != FIELD else "field"


def lacks_its_field(screen: str, action: Action) -> str:
    """On s1 nothing is where the shortcut taps."""
    return screen if action == FIELD else next_screen(screen, action)


def world(**settings: Any) -> WatchedWorld:
    return WatchedWorld(**{"chooses": instead("s1", CALL), "moves": searches, **settings})


def play(among: WatchedWorld, given: EpisodeOrder) -> list[Any]:
    run_virtual(among.host().run_episode(given))
    return among.journals[given.episode]


def taps(request: DecideRequest) -> Action:
    return right_action(shown(request.screen))


def sent(journal: list[Any], step: int = 1) -> list[str]:
    return [record.action.name for record in of(ActionSent, journal) if record.step == step]


def found(journal: list[Any], stage: str) -> list[Any]:
    return [record for record in of(StageResult, journal) if record.stage == stage]


# ---------------------------------------------------------------------------- before
@pytest.mark.parametrize(
    ("seen_on", "by", "problem"),
    [
        (SeenOn(), None, None),
        (SeenOn(app="org.example", texts=("a text that went", "S1")), None, None),
        (SeenOn(app="org.other"), "app", "it has only ever worked in org.other, and org.example is in front."),
        (
            SeenOn(app="org.example", texts=("Search", "Recent")),
            "texts",
            "none of the texts stands here that stood on the screen whenever it worked, such as 'Search', 'Recent'.",
        ),
    ],
)
def test_rules_refuse_a_shortcut_on_an_unknown_page_and_nothing_is_sent(
    seen_on: SeenOn, by: str | None, problem: str | None
) -> None:
    among = world()
    journal = play(among, knowing(seen_on=seen_on))
    said = Permission.model_validate(found(journal, "permit")[0].data)
    assert among.count["permit"] == (1 if by is None else 0)
    if by is None:
        assert sent(journal) == ["Tap", "Type", "Enter"]
        assert (said.shortcut, said.permitted, said.by) == ("S1@1", True, "model")
        return
    assert (said.shortcut, said.permitted, said.by, said.reason) == ("S1@1", False, by, problem)
    assert sent(journal) == []
    acted = of(Acted, journal)[1]
    assert acted.problem == f"The shortcut does not fit this screen: {problem} Nothing was sent."
    assert acted.fault == "precondition"
    judged = of(Reflected, journal)[1].reflection
    assert (judged.outcome, judged.made_by) == (Outcome.C, "check")
    assert among.requests("decide")[2].history[-1].error == acted.problem
    assert [use.outcome for use in among.uses.values()] == ["refused"]


@pytest.mark.parametrize("profile", [E, NATIVE])
def test_permit_waits_for_every_stage_of_the_step_that_the_action_waits_for(profile: Profile) -> None:
    async def nothing(context: StageContext) -> tuple[Record, ...]:
        return ()

    settings = EpisodeSettings(profile=NAME)
    critique = Stage("critique", (StageNeed("decide"),), run=nothing)
    loop: list[Stage] = []
    for stage in profile.stages(settings):
        acts = stage.name == "act"
        loop += [critique, replace(stage, needs=(*stage.needs, StageNeed("critique")))] if acts else [stage]
    whole = Loop(with_shortcut_stages(loop, settings, asks_permit)).by_name
    now = {need for need in whole["act"].needs if need.offset == 0 and need.stage != "permit"}
    assert StageNeed("critique") in now <= set(whole["permit"].needs)
    assert len(set(whole["permit"].needs)) == len(whole["permit"].needs)


def test_a_shortcut_that_begins_by_typing_needs_a_field_with_the_focus() -> None:
    typing = Shortcut(
        name="Search", arguments=("text",), steps=(ShortcutStep(name="Type", arguments_map={"text": "text"}),)
    )
    among = world(chooses=instead("s1", RunShortcut(shortcut="Search", arguments={"text": "tea"})))
    journal = play(among, knowing(typing))
    assert Permission.model_validate(found(journal, "permit")[0].data).by == "keyboard"
    assert sent(journal) == []


def test_a_shortcut_that_begins_by_opening_an_app_may_begin_anywhere() -> None:
    opening = Shortcut(name="Search", steps=(ShortcutStep(name="Open_App", arguments_map={"app": "Shop"}),))
    among = world(
        chooses=instead("s1", RunShortcut(shortcut="Search")),
        moves=lambda screen, action: "s2" if isinstance(action, OpenApp) else next_screen(screen, action),
    )
    journal = play(among, knowing(opening, SeenOn(app="org.other", texts=("Search",))))
    assert sent(journal) == ["Open_App"]


def test_a_verifier_is_asked_once_about_the_screen_and_its_no_is_a_failed_step() -> None:
    among = world(permits=lambda request: "no search field is there")
    journal = play(among, knowing(task={"limits": {"max_steps": 3}}))
    asked: list[PermitRequest] = among.requests("permit")
    assert [(one.shortcut.name, one.arguments, one.screenshot.content_id) for one in asked] == [
        ("Search", CALL.arguments, content_id("s1"))
    ]
    assert asked[0].brief == among.requests("decide")[0].brief
    (record,) = found(journal, "permit")
    assert [call.role for call in record.calls] == [Role.PERMIT]
    assert Permission.model_validate(record.data) == Permission(
        shortcut="S1@1", permitted=False, by="model", reason="no search field is there"
    )
    assert sent(journal) == []
    told = among.requests("decide")[2].history[-1].error
    assert told == "The shortcut does not fit this screen: no search field is there. Nothing was sent."
    assert [use.outcome for use in among.uses.values()] == ["refused"]


def test_a_no_without_a_reason_is_one_too() -> None:
    among = world(permits=lambda request: "")
    journal = play(among, knowing(task={"limits": {"max_steps": 2}}))
    assert of(Acted, journal)[1].problem == "The shortcut does not fit this screen. Nothing was sent."


def test_without_a_reply_of_the_verifier_nothing_is_sent_or_recorded() -> None:
    error = ReplyUnusable("no JSON", calls=(call_of(Role.PERMIT),))
    among = world(fault=lambda method, count: error if method == "permit" else None)
    journal = play(among, knowing(task={"limits": {"max_steps": 3}}))
    assert sent(journal) == []
    assert of(Acted, journal)[1].problem == (
        "Nobody could say whether the precondition of the shortcut holds: no JSON. Nothing was sent."
    )
    assert [record.stage for record in of(StageFailed, journal)] == ["permit"]
    assert among.uses == {}


PLACES = Shortcut(
    name="Search",
    arguments=("text",),
    steps=(
        ShortcutStep(name="Tap", arguments_map={"x": 0.05, "y": 0.03}),
        ShortcutStep(name="Type", arguments_map={"text": "text"}),
        ShortcutStep(name="Enter"),
    ),
)


@pytest.mark.parametrize("size", [SIZE, Size(width=1080, height=2400), None])
def test_a_shortcut_with_places_is_offered_on_screens_of_its_size_only(size: Size | None) -> None:
    among = world(chooses=instead("s1", RunShortcut(shortcut="Search", arguments={"text": "tea"})))
    journal = play(among, knowing(PLACES, SeenOn(size=size), task={"limits": {"max_steps": 3}}))
    told = [request.brief.shortcuts for request in among.requests("decide")]
    memory = of(EpisodeStarted, journal)[0].memory
    if size == SIZE:
        assert next(record.action for record in of(ActionSent, journal) if record.step == 1) == FIELD
        assert told == [(PLACES,)] * len(told)
    else:
        assert sent(journal) == []
        assert told == [()] * len(told)
        assert (memory.shortcuts, memory.shortcut_ids, memory.seen_on) == ((), (), ())


@pytest.mark.parametrize(("version", "by"), [("7", "model"), ("8", "version"), (None, "model")])
def test_places_of_another_version_of_the_app_are_refused(version: str | None, by: str) -> None:
    among = world(chooses=instead("s1", RunShortcut(shortcut="Search", arguments={"text": "tea"})), app_version=version)
    journal = play(among, knowing(PLACES, SeenOn(size=SIZE, app="org.example", app_version="7")))
    assert Permission.model_validate(found(journal, "permit")[0].data).by == by
    assert [use.app_version for use in among.uses.values()] == [version or ""]


def test_a_phone_that_does_not_say_its_size_is_offered_no_places() -> None:
    among = world(fault=lambda method, count: PhoneLost("gone") if method == "size" else None, chooses=taps)
    play(among, knowing(PLACES, SeenOn(size=SIZE)))
    assert all(request.brief.shortcuts == () for request in among.requests("decide"))


@pytest.mark.parametrize("changed", [{"paper_exact": True}, {"without": ("preconditions",)}, {"profile": "e"}])
def test_no_rule_refuses_under_paper_exact_or_where_nothing_is_learned(changed: Any) -> None:
    among = world()
    journal = play(among, knowing(seen_on=SeenOn(app="org.other"), **changed))
    assert sent(journal) == ["Tap", "Type", "Enter"]
    assert found(journal, "permit") == []


def test_a_shortcut_without_an_id_is_used_as_ever() -> None:
    among = world()
    given = knowing(seen_on=SeenOn(app="org.other"))
    given = given.model_copy(update={"memory": given.memory.model_copy(update={"shortcut_ids": (), "seen_on": ()})})
    journal = play(among, given)
    assert sent(journal) == ["Tap", "Type", "Enter"]
    assert (found(journal, "permit"), found(journal, "watch"), among.uses) == ([], [], {})


def test_steps_without_a_shortcut_leave_the_journal_of_e_and_ask_nobody_else() -> None:
    journals = {}
    for profile in ("e+evo", "e"):
        among = WatchedWorld()
        journals[profile] = play(among, knowing(profile=profile))
        assert (among.count["put_aside"], among.count["used"]) == (0, 0)
    kinds = [[(record.kind, getattr(record, "step", None)) for record in journal] for journal in journals.values()]
    assert sorted(map(str, kinds[0])) == sorted(map(str, kinds[1]))


# ---------------------------------------------------------------------------- after
@pytest.mark.parametrize("schedule", ["serial", "overlap", "speculate"])
@pytest.mark.parametrize("slow", ["used", "permit", "verify"])
def test_a_use_that_worked_is_reported_once_with_what_stood_on_the_screen(schedule: str, slow: str) -> None:
    among = world(latency=lambda method, count: 2.0 if method == slow else 0.1)
    journal = play(among, knowing(schedule=schedule))
    assert of(EpisodeEnded, journal)[0].ending is Ending.FINISHED
    assert among.count["permit"] == 1
    (use,) = among.uses.values()
    assert (use.shortcut, use.step, use.outcome, use.texts) == ("S1@1", 1, "worked", ("s1",))
    assert use.size is not None
    assert [ShortcutUseReport.model_validate(one.data) for one in found(journal, "watch")] == [
        ShortcutUseReport(use=use, taken_in=True)
    ]
    assert among.count["used"] == 1
    assert unrecorded_uses(journal) == ()


def test_a_shortcut_that_lacks_a_tap_stops_and_is_not_used_again() -> None:
    """Mobile-Agent-E, figure 11: the atoms behind the surprise are in no ledger."""
    among = world(moves=lacks_its_field)
    journal = play(among, knowing(task={"limits": {"max_steps": 4}}))
    assert sent(journal) == ["Tap"]
    assert [key for key in among.ledger if ":1:1:" in key] == ["run-task-1:1:1:0"]
    acted = of(Acted, journal)[1]
    assert acted.fault == "surprise"
    assert [use.outcome for use in among.uses.values()] == ["surprised"]
    (reported,) = found(journal, "watch")
    assert reported.data["put_aside"] == among.aside["S1@1"]
    again = knowing().model_copy(update={"episode": "run-task-2"})
    among.screen, among.chooses = "s1", instead("s1", CALL)
    other = play(among, again)
    assert [record for record in of(ActionSent, other) if record.step == 0] == []
    said = Permission.model_validate(found(other, "permit")[0].data)
    assert (said.permitted, said.by) == (False, "put_aside")
    assert of(Acted, other)[0].problem.startswith("The shortcut was put aside: It failed: Tap, action 1 of 3")
    assert len(among.uses) == 1


def test_a_shortcut_that_is_put_aside_while_the_verifier_looks_sends_nothing() -> None:
    def fails_elsewhere(request: PermitRequest) -> str | None:
        among.aside["S1@1"] = "It failed on another phone."
        return None

    among = world(permits=fails_elsewhere)
    journal = play(among, knowing(task={"limits": {"max_steps": 2}}))
    (record,) = found(journal, "permit")
    said = Permission.model_validate(record.data)
    assert (said.permitted, said.by, [call.role for call in record.calls]) == (False, "put_aside", [Role.PERMIT])
    assert sent(journal) == []
    assert among.uses == {}


@pytest.mark.parametrize("blind", [{"paper_exact": True}, {"without": ("checks",)}])
def test_as_the_paper_does_it_is_carried_out_blind_to_its_end(blind: Any) -> None:
    among = world(moves=lacks_its_field)
    journal = play(among, knowing(task={"limits": {"max_steps": 3}}, **blind))
    assert sent(journal) == ["Tap", "Type", "Enter"]
    if "paper_exact" in blind:
        assert (found(journal, "watch"), among.uses) == ([], {})
    else:
        assert [use.outcome for use in among.uses.values()] == ["failed"]


def test_one_that_led_elsewhere_has_failed() -> None:
    among = world(judges=lambda request: Outcome.B if isinstance(request.action, RunShortcut) else Outcome.A)
    play(among, knowing())
    (use,) = among.uses.values()
    assert (use.outcome, use.reason, use.texts) == ("failed", "this is not the page", ())


def test_what_the_operator_asked_for_wrongly_says_nothing_of_the_shortcut() -> None:
    among = world(chooses=instead("s1", RunShortcut(shortcut="Search", arguments={"x": 5})))
    journal = play(among, knowing())
    assert of(Acted, journal)[1].fault == "action"
    assert (among.uses, found(journal, "permit")) == ({}, [])


@pytest.mark.parametrize("changed", [{}, {"paper_exact": True}])
def test_the_reflector_is_told_what_was_sent_of_a_shortcut(changed: Any) -> None:
    among = world()
    play(among, knowing(**changed))
    told = [request.sent for request in among.requests("verify")]
    atoms = (FIELD, Type(text="tea"), Enter())
    assert told[1] == (() if changed else atoms)
    assert told[0] == told[2] == ()


def test_where_it_stopped_is_told_with_the_action_and_what_happened() -> None:
    among = world(moves=lacks_its_field)
    journal = play(among, knowing(task={"limits": {"max_steps": 3}}))
    error = of(Reflected, journal)[1].reflection.error
    assert error.startswith("Tap, action 1 of 3: Nothing on the screen changed.")
    assert error.endswith("What follows was not sent.")


# ---------------------------------------------------------------------------- a keeper that is away
@pytest.mark.parametrize("error", [DeadlinePassed("slow"), StoreError("locked")])
def test_a_keeper_that_is_away_costs_the_report_of_what_has_worked_before_only(error: ManyhandsError) -> None:
    among = world(fault=lambda method, count: error if method in ("used", "put_aside") else None)
    journal = play(among, knowing(seen_on=WORKED))
    assert sent(journal) == ["Tap", "Type", "Enter"]
    (reported,) = found(journal, "watch")
    assert ShortcutUseReport.model_validate(reported.data).taken_in is False
    assert [(use.step, use.outcome) for use in unrecorded_uses(journal)] == [(1, "worked")]


def test_while_the_keeper_is_away_nothing_is_used_that_has_not_worked_yet() -> None:
    """It may have failed on another phone a moment ago, and nobody would say so."""
    among = world(fault=lambda method, count: StoreError("locked") if method == "put_aside" else None)
    journal = play(among, knowing(task={"limits": {"max_steps": 2}}))
    said = Permission.model_validate(found(journal, "permit")[0].data)
    assert (said.permitted, said.by) == (False, "nobody")
    assert of(Acted, journal)[1].problem.startswith("The shortcut may have been put aside: the memory does not answer")
    assert (sent(journal), among.uses) == ([], {})


def test_while_the_keeper_is_away_what_went_wrong_in_this_episode_is_not_used_again() -> None:
    among = world(
        chooses=lambda request: CALL if shown(request.screen) == "s1" else taps(request),
        moves=lacks_its_field,
        fault=lambda method, count: StoreError("locked") if method in ("used", "put_aside") else None,
    )
    journal = play(among, knowing(seen_on=WORKED, task={"limits": {"max_steps": 4}}))
    said = [Permission.model_validate(one.data) for one in found(journal, "permit")]
    assert [(one.permitted, one.by) for one in said][:2] == [(True, "model"), (False, "nobody")]
    assert "the use in step 1 went wrong" in said[1].reason
    assert sent(journal) == ["Tap"]


def test_a_keeper_that_goes_before_it_says_what_it_put_aside_was_told() -> None:
    among = world(
        moves=lacks_its_field,
        fault=lambda method, count: StoreError("locked") if method == "put_aside" and count > 0 else None,
    )
    told = play(among, knowing(seen_on=WORKED, task={"limits": {"max_steps": 4}}))
    (reported,) = found(told, "watch")
    said = ShortcutUseReport.model_validate(reported.data)
    assert (said.use.outcome, said.taken_in, said.put_aside) == ("surprised", True, "")


def test_a_keeper_that_is_silent_holds_a_step_for_seconds_only() -> None:
    among = world(latency=lambda method, count: 600.0 if method in ("used", "put_aside") else 0.0)
    journal = play(among, knowing(seen_on=WORKED))
    assert sent(journal) == ["Tap", "Type", "Enter"]
    spans = [record.span for record in of(Acted, journal)]
    assert spans[-1].end - spans[0].start < 10


def test_a_keeper_that_is_started_again_meanwhile_is_told_again() -> None:
    among = world(fault=lambda method, count: ActorLost("gone") if method == "used" and count < 3 else None)
    (reported,) = found(play(among, knowing()), "watch")
    assert ShortcutUseReport.model_validate(reported.data).taken_in is True
    assert [use.outcome for use in among.uses.values()] == ["worked"]


# ---------------------------------------------------------------------------- interrupted
@pytest.mark.parametrize("last", ["acted", "reflected", "watched"])
def test_an_episode_gone_on_with_in_place_reports_a_use_once(last: str) -> None:
    among = world()
    given = knowing()
    play(among, given)
    ends = {
        "acted": lambda record: isinstance(record, Acted) and record.step == 1,
        "reflected": lambda record: isinstance(record, Reflected) and record.step == 1,
        "watched": lambda record: isinstance(record, StageResult) and record.stage == "watch",
    }
    again = cut_after(among, given, ends[last])
    among.uses.clear()
    among.count["used"] = 0
    journal = play(among, again)
    assert among.count["used"] == (0 if last == "watched" else 1)
    assert [use.outcome for use in among.uses.values()] == ([] if last == "watched" else ["worked"])
    assert len(found(journal, "watch")) == 1


@pytest.mark.parametrize("said", [True, False])
def test_gone_on_with_after_the_shortcut_was_dealt_with_nobody_is_asked_again(said: bool) -> None:
    among = world(permits=lambda request: None if said else "no field")
    given = knowing()
    play(among, given)
    again = cut_after(
        among, given, lambda record: isinstance(record, ActionSent if said else Acted) and record.step == 1
    )
    among.count["permit"] = 0
    journal = play(among, again)
    assert among.count["permit"] == 0
    assert len(found(journal, "permit")) == 1
    assert of(Acted, journal)[1].fault == ("lost" if said else "precondition")


@pytest.mark.parametrize("fate", FATES)
@pytest.mark.parametrize("moves", [searches, lacks_its_field])
def test_interrupted_anywhere_each_use_is_reported_once_and_no_key_twice(moves: Any, fate: Fate) -> None:
    whole = world(moves=moves)
    records = len(play(whole, knowing()))
    usual = [use.outcome for use in whole.uses.values()]
    for place in range(records):
        among = world(moves=moves, puts_aside=lambda use: False)
        given = knowing(task={"limits": {"max_steps": 12}})
        play(among, given)
        again = interrupted(among, given, Cut(place=place / records, of_bytes=False, fate=fate))
        told = {record.data["use"]["step"] for record in found(among.journals[given.episode], "watch")}
        began = len(among.begun["used"])
        journal = play(among, again)
        later = [use.step for use in among.begun["used"][began:]]
        assert not told & set(later), f"cut after record {place}"
        assert len(later) == len(set(later))
        assert len(among.ledger) == len(set(among.ledger))
        uses = [ShortcutUseReport.model_validate(one.data).use for one in found(effective_records(journal), "watch")]
        lost = [record for record in of(Acted, journal) if record.fault == "lost"]
        assert len({use.step for use in uses}) == len(uses)
        assert uses or lost
        assert {use.outcome for use in uses} <= {*usual, "failed"}


def test_what_an_interruption_left_unsent_says_nothing_of_the_shortcut() -> None:
    among = world()
    given = knowing(task={"limits": {"max_steps": 2}})
    play(among, given)
    first = lambda record: isinstance(record, ActionSent) and record.step == 1  # noqa: E731
    again = cut_after(among, given, first)
    among.uses.clear()
    journal = play(among, again)
    assert [record.fault for record in of(Acted, journal)][1] == "lost"
    assert (among.uses, found(journal, "watch")) == ({}, [])


def test_gone_on_with_it_knows_what_it_knew_at_its_start() -> None:
    among = world()
    given = knowing(seen_on=SeenOn(app="org.other"))
    play(among, given)
    first = lambda record: isinstance(record, Acted) and record.step == 0  # noqa: E731
    again = cut_after(among, given, first)
    journal = play(among, again.model_copy(update={"memory": knowing().memory}))
    assert sent(journal) == []
    assert Permission.model_validate(found(journal, "permit")[0].data).by == "app"
