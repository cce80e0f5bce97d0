"""watch(t): report to the memory service how the use of a shortcut ended, once for each episode and step.

Only the next use of a shortcut waits for this report. By then a shortcut that has failed is quarantined on all phones.
"""

from __future__ import annotations

import logging

from manyhands.actors.clock import time_limit
from manyhands.actors.episode.shortcuts.permit import KEEPER_S, used_shortcut
from manyhands.actors.episode.shortcuts.preconditions import texts_of
from manyhands.actors.episode.shortcuts.use_outcome import PERMIT, outcome_of, permission_of
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.state import StepState
from manyhands.protocol.errors import ActorLost, CallError, StoreError
from manyhands.protocol.journals.records import Record
from manyhands.protocol.roles.lessons import ShortcutUse, ShortcutUseReport

PAUSE_S = 0.25
"""The pause before a report is sent again to a lost memory service."""
MOST_TEXTS, LONGEST_TEXT = 40, 100
"""How many texts of a screen a report contains, and how long each may be. Longer texts are left out: they are
paragraphs, which change."""

logger = logging.getLogger(__name__)


async def watch(context: StageContext) -> tuple[Record, ...]:
    """Report how the use of the step's shortcut ended. Return nothing if the step used none. Raises no errors."""
    use, start = _use(context), context.runtime.clock.now()
    if use is None:
        return ()
    report = await _reported(context, use)
    return (context.result(report, context.span(start)),)


def _use(context: StageContext) -> ShortcutUse | None:
    used, at = used_shortcut(context), context.state.step(context.step)
    how = outcome_of(at)
    if used is None or how is None or not _counts(at):
        return None
    outcome, reason = how
    texts = texts_of(at.screen) if at.screen is not None and outcome == "worked" else ()
    return ShortcutUse(
        shortcut=used[1].id,
        episode=context.runtime.order.episode,
        step=context.step,
        outcome=outcome,
        reason=reason,
        size=None if at.screenshot is None else at.screenshot.size,
        app_version="" if at.screenshot is None else at.screenshot.app_version or "",
        texts=tuple(text for text in texts if len(text) <= LONGEST_TEXT)[:MOST_TEXTS],
    )


def _counts(at: StepState) -> bool:
    """Return whether the verdict judges a use of the shortcut.

    A shortcut that was refused because it is, or may be, quarantined was not used.
    """
    permission = permission_of(at)
    if permission is None:
        return PERMIT not in at.failures
    return permission.by not in ("put_aside", "nobody")


async def _reported(context: StageContext, use: ShortcutUse) -> ShortcutUseReport:
    """Report the use to the memory service. If the use failed, ask whether the service has quarantined the shortcut.

    If the memory service is lost, report again until the step's time for waiting is over.
    """
    runtime, memory = context.runtime, context.runtime.collaborators.memory
    if memory is None:
        return ShortcutUseReport(use=use, taken_in=False)
    clock, taken_in = runtime.clock, False
    try:
        async with time_limit(clock, clock.now() + KEEPER_S, "telling the memory"):
            while not taken_in:
                try:
                    await memory.used(use)
                    taken_in = True
                except ActorLost:
                    await clock.sleep(PAUSE_S)
            aside = await memory.put_aside((use.shortcut,)) if use.outcome in ("failed", "surprised") else {}
            return ShortcutUseReport(use=use, taken_in=True, put_aside=aside.get(use.shortcut, ""))
    except (CallError, StoreError) as error:
        doing = "does not say whether it puts aside" if taken_in else "was not told of"
        logger.warning("%s: the memory %s the shortcut of step %d: %s", use.episode, doing, use.step, error)
        return ShortcutUseReport(use=use, taken_in=taken_in)
