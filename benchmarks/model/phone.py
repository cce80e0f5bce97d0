"""Play a phone that asks a model without a pause: it makes the calls of recorded episodes again, in their order.

Phones that replay the same recording would share all their pictures in a server's caches, as no real phones do. So each
phone shows pictures with a small square of its own in a corner, and begins its conversation with a line of its own. The
system text stays the same for all phones, as in a run.
"""

from __future__ import annotations

import asyncio
import functools
import hashlib
import itertools
import time
from collections.abc import Mapping, Sequence
from typing import Any

from manyhands.actors.frames import encode_jpeg, make_jpeg
from manyhands.actors.mllm import Dialect, parse
from manyhands.actors.mllm.client.answers import ChatCompletion, read_completion
from manyhands.actors.mllm.client.errors import RequestFailed
from manyhands.actors.mllm.client.transport import Transport
from manyhands.actors.mllm.request.bodies import IMAGE_MARK, wire_body
from manyhands.actors.roles import UNREADABLE
from manyhands.benchmarks.model.figures import CallFate, CallSample, SampleLog, StepSample
from manyhands.benchmarks.model.recording import CallSequence, OrderedCall
from manyhands.deploy.replay import read_reply
from manyhands.evaluation.recorded_calls import RecordedCall, shown_ids
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.errors import CaptureFailed, StoreError
from manyhands.protocol.messages import CallContext
from manyhands.protocol.profiles import registered_profiles
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.crops import parse_content_id
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from manyhands.rollouts.pictures import read_screen

KEPT_SCREENS = 48
"""The number of decoded screens that are cached."""
KEPT_JPEGS = 512
"""The number of JPEGs that are cached. A phone shows a screen in several calls, one after another."""
UNSENT_FIELDS = frozenset({"priority"})
_SIDE = 16
"""The side of the square in pixels. It fills one or two of the blocks in which a JPEG is encoded."""


class VariedRequests:
    """Make the bytes of recorded requests for many phones. May be used by several threads."""

    def __init__(self, folder: RunFolder, model: str) -> None:
        """``model``: the name by which the server knows its model."""
        self._folder = folder
        self._model = model
        self._screen = functools.lru_cache(KEPT_SCREENS)(functools.partial(read_screen, folder))
        self._jpeg = functools.lru_cache(KEPT_JPEGS)(self._encode)

    def make(self, request: Mapping[str, Any], phone: str) -> bytes:
        """Return the body to send for a phone. Equal ``phone`` gives equal bytes. Blocks. Raises StoreError."""
        body = {name: value for name, value in request.items() if name not in UNSENT_FIELDS}
        body["model"] = self._model
        body["messages"] = _rename(request["messages"], phone)
        images = {f"{content}~{phone}": self._jpeg(content, phone) for content in shown_ids(request)}
        return wire_body(body, images)

    def _encode(self, content: str, phone: str) -> bytes:
        picture = parse_content_id(content)
        if picture.source != content:
            try:
                return make_jpeg(self._jpeg(picture.source, phone), picture)
            except CaptureFailed as error:
                raise StoreError(f"{self._folder.path}: {content} cannot be made again: {error}") from error
        rgb = self._screen(content).copy()
        rgb[-_SIDE:, -_SIDE:] = tuple(hashlib.blake2b(phone.encode(), digest_size=3).digest())
        return encode_jpeg(rgb)


def _rename(messages: Sequence[Mapping[str, Any]], phone: str) -> list[Mapping[str, Any]]:
    """Return the conversation with pictures that are named for the phone, and the phone's line at its beginning."""
    renamed: list[Mapping[str, Any]] = []
    is_marked = False
    for message in messages:
        content = message["content"]
        if not isinstance(content, str):
            content = [_named_picture(part, phone) for part in content]
        if message["role"] == "user" and not is_marked:
            content, is_marked = _mark(content, phone), True
        renamed.append({**message, "content": content})
    return renamed


def _named_picture(part: Mapping[str, Any], phone: str) -> Mapping[str, Any]:
    if part["type"] != "image_url":
        return part
    content = part["image_url"]["url"].removeprefix(IMAGE_MARK)
    name = f"{content}~{phone}"
    return {**part, "uuid": name, "image_url": {"url": IMAGE_MARK + name}}


def _mark(content: str | list[Mapping[str, Any]], phone: str) -> str | list[Mapping[str, Any]]:
    line = f"(phone {phone})\n"
    if isinstance(content, str):
        return line + content
    return [{"type": "text", "text": line}, *content]


