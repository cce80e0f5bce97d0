"""Add the stages around the use of a shortcut to a loop that decides, acts and judges: permit(t) and watch(t).

permit(t) asks whether the step may use the shortcut that it decided for (Mobile-Agent-E, appendix C.1), before anything
of the action is sent. First the memory service reports whether the shortcut has been quarantined since the episode
began. Then rules check what the phone reports. If no rule refuses, a role is asked. If the role permits the use, the
memory service is asked once more, because the role took seconds. A step without a shortcut asks nobody.

watch(t) reports to the memory service how the use ended, once for each episode and step. Only the next use of a
shortcut waits for this report. By then a shortcut that has failed is quarantined on all phones.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

from manyhands.actors.clock import time_limit
from manyhands.actors.episode.endings import Failures
from manyhands.actors.episode.profile import ACT, CAPTURE, Stage
from manyhands.actors.episode.schedule import StageNeed
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages.act import decided_atoms
from manyhands.actors.episode.stages.shortcut_preconditions import (
    PERMIT,
    ShortcutContext,
    find_failed_precondition,
    last_use,
    outcome_of,
    permission_of,
    texts_of,
)
from manyhands.actors.episode.state import StepState
from manyhands.actors.memory.shortcut_uses import WATCH
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import ActorLost, CallError, ManyhandsError, ReplyUnusable, StoreError
from manyhands.protocol.journals.records import Record
from manyhands.protocol.roles.lessons import Permission, PermittedBy, ShortcutUse, ShortcutUseReport
from manyhands.protocol.roles.memory import OfferedShortcut
from manyhands.protocol.roles.requests import PermitRequest
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.screens.actions import RunShortcut

PERMIT_S = 180.0
"""How long the verifier may take to answer, in seconds: the same time as for every role."""
_UNANSWERED: Failures = ((ReplyUnusable, None), (CallError, Ending.MODEL_FAILED))

PAUSE_S = 0.25
"""The pause before a report is sent again to a lost memory service."""
MOST_TEXTS, LONGEST_TEXT = 40, 100
"""How many texts of a screen a report contains, and how long each may be. Longer texts are left out: they are
paragraphs, which change."""

KEEPER_S = 3.0
"""How long a step waits for the memory service. After that it continues without the memory service's answer."""
Asks = Callable[[StageContext, RunShortcut, OfferedShortcut], PermitRequest]
"""Returns what the verifier is asked."""


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


def with_shortcut_stages(
    stages: Iterable[Stage], settings: EpisodeSettings, asks: Asks, decide: str = "decide", judge: str = "verify"
) -> tuple[Stage, ...]:
    """Return the stages of a loop with two more: one permits a shortcut before its use, one watches the use.

    ``permit`` waits for all that ``act`` waits for of the same step, such as a stage that judges the decision. The
    papers carry out shortcuts without any check. So with ``paper_exact`` the loop stays as it is.
    """
    whole = tuple(stages)
    if settings.paper_exact or not settings.has("shortcuts"):
        return whole
    names = [stage.name for stage in whole]
    judged = (StageNeed(judge),) if judge in names else ()
    turn = next((stage.turn for stage in whole if stage.name == judge), 0)
    of_act = (need for stage in whole if stage.name == ACT for need in stage.needs if not need.offset)
    own = (StageNeed(decide), StageNeed(CAPTURE), StageNeed("perceive"), StageNeed(WATCH, -1))
    before = Stage(
        PERMIT,
        tuple(dict.fromkeys((*own, *of_act))),
        run=partial(permit, asks=asks),
        deadline_s=PERMIT_S,
        failures=_UNANSWERED,
        leaves=(Permission,),
    )
    after = Stage(
        WATCH, (StageNeed(ACT), *judged, StageNeed("perceive")), turn=turn, run=watch, leaves=(ShortcutUseReport,)
    )
    extended: list[Stage] = []
    for stage in whole:
        if stage.name == ACT:
            extended += [before, replace(stage, needs=(*stage.needs, StageNeed(PERMIT)))]
        else:
            extended.append(stage)
        if stage.name == (judge if judged else ACT):
            extended.append(after)
    return tuple(extended)
