"""What the stages of one episode share: its order, its phone, its pictures, its journal and its collaborators."""

from __future__ import annotations

import copy
import functools
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from actors.episode.clock import Clock, until
from actors.episode.journal import Journal, ScreenKeeper
from actors.episode.profiles import notes_lag
from actors.episode.state import EpisodeState, fold
from actors.seams import Captioner, Gateway, Handle, Notetaker, Operator, Perception, Planner, Reflector, Store
from protocol.errors import Overloaded
from protocol.messages import Brief, CallContext
from protocol.records import Record, Span, StageName
from protocol.runs import EpisodeOrder, EpisodeSettings
from protocol.tasks import TaskSpec

T = TypeVar("T")

GRACE_S = 2.0
"""How much later than the deadline we give up ourselves: a role's own error says more."""
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.05, 1.0
"""Pauses before an overloaded actor is asked again."""


@dataclass(frozen=True, slots=True)
class Collaborators:
    """Those whom an episode works with: plain objects, or proxies of Ray actors."""

    planner: Planner
    operator: Operator
    reflector: Reflector
    notetaker: Notetaker
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
class Timed(Generic[T]):
    """What a call gave, and when it ran (Unix seconds); ``waited_ms`` of it before it was admitted."""

    value: T
    start: float
    end: float
    waited_ms: float

    def span(self, queue_ms: float = 0.0) -> Span:
        """The call's span; ``queue_ms`` more of it was spent in queues."""
        return Span(start=self.start, end=self.end, queue_ms=self.waited_ms + queue_ms)


class Scene:
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

    def supposing(self, records: Iterable[Record]) -> Scene:
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

    def now(self, start: float | None = None, queue_ms: float = 0.0) -> Span:
        """A span that ends now: from ``start``, or of no length for what took no work."""
        now = self.clock.now()
        return Span(start=now if start is None else start, end=now, queue_ms=queue_ms)

    async def call(self, stage: StageName, step: int, ask: Callable[[CallContext], Awaitable[T]]) -> Timed[T]:
        """Ask a collaborator, within the deadline of ``stage``; an overloaded one is asked again.

        Raises DeadlinePassed, and whatever ``ask`` raises.
        """
        start = self.clock.now()
        deadline = start + getattr(self.settings.deadlines, stage)
        ahead = self._ahead is not None
        context = CallContext(episode=self.order.episode, step=step, deadline=deadline, speculative=ahead)
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
