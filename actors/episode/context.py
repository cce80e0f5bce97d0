"""What the stages of one episode share: its order, its phone, its pictures, its journal and its collaborators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from manyhands.actors.clock import Clock
from manyhands.actors.episode.journal import Journal, ScreenKeeper
from manyhands.actors.episode.outages import Outages
from manyhands.actors.seams import Agent, Captioner, Gateway, Handle, Perception, Store
from manyhands.protocol.records import Span
from manyhands.protocol.roles import Brief, Role
from manyhands.protocol.runs import EpisodeOrder, EpisodeSettings
from manyhands.protocol.screens import Screenshot
from manyhands.protocol.tasks import TaskSpec


@dataclass(frozen=True, slots=True)
class Collaborators:
    """Hold those whom an episode works with: plain objects, or proxies of Ray actors."""

    agents: Mapping[Role, Agent[Any, Any]]
    """Those of the profile's roles."""
    perception: Perception
    gateway: Gateway
    store: Store
    captioner: Captioner | None = None
    """Where captions are wanted."""

    def agent(self, role: Role) -> Agent[Any, Any]:
        """Return the agent of a role. Raises LookupError for one that the profile does not name."""
        if role not in self.agents:
            raise LookupError(f"a stage asks the {role.spec.agent}, which is not among the roles of its profile")
        return self.agents[role]


@dataclass(frozen=True, slots=True)
class Picture:
    """Hold a screenshot's pixels, for models and lossless; behind Ray both are references."""

    image: Handle
    frame: Handle


@dataclass(frozen=True, slots=True)
class Taken:
    """Hold a screenshot of the screen at rest, and when it was taken."""

    screenshot: Screenshot
    picture: Picture
    span: Span


class EpisodeContext:
    """Hold what the stages of one episode share. Only the episode itself changes the lease."""

    def __init__(
        self,
        order: EpisodeOrder,
        collaborators: Collaborators,
        clock: Clock,
        journal: Journal,
        screens: ScreenKeeper,
        deadlines: Mapping[str, float],
    ) -> None:
        """``deadlines`` are the seconds that a call of each stage may take."""
        self.order = order
        self.collaborators = collaborators
        self.clock = clock
        self.journal = journal
        self.screens = screens
        self.deadlines = deadlines
        self.lease = order.lease
        self.outages = Outages(clock)
        self.taken: dict[int, Taken] = {}
        """Screenshots that came with the action before them, by step, until their stage begins."""
        self._pictures: dict[int, Picture] = {}

    @property
    def task(self) -> TaskSpec:
        return self.order.task

    @property
    def settings(self) -> EpisodeSettings:
        return self.order.settings

    @property
    def brief(self) -> Brief:
        """Return the task and what is known from earlier ones, as every role is shown them."""
        memory = self.order.memory
        return Brief(goal=self.task.goal, hints=self.task.hints, tips=memory.tips, shortcuts=memory.shortcuts)

    @property
    def check_source(self) -> str | None:
        """Return where the task's check and rubrics find the phone's state; None for a task without a check."""
        return self.task.check.source if self.task.check else None

    def picture(self, step: int) -> Picture:
        return self._pictures[step]

    def show(self, step: int, picture: Picture) -> None:
        """Keep the pixels of s(step); those of the last two steps are kept, for no stage needs older ones."""
        self._pictures[step] = picture
        for old in [number for number in self._pictures if number < step - 1]:
            del self._pictures[old]
