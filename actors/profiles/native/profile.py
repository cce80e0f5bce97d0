"""Declare the loop of ``native``: look, then ask once for the verdict on the last action and for the next one.

``t`` counts steps from 0. s(t) is the screenshot before action a(t). The answer of decide(t) judges a(t-1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from manyhands.actors.episode.endings import End, Failures, limit_reached
from manyhands.actors.episode.profile import Assumption, Profile, Stage, nothing, without_stages
from manyhands.actors.episode.schedule import GraphStop, Node, StageNeed
from manyhands.actors.episode.stages import ACT_STAGE, PERCEIVE_STAGE, VIEWS_STAGE, capture_stage, without_views
from manyhands.actors.episode.stages.act import act
from manyhands.actors.episode.state import EpisodeState
from manyhands.actors.profiles.native.agent import ChatPlanner, NativeAgent
from manyhands.actors.profiles.native.stages import (
    OUTLINE,
    PLAN,
    decide,
    decided_atoms,
    gets_first_help,
    note,
    outline,
    plan,
    verify,
)
from manyhands.actors.roles import StepRole
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import CallError, ReplyUnusable
from manyhands.protocol.journals.records import Acted, ActionDecided, Planned, Record, Reflected
from manyhands.protocol.profiles.native import DECLARATION
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.runs.results import EpisodeOrder
from manyhands.protocol.screens.actions import Stop

ASKING_S = 180.0
"""How long a role may take to answer, in seconds."""
STEPS_UNREAD = 8
"""How many steps perception may be behind. Then an action waits for it, because each such step holds a picture."""
_LOOKS = (OUTLINE, "decide")
"""The stages that show a model a screen. plan(t) comes after decide(t)."""
_PUT_OFF = (Ending.FAILURE_LIMIT, Ending.REPEAT_LIMIT)
"""The endings whose limits let the first action pass that the planner's help has led to."""
PARTS: Mapping[str, str] = {
    "planner": "no plan and no subgoals",
    "escalation": "the planner is not asked after failures in a row",
    "tips": "no role is told tips",
    "shortcuts": "no role is told shortcuts, and none can be called",
    "elements": "no text can be tapped by its words",
}
"""The parts that the setting ``without`` may leave out."""


def _same_plan(state: EpisodeState, step: int) -> bool:
    """Return whether the chat shows no other plan or subgoal after plan(``step``) than before."""
    current, before = state.step(step).plan, state.plan(step - 1)
    if step == 0 or current is None:
        return True
    return before is not None and (current.text, current.subgoal.id) == (before.text, before.subgoal.id)


NOT_PLANNED = Assumption(nothing, _same_plan)
"""plan(t) is expected not to be due. So decide(t+1) begins at once, and begins again if another plan comes."""


def agents(settings: EpisodeSettings) -> tuple[type[StepRole[Any, Any, Any]], ...]:
    """Return the agent of the chat, and the planner."""
    return (NativeAgent, ChatPlanner) if settings.has("planner") else (NativeAgent,)


def not_offered(settings: EpisodeSettings) -> frozenset[str]:
    """Return the actions that the agent may not choose."""
    parts = {"shortcuts": "Shortcut", "elements": "Click_Text"}
    left_out = frozenset(action for part, action in parts.items() if not settings.has(part))
    return left_out | {"Tap_Element" if settings.shows_pictures else "Click_Text"}


