"""locate(t): the place of the text or the icon that the operation names (section 2.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from manyhands.actors.episode.locating import not_there, query_of
from manyhands.actors.episode.stage_context import StageContext, Timed
from manyhands.actors.profiles.v1.requests import Choice, ChoiceRequest
from manyhands.protocol.actions import ClickIcon, ClickText
from manyhands.protocol.errors import CallError, PerceptionError
from manyhands.protocol.locating import Found, Located, LocateQuery
from manyhands.protocol.messages import Answered
from manyhands.protocol.records import Record, StageResult
from manyhands.protocol.v1 import MOST_PLACES


async def locate(context: StageContext) -> tuple[Record, ...]:
    """Return where to tap and by what it was found, or why nowhere; nothing for other operations.

    Raises PerceptionError, ModelError, CallError.
    """
    decision = context.state.step(context.step).decision
    action = decision.action if decision is not None else None
    if not isinstance(action, ClickText | ClickIcon):
        return ()
    query = query_of(action)
    began = context.episode.clock.now()
    located = await _located(context, query)
    chosen: Timed[Answered[Choice]] | None = None
    if query.kind == "text" and 2 <= len(located.matches) <= MOST_PLACES:
        chosen = await _chosen(context, query.words, located.matches)
    answered = None if chosen is None else chosen.value
    data = _result(query, located.matches, None if answered is None else answered.value.number)
    return (
        StageResult(
            step=context.step,
            span=context.span(began, 0.0 if answered is None else answered.queue_ms),
            stage=context.stage,
            data=data,
            calls=() if answered is None else answered.calls,
        ),
    )


async def _located(context: StageContext, query: LocateQuery) -> Located:
    episode, step = context.episode, context.step
    screenshot = context.state.step(step).screenshot
    assert screenshot is not None
    locator, frame = episode.collaborators.finder(), episode.picture(step).frame
    try:
        timed = await context.call(lambda call: locator.locate(screenshot, frame, query, call))
    except CallError as error:  # the model has not been asked yet
        raise PerceptionError(f"finding {query.words!r}: {error}") from error
    return timed.value


async def _chosen(context: StageContext, words: str, matches: Sequence[Found]) -> Timed[Answered[Choice]]:
    """Ask which place is meant, in the order in which they stand on the screen."""
    at = context.state.step(context.step)
    assert at.screenshot is not None
    request = ChoiceRequest(
        brief=context.episode.brief,
        screenshot=at.screenshot,
        answer=at.replies.get("decide", ""),
        words=words,
        places=tuple(match.element for match in _in_order(matches)),
    )
    return await context.ask(request, context.episode.image(context.step))


def _in_order(matches: Sequence[Found]) -> list[Found]:
    return sorted(matches, key=lambda match: (match.element.box.y1, match.element.box.x1))


def _result(query: LocateQuery, matches: Sequence[Found], choice: int | None) -> dict[str, Any]:
    """Return what was found, and which of it is tapped; a ``problem`` where nothing is."""
    found: dict[str, Any] = {"kind": query.kind, "words": query.words, "found": len(matches)}
    if query.kind == "text" and len(matches) > MOST_PLACES:
        return {**found, "problem": f"the text {query.words!r} stands on the screen {len(matches)} times: too often"}
    if not matches:
        return {**found, "problem": not_there(query)}
    match = matches[0] if choice is None else _in_order(matches)[choice - 1]
    x, y = match.element.centre
    place = {"x": x, "y": y, "ways": list(match.ways), "score": round(match.score, 3)}
    return {**found, **place, "box": match.element.box.model_dump(), "choice": choice}
