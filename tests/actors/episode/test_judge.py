"""Checks with a statement: when a judge is asked, what it is shown, and whose word decides the task."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

import pytest

from manyhands.actors.clock import RealClock
from manyhands.actors.episode.checks.judge import JUDGING_S, NO_JUDGE
from manyhands.actors.episode.host import EpisodeHost, HostSettings
from manyhands.actors.frames import ModelImage
from manyhands.actors.interfaces import Agent
from manyhands.actors.mllm import ModelSettings
from manyhands.actors.roles import Judge, RoleSettings
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import (
    CaptureFailed,
    DeadlinePassed,
    ModelAway,
    ModelRefused,
    PhoneLost,
    ReplyUnusable,
    StateUnavailable,
)
from manyhands.protocol.journals.records import EpisodeEnded, Record, StatementJudged
from manyhands.protocol.messages import Answered, CallContext
from manyhands.protocol.roles.requests import JudgeRequest, StatementVerdict
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.simulator.rehearsal import RehearsalSettings, rehearse
from tests.actors.episode.world import World, call_of, content_id, order
from tests.simulator.rehearsal.parts import text_image
from tests.virtual_clock import run_virtual

PROVIDER = "content://example/state"
ON_S3: dict[str, Any] = {"path": "screen", "equals": "s3"}
ELSEWHERE: dict[str, Any] = {"path": "screen", "equals": "s9"}
DONE, POLITE = "The page s3 is shown.", "It is polite."


@dataclass
class WorldJudge:
    """Says of each statement what it was given; of others it cannot tell."""

    world: World
    says: dict[str, str]

    async def answer(
        self, request: JudgeRequest, context: CallContext, *images: ModelImage
    ) -> Answered[StatementVerdict]:
        async with self.world.asked("judge", request):
            assert [image.content_id for image in images] == [shot.content_id for shot in request.shown]
            verdict: Any = self.says.get(request.statement, "cannot tell")
            value = StatementVerdict(verdict=verdict, reason=f"so it is: {request.statement}")
            return Answered[StatementVerdict](value=value, calls=(call_of(Role.JUDGE),))


def host(world: World, judge: Agent[Any, Any] | None) -> EpisodeHost:
    among = world.collaborators()
    agents = among.agents if judge is None else {**among.agents, Role.JUDGE: judge}
    return EpisodeHost(HostSettings(), replace(among, agents=agents), world.clock)


def play(world: World, holds: Any, says: dict[str, str] | None = None, **check: Any) -> EpisodeResult:
    judge = WorldJudge(world, says or {})
    return run_virtual(host(world, judge).run_episode(order(task={"check": {"holds": holds, **check}})))


def journal(world: World) -> list[Record]:
    (found,) = world.journals.values()
    assert world.written(next(iter(world.journals))) == tuple(found)
    return found


def judged(world: World) -> list[StatementJudged]:
    return [record for record in journal(world) if isinstance(record, StatementJudged)]


def whose(result: EpisodeResult) -> tuple[bool | None, str | None, bool]:
    return result.verified, result.verified_by, result.is_done


@pytest.mark.parametrize(
    ("holds", "says", "expected"),
    [
        ({"judge": DONE}, {DONE: "yes"}, (True, "judge", True)),
        ({"judge": DONE}, {DONE: "no"}, (False, "judge", False)),
        ({"judge": DONE}, {DONE: "cannot tell"}, (None, None, False)),
        ({"not": {"judge": DONE}}, {DONE: "no"}, (True, "judge", True)),
        ({"all": [ON_S3, {"judge": DONE}]}, {DONE: "yes"}, (True, "judge", True)),
        ({"all": [{"judge": POLITE}, {"judge": DONE}]}, {DONE: "yes", POLITE: "yes"}, (True, "judge", True)),
        ({"any": [{"judge": POLITE}, {"judge": DONE}]}, {DONE: "yes"}, (True, "judge", True)),
    ],
)
def test_a_judge_decides_what_the_phone_leaves_open(holds: Any, says: dict[str, str], expected: Any) -> None:
    world = World()
    result = play(world, holds, says, source=PROVIDER if "path" in json.dumps(holds) else None)
    assert (result.ending, whose(result)) == (Ending.FINISHED, expected)
    end = journal(world)[-1]
    assert isinstance(end, EpisodeEnded)
    assert (end.verified, end.verified_by) == expected[:2]


@pytest.mark.parametrize(
    ("holds", "expected"),
    [
        ({"all": [ELSEWHERE, {"judge": DONE}]}, (False, "phone", False)),
        ({"any": [ON_S3, {"judge": DONE}]}, (True, "phone", True)),
    ],
)
def test_where_the_phone_decides_nobody_else_is_asked(holds: Any, expected: Any) -> None:
    world = World()
    result = play(world, holds, {DONE: "yes"}, source=PROVIDER)
    assert (whose(result), judged(world), world.count["judge"]) == (expected, [], 0)
    assert [test.found for test in result.unmet] == ([] if expected[0] else ['"s3"'])


def test_no_more_is_asked_than_decides() -> None:
    world = World()
    play(world, {"all": [{"judge": DONE}, {"judge": POLITE}]}, {DONE: "no"})
    assert [one.statement for one in judged(world)] == [DONE]


def test_a_judge_gets_the_last_screens_and_the_actions_without_thoughts() -> None:
    world = World()
    play(world, {"judge": DONE}, {DONE: "yes"})
    (asked,) = world.asked_of(Role.JUDGE)
    assert [shot.content_id for shot in asked.shown] == [content_id("s2"), content_id("s3")]
    assert asked.screen is not None
    assert (asked.screen.elements[0].content, asked.statement, asked.brief.goal) == ("s3", DONE, "Go to the goal")
    assert [past.step for past in asked.history] == [0, 1, 2]
    assert (asked.brief.tips, asked.brief.hints) == ((), "")
    (record,) = judged(world)
    assert (record.verdict, record.reason, record.screens) == ("yes", f"so it is: {DONE}", asked.shown)
    assert [call.role for call in record.calls] == [Role.JUDGE]
    assert content_id("s3") in world.screens


def test_a_judge_sees_what_the_check_opened() -> None:
    world = World(moves=lambda screen, done: "cart" if done.name == "Open_Link" else f"s{int(screen[1:]) + 1}")
    assert play(world, {"judge": DONE}, {DONE: "yes"}, open="shop://cart").verified is True
    (asked,) = world.asked_of(Role.JUDGE)
    assert [shot.content_id for shot in asked.shown] == [content_id("s3"), content_id("cart")]


def test_what_cannot_be_opened_is_not_judged() -> None:
    world = World(refuses={"Open_App": "no such app"})
    result = play(world, {"judge": DONE}, {DONE: "yes"}, open="Shop")
    assert (whose(result), world.count["judge"]) == ((None, None, False), 0)
    assert "Shop could not be opened: no such app" in result.reason


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ModelRefused("400: too many pictures", calls=(call_of(Role.JUDGE),)), "400: too many pictures"),
        (ReplyUnusable("no JSON", calls=(call_of(Role.JUDGE),)), "no JSON"),
        (DeadlinePassed("no answer"), "no answer"),
    ],
)
def test_a_judge_that_does_not_answer_decides_nothing_and_says_why(error: Any, told: str) -> None:
    world = World(fault=lambda method, count: error if method == "judge" else None)
    result = play(world, {"judge": DONE}, {DONE: "yes"})
    assert (result.ending, whose(result)) == (Ending.FINISHED, (None, None, False))
    assert f"the judge did not answer: {told}" in result.reason
    (record,) = judged(world)
    assert (record.verdict, record.calls) == (None, error.calls)
    assert result.failure == ""  # it is no failure of the agent


def test_a_silent_judge_is_given_up() -> None:
    world = World(latency=lambda method, count: 10 * JUDGING_S if method == "judge" else 0)
    result = play(world, {"judge": DONE}, {DONE: "yes"})
    assert (result.verified, len(judged(world))) == (None, 1)
    assert "the judge did not answer" in result.reason


@pytest.mark.parametrize(
    ("refused", "expected"), [(2, (True, "judge", True)), (10**6, (None, None, False))], ids=["back", "away"]
)
def test_the_judge_waits_for_its_model_as_long_as_others_do(refused: int, expected: Any) -> None:
    since: list[float] = []

    def fault(method: str, count: int) -> BaseException | None:
        if method != "judge" or count >= refused:
            return None
        since.append(world.clock.now())
        return ModelAway("connection refused", since=since[0])

    world = World(fault=fault)
    result = play(world, {"judge": DONE}, {DONE: "yes"})
    assert (result.ending, whose(result)) == (Ending.FINISHED, expected)
    assert ("connection refused" in result.reason) == (refused > 2)


def test_without_a_model_for_the_judge_the_check_stays_undecided() -> None:
    world = World()
    result = run_virtual(host(world, None).run_episode(order(task={"check": {"holds": {"judge": DONE}}})))
    assert whose(result) == (None, None, False)
    assert NO_JUDGE in result.reason


def test_without_a_picture_nothing_is_judged() -> None:
    world = World(fault=lambda method, count: CaptureFailed("black") if method == "capture" and count > 3 else None)
    result = play(world, {"judge": DONE}, {DONE: "yes"})
    assert (result.verified, world.count["judge"]) == (None, 0)
    assert "the screen could not be read: black" in result.reason


def test_a_judge_answers_once_although_the_provider_is_asked_again_and_again() -> None:
    def fault(method: str, count: int) -> BaseException | None:
        return StateUnavailable("it is starting") if method == "state" and count < 3 else None

    world = World(fault=fault)
    result = play(world, {"all": [ON_S3, {"judge": DONE}]}, {DONE: "yes"}, source=PROVIDER)
    assert (whose(result), world.count["judge"]) == ((True, "judge", True), 1)


def test_a_phone_that_is_lost_before_it_is_judged_leaves_the_task_open() -> None:
    world = World(fault=lambda method, count: PhoneLost("gone") if method == "capture" and count > 3 else None)
    result = play(world, {"judge": DONE}, {DONE: "yes"})
    assert (result.ending, result.verified, judged(world)) == (Ending.PHONE_LOST, None, [])


# ---------------------------------------------------------------------------- a real judge, by HTTP
PAGES = {"s0": ("Shop", "Cart is empty"), "s1": ("Cable", "Add to cart"), "s2": ("Cart", "USB cable", "Audio cable")}


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ('The cart shows "USB cable" and "Audio cable".', (True, "judge", True)),
        ('The cart shows "Laptop".', (False, "judge", False)),
        ("The agent was friendly.", (None, None, False)),
    ],
)
async def test_the_rehearsed_model_judges_what_the_last_screens_show(statement: str, expected: Any) -> None:
    world = World(clock=RealClock(), goal_screen="s2", draws=lambda name: text_image(*PAGES[name]))
    async with rehearse(RehearsalSettings()) as server:
        judge = Judge(RoleSettings(model=ModelSettings(urls=(server.url,), model="manyhands-rehearsed")))
        await judge.start()
        result = await host(world, judge).run_episode(order(task={"check": {"holds": {"judge": statement}}}))
        await judge.stop()
    assert whose(result) == expected
    (record,) = judged(world)
    assert record.calls[0].reply_type == "JudgeReply"
    assert record.reason


async def test_with_mistakes_the_rehearsed_judge_errs() -> None:
    verdicts = []
    for seed in range(6):
        world = World(clock=RealClock(), goal_screen="s2", draws=lambda name: text_image(*PAGES[name]))
        async with rehearse(RehearsalSettings(mistakes=1.0, seed=seed)) as server:
            judge = Judge(RoleSettings(model=ModelSettings(urls=(server.url,), model="manyhands-rehearsed", repairs=0)))
            await judge.start()
            holds = {"judge": 'The cart shows "USB cable".'}
            result = await host(world, judge).run_episode(order(task={"check": {"holds": holds}}))
            await judge.stop()
        verdicts.append(result.verified)
    assert set(verdicts) == {False, None}  # a wrong no, or a reply that breaks off
