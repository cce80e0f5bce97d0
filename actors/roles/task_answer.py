"""Ask for the answer of a task that asks for information.

In every profile, the role that chooses actions gives the answer.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import Prompt
from manyhands.actors.prompts import Prompts
from manyhands.actors.prompts.parts import Parts, or_none_yet
from manyhands.actors.roles.base import RoleQuestion
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.roles.answer_reply import AnswerReply, answer_reply
from manyhands.protocol.roles.requests import AnswerRequest
from manyhands.protocol.roles.sections import one_line
from manyhands.protocol.tasks.answers import AnswerSpec, GivenAnswer


def answer_question(
    prompts: Prompts, request: AnswerRequest, images: Sequence[ModelImage]
) -> RoleQuestion[AnswerReply, GivenAnswer]:
    """Return the question for an answer that fits.

    A reply that does not fit is sent back to the model once, with the reason.
    """
    return RoleQuestion(
        prompt=answer_prompt(prompts, request, images),
        reply=answer_reply(request.wanted.wanted),
        read=lambda reply: (read_answer(reply, request.wanted), None),
    )


def answer_prompt(prompts: Prompts, request: AnswerRequest, images: Sequence[ModelImage]) -> Prompt:
    """Show the goal, the last screen, all that is known, and the schema of the answer.

    The prompt needs no system text of a profile, because nothing more is done on the phone.
    """
    screen, brief = request.screen, request.brief
    task: Parts = {"goal": or_none_yet(brief.goal), "hints": or_none_yet(brief.hints, "None")}
    own: Parts = {
        "screen": None if screen is None else prompts.screen_text(screen, request.screenshot),
        "progress": or_none_yet(request.progress),
        "notes": or_none_yet(request.notes),
        "history": prompts.history(request.history, request.screenshot.size, brief.shortcuts) or "None",
        "schema": json.dumps(request.wanted.wanted, ensure_ascii=False),
        "given": or_none_yet(request.given) if request.given else None,
        "problem": one_line(request.problem),
        "format": prompts.format(AnswerReply, request.screenshot.size),
    }
    return Prompt("", (prompts.text("answer_brief", task), *images, prompts.text("answer", own)))


def read_answer(reply: AnswerReply, spec: AnswerSpec | None) -> GivenAnswer:
    """Return the answer of a reply. Raises ReplyUnusable if the answer does not fit ``spec``.

    Without ``spec``, any answer fits.
    """
    problem = None if spec is None else spec.problem(reply.answer)
    if problem is not None:
        raise ReplyUnusable(problem)
    return GivenAnswer.of(reply.answer)
