"""Write the overall plan and the current subgoal (Manager in Mobile-Agent-E, section 3.1)."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import Dialect, Prompt
from manyhands.actors.prompts import Parts, Prompts, or_left_out, or_none_yet
from manyhands.actors.roles.base import StepRole
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.roles.field_description import choices_of
from manyhands.protocol.roles.requests import Plan, PlanRequest, ReplyContext, Subgoal
from manyhands.protocol.roles.role import PlanReply, Role


class Planner(StepRole[PlanRequest, PlanReply, Plan]):
    """Answer with the plan as of the current screen."""

    role = Role.PLAN
    writes = PlanReply

    @classmethod
    def prompt(cls, prompts: Prompts, request: PlanRequest, images: Sequence[ModelImage]) -> Prompt:
        """Show the current screen without its elements: the planner does not wait for them (equations 1, 2)."""
        return prompts.of_step(request, *images, own=cls.parts(prompts, request))

    @classmethod
    def parts(cls, prompts: Prompts, request: PlanRequest) -> Parts:
        """Return the parts of the role's own text."""
        previous = request.previous
        return {
            "plan": or_none_yet(previous.text if previous else ""),
            "subgoal": or_none_yet(previous.subgoal.text if previous else ""),
            "progress": or_left_out(request.progress),
            "notes": or_left_out(request.notes),
            "failures": prompts.history(request.failures, request.screenshot.size, request.brief.shortcuts),
            "first": previous is None,
            "app": prompts.app_in_front(request.screenshot),
            "may_give_up": "impossible" in choices_of(cls.writes, "status"),
        }

    @classmethod
    def read(cls, reply: PlanReply, reply_context: ReplyContext, dialect: Dialect) -> Plan:
        """Return the plan of a reply. Raises ReplyUnusable if the task continues but the reply names no subgoal.

        A kept subgoal keeps its id, even if it is reworded. Any other subgoal gets the next id. The first plan's
        subgoal is always new, whatever the reply says.
        """
        previous = reply_context.previous
        change = reply.change if previous is not None else "next"
        before = previous.subgoal if previous is not None else None
        text = reply.subgoal.strip()
        if not text and reply.status == "continue" and change != "keep":
            raise ReplyUnusable("the plan goes on, but names no subgoal")
        if before is not None and change == "keep":
            subgoal = Subgoal(id=before.id, text=text or before.text)
        else:
            subgoal = Subgoal(id=before.id + 1 if before is not None else 1, text=text)
        return Plan(
            thought=reply.thought,
            text=reply.plan.strip() or (previous.text if previous is not None else ""),
            subgoal=subgoal,
            change=change,
            status=reply.status,
        )
