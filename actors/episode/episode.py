"""One episode: prepares the phone, runs the profile's graph, and closes the journal whatever happens."""

from __future__ import annotations

import asyncio
import logging

from manyhands.actors.clock import Clock, until
from manyhands.actors.episode.context import Collaborators, EpisodeContext
from manyhands.actors.episode.endings import End, defect, end_of_failure, end_of_lost_store
from manyhands.actors.episode.journal import Journal, ScreenKeeper
from manyhands.actors.episode.profile import ACT, Profile
from manyhands.actors.episode.schedule import SCHEDULES, GraphRun, Stop
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages.rubrics import RUBRICS, phone_state, rubrics_held
from manyhands.actors.episode.work import Found, StageWork
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import CallError, LeaseLost, ManyhandsError, PhoneError, StoreError
from manyhands.protocol.predicates import holds
from manyhands.protocol.records import EpisodeEnded, EpisodeStarted, PhonePrepared
from manyhands.protocol.runs import EpisodeOrder, EpisodeProgress, EpisodeResult

logger = logging.getLogger(__name__)

CLOSING_S = 30.0
"""How long the journal may take to close."""
UNCHECKED = frozenset({Ending.PHONE_LOST, Ending.LEASE_LOST, Ending.CANCELLED, Ending.NO_MODEL})
"""Endings after which the phone is not asked whether the check holds: it is not ours, nobody waits, or the task was
left in its midst through no fault of its own."""


