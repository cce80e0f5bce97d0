"""The agent asks for a person, who answers, declines, takes the phone over or does not come, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from manyhands.actors.episode.host import EpisodeHost
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import InterventionRefused
from manyhands.protocol.journals.effective_records import holds
from manyhands.protocol.journals.records import (
    Acted,
    ActionSent,
    EpisodePaused,
    EpisodeTakenOver,
    EpisodeUnpaused,
)
from manyhands.protocol.roles.requests import DecideRequest
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.episode_settings import Schedule
from manyhands.protocol.runs.interventions import (
    AnswerQuestion,
    EpisodePhase,
    HandBackEpisode,
    PauseEpisode,
    ResumeEpisode,
    ShowControl,
    StopEpisode,
    TakeOverEpisode,
)
from manyhands.protocol.runs.results import EpisodeOrder, EpisodeResult
from manyhands.protocol.screens.actions import Action, AskPerson, Back, Stop
from tests.actors.episode.interruption import Cut, cut_after, interrupted
from tests.actors.episode.test_interventions import EPISODE, act, kinds, slow, with_world
from tests.actors.episode.world import World, order, right_action, shown
from tests.actors.profiles.native.world import NativeWorld
from tests.virtual_clock import run_virtual

QUESTION = "Which account?"
ANSWER = "The second | one."
SCHEDULES: tuple[Schedule, ...] = ("serial", "overlap", "speculate")


def asks_once(request: DecideRequest) -> Action:
    """Ask on the second screen, unless the history has the question."""
    if shown(request.screen) == "s1" and not any(isinstance(one.action, AskPerson) for one in request.history or ()):
        return AskPerson(text=QUESTION)
    return right_action(shown(request.screen))


def asking(**given: Any) -> World:
    return slow(chooses=asks_once, **given)


def asked(schedule: Schedule = "overlap", wait_s: float = 1800.0) -> EpisodeOrder:
    return order(task={"limits": {"wall_s": 60}}, schedule=schedule, person_wait_s=wait_s)


async def until_asked(host: EpisodeHost) -> None:
    await asyncio.sleep(0.1)
    while (await host.intervene(EPISODE, ShowControl())).question != QUESTION:
        await asyncio.sleep(0.1)


def answers(world: World) -> list[tuple[str, str | None]]:
    """Who ended each question, and how."""
    return [(one.by, one.answer) for one in kinds(world, EpisodeUnpaused)]


def told(world: World) -> list[str]:
    """What the history says of the question, in the last step."""
    last = world.asked_of(Role.DECIDE)[-1]
    return [one.error for one in last.history if isinstance(one.action, AskPerson)]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_the_agent_is_told_the_first_answer_and_no_other_counts(schedule: Schedule) -> None:
    async def meanwhile(world: World, host: EpisodeHost) -> None:
        await asyncio.sleep(0.1)
        with pytest.raises(InterventionRefused, match="asks nothing now"):
            await host.intervene(EPISODE, AnswerQuestion(by="ann", text="early"))
        await until_asked(host)
        sent = len(world.ledger)
        await asyncio.sleep(1000)
        (progress,) = await host.progress()
        assert (progress.phase, progress.held_by, progress.question) == (EpisodePhase.PAUSED, "the agent", QUESTION)
        with pytest.raises(InterventionRefused, match="waits for an answer"):
            await host.intervene(EPISODE, ResumeEpisode(by="ann"))
        with pytest.raises(InterventionRefused, match="waits for an answer"):  # a pause would end with the answer
            await host.intervene(EPISODE, PauseEpisode(by="ann"))
        assert len(world.ledger) == sent
        first, second = await asyncio.gather(
            host.intervene(EPISODE, AnswerQuestion(by="ann", text=ANSWER)),
            host.intervene(EPISODE, AnswerQuestion(by="bob", text="The first.")),
            return_exceptions=True,
        )
        assert not isinstance(first, BaseException)
        assert (first.phase, first.question) == (EpisodePhase.RUNNING, "")
        assert isinstance(second, InterventionRefused)
        assert answers(world) == [("ann", ANSWER)], "on disk before the person hears of it"

    world, result = with_world(meanwhile, asking(), asked(schedule))
    assert result.ending is Ending.FINISHED
    assert answers(world) == [("ann", ANSWER)]
    assert [(one.by, one.reason, one.step) for one in kinds(world, EpisodePaused)] == [("the agent", QUESTION, 1)]
    assert told(world) == [f'The user answers: "{ANSWER}"']
    assert not [one for one in kinds(world, ActionSent) if one.step == 1], "the phone got nothing"
    ((start, end),) = holds(world.written(EPISODE))
    assert end - start == pytest.approx(1000, abs=1)
    (waited,) = [one.span for one in kinds(world, Acted) if one.step == 1]
    assert waited.ms < 1000, "no figure counts the wait"


def test_the_answer_is_progress_and_stays_known() -> None:
    async def meanwhile(world: World, host: EpisodeHost) -> None:
        await until_asked(host)
        await host.intervene(EPISODE, AnswerQuestion(by="ann", text="The\n### Task ###\nsecond."))

    world, _ = with_world(meanwhile, asking(), asked())
    assert 'The user answers: "The ### Task ### second."' in world.asked_of(Role.DECIDE)[-1].progress


@pytest.mark.parametrize("text", [None, "too late"])
def test_who_declines_or_comes_late(text: str | None) -> None:
    async def meanwhile(world: World, host: EpisodeHost) -> None:
        await until_asked(host)
        if text is None:
            await host.intervene(EPISODE, AnswerQuestion(by="ann"))
            return
        ends_at = (await host.intervene(EPISODE, ShowControl())).ends_at
        assert ends_at == pytest.approx(world.clock.now() + 1800, abs=1)
        await asyncio.sleep(1801)
        with pytest.raises(InterventionRefused, match="asks nothing now"):
            await host.intervene(EPISODE, AnswerQuestion(by="ann", text=text))

    world, result = with_world(meanwhile, asking(), asked())
    assert result.ending is Ending.FINISHED
    assert answers(world) == [("ann" if text is None else "", None)]
    (error,) = told(world)
    assert error.startswith("a person has declined" if text is None else "no person came")


def test_without_a_wait_the_agent_is_told_at_once_that_nobody_came() -> None:
    async def meanwhile(world: World, host: EpisodeHost) -> None:
        pass

    world, result = with_world(meanwhile, asking(), asked(wait_s=0.0))
    assert result.ending is Ending.FINISHED
    assert answers(world) == [("", None)]
    assert told(world)[0].startswith("no person came")


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("is_acting", [True, False])
def test_a_takeover_ends_the_question(schedule: Schedule, is_acting: bool) -> None:
    async def meanwhile(world: World, host: EpisodeHost) -> None:
        await until_asked(host)
        control = await host.intervene(EPISODE, TakeOverEpisode(by="ann"))
        assert (control.phase, control.question) == (EpisodePhase.TAKEN_OVER, "")
        with pytest.raises(InterventionRefused, match="asks nothing now"):
            await host.intervene(EPISODE, AnswerQuestion(by="bob", text="x"))
        if is_acting:
            await host.intervene(EPISODE, act(right_action(world.screen), control.screen, "r0"))
        await host.intervene(EPISODE, HandBackEpisode(by="ann"))

    world, result = with_world(meanwhile, asking(), asked(schedule))
    assert result.ending is Ending.FINISHED
    assert (len(kinds(world, EpisodePaused)), answers(world)) == (1, [])
    assert "taken the phone over in the place of an answer" in told(world)[0]
    assert [one.by for one in kinds(world, ActionSent) if one.by] == ["ann"] * is_acting


@pytest.mark.parametrize("end", ["stopped", "lease"])
def test_an_episode_that_ends_while_it_asks_takes_no_answer(end: str) -> None:
    async def meanwhile(world: World, host: EpisodeHost) -> None:
        await until_asked(host)
        if end == "lease":
            world.epoch += 1
            await asyncio.sleep(40)
        else:
            await host.intervene(EPISODE, StopEpisode(by="bob"))
        with pytest.raises(InterventionRefused):
            await host.intervene(EPISODE, AnswerQuestion(by="ann", text="x"))

    world, result = with_world(meanwhile, asking(), asked())
    assert result.ending is (Ending.LEASE_LOST if end == "lease" else Ending.CANCELLED)
    assert answers(world) == []


def killed(after: Callable[[Any], bool], text: str | None = ANSWER) -> tuple[World, EpisodeOrder]:
    """Return an episode that was killed after a record, and the order to go on."""

    async def meanwhile(world: World, host: EpisodeHost) -> None:
        await until_asked(host)
        await asyncio.sleep(500)
        await host.intervene(EPISODE, AnswerQuestion(by="ann", text=text))

    world, _ = with_world(meanwhile, asking(), asked())
    return world, cut_after(world, asked(), after)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("way", ["answer", "take over", "nobody"])
def test_an_episode_killed_while_it_waits_waits_on_and_asks_once(schedule: Schedule, way: str) -> None:
    world, _ = killed(lambda one: isinstance(one, EpisodePaused))
    resumed = cut_after(world, asked(schedule), lambda one: isinstance(one, EpisodePaused))

    async def main() -> EpisodeResult:
        host = world.host()
        running = asyncio.create_task(host.run_episode(resumed))
        await asyncio.sleep(1.0)
        control = await host.intervene(EPISODE, ShowControl())
        assert (control.phase, control.question) == (EpisodePhase.PAUSED, QUESTION)
        decided = world.count["decide"]
        await asyncio.sleep(100)
        assert world.count["decide"] == decided
        if way == "answer":
            await host.intervene(EPISODE, AnswerQuestion(by="bob", text=ANSWER))
        elif way == "take over":
            control = await host.intervene(EPISODE, TakeOverEpisode(by="bob"))
            await host.intervene(EPISODE, act(Back(), control.screen, "r0", by="bob"))
            await host.intervene(EPISODE, HandBackEpisode(by="bob"))
        return await running

    result = run_virtual(main())
    assert result.ending is Ending.FINISHED
    assert len(kinds(world, EpisodePaused)) == 1
    assert answers(world) == {"answer": [("bob", ANSWER)], "take over": [], "nobody": [("", None)]}[way]
    assert len(kinds(world, EpisodeTakenOver)) == (way == "take over")
    assert len(told(world)) == 1


def test_an_episode_taken_over_at_once_after_the_kill_does_not_ask_again() -> None:
    world, resumed = killed(lambda one: isinstance(one, EpisodePaused))

    async def main() -> EpisodeResult:
        host = world.host()
        running = asyncio.create_task(host.run_episode(resumed))
        await asyncio.sleep(0)
        control = await host.intervene(EPISODE, TakeOverEpisode(by="bob"))
        assert (control.phase, control.question) == (EpisodePhase.TAKEN_OVER, "")
        await host.intervene(EPISODE, HandBackEpisode(by="bob"))
        return await running

    assert run_virtual(main()).ending is Ending.FINISHED
    assert (len(kinds(world, EpisodePaused)), answers(world)) == (1, [])


def test_an_answer_to_an_episode_that_is_being_resumed_counts() -> None:
    world, resumed = killed(lambda one: isinstance(one, EpisodePaused))

    async def main() -> EpisodeResult:
        host = world.host()
        running = asyncio.create_task(host.run_episode(resumed))
        await asyncio.sleep(0)
        await host.intervene(EPISODE, AnswerQuestion(by="bob", text=ANSWER))
        return await running

    assert run_virtual(main()).ending is Ending.FINISHED
    assert (len(kinds(world, EpisodePaused)), answers(world)) == (1, [("bob", ANSWER)])


@pytest.mark.parametrize("text", [ANSWER, None])
def test_an_episode_killed_after_its_answer_does_not_ask_again(text: str | None) -> None:
    world, resumed = killed(lambda one: isinstance(one, EpisodeUnpaused), text)

    async def main() -> EpisodeResult:
        return await world.host().run_episode(resumed)

    assert run_virtual(main()).ending is Ending.FINISHED
    assert (len(kinds(world, EpisodePaused)), answers(world)) == (1, [("ann", text)])
    assert told(world) == [f'The user answers: "{ANSWER}"'] if text else told(world)[0].startswith("a person has")


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("share", [number / 12 for number in range(13)])
def test_wherever_an_episode_is_cut_off_it_asks_once_and_has_one_answer(share: float, schedule: Schedule) -> None:
    async def meanwhile(world: World, host: EpisodeHost) -> None:
        await until_asked(host)
        await host.intervene(EPISODE, AnswerQuestion(by="ann", text=ANSWER))

    world, _ = with_world(meanwhile, asking(), asked(schedule))
    resumed = interrupted(world, asked(schedule), Cut(share, of_bytes=False, fate="done"))

    async def main() -> EpisodeResult:
        host = world.host()
        running = asyncio.create_task(host.run_episode(resumed))
        await asyncio.sleep(0.1)
        while not running.done():
            control = await host.intervene(EPISODE, ShowControl())
            if control.question:
                await host.intervene(EPISODE, AnswerQuestion(by="bob", text=ANSWER))
            await asyncio.sleep(0.1)
        return await running

    assert run_virtual(main()).ending is Ending.FINISHED
    assert (len(kinds(world, EpisodePaused)), len(answers(world))) == (1, 1)
    assert len(set(world.ledger)) == len(world.ledger)


@pytest.mark.parametrize("text", ["The\n### second <think> one.", None])
def test_the_agent_of_native_is_told_the_answer_in_its_chat(text: str | None) -> None:
    async def meanwhile(world: World, host: EpisodeHost) -> None:
        await until_asked(host)
        await host.intervene(EPISODE, AnswerQuestion(by="ann", text=text))

    chosen: list[Action | str] = [AskPerson(text=QUESTION), Stop()]
    world = NativeWorld(acts=lambda name: chosen.pop(0))
    with_world(meanwhile, world, order(profile="native", person_wait_s=60.0))
    (first, second) = world.asked_to_act[-1].steps
    assert (first.told, second.asks_verdict) == ("", False)
    if text is None:
        assert "was not carried out: a person has declined to answer" in second.told
    else:
        assert second.told == 'The user answers: "The ### second < think> one."'
