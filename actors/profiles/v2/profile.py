"""Declare the stages of a step in Mobile-Agent-v2's loop, each once (section 3 of the paper).

``t`` counts steps from 0. S(t) is the screen on which O(t) is decided. After an erroneous operation, S(t+1) is the
screen after the page was restored. The serial order is that of the authors' code: plan, decide, memory, act, then the
next screen, its verdict, and restoring the page.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from manyhands.actors.episode.endings import End, Failures, limit_reached
from manyhands.actors.episode.profile import (
    NOTHING_NOTED,
    SUCCESS,
    Assumption,
    Profile,
    Stage,
    nothing,
    without_stages,
)
from manyhands.actors.episode.schedule import GraphStop, Node, StageNeed
from manyhands.actors.episode.stages import ACT_STAGE, CAPTURE_STAGE, PERCEIVE_STAGE
from manyhands.actors.episode.state import EpisodeState
from manyhands.actors.profiles.v2.agents import (
    DecisionAgent,
    DecisionAgentOfE,
    MemoryUnit,
    PaperDecisionAgent,
    PaperDecisionAgentOfE,
    PlanningAgent,
    ReflectionAgent,
)
from manyhands.actors.profiles.v2.requests import PARTS, PLAN, CompletedProgress, fixes, focus_lag
from manyhands.actors.profiles.v2.stages import act, decide, memory, plan, reflect, restore
from manyhands.actors.roles import StepRole
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import CallError, ModelError, ReplyUnusable
from manyhands.protocol.journals.records import Acted, ActionDecided, Record, Reflected
from manyhands.protocol.profiles.v2 import DECLARATION
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.runs.results import EpisodeOrder
from manyhands.protocol.screens import actions


def _any_progress(state: EpisodeState, step: int) -> bool:
    return True


def _nothing_unless_failed(state: EpisodeState, step: int) -> tuple[Record, ...] | None:
    """Return no records. Return None, for no assumption, once the operation is known to have failed."""
    return None if state.step(step).failed else ()


def _was_not_restored(state: EpisodeState, step: int) -> bool:
    return state.step(step).restored is None


PROGRESS_BEFORE = Assumption(nothing, _any_progress)
"""plan(t) may have any result: decide(t) is shown TP(t-1), as in equation 3."""
NOT_RESTORED = Assumption(_nothing_unless_failed, _was_not_restored)
"""restore(t) is expected to have nothing to restore."""


ASKING_S = 180.0
"""How long an agent may take to answer, in seconds."""
RESTORING_S = 60.0


def agents(settings: EpisodeSettings) -> tuple[type[StepRole[Any, Any, Any]], ...]:
    """Return the agents that are asked in a step."""
    kinds: dict[str, type[StepRole[Any, Any, Any]]] = {
        "planner": PlanningAgent,
        "decision": _decides(settings),
        "reflector": ReflectionAgent,
        "memory": MemoryUnit,
    }
    return tuple(kind for part, kind in kinds.items() if settings.has(part))


def _decides(settings: EpisodeSettings) -> type[DecisionAgent]:
    if settings.like_e:
        return PaperDecisionAgentOfE if settings.paper_exact else DecisionAgentOfE
    return PaperDecisionAgent if settings.paper_exact else DecisionAgent


def stages(settings: EpisodeSettings) -> tuple[Stage, ...]:
    """Return the stages of Mobile-Agent-v2's step, without those of parts that are left out.

    - plan(t): TP(t) from O(t-1), TP(t-1) and FC(t-1), if O(t-1) was correct; equation 2.
    - decide(t): O(t) from S(t), P(t), TP(t), FC(t-1), R(t-1) and the correct operations so far; equation 3.
    - memory(t): FC(t) from FC(t-1), S(t) and P(t), in the conversation of decide(t); equation 4. It runs beside act(t),
      capture(t+1) and, unless the paper's order or equation is followed, reflect(t).
    - act(t): sends O(t). This is the gate: act(t) waits for the verdict on O(t-1) and until its page is restored.
    - capture(t), perceive(t): S(t) and P(t); equation 1.
    - reflect(t): R(t) from FC(t) or FC(t-1), O(t), S(t), P(t), S(t+1) and P(t+1); equation 5.
    - restore(t): S(t+1) and P(t+1) once more, after Back, if O(t) was erroneous.
    """
    left_out = {"plan": "planner", "memory": "memory", "reflect": "reflector", "restore": "reflector"}
    names_left_out = {stage for stage, part in left_out.items() if not settings.has(part)}
    return without_stages(_stages(settings), names_left_out)


def _stages(settings: EpisodeSettings) -> Iterator[Stage]:
    exact: Failures = ((ReplyUnusable, Ending.UNUSABLE_REPLY),) if settings.paper_exact else ()
    unanswered: Failures = ((CallError, Ending.MODEL_FAILED),)
    verdict, focus = StageNeed("reflect", -1, assumable=True), StageNeed("memory", -1, assumable=True)
    yield Stage(
        PLAN,
        (StageNeed("capture"), verdict, focus),
        run=plan,
        deadline_s=ASKING_S,
        assumption=PROGRESS_BEFORE,
        failures=(*exact, (ReplyUnusable, None), *unanswered),
        leaves=(CompletedProgress,),
    )
    yield Stage(
        "decide",
        (
            StageNeed(PLAN, assumable=True),
            StageNeed("perceive"),
            verdict,
            focus,
            StageNeed("restore", -1, assumable=True),
        ),
        run=decide,
        deadline_s=ASKING_S,
        failures=(*exact, *unanswered),
    )
    yield Stage(
        "memory",
        (StageNeed("decide"),),
        run=memory,
        asks=Role.NOTE,
        deadline_s=ASKING_S,
        assumption=NOTHING_NOTED,
        failures=(*exact, (ModelError, None), (CallError, None)),
    )
    yield replace(
        ACT_STAGE,
        needs=(StageNeed("decide"), StageNeed("reflect", -1), StageNeed("restore", -1)),
        run=act,
    )
    yield CAPTURE_STAGE
    yield PERCEIVE_STAGE
    yield Stage(
        "reflect",
        (
            StageNeed("act"),
            StageNeed("capture", 1),
            StageNeed("perceive"),
            StageNeed("perceive", 1),
            StageNeed("memory", -focus_lag(settings)),
        ),
        run=reflect,
        deadline_s=ASKING_S,
        assumption=SUCCESS,
        failures=(*exact, *unanswered),
    )
    yield Stage(
        "restore",
        (StageNeed("reflect"), StageNeed("perceive", 1)),
        whole=True,
        run=restore,
        deadline_s=RESTORING_S,
        assumption=NOT_RESTORED,
    )


def stop_after(record: Record, state: EpisodeState, order: EpisodeOrder) -> GraphStop[End] | None:
    """Return whether the episode ends with ``record``, and where. ``state`` already contains the record.

    A limit takes effect before a page is restored, because the episode does not continue there.
    """
    exact = order.settings.paper_exact
    match record:
        case ActionDecided(decision=decision) if exact and decision.action is None:
            return GraphStop(
                End(Ending.UNUSABLE_REPLY, f"decision agent: {decision.problem}"), Node("decide", record.step)
            )
        case Acted():
            decided = state.step(record.step).decision
            if record.problem is None and decided is not None and isinstance(decided.action, actions.Stop):
                return GraphStop(End(Ending.FINISHED, f"decision agent: {decided.thought}"), Node("act", record.step))
            if not order.settings.has("reflector"):
                end = limit_reached(state, record.step, order.task.limits, paper_exact=exact)
                return None if end is None else GraphStop(end, Node("decide", record.step + 1))
        case Reflected():
            end = limit_reached(state, record.step, order.task.limits, paper_exact=exact)
            return None if end is None else GraphStop(end, Node("restore", record.step))
    return None


PROFILE = Profile(
    declaration=DECLARATION,
    package=__package__,
    agents=agents,
    stages=stages,
    stop_after=stop_after,
    parts=PARTS,
    fixes=fixes,
)
