"""Mobile-Agent and Mobile-Agent-v2 on a real engine: every type of reply, and what their conversations find cached."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeVar

import jsonschema
import pytest

from manyhands.actors.episode.profile import Profile
from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import parse
from manyhands.actors.profiles.v1 import PROFILE as V1
from manyhands.actors.profiles.v1.agent import ChatAgent, reply_to
from manyhands.actors.profiles.v1.requests import (
    ChatStep,
    ChoiceRequest,
    CompletionRequest,
    OperateRequest,
    first_shown,
    most_pictures,
)
from manyhands.actors.profiles.v2 import PROFILE as V2
from manyhands.actors.profiles.v2.agents import DecisionAgent, MemoryUnit, PlanningAgent, ReflectionAgent
from manyhands.actors.profiles.v2.requests import (
    FocusRequest,
    Operation,
    OperationRequest,
    ProgressRequest,
    VerdictRequest,
)
from manyhands.actors.roles import RoleSettings, StepRole
from manyhands.protocol.base import Reply
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.messages import Answered, ModelCall, Usage
from manyhands.protocol.profiles.v2 import FocusReply, LetterReply, ProgressReply
from manyhands.protocol.roles.requests import Brief
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.screens.actions import Tap
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element, Keyboard
from tests.vllm.asking import settings, started, within
from tests.vllm.screens import Shown, noise
from tests.vllm.server import VllmServer

Screens = tuple[Shown, ...]
A = TypeVar("A", bound=StepRole[Any, Any, Any])

BRIEF = Brief(
    goal="Read the newest message of Anna and write the time that she names into a note, with her name above it.",
    hints="",
    tips=(),
    shortcuts=(),
)
OPERATED = (
    '{"observation":"The screen shows the list of conversations, and the one with Anna is at the top, %d messages '
    'are unread. My last operation has opened the app as I expected, and no pop-up is in the way.","thought":"Her '
    'newest message names the time, so the conversation has to be opened next.","action":{"name":"Click_Text",'
    '"text":"Anna %d"}}'
)
"""As long as the rehearsed model's. Those of the tiny model have any length, and that would be measured instead."""
PAST = tuple(
    Operation(
        step=step,
        thought=f"The part number {step} of the instruction is done by now, the next one needs the list.",
        action=Tap(x=300 + step, y=900),
        expectation="Opens the list, whose newest entry should then be at the top.",
    )
    for step in range(3)
)
FOCUS = "Anna: tomorrow at 15:40\nShop: 23.50 for the large one"


def agent_of(kind: type[A], profile: Profile, server: VllmServer, **episode: Any) -> A:
    """A profile's agent, as a fleet makes it."""
    replies = profile.replies(EpisodeSettings(profile=profile.name, **episode))
    return kind(RoleSettings(model=settings(server), templates=profile.package, replies=replies))


async def calls_of(agent: StepRole[Any, Any, Any], request: Any, *images: ModelImage) -> tuple[ModelCall, ...]:
    """The calls of a question. A reply of the right type may still mean nothing, such as a place off the screen."""
    try:
        answered: Answered[Any] = await agent.answer(request, within(), *images)
        return answered.calls
    except ReplyUnusable as error:
        return error.calls


def typed(call: ModelCall, expected: type[Reply]) -> None:
    """The reply is what the schema that was sent asks for, and is read as the type that was asked for."""
    assert call.reply is not None
    form = call.request["response_format"]["json_schema"]
    assert form["name"] == call.reply_type == expected.__name__
    jsonschema.validate(json.loads(call.reply), form["schema"])
    assert parse(expected, call.reply).model_dump(mode="json", exclude_unset=True)
    assert call.usage.output_tokens > 0


# ---------------------------------------------------------------------------- replies of v1
def chat_at(step: int, screens: Mapping[int, Shown], most: int | None) -> tuple[ChatStep, ...]:
    """The chat of an episode at ``step``, its oldest pictures left out as the profile has it."""
    first = first_shown(step, most)
    return tuple(
        ChatStep(
            screenshot=screens[number].screenshot,
            shown=number >= first,
            answer=OPERATED % (number, number) if number < step else "",
        )
        for number in range(step + 1)
    )


async def test_replies_of_mobile_agent(qwen3: VllmServer, shown: Screens) -> None:
    """The operation, the question after Stop, and the choice among two to four places."""
    screens = dict(enumerate(shown))
    chat = chat_at(len(shown) - 1, screens, 4)
    asked: list[OperateRequest | CompletionRequest | ChoiceRequest] = [
        *(OperateRequest(brief=BRIEF, chat=chat[: step + 1]) for step in screens),
        CompletionRequest(brief=BRIEF, chat=(*chat[:-1], chat[-1].model_copy(update={"answer": OPERATED % (9, 9)}))),
        *(choice(shown[0], count) for count in (2, 3, 4)),
    ]
    async with started(agent_of(ChatAgent, V1, qwen3)) as agent:
        for request in asked:
            images = [one.image for one in shown if one.screenshot in request.screenshots]
            for call in await calls_of(agent, request, *images):
                typed(call, reply_to(request))


def choice(now: Shown, count: int) -> ChoiceRequest:
    places = tuple(
        Element(kind="text", box=Box(x1=90, y1=500 * row, x2=400, y2=500 * row + 60), content="Anna", confidence=1)
        for row in range(1, count + 1)
    )
    return ChoiceRequest(brief=BRIEF, screenshot=now.screenshot, answer=OPERATED % (1, 1), words="Anna", places=places)


