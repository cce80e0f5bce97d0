"""permit(t): whether the step may use the shortcut that it decided for (Mobile-Agent-E, appendix C.1).

Nothing has been sent by then. First the keeper tells whether the shortcut was put aside meanwhile, then rules look at
what the phone reports, then a role is asked, and after its yes the keeper once more: an answer takes seconds. A step
without a shortcut asks nobody.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from manyhands.actors.clock import until
from manyhands.actors.episode.preconditions import Situation, refusal
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages.act import decided_atoms
from manyhands.protocol.actions import RunShortcut
from manyhands.protocol.errors import CallError, ManyhandsError, StoreError
from manyhands.protocol.lessons import Permission
from manyhands.protocol.memory import Offered
from manyhands.protocol.messages import ModelCall
from manyhands.protocol.records import Record, Span, StageResult
from manyhands.protocol.roles import PermitRequest

KEEPER_S = 3.0
"""How long a step waits for the keeper. One that says nothing by then costs what it would have said."""
Asks = Callable[[StageContext, RunShortcut, Offered], PermitRequest]
"""Returns what the verifier is asked."""

logger = logging.getLogger(__name__)


def used_shortcut(context: StageContext) -> tuple[RunShortcut, Offered] | None:
    """Return the shortcut of the step's decision; None where it is another action, or nobody keeps its uses."""
    decision = context.state.step(context.step).decision
    action = None if decision is None else decision.action
    if not isinstance(action, RunShortcut):
        return None
    offered = context.episode.memory.offered(action.shortcut)
    return None if offered is None else (action, offered)


async def permit(context: StageContext, asks: Asks) -> tuple[Record, ...]:
    """Return whether the shortcut may be used; nothing for a step that uses none, or none that can be carried out.

    Raises ModelError, CallError.
    """
    used, episode, start = used_shortcut(context), context.episode, context.episode.clock.now()
    if used is None:
        return ()
    action, offered = used
    try:
        atoms = decided_atoms(context)
    except ManyhandsError:
        return ()  # whoever carries it out says why there are none
    aside = await _put_aside(context, offered.id)
    if aside is not None:
        no = Permission(shortcut=offered.id, permitted=False, by="put_aside", reason=aside)
        return (_found(context, context.span(start), no),)
    if not episode.settings.has("preconditions"):
        return ()
    at = context.state.step(context.step)
    assert at.screenshot is not None
    refused = refusal(Situation(offered.shortcut, atoms, offered.seen_on, at.screenshot, at.seen))
    if refused is not None:
        no = Permission(shortcut=offered.id, permitted=False, by=refused.by, reason=refused.reason)
        return (_found(context, context.span(start), no),)
    timed = await context.ask(asks(context, action, offered), episode.picture(context.step).image)
    answered = timed.value
    verdict = answered.value
    said = Permission(shortcut=offered.id, permitted=verdict.holds, by="model", reason=verdict.reason)
    if verdict.holds:  # another phone may have met its fault while the verifier looked
        aside = await _put_aside(context, offered.id)
        if aside is not None:
            said = Permission(shortcut=offered.id, permitted=False, by="put_aside", reason=aside)
    return (_found(context, timed.span(answered.queue_ms), said, answered.calls),)


async def _put_aside(context: StageContext, shortcut: str) -> str | None:
    """Return why a shortcut is put aside; None where it is not, or the keeper does not say."""
    episode, memory = context.episode, context.episode.collaborators.memory
    if memory is None:
        return None
    clock = episode.clock
    try:
        async with until(clock, clock.now() + KEEPER_S, "asking the memory"):
            return (await memory.put_aside((shortcut,))).get(shortcut)
    except (CallError, StoreError) as error:
        logger.warning(
            "%s: the memory does not say whether %s is put aside: %s", episode.order.episode, shortcut, error
        )
        return None


def _found(context: StageContext, span: Span, said: Permission, calls: Sequence[ModelCall] = ()) -> StageResult:
    data = said.model_dump(mode="json")
    return StageResult(step=context.step, span=span, stage=context.stage, data=data, calls=tuple(calls))
