"""Declare the stages of a step in Mobile-Agent-E's loop, each once (section 3.1 of the paper).

``t`` counts steps from 0. s(t) is the screenshot before action a(t), so the stages of step t read s(t) and s(t+1). The
serial order is the paper's: plan, decide, act, then the next screen, its verdict and its note.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from manyhands.actors.episode.endings import End, Failures, limit_reached
from manyhands.actors.episode.profile import (
    NOTHING_NOTED,
    SUCCESS,
    Assumption,
    Profile,
    Stage,
    without_stages,
)
from manyhands.actors.episode.schedule import GraphStop, Node, StageNeed
from manyhands.actors.episode.stages import ACT_STAGE, PERCEIVE_STAGE, capture_stage
from manyhands.actors.episode.state import EpisodeState
from manyhands.actors.profiles.e.stages import (
    PARTS,
    decide,
    fixes,
    not_offered,
    note,
    notes_lag,
    plan,
    sees_elements_after,
    verify,
)
from manyhands.actors.roles import Notetaker, Operator, Planner, Reflector, StepRole
from manyhands.actors.roles.notetaker import PaperNotetaker
from manyhands.actors.roles.reflector import PaperReflector
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import CallError, ModelError, ReplyUnusable
from manyhands.protocol.journals.records import Acted, ActionDecided, Planned, Record, Reflected
from manyhands.protocol.profiles.e import DECLARATION
from manyhands.protocol.roles.role import PaperDecideReply, PaperPlanReply, Role
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.runs.results import EpisodeOrder
from manyhands.protocol.screens import actions


class PaperPlanner(Planner):
    """Plan without the choice to give up."""

    writes = PaperPlanReply


class PaperOperator(Operator):
    """Choose among the nine actions of table 8."""

    writes = PaperDecideReply


def _plan_before(state: EpisodeState, step: int) -> tuple[Record, ...] | None:
    """Return no records, because the previous plan stays. Return None if there is no plan yet."""
    return None if state.plan(step - 1) is None else ()


def _kept_its_subgoal(state: EpisodeState, step: int) -> bool:
    plan = state.step(step).plan
    # After an invalid reply the previous plan stays, so the plan counts as kept.
    return plan is None or (plan.change == "keep" and plan.status == "continue")


PLAN_KEPT = Assumption(_plan_before, _kept_its_subgoal)
"""plan(t) is expected to keep its subgoal and to continue. So decide(t) is shown the previous plan."""


ASKING_S = 180.0
"""How long a role may take to answer, in seconds."""


def agents(settings: EpisodeSettings) -> tuple[type[StepRole[Any, Any, Any]], ...]:
    """Return the agents that are asked in a step (section 3.1)."""
    exact = settings.paper_exact
    kinds: dict[str, type[StepRole[Any, Any, Any]]] = {
        "planner": PaperPlanner if exact else Planner,
        "operator": PaperOperator if exact else Operator,
        "reflector": PaperReflector if exact else Reflector,
        "notetaker": PaperNotetaker if exact else Notetaker,
    }
    return tuple(kind for part, kind in kinds.items() if settings.has(part))


_STAGES = {"planner": "plan", "reflector": "verify", "notetaker": "note"}
"""Parts that can be left out, each with its stage."""


def stages(settings: EpisodeSettings) -> tuple[Stage, ...]:
    """Return the stages of Mobile-Agent-E's step.

    - plan(t): W_P(t), W_S(t) from s(t), the previous plan, W_G(t-1), W_N and, after two failures in a row, the last
      errors; equations 1 and 2. plan(t) reads no elements. If the planner may be skipped, plan(t) waits for the
      verdict, which decides whether it is skipped.
    - decide(t): a(t) from s(t), W_V(t), W_P(t), W_S(t), W_G(t-1), W_N, the last five actions and errors;
      equation 4.
    - act(t): sends a(t). This is the gate: act(t) always waits for the verdict on a(t-1).
    - capture(t): s(t), once act(t-1) is done.
    - perceive(t): W_V(t) = A_P(s(t)); equations 3 and 5.
    - verify(t): W_A[t], W_E[t], W_G(t) from s(t), W_V(t), s(t+1), a(t), W_S(t), W_G(t-1), and W_V(t+1) if a
      setting asks for it; equation 6.
    - note(t): W_N(t) from s(t+1), W_V(t+1), W_P(t), W_S(t), W_G(t), W_N(t-1), after outcome A; equation 7.
    """
    notes = StageNeed("note", -notes_lag(settings), assumable=True)
    verdict = StageNeed("verify", -1, assumable=True)
    elements = (StageNeed("perceive"),) if settings.has("elements") else ()
    elements_after = (StageNeed("perceive", 1),) if sees_elements_after(settings) else ()
    exact: Failures = ((ReplyUnusable, Ending.UNUSABLE_REPLY),) if settings.paper_exact else ()
    unanswered: Failures = ((CallError, Ending.MODEL_FAILED),)
    whole = (
        Stage(
            "plan",
            (StageNeed("capture"), replace(verdict, assumable=not settings.skip_planner), notes),
            run=plan,
            deadline_s=ASKING_S,
            assumption=PLAN_KEPT,
            failures=(*exact, (ReplyUnusable, None), *unanswered),
        ),
        Stage(
            "decide",
            (StageNeed("plan", assumable=True), StageNeed("capture"), *elements, verdict, notes),
            run=decide,
            deadline_s=ASKING_S,
            failures=(*exact, *unanswered),
        ),
        replace(
            ACT_STAGE,
            needs=(StageNeed("decide"), StageNeed("perceive"), StageNeed("verify", -1)),
        ),
        capture_stage(settings.has("elements")),
        PERCEIVE_STAGE,
        Stage(
            "verify",
            (StageNeed("act"), StageNeed("capture", 1), *elements, *elements_after),
            run=verify,
            asks=Role.REFLECT,
            deadline_s=ASKING_S,
            assumption=SUCCESS,
            failures=(*exact, *unanswered),
        ),
        Stage(
            "note",
            (
                StageNeed("verify"),
                StageNeed("capture", 1),
                *(replace(one, offset=1) for one in elements),
                StageNeed("plan"),
            ),
            run=note,
            deadline_s=ASKING_S,
            assumption=NOTHING_NOTED,
            failures=(*exact, (ModelError, None), (CallError, None)),
        ),
    )
    return without_stages(whole, [stage for part, stage in _STAGES.items() if not settings.has(part)])


def stop_after(record: Record, state: EpisodeState, order: EpisodeOrder) -> GraphStop[End] | None:
    """Return whether the episode ends with ``record``, and where. ``state`` already contains the record.

    A limit (Mobile-Agent-E, section 4.2: ways to exit) takes effect before the next step's operator. So the planner may
    still find that the last action reached the goal. With ``paper_exact``, a limit takes effect before the planner.
    """
    exact = order.settings.paper_exact
    match record:
        case Planned(plan=plan) if plan.status == "finished":
            return GraphStop(End(Ending.FINISHED, f"planner: {plan.thought}"), Node("plan", record.step))
        case Planned(plan=plan) if plan.status == "impossible":
            return GraphStop(End(Ending.IMPOSSIBLE, f"planner: {plan.thought}"), Node("plan", record.step))
        case ActionDecided(decision=decision) if exact and decision.action is None:
            return GraphStop(End(Ending.UNUSABLE_REPLY, f"operator: {decision.problem}"), Node("decide", record.step))
        case Acted():
            decided = state.step(record.step).decision
            if record.problem is None and decided is not None and isinstance(decided.action, actions.Stop):
                return GraphStop(End(Ending.FINISHED, f"operator: {decided.thought}"), Node("act", record.step))
            if not order.settings.has("reflector"):
                end = limit_reached(state, record.step, order.task.limits, paper_exact=exact)
                return None if end is None else GraphStop(end, Node("act", record.step))
        case Reflected():
            end = limit_reached(state, record.step, order.task.limits, paper_exact=exact)
            # without a planner there is no stage ``plan``
            next_stage = "plan" if exact and order.settings.has("planner") else "decide"
            return None if end is None else GraphStop(end, Node(next_stage, record.step + 1))
    return None


PROFILE = Profile(
    declaration=DECLARATION,
    package=__package__,
    agents=agents,
    stages=stages,
    stop_after=stop_after,
    parts=PARTS,
    not_offered=not_offered,
    fixes=fixes,
)
