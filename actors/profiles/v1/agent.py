"""Ask the agent of v1. The agent continues one chat. In between it answers two other kinds of questions."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from cachetools import LRUCache

from manyhands.actors.frames import ModelImage, make_image
from manyhands.actors.mllm import Dialect, Prompt
from manyhands.actors.mllm.formats import format_body
from manyhands.actors.mllm.request.bodies import ChatTurn
from manyhands.actors.profiles.v1.requests import (
    ChatSoFar,
    ChatStep,
    Choice,
    ChoiceRequest,
    CompletionAnswer,
    CompletionRequest,
)
from manyhands.actors.prompts import Prompts, brief_parts
from manyhands.actors.roles import ActingRole, RoleSettings
from manyhands.protocol.base import Reply
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.messages import Answered, CallContext
from manyhands.protocol.profiles.v1 import ChooseReply, CompleteReply, OperateReply
from manyhands.protocol.roles.requests import AnswerRequest, ReplyContext
from manyhands.protocol.roles.sections import one_line
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.runs.limits import Limits
from manyhands.protocol.screens.crops import PromptPicture
from manyhands.protocol.screens.geometry import Size

Asked = ChatSoFar[Any] | ChoiceRequest
KEPT_PICTURES = 256
"""How many pictures one process keeps, for all phones. A chat shows each of its pictures many times."""
NOTHING = "(nothing)"
"""The text in the place of an answer that never came."""


class ChatAgent(ActingRole[Any, Any]):
    """Choose operations, places and the end. The agent keeps prepared pictures, and no state of any episode."""

    writes = OperateReply
    also_writes = (*ActingRole.also_writes, ChooseReply, CompleteReply)

    def __init__(self, settings: RoleSettings) -> None:
        super().__init__(settings)
        self._made: LRUCache[str, ModelImage] = LRUCache(KEPT_PICTURES)

    @classmethod
    def shows(cls, settings: EpisodeSettings, usual: Size) -> tuple[Size, ...]:
        """Return the sizes of the pictures of the largest chat."""
        count = Limits().max_steps if settings.paper_exact else settings.chat_pictures
        return (PromptPicture("", half=True).size(usual),) * count

    def reply(self, request: Asked) -> type[Reply]:
        """Return the type of the reply that a request asks for."""
        return reply_to(request)

    @classmethod
    def prompt(cls, prompts: Prompts, request: Asked, images: Sequence[ModelImage]) -> Prompt:
        """Return the chat so far, or the messages before a choice. ``images``: those of ``request.pictures``."""
        size = request.screenshots[-1].size
        system = f"{prompts.system(size)}\n\n{prompts.text('brief', brief_parts(request.brief))}"
        form = format_body(reply_to(request), prompts.output, prompts.dialect.extent(size))
        if isinstance(request, ChoiceRequest):
            own = {"words": one_line(request.words), "count": str(len(images)), "format": form}
            turn = ChatTurn(request.answer or NOTHING, (*images, prompts.text("choose", own)))
            return Prompt(system, (prompts.text("before_choice", {}),), (turn,))
        completing = isinstance(request, CompletionRequest)
        return _chat(prompts, system, request.chat, iter(images), completing)

    @classmethod
    def read(cls, reply: Any, reply_context: ReplyContext, dialect: Dialect) -> Any:
        """Return what a reply means.

        Raises NotAnAction, and ReplyUnusable for the number of a place that was not shown.
        """
        match reply:
            case ChooseReply():
                number = int(reply.choice)
                if number > len(reply_context.elements):
                    raise ReplyUnusable(f"there is no place {number}; there are {len(reply_context.elements)}")
                return Choice(thought=reply.thought, number=number)
            case CompleteReply():
                complete = reply.status == "complete"
                return CompletionAnswer(thought=reply.thought, complete=complete, missing=reply.missing)
            case _:
                return super().read(reply, reply_context, dialect)

    async def answer(self, request: Asked, context: CallContext, *images: ModelImage) -> Answered[Any]:
        """Return the answer to a request. ``images``: those of the request's screenshots.

        An invalid operation becomes a Decision with a problem. For the other two questions, an invalid reply raises
        ReplyUnusable. Raises ModelError.
        """
        if isinstance(request, AnswerRequest):
            return await super().answer(request, context, *images)
        chat_images = await self._pictures(request.pictures, images)
        if reply_to(request) is OperateReply:
            return await super().answer(request, context, *chat_images)
        return await super(ActingRole, self).answer(request, context, *chat_images)

    async def _pictures(self, pictures: Sequence[PromptPicture], images: Sequence[ModelImage]) -> list[ModelImage]:
        """Return the pictures that a request shows. Raises CaptureFailed.

        Other requests are answered at the same time. So only the event loop changes the cache, never a thread.
        """
        sources = {image.content_id: image for image in images}
        image_by_id = {one.content_id: self._made[one.content_id] for one in pictures if one.content_id in self._made}
        missing = [one for one in pictures if one.content_id not in image_by_id]

        def make() -> list[ModelImage]:
            return [make_image(sources[one.source], one) for one in missing]

        image_by_id.update((image.content_id, image) for image in await asyncio.to_thread(make))
        for one in pictures:
            if one.half:
                self._made[one.content_id] = image_by_id[one.content_id]
        return [image_by_id[one.content_id] for one in pictures]


def reply_to(request: Asked) -> type[Reply]:
    """Return the type of the reply that a request asks for."""
    match request:
        case ChoiceRequest():
            return ChooseReply
        case CompletionRequest():
            return CompleteReply
        case _:
            return OperateReply


def _chat(
    prompts: Prompts, system: str, chat: Sequence[ChatStep], images: Iterator[ModelImage], completing: bool
) -> Prompt:
    """Return the steps as turns. Earlier turns stay as they were sent, except for pictures that are left out."""
    question = (_question(prompts),)
    content = _content(prompts, chat[0], images, first=True)
    turns: list[ChatTurn] = []
    for before, step in pairwise(chat):
        answer = before.answer
        if before.completion is not None:
            turns.append(ChatTurn(answer or NOTHING, question))
            answer = before.completion
        turns.append(ChatTurn(answer or NOTHING, _content(prompts, step, images, first=False)))
    if completing:
        turns.append(ChatTurn(chat[-1].answer or NOTHING, question))
    return Prompt(system, content, tuple(turns))


def _content(
    prompts: Prompts, step: ChatStep, images: Iterator[ModelImage], first: bool
) -> tuple[str | ModelImage, ...]:
    app = prompts.app_in_front(step.screenshot)
    text = prompts.text("step", {"first": first, "told": step.told, "shown": step.shown, "app": app})
    return (next(images), text) if step.shown else (text,)


def _question(prompts: Prompts) -> str:
    """Return the question whether the task is complete, always in the same words. Its answer has no coordinates."""
    extent = prompts.dialect.extent(Size(width=1, height=1))
    return prompts.text("complete", {"format": format_body(CompleteReply, prompts.output, extent)})