def stages(settings: EpisodeSettings) -> tuple[Stage, ...]:
    """Return the stages of the step.

    - outline(0): the first plan, from s(0).
    - decide(t): a(t) and the verdict on a(t-1), from the chat up to s(t).
    - verify(t): the verdict on a(t), which decide(t+1) gives unless a rule is certain.
    - note(t): what decide(t) keeps of s(t).
    - act(t): sends a(t). This is the gate: act(t) waits for the verdict on a(t-1).
    - plan(t): another plan, if one is due, from s(t) and what decide(t) said. It runs beside act(t).
    - capture(t): s(t), once act(t-1) is done.
    - views(t): what the phone tells of its views, where the elements of s(t) come from them. It runs beside decide(t),
      and act(t) waits for it: afterwards the phone may show another screen.
    - perceive(t): the texts and icons of s(t). An action waits only if perception is ``STEPS_UNREAD`` steps behind.

    Without pictures, outline(0) and decide(t) wait for perceive(t), which asks the phone for its views.
    """
    exact: Failures = ((ReplyUnusable, Ending.UNUSABLE_REPLY),) if settings.paper_exact else ()
    unanswered: Failures = ((CallError, Ending.MODEL_FAILED),)
    whole: tuple[Stage, ...] = (
        Stage(
            OUTLINE,
            (StageNeed("capture"),),
            run=outline,
            deadline_s=ASKING_S,
            failures=((ReplyUnusable, None), *unanswered),
        ),
        Stage(
            "decide",
            (StageNeed(OUTLINE), StageNeed(PLAN, -1, assumable=True), StageNeed("capture")),
            run=decide,
            deadline_s=ASKING_S,
            failures=(*exact, *unanswered),
        ),
        Stage("verify", (StageNeed("act"), StageNeed("capture", 1), StageNeed("decide", 1)), turn=1, run=verify),
        Stage("note", (StageNeed("decide"),), run=note),
        replace(
            ACT_STAGE,
            needs=(
                *(StageNeed("decide"), StageNeed("verify", -1), StageNeed("note"), StageNeed(VIEWS_STAGE.name)),
                StageNeed("perceive", -STEPS_UNREAD),
            ),
            run=partial(act, atoms=decided_atoms),
        ),
        Stage(
            PLAN,
            (StageNeed("decide"), StageNeed("note"), StageNeed("verify", -1)),
            run=plan,
            deadline_s=ASKING_S,
            assumption=NOT_PLANNED,
            failures=((ReplyUnusable, None), *unanswered),
        ),
        capture_stage(shows_elements=not settings.shows_pictures),
        PERCEIVE_STAGE,
        VIEWS_STAGE,
    )
    if not settings.shows_pictures:
        seen = StageNeed("perceive")
        whole = tuple(replace(one, needs=(*one.needs, seen)) if one.name in _LOOKS else one for one in whole)
        whole = without_stages(whole, (VIEWS_STAGE.name,))
    planning = () if settings.has("planner") else (OUTLINE, PLAN)
    return without_views(without_stages(whole, planning), settings)


def stop_after(record: Record, state: EpisodeState, order: EpisodeOrder) -> GraphStop[End] | None:
    """Return whether the episode ends with ``record``, and where. ``state`` already contains the record.

    A limit takes effect before the next action. If the same answer that gives the last verdict also finds the task
    done, the task is done. An interruption may come between both; then the verdict stays, and the answer is given anew.
    """
    match record:
        case Planned(plan=planned) if planned.status == "finished":
            return GraphStop(End(Ending.FINISHED, f"planner: {planned.thought}"), Node(record.stage, record.step))
        case Planned(plan=planned) if planned.status == "impossible":
            return GraphStop(End(Ending.IMPOSSIBLE, f"planner: {planned.thought}"), Node(record.stage, record.step))
        case ActionDecided(decision=decision) if order.settings.paper_exact and decision.action is None:
            return GraphStop(End(Ending.UNUSABLE_REPLY, f"agent: {decision.problem}"), Node("decide", record.step))
        case ActionDecided() if state.step(record.step - 1).reflection is not None:
            return _limit(state, record.step - 1, order)
        case Acted(problem=None):
            decided = state.step(record.step).decision
            if decided is not None and isinstance(decided.action, Stop):
                return GraphStop(End(Ending.FINISHED, f"agent: {decided.thought}"), Node("act", record.step))
        case Reflected():
            return _limit(state, record.step, order)
    return None


def _limit(state: EpisodeState, step: int, order: EpisodeOrder) -> GraphStop[End] | None:
    """Return the stop at a limit that is reached with ``step``, unless the next action is Stop or is not known yet.

    After failures the planner is asked beside the action of ``step``, so the next action is the first one that its help
    has led to. The limits of failures and of repeats let that action pass, once for failures in a row.
    """
    following = state.step(step + 1).decision
    if following is None or isinstance(following.action, Stop):
        return None
    helped = order.settings.has("planner") and gets_first_help(state, step, order.settings)
    end = limit_reached(state, step, order.task.limits, put_off=_PUT_OFF if helped else ())
    return None if end is None else GraphStop(end, Node("act", step + 1))


PROFILE = Profile(
    declaration=DECLARATION,
    package=__package__,
    agents=agents,
    stages=stages,
    stop_after=stop_after,
    parts=PARTS,
    not_offered=not_offered,
    actions_per_call=lambda settings: settings.actions_per_call,
    images_kept=lambda settings: settings.chat_pictures if settings.shows_pictures else 1,
    unread_kept=STEPS_UNREAD,
)
