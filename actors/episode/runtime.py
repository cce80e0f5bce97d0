"""Hold the resources of an episode, such as its lease, its pictures, its waits and the reader of its phone's views.

Resources do not decide what a step does. The order and the state decide it. The order never changes, and the state
follows from the records in the journal (``state.py``). A process that resumes the episode has the order and the state,
and creates a new runtime.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import ValidationError

from manyhands.actors.clock import Clock, time_limit
from manyhands.actors.episode.endings import End, defect
from manyhands.actors.episode.human_control import HumanControl
from manyhands.actors.episode.journal import Journal, ScreenKeeper
from manyhands.actors.episode.paused_time import OutageLog, TimeLimit, WaitBudget
from manyhands.actors.episode.recent_pictures import Picture, PictureLost, RecentPictures
from manyhands.actors.frames import ModelImage
from manyhands.actors.interfaces import Agent, Captioner, FleetMemory, Gateway, Locator, Perception, Ref, Store, ValueOf
from manyhands.actors.perception.view_tree import TreeReading, read_tree
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import (
    CallError,
    DeadlinePassed,
    LeaseLost,
    ManyhandsError,
    PhoneError,
    StateUnavailable,
    StoreError,
)
from manyhands.protocol.messages import CallContext
from manyhands.protocol.phones import Lease
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.runs.interventions import EpisodePhase
from manyhands.protocol.runs.progress import EpisodeProgress
from manyhands.protocol.runs.results import EpisodeOrder
from manyhands.protocol.screens.screen import VIEWS, Screenshot, TreeOutcome, ViewTree
from manyhands.protocol.tasks.task import TaskSpec

T = TypeVar("T")

logger = logging.getLogger(__name__)

GRACE_S = 2.0
"""How long after the deadline a call is given up here. The gateway gives up at the deadline. To cancel a call that is
ending takes longer than to wait for its error."""
LOOKS = 2
"""How often the views are asked for if the screen changes meanwhile."""
KEPT = 12
"""How many readings are kept: more than the steps that perception may be behind in any loop."""
FIRST_PAUSE, LONGEST_PAUSE = 4, 64
"""After so many steps a phone that gave no views is tried again; each time twice as many."""


@dataclass(frozen=True, slots=True)
class _ViewReading:
    """Hold what became of the views for a screenshot, and how long that took. ``tree``: what they tell, if used."""

    outcome: TreeOutcome
    ms: float = 0.0
    tree: TreeReading | None = None


class ViewReader:
    """Ask the phone for its views, and check that they belong to a screenshot.

    A phone that gives no views, or not in time, is not waited for again. Later it is tried again beside the episode. If
    that succeeds within the same time, the next screens wait for views again.
    """

    def __init__(self, gateway: Gateway, clock: Clock, wait_s: float) -> None:
        """``wait_s``: the seconds that a screen waits for its views."""
        self._gateway = gateway
        self._clock = clock
        self._wait_s = wait_s
        self._pause = FIRST_PAUSE
        self._next_trial: int | None = None
        """The step from which a phone without views is tried again; None if the phone gives views."""
        self._trial: asyncio.Task[None] | None = None
        self._kept: dict[tuple[int, str], _ViewReading] = {}
        """The last readings, by step and screenshot, the oldest first."""
        self._one_by_one = asyncio.Lock()

    async def read(
        self, lease: Lease, screenshot: Screenshot, context: CallContext, touched: bool = False
    ) -> _ViewReading:
        """Return what the views tell of the phone's last screenshot. Fail for no reason.

        If the same is asked again, as after perception was too busy or by another stage of the step, return the same.
        ``touched``: an action has been sent since the screenshot, so the phone is not asked any more.
        """
        key = (context.step, screenshot.content_id)
        async with self._one_by_one:
            if key not in self._kept:
                if touched:
                    return _ViewReading("changed")
                self._kept[key] = await self._read(lease, screenshot, context)
                if len(self._kept) > KEPT:
                    del self._kept[next(iter(self._kept))]
            return self._kept[key]

    def end(self) -> None:
        """End a trial that still runs."""
        if self._trial is not None:
            self._trial.cancel()

    async def _read(self, lease: Lease, screenshot: Screenshot, context: CallContext) -> _ViewReading:
        if self._next_trial is not None:
            if context.step >= self._next_trial and (self._trial is None or self._trial.done()):
                self._postpone(context.step)
                self._trial = asyncio.create_task(self._try_again(lease, context))
            return _ViewReading("left_out")
        began = self._clock.now()
        tree: TreeReading | None = None
        try:
            outcome, tree = await self._look(lease, screenshot, context)
        except DeadlinePassed as error:
            outcome, why = "late", str(error)
        except ManyhandsError as error:
            outcome, why = "refused", str(error)
        if outcome in ("late", "refused"):
            logger.warning("%s: no views of phone %s from now on: %s", context.episode, lease.serial, why)
            self._postpone(context.step)
        return _ViewReading(outcome, (self._clock.now() - began) * 1000, tree)

    async def _look(
        self, lease: Lease, screenshot: Screenshot, context: CallContext
    ) -> tuple[TreeOutcome, TreeReading | None]:
        """Return what the views tell, if the phone still shows the screenshot after it told them."""
        deadline = min(self._clock.now() + self._wait_s, context.deadline)
        for look in range(LOOKS):
            try:
                reply = await self._ask(lease, context, deadline)
            except DeadlinePassed:
                if look == 0:
                    raise
                break
            if reply.shown == screenshot.content_id:
                tree = read_tree(reply.views, screenshot.size)
                return ("used", tree) if tree.elements else ("empty", None)
        return "changed", None

    async def _ask(self, lease: Lease, context: CallContext, deadline: float) -> ViewTree:
        """Return the views now. Raises DeadlinePassed, StateUnavailable, and the errors of the gateway."""
        context = context.model_copy(update={"deadline": deadline})
        async with time_limit(self._clock, deadline + GRACE_S, "reading the views"):
            state = await self._gateway.state(lease, VIEWS, context)
        try:
            return ViewTree.model_validate(state)
        except ValidationError as error:
            raise StateUnavailable(f"these are no views: {error.error_count()} errors") from error

    def _postpone(self, step: int) -> None:
        """Do not wait for views any more; try again some steps later."""
        self._next_trial, self._pause = step + self._pause, min(2 * self._pause, LONGEST_PAUSE)

    async def _try_again(self, lease: Lease, context: CallContext) -> None:
        with contextlib.suppress(ManyhandsError):
            await self._ask(lease, context, self._clock.now() + self._wait_s)
            self._next_trial = None


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
        self.order = order
        self.collaborators = collaborators
        self.clock = clock
        self.made_at = clock.now()
        """When this process began with the episode, in Unix seconds."""
        self.deadlines = deadlines
        self.lease = order.lease
        """The newest lease; only ``renew_lease`` changes it."""
        self.pictures = RecentPictures(images_kept, unread_kept)
        self.views = ViewReader(collaborators.gateway, clock, order.settings.elements_wait_s)
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
            held_s=control.held_s,
        )

    def _require_picture(self, step: int) -> None:
        if self.journal.state.step(step).unseen:
            raise PictureLost(f"the screenshot of step {step} was lost when the episode was interrupted")
