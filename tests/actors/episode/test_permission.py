"""What the policy asks a person about, in virtual time: allowed, declined, unanswered, changed meanwhile, cut off."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from manyhands.actors.episode.host import EpisodeHost
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import InterventionRefused
from manyhands.protocol.journals.records import (
    Acted,
    ActionJudged,
    ActionSent,
    CheckPrepared,
    EpisodePaused,
    EpisodeUnpaused,
)
from manyhands.protocol.policy import Effect
from manyhands.protocol.runs.episode_settings import Schedule
from manyhands.protocol.runs.interventions import AnswerQuestion, EpisodeControl, ShowControl
from manyhands.protocol.runs.results import EpisodeOrder
from tests.actors.episode.interruption import cut_after
from tests.actors.episode.test_interventions import EPISODE, kinds, slow, with_world
from tests.actors.episode.world import World, order

SCHEDULES: tuple[Schedule, ...] = ("serial", "overlap", "speculate")
PAY = "Pay now"


def paying(**given: Any) -> World:
    """A real phone whose second screen asks for money."""
    return slow(product="shiba", label=lambda screen: PAY if screen == "s1" else "", **given)


def asked(schedule: Schedule = "overlap", wait_s: float = 1800.0, **settings: Any) -> EpisodeOrder:
    task = {"limits": {"wall_s": 60, "max_steps": 6}, **settings.pop("task", {})}
    return order(task=task, schedule=schedule, person_wait_s=wait_s, **settings)


async def until_asked(host: EpisodeHost, but: str = "") -> EpisodeControl:
    while True:
        await asyncio.sleep(0.1)
        control = await host.intervene(EPISODE, ShowControl())
        if control.consent is not None and control.consent.target_digest != but:
            return control


def yes(control: EpisodeControl, by: str = "ann") -> AnswerQuestion:
    """Return the answer that allows what is asked."""
    assert control.consent is not None
    return AnswerQuestion(by=by, allows=control.consent.id)


async def nothing(world: World, host: EpisodeHost) -> None: ...


def sent_on_s1(world: World) -> list[ActionSent]:
    return [one for one in kinds(world, ActionSent) if one.step == 1]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_an_action_with_an_effect_is_sent_once_a_person_allows_it(schedule: Schedule) -> None:
    async def meanwhile(world: World, host: EpisodeHost) -> None:
        control = await until_asked(host)
        assert control.consent is not None
        assert (control.consent.verdict.effect, control.consent.verdict.target) == (Effect.PAY, PAY)
        assert PAY in control.question
        await asyncio.sleep(1000)
        assert not sent_on_s1(world)
        with pytest.raises(InterventionRefused, match="something else"):
            await host.intervene(EPISODE, AnswerQuestion(by="bob", allows="0" * 16))
        await host.intervene(EPISODE, yes(control))
        for late in (AnswerQuestion(by="bob"), yes(control, "bob")):
            with pytest.raises(InterventionRefused, match="answer"):
                await host.intervene(EPISODE, late)

    world, result = with_world(meanwhile, paying(), asked(schedule))
    assert result.ending is Ending.FINISHED
    (sent,) = sent_on_s1(world)
    assert (sent.verdict.by, sent.verdict.effect) == ("ann", Effect.PAY)
    assert [one.verdict.effect for one in kinds(world, ActionSent) if one.step != 1] == [None, None]
    (waited,) = [one.span for one in kinds(world, Acted) if one.step == 1]
    assert waited.ms < 1000, "no figure counts the wait"


@pytest.mark.parametrize("answer", [AnswerQuestion(by="ann"), AnswerQuestion(by="ann", text="yes"), None])
def test_without_a_yes_nothing_is_sent_and_the_agent_is_told(answer: AnswerQuestion | None) -> None:
    async def meanwhile(world: World, host: EpisodeHost) -> None:
        await until_asked(host)
        if answer is not None:
            await host.intervene(EPISODE, answer)

    world, result = with_world(meanwhile, paying(), asked(task={"limits": {"max_steps": 2, "wall_s": 60}}))
    assert result.ending is Ending.STEP_LIMIT
    assert not sent_on_s1(world)
    (acted,) = [one for one in kinds(world, Acted) if one.step == 1]
    assert acted.fault == "policy"
    assert ("ann has declined" if answer else "no person has allowed it in time") in (acted.problem or "")


def test_where_nobody_may_be_asked_the_answer_is_no_and_comes_at_once() -> None:
    world, result = with_world(nothing, paying(), asked(wait_s=0, task={"limits": {"max_steps": 4, "wall_s": 60}}))
    assert result.ending is not Ending.FINISHED
    assert not sent_on_s1(world)
    assert len(kinds(world, EpisodePaused)) == 1, "once nobody came, nobody is waited for again"


@pytest.mark.parametrize(
    "settings",
    [{"allow": ["pay:org.example"]}, {"task": {"allow": [f"pay:*:{PAY}"]}}, {"policy": {"phones": "none"}}],
)
def test_a_grant_of_the_run_or_the_task_allows_it_without_a_question(settings: dict[str, Any]) -> None:
    world, result = with_world(nothing, paying(), asked(**settings))
    assert (result.ending, kinds(world, EpisodePaused)) == (Ending.FINISHED, [])


def test_a_touch_is_not_sent_to_an_app_that_has_pushed_in_since_the_look() -> None:
    limits = {"limits": {"max_steps": 2, "wall_s": 60}}
    world, _ = with_world(nothing, slow(product="shiba", front="com.evil.pay"), asked(task=limits))
    assert not kinds(world, ActionSent)
    problems = [one.problem or "" for one in kinds(world, Acted)]
    assert problems
    assert all("com.evil.pay has come to the front" in one for one in problems)
    world, _ = with_world(nothing, slow(product="manyhands_phone", front="com.evil.pay"), asked(task=limits))
    assert kinds(world, ActionSent), "virtual phones are not judged"


def test_a_virtual_phone_asks_only_if_the_policy_is_for_all() -> None:
    world = paying()
    world.product = "manyhands_phone"
    assert with_world(nothing, world, asked())[1].ending is Ending.FINISHED

    async def meanwhile(world: World, host: EpisodeHost) -> None:
        await host.intervene(EPISODE, yes(await until_asked(host)))

    world = paying()
    world.product = "manyhands_phone"
    assert with_world(meanwhile, world, asked(policy={"phones": "all"}))[1].ending is Ending.FINISHED


def test_what_the_policy_refuses_is_not_asked_about() -> None:
    policy = {"refuse": ["pay"]}
    limits = {"limits": {"max_steps": 2, "wall_s": 60}}
    world, _ = with_world(nothing, paying(), asked(policy=policy, allow=["pay"], task=limits))
    assert (kinds(world, EpisodePaused), sent_on_s1(world)) == ([], [])
    assert [one.verdict.effect for one in kinds(world, ActionJudged)] == [Effect.PAY]


@pytest.mark.parametrize(
    ("refuses", "opens", "opened"),
    [("call", "tel:112", False), ("call", "shop://cart", True), ("pay", "tel:112", True), ("leave", "Phone", True)],
)
def test_a_check_opens_what_its_author_names_unless_the_policy_refuses_it(
    refuses: str, opens: str, opened: bool
) -> None:
    """The author's word counts as a grant, so nobody is asked; and it is none against what is refused."""
    task = {"check": {"open": opens, "holds": {"screen": {"text": "s3"}}}, "apps": ["org.example"]}
    plain = slow(product="shiba")
    world, result = with_world(nothing, plain, asked(policy={"ask": ["call"], "refuse": [refuses]}, task=task))
    assert bool([one for one in world.requests("perform") if ":check:" in one.key]) is opened
    assert ("the policy refuses that" in result.reason) is not opened
    assert not kinds(world, EpisodePaused)
    assert {one.verdict and one.verdict.decision for one in kinds(world, CheckPrepared)} == {
        "allow" if opened else "refuse"
    }


