"""watch(t): tells the keeper how the use of a shortcut went, once by episode and step.

Nobody waits for it but the next use: a shortcut that has failed is put aside by then, on all phones.
"""

from __future__ import annotations

import logging

from manyhands.actors.clock import until
from manyhands.actors.episode.forbidding import PERMIT, permission
from manyhands.actors.episode.preconditions import texts_of
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages.permit import KEEPER_S, used_shortcut
from manyhands.actors.episode.state import StepState
from manyhands.actors.episode.uses import went
from manyhands.protocol.errors import ActorLost, CallError, StoreError
from manyhands.protocol.lessons import Reported, ShortcutUse
from manyhands.protocol.records import Record, StageResult

PAUSE_S = 0.25
"""Before a keeper that is gone is told again."""
MOST_TEXTS, LONGEST_TEXT = 40, 100
"""Texts of a screen that a report holds, and the characters of one: a longer one is a paragraph that comes and goes."""

logger = logging.getLogger(__name__)


async def watch(context: StageContext) -> tuple[Record, ...]:
    """Report how the step's shortcut went; nothing for a step without one. It never fails."""
    use, start = _use(context), context.episode.clock.now()
    if use is None:
        return ()
    data = (await _reported(context, use)).model_dump(mode="json")
    return (StageResult(step=context.step, span=context.span(start), stage=context.stage, data=data),)


def _use(context: StageContext) -> ShortcutUse | None:
    used, at = used_shortcut(context), context.state.step(context.step)
    how = went(at)
    if used is None or how is None or not _counts(at):
        return None
    outcome, reason = how
    texts = texts_of(at.screen) if at.screen is not None and outcome == "worked" else ()
    return ShortcutUse(
        shortcut=used[1].id,
        episode=context.episode.order.episode,
        step=context.step,
        outcome=outcome,
        reason=reason,
        size=None if at.screenshot is None else at.screenshot.size,
        app_version="" if at.screenshot is None else at.screenshot.app_version or "",
        texts=tuple(text for text in texts if len(text) <= LONGEST_TEXT)[:MOST_TEXTS],
    )


def _counts(at: StepState) -> bool:
    """Return whether what was said of the shortcut was said of this use: one that is or may be put aside is none."""
    said = permission(at)
    if said is None:
        return PERMIT not in at.failures
    return said.by not in ("put_aside", "nobody")


async def _reported(context: StageContext, use: ShortcutUse) -> Reported:
    """Tell the keeper, and ask whether a use that went wrong has put the shortcut aside.

    A keeper that is gone is told again as long as a step may wait.
    """
    episode, memory = context.episode, context.episode.collaborators.memory
    if memory is None:
        return Reported(use=use, taken_in=False)
    clock, taken_in = episode.clock, False
    try:
        async with until(clock, clock.now() + KEEPER_S, "telling the memory"):
            while not taken_in:
                try:
                    await memory.used(use)
                    taken_in = True
                except ActorLost:
                    await clock.sleep(PAUSE_S)
            aside = await memory.put_aside((use.shortcut,)) if use.outcome in ("failed", "surprised") else {}
            return Reported(use=use, taken_in=True, put_aside=aside.get(use.shortcut, ""))
    except (CallError, StoreError) as error:
        doing = "does not say whether it puts aside" if taken_in else "was not told of"
        logger.warning("%s: the memory %s the shortcut of step %d: %s", use.episode, doing, use.step, error)
        return Reported(use=use, taken_in=taken_in)
