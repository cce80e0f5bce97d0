"""Run the stages of v1's step: decide(t), confirm(t), locate(t), and convert an operation into atoms for act(t)."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.actors.episode.stage_context import StageContext, Timed
from manyhands.actors.episode.stages.atomic_actions import (
    ActionUnusable,
    check_points,
    not_there,
    query_of,
    tap_above_label,
    with_enter,
)
from manyhands.actors.episode.state import StepState
from manyhands.actors.frames import ModelImage
from manyhands.actors.interfaces import Ref
from manyhands.actors.profiles.v1.requests import (
    ChatStep,
    Choice,
    ChoiceRequest,
    CompletionRequest,
    FoundPlace,
    MissingPlace,
    OperateRequest,
    chat_of,
)
from manyhands.protocol.errors import CallError, PerceptionError
from manyhands.protocol.journals.records import ActionDecided, Record
from manyhands.protocol.messages import Answered
from manyhands.protocol.profiles.v1 import MOST_PLACES
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
from manyhands.protocol.screens.location import Located, LocateQuery, Match


async def decide(context: StageContext) -> tuple[Record, ...]:
    """Return a(t), from the system text and all screens and answers up to s(t). Raises ModelError, CallError."""
    request = OperateRequest(brief=context.brief, chat=chat_of(context.state, context.step, context.runtime.settings))
    timed = await context.ask(request, *images_of(context, request.chat))
    answered = timed.value
    span = timed.span(answered.queue_ms)
    return (ActionDecided(step=context.step, span=span, decision=answered.value, calls=answered.calls),)


def images_of(context: StageContext, chat: Sequence[ChatStep]) -> list[Ref[ModelImage]]:
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
    timed = await context.ask(request, *images_of(context, request.chat))
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
