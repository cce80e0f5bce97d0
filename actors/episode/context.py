"""What the stages of one episode share: its order, its phone, its pictures, its journal and its collaborators."""

from __future__ import annotations

import copy
import functools
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from manyhands.actors.clock import Clock, until
from manyhands.actors.episode.journal import Journal, ScreenKeeper
from manyhands.actors.episode.outages import Outage, Outages
from manyhands.actors.episode.state import EpisodeState, fold
from manyhands.actors.profiles.e.graph import notes_lag
from manyhands.actors.seams import Agent, Captioner, Gateway, Handle, Perception, Store
from manyhands.protocol.base import Message
from manyhands.protocol.errors import CallError, ModelAway, ModelError, ModelUnreachable, Overloaded
from manyhands.protocol.messages import Answered, CallContext, ModelCall
from manyhands.protocol.records import Interval, Record, Span, StageName
from manyhands.protocol.roles import Brief, Request, Role
from manyhands.protocol.runs import EpisodeOrder, EpisodeSettings
from manyhands.protocol.screens import Screenshot
from manyhands.protocol.tasks import TaskSpec

T = TypeVar("T")
A = TypeVar("A", bound=Message)

GRACE_S = 2.0
"""How much later than the deadline we give up ourselves: a role's own error says more."""
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.05, 1.0
"""Pauses before an overloaded actor is asked again."""
PATIENCE_S = 2.0
"""How long a model call waits for a server to answer before it tells us: until then we take it for an answer that takes
its time."""
MOST_LOST = 5
"""How often a question may be with the last server when that goes: a server may go because of what it is asked."""


@dataclass(frozen=True, slots=True)
class Collaborators:
    """Those whom an episode works with: plain objects, or proxies of Ray actors."""

    agents: Mapping[Role, Agent[Any, Any]]
    """Those of the profile's roles."""
    perception: Perception
    gateway: Gateway
    store: Store
    captioner: Captioner | None = None
    """Where captions are wanted."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A screenshot's pixels, for models and lossless; behind Ray both are references."""

    image: Handle
    frame: Handle


@dataclass(frozen=True, slots=True)
class Taken:
    """A screenshot of the screen at rest, and when it was taken."""

    screenshot: Screenshot
    picture: Picture
    span: Span


@dataclass(frozen=True, slots=True)
class Timed(Generic[T]):
    """What a call gave, and when it ran (Unix seconds); ``waited_ms`` of it before it was admitted."""

    value: T
    start: float
    end: float
    waited_ms: float
    away: tuple[Interval, ...] = ()
    """When it waited because no server of a model answered."""

    def span(self, queue_ms: float = 0.0) -> Span:
        """The call's span; ``queue_ms`` more of it was spent in queues."""
        return Span(start=self.start, end=self.end, queue_ms=self.waited_ms + queue_ms, away=self.away)


