"""One stage of one step, as its function sees the episode: what is known, and how to ask collaborators."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from manyhands.actors.clock import time_limit
from manyhands.actors.episode.paused_time import Outage
from manyhands.actors.episode.runtime import EpisodeRuntime
from manyhands.actors.episode.state import EpisodeState
from manyhands.actors.frames import Frame, ModelImage
from manyhands.actors.interfaces import Ref
from manyhands.protocol.base import Message
from manyhands.protocol.errors import CallError, ModelAway, ModelError, ModelUnreachable, Overloaded
from manyhands.protocol.journals.records import Interval, Span, StageResult
from manyhands.protocol.journals.trace_context import traceparent
from manyhands.protocol.messages import Answered, CallContext, ModelCall
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.roles.requests import Brief, Request
from manyhands.protocol.utilities.backoff import Backoff

T = TypeVar("T")
A = TypeVar("A", bound=Message)

GRACE_S = 2.0
"""How long after the deadline the episode itself gives up a call. A role gives up at the deadline, and its error
explains more."""
PAUSES = Backoff(first_s=0.05, longest_s=1.0)
"""The pauses before an overloaded actor is asked again."""
PATIENCE_S = 2.0
"""How long a model call waits for a server to answer before it reports that none does. Before that time has passed, a
server may only be slow."""
MOST_LOST = 5
"""How often a question may be lost with the only server that still answered. The question itself may make
servers fail."""


@dataclass(frozen=True, slots=True)
class Timed(Generic[T]):
    """Hold what a call returned, and when it ran, in Unix seconds.

    This time includes ``waited_ms``, which the call waited for admission.
    """

    value: T
    start: float
    end: float
    waited_ms: float
    away: tuple[Interval, ...] = ()
    """When the call waited because no server of a model answered, or took requests."""
    is_busy: bool = False
    """Whether servers only refused requests in ``away``."""

    def span(self, queue_ms: float = 0.0) -> Span:
        """Return the call's span; ``queue_ms`` more of it was spent in queues."""
        waited_ms = self.waited_ms + queue_ms
        return Span(start=self.start, end=self.end, queue_ms=waited_ms, away=self.away, is_busy=self.is_busy)


