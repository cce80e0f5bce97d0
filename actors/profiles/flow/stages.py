"""Run the stages of ``flow``: match(t) compares s(t) with the flow, and decide(t) does what it says, or asks the agent.

The place in the flow is known from the journal alone: it is the last step of the flow that was sent to the phone. So an
episode that was interrupted goes on at the right step, and no step is done twice.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace

from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages.verdicts import rule_verdict
from manyhands.actors.episode.state import EpisodeState, StepState
from manyhands.actors.memory import ShortcutAction
from manyhands.actors.profiles.flow.targets import (
    StepMatch,
    find_dismissal,
    match_step,
    match_target,
    other_version,
    plain,
    shows_text,
    signpost_problem,
)
from manyhands.actors.profiles.native import stages as native
from manyhands.protocol.base import Outcome
from manyhands.protocol.errors import ManyhandsError
from manyhands.protocol.journals.records import ActionDecided, Record, Reflected
from manyhands.protocol.profiles.flow import MATCH, FlowMove
from manyhands.protocol.roles.requests import Decision, Reflection
from manyhands.protocol.screens.actions import Back, Stop, Tap, Wait
from manyhands.protocol.screens.screen import Screen, Screenshot
from manyhands.protocol.tasks.flow import Flow, FlowStep, drag

MOST_WAITS, WAIT_S = 2, 1.5
"""How often, and how long each time, a step waits for a screen that may still be loading."""
MOST_SCROLLS = 8
"""How often the flow scrolls to find a target."""
MOST_DISMISSALS = 2
"""How many requests are closed before one step."""
_log = logging.getLogger(__name__)
CHECK = "flow"
"""The check of a verdict that the flow gives: the screen after the step is the one that the next step needs."""


class FlowDiverged(ManyhandsError):
    """Signal a screen that is not the one of the flow, in a run without an agent."""

    code = "flow_diverged"


# ---------------------------------------------------------------------------- match(t)
async def match(context: StageContext) -> tuple[Record, ...]:
    """Leave what the flow does on s(t). Leave nothing for a task without a flow: the agent does all of it."""
    flow, state, step = context.runtime.task.flow, context.state, context.step
    at = state.step(step)
    if flow is None:
        return ()
    place = FlowPlace.of(state, step)
    if at.unseen or at.screenshot is None:
        move = FlowMove(kind="wait", step=place.next, action=Wait(seconds=WAIT_S), reason="the picture was lost")
    else:
        sources = find_sources(flow, at.visible_screen)
        place = replace(place, sources=place.sources | sources)
        move = choose_move(flow, place, at.screenshot, at.visible_screen, state.unchanged(step))
        version = other_version(flow, at.screenshot)
        version = "" if version in place.versions else version
        if version:
            _log.warning("%s: %s", context.runtime.order.episode, version)
        move = move.model_copy(update={"sources": tuple(sorted(sources)), "other_version": version})
    return (context.result(move, context.span()),)


@dataclass(frozen=True, slots=True)
class FlowPlace:
    """Tell how far an episode has come in its flow."""

    next: int
    """The first step that was not sent."""
    waits: int = 0
    """How often the episode has waited for this step."""
    scrolls: int = 0
    dismissals: int = 0
    is_with_agent: bool = False
    """Whether the agent has acted since the last step of the flow."""
    early: frozenset[int] = frozenset()
    """The later steps that the screen fitted on which the agent took over."""
    sources: frozenset[str] = frozenset()
    """The texts that were shown so far, of those from which steps type."""
    versions: frozenset[str] = frozenset()
    """Which other versions of apps were met so far."""

    @classmethod
    def of(cls, state: EpisodeState, step: int) -> FlowPlace:
        """Return the place before ``step``, from the moves so far."""
        following, counts, is_with_agent = 0, {"wait": 0, "scroll": 0, "dismiss": 0, "refused": 0}, False
        early, sources, versions = frozenset[int](), frozenset[str](), frozenset[str]()
        for number in range(step):
            at = state.step(number)
            move = at.result(MATCH, FlowMove)
            if move is None:
                is_with_agent = is_with_agent or bool(at.person)
                continue
            sources |= set(move.sources)
            versions |= {move.other_version} - {""}
            if move.kind == "step" and not _was_refused(at):
                following, counts, is_with_agent = move.step + 1, dict.fromkeys(counts, 0), False
                early = frozenset()
            elif move.kind == "step":
                counts["refused"] += 1
                is_with_agent = counts["refused"] > 1
            elif move.kind == "agent":
                is_with_agent, early = True, early | set(move.early)
            elif move.kind in counts:
                counts[move.kind] += 1
        waits, scrolls, dismissals = counts["wait"], counts["scroll"], counts["dismiss"]
        return cls(following, waits, scrolls, dismissals, is_with_agent, early, sources, versions)


def _was_refused(at: StepState) -> bool:
    """Return whether the phone certainly received no part of a step's action."""
    return at.acted is not None and at.acted.problem is not None and at.all_refused


