"""Declare Mobile-Agent's loop (section 2.2): look, ask the one agent, find the place, act.

``t`` counts steps from 0. s(t) is the screenshot before operation a(t). The stages of a step are decide(t), confirm(t),
locate(t), and the conversion of an operation into atoms for act(t).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from manyhands.actors.episode.endings import End, Failures, limit_reached
from manyhands.actors.episode.profile import Profile, Stage
from manyhands.actors.episode.schedule import GraphStop, Node, StageNeed
from manyhands.actors.episode.stage_context import StageContext, Timed
from manyhands.actors.episode.stages import ACT_STAGE, PERCEIVE_STAGE, capture_stage
from manyhands.actors.episode.stages.act import act
from manyhands.actors.episode.stages.atomic_actions import (
    ActionUnusable,
    check_points,
    not_there,
    query_of,
    tap_above_label,
    with_enter,
)
from manyhands.actors.episode.state import EpisodeState, StepState
from manyhands.actors.frames import ModelImage
from manyhands.actors.interfaces import Ref
from manyhands.actors.profiles.v1.agent import ChatAgent
from manyhands.actors.profiles.v1.requests import (
    ChatStep,
    Choice,
    ChoiceRequest,
    CompletionAnswer,
    CompletionRequest,
    FoundPlace,
    MissingPlace,
    OperateRequest,
    chat_of,
    most_pictures,
)
from manyhands.actors.roles import StepRole
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import CallError, PerceptionError, ReplyUnusable
from manyhands.protocol.journals.records import Acted, ActionDecided, Record, ScreenCaptured
from manyhands.protocol.messages import Answered
from manyhands.protocol.profiles.v1 import DECLARATION, MOST_PLACES
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.runs.results import EpisodeOrder
from manyhands.protocol.screens.actions import (
    AtomicAction,
    Back,
    ClickIcon,
    ClickText,
    Exit,
    Home,
    OpenApp,
    PageDown,
    PageUp,
    Stop,
    Swipe,
    Tap,
    Type,
)
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Located, LocateQuery, Match

ASKING_S = 180.0
"""How long the agent may take to answer, in seconds."""


async def decide(context: StageContext) -> tuple[Record, ...]:
    """Return a(t), from the system text and all screens and answers up to s(t). Raises ModelError, CallError."""
    request = OperateRequest(brief=context.brief, chat=chat_of(context.state, context.step, context.runtime.settings))
    timed = await context.ask(request, *_images_of(context, request.chat))
    answered = timed.value
    span = timed.span(answered.queue_ms)
    return (ActionDecided(step=context.step, span=span, decision=answered.value, calls=answered.calls),)


def _images_of(context: StageContext, chat: Sequence[ChatStep]) -> list[Ref[ModelImage]]:
    """Return the pictures of the steps whose pictures the chat shows."""
    return [context.runtime.image(number) for number, step in enumerate(chat) if step.shown]


async def confirm(context: StageContext) -> tuple[Record, ...]:
    """Return whether the task is complete, if the agent has chosen Stop. Return nothing otherwise.

    Raises ModelError, CallError.
    """
    state, step = context.state, context.step
    decision = state.step(step).decision
    if decision is None or not isinstance(decision.action, Stop):
        return ()
    request = CompletionRequest(brief=context.brief, chat=chat_of(state, step, context.runtime.settings))
    timed = await context.ask(request, *_images_of(context, request.chat))
    answered = timed.value
    return (context.result(answered.value, timed.span(answered.queue_ms), answered.calls),)


async def locate(context: StageContext) -> tuple[Record, ...]:
    """Return where to tap and how the place was found, or why there is no place.

    Return nothing for an operation without a target in words. Raises PerceptionError, ModelError, CallError.
    """
    decision = context.state.step(context.step).decision
    action = decision.action if decision is not None else None
    if not isinstance(action, ClickText | ClickIcon):
        return ()
    query = query_of(action)
    began = context.runtime.clock.now()
    located = await _located(context, query)
    choice: Timed[Answered[Choice]] | None = None
    if query.kind == "text" and 2 <= len(located.matches) <= MOST_PLACES:
        choice = await _ask_choice(context, query.words, located.matches)
    answered = None if choice is None else choice.value
    place = _place(query, located.matches, None if answered is None else answered.value.number)
    span = context.span(began, 0.0 if answered is None else answered.queue_ms)
    return (context.result(place, span, () if answered is None else answered.calls),)


async def _located(context: StageContext, query: LocateQuery) -> Located:
    runtime, step = context.runtime, context.step
    screenshot = context.state.step(step).screenshot
    assert screenshot is not None
    locator, frame = runtime.collaborators.finder(), runtime.picture(step).frame
    try:
        timed = await context.call(lambda call: locator.locate(screenshot, frame, query, call))
    except CallError as error:  # the model has not been asked yet
        raise PerceptionError(f"finding {query.words!r}: {error}") from error
    return timed.value


async def _ask_choice(context: StageContext, words: str, matches: Sequence[Match]) -> Timed[Answered[Choice]]:
    """Ask the agent which place is meant, The places are numbered in their order on the screen."""
    at = context.state.step(context.step)
    assert at.screenshot is not None
    request = ChoiceRequest(
        brief=context.brief,
        screenshot=at.screenshot,
        answer=at.replies.get("decide", ""),
        words=words,
        places=tuple(match.element for match in _in_order(matches)),
    )
    return await context.ask(request, context.runtime.image(context.step))


def _in_order(matches: Sequence[Match]) -> list[Match]:
    return sorted(matches, key=lambda match: (match.element.box.y1, match.element.box.x1))


def _place(query: LocateQuery, matches: Sequence[Match], choice: int | None) -> FoundPlace | MissingPlace:
    """Return which of the places to tap, or why none can be tapped."""
    kind, words, count = query.kind, query.words, len(matches)
    if kind == "text" and count > MOST_PLACES:
        problem = f"the text {words!r} stands on the screen {count} times: too often"
        return MissingPlace(kind=kind, words=words, found=count, problem=problem)
    if not matches:
        return MissingPlace(kind=kind, words=words, found=count, problem=not_there(query))
    match = matches[0] if choice is None else _in_order(matches)[choice - 1]
    x, y = match.element.centre
    return FoundPlace(
        kind=kind,
        words=words,
        found=count,
        x=x,
        y=y,
        ways=match.ways,
        score=round(match.score, 3),
        box=match.element.box,
        choice=choice,
    )


NEAR, FAR = 0.25, 0.75
"""Where a drag over a page begins and ends, as shares of the screen's height."""


