"""Mobile-Agent-v2's loop: the stages of a step, declared once each (section 3 of the paper).

``t`` counts steps from 0; S(t) is the screen that O(t) is decided on. After an erroneous operation S(t+1) is the screen
once the page was restored. The serial order is that of the authors' code: plan, decide, memory, act, then the next
screen, its verdict, and the page restored.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from manyhands.actors.episode.assumptions import NOTHING_NOTED, SUCCESS
from manyhands.actors.episode.endings import Failures
from manyhands.actors.episode.profile import CAPTIONS, VERDICTS, Profile, Stage, without_stages
from manyhands.actors.episode.schedule import Need
from manyhands.actors.episode.stages import ACT_STAGE, CAPTURE_STAGE, PERCEIVE_STAGE
from manyhands.actors.profiles.v2.agents import (
    DecisionAgent,
    DecisionAgentOfE,
    MemoryUnit,
    PaperDecisionAgent,
    PaperDecisionAgentOfE,
    PlanningAgent,
    ReflectionAgent,
)
from manyhands.actors.profiles.v2.assumptions import NOT_RESTORED, PROGRESS_BEFORE
from manyhands.actors.profiles.v2.endings import stop_after
from manyhands.actors.profiles.v2.inputs import PARTS, PLAN, fixes, focus_lag
from manyhands.actors.profiles.v2.stages.act import act
from manyhands.actors.profiles.v2.stages.decide import decide
from manyhands.actors.profiles.v2.stages.memory import memory
from manyhands.actors.profiles.v2.stages.plan import plan
from manyhands.actors.profiles.v2.stages.reflect import reflect
from manyhands.actors.profiles.v2.stages.restore import restore
from manyhands.actors.roles import StepRole
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import CallError, ModelError, ReplyUnusable
from manyhands.protocol.runs import EpisodeSettings

ASKING_S = 180.0
"""How long an agent may take to answer."""
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
    - act(t): the gate: never before the verdict on O(t-1), nor before its page is restored.
    - capture(t), perceive(t): S(t) and P(t); equation 1.
    - reflect(t): R(t) from FC(t) or FC(t-1), O(t), S(t), P(t), S(t+1) and P(t+1); equation 5.
    - restore(t): S(t+1) and P(t+1) again, after Back, where O(t) was erroneous.
    """
    left_out = {"plan": "planner", "memory": "memory", "reflect": "reflector", "restore": "reflector"}
    gone = {stage for stage, part in left_out.items() if not settings.has(part)}
    return without_stages(_stages(settings), gone)


def _stages(settings: EpisodeSettings) -> Iterator[Stage]:
    exact: Failures = ((ReplyUnusable, Ending.UNUSABLE_REPLY),) if settings.paper_exact else ()
    unanswered: Failures = ((CallError, Ending.MODEL_FAILED),)
    verdict, focus = Need("reflect", -1, assumable=True), Need("memory", -1, assumable=True)
    yield Stage(
        PLAN,
        (Need("capture"), verdict, focus),
        run=plan,
        deadline_s=ASKING_S,
        assumption=PROGRESS_BEFORE,
        failures=(*exact, (ReplyUnusable, None), *unanswered),
    )
    yield Stage(
        "decide",
        (Need(PLAN, assumable=True), Need("perceive"), verdict, focus, Need("restore", -1, assumable=True)),
        run=decide,
        deadline_s=ASKING_S,
        failures=(*exact, *unanswered),
    )
    yield Stage(
        "memory",
        (Need("decide"),),
        run=memory,
        deadline_s=ASKING_S,
        assumption=NOTHING_NOTED,
        failures=(*exact, (ModelError, None), (CallError, None)),
    )
    yield replace(
        ACT_STAGE,
        needs=(Need("decide"), Need("reflect", -1), Need("restore", -1)),
        run=act,
    )
    yield CAPTURE_STAGE
    yield PERCEIVE_STAGE
    yield Stage(
        "reflect",
        (Need("act"), Need("capture", 1), Need("perceive"), Need("perceive", 1), Need("memory", -focus_lag(settings))),
        run=reflect,
        deadline_s=ASKING_S,
        assumption=SUCCESS,
        failures=(*exact, *unanswered),
    )
    yield Stage(
        "restore",
        (Need("reflect"), Need("perceive", 1)),
        whole=True,
        run=restore,
        deadline_s=RESTORING_S,
        assumption=NOT_RESTORED,
    )


PROFILE = Profile(
    name="v2",
    paper="Mobile-Agent-v2",
    package=__package__,
    agents=agents,
    stages=stages,
    stop_after=stop_after,
    uses=CAPTIONS | VERDICTS | {"like_e"},
    parts=PARTS,
    fixes=fixes,
)
