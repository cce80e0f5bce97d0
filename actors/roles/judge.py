"""Judge whether a statement of a task's check is true, when the episode has ended.

The judge belongs to no paper and to no profile. Its prompt shares nothing with the agent's prompts: no tips, shortcuts,
notes or verdicts of the agent.
"""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import Dialect, Prompt
from manyhands.actors.mllm.request.actions import write_action
from manyhands.actors.prompts import Parts, Prompts, or_none_yet
from manyhands.actors.roles.base import StepRole, meant
from manyhands.protocol.roles.requests import JudgeRequest, PastAction, ReplyContext, StatementVerdict
from manyhands.protocol.roles.role import JudgeReply, Role
from manyhands.protocol.roles.sections import action_json, fenced, one_line

_PICTURES = {
    1: "The picture shows the phone's screen now.",
    2: "The second picture shows the phone's screen now, the first one the screen before it.",
}


class Judge(StepRole[JudgeRequest, JudgeReply, StatementVerdict]):
    """Answer yes, no or cannot tell, with the reason before it."""

    role = Role.JUDGE
    writes = JudgeReply

    @classmethod
    def prompt(cls, prompts: Prompts, request: JudgeRequest, images: Sequence[ModelImage]) -> Prompt:
        """Show the last screens, the agent's actions and the statement. Screens and actions are fenced as data."""
        own: Parts = {
            "goal": or_none_yet(request.brief.goal),
            "screen": None if request.screen is None else prompts.screen_text(request.screen, request.shown[-1]),
            "history": fenced(
                "\n".join(_history_line(one, prompts.dialect, request) for one in request.history) or "None"
            ),
            "statement": or_none_yet(one_line(request.statement)),
            "pictures": _PICTURES[len(images)],
            "format": prompts.format(JudgeReply, request.reply_context.size),
        }
        return Prompt("", (*images, prompts.text(cls.role.value, own)))

    @classmethod
    def read(cls, reply: JudgeReply, reply_context: ReplyContext, dialect: Dialect) -> StatementVerdict:
        """Return the verdict and its reason."""
        return StatementVerdict(verdict=reply.verdict, reason=meant(reply.reason))


def _history_line(past: PastAction, dialect: Dialect, request: JudgeRequest) -> str:
    """Return an action without the agent's own opinion of it."""
    size = request.reply_context.size
    action = None if past.action is None else write_action(past.action, dialect, size, request.brief.shortcuts)
    return f"Step {past.step} | {action_json(action)}"
