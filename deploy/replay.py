"""Replay a run's recorded requests to a model server. No action in the replies is carried out."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Self

from pydantic import Field

from manyhands.actors.mllm import Dialect, ModelSettings, dialect_named, parse, restore_request
from manyhands.actors.mllm.client.answers import ChatCompletion, read_completion
from manyhands.actors.mllm.client.errors import ErrorStatus, RequestFailed
from manyhands.actors.mllm.client.transport import Transport
from manyhands.actors.mllm.load.pool import bounded_wait_s
from manyhands.actors.mllm.request.bodies import TOKEN_FIELDS
from manyhands.actors.profiles import agent_that_reads
from manyhands.actors.roles import UNREADABLE
from manyhands.evaluation.recorded_calls import RecordedCall, recorded_dialect
from manyhands.evaluation.replay_report import ReadAnswer, Replayed
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import Input, Message, Reply
from manyhands.protocol.errors import (
    BadInput,
    DeadlinePassed,
    ManyhandsError,
    ModelError,
    ModelRefused,
    ModelUnreachable,
    ReplyUnusable,
    StoreError,
    first_error,
)
from manyhands.protocol.messages import CallContext, ModelCall, Usage
from manyhands.protocol.profiles import registered_profiles
from manyhands.protocol.roles.replies import in_form
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from manyhands.protocol.utilities.terminal_text import count_noun
from manyhands.rollouts.pictures import Pictures


def recorded_dialects(
    run: RunFolder, calls: Iterable[RecordedCall], name: str | None = None, max_pixels: int | None = None
) -> dict[Role, Dialect]:
    """Return the dialect of each role that was asked; ``name`` and ``max_pixels`` replace the recorded ones.

    Raises StoreError if run.yaml names no dialect, BadInput if it names an unknown one.
    """
    dialects: dict[Role, Dialect] = {}
    for role in dict.fromkeys(call.role for call in calls):
        dialect, cap = recorded_dialect(run, role)
        dialects[role] = dialect_named(name or dialect, max_pixels or cap)
    return dialects


def target_dialects(
    run: RunFolder, calls: Sequence[RecordedCall], name: str | None, max_pixels: int | None
) -> dict[Role, Dialect]:
    """Return the dialect of the model to ask, for each role; by default the recorded one.

    Raises BadInput unless both dialects have the same coordinates on every screenshot: a recorded prompt lists its
    elements in the coordinates of its own model.
    """
    recorded, dialects_now = recorded_dialects(run, calls), recorded_dialects(run, calls, name, max_pixels)
    for role, size in dict.fromkeys((call.role, call.known.size) for call in calls):
        before, now = recorded[role].extent(size), dialects_now[role].extent(size)
        if before != now:
            raise BadInput(
                f"--dialect {dialects_now[role].name}: the run's prompts have coordinates of {recorded[role].name}, "
                f"which on a screen of {_by(size)} run to {_by(before)} and not to {_by(now)}; replay to a model of "
                "the same convention, or record a run with the other dialect"
            )
    return dialects_now


def _by(size: Size) -> str:
    return f"{size.width}x{size.height}"


def read_reply(recorded: RecordedCall, text: str, dialect: Dialect) -> Message:
    """Return the plan, action, verdict or notes that ``text`` means as an answer to ``recorded``. Raises UNREADABLE.

    The journal does not hold the progress and the notes before the call, only the prompt does. So verdicts B and C,
    which leave the progress unchanged, get an empty progress here, and of replies that add to the progress or the
    notes only the addition is compared.
    """
    reply_type = _reply_type(recorded.call.reply_type)
    kind = agent_that_reads(reply_type)
    if kind is None:
        raise ReplyUnusable(f"a journal does not hold what the {recorded.role.spec.agent} was asked about")
    reading: Message = kind.read(parse(in_form(reply_type, dialect.form), text), recorded.known, dialect)
    return reading


def _reply_type(name: str) -> type[Reply]:
    """Return the type of a reply by its name. Raises ReplyUnusable if its profile is not installed here."""
    types = registered_profiles().reply_types
    if name not in types:
        raise ReplyUnusable(f"the reply {name} is of no profile that is installed here; install its package")
    return types[name]


RETRIES = 2
"""The number of retries after failures that may pass.

The pause before a retry grows. If the server asks for a longer pause (Retry-After), that one is kept.
"""
PAUSE_S = 0.5
"""Pause before the second attempt at a request. Before the third attempt it is twice as long, and so on."""
UNSENT_FIELDS = frozenset({"priority", *TOKEN_FIELDS})
"""Fields of a recorded request that affect its place in the queue or what is told beside the answer, not the answer."""


class ReplaySettings(Input):
    """Say where and how requests are sent."""

    url: str
    model: str
    api_key_env: str | None = None
    """Name of the environment variable that holds the server's key."""
    concurrency: int = Field(ge=1, le=1024)
    repeat: int = Field(ge=1)
    """How often each request is sent."""
    timeout_s: float = Field(gt=0)
    """Limit of one request, including its retries."""


