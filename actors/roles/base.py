"""What the roles share: the model is asked, its answer is parsed, and it is asked once more where that fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, Generic, TypeVar

from manyhands.actors.mllm import Completion, Dialect, ModelClient, ModelSettings, Prompt, read
from manyhands.actors.mllm.request.repair import repairing
from manyhands.actors.profiles.e.prompts import Prompts
from manyhands.protocol.base import Input, Message, Reply
from manyhands.protocol.errors import CallError, ModelAway, ModelError, NoRoom, ReplyUnusable
from manyhands.protocol.messages import Answered, CallContext, ModelCall, ModelCounts
from manyhands.protocol.roles import Role
from manyhands.protocol.runs import Profile

R = TypeVar("R", bound=Reply)
T = TypeVar("T", bound=Message)


class RoleSettings(Input):
    """A role's model and the profile whose prompts it uses."""

    model: ModelSettings
    profile: Profile = "e"


def _no_problem(_: Message) -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class Question(Generic[R, T]):
    """What a model is asked, and how its reply is read."""

    prompt: Prompt
    reply: type[R]
    read: Callable[[R], T]
    """Raises ReplyUnusable."""
    problem: Callable[[T], str | None] = _no_problem
    """What is wrong with a value that stands all the same if the model cannot mend it; None: nothing."""


@dataclass(frozen=True, slots=True)
class _Reading(Generic[T]):
    """What an answer came to: a value, or none; and the reason why the model should be asked again."""

    completion: Completion
    value: T | None
    problem: str | None


class ModelRole:
    """A role that asks a model. It holds prompts and a client, and nothing of any episode.

    The client enforces each call's deadline and the admission limits.
    """

    role: ClassVar[Role]

    def __init__(self, settings: RoleSettings) -> None:
        self._client = ModelClient(settings.model)
        self._prompts = Prompts(self._client.dialect, settings.model.output)

    async def start(self) -> None:
        """Raises BadInput, ModelUnreachable (where the model's name has to be asked)."""
        await self._client.start()

    async def stop(self) -> None:
        await self._client.stop()

    async def counts(self) -> tuple[ModelCounts, ...]:
        """Implements ``actors.seams.Counted``: of this process, since it was started."""
        return (self._client.counts(),)

    @property
    def dialect(self) -> Dialect:
        return self._client.dialect

    async def ask(self, question: Question[R, T], route: str, context: CallContext) -> Answered[T]:
        """What the model replies, with its calls. ``route`` is the phone's serial: it keeps to one server.

        A reply that is unusable, or has a problem, is told the model once (``ModelSettings.repairs``); where that
        is not answered, the first reply stands. Raises ReplyUnusable with the calls, what ModelClient.complete
        raises for the first one; NoRoom, with the calls, where a speculative call cannot be repaired now; and ModelAway
        where no server answers any more.
        """
        reading = self._read(question, await self._complete(question, question.prompt, route, context))
        calls: tuple[ModelCall, ...] = (reading.completion.call,)
        if reading.problem is not None and self._client.settings.repairs:
            said = reading.completion
            prompt = repairing(question.prompt, said.text, reading.problem, said.cut_off)
            try:
                mended = self._read(question, await self._complete(question, prompt, route, context))
                calls = (*calls, mended.completion.call)
                if mended.value is not None or reading.value is None:
                    reading = mended
            except ModelAway as error:  # not asked again now, for nobody is there: what it says will count then
                error.calls = (*calls, *error.calls)
                raise
            except NoRoom as error:  # not asked again now: what it says depends on the screen, not on the load
                raise NoRoom(str(error), calls=calls) from None
            except (ModelError, CallError) as error:
                calls = (*calls, *error.calls)
        if reading.value is None:
            raise ReplyUnusable(reading.problem or "the answer is no reply", calls=calls)
        return Answered(value=reading.value, calls=calls, queue_ms=sum(call.queue_ms for call in calls))

    async def _complete(self, question: Question[R, T], prompt: Prompt, route: str, context: CallContext) -> Completion:
        return await self._client.complete(self.role, prompt, question.reply, route, context)

    def _read(self, question: Question[R, T], completion: Completion) -> _Reading[T]:
        try:
            if completion.cut_off:
                # Not even where it can be read: a number that was cut off is another place on the screen.
                raise ReplyUnusable("the answer was cut off at its longest")
            found = read(question.reply, completion.text)
            completion = _with_cut(completion, found.cut)
            value = question.read(found.reply)
        except ReplyUnusable as error:
            self._client.unusable(completion.call)
            return _Reading(completion, None, str(error))
        problem = question.problem(value)
        if problem is not None:
            self._client.unusable(completion.call)
        return _Reading(completion, value, problem)


def _with_cut(completion: Completion, cut: tuple[str, ...]) -> Completion:
    """Return ``completion`` with the record of its call saying which texts of its reply were cut."""
    return replace(completion, call=completion.call.model_copy(update={"cut": cut})) if cut else completion


_NOTHING = frozenset({"", "none", "none yet", "n/a", "null"})


def meant(text: str) -> str:
    """``text`` stripped, and empty where a model has written out that there is nothing."""
    stripped = text.strip()
    return "" if stripped.strip(".").lower() in _NOTHING else stripped