PAUSE_S = 0.5
"""How long a phone waits after a call that failed, so that a server that refuses is not asked thousands of times."""


class ReplayPhone:
    """Play episodes in turn, for ever. Each has pictures and a first line of its own."""

    def __init__(
        self,
        number: int,
        sequences: Sequence[CallSequence],
        requests: VariedRequests,
        transport: Transport,
        url: str,
        dialects: Mapping[Role, Dialect],
        log: SampleLog,
        timeout_s: float,
    ) -> None:
        """``number`` chooses the first episode, and the step with which this phone begins.

        So phones are at different steps.
        """
        self._number = number
        self._sequences = sequences
        self._requests = requests
        self._transport = transport
        self._url = url
        self._dialects = dialects
        self._log = log
        self._timeout_s = timeout_s
        self.answered = asyncio.Event()
        """Is set once a call of this phone has ended."""

    async def run(self, salt: str) -> None:
        """Play until the task is cancelled. ``salt``: a text that no earlier measurement used.

        Raises StoreError if the recording lacks a picture.
        """
        for turn in itertools.count():
            sequence = self._sequences[(self._number + turn) % len(self._sequences)]
            skipped = self._number // len(self._sequences) % sequence.steps if turn == 0 else 0
            await self._play(sequence, f"{salt}-{self._number}-{turn}", skipped)

    async def _play(self, sequence: CallSequence, name: str, skipped: int) -> None:
        """Play an episode without its first steps. A call begins when all calls that it waits for have ended."""
        first = sorted({call.recorded.step for call in sequence.calls})[skipped]
        finished = [asyncio.Event() for _ in sequence.calls]
        clock = _StepClock(self._log)
        async with asyncio.TaskGroup() as group:
            for index, call in enumerate(sequence.calls):
                if call.recorded.step < first:
                    finished[index].set()
                else:
                    group.create_task(self._call(call, index, finished, name, clock))
        clock.end()

    async def _call(
        self, call: OrderedCall, index: int, finished: Sequence[asyncio.Event], name: str, clock: _StepClock
    ) -> None:
        for other in call.after:
            await finished[other].wait()
        body = await asyncio.to_thread(self._requests.make, call.recorded.call.request, name)
        began = time.perf_counter()
        clock.call_begins(call.recorded.step, began)
        sample = await self._ask(call.recorded, body, name, began)
        self._log.calls.append(sample)
        self.answered.set()
        if sample.fate == "failed":
            await asyncio.sleep(PAUSE_S)
        finished[index].set()

    async def _ask(self, call: RecordedCall, body: bytes, name: str, began: float) -> CallSample:
        deadline = HOST_CLOCK.now() + self._timeout_s
        context = CallContext(episode=name, step=call.step, deadline=deadline)
        try:
            async with asyncio.timeout(self._timeout_s):
                answer = read_completion(self._url, await self._transport.post(self._url, body, context))
        except TimeoutError:
            error = f"no answer within {self._timeout_s:g} s"
            return CallSample(call.role, began, time.perf_counter(), "failed", error=error)
        except RequestFailed as failure:
            return CallSample(call.role, began, time.perf_counter(), "failed", error=str(failure))
        ended = time.perf_counter()
        fate, error = self._judge(call, answer)
        return CallSample(call.role, began, ended, fate, answer.counted(), error)

    def _judge(self, call: RecordedCall, answer: ChatCompletion) -> tuple[CallFate, str]:
        """Return whether the answer is a valid reply, and why not."""
        if answer.cut_off:
            return "cut_off", "the answer was cut off at max_tokens"
        try:
            if call.role.spec.in_steps:
                read_reply(call, answer.text, self._dialects[call.role])
            elif (kind := registered_profiles().reply_types.get(call.call.reply_type)) is not None:
                parse(kind, answer.text)
        except UNREADABLE as error:
            return "invalid", str(error)
        return "valid", ""


class _StepClock:
    """Log each step of an episode when the next one begins."""

    def __init__(self, log: SampleLog) -> None:
        self._log = log
        self._step = -1
        self._began = 0.0

    def call_begins(self, step: int, now: float) -> None:
        """Note a call. A step ends when a call of a later step begins."""
        if step > self._step:
            self._end(now)
            self._step, self._began = step, now

    def end(self) -> None:
        """End the last step."""
        self._end(time.perf_counter())

    def _end(self, now: float) -> None:
        if self._step >= 0:
            self._log.steps.append(StepSample(self._began, now))
