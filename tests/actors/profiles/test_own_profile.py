"""Another paper's loop is its own package and a line in a table: here one of two stages of its own, run to its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from manyhands.actors.episode.endings import End
from manyhands.actors.episode.fold import fold
from manyhands.actors.episode.host import EpisodeHost, HostSettings
from manyhands.actors.episode.profile import Assumption, Profile, SettingRefused, Stage
from manyhands.actors.episode.schedule import GraphStop, Node, StageNeed
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages import ACT_STAGE, CAPTURE_STAGE, PERCEIVE_STAGE
from manyhands.actors.episode.state import EpisodeState
from manyhands.actors.profiles import PROFILES, profile_of
from manyhands.evaluation.episode_view import view_episode
from manyhands.evaluation.episodes import episodes_of
from manyhands.evaluation.summary import summary_of
from manyhands.protocol.base import Ending, Message
from manyhands.protocol.errors import ManyhandsError, ModelError, ModelUnreachable
from manyhands.protocol.journals.records import ActionDecided, Record, Span, StageDropped, StageFailed, StageResult
from manyhands.protocol.profiles import ProfileDeclaration
from manyhands.protocol.roles.requests import Decision
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.runs.results import EpisodeOrder, EpisodeResult
from manyhands.protocol.screens.actions import Home
from tests.actors.episode.world import World, order, right_action, shown
from tests.virtual_clock import run_virtual


class Judgement(Message):
    """Say whether the screen is the goal: what the stage ``judge`` leaves."""

    there: bool


async def judge(context: StageContext) -> Sequence[Record]:
    """Look whether the screen is the goal."""
    screen, start = context.state.step(context.step).screen, context.runtime.clock.now()
    assert screen is not None
    await context.runtime.clock.sleep(2.0)
    return [context.result(Judgement(there=shown(screen) == "s3"), context.span(start))]


async def choose(context: StageContext) -> Sequence[Record]:
    """Choose an action, unless the goal is reached."""
    at, start = context.state.step(context.step), context.runtime.clock.now()
    assert at.screen is not None
    await context.runtime.clock.sleep(1.0)
    judgement = at.result("judge", Judgement)
    assert judgement is not None
    action = Home() if judgement.there else right_action(shown(at.screen))
    return [
        ActionDecided(
            step=context.step, span=context.span(start), decision=Decision(thought="", action=action, expectation="")
        )
    ]


# ---------------------------------------------------------------------------- the whole profile
NOT_THERE = Judgement(there=False)


def not_there(state: EpisodeState, step: int) -> Sequence[Record]:
    return [StageResult(step=step, span=Span(start=0, end=0), stage="judge", data=NOT_THERE.model_dump())]


def stages(settings: EpisodeSettings) -> Sequence[Stage]:
    held = Assumption(not_there, lambda state, step: state.step(step).result("judge", Judgement) == NOT_THERE)
    judging = Stage("judge", (StageNeed("perceive"),), run=judge, assumption=held, deadline_s=9, leaves=(Judgement,))
    choosing = Stage("choose", (StageNeed("perceive"), StageNeed("judge", assumable=True)), run=choose)
    return [judging, choosing, replace(ACT_STAGE, needs=(StageNeed("choose"),)), CAPTURE_STAGE, PERCEIVE_STAGE]


def stop_after(record: Record, state: EpisodeState, order: EpisodeOrder) -> GraphStop[End] | None:
    if not isinstance(record, StageResult) or record.read(Judgement) == NOT_THERE:
        return None
    return GraphStop(End(Ending.FINISHED, "there"), Node("judge", record.step))


def nobody(settings: EpisodeSettings) -> tuple[()]:
    """Its stages ask no role."""
    return ()


DECLARATION = ProfileDeclaration(name="tiny", paper="a paper", loop=f"{__name__}:TINY")
TINY = Profile(DECLARATION, __name__, nobody, stages, stop_after)


# ---------------------------------------------------------------------------- what becomes of it
def run(world: World, profile: Profile = TINY, **chosen: Any) -> tuple[EpisodeResult, tuple[Record, ...]]:
    """Give its result and its journal, as it is read from a file."""
    host = EpisodeHost(HostSettings(), world.collaborators(), world.clock, {profile.name: profile})
    result = run_virtual(host.run_episode(order(profile=profile.name, **chosen)))
    return result, world.written(result.episode)


@pytest.mark.parametrize("schedule", ["serial", "overlap", "speculate"])
def test_it_runs_to_its_end_and_figures_have_its_stages(schedule: str) -> None:
    world = World()
    result, journal = run(world, schedule=schedule)
    assert (result.ending, result.reason, result.steps) == (Ending.FINISHED, "there", 3)
    assert world.screen == "s3"
    summary = summary_of({}, [journal])
    assert summary.profile == "tiny"
    assert list(summary.stage_ms) == ["capture", "settle", "perceive", "judge", "choose", "act"]
    judging, choosing = summary.stage_ms["judge"], summary.stage_ms["choose"]
    assert judging is not None
    assert choosing is not None
    assert (judging.p50, choosing.p50) == pytest.approx((2000, 1000))
    (episode,) = episodes_of([journal])
    story = view_episode(episode)
    assert story.steps[0].times_ms["judge"] == pytest.approx(2000)
    assert [(result.stage, result.data) for result in story.steps[0].results] == [("judge", {"there": False})]
    beside = 2.0 if schedule == "speculate" else 3.0
    assert result.ended_at - result.started_at == pytest.approx(3 * beside + 2.0, abs=0.1)


def test_its_own_assumption_is_what_is_asked_ahead_of_time_on() -> None:
    _, journal = run(World(), schedule="speculate")
    assert [record.assumed for record in journal if isinstance(record, ActionDecided)] == [("judge",)] * 3
    (dropped,) = [record for record in journal if isinstance(record, StageDropped)]
    assert (dropped.step, dropped.stage, dropped.assumed, dropped.wrong) == (3, "choose", ("judge",), "judge")
    speculation = summary_of({}, [journal]).speculation
    assert speculation is not None
    assert (speculation.kept, speculation.dropped, speculation.wrong) == ({"choose": 3}, {"choose": 1}, {"judge": 1})


def test_its_failures_end_the_episode_as_it_declares() -> None:
    async def failing(context: StageContext) -> Sequence[Record]:
        raise ModelUnreachable("nobody is there")

    def with_failures(*failures: tuple[type[ManyhandsError], Ending | None]) -> Profile:
        def broken(settings: EpisodeSettings) -> Sequence[Stage]:
            return [
                replace(one, run=failing, failures=failures) if one.name == "judge" else one for one in stages(settings)
            ]

        return Profile(DECLARATION, __name__, nobody, broken, stop_after)

    result, journal = run(World(), with_failures())
    assert result.ending is Ending.MODEL_FAILED
    assert [(record.stage, record.code) for record in journal if isinstance(record, StageFailed)] == [
        ("judge", "model_unreachable")
    ]
    assert run(World(), with_failures((ModelError, Ending.IMPOSSIBLE)))[0].ending is Ending.IMPOSSIBLE


def test_data_of_a_type_that_a_stage_does_not_declare_are_a_defect() -> None:
    def undeclared(settings: EpisodeSettings) -> Sequence[Stage]:
        return [replace(one, leaves=()) if one.name == "judge" else one for one in stages(settings)]

    result, journal = run(World(), replace(TINY, stages=undeclared))
    assert result.ending is Ending.INTERNAL_ERROR
    assert "stage 'judge' left {'there': False}; of the types that it declares: none" in result.reason
    assert not [record for record in journal if isinstance(record, StageResult)]


def test_data_of_another_shape_are_none() -> None:
    record = StageResult(step=0, span=Span(start=0, end=0), stage="judge", data={"was_there": True})
    assert record.read(Judgement) is None
    assert fold(EpisodeState(), record).step(0).result("judge", Judgement) is None


def test_its_deadlines_are_its_own_and_those_of_settings() -> None:
    assert TINY.deadlines(EpisodeSettings()) == {"judge": 9, "choose": 60, "act": 60, "capture": 30, "perceive": 120}
    assert TINY.deadlines(EpisodeSettings(deadlines={"judge": 3}))["judge"] == 3
    with pytest.raises(SettingRefused, match="'plan' is not a stage of profile 'tiny'; stages are judge, choose"):
        TINY.check(EpisodeSettings(profile="tiny", deadlines={"plan": 3}))


def test_what_it_cannot_follow_is_refused_before_anything_runs() -> None:
    with pytest.raises(SettingRefused, match="'tiny'; nothing of it can be left out") as refused:
        TINY.check(EpisodeSettings(profile="tiny", without=("planner",)))
    assert refused.value.setting == "without"
    able = replace(TINY, parts={"planner": "plans"})
    able.check(EpisodeSettings(profile="tiny", without=("planner",), schedule="speculate"))

    def careful(settings: EpisodeSettings) -> Sequence[Stage]:
        return [
            replace(one, assumption=None, needs=tuple(replace(need, assumable=False) for need in one.needs))
            for one in stages(settings)
        ]

    with pytest.raises(SettingRefused, match="'tiny' assumes nothing; choose serial or overlap"):
        replace(TINY, stages=careful).check(EpisodeSettings(profile="tiny", schedule="speculate"))


def test_what_cannot_be_a_loop_is_refused_when_it_is_declared() -> None:
    def without(name: str) -> Callable[[EpisodeSettings], Sequence[Stage]]:
        return lambda settings: [one for one in stages(settings) if one.name != name]

    def unassumed(settings: EpisodeSettings) -> Sequence[Stage]:
        return [replace(one, assumption=None) for one in stages(settings)]

    with pytest.raises(ValueError, match="'choose' may assume how 'judge' ends: declare its assumption"):
        Profile(DECLARATION, __name__, nobody, unassumed, stop_after)
    with pytest.raises(ValueError, match="needs 'act', which is no stage of the graph"):
        Profile(DECLARATION, __name__, nobody, without("act"), stop_after)
    with pytest.raises(ValueError, match="has a stage 'capture'"):
        Profile(DECLARATION, __name__, nobody, lambda settings: [replace(ACT_STAGE, needs=())], stop_after)
    with pytest.raises(ValueError, match="asks for replies in no known format: nosuch"):
        replace(TINY, declaration=replace(DECLARATION, outputs={Role.DECIDE: "nosuch"}))


def test_the_table_lists_profiles_by_their_names() -> None:
    assert [profile_of(name).name for name in PROFILES] == list(PROFILES)
    with pytest.raises(ValueError, match=r"'tiny' is not a profile; profiles are .*e \(Mobile-Agent-E\)"):
        profile_of("tiny")
