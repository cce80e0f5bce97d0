"""Hold the resources of an episode, such as its lease, its pictures and its waits.

Resources do not decide what a step does. The order and the state decide it. The order never changes, and the state
follows from the records in the journal (``state.py``). A process that resumes the episode has the order and the state,
and creates a new runtime.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from manyhands.actors.clock import Clock, time_limit
from manyhands.actors.episode.endings import End, defect
from manyhands.actors.episode.journal import Journal, ScreenKeeper
from manyhands.actors.episode.paused_time import OutageLog, TimeLimit, WaitBudget
from manyhands.actors.episode.people.human_control import HumanControl
from manyhands.actors.episode.recent_pictures import Picture, PictureLost, RecentPictures
from manyhands.actors.episode.view_reader import ViewReader
from manyhands.actors.frames import ModelImage
from manyhands.actors.interfaces import Agent, Captioner, FleetMemory, Gateway, Locator, Perception, Ref, Store, ValueOf
from manyhands.actors.redaction.record_redaction import RecordRedaction
from manyhands.actors.redaction.redacted_store import RedactedStore
from manyhands.actors.redaction.redactions import Redactions
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import (
    CallError,
    LeaseLost,
    PhoneError,
    StoreError,
)
from manyhands.protocol.roles.role import Role
from manyhands.protocol.roles.sections import one_line
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.runs.interventions import EpisodePhase
from manyhands.protocol.runs.progress import ASKS_PERSON, EpisodeProgress
from manyhands.protocol.runs.results import EpisodeOrder
from manyhands.protocol.tasks.task import TaskSpec

T = TypeVar("T")

logger = logging.getLogger(__name__)


async def _as_it_is(ref: Ref[T]) -> T:
    """Return ``ref`` unchanged. Used where no references exist and each is the value itself."""
    return ref


@dataclass(frozen=True, slots=True)
class Collaborators:
    """Hold the actors that an episode works with: plain objects, or proxies of Ray actors."""

    agents: Mapping[Role, Agent[Any, Any]]
    """The agents of the profile's roles."""
    perception: Perception
    gateway: Gateway
    store: Store
    captioner: Captioner | None = None
    """Set if captions are wanted."""
    locator: Locator | None = None
    """Set if targets are found by words."""
    value_of: ValueOf = _as_it_is
    """Fetches pixels to this process. This default is for values; with Ray's references another function is set."""
    memory: FleetMemory | None = None
    """The memory of what a fleet has learned; None if nothing is learned."""
    redactions: Redactions | None = None
    """What the run must not store; None if it stores all."""

    def agent(self, role: Role) -> Agent[Any, Any]:
        """Return the agent of a role. Raises LookupError if the profile does not name the role."""
        if role not in self.agents:
            raise LookupError(f"a stage asks the {role.spec.agent}, which is not among the roles of its profile")
        return self.agents[role]

    def finder(self) -> Locator:
        """Return the locator that finds targets by words. Raises LookupError if there is none."""
        if self.locator is None:
            raise LookupError("a stage looks for something by words, but nobody was given who finds it")
        return self.locator


