"""Ask a model for a role, parse its reply, and ask once more if the reply is invalid. All roles share this.

Before any task begins, one request of the role goes to every server of its model. This finds a server that would refuse
the requests of every task: it accepts no pictures, or too few, or no JSON schemas, or its context is too short.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from manyhands.actors.frames import ModelImage, content_id, encode_jpeg
from manyhands.actors.mllm import (
    Completion,
    Dialect,
    ModelClient,
    ModelSettings,
    Prompt,
    dialect_named,
    read,
    try_question,
)
from manyhands.actors.mllm.request.bodies import add_repair_turn
from manyhands.actors.prompts import Prompts
from manyhands.protocol.base import Input, Message, Reply
from manyhands.protocol.errors import CallError, ModelAway, ModelError, ReplyUnusable, SpeculationRefused
from manyhands.protocol.messages import Answered, CallContext, ModelCall, ModelCounts, PartialReply
from manyhands.protocol.profiles import registered_profiles
from manyhands.protocol.roles.replies import in_form, with_following, without_actions
from manyhands.protocol.roles.requests import ReplyContext, Request
from manyhands.protocol.roles.role import USUAL_REPLIES, Role
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.screens.actions import ASK
from manyhands.protocol.screens.geometry import Size

USUAL = Size(width=1080, height=2400)
"""The usual size of a screenshot."""

Q = TypeVar("Q", bound=Request[Any])
R = TypeVar("R", bound=Reply)
T = TypeVar("T", bound=Message)


class RoleSettings(Input):
    """Configure a role's model and the prompts that it uses."""

    model: ModelSettings
    templates: str = "manyhands.actors.profiles.e"
    """The profile's package: prompts are in its folder ``prompts``."""
    replies: tuple[type[Reply], ...] = USUAL_REPLIES
    """The types of the replies that the profile's roles write. The shared system prompt explains each of them."""
    not_offered: frozenset[str] = frozenset({ASK})
    """Actions that the operator may not choose in this run."""
    actions_per_call: int = 1
    """How many actions a reply may hold at most, if it can hold several."""
    paper_exact: bool = False
    """Whether the prompts are those of the setting ``paper_exact``."""
    shows_pictures: bool = True
    """Whether the model is shown pictures."""

    @property
    def offered_replies(self) -> tuple[type[Reply], ...]:
        """Return the replies as the run's models may write them."""
        return tuple(map(self.offered, self.replies))

    def offered(self, reply: type[R]) -> type[R]:
        """Return a reply without the actions that are not offered, and with those that may follow."""
        return with_following(without_actions(reply, self.not_offered), self.actions_per_call)

    def prompts(self) -> Prompts:
        """Return the prompts of the profile, for the dialect and the output format of the model."""
        dialect = dialect_named(self.model.dialect, self.model.max_pixels)
        return Prompts(
            dialect,
            self.model.output,
            self.templates,
            self.offered_replies,
            paper_exact=self.paper_exact,
            shows_pictures=self.shows_pictures,
        )


@dataclass(frozen=True, slots=True)
class RoleQuestion(Generic[R, T]):
    """Hold what a model is asked, and how its reply is read."""

    prompt: Prompt
    reply: type[R]
    read: Callable[[R], tuple[T, str | None]]
    """Return the value of a reply, and what is wrong with it if the model should correct it. Raises ReplyUnusable."""
    doubt: Callable[[T], str | None] = lambda value: None
    """Return why the model should think again about a reply that is valid. Its server has done nothing wrong."""


@dataclass(frozen=True, slots=True)
class _Reading(Generic[T]):
    """Hold the value of a reply, if it has one, and the reason to ask the model again, if there is one."""

    completion: Completion
    value: T | None
    problem: str | None


