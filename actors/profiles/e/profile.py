"""Mobile-Agent-E's loop: the stages of a step, declared once each (section 3.1 of the paper).

``t`` counts steps from 0; s(t) is the screenshot before action a(t), so that stages of step t read s(t) and
s(t+1). The serial order is the paper's: plan, decide, act, then the next screen, its verdict and its note.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from manyhands.actors.episode.assumptions import NOTHING_NOTED, SUCCESS
from manyhands.actors.episode.endings import Failures
from manyhands.actors.episode.profile import CAPTIONS, VERDICTS, Profile, Stage, without_stages
from manyhands.actors.episode.schedule import Need
from manyhands.actors.episode.stages import ACT_STAGE, CAPTURE_STAGE, PERCEIVE_STAGE
from manyhands.actors.profiles.e.assumptions import PLAN_KEPT
from manyhands.actors.profiles.e.endings import stop_after
from manyhands.actors.profiles.e.inputs import PARTS, fixes, not_offered, notes_lag, sees_elements_after
from manyhands.actors.profiles.e.paper_roles import PaperOperator, PaperPlanner
from manyhands.actors.profiles.e.stages.decide import decide
from manyhands.actors.profiles.e.stages.note import note
from manyhands.actors.profiles.e.stages.plan import plan
from manyhands.actors.profiles.e.stages.verify import verify
from manyhands.actors.roles import Notetaker, Operator, Planner, Reflector, StepRole
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import CallError, ModelError, ReplyUnusable
from manyhands.protocol.runs import EpisodeSettings

ASKING_S = 180.0
"""How long a role may take to answer."""


def agents(settings: EpisodeSettings) -> tuple[type[StepRole[Any, Any, Any]], ...]:
    """Return the agents that are asked in a step (section 3.1)."""
    exact = settings.paper_exact
    kinds: dict[str, type[StepRole[Any, Any, Any]]] = {
        "planner": PaperPlanner if exact else Planner,
        "operator": PaperOperator if exact else Operator,
        "reflector": Reflector,
        "notetaker": Notetaker,
    }
    return tuple(kind for part, kind in kinds.items() if settings.has(part))


_STAGES = {"planner": "plan", "reflector": "verify", "notetaker": "note"}
"""The stages of the roles that can be left out."""


def stages(settings: EpisodeSettings) -> tuple[Stage, ...]:
    """Return the stages of Mobile-Agent-E's step.

    - plan(t): W_P(t), W_S(t) from s(t), the plan before, W_G(t-1), W_N and, after two failures in a row, the
      last errors; equations 1 and 2. No elements. A planner that may be skipped waits for the verdict, which decides
      that.
    - decide(t): a(t) from s(t), W_V(t), W_P(t), W_S(t), W_G(t-1), W_N, the last five actions and errors;
      equation 4.
    - act(t): the gate: never before the verdict on a(t-1).
    - capture(t): s(t), once act(t-1) is done.
    - perceive(t): W_V(t) = A_P(s(t)); equations 3 and 5.
    - verify(t): W_A[t], W_E[t], W_G(t) from s(t), W_V(t), s(t+1), a(t), W_S(t), W_G(t-1), and W_V(t+1) where a
      setting asks for it; equation 6.
    - note(t): W_N(t) from s(t+1), W_V(t+1), W_P(t), W_S(t), W_G(t), W_N(t-1), after outcome A; equation 7.
    """
    notes = Need("note", -notes_lag(settings), assumable=True)
    verdict = Need("verify", -1, assumable=True)
    elements = (Need("perceive"),) if settings.has("elements") else ()
    elements_after = (Need("perceive", 1),) if sees_elements_after(settings) else ()
    exact: Failures = ((ReplyUnusable, Ending.UNUSABLE_REPLY),) if settings.paper_exact else ()
    unanswered: Failures = ((CallError, Ending.MODEL_FAILED),)
    whole = (
        Stage(
            "plan",
            (Need("capture"), replace(verdict, assumable=not settings.skip_planner), notes),
            run=plan,
            deadline_s=ASKING_S,
            assumption=PLAN_KEPT,
            failures=(*exact, (ReplyUnusable, None), *unanswered),
        ),
        Stage(
            "decide",
            (Need("plan", assumable=True), Need("capture"), *elements, verdict, notes),
            run=decide,
            deadline_s=ASKING_S,
            failures=(*exact, *unanswered),
        ),
        replace(
            ACT_STAGE,
            needs=(Need("decide"), Need("perceive"), Need("verify", -1)),
        ),
        CAPTURE_STAGE,
        PERCEIVE_STAGE,
        Stage(
            "verify",
            (Need("act"), Need("capture", 1), *elements, *elements_after),
            run=verify,
            deadline_s=ASKING_S,
            assumption=SUCCESS,
            failures=(*exact, *unanswered),
        ),
        Stage(
            "note",
            (Need("verify"), Need("capture", 1), *(replace(one, offset=1) for one in elements), Need("plan")),
            run=note,
            deadline_s=ASKING_S,
            assumption=NOTHING_NOTED,
            failures=(*exact, (ModelError, None), (CallError, None)),
        ),
    )
    return without_stages(whole, [stage for part, stage in _STAGES.items() if not settings.has(part)])


PROFILE = Profile(
    name="e",
    paper="Mobile-Agent-E",
    package=__package__,
    agents=agents,
    stages=stages,
    stop_after=stop_after,
    uses=CAPTIONS | VERDICTS | {"history", "escalate_after", "skip_planner", "reflector_sees_elements", "planner_tips"},
    parts=PARTS,
    not_offered=not_offered,
    fixes=fixes,
)
