"""What the agent is shown: a chat that only grows, the verdict that is asked for, and how its replies are read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from manyhands.actors.episode.fold import fold
from manyhands.actors.episode.state import EpisodeState
from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import Prompt, dialect_named, parse
from manyhands.actors.mllm.request.bodies import messages_of
from manyhands.actors.mllm.request.dialects import to_model
from manyhands.actors.profiles import PROFILES
from manyhands.actors.profiles.native.agent import ChatPlanner, NativeAgent
from manyhands.actors.profiles.native.requests import ActRequest, StepSoFar, first_shown, steps_of
from manyhands.actors.prompts import Prompts
from manyhands.actors.roles import RoleSettings
from manyhands.protocol.base import Outcome
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.journals.records import Acted, ActionDecided, ActionReceived, ActionSent, ScreenCaptured, Span
from manyhands.protocol.phones import Receipt
from manyhands.protocol.profiles.native import NativeFirstReply, NativeReply
from manyhands.protocol.roles.requests import Decision, ReplyContext
from manyhands.protocol.roles.sections import Section, split_sections
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.screens.actions import Home, Tap
from tests.actors.mllm.model_servers import ModelServer, Say, serving, settings_for
from tests.actors.roles import examples
from tests.actors.roles.test_roles import context

PACKAGE = "manyhands.actors.profiles.native"
PROFILE = PROFILES["native"]
JUDGED: dict[str, Any] = {
    "change": "The list opened.",
    "outcome": "A",
    "progress": "The list is open.",
    "subgoal": "open",
    "notes": "none",
    "thought": "Go on.",
    "action": {"name": "Tap", "x": 500, "y": 500},
    "expectation": "The page opens.",
}
FIRST = {name: JUDGED[name] for name in ("notes", "thought", "action", "expectation")}


def prompts() -> Prompts:
    settings = EpisodeSettings(profile="native")
    return Prompts(dialect_named("qwen3-vl"), "json", PACKAGE, PROFILE.replies(settings))


def picture(number: int) -> ModelImage:
    return ModelImage(content_id=f"{number:032x}", jpeg=b"\xff\xd8 %d" % number)


def chat(count: int, most: int = 4) -> ActRequest:
    """The chat of ``count`` steps, as steps of an episode make it."""
    first = first_shown(count - 1, most)
    steps = [
        StepSoFar(
            screenshot=examples.shot(picture(number)),
            shown=number >= first,
            told="Opened Settings." if number == 1 else "",
            plan="1. Open it." if number == 0 else "",
            subgoal="Open it." if number == 0 else "",
            asks_verdict=number > 0,
            reply=f"answer {number}" if number < count - 1 else "",
        )
        for number in range(count)
    ]
    return ActRequest(brief=examples.brief(), steps=tuple(steps))


def images(request: ActRequest) -> Sequence[ModelImage]:
    return [picture(int(shot.content_id, 16)) for shot in request.screenshots]


def prompt_of(request: ActRequest) -> Prompt:
    return NativeAgent.prompt(prompts(), request, images(request))


def test_a_chat_only_grows_until_its_pictures_leave() -> None:
    before = messages_of(prompt_of(chat(1)))
    for count in range(2, 11):
        now = messages_of(prompt_of(chat(count)))
        assert now[len(before)] == {"role": "assistant", "content": f"answer {count - 2}"}
        assert (now[: len(before)] == before) == (count % 4 != 1)
        before = now
    assert [len(prompt_of(chat(count)).images) for count in range(1, 10)] == [1, 2, 3, 4, 1, 2, 3, 4, 1]


def test_the_first_question_has_the_task_and_further_ones_only_what_is_new() -> None:
    prompt = prompt_of(chat(2))
    first = "\n".join(one for one in prompt.content if isinstance(one, str))
    found = split_sections(f"{prompt.system}\n{first}")
    assert list(found) == [
        *(Section.ACTIONS, Section.FORMAT),
        *(Section.GOAL, Section.HINTS, Section.TIPS, Section.SHORTCUTS, Section.SCREEN, Section.TASK),
    ]
    assert "There is no action to judge" in found[Section.TASK]
    assert "The current subgoal: Open it." in found[Section.TASK]
    (turn,) = prompt.turns
    assert turn.content == (
        picture(1),
        "The screen after this action.\nWhat is known of it: Opened Settings.\n"
        "Judge this action, then choose the next one.",
    )
    assert '"outcome": "A" | "B" | "C"' in prompt.system


def test_the_planner_has_a_system_text_of_its_own() -> None:
    prompt = ChatPlanner.prompt(prompts(), examples.plan_request(), [examples.BEFORE])
    found = split_sections(f"{prompt.system}\n{examples.text_of(prompt)}")
    assert {Section.PLAN, Section.SUBGOAL, Section.PROGRESS, Section.NOTES, Section.FORMAT} <= found.keys()
    assert Section.ACTIONS not in found


def test_a_reply_is_read_with_its_verdict_on_the_action_before() -> None:
    known = ReplyContext(size=examples.SIZE)
    decision = NativeAgent.read(parse(NativeReply, json.dumps(JUDGED)), known, dialect_named("qwen3-vl"))
    assert decision.action == Tap(x=540, y=1200)
    assert decision.verdict is not None
    assert (decision.verdict.outcome, decision.verdict.progress) == (Outcome.A, "The list is open.")
    assert (decision.verdict.notes, decision.verdict.subgoal_reached) == ("", False)
    first = NativeAgent.read(parse(NativeFirstReply, json.dumps(FIRST)), known, dialect_named("qwen3-vl"))
    assert first.verdict is not None
    assert first.verdict.outcome is None


@pytest.mark.parametrize("outcome", ["", "D", "A or B", None])
def test_a_reply_without_a_clear_verdict_is_refused(outcome: str | None) -> None:
    with pytest.raises(ReplyUnusable):
        parse(NativeReply, json.dumps({**JUDGED, "outcome": outcome}))


async def test_success_on_a_screen_that_did_not_change_is_asked_about_once_more() -> None:
    unchanged = "Nothing on the screen changed."
    second = {**JUDGED, "outcome": "C", "progress": ""}
    async with serving(ModelServer(Say(json.dumps(JUDGED)), Say(json.dumps(second)))) as server:
        agent = NativeAgent(RoleSettings(model=settings_for(server), templates=PACKAGE, replies=(NativeReply,)))
        await agent.start()
        try:
            request = chat(2).model_copy(update={"unchanged": unchanged})
            answered = await agent.answer(request, context(), *images(request))
        finally:
            await agent.stop()
    assert answered.value.verdict is not None
    assert answered.value.verdict.outcome is Outcome.C
    assert len(answered.calls) == 2
    assert f"the outcome cannot be A. {unchanged}" in json.dumps(answered.calls[1].request)


async def test_the_effective_reply_is_the_one_in_the_chat() -> None:
    """A verdict that cannot be is no fault of the server; a reply that cannot be read is."""
    first = json.dumps(JUDGED)
    async with serving(ModelServer(Say(first), Say("I am sorry, I cannot do that."))) as server:
        agent = NativeAgent(RoleSettings(model=settings_for(server), templates=PACKAGE, replies=(NativeReply,)))
        await agent.start()
        try:
            request = chat(2).model_copy(update={"unchanged": "Nothing on the screen changed."})
            answered = await agent.answer(request, context(), *images(request))
            (counts,) = await agent.counts()
        finally:
            await agent.stop()
    assert answered.value.action == Tap(x=540, y=1200)
    assert [call.unused for call in answered.calls] == [False, True]
    span = Span(start=1.0, end=2.0)
    state = fold(EpisodeState(), ActionDecided(step=1, span=span, decision=answered.value, calls=answered.calls))
    assert state.step(1).replies == {"decide": first}
    assert state.step(1).asked == answered.calls[0]
    assert [(one.repairs, one.errors) for one in counts.calls] == [(1, {"reply_unusable": 1})]


async def test_a_wrong_verdict_does_not_count_against_the_server() -> None:
    async with serving(ModelServer(*(Say(json.dumps(JUDGED)) for _ in range(2)))) as server:
        agent = NativeAgent(RoleSettings(model=settings_for(server), templates=PACKAGE, replies=(NativeReply,)))
        await agent.start()
        try:
            request = chat(2).model_copy(update={"unchanged": "Nothing on the screen changed."})
            for _ in range(3):
                answered = await agent.answer(request, context(), *images(request))
            (counts,) = await agent.counts()
        finally:
            await agent.stop()
    assert [call.unused for call in answered.calls] == [True, False]
    assert [(one.repairs, one.errors) for one in counts.calls] == [(3, {})]
    assert [one.state for one in counts.servers] == ["up"]


@pytest.mark.parametrize("dialect", ["gui-owl-1.5", "mai-ui", "qwen3-vl"])
@pytest.mark.parametrize("last", [2, 4])
def test_what_a_person_did_is_told_by_its_name(dialect: str, last: int) -> None:
    """With the pictures of all steps, and where they are left out."""
    prompts = Prompts(dialect_named(dialect), "native", PACKAGE, PROFILE.replies(EpisodeSettings(profile="native")))
    state, span, tap = EpisodeState(), Span(start=1.0, end=2.0), Tap(x=540, y=1200)
    for step in range(last + 1):
        state = fold(state, ScreenCaptured(step=step, span=span, screenshot=examples.shot(picture(step))))
        if step in (1, 3):
            state = fold(state, ActionSent(at=1.0, step=step, key=f"k{step}", action=tap, by="ann", request=f"r{step}"))
        elif step < last:
            chosen = Decision(thought="", action=Home(), expectation="The home screen shows.")
            state = fold(state, ActionDecided(step=step, span=span, decision=chosen))
    steps = steps_of(state, last, EpisodeSettings(profile="native"))
    request = ActRequest(brief=examples.brief(), steps=steps, first=first_shown(last, 4))
    told = str(messages_of(NativeAgent.prompt(prompts, request, images(request))))
    x, y = to_model(prompts.dialect, 540, 1200, examples.SIZE)
    assert "could not be read" not in told
    assert f'A person did this on the phone, not you. It was {{"name": "Tap", "x": {x}, "y": {y}}}' in told


@pytest.mark.parametrize("dialect", ["gui-owl-1.5", "mai-ui", "qwen3-vl", "ui-tars-1.5"])
@pytest.mark.parametrize("last", [2, 3, 4])
def test_what_the_phone_refused_a_person_is_no_answer_of_the_agent(dialect: str, last: int) -> None:
    prompts = Prompts(dialect_named(dialect), "native", PACKAGE, PROFILE.replies(EpisodeSettings(profile="native")))
    state, span = EpisodeState(), Span(start=1.0, end=2.0)
    for step in range(last + 1):
        state = fold(state, ScreenCaptured(step=step, span=span, screenshot=examples.shot(picture(step))))
        if step == 0:
            chosen = Decision(thought="", action=Home(), expectation="The home screen shows.")
            state = fold(state, ActionDecided(step=step, span=span, decision=chosen))
            state = fold(state, Acted(step=step, span=span))
        elif step < last:
            sent = ActionSent(at=1.0, step=step, key=f"k{step}", action=Tap(x=1, y=2), by="ann", request=f"r{step}")
            refused = Receipt(key=sent.key, status="refused", detail="locked", sent_at=1.0, ms=1)
            state = fold(fold(state, sent), ActionReceived(step=step, receipt=refused))
    steps = steps_of(state, last, EpisodeSettings(profile="native"))
    assert not any(one.asks_verdict for one in steps)
    request = ActRequest(brief=examples.brief(), steps=steps, first=first_shown(last, 4))
    told = str(messages_of(NativeAgent.prompt(prompts, request, images(request))))
    assert "could not be read" not in told
    assert told.count("A person tried to act on the phone, and the phone refused it") == last - 1
    assert "A person did this" not in told