class Episode:
    """Carry out one attempt at one task on one phone. Run it once."""

    def __init__(
        self,
        order: EpisodeOrder,
        profile: Profile,
        collaborators: Collaborators,
        clock: Clock,
        records_ahead: int,
        screens_ahead: int,
    ) -> None:
        """``records_ahead`` and ``screens_ahead`` are how many may wait to be written."""
        self._order = order
        self._profile = profile
        self._clock = clock
        self._journal = Journal(collaborators.store, order.episode, records_ahead)
        self._screens = ScreenKeeper(collaborators.store, screens_ahead)
        deadlines = profile.deadlines(order.settings)
        self._context = EpisodeContext(order, collaborators, clock, self._journal, self._screens, deadlines)
        has_rubrics = bool(order.task.rubrics) and self._context.check_source is not None
        loop = profile.loop(order.settings, RUBRICS if has_rubrics else None)
        work = StageWork(self._context, profile, loop)
        self._graph = GraphRun[Found, End](loop, SCHEDULES[order.settings.schedule], work)
        self._started_at = 0.0

    async def run(self) -> EpisodeResult:
        """Run to a named ending, always. Cancelled, it ends the journal as ``cancelled`` and re-raises."""
        self._started_at = self._clock.now()
        async with asyncio.TaskGroup() as behind:
            tasks = [
                behind.create_task(work)
                for work in (self._journal.run(), self._screens.run(), self._keep_lease(), self._watch_time())
            ]
            try:
                return await self._close(await self._play())
            except asyncio.CancelledError:
                await self._close(End(Ending.CANCELLED, "cancelled"))
                raise
            finally:
                for task in tasks:
                    task.cancel()

    def progress(self) -> EpisodeProgress:
        state, step = self._journal.state, self._journal.state.last_step
        plan = state.plan(step)
        stages = ", ".join(node.stage for node in self._graph.running) or "preparing the phone"
        doing = plan.subgoal.text if plan else stages
        away_since = self._context.outages.since
        if away_since is not None:
            doing = f"waiting for the model since {self._clock.now() - away_since:.0f} s"
        return EpisodeProgress(
            episode=self._order.episode,
            task=self._order.task.id,
            serial=self._order.lease.serial,
            step=step,
            doing=doing,
        )

    # ------------------------------------------------------------------------ the course of an episode
    async def _play(self) -> End:
        try:
            await self._begin()
            return (await self._graph.run()).why
        except ManyhandsError as error:
            return end_of_failure("reset", error) or End(Ending.INTERNAL_ERROR, str(error))
        except Exception as error:
            logger.exception("%s ended by a defect", self._order.episode)
            return defect("the episode", error)

    async def _begin(self) -> None:
        """Write down what is to be done, then put the phone into its starting state."""
        order = self._order
        await self._journal.write(
            EpisodeStarted(
                at=self._started_at,
                run=order.run,
                episode=order.episode,
                attempt=order.attempt,
                task=order.task,
                serial=order.lease.serial,
                epoch=order.lease.epoch,
                profile=self._profile.name,
                schedule=order.settings.schedule,
                stages=self._profile.stage_names(order.settings),
                memory=order.memory,
                settings=order.settings.model_dump(mode="json"),
            )
        )
        await self._journal.flush()
        gateway, key = self._context.collaborators.gateway, f"{order.episode}:reset"
        timed = await StageContext(self._context, ACT, 0).call(
            lambda call: gateway.reset(self._context.lease, key, order.task.reset_seed, call)
        )
        await self._journal.write(PhonePrepared(at=self._clock.now(), receipts=(timed.value,)))

    # ------------------------------------------------------------------------ beside the graph
    async def _keep_lease(self) -> None:
        """Renew the lease at a third of its time, by our own clock. A lease that is lost ends the episode."""
        context, ttl = self._context, self._order.settings.lease_s
        held_until = self._clock.now() + ttl
        while True:
            asked = self._clock.now()
            try:
                async with until(self._clock, held_until, "renewing the lease"):
                    context.lease = await context.collaborators.gateway.renew(context.lease, ttl)
                held_until = asked + ttl
            except LeaseLost as error:
                return self._graph.stop(Stop(End(Ending.LEASE_LOST, str(error))))
            except PhoneError as error:
                return self._graph.stop(Stop(End(Ending.PHONE_LOST, str(error))))
            except (CallError, StoreError) as error:  # a gateway's database may be busy for a while
                if self._clock.now() >= held_until:
                    return self._graph.stop(Stop(End(Ending.LEASE_LOST, f"the lease ran out: {error}")))
            except Exception as error:
                logger.exception("%s ended by a defect", self._order.episode)
                return self._graph.stop(Stop(defect("renewing the lease", error)))
            await self._clock.sleep(ttl / 3)

    async def _watch_time(self) -> None:
        """End the episode once its time is up. Waiting for a model of which no server answers takes none of it."""
        limit, outages = self._order.task.limits.wall_s, self._context.outages
        while True:
            await outages.over()
            left = self._started_at + limit + outages.seconds() - self._clock.now()
            if left <= 0:
                break
            await self._clock.sleep(left)
        self._graph.stop(Stop(End(Ending.TIME_LIMIT, f"{limit:g} s have passed")))

    # ------------------------------------------------------------------------ the end
    async def _close(self, end: End) -> EpisodeResult:
        """Ask the check, write the last record and wait until all is on disk."""
        verified, rubrics, trouble = await self._judge(end)
        reason = end.reason + (f"; the check could not be asked: {trouble}" if trouble else "")
        ended = EpisodeEnded(
            at=self._clock.now(),
            ending=end.ending,
            reason=reason,
            steps=self._journal.state.steps_taken,
            verified=verified,
            rubrics=rubrics,
            answer=self._journal.state.answer,
        )
        try:
            async with until(self._clock, self._clock.now() + CLOSING_S, "closing the journal"):
                if self._journal.state.ended is None:
                    await self._journal.write(ended)
                await self._journal.flush()
                await self._screens.flush()
        except (StoreError, CallError) as error:
            lost = end_of_lost_store(error)
            reason = f"{lost.reason}; the episode had ended as {end.ending}"
            ended = ended.model_copy(update={"ending": lost.ending, "reason": reason})
        return EpisodeResult(
            episode=self._order.episode,
            task=self._order.task.id,
            serial=self._order.lease.serial,
            attempt=self._order.attempt,
            started_at=self._started_at,
            ended_at=ended.at,
            **ended.model_dump(include={"ending", "reason", "steps", "verified", "rubrics", "answer"}),
        )

    async def _judge(self, end: End) -> tuple[bool | None, dict[str, bool], str]:
        """Return whether the check holds (None if nobody knows), which rubrics ever held, and why nobody knows."""
        task, held, verified, trouble = self._order.task, set(self._journal.state.rubrics_held), None, ""
        if task.check is None:
            return None, {}, ""
        if end.ending not in UNCHECKED:
            try:
                phone = await phone_state(self._context, self._journal.state.last_step)
                verified = holds(task.check.holds, phone)
                held.update(rubrics_held(self._context, phone))
            except ManyhandsError as error:
                trouble = str(error)
            except Exception as error:
                logger.exception("%s: the check failed by a defect", self._order.episode)
                trouble = f"{type(error).__name__}: {error}"
        return verified, {rubric.name: rubric.name in held for rubric in task.rubrics}, trouble
