"""Define the agents of Mobile-Agent-v2: planning, decision with its memory unit, reflection (sections 3.3 to 3.5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import Dialect, Prompt
from manyhands.actors.mllm.formats import action_lines, format_body
from manyhands.actors.mllm.request.bodies import ChatTurn, conversation_of
from manyhands.actors.profiles.v2.requests import (
    CompletedProgress,
    FocusRequest,
    Operation,
    OperationRequest,
    ProgressRequest,
    VerdictRequest,
)
from manyhands.actors.prompts import Parts, Prompts, or_none_yet
from manyhands.actors.roles import ActingRole
from manyhands.actors.roles.base import StepRole, meant
from manyhands.actors.roles.reflector import UNEXPLAINED
from manyhands.protocol.base import Outcome
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.profiles.v2 import (
    FocusReply,
    LetterReply,
    OperationOfEReply,
    OperationReply,
    PaperOperationOfEReply,
    PaperOperationReply,
    ProgressReply,
)
from manyhands.protocol.roles.replies import without_actions
from manyhands.protocol.roles.requests import Notes, Reflection, ReplyContext
from manyhands.protocol.roles.role import Role
from manyhands.protocol.roles.sections import NONE_YET, ActionLine, OperationLine, action_line, one_line, operation_line
from manyhands.protocol.screens.geometry import Size


def operations_text(operations: Sequence[Operation], prompts: Prompts, size: Size) -> str:
    """Return operations, one on each line, in the model's coordinates."""
    lines = [
        OperationLine(
            step=one.step,
            action=prompts.action(one.action, size),
            expectation=one.expectation,
            touched="" if prompts.paper_exact else one.touched,
            thought=one.thought,
        )
        for one in operations
    ]
    return "\n".join(map(operation_line, lines)) or NONE_YET


class PlanningAgent(StepRole[ProgressRequest, ProgressReply, CompletedProgress]):
    """Answer with the task's progress."""

    role = Role.PLAN
    writes = ProgressReply

    @classmethod
    def prompt(cls, prompts: Prompts, request: ProgressRequest, images: Sequence[ModelImage]) -> Prompt:
        """Show what was done and what is known (equation 2): the prompt of table 7 the first time, that of
        table 8 later.
        """
        own: Parts = {
            "in_english": request.in_english,
            "first": not request.previous and len(request.operations) == 1,
            "progress": or_none_yet(request.previous),
            "focus": or_none_yet(request.focus or ""),
            "has_memory": request.focus is not None,
            "operations": operations_text(request.operations, prompts, request.now.size),
        }
        return prompts.of_step(request, own=own)

    @classmethod
    def read(cls, reply: ProgressReply, reply_context: ReplyContext, dialect: Dialect) -> CompletedProgress:
        """Return the progress of a reply. Raises ReplyUnusable for an empty one."""
        text = meant(reply.progress)
        if not text:
            raise ReplyUnusable("the reply names nothing that was completed")
        return CompletedProgress(progress=text)


class DecisionAgent(ActingRole[OperationRequest, OperationReply]):
    """Answer with an operation in pixels of the screenshot, or with the reason why the reply has no operation."""

    writes: ClassVar[type[OperationReply]] = OperationReply

    @classmethod
    def prompt(cls, prompts: Prompts, request: OperationRequest, images: Sequence[ModelImage]) -> Prompt:
        """Show the current screen and its elements (equation 3, table 9)."""
        size, reply = request.screenshot.size, cls.asked(request)
        own: Parts = {
            "focus": or_none_yet(request.focus or ""),
            "has_memory": request.focus is not None,
            "operations": operations_text(request.operations, prompts, size),
            "progress": or_none_yet(request.progress or ""),
            "has_planner": request.progress is not None,
            "tried": prompts.history(request.tried, size, ()),
            "restored": request.restored is True,
            "not_restored": request.restored is False,
            "actions": action_lines(reply.actions),
            "types": "Type" in reply.actions.specs,
            "answers": "Answer" in reply.actions.specs,
            "format": format_body(reply, prompts.output, prompts.dialect.extent(size)),
        }
        return prompts.of_step(request, *images, prompts.listed(request.screen, request.screenshot), own=own)

    def reply(self, request: OperationRequest) -> type[OperationReply]:
        return self.asked(request)

    @classmethod
    def asked(cls, request: OperationRequest) -> type[OperationReply]:
        """Return the type of the reply that the prompt describes: without Type while the keyboard is hidden."""
        return without_actions(cls.writes, frozenset({"Type"})) if request.screen.keyboard == "hidden" else cls.writes


class PaperDecisionAgent(DecisionAgent):
    """Choose among the operations of the paper."""

    writes = PaperOperationReply


class DecisionAgentOfE(DecisionAgent):
    """Choose among the actions of Mobile-Agent-E's operator, whether or not the keyboard is shown."""

    writes = OperationOfEReply

    @classmethod
    def asked(cls, request: OperationRequest) -> type[OperationReply]:
        return cls.writes


class PaperDecisionAgentOfE(DecisionAgentOfE):
    """Choose among the actions of the Mobile-Agent-E paper."""

    writes = PaperOperationOfEReply


class MemoryUnit(StepRole[FocusRequest, FocusReply, Notes]):
    """Answer with what to remember of the screen on which the operation was decided. An empty text means nothing."""

    role = Role.NOTE
    writes = FocusReply

    @classmethod
    def prompt(cls, prompts: Prompts, request: FocusRequest, images: Sequence[ModelImage]) -> Prompt:
        """Continue the conversation of the decision (equation 4).

        A server has already read all of the conversation but the last turn.
        """
        so_far = conversation_of(request.conversation, images)
        extent = prompts.dialect.extent(request.screenshot.size)
        question = prompts.text("note", {"format": format_body(FocusReply, prompts.output, extent)})
        return replace(so_far, turns=(*so_far.turns, ChatTurn(request.decided, (question,))))

    @classmethod
    def read(cls, reply: FocusReply, reply_context: ReplyContext, dialect: Dialect) -> Notes:
        """Return what a reply adds."""
        return Notes(text=meant(reply.content))


class ReflectionAgent(StepRole[VerdictRequest, LetterReply, Reflection]):
    """Answer with the verdict on the operation between two screens."""

    role = Role.REFLECT
    writes = LetterReply

    @classmethod
    def prompt(cls, prompts: Prompts, request: VerdictRequest, images: Sequence[ModelImage]) -> Prompt:
        """Show both screens with their elements, the earlier one first (equation 5, table 10)."""
        before, after = images
        operation = request.operation
        action = prompts.action(operation.action, request.before.size)
        touched = "" if prompts.paper_exact else operation.touched
        own: Parts = {
            "screen_after": prompts.screen_text(request.screen_after, request.after),
            "keyboard_after": request.screen_after.keyboard,
            "focus": or_none_yet(request.focus or ""),
            "has_memory": request.focus is not None,
            "action": action_line(ActionLine(action=action, expectation=operation.expectation, touched=touched)),
            "thought": one_line(operation.thought) or "none",
        }
        return prompts.of_step(request, before, prompts.listed(request.screen_before, request.before), after, own=own)

    @classmethod
    def read(cls, reply: LetterReply, reply_context: ReplyContext, dialect: Dialect) -> Reflection:
        """Return the verdict. For B and C the thought says what went wrong."""
        error = "" if reply.outcome is Outcome.A else meant(reply.thought) or UNEXPLAINED[reply.outcome]
        return Reflection(outcome=reply.outcome, error=error, progress="", made_by="model")
