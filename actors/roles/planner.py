"""The planner: the overall plan and the one thing to do now (Manager in Mobile-Agent-E, section 3.1)."""

from __future__ import annotations

from typing import ClassVar

from manyhands.actors.frames import ModelImage
from manyhands.actors.roles.base import ModelRole, Question
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.messages import Answered, CallContext
from manyhands.protocol.roles import Plan, PlanReply, PlanRequest, Role, Subgoal


class Planner(ModelRole):
    """Implements ``actors.seams.Planner``."""

    role: ClassVar[Role] = Role.PLAN

    async def plan(self, request: PlanRequest, image: ModelImage, context: CallContext) -> Answered[Plan]:
        """The plan for the screen of ``image``. Raises ModelError."""
        question = Question(
            prompt=self._prompts.plan(request, image),
            reply=PlanReply,
            read=lambda reply: read_plan(reply, request.previous),
        )
        return await self.ask(question, request.screenshot.serial, context)


def read_plan(reply: PlanReply, previous: Plan | None) -> Plan:
    """The plan that a reply means after ``previous``. Raises ReplyUnusable where it goes on without a subgoal.

    A subgoal that is kept keeps its id, however it is reworded; any other gets the next one. The first plan's
    subgoal is new whatever the reply calls it.
    """
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