def choose_move(flow: Flow, place: FlowPlace, screenshot: Screenshot, screen: Screen, is_unchanged: bool) -> FlowMove:
    """Return what the flow does on a screen.

    The next step is done if the screen is its own. After the agent has acted, that may also be a later step
    (``_find_later``). ``is_unchanged``: whether the last action has changed nothing.
    """
    count = len(flow.steps)
    if place.next >= count:
        return _end(flow, place, screenshot, screen)
    step = flow.steps[place.next]
    unread = [text for text in step.reads if text not in place.sources]
    matching = match_step(flow, place.next, screenshot, screen)
    if unread:
        matching = StepMatch(problem=f'no screen has shown "{unread[0]}", which told what to type')
    if not matching.problem:
        return _do(flow, place.next, screenshot, screen)
    if place.is_with_agent:
        later = _find_later(flow, place, screenshot, screen)
        if later is not None:
            return _do(flow, later, screenshot, screen)
        if not signpost_problem(flow.end, screenshot, screen) and flow.end.shows:
            return FlowMove(kind="agent", step=place.next, reason="the agent says whether all is done")
        return FlowMove(kind="agent", step=place.next, reason=matching.problem)
    if unread:
        return _ask(flow, place, screenshot, screen, matching.problem)
    dismissal = _dismiss(step, place, screenshot, screen, matching.problem)
    if dismissal is not None:
        return dismissal
    can_scroll = matching.is_absent and step.search is not None and place.scrolls < MOST_SCROLLS
    if can_scroll and step.search is not None and not (place.scrolls and is_unchanged):
        swipe = drag(step.search, screenshot.size)
        return FlowMove(kind="scroll", step=place.next, action=swipe, reason=matching.problem)
    if place.waits < MOST_WAITS and not place.scrolls:
        return FlowMove(kind="wait", step=place.next, action=Wait(seconds=WAIT_S), reason=matching.problem)
    return _ask(flow, place, screenshot, screen, matching.problem)


def _ask(flow: Flow, place: FlowPlace, screenshot: Screenshot, screen: Screen, problem: str) -> FlowMove:
    """Return the move that asks the agent. It notes which later steps the screen fits already."""
    early = () if place.is_with_agent else tuple(_steps_here(flow, place.next + 1, screenshot, screen))
    return FlowMove(kind="agent", step=place.next, reason=problem, early=early)


def _steps_here(flow: Flow, first: int, screenshot: Screenshot, screen: Screen) -> Iterator[int]:
    """Yield the steps from ``first`` on that touch something on this screen."""
    for number, step in enumerate(flow.steps[first:], first):
        if step.action.target is not None and not match_step(flow, number, screenshot, screen).problem:
            yield number


def _find_later(flow: Flow, place: FlowPlace, screenshot: Screenshot, screen: Screen) -> int | None:
    """Return the first later step at which the flow can go on after the agent has acted; None if there is none.

    Its screen must not have been there when the agent took over: it would not tell that anything was done since. What
    lies between must be done for certain: a text that it types must be shown, and nothing is left out that turns a
    switch or cannot be undone.
    """
    for number in _steps_here(flow, place.next + 1, screenshot, screen):
        if number not in place.early:
            left_out = flow.steps[place.next : number]
            return number if all(_may_be_done(step, screen) for step in left_out) else None
    return None


def _may_be_done(step: FlowStep, screen: Screen) -> bool:
    """Return whether nothing speaks against that the agent has done a step."""
    target, text = step.action.target, step.action.text
    if step.effects or (target is not None and target.checked is not None):
        return False
    return step.action.name != "Type" or text is None or shows_text(text, screen)


