"""The decision agent: the next operation (Mobile-Agent-v2, section 3.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import Prompt
from manyhands.actors.mllm.request.formats import action_lines, format_body
from manyhands.actors.profiles.v2.agents.operations import operations_text
from manyhands.actors.profiles.v2.requests import OperationRequest
from manyhands.actors.prompts import Prompts
from manyhands.actors.prompts.parts import Parts, history, or_none_yet
from manyhands.actors.roles import ActingRole
from manyhands.protocol.replies import without_actions
from manyhands.protocol.v2 import OperationOfEReply, OperationReply, PaperOperationOfEReply, PaperOperationReply


class DecisionAgent(ActingRole[OperationRequest, OperationReply]):
    """Answers with an operation in pixels of the screenshot, or with the reason why the model's reply has none."""

    writes: ClassVar[type[OperationReply]] = OperationReply

    @classmethod
    def prompt(cls, prompts: Prompts, request: OperationRequest, images: Sequence[ModelImage]) -> Prompt:
        """Show the screen now and its elements (equation 3, table 9)."""
        size, asked = request.screenshot.size, cls.asked(request)
        own: Parts = {
            "focus": or_none_yet(request.focus or ""),
            "has_memory": request.focus is not None,
            "operations": operations_text(request.operations, prompts.dialect, size),
            "progress": or_none_yet(request.progress or ""),
            "has_planner": request.progress is not None,
            "tried": history(request.tried, prompts.dialect, size, ()),
            "restored": request.restored is True,
            "not_restored": request.restored is False,
            "actions": action_lines(asked.actions),
            "types": "Type" in asked.actions.specs,
            "format": format_body(asked, prompts.output, prompts.dialect.extent(size)),
        }
        return prompts.of_step(request, *images, prompts.listed(request.screen, request.screenshot), own=own)

    def reply(self, request: OperationRequest) -> type[OperationReply]:
        return self.asked(request)

    @classmethod
    def asked(cls, request: OperationRequest) -> type[OperationReply]:
        """Return the reply of which the prompt tells: without Type while no keyboard is up."""
        return without_actions(cls.writes, frozenset({"Type"})) if request.screen.keyboard == "hidden" else cls.writes


class PaperDecisionAgent(DecisionAgent):
    """Is offered what the paper has."""

    writes = PaperOperationReply


class DecisionAgentOfE(DecisionAgent):
    """Is offered what the operator of Mobile-Agent-E is, whatever the keyboard does."""

    writes = OperationOfEReply

    @classmethod
    def asked(cls, request: OperationRequest) -> type[OperationReply]:
        return cls.writes


class PaperDecisionAgentOfE(DecisionAgentOfE):
    """Is offered what that paper has."""

    writes = PaperOperationOfEReply
