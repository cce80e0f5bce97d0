"""Judge the latest action (Action Reflector in Mobile-Agent-E, section 3.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import Dialect, Prompt
from manyhands.actors.mllm.formats import added_format
from manyhands.actors.prompts import Parts, Prompts, or_left_out, or_none_yet
from manyhands.actors.roles.base import StepRole, add_lines, meant
from manyhands.protocol.base import Outcome, Reply
from manyhands.protocol.roles.requests import Reflection, ReflectRequest, ReplyContext
from manyhands.protocol.roles.role import (
    ReflectChangeReply,
    ReflectChangeSubgoalReply,
    ReflectReply,
    ReflectSubgoalReply,
    Role,
)
from manyhands.protocol.roles.sections import ActionLine, action_json, action_line

JudgingReply = ReflectReply | ReflectChangeReply
AskedReply = ReflectSubgoalReply | ReflectChangeSubgoalReply
"""Also says whether the subgoal is reached."""

UNEXPLAINED = {
    Outcome.B: "The screen after the action is not the expected one; no reason was given.",
    Outcome.C: "The action changed nothing; no reason was given.",
}


class Reflector(StepRole[ReflectRequest, JudgingReply, Reflection]):
    """Answer with the verdict on the action between two screens."""

    role = Role.REFLECT
    writes: ClassVar[type[Reply]] = ReflectChangeReply
    asks_also: ClassVar[type[Reply]] = ReflectChangeSubgoalReply
    """The reply if the request also asks whether the subgoal is reached."""

    @classmethod
    def prompt(cls, prompts: Prompts, request: ReflectRequest, images: Sequence[ModelImage]) -> Prompt:
        """Show the screen before the action and the screen after (equation 6).

        The screen before comes with its elements, as the operator saw it. The elements of the screen after,
        and the question about the subgoal, are added only if the request has them.
        """
        before, after = images
        listed = request.screen_after
        action = prompts.action(request.action, request.before.size, request.brief.shortcuts)
        actions = (prompts.action(atom, request.before.size) for atom in request.sent)
        touched = "" if prompts.paper_exact else request.touched
        own: Parts = {
            "subgoal": or_left_out(request.subgoal),
            "progress": or_none_yet(request.progress),
            "action": action_line(ActionLine(action=action, expectation=request.expectation, touched=touched)),
            "app_after": prompts.app_in_front(request.after),
            "sent": "\n".join(f"{number}. {action_json(atom)}" for number, atom in enumerate(actions, start=1)),
            "lists_elements": request.screen_before is not None,
            "screen_after": prompts.screen_text(listed, request.after) if listed else "",
            "keyboard_after": listed.keyboard if listed else request.after.keyboard,
            "subgoal_format": added_format(cls.asks_also, prompts.output) if request.asks_subgoal else "",
        }
        return prompts.of_step(request, before, prompts.listed(request.screen_before, request.before), after, own=own)

    def reply(self, request: ReflectRequest) -> type[JudgingReply]:
        model: Any = self.asks_also if request.asks_subgoal else self.writes
        return model  # type: ignore[no-any-return]

    @classmethod
    def read(cls, reply: JudgingReply, reply_context: ReplyContext, dialect: Dialect) -> Reflection:
        """Return the verdict. Outcome A alone changes the progress.

        A verdict B or C always has an error, a verdict A never.
        """
        reached = reply.subgoal_reached if isinstance(reply, AskedReply) else None
        error, progress = "", reply_context.progress
        if reply.outcome is Outcome.A:
            progress = cls.extend(progress, meant(reply.progress))
        else:
            error = meant(reply.error) or UNEXPLAINED[reply.outcome]
        return Reflection(
            outcome=reply.outcome, error=error, progress=progress, made_by="model", subgoal_reached=reached
        )

    @classmethod
    def extend(cls, progress: str, addition: str) -> str:
        """Return the progress with ``addition``, which the reply says of the action."""
        return add_lines(progress, addition)


class PaperReflector(Reflector):
    """Write the whole progress anew, as in the paper."""

    writes = ReflectReply
    asks_also = ReflectSubgoalReply

    @classmethod
    def extend(cls, progress: str, addition: str) -> str:
        """Return the progress that the reply gives, or the one before if it gives none."""
        return addition or progress
