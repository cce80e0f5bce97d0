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
from manyhands.actors.episode.uses import last_use
from manyhands.protocol.actions import RunShortcut
from manyhands.protocol.errors import CallError, ManyhandsError, StoreError
from manyhands.protocol.lessons import Permission, PermittedBy
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
    no = await _kept_back(context, offered)
    if no is not None:
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
        said = await _kept_back(context, offered) or said
    return (_found(context, timed.span(answered.queue_ms), said, answered.calls),)


async def _kept_back(context: StageContext, offered: Offered) -> Permission | None:
    """Return a no where the shortcut is put aside, or may be: the keeper does not answer, and it has not worked yet."""
    episode, memory = context.episode, context.episode.collaborators.memory
    if memory is None:
        return None
    clock = episode.clock
    try:
        async with until(clock, clock.now() + KEEPER_S, "asking the memory"):
            aside = (await memory.put_aside((offered.id,))).get(offered.id)
    except (CallError, StoreError) as error:
        logger.warning(
            "%s: the memory does not say whether %s is put aside: %s", episode.order.episode, offered.id, error
        )
        return _no(offered, "nobody", _unsure(context, offered))
    return _no(offered, "put_aside", aside)


def _no(offered: Offered, by: PermittedBy, why: str | None) -> Permission | None:
    return None if why is None else Permission(shortcut=offered.id, permitted=False, by=by, reason=why)


def _unsure(context: StageContext, offered: Offered) -> str | None:
    """Return why a shortcut of which the keeper says nothing is not used; None for one that has worked."""
    last = last_use(context.state, offered.shortcut.name, context.step)
    if last is None:
        return None if offered.seen_on.texts else "the memory does not answer, and nobody knows of a use that worked"
    step, outcome = last
    return None if outcome == "worked" else f"the memory does not answer, and the use in step {step} went wrong"


def _found(context: StageContext, span: Span, said: Permission, calls: Sequence[ModelCall] = ()) -> StageResult:
    data = said.model_dump(mode="json")
    return StageResult(step=context.step, span=span, stage=context.stage, data=data, calls=tuple(calls))
