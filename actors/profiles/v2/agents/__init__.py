"""The agents of Mobile-Agent-v2: planning, decision with its memory unit, reflection."""

from manyhands.actors.profiles.v2.agents.decision import (
    DecisionAgent,
    DecisionAgentOfE,
    PaperDecisionAgent,
    PaperDecisionAgentOfE,
)
from manyhands.actors.profiles.v2.agents.memory import MemoryUnit
from manyhands.actors.profiles.v2.agents.planning import PlanningAgent
from manyhands.actors.profiles.v2.agents.reflection import ReflectionAgent

__all__ = [
    "DecisionAgent",
    "DecisionAgentOfE",
    "MemoryUnit",
    "PaperDecisionAgent",
    "PaperDecisionAgentOfE",
    "PlanningAgent",
    "ReflectionAgent",
]
