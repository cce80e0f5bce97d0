"""What the stages of one episode share: its order, its phone, its pictures, its journal and its collaborators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from manyhands.actors.clock import Clock
from manyhands.actors.episode.journal import Journal, ScreenKeeper
from manyhands.actors.episode.outages import Outages
from manyhands.actors.seams import Agent, Captioner, FleetMemory, Gateway, Handle, Locator, Perception, Store, ValueOf
from manyhands.protocol.errors import CallError
from manyhands.protocol.records import Span
from manyhands.protocol.roles import Brief, Role
from manyhands.protocol.runs import EpisodeOrder, EpisodeSettings
from manyhands.protocol.screens import Screenshot
from manyhands.protocol.tasks import TaskSpec

FRAMES_KEPT = 2
"""Steps whose pixels are kept."""


async def as_it_is(handle: Handle) -> Any:
    """Return a handle that is the value itself."""
    return handle


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
    locator: Locator | None = None
    """Where things are found by words."""
    value_of: ValueOf = as_it_is
    """Brings pixels here; where they lie behind references, something else than this."""
    memory: FleetMemory | None = None
    """Who keeps what a fleet has learned; None where nothing is learned."""

    def agent(self, role: Role) -> Agent[Any, Any]:
        """Return the agent of a role. Raises LookupError for one that the profile does not name."""
        if role not in self.agents:
            raise LookupError(f"a stage asks the {role.spec.agent}, which is not among the roles of its profile")
        return self.agents[role]

    def finder(self) -> Locator:
        """Return who finds things by words. Raises LookupError where nobody does."""
        if self.locator is None:
            raise LookupError("a stage looks for something by words, but nobody was given who finds it")
        return self.locator


@dataclass(frozen=True, slots=True)
class Picture:
    """Hold a screenshot's pixels, for models and as they came; behind Ray both are references."""

    image: Handle
    frame: Handle


@dataclass(frozen=True, slots=True)
class Taken:
    """Hold a screenshot of the screen at rest, and when it was taken."""

    screenshot: Screenshot
    picture: Picture
    span: Span


class PictureLost(CallError):
    """Signal that the pixels of a screen were lost when the episode was interrupted."""

    code = "picture_lost"


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
        images_kept: int | None = FRAMES_KEPT,
    ) -> None:
        """``deadlines`` are the seconds that a call of each stage may take; ``images_kept``: of so many steps the
        pictures for models are kept, None for all."""
        self.order = order
        self.collaborators = collaborators
        self.clock = clock
        self.journal = journal
        self.screens = screens
        self.deadlines = deadlines
        self.lease = order.lease
        self.memory = order.memory
        """What the episode knows from the start, the same over all of it."""
        self.outages = Outages(clock)
        self.taken: dict[int, Taken] = {}
        """Screenshots that came with the action before them, by step, until their stage begins."""
        self._pictures: dict[int, Picture] = {}
        self._images: dict[int, Handle] = {}
        self.images_kept = images_kept

    @property
    def task(self) -> TaskSpec:
        return self.order.task

    @property
    def settings(self) -> EpisodeSettings:
        return self.order.settings

    @property
    def brief(self) -> Brief:
        """Return the task and what is known from earlier ones, as every role is shown them."""
        memory = self.memory
        return Brief(goal=self.task.goal, hints=self.task.hints, tips=memory.tips, shortcuts=memory.shortcuts)

    @property
    def check_source(self) -> str | None:
        """Return where the task's check and rubrics find the phone's state; None for a task without a check."""
        return self.task.check.source if self.task.check else None

    def picture(self, step: int) -> Picture:
        """Return the pixels of s(step). Raises PictureLost where an interruption has lost them."""
        if self._lost(step):
            raise PictureLost(f"the screenshot of step {step} was lost when the episode was interrupted")
        return self._pictures[step]

    def image(self, step: int) -> Handle:
        """Return the picture of s(step) for models. Raises PictureLost."""
        return self._images[step] if not self._lost(step) else self.picture(step).image

    def _lost(self, step: int) -> bool:
        return self.journal.state.step(step).unseen

    def show(self, step: int, picture: Picture) -> None:
        """Keep the pixels of s(step); no stage needs those of older steps than the profile declares."""
        self._pictures[step] = picture
        self._images[step] = picture.image
        _forget(self._pictures, step - FRAMES_KEPT)
        if self.images_kept is not None:
            _forget(self._images, step - self.images_kept)


def _forget(kept: dict[int, Any], last: int) -> None:
    for old in [number for number in kept if number <= last]:
        del kept[old]
