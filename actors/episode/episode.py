"""One episode: prepares the phone, runs the profile's graph, and closes the journal whatever happens."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping

from manyhands.actors.clock import Clock, until
from manyhands.actors.episode.check import check_at_end
from manyhands.actors.episode.context import Collaborators, EpisodeContext
from manyhands.actors.episode.endings import End, defect, end_of_failure, end_of_lost_store
from manyhands.actors.episode.going_on import look_again, read_interrupted, recall_last, write_resumed
from manyhands.actors.episode.journal import Journal, ScreenKeeper
from manyhands.actors.episode.patience import Patience
from manyhands.actors.episode.profile import ACT, CAPTURE, Profile
from manyhands.actors.episode.resuming import CannotGoOn, Interrupted, finished_stages, stopped_s, stops_of
from manyhands.actors.episode.schedule import SCHEDULES, GraphRun, Stop
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages.rubrics import RUBRICS, rubrics_asked
from manyhands.actors.episode.waits import TimeLimit
from manyhands.actors.episode.work import Found, StageWork
from manyhands.actors.memory import has_places, offered_on
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import CallError, LeaseLost, ManyhandsError, PhoneError, StoreError
from manyhands.protocol.geometry import Size
from manyhands.protocol.phones import reset_key
from manyhands.protocol.progress import EpisodeProgress
from manyhands.protocol.records import EpisodeEnded, EpisodeStarted, PhonePrepared
from manyhands.protocol.runs import EpisodeOrder, EpisodeResult

logger = logging.getLogger(__name__)

CLOSING_S = 30.0
"""How long the journal may take to close, beside the time for which its store may be away. Who cancels an episode does
not wait for that."""


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
        self._patience = Patience(clock, order.settings.disk_wait_s)
        self._journal = Journal(collaborators.store, order.episode, order.lease.epoch, records_ahead, self._patience)
        self._screens = ScreenKeeper(collaborators.store, screens_ahead, self._patience)
        deadlines = profile.deadlines(order.settings)
        kept = profile.images_kept(order.settings)
        self._context = EpisodeContext(order, collaborators, clock, self._journal, self._screens, deadlines, kept)
        has_rubrics = bool(rubrics_asked(order.task)) and self._context.check_source is not None
        loop = profile.loop(order.settings, RUBRICS if has_rubrics else None)
        work = StageWork(self._context, profile, loop)
        self._loop = loop
        self._graph = GraphRun[Found, End](loop, SCHEDULES[order.settings.schedule], work)
        self._time = TimeLimit(clock, order.task.limits.wall_s, self._context.outages, self._patience)
        self._may_write = order.resume is None
        """Whatever stands in its journal has been read: nothing of that is written over."""

    async def run(self) -> EpisodeResult:
        """Run to a named ending, always. Cancelled, it ends the journal as ``cancelled`` and re-raises."""
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
        if self._patience.since is not None:
            doing = f"waiting for the run folder since {self._clock.now() - self._patience.since:.0f} s"
        return EpisodeProgress(
            episode=self._order.episode,
            task=self._order.task.id,
            serial=self._order.lease.serial,
            step=step,
            doing=doing,
            epoch=self._context.lease.epoch,
        )

    # ------------------------------------------------------------------------ the course of an episode
    async def _play(self) -> End:
        order = self._order
        try:
            before = None if order.resume is None else await read_interrupted(self._context, self._patience)
            self._may_write = True
            finished: Mapping[str, int] = {}
            if before is not None and before.decided is not None:
                return End(before.decided.ending, before.decided.reason)
            if order.resume is None or before is None:
                await self._begin()
            else:
                finished = await self._go_on(before, order.resume)
            return (await self._graph.run(finished)).why
        except CannotGoOn as error:
            return End(Ending.HOST_LOST, str(error), afresh=True)
        except StoreError as error:
            return end_of_lost_store(error)
        except ManyhandsError as error:
            return end_of_failure("reset", error) or End(Ending.INTERNAL_ERROR, str(error))
        except Exception as error:
            logger.exception("%s ended by a defect", order.episode)
            return defect("the episode", error)

    async def _begin(self) -> None:
        """Write down what is to be done, then put the phone into its starting state."""
        order, context = self._order, self._context
        self._time.count_from(self._time.began_at)
        if not order.settings.paper_exact and any(has_places(shortcut) for shortcut in order.memory.shortcuts):
            context.memory = offered_on(order.memory, await self._size())
        await self._journal.write(
            EpisodeStarted(
                at=self._time.began_at,
                run=order.run,
                episode=order.episode,
                attempt=order.attempt,
                task=order.task,
                serial=order.lease.serial,
                epoch=order.lease.epoch,
                profile=self._profile.name,
                schedule=order.settings.schedule,
                stages=self._profile.stage_names(order.settings),
                memory=context.memory,
                settings=order.settings.model_dump(mode="json"),
                batch=order.batch,
                place=order.place,
                restarts=order.restarts,
            )
        )
        if order.recalled is not None:
            await self._journal.write(order.recalled)
        await self._journal.flush()
        await self._prepare(reset_key(order.episode))

    async def _size(self) -> Size | None:
        """Return the size of the phone's screen; None where it does not answer: the reset tells what is wrong."""
        gateway, serial = self._context.collaborators.gateway, self._order.lease.serial
        try:
            return (await StageContext(self._context, CAPTURE, 0).call(lambda _: gateway.size(serial))).value
        except (PhoneError, CallError) as error:
            logger.warning("%s: the size of the screen is not known: %s", self._order.episode, error)
            return None

    async def _prepare(self, key: str) -> None:
        """Put the phone into its starting state."""
        gateway, seed = self._context.collaborators.gateway, self._order.task.reset_seed
        timed = await StageContext(self._context, ACT, 0).call(
            lambda call: gateway.reset(self._context.lease, key, seed, call)
        )
        await self._journal.write(PhonePrepared(at=self._clock.now(), receipts=(timed.value,)))

    async def _go_on(self, before: Interrupted, cause: str) -> dict[str, int]:
        """Go on in place after the last step whose action was dealt with. Return the finished stages.

        Raises CannotGoOn.
        """
        order, context = self._order, self._context
        obstacle = before.obstacle(order)
        if obstacle is None:
            before = await recall_last(context, before)
        records = await write_resumed(context, self._patience, before, cause)
        if obstacle is not None:
            raise CannotGoOn(obstacle)
        assert before.state.started is not None
        context.memory = before.state.started.memory
        self._time.count_from(before.state.started.at, stopped_s(records))
        if self._journal.state.prepared:
            await look_again(context, before)
        else:
            await self._prepare(reset_key(order.episode, order.lease.epoch))
        for stop in stops_of(self._profile, records, before.step, self._journal.state, order):
            self._graph.stop(stop)
        return finished_stages(self._loop, records)

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
        """End the episode once its time is up. Waiting for a server of a model, or for the store, takes none of it."""
        await self._time.passed()
        self._graph.stop(Stop(End(Ending.TIME_LIMIT, f"{self._order.task.limits.wall_s:g} s have passed")))

    # ------------------------------------------------------------------------ the end
    async def _close(self, end: End) -> EpisodeResult:
        """Ask the check, write the last record and wait until all is on disk. An end that is in the journal stays."""
        ended = self._journal.state.ended or await self._ended(end)
        away_s = 0.0 if end.ending is Ending.CANCELLED else self._order.settings.disk_wait_s
        try:
            async with until(self._clock, self._clock.now() + CLOSING_S + away_s, "closing the journal"):
                if self._journal.state.ended is None and self._may_write:
                    await self._journal.write(ended)
                await self._journal.flush()
                await self._screens.flush()
        except (StoreError, CallError) as error:
            lost = end_of_lost_store(error)
            reason = f"{lost.reason}; the episode had ended as {end.ending}"
            ended = ended.model_copy(update={"ending": lost.ending, "reason": reason})
        return EpisodeResult.of(
            ended,
            episode=self._order.episode,
            task=self._order.task.id,
            serial=self._order.lease.serial,
            attempt=self._order.attempt,
            in_vain=self._journal.state.in_vain,
            started_at=self._time.began_at,
        )

    async def _ended(self, end: End) -> EpisodeEnded:
        """Return the last record. An episode whose phone or lease is lost before its check ends by that: it goes on."""
        checked = await check_at_end(self._context, end)
        return EpisodeEnded(
            at=self._clock.now(),
            ending=checked.end.ending,
            reason=checked.end.reason,
            steps=self._journal.state.steps_taken,
            verified=checked.verified,
            rubrics=checked.rubrics,
            answer=self._journal.state.answer,
            afresh=checked.end.afresh,
        )