class StageContext:
    """Give a stage of one step its view of the episode. It holds no state of its own."""

    def __init__(
        self, runtime: EpisodeRuntime, stage: str, step: int, assumed_state: EpisodeState | None = None
    ) -> None:
        """``assumed_state``: the state as it would be if the stages that still run ended as assumed."""
        self.runtime = runtime
        self.stage = stage
        self.step = step
        self._assumed_state = assumed_state

    @property
    def state(self) -> EpisodeState:
        return self.runtime.journal.state if self._assumed_state is None else self._assumed_state

    @property
    def memory(self) -> LongTermMemory:
        """Return what the episode knows from earlier tasks. It stays the same throughout the episode."""
        started = self.state.started
        assert started is not None, "no stage runs before its episode has started"
        return started.memory

    @property
    def brief(self) -> Brief:
        """Return the task and what is known from earlier ones, as every role is shown them."""
        task, memory, settings = self.runtime.task, self.memory, self.runtime.settings
        return Brief(
            goal=task.goal,
            hints=task.hints,
            phone=None if settings.paper_exact else self.state.phone,
            tips=memory.tips,
            shortcuts=memory.shortcuts,
        )

    @property
    def circling(self) -> str:
        """Return what the agent is told on s(t) of a round that has come again; empty with ``paper_exact``."""
        return "" if self.runtime.settings.paper_exact else self.state.circling(self.step)

    @property
    def _traceparent(self) -> str:
        """Return the step's ``traceparent``. The run keeps the name in the journal if its folder was renamed since."""
        started, order = self.state.started, self.runtime.order
        return traceparent(order.run if started is None else started.run, order.episode, self.step)

    def span(self, start: float | None = None, queue_ms: float = 0.0) -> Span:
        """Return a span that ends now. Without ``start`` the span has no length: the result took no work."""
        now = self.runtime.clock.now()
        start = now if start is None else start
        away = self.runtime.outages.met_by(self.stage, self.step, start, now)
        return Span(start=start, end=now, queue_ms=queue_ms, away=away, is_busy=self._is_busy(away))

    def _is_busy(self, away: tuple[Interval, ...]) -> bool:
        return bool(away) and (self.stage, self.step) not in self.runtime.outages.not_busy

    def result(self, data: Message, span: Span, calls: Iterable[ModelCall] = ()) -> StageResult:
        """Return the record of the stage's result, of a type that its declaration ``leaves``."""
        document = data.model_dump(mode="json")
        return StageResult(step=self.step, span=span, stage=self.stage, data=document, calls=tuple(calls))

    async def frame(self) -> Frame:
        """Return the pixels of s(t) in this process, for a stage that examines the pixels itself.

        Raises PictureLost, DeadlinePassed, ActorLost.
        """
        frame, value_of = self.runtime.picture(self.step).frame, self.runtime.collaborators.value_of
        timed: Timed[Frame] = await self.call(lambda _: value_of(frame))
        return timed.value

    async def ask(self, request: Request[A], *images: Ref[ModelImage]) -> Timed[Answered[A]]:
        """Ask the request's role by ``call``. Ask again while no server of its model answers.

        Time without a server does not count against the deadline. Raises ModelAway after ``no_model_s`` without a
        server, and the errors of ``call``. Each error holds all model calls of this question.
        """

        async def ask(context: CallContext) -> Answered[A]:
            agent = self.runtime.collaborators.agent(request.role)
            context = context.model_copy(update={"session": self.runtime.order.session})
            answered: Answered[A] = await agent.answer(request, context, *images)
            return answered

        clock, outages = self.runtime.clock, self.runtime.outages
        start = clock.now()
        failed_calls: tuple[ModelCall, ...] = ()
        with outages.of(self.stage, self.step) as outage:
            while True:
                asked_at = clock.now()
                try:
                    timed = await self.call(ask, PATIENCE_S)
                    break
                except ModelAway as error:
                    outage.met(max(error.since, asked_at), clock.now(), error.is_busy)
                    error.calls = failed_calls = (*failed_calls, *error.calls)
                    if clock.now() - error.since >= self.runtime.settings.no_model_s:
                        raise
                    if len(failed_calls) >= MOST_LOST:
                        times = len(failed_calls)
                        why = f"the model's servers went away {times} times while they were asked this: {error}"
                        raise ModelUnreachable(why, calls=failed_calls) from error
                    await clock.sleep(asked_at + PATIENCE_S - clock.now())
                except (ModelError, CallError) as error:
                    error.calls = (*failed_calls, *error.calls)
                    raise
            _answered(outage, asked_at, timed.value.calls)
        answered = timed.value.model_copy(update={"calls": (*failed_calls, *timed.value.calls)})
        away = outages.met_by(self.stage, self.step, start, timed.end)
        return Timed(answered, start, timed.end, timed.waited_ms, away, self._is_busy(away))

    async def call(
        self, ask: Callable[[CallContext], Awaitable[T]], patience_s: float | None = None, longer_s: float = 0.0
    ) -> Timed[T]:
        """Ask a collaborator within the stage's deadline, or ``longer_s`` later; ask an overloaded one again.

        Raises DeadlinePassed, and the errors of ``ask``.
        """
        clock = self.runtime.clock
        start = clock.now()
        deadline = start + self.runtime.deadlines[self.stage] + longer_s
        context = CallContext(
            episode=self.runtime.order.episode,
            step=self.step,
            deadline=deadline,
            speculative=self._assumed_state is not None,
            patience_s=patience_s,
            seed=self.runtime.task.seed_of(self.runtime.order.attempt),
            traceparent=self._traceparent,
        )
        waited, pauses = 0.0, PAUSES.pauses()
        async with time_limit(clock, deadline + GRACE_S, f"{self.stage} of step {self.step}"):
            while True:
                asked_at = clock.now()
                try:
                    value = await ask(context)
                    break
                except Overloaded:  # the call may have waited in a queue before it was refused
                    pause_s = next(pauses)
                    if clock.now() + pause_s >= deadline:
                        raise
                    await clock.sleep(pause_s)
                    waited += clock.now() - asked_at
        return Timed(value, start, clock.now(), waited * 1000)


def _answered(outage: Outage, asked_at: float, calls: Iterable[ModelCall]) -> None:
    """End the outage when the answered question was sent. Add the short outages that its calls met."""
    for call in calls:
        outage.past.extend(call.away)
        outage.is_busy = outage.is_busy and (call.is_busy or not call.away)
    if outage.began_at is not None:
        outage.ended_at = max([asked_at, *(end for _, end in outage.past)])