def find_sources(flow: Flow, screen: Screen) -> frozenset[str]:
    """Return the texts on a screen from which steps of the flow type."""
    shown = {plain(element.content) for element in screen.elements}
    return frozenset(text for step in flow.steps for text in step.reads if plain(text) in shown)


def _do(flow: Flow, number: int, screenshot: Screenshot, screen: Screen) -> FlowMove:
    """Return the move that does a step whose screen is shown."""
    step = flow.steps[number]
    point = None if step.action.target is None else match_target(step.action.target, screen).point
    return FlowMove(kind="step", step=number, action=step.action.atom(point, screenshot.size))


def _dismiss(step: FlowStep, place: FlowPlace, screenshot: Screenshot, screen: Screen, problem: str) -> FlowMove | None:
    """Return the move that closes what lies over the page; None if there is nothing that anybody knows.

    Where the page itself is shown, nothing lies over it: what reads like a button's words there is content.
    """
    if place.dismissals >= MOST_DISMISSALS:
        return None
    is_page = bool(step.before.shows) and not signpost_problem(step.before, screenshot, screen)
    button = None if is_page else find_dismissal(screen)
    if button is not None:
        x, y = button.centre
        return FlowMove(kind="dismiss", step=place.next, action=Tap(x=x, y=y), reason=problem)
    if screenshot.keyboard == "shown" and not step.before.keyboard:
        return FlowMove(kind="dismiss", step=place.next, action=Back(), reason="the keyboard covers the page")
    return None


def _end(flow: Flow, place: FlowPlace, screenshot: Screenshot, screen: Screen) -> FlowMove:
    problem = signpost_problem(flow.end, screenshot, screen)
    if not problem:
        return FlowMove(kind="end", step=place.next, action=Stop())
    if place.waits < MOST_WAITS and not place.is_with_agent:
        return FlowMove(kind="wait", step=place.next, action=Wait(seconds=WAIT_S), reason=problem)
    return FlowMove(kind="agent", step=place.next, reason=problem)


# ---------------------------------------------------------------------------- decide(t), verify(t)
async def decide(context: StageContext) -> tuple[Record, ...]:
    """Return a(t): what the flow does, or what the agent of ``native`` decides.

    Raises ModelError, CallError, and FlowDiverged where only an agent could go on and the run has none.
    """
    move, flow = context.state.step(context.step).result(MATCH, FlowMove), context.runtime.task.flow
    if move is None or move.action is None:
        if context.runtime.settings.has("agent"):
            return await native.decide(context)
        if move is None or flow is None:
            raise FlowDiverged("the task has no flow, and the run has no agent")
        raise FlowDiverged(f"step {move.step + 1} of {len(flow.steps)}: {move.reason}")
    flow = context.runtime.task.flow
    assert flow is not None, "only a flow moves"
    words = flow.steps[move.step].words if move.kind == "step" else move.reason or "all steps are done"
    decision = Decision(thought=f"flow: {words}", action=move.action, expectation="")
    return (ActionDecided(step=context.step, span=context.span(), decision=decision),)


def decided_atoms(context: StageContext) -> tuple[ShortcutAction, ...]:
    """Return the atoms of the decision: that of the flow as it is, or those of the agent's action."""
    move = context.state.step(context.step).result(MATCH, FlowMove)
    return native.decided_atoms(context) if move is None or move.action is None else (move.action,)


async def verify(context: StageContext) -> tuple[Record, ...]:
    """Return the verdict on a(t): of the flow if a(t) is the flow's or led to a screen of it, else as ``native``."""
    state, step = context.state, context.step
    move, following = (state.step(at).result(MATCH, FlowMove) for at in (step, step + 1))
    is_on = following is not None and following.kind in ("step", "end")
    is_own = move is not None and move.action is not None
    rule = rule_verdict(state, step + 1, context.runtime.settings)
    if not is_own and (rule is not None or not is_on):
        return await native.verify(context)
    if rule is None or is_on or following is None:
        rule = Reflection(outcome=Outcome.A, error="", progress=state.progress(step), made_by="check", check=CHECK)
    return (Reflected(step=step, span=context.span(), reflection=rule),)