class EpisodeContext:
    """One episode, as its stages see it. Only the episode itself changes the lease."""

    def __init__(
        self, order: EpisodeOrder, collaborators: Collaborators, clock: Clock, journal: Journal, screens: ScreenKeeper
    ) -> None:
        self.order = order
        self.collaborators = collaborators
        self.clock = clock
        self.journal = journal
        self.screens = screens
        self.lease = order.lease
        self.outages = Outages(clock)
        self.taken: dict[int, Taken] = {}
        """Screenshots that came with the action before them, by step, until their stage begins."""
        self._pictures: dict[int, Picture] = {}
        self._ahead: EpisodeState | None = None

    @property
    def task(self) -> TaskSpec:
        return self.order.task

    @property
    def settings(self) -> EpisodeSettings:
        return self.order.settings

    @property
    def state(self) -> EpisodeState:
        return self.journal.state if self._ahead is None else self._ahead

    def supposing(self, records: Iterable[Record]) -> EpisodeContext:
        """The same scene as if ``records`` had been written, for a stage that only asks."""
        scene = copy.copy(self)
        scene._ahead = functools.reduce(fold, records, self.journal.state)
        return scene

    @property
    def brief(self) -> Brief:
        """What every role is told of the task, and what is known from earlier ones."""
        memory = self.order.memory
        return Brief(goal=self.task.goal, hints=self.task.hints, tips=memory.tips, shortcuts=memory.shortcuts)

    @property
    def check_source(self) -> str | None:
        """Where the task's check and rubrics find the phone's state; None for a task without a check."""
        return self.task.check.source if self.task.check else None

    def notes_for(self, step: int) -> str:
        """The notes that plan(step) and decide(step) read."""
        return self.state.notes(step - notes_lag(self.settings))

    def picture(self, step: int) -> Picture:
        return self._pictures[step]

    def show(self, step: int, picture: Picture) -> None:
        """Keep the pixels of s(step); those of the last two steps are kept, for no stage needs older ones."""
        self._pictures[step] = picture
        for old in [number for number in self._pictures if number < step - 1]:
            del self._pictures[old]

    def now(self, start: float | None = None, queue_ms: float = 0.0, node: tuple[StageName, int] | None = None) -> Span:
        """A span that ends now: from ``start``, or of no length for what took no work.

        ``node``: the stage and its step, of one that asks a model.
        """
        now = self.clock.now()
        start = now if start is None else start
        away = self.outages.met_by(*node, start, now) if node is not None else ()
        return Span(start=start, end=now, queue_ms=queue_ms, away=away)

    async def ask(self, stage: StageName, step: int, request: Request[A], *images: Handle) -> Timed[Answered[A]]:
        """Ask the request's role, as ``call`` does, and again while no server of its model answers.

        That time does not count against the deadline. Raises ModelAway after ``no_model_s`` without a server, and
        whatever ``call`` raises, with all model calls.
        """

        async def ask(context: CallContext) -> Answered[A]:
            answered: Answered[A] = await self.collaborators.agents[request.role].answer(request, context, *images)
            return answered

        start = self.clock.now()
        lost: tuple[ModelCall, ...] = ()
        with self.outages.of(stage, step) as outage:
            while True:
                asked_at = self.clock.now()
                try:
                    timed = await self.call(stage, step, ask, PATIENCE_S)
                    break
                except ModelAway as error:
                    outage.met(max(error.since, asked_at), self.clock.now())
                    error.calls = lost = (*lost, *error.calls)
                    if self.clock.now() - error.since >= self.settings.no_model_s:
                        raise
                    if len(lost) >= MOST_LOST:
                        why = f"the model's servers went away {len(lost)} times while they were asked this: {error}"
                        raise ModelUnreachable(why, calls=lost) from error
                    await self.clock.sleep(asked_at + PATIENCE_S - self.clock.now())
                except (ModelError, CallError) as error:
                    error.calls = (*lost, *error.calls)
                    raise
            _answered(outage, asked_at, timed.value.calls)
        answered = timed.value.model_copy(update={"calls": (*lost, *timed.value.calls)})
        away = self.outages.met_by(stage, step, start, timed.end)
        return Timed(answered, start, timed.end, timed.waited_ms, away)

    async def call(
        self,
        stage: StageName,
        step: int,
        ask: Callable[[CallContext], Awaitable[T]],
        patience_s: float | None = None,
    ) -> Timed[T]:
        """Ask a collaborator, within the deadline of ``stage``; an overloaded one is asked again.

        Raises DeadlinePassed, and whatever ``ask`` raises.
        """
        start = self.clock.now()
        deadline = start + getattr(self.settings.deadlines, stage)
        ahead = self._ahead is not None
        context = CallContext(
            episode=self.order.episode, step=step, deadline=deadline, speculative=ahead, patience_s=patience_s
        )
        waited, pause = 0.0, FIRST_PAUSE_S
        async with until(self.clock, deadline + GRACE_S, f"{stage} of step {step}"):
            while True:
                asked = self.clock.now()
                try:
                    value = await ask(context)
                    break
                except Overloaded:  # it may have waited in line before it was refused
                    if self.clock.now() + pause >= deadline:
                        raise
                    await self.clock.sleep(pause)
                    waited, pause = waited + self.clock.now() - asked, min(2 * pause, LONGEST_PAUSE_S)
        return Timed(value, start, self.clock.now(), waited * 1000)


def _answered(outage: Outage, asked_at: float, calls: Iterable[ModelCall]) -> None:
    """The outage ended when the question that was answered was sent; its calls may have met short ones of their own."""
    outage.past.extend(interval for call in calls for interval in call.away)
    if outage.began_at is not None:
        outage.ended_at = max([asked_at, *(end for _, end in outage.past)])
