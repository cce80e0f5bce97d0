"""permit(t): whether the step may use the shortcut that it decided for (Mobile-Agent-E, appendix C.1).

This stage runs before anything of the action is sent. First the memory service reports whether the shortcut has been
quarantined since the episode began. Then rules check what the phone reports. If no rule refuses, a role is asked. If
the role permits the use, the memory service is asked once more, because the role took seconds. A step without a
shortcut asks nobody.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from manyhands.actors.clock import time_limit
from manyhands.actors.episode.shortcuts.preconditions import ShortcutContext, find_failed_precondition
from manyhands.actors.episode.shortcuts.use_outcome import last_use
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages.act import decided_atoms
from manyhands.protocol.errors import CallError, ManyhandsError, StoreError
from manyhands.protocol.journals.records import Record
from manyhands.protocol.roles.lessons import Permission, PermittedBy
from manyhands.protocol.roles.memory import OfferedShortcut
from manyhands.protocol.roles.requests import PermitRequest
from manyhands.protocol.screens.actions import RunShortcut

KEEPER_S = 3.0
"""How long a step waits for the memory service. After that it continues without the memory service's answer."""
Asks = Callable[[StageContext, RunShortcut, OfferedShortcut], PermitRequest]
"""Returns what the verifier is asked."""

logger = logging.getLogger(__name__)


def used_shortcut(context: StageContext) -> tuple[RunShortcut, OfferedShortcut] | None:
    """Return the shortcut of the step's decision; None if the decision is another action, or if uses of the
    shortcut are not recorded.
    """
    decision = context.state.step(context.step).decision
    action = None if decision is None else decision.action
    if not isinstance(action, RunShortcut):
        return None
    offered = context.memory.offered(action.shortcut)
    return None if offered is None else (action, offered)


async def permit(context: StageContext, asks: Asks) -> tuple[Record, ...]:
    """Return whether the shortcut may be used.

    Return nothing if the step uses no shortcut, or one that cannot be carried out.
    """
    used, runtime, start = used_shortcut(context), context.runtime, context.runtime.clock.now()
    if used is None:
        return ()
    action, offered = used
    try:
        atoms = decided_atoms(context)
    except ManyhandsError:
        return ()  # the stage ``act`` reports why there are no atoms
    no = await _kept_back(context, offered)
    if no is not None:
        return (context.result(no, context.span(start)),)
    if not runtime.settings.has("preconditions"):
        return ()
    at = context.state.step(context.step)
    assert at.screenshot is not None
    refused = find_failed_precondition(
        ShortcutContext(offered.shortcut, atoms, offered.seen_on, at.screenshot, at.visible_screen)
    )
    if refused is not None:
        no = Permission(shortcut=offered.id, permitted=False, by=refused.by, reason=refused.reason)
        return (context.result(no, context.span(start)),)
    timed = await context.ask(asks(context, action, offered), runtime.picture(context.step).image)
    answered = timed.value
    verdict = answered.value
    permission = Permission(shortcut=offered.id, permitted=verdict.holds, by="model", reason=verdict.reason)
    if verdict.holds:  # another phone may have found the shortcut's fault meanwhile
        permission = await _kept_back(context, offered) or permission
    return (context.result(permission, timed.span(answered.queue_ms), answered.calls),)


async def _kept_back(context: StageContext, offered: OfferedShortcut) -> Permission | None:
    """Return a refusal if the shortcut is quarantined.

    Also return one if the memory service does not answer and the shortcut has not worked yet.
    """
    runtime, memory = context.runtime, context.runtime.collaborators.memory
    if memory is None:
        return None
    clock = runtime.clock
    try:
        async with time_limit(clock, clock.now() + KEEPER_S, "asking the memory"):
            aside = (await memory.put_aside((offered.id,))).get(offered.id)
    except (CallError, StoreError) as error:
        logger.warning(
            "%s: the memory does not say whether %s is put aside: %s", runtime.order.episode, offered.id, error
        )
        return _no(offered, "nobody", _unsure(context, offered))
    return _no(offered, "put_aside", aside)


def _no(offered: OfferedShortcut, by: PermittedBy, why: str | None) -> Permission | None:
    return None if why is None else Permission(shortcut=offered.id, permitted=False, by=by, reason=why)


def _unsure(context: StageContext, offered: OfferedShortcut) -> str | None:
    """Return why a shortcut is not used although the memory service does not answer; None if it has worked before."""
    last = last_use(context.state, offered.shortcut.name, context.step)
    if last is None:
        return None if offered.seen_on.texts else "the memory does not answer, and nobody knows of a use that worked"
    step, outcome = last
    return None if outcome == "worked" else f"the memory does not answer, and the use in step {step} went wrong"