def operation_atoms(context: StageContext) -> tuple[AtomicAction, ...]:
    """Return the atoms of the decided operation. Raises ActionUnusable with the message for the agent.

    With ``paper_exact`` an app is opened by a tap above its label, which must be on the screen.
    """
    at = context.state.step(context.step)
    atoms = _operation_atoms(at, context.runtime.settings.paper_exact)
    check_points(atoms, at.visible_screen.size)
    return atoms


def _operation_atoms(at: StepState, paper_exact: bool) -> tuple[AtomicAction, ...]:
    assert at.decision is not None
    action, size = at.decision.action, at.visible_screen.size
    match action:
        case ClickText() | ClickIcon():
            return (_tap(at),)
        case PageDown():
            return (_drag(size, FAR, NEAR),)
        case PageUp():
            return (_drag(size, NEAR, FAR),)
        case Exit():
            return (Home(),)
        case Type():
            return with_enter(action)
        case OpenApp(app=app) if paper_exact:
            return (tap_above_label(app, at.visible_screen),)
        case OpenApp() | Back() | Stop():
            return (action,)
        case _:
            raise ActionUnusable(f"Mobile-Agent has no operation {_name(action)}")


def _tap(at: StepState) -> Tap:
    missing, place = at.result("locate", MissingPlace), at.result("locate", FoundPlace)
    if missing is not None:
        raise ActionUnusable(missing.problem)
    if place is None:
        raise ActionUnusable(at.failures.get("locate", "nobody has looked for it on the screen"))
    return Tap(x=place.x, y=place.y)


def _drag(size: Size, begin: float, end: float) -> Swipe:
    x = size.width // 2
    return Swipe(x1=x, y1=round(size.height * begin), x2=x, y2=round(size.height * end))


def _name(action: object) -> str:
    return str(getattr(action, "name", action))


def agents(settings: EpisodeSettings) -> tuple[type[StepRole[Any, Any, Any]], ...]:
    """Return the one agent of this loop."""
    return (ChatAgent,)


def stages(settings: EpisodeSettings) -> tuple[Stage, ...]:
    """Return the stages of v1's step.

    - decide(t): a(t) from the system text, s(0) to s(t) and all earlier answers (Self-Planning).
    - confirm(t): after Stop, whether the task is complete, from the same chat (Self-Reflection).
    - locate(t): the place of a text or an icon on s(t), from P(t). If a few places fit, the agent chooses one
      (section 2.1).
    - act(t): the operation as atoms.
    - capture(t): s(t), once act(t-1) is done.
    - perceive(t): P(t), the texts and icons of s(t). It runs beside decide(t).
    """
    exact: Failures = ((ReplyUnusable, Ending.UNUSABLE_REPLY),) if settings.paper_exact else ((ReplyUnusable, None),)
    unanswered: Failures = ((CallError, Ending.MODEL_FAILED),)
    return (
        Stage("decide", (StageNeed("capture"),), run=decide, deadline_s=ASKING_S, failures=(*exact, *unanswered)),
        Stage(
            "confirm",
            (StageNeed("decide"),),
            run=confirm,
            deadline_s=ASKING_S,
            failures=(*exact, *unanswered),
            leaves=(CompletionAnswer,),
        ),
        Stage(
            "locate",
            (StageNeed("decide"), StageNeed("perceive")),
            run=locate,
            deadline_s=ASKING_S,
            failures=(*exact, *unanswered),
            leaves=(FoundPlace, MissingPlace),
        ),
        replace(
            ACT_STAGE,
            needs=(StageNeed("decide"), StageNeed("confirm"), StageNeed("locate")),
            run=partial(act, atoms=operation_atoms),
        ),
        capture_stage(shows_elements=False),
        PERCEIVE_STAGE,
    )


def stop_after(record: Record, state: EpisodeState, order: EpisodeOrder) -> GraphStop[End] | None:
    """Return whether the episode ends with ``record``, and where. A limit takes effect before the next question."""
    match record:
        case ActionDecided(decision=decision) if order.settings.paper_exact and decision.action is None:
            return GraphStop(End(Ending.UNUSABLE_REPLY, f"agent: {decision.problem}"), Node("decide", record.step))
        case Acted():
            confirmed = state.step(record.step).result("confirm", CompletionAnswer)
            if confirmed is not None and confirmed.complete:
                return GraphStop(End(Ending.FINISHED, f"agent: {confirmed.thought}"), Node("act", record.step))
        case ScreenCaptured() if record.step > 0:
            exact = order.settings.paper_exact
            end = limit_reached(state, record.step - 1, order.task.limits, judged=False, paper_exact=exact)
            return None if end is None else GraphStop(end, Node("decide", record.step))
    return None


PROFILE = Profile(
    declaration=DECLARATION,
    package=__package__,
    agents=agents,
    stages=stages,
    stop_after=stop_after,
    images_kept=most_pictures,
)