# ---------------------------------------------------------------------------- replies of v2
def operation_of(now: Shown, keyboard: Keyboard = "shown") -> OperationRequest:
    return OperationRequest(
        brief=BRIEF,
        screenshot=now.screenshot,
        screen=now.screen.model_copy(update={"keyboard": keyboard}),
        progress="The messages were opened, and the conversation with Anna is the newest one.",
        focus=FOCUS,
        operations=PAST,
        tried=(),
        restored=None,
    )


def focus_of(now: Shown, decided: ModelCall) -> FocusRequest:
    assert decided.reply is not None
    return FocusRequest(
        brief=BRIEF,
        screenshot=now.screenshot,
        conversation=tuple(decided.request["messages"]),
        decided=decided.reply,
    )


@pytest.mark.parametrize("like_e", [False, True])
@pytest.mark.parametrize("paper_exact", [False, True])
async def test_operations_of_mobile_agent_v2(
    qwen3: VllmServer, shown: Screens, like_e: bool, paper_exact: bool
) -> None:
    """Its own operations and those of E, with and without a keyboard, ours and the paper's; then what is remembered."""
    episode = {"like_e": like_e, "paper_exact": paper_exact}
    kinds = V2.agents(EpisodeSettings(profile="v2", like_e=like_e, paper_exact=paper_exact))
    (decides,) = (kind for kind in kinds if issubclass(kind, DecisionAgent))
    keyboards: tuple[Keyboard, ...] = ("shown", "hidden")
    async with (
        started(agent_of(decides, V2, qwen3, **episode)) as decision,
        started(agent_of(MemoryUnit, V2, qwen3, **episode)) as memory,
    ):
        for now, keyboard in zip(shown, keyboards, strict=False):
            request = operation_of(now, keyboard)
            calls = await calls_of(decision, request, now.image)
            for call in calls:
                typed(call, decides.asked(request))
            for call in await calls_of(memory, focus_of(now, calls[-1]), now.image):
                typed(call, FocusReply)


async def test_progress_and_verdicts_of_mobile_agent_v2(qwen3: VllmServer, shown: Screens) -> None:
    before, after = shown[:2]
    async with started(agent_of(PlanningAgent, V2, qwen3)) as planning:
        for previous in ("", "The messages were opened."):
            progress = ProgressRequest(
                brief=BRIEF, now=before.screenshot, operations=PAST, previous=previous, focus=FOCUS
            )
            for call in await calls_of(planning, progress):
                typed(call, ProgressReply)
    verdict = VerdictRequest(
        brief=BRIEF,
        operation=PAST[-1],
        focus=FOCUS,
        before=before.screenshot,
        after=after.screenshot,
        screen_before=before.screen,
        screen_after=after.screen,
    )
    async with started(agent_of(ReflectionAgent, V2, qwen3)) as reflection:
        for call in await calls_of(reflection, verdict, before.image, after.image):
            typed(call, LetterReply)


# ---------------------------------------------------------------------------- what is cached
LEAST_OF_MEMORY = 0.85
MOST_LATER = 1.3


def fresh(seed: int, like: Shown) -> Shown:
    """A screen whose picture no server has seen, of nearly the same size."""
    size = like.screenshot.size
    image = noise(seed, size.width // 28 * 28, size.height // 28 * 28)
    return Shown(like.screenshot.model_copy(update={"content_id": image.content_id}), like.screen, image)


def uncached(usage: Usage) -> int:
    return usage.input_tokens - usage.cached_tokens


async def test_the_memory_turn_finds_the_decision_cached(qwen3: VllmServer, shown: Screens) -> None:
    """It is a second turn of the decision's conversation: only the answer and the question are new."""
    async with (
        started(agent_of(DecisionAgent, V2, qwen3)) as decision,
        started(agent_of(MemoryUnit, V2, qwen3)) as memory,
    ):
        for seed, like in enumerate(shown, start=9100):
            now = fresh(seed, like)
            decided = (await calls_of(decision, operation_of(now), now.image))[0]
            asked = (await calls_of(memory, focus_of(now, decided), now.image))[0]
            print(f"memory turn: {asked.usage}, decision: {decided.usage}")  # noqa: T201
            assert decided.usage.cached_tokens < decided.usage.input_tokens / 2
            assert asked.usage.input_tokens > decided.usage.input_tokens
            assert asked.usage.cached_tokens >= LEAST_OF_MEMORY * asked.usage.input_tokens


async def test_the_chat_of_mobile_agent_costs_no_more_as_it_grows(qwen3: VllmServer, shown: Screens) -> None:
    """Pictures leave in blocks: between two such steps the chat is only added to, and what is new stays as long."""
    screens = {number: fresh(9200 + number, shown[0]) for number in range(21)}
    most = most_pictures(EpisodeSettings(profile="v1"))
    costs: dict[int, int] = {}
    async with started(agent_of(ChatAgent, V1, qwen3)) as agent:
        for step in (3, 4, 5, 18, 19, 20):  # the first of three puts into the cache what the others add to
            request = OperateRequest(brief=BRIEF, chat=chat_at(step, screens, most))
            images = [one.image for one in screens.values() if one.screenshot in request.screenshots]
            call = (await calls_of(agent, request, *images))[0]
            assert call.role is Role.DECIDE
            print(f"chat at step {step}: {call.usage}, not cached {uncached(call.usage)}")  # noqa: T201
            costs[step] = uncached(call.usage)
    # Counted from 0 and from 1: right after pictures have left, and one step later.
    assert costs[20] <= MOST_LATER * costs[5]
    assert costs[19] <= MOST_LATER * costs[4]
