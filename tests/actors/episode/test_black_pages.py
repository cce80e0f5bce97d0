"""Pages that are black in their pictures: the phone's views serve, else a person is asked, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from manyhands.actors.episode.host import EpisodeHost, HostSettings
from manyhands.actors.episode.stages.black_pages import QUESTION
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import StateUnavailable
from manyhands.protocol.journals.records import (
    Acted,
    ActionSent,
    EpisodePaused,
    EpisodeUnpaused,
    Perceived,
    Resumed,
    ScreenCaptured,
    StageFailed,
)
from manyhands.protocol.roles.requests import DecideRequest
from manyhands.protocol.runs.episode_settings import Schedule
from manyhands.protocol.runs.interventions import AnswerQuestion, HandBackEpisode, ShowControl, TakeOverEpisode
from manyhands.protocol.runs.results import EpisodeOrder, EpisodeResult
from manyhands.protocol.screens.actions import Action, AskPerson
from tests.actors.episode.interruption import cut_after
from tests.actors.episode.test_elements import Answer, ViewGateway, views
from tests.actors.episode.test_interventions import EPISODE, act, kinds
from tests.actors.episode.world import World, order, right_action, shown
from tests.virtual_clock import run_virtual

Person = Callable[[World, EpisodeHost], Awaitable[Any]]
SCHEDULES: tuple[Schedule, ...] = ("serial", "overlap", "speculate")


async def nobody(world: World, host: EpisodeHost) -> None: ...


def no_views(screen: str, number: int) -> Answer:
    return StateUnavailable("this phone tells no views")


def play(
    world: World,
    answers: Callable[[str, int], Answer],
    person: Person = nobody,
    wait_s: float = 1800.0,
    given: EpisodeOrder | None = None,
    **settings: Any,
) -> EpisodeResult:
    async def main() -> EpisodeResult:
        collaborators = replace(world.collaborators(), gateway=ViewGateway(world, answers))
        host = EpisodeHost(HostSettings(), collaborators, world.clock)
        running = asyncio.create_task(host.run_episode(given or order(person_wait_s=wait_s, **settings)))
        await person(world, host)
        return await running

    return run_virtual(main())


async def until_asked(host: EpisodeHost) -> None:
    await asyncio.sleep(0.1)
    async with asyncio.timeout(600):
        while (await host.intervene(EPISODE, ShowControl())).question != QUESTION:
            await asyncio.sleep(0.1)


def from_s1(kind: Any) -> Callable[[str], Any]:
    """Hide all screens but the first."""
    return lambda screen: "" if screen == "s0" else kind


@pytest.mark.parametrize("elements", ["vision", "accessibility", "both"])
@pytest.mark.parametrize("kind", ["black", "secure"])
def test_the_views_serve_where_the_picture_is_black(kind: str, elements: str) -> None:
    world = World(hides=from_s1(kind))
    result = play(world, lambda screen, number: views(screen), elements=elements)
    assert (result.ending, kinds(world, EpisodePaused)) == (Ending.FINISHED, [])
    sources = [{one.source for one in read.screen.elements} for read in kinds(world, Perceived)]
    assert sources == [{"vision" if elements == "vision" else "accessibility"}, *[{"accessibility"}] * 3]


def test_another_black_page_is_read_again_though_its_picture_is_the_same() -> None:
    world = World(hides=from_s1("secure"))
    play(world, lambda screen, number: views(screen))
    assert [read.screen.elements[0].content for read in kinds(world, Perceived)] == ["s0", "s1", "s2", "s3"]
    assert not any(read.screen.cached for read in kinds(world, Perceived))


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(("kind", "step"), [("secure", 1), ("black", 2)])
def test_a_person_is_asked_within_two_captures_where_nothing_can_be_read(
    kind: str, step: int, schedule: Schedule
) -> None:
    async def person(world: World, host: EpisodeHost) -> None:
        await until_asked(host)
        sent = len(world.ledger)
        await asyncio.sleep(1000)
        assert len(world.ledger) == sent, "the phone waits"
        control = await host.intervene(EPISODE, TakeOverEpisode(by="ann"))
        world.hides = lambda screen: ""
        await host.intervene(EPISODE, act(right_action(world.screen), control.screen, "r0"))
        await host.intervene(EPISODE, HandBackEpisode(by="ann"))

    world = World(hides=from_s1(kind), goal_screen="s4")
    result = play(world, no_views, person, schedule=schedule)
    assert result.ending is Ending.FINISHED
    (asked,) = kinds(world, EpisodePaused)
    assert (asked.step, asked.reason) == (step, QUESTION)
    assert [one.by for one in kinds(world, ActionSent) if one.by] == ["ann"]


async def answer(world: World, host: EpisodeHost) -> None:
    await until_asked(host)
    world.hides = lambda screen: ""
    await host.intervene(EPISODE, AnswerQuestion(by="ann", text="I have closed it."))


async def take_over(world: World, host: EpisodeHost) -> None:
    await until_asked(host)
    control = await host.intervene(EPISODE, TakeOverEpisode(by="ann"))
    world.hides = lambda screen: ""
    await host.intervene(EPISODE, act(right_action(world.screen), control.screen, "r0"))
    await host.intervene(EPISODE, HandBackEpisode(by="ann"))


def test_an_episode_killed_at_the_question_looks_and_asks_again() -> None:
    given = order(person_wait_s=1800.0)
    world = World(hides=from_s1("secure"))
    play(world, no_views, answer, given=given)
    again = cut_after(world, given, lambda record: isinstance(record, EpisodePaused))
    world.hides = from_s1("secure")
    assert play(world, no_views, answer, given=again).ending is Ending.FINISHED
    assert len(kinds(world, Resumed)) == 1
    assert [one.reason for one in kinds(world, EpisodePaused)] == [QUESTION, QUESTION]


@pytest.mark.parametrize("person", [answer, take_over])
def test_an_episode_killed_after_a_black_page_goes_on_in_place(person: Person) -> None:
    given = order(person_wait_s=1800.0)
    world = World(hides=from_s1("secure"), goal_screen="s5")
    play(world, no_views, person, given=given)
    last = max(one.step for one in kinds(world, Acted))
    again = cut_after(world, given, lambda record: isinstance(record, Acted) and record.step == last - 1)
    assert play(world, no_views, given=again).ending is Ending.FINISHED
    assert len(kinds(world, Resumed)) == 1


def test_the_agents_own_question_in_the_same_step_is_asked_for_itself() -> None:
    def asks_on_s1(request: DecideRequest) -> Action:
        asked_before = any(isinstance(one.action, AskPerson) for one in request.history or ())
        return right_action(shown(request.screen)) if asked_before else AskPerson(text="Which one?")

    async def person(world: World, host: EpisodeHost) -> None:
        await answer(world, host)
        while (await host.intervene(EPISODE, ShowControl())).question != "Which one?":
            await asyncio.sleep(0.1)
        await host.intervene(EPISODE, AnswerQuestion(by="ann", text="The second."))

    world = World(hides=lambda screen: "secure", chooses=asks_on_s1)
    assert play(world, no_views, person).ending is Ending.FINISHED
    assert [one.reason for one in kinds(world, EpisodePaused)] == [QUESTION, "Which one?"]
    assert [one.answer for one in kinds(world, EpisodeUnpaused)] == ["I have closed it.", "The second."]


def test_an_answer_is_followed_by_a_fresh_look() -> None:
    async def person(world: World, host: EpisodeHost) -> None:
        await until_asked(host)
        world.hides = lambda screen: ""
        await host.intervene(EPISODE, AnswerQuestion(by="ann", text="I have closed it."))

    world = World(hides=from_s1("secure"))
    assert play(world, no_views, person).ending is Ending.FINISHED
    assert not any(one.screenshot.is_black for one in kinds(world, ScreenCaptured))


@pytest.mark.parametrize("wait_s", [0.0, 60.0])
def test_where_nobody_helps_the_task_needs_a_person(wait_s: float) -> None:
    world = World(hides=from_s1("secure"))
    result = play(world, no_views, wait_s=wait_s)
    assert result.ending is Ending.NEEDS_PERSON
    assert result.reason.startswith("capture: the page forbids pictures, and the phone does not tell what is on it")
    assert [(one.step, one.stage, one.code) for one in kinds(world, StageFailed)] == [(1, "capture", "screen_hidden")]


def test_black_pages_that_may_be_anything_end_no_task() -> None:
    world = World(hides=from_s1("black"))
    assert play(world, no_views, wait_s=0.0).ending is Ending.FINISHED


def test_as_in_the_papers_pixels_alone_count() -> None:
    world = World(hides=from_s1("secure"))
    assert play(world, no_views, paper_exact=True).ending is Ending.FINISHED