class EpisodeRuntime:
    """Hold the resources of one episode: its lease, pictures, clocks, queues and collaborators."""

    def __init__(
        self,
        order: EpisodeOrder,
        collaborators: Collaborators,
        clock: Clock,
        *,
        deadlines: Mapping[str, float],
        images_kept: int | None,
        unread_kept: int,
        records_ahead: int,
        screens_ahead: int,
    ) -> None:
        """``deadlines``: the seconds that a call of each stage may take.

        ``images_kept``: how many steps' pictures for models are kept; None for all. ``unread_kept``: for how many steps
        pictures wait for perception. ``records_ahead``, ``screens_ahead``: how many records and how many screens may
        wait to be written.
        """
        if collaborators.redactions is not None:
            redaction = RecordRedaction(collaborators.redactions)
            store = RedactedStore(collaborators.store, redaction, collaborators.value_of)
            collaborators = replace(collaborators, store=store)
        self.order = order
        self.collaborators = collaborators
        self.clock = clock
        self.made_at = clock.now()
        """When this process began with the episode, in Unix seconds."""
        self.deadlines = deadlines
        self.lease = order.lease
        """The newest lease; only ``renew_lease`` changes it."""
        self.pictures = RecentPictures(images_kept, unread_kept)
        self.views = ViewReader(
            collaborators.gateway,
            clock,
            order.settings.elements_wait_s,
            only_source=not order.settings.shows_pictures,
        )
        """What the phone tells of its views; asked only if settings want it."""
        self.wait_budget = WaitBudget(clock, order.settings.disk_wait_s)
        """Retries while the store is away, and records when it was away."""
        self.outages = OutageLog(clock)
        """When no server of a model answered."""
        self.control = HumanControl(clock, order.settings.person_wait_s)
        """Whether people hold the episode."""
        self.begun = asyncio.Event()
        """Set once the journal may have records of people: the episode has begun or was resumed."""
        self.time = TimeLimit(clock, order.task.limits.wall_s, self.outages, self.wait_budget, self.control)
        self.journal = Journal(
            collaborators.store,
            order.episode,
            order.lease.epoch,
            records_ahead,
            self.wait_budget,
            writable=order.resume is None,
        )
        self.screens = ScreenKeeper(collaborators.store, screens_ahead, self.wait_budget)

    @property
    def task(self) -> TaskSpec:
        return self.order.task

    @property
    def settings(self) -> EpisodeSettings:
        return self.order.settings

    def picture(self, step: int) -> Picture:
        """Return the pixels of s(step). Raises PictureLost if an interruption has lost them."""
        self._require_picture(step)
        return self.pictures.picture(step)

    def image(self, step: int) -> Ref[ModelImage]:
        """Return the picture of s(step) for models. Raises PictureLost."""
        self._require_picture(step)
        return self.pictures.image(step)

    async def renew_lease(self, deadline: float) -> None:
        """Renew the lease once, by ``deadline`` (Unix seconds).

        Raises LeaseLost, PhoneError, StoreError, and CallError. At the deadline it raises CallError too.
        """
        async with time_limit(self.clock, deadline, "renewing the lease"):
            self.lease = await self.collaborators.gateway.renew(self.lease, self.settings.lease_s)

    async def until_lease_lost(self) -> End:
        """Renew the lease after each third of its time, by this host's clock.

        Once the lease is lost, return the episode's end.
        """
        clock, ttl = self.clock, self.settings.lease_s
        held_until = clock.now() + ttl
        while True:
            asked_at = clock.now()
            try:
                await self.renew_lease(held_until)
                held_until = asked_at + ttl
            except LeaseLost as error:
                return End(Ending.LEASE_LOST, str(error))
            except PhoneError as error:
                return End(Ending.PHONE_LOST, str(error))
            except (CallError, StoreError) as error:  # a gateway's database may be busy for a while
                if clock.now() >= held_until:
                    return End(Ending.LEASE_LOST, f"the lease ran out: {error}")
            except Exception as error:
                logger.exception("%s ended by a defect", self.order.episode)
                return defect("renewing the lease", error)
            await clock.sleep(ttl / 3)

    def progress(self, stages: tuple[str, ...], since: float) -> EpisodeProgress:
        """Return what the episode does now, for people.

        ``stages``: the stages that run, the one that has run longest first. ``since``: when that one began.
        """
        state = self.journal.state
        step = state.last_step
        plan = state.plan(step)
        screenshot = state.step(step).screenshot
        subgoal = plan.subgoal.text if plan else ""
        doing = subgoal or ", ".join(stages) or "preparing the phone"
        for what, wait in (("the model", self.outages.since), ("the run folder", self.wait_budget.since)):
            if wait is not None:
                doing, since = EpisodeProgress.wait_for(what), wait
        control = self.control
        if control.phase is not EpisodePhase.RUNNING and control.begun_at is not None:
            doing, since = f"{control.phase.replace('_', ' ')} by {control.by}", control.begun_at
        question = "" if control.question is None else control.question.text
        consent = None if control.question is None else control.question.consent
        if question and control.phase is EpisodePhase.PAUSED:
            doing = f"{ASKS_PERSON}{one_line(question)}"
        return EpisodeProgress(
            episode=self.order.episode,
            task=self.task.id,
            serial=self.order.lease.serial,
            step=step,
            doing=doing,
            epoch=self.lease.epoch,
            stages=stages,
            stage_since=since,
            subgoal=subgoal,
            step_since=screenshot.taken_at if screenshot else None,
            screen=screenshot.content_id if screenshot else None,
            phase=control.phase,
            held_by=control.by,
            held_since=control.begun_at,
            question=question,
            consent=consent,
            held_s=control.held_s,
        )

    def _require_picture(self, step: int) -> None:
        if self.journal.state.step(step).unseen:
            raise PictureLost(f"the screenshot of step {step} was lost when the episode was interrupted")