class ModelRole(ABC):
    """A role that asks a model. It holds prompts and a client, and no state of any episode.

    The client enforces each call's deadline and the admission limits.
    """

    role: ClassVar[Role]

    def __init__(self, settings: RoleSettings) -> None:
        self._client = ModelClient(settings.model)
        self._offered = settings.offered
        self._prompts = settings.prompts()

    async def start(self) -> None:
        """Open the client. Raises BadInput."""
        await self._client.start()

    async def stop(self) -> None:
        """Close the client."""
        await self._client.stop()

    async def counts(self) -> tuple[ModelCounts, ...]:
        """Return the figures of this process since it was started. Implements ``actors.interfaces.Counted``."""
        return (self._client.counts(),)

    async def partial_replies(self, episode: str) -> tuple[PartialReply, ...]:
        """Return what the model is writing now for an episode. Implements ``actors.interfaces.LiveWriter``."""
        return self._client.partial_replies(episode)

    async def ask(self, question: RoleQuestion[R, T], route: str, context: CallContext) -> Answered[T]:
        """Ask the model and return the value of its reply, with the calls that it took.

        ``route`` is the phone's serial: all calls for one phone go to the same server. A reply that is unusable, or has
        a problem, is sent back to the model once (``ModelSettings.repairs``). If the second reply is no better, the
        first reply stands. Raises ReplyUnusable with the calls, and the errors of ``ModelClient.complete`` for the
        first call. If the second call cannot be made, raises SpeculationRefused with the calls for a speculative call,
        and ModelAway if no server answers. The calls say which reply does not stand (``ModelCall.unused``).
        """
        reading = self._read(question, await self._complete(question, question.prompt, route, context))
        calls: tuple[ModelCall, ...] = (reading.completion.call,)
        if reading.problem is not None and self._client.settings.repairs:
            first = reading.completion
            prompt = add_repair_turn(question.prompt, first.text, reading.problem, first.cut_off)
            try:
                repaired = self._read(question, await self._complete(question, prompt, route, context))
                calls = (*calls, repaired.completion.call)
                if repaired.value is not None or reading.value is None:
                    reading = repaired
            except ModelAway as error:  # no server answers now; the question is asked again later
                error.calls = (*calls, *error.calls)
                raise
            except SpeculationRefused as error:  # asked again later: replies must not depend on the load
                raise SpeculationRefused(str(error), calls=calls) from None
            except (ModelError, CallError) as error:
                calls = (*calls, *error.calls)
        if reading.value is None:
            raise ReplyUnusable(reading.problem or "the reply is not valid", calls=calls)
        calls = _with_unused(calls, reading.completion.call)
        return Answered(value=reading.value, calls=calls, queue_ms=sum(call.queue_ms for call in calls))

    async def _complete(
        self, question: RoleQuestion[R, T], prompt: Prompt, route: str, context: CallContext
    ) -> Completion:
        return await self._client.complete(self.role, prompt, question.reply, route, context)

    def _read(self, question: RoleQuestion[R, T], completion: Completion) -> _Reading[T]:
        try:
            if completion.cut_off:
                # A reply that was cut off is not used even if it can be read: a number that lost digits is another
                # place on the screen.
                raise ReplyUnusable("the answer was cut off at its longest")
            if completion.misplacement:
                raise ReplyUnusable(completion.misplacement)
            kind = in_form(question.reply, self._client.dialect.form)
            parsed = read(kind, completion.text, own_form=question.prompt.is_in_family_form)
            completion = _with_cut(completion, parsed.cut)
            value, problem = question.read(parsed.reply)
        except ReplyUnusable as error:
            self._client.unusable(completion.call)
            return _Reading(completion, None, str(error))
        if problem is None:
            self._client.usable(completion.call)
            problem = question.doubt(value)
        else:
            self._client.unusable(completion.call)
        return _Reading(completion, value, problem)


