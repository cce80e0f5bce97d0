"""Play a phone that asks a model without a pause: it makes the calls of recorded episodes again, in their order."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Mapping, Sequence

from manyhands.actors.mllm import Dialect, parse
from manyhands.actors.mllm.client.answers import ChatCompletion, read_completion
from manyhands.actors.mllm.client.errors import RequestFailed
from manyhands.actors.mllm.client.transport import Transport
from manyhands.actors.roles import UNREADABLE
from manyhands.deploy.benchmarks.model.recording import CallSequence, OrderedCall
from manyhands.deploy.benchmarks.model.samples import CallFate, CallSample, SampleLog, StepSample
from manyhands.deploy.benchmarks.model.variation import VariedRequests
from manyhands.deploy.replay.readings import read_reply
from manyhands.evaluation.recorded_calls import RecordedCall
from manyhands.protocol.host_clock import HOST_CLOCK
from manyhands.protocol.messages import CallContext
from manyhands.protocol.profiles import registered_profiles
from manyhands.protocol.roles import Role

PAUSE_S = 0.5
"""How long a phone waits after a call that failed, so that a server that refuses is not asked thousands of times."""


class ReplayPhone:
    """Play episodes in turn, for ever. Each has pictures and a first line of its own (``variation``)."""

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
        done = [asyncio.Event() for _ in sequence.calls]
        clock = _StepClock(self._log)
        async with asyncio.TaskGroup() as group:
            for index, call in enumerate(sequence.calls):
                if call.recorded.step < first:
                    done[index].set()
                else:
                    group.create_task(self._call(call, index, done, name, clock))
        clock.end()

    async def _call(
        self, call: OrderedCall, index: int, done: Sequence[asyncio.Event], name: str, clock: _StepClock
    ) -> None:
        for other in call.after:
            await done[other].wait()
        body = await asyncio.to_thread(self._requests.make, call.recorded.call.request, name)
        began = time.perf_counter()
        clock.call_begins(call.recorded.step, began)
        sample = await self._ask(call.recorded, body, name, began)
        self._log.calls.append(sample)
        self.answered.set()
        if sample.fate == "failed":
            await asyncio.sleep(PAUSE_S)
        done[index].set()

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