class Replayer:
    """Send requests while the context is open. Cancelling ``replay`` closes the connections."""

    def __init__(self, settings: ReplaySettings, run: RunFolder, dialects: Mapping[Role, Dialect]) -> None:
        self._settings = settings
        self._pictures = Pictures(run)
        self._dialects = dialects
        self._transport = Transport(
            ModelSettings(
                urls=(settings.url,),
                model=settings.model,
                api_key_env=settings.api_key_env,
                timeout_s=2 * settings.timeout_s,  # never reached: the deadline of the whole request is shorter
            )
        )

    async def __aenter__(self) -> Self:
        """Open connections. Raises BadInput if the key's variable is not set."""
        self._transport.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close connections."""
        await self._transport.close()

    async def replay(self, calls: Sequence[RecordedCall], on_result: Callable[[Replayed], None]) -> None:
        """Send all requests, and pass each result to ``done`` when it arrives, in any order.

        A request that fails raises nothing. What ``done`` raises ends the replay.
        """
        waiting = iter(enumerate(calls))
        with first_error():
            async with asyncio.TaskGroup() as workers:
                for _ in range(min(self._settings.concurrency, len(calls))):
                    workers.create_task(self._work(waiting, on_result))

    async def _work(self, waiting: Iterator[tuple[int, RecordedCall]], on_result: Callable[[Replayed], None]) -> None:
        for number, recorded in waiting:
            now = [await self._ask(recorded) for _ in range(self._settings.repeat)]
            on_result(
                Replayed(
                    number=number,
                    episode=recorded.episode,
                    step=recorded.step,
                    turn=recorded.turn,
                    role=recorded.role,
                    recorded=recorded_answer(recorded, self._dialects[recorded.role]),
                    now=tuple(now),
                )
            )

    async def _ask(self, recorded: RecordedCall) -> ReadAnswer:
        began = time.perf_counter()
        try:
            content = await asyncio.to_thread(self._content, recorded.call)
            began = time.perf_counter()
            answer = await self._send(content, recorded)
        except (ModelError, DeadlinePassed, StoreError, BadInput) as error:
            return _failed(error, _ms_since(began))
        dialect = self._dialects[recorded.role]
        return _read(recorded, answer.text, answer.cut_off, _ms_since(began), answer.counted(), dialect)

    def _content(self, call: ModelCall) -> bytes:
        request = {name: value for name, value in call.request.items() if name not in UNSENT_FIELDS}
        request["model"] = self._settings.model
        return restore_request(call.model_copy(update={"request": request}), self._pictures.of(request))

    async def _send(self, content: bytes, recorded: RecordedCall) -> ChatCompletion:
        """Send one request. Raises DeadlinePassed, ModelRefused, ModelUnreachable."""
        deadline = HOST_CLOCK.now() + self._settings.timeout_s
        context = CallContext(episode=recorded.episode, step=recorded.step, deadline=deadline)
        try:
            async with asyncio.timeout(self._settings.timeout_s):
                return await self._attempts(content, context)
        except TimeoutError:
            waited = f"{self._settings.timeout_s:g} s"
            raise DeadlinePassed(f"{self._settings.url} did not answer within {waited}") from None

    async def _attempts(self, content: bytes, context: CallContext) -> ChatCompletion:
        url = self._settings.url.rstrip("/")
        for attempt in itertools.count(1):
            try:
                return read_completion(url, await self._transport.post(url, content, context))
            except RequestFailed as error:
                if not error.retried:
                    raise ModelRefused(str(error)) from error
                if attempt > RETRIES:
                    raise ModelUnreachable(
                        f"no answer after {count_noun(attempt, 'attempt')}; the last: {error}"
                    ) from error
                asked_for_s = error.retry_after_s if isinstance(error, ErrorStatus) else None
                pause = max(bounded_wait_s(asked_for_s), PAUSE_S * attempt)
            await asyncio.sleep(pause)
        raise AssertionError("unreachable")


def recorded_answer(recorded: RecordedCall, dialect: Dialect) -> ReadAnswer:
    """Return the recorded answer, read in the same way as the new one, so that only the models differ."""
    call = recorded.call
    if call.reply is None:
        return ReadAnswer(
            text=None,
            reading=None,
            code="no_reply",
            error=call.error or "no reply was recorded",
            latency_ms=call.latency_ms,
            usage=call.usage,
        )
    # The journal does not record why an answer ended. An answer with as many tokens as were allowed was cut off.
    longest = call.request.get("max_tokens")
    cut_off = isinstance(longest, int) and call.usage.output_tokens >= longest
    return _read(recorded, call.reply, cut_off, call.latency_ms, call.usage, dialect)


def _read(
    recorded: RecordedCall, text: str, cut_off: bool, latency_ms: float, usage: Usage, dialect: Dialect
) -> ReadAnswer:
    """Read an answer, recorded or new."""
    try:
        if cut_off:  # in a run, roles also refuse a reply that was cut off, even if it can be read
            raise ReplyUnusable("the answer was cut off at its longest")
        reading = read_reply(recorded, text, dialect)
    except UNREADABLE as error:
        return ReadAnswer(
            text=text, reading=None, code=error.code, error=str(error), latency_ms=latency_ms, usage=usage
        )
    return ReadAnswer(text=text, reading=reading, latency_ms=latency_ms, usage=usage)


def _failed(error: ManyhandsError, latency_ms: float) -> ReadAnswer:
    return ReadAnswer(text=None, reading=None, code=error.code, error=str(error), latency_ms=latency_ms, usage=Usage())


def _ms_since(began: float) -> float:
    return (time.perf_counter() - began) * 1000
