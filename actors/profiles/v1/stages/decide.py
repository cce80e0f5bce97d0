"""decide(t): the next operation, by the chat so far (section 2.2, Self-Planning)."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.profiles.v1.chat import chat_of
from manyhands.actors.profiles.v1.requests import ChatStep, OperateRequest
from manyhands.actors.seams import Handle
from manyhands.protocol.records import Decided, Record


async def decide(context: StageContext) -> tuple[Record, ...]:
    """Return a(t) from the system text and all screens and answers up to s(t). Raises ModelError, CallError."""
    request = OperateRequest(
        brief=context.episode.brief, chat=chat_of(context.state, context.step, context.episode.settings)
    )
    timed = await context.ask(request, *images_of(context, request.chat))
    answered = timed.value
    span = timed.span(answered.queue_ms)
    return (Decided(step=context.step, span=span, decision=answered.value, calls=answered.calls),)


def images_of(context: StageContext, chat: Sequence[ChatStep]) -> list[Handle]:
    """Return the pictures of the steps that the chat shows."""
    return [context.episode.image(number) for number, step in enumerate(chat) if step.shown]