class StepRole(ModelRole, Generic[Q, R, T]):
    """A role that a stage of a step asks. Implements ``actors.interfaces.Agent``."""

    writes: ClassVar[type[Reply]]
    """The reply that the role's model writes, unless a request asks for another one."""
    also_writes: ClassVar[tuple[type[Reply], ...]] = ()
    """The replies that the model writes if a request asks for something else."""

    @classmethod
    @abstractmethod
    def prompt(cls, prompts: Prompts, request: Q, images: Sequence[ModelImage]) -> Prompt:
        """Return what the model is shown. ``images``: those of ``request.screenshots``."""

    @classmethod
    def shows(cls, settings: EpisodeSettings, usual: Size) -> tuple[Size, ...]:
        """Return the sizes of the pictures in the role's largest request. ``usual``: the size of screenshots."""
        return (usual,) * cls.role.spec.pictures

    def reply(self, request: Q) -> type[R]:
        """Return the type of the reply that a request asks for."""
        model: Any = self._offered(self.writes)  # a class attribute cannot name R
        return model  # type: ignore[no-any-return]

    @classmethod
    @abstractmethod
    def read(cls, reply: R, reply_context: ReplyContext, dialect: Dialect) -> T:
        """Return what a reply means. Raises one of ``actors.roles.UNREADABLE``."""

    async def answer(self, request: Q, context: CallContext, *images: ModelImage) -> Answered[T]:
        """Answer a request about ``images``. Raises ModelError."""
        return await self.ask(self.question(request, images), request.serial, context)

    def question(self, request: Q, images: Sequence[ModelImage]) -> RoleQuestion[R, T]:
        """Return what the model is asked by a request about ``images``."""
        return RoleQuestion(
            prompt=self.prompt(self._prompts, request, images),
            reply=self.reply(request),
            read=lambda reply: self._value(reply, request.reply_context),
        )

    def _value(self, reply: R, reply_context: ReplyContext) -> tuple[T, str | None]:
        return self.read(reply, reply_context, self._client.dialect), None


def _with_unused(calls: tuple[ModelCall, ...], stands: ModelCall) -> tuple[ModelCall, ...]:
    """Return ``calls`` with all but the one whose reply stands noted as unused."""
    return tuple(call if call is stands else call.model_copy(update={"unused": True}) for call in calls)


def _with_cut(completion: Completion, cut: tuple[str, ...]) -> Completion:
    """Return ``completion`` with the texts of its reply that were cut noted in the record of its call."""
    return replace(completion, call=completion.call.model_copy(update={"cut": cut})) if cut else completion


def add_lines(text: str, addition: str) -> str:
    """Return ``text`` with the lines of ``addition`` that it does not have yet."""
    lines = text.splitlines()
    for line in (one.strip() for one in addition.splitlines()):
        if line and line not in lines:
            lines.append(line)
    return "\n".join(lines)


_NOTHING = frozenset({"", "none", "none yet", "n/a", "null"})


def meant(text: str) -> str:
    """Return ``text`` stripped; an empty text if the model wrote in words that there is nothing."""
    stripped = text.strip()
    return "" if stripped.strip(".").lower() in _NOTHING else stripped


async def try_role(settings: RoleSettings, role: Role, sizes: Sequence[Size] | None = None) -> None:
    """Ask every server of a model. The settings must name the model.

    Raises BadInput with the message of a server that refuses.

    ``sizes``: the sizes of the pictures of the role's largest request. The default is as many pictures of the usual
    size as the role declares.
    """
    model = settings.model
    prompt = await asyncio.to_thread(trial_prompt, settings.prompts(), role, sizes)
    writer_of = registered_profiles().writer_of
    reply = next((one for one in settings.offered_replies if writer_of(one) is role), role.spec.replies[0])
    await try_question(model, role, prompt, reply)


def trial_prompt(prompts: Prompts, role: Role, shown_sizes: Sequence[Size] | None = None) -> Prompt:
    """Return a prompt of this role's usual size: its pictures, and the system text if steps ask the role."""
    sizes = (USUAL,) * role.spec.pictures if shown_sizes is None else shown_sizes
    pictures = [_picture(grey, size) for grey, size in enumerate(sizes, start=128)]
    return Prompt(prompts.system(USUAL) if role.spec.in_steps else "", (*pictures, "Nothing is to be done."))


def _picture(grey: int, size: Size) -> ModelImage:
    pixels = np.full((size.height, size.width, 3), grey, np.uint8)
    return ModelImage(content_id=content_id(pixels), jpeg=encode_jpeg(pixels))