@pytest.mark.parametrize(
    ("product", "refuses", "seed", "reset"),
    [
        ("shiba", ["delete"], 7, False),
        ("shiba", ["delete"], None, True),
        ("shiba", ["pay"], 7, True),
        ("manyhands_phone", ["delete"], 7, True),
    ],
)
def test_a_reset_that_deletes_is_sent_unless_the_policy_refuses_that(
    product: str, refuses: list[str], seed: int | None, reset: bool
) -> None:
    plain = slow(product=product)
    world, result = with_world(nothing, plain, asked(policy={"refuse": refuses}, task={"reset_seed": seed}))
    assert bool(world.requests("reset")) is reset
    assert (result.ending is Ending.NEEDS_PERSON, bool(world.requests("perform"))) == (not reset, reset)
    assert ("may delete something; the policy refuses that" in result.reason) is not reset


@pytest.mark.parametrize(
    ("key", "value", "effect"),
    [
        ("install", "app.apk", "install"),
        ("uninstall_after", True, "install"),
        ("clear", True, "delete"),
        ("grant", ["android.permission.CAMERA"], "grant"),
    ],
)
def test_a_build_is_prepared_unless_the_policy_refuses_that(key: str, value: Any, effect: str) -> None:
    task = {"build": {"package": "com.example.app", key: value}}
    for refuses, is_reset in ([effect], False), (["pay"], True):
        world, result = with_world(nothing, slow(product="shiba"), asked(policy={"refuse": refuses}, task=task))
        assert bool(world.requests("reset")) is is_reset
        assert (f"'{key}' may" in result.reason) is not is_reset


