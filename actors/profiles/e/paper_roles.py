"""The roles as the paper has them, where our own may do more."""

from __future__ import annotations

from manyhands.actors.roles import Operator, Planner
from manyhands.protocol.roles import PaperDecideReply, PaperPlanReply


class PaperPlanner(Planner):
    """A planner that cannot give up."""

    writes = PaperPlanReply


class PaperOperator(Operator):
    """An operator that chooses among the nine actions of table 8."""

    writes = PaperDecideReply