def test_if_what_it_touches_changes_meanwhile_the_person_is_asked_again() -> None:
    async def meanwhile(world: World, host: EpisodeHost) -> None:
        first = await until_asked(host)
        world.app = "org.evil"
        await host.intervene(EPISODE, yes(first))
        assert first.consent is not None
        second = await until_asked(host, but=first.consent.target_digest)
        assert not sent_on_s1(world), "the yes was for another app"
        assert second.consent is not None
        assert second.consent.app == "org.evil"
        with pytest.raises(InterventionRefused, match="something else"):
            await host.intervene(EPISODE, yes(first))
        await host.intervene(EPISODE, yes(second))

    world, result = with_world(meanwhile, paying(), asked())
    assert result.ending is Ending.FINISHED
    assert (len(sent_on_s1(world)), len(kinds(world, EpisodePaused))) == (1, 2)


def test_a_yes_to_one_amount_is_none_to_another_that_stands_elsewhere() -> None:
    """The pixels that are touched stay the same; what the page says does not."""

    async def meanwhile(world: World, host: EpisodeHost) -> None:
        first = await until_asked(host)
        world.label = lambda screen: "Pay $900" if screen == "s1" else ""
        await host.intervene(EPISODE, yes(first))
        while (second := await until_asked(host)).question == first.question:
            await asyncio.sleep(0.1)
        assert "900" in second.question
        await host.intervene(EPISODE, AnswerQuestion(by="ann"))

    limits = {"limits": {"max_steps": 2, "wall_s": 60}}
    world, _ = with_world(meanwhile, paying(), asked(task=limits))
    assert not sent_on_s1(world)


def test_on_a_black_page_a_person_is_asked_again_if_its_texts_change() -> None:
    async def meanwhile(world: World, host: EpisodeHost) -> None:
        first = await until_asked(host)
        assert first.consent is not None
        world.label = lambda screen: "Pay 900" if screen == "s1" else ""
        await host.intervene(EPISODE, yes(first))
        second = await until_asked(host, but=first.consent.target_digest)
        assert second.consent is not None
        assert second.consent.verdict.target == "Pay 900"
        await host.intervene(EPISODE, AnswerQuestion(by="ann"))

    limits = {"limits": {"max_steps": 2, "wall_s": 60}}
    world, _ = with_world(meanwhile, paying(hides=lambda screen: "black" if screen == "s1" else ""), asked(task=limits))
    assert not sent_on_s1(world)


@pytest.mark.parametrize("last", [EpisodePaused, EpisodeUnpaused])
def test_an_episode_killed_at_its_question_sends_the_action_once(last: type) -> None:
    """After the question it is asked again; after the answer it is not. Of two answers the first one counts."""

    async def allow(world: World, host: EpisodeHost) -> None:
        control = await until_asked(host)
        await host.intervene(EPISODE, yes(control))
        for late in (yes(control, "bob"), AnswerQuestion(by="bob")):
            with pytest.raises(InterventionRefused, match="answer"):
                await host.intervene(EPISODE, late)

    given = asked()
    world, _ = with_world(allow, paying(), given)
    again = cut_after(world, given, lambda record: isinstance(record, last))
    asks = last is EpisodePaused
    world, result = with_world(allow if asks else nothing, world, again)
    assert result.ending is Ending.FINISHED
    assert len(sent_on_s1(world)) == 1
    assert [one.allows for one in kinds(world, EpisodeUnpaused)] == [True]


def test_only_the_gate_gives_verdicts_of_the_agents_actions() -> None:
    """All that an episode sends has the verdict of this very action."""
    world, _ = with_world(nothing, paying(), asked(allow=["pay"]))
    performed = world.requests("perform")
    assert [one.verdict for one in performed] == [one.verdict.id for one in kinds(world, ActionSent)]
