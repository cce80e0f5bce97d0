"""Keep the database and the fleet of a service in step: hand over what is accepted, record what becomes of it.

The journals of the run folder are the truth of what happened, and ``control.mh`` is what the run was told. The database
follows both. After a crash every step may be repeated: batches are handed over once by their ids, and results are
recorded once by their tasks' ids.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Protocol

from pydantic import JsonValue

from manyhands.actors.clock import Clock
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import CallError, StoreError, WireError
from manyhands.protocol.runs.interventions import EpisodePhase
from manyhands.protocol.runs.progress import Decisions, EpisodeProgress, RunProgress
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.service.events import EventKind, ServiceEvent
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.service.database.batches.batch_repository import BatchRepository
from manyhands.service.database.batches.handovers import HandoverBatch
from manyhands.service.database.event_repository import EventFilter, EventRepository
from manyhands.service.phone_view import away_phones
from manyhands.service.recurring_work import RecurringWork

WATCH_S = 0.5
"""Seconds between two looks at the fleet."""
REMEDY_S = 5.0
"""Seconds between two looks at deadlines and at changes that did not reach the fleet."""
MOST_BATCHES = 100
"""The most batches that are read at once to be handed over."""
MOST_FAILED = 200
"""The most results of tasks that cannot be handed over that one transaction stores."""
PAST_DEADLINE = "the deadline of its batch has passed"
logger = logging.getLogger(__name__)


class FleetWork(Protocol):
    """List what the coordinator needs of the fleet. ``FleetQueue`` provides it."""

    @property
    def run(self) -> str: ...

    async def hand_over(self, batch: str, owner: str, tasks: Sequence[TaskSpec]) -> None: ...

    async def hold(self, tasks: Sequence[str]) -> None: ...

    async def held_tasks(self) -> Sequence[str]: ...

    async def release(self, tasks: Sequence[str]) -> None: ...

    async def cancel(self, tasks: Sequence[str], reason: str) -> None: ...

    async def prioritize(self, priorities: Mapping[str, int]) -> None: ...

    async def progress(self) -> RunProgress: ...

    async def decisions(self, last: Decisions) -> Decisions: ...


class Coordinator:
    """Moves batches into the fleet, and results into the database, until it is cancelled."""

    def __init__(self, batches: BatchRepository, events: EventRepository, fleet: FleetWork, clock: Clock) -> None:
        """``fleet``: the queue of an open fleet."""
        self._batches = batches
        self._events = events
        self._fleet = fleet
        self._clock = clock
        self._handover = RecurringWork.every(WATCH_S, "handing over batches", self._hand_over, clock)
        self._defective: set[str] = set()
        """The groups that a defect kept from the fleet: each is logged once."""
        self._last = Decisions()
        self._gone: frozenset[str] = frozenset()
        """The tasks that the last look for interruptions found recorded as running, and not running."""
        self._told: dict[str, tuple[int, str]] = {}
        """Where each episode was at the last look: its step, and what it did."""
        self._surplus: set[str] = set()
        """The tasks that the fleet held without an order at the last look."""
        self._holds: dict[str, tuple[EventKind, EpisodeProgress]] = {}
        """The episodes that people held at the last look: paused or taken over."""
        self._away: dict[str, str] = {}
        """What is away (phones, models), with the reason."""

    def wake(self) -> None:
        """Hand over now what has just been accepted."""
        self._handover.wake()

    async def run(self) -> None:
        """Work until cancelled. What cannot be done now is logged, and tried again."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._handover.run())
            for every_s, name, work in (
                (WATCH_S, "recording results", self._record_results),
                (WATCH_S, "recording steps", self._record_progress),
                (REMEDY_S, "repeating orders", self._repeat_orders),
                (REMEDY_S, "recording interruptions", self._record_interruptions),
            ):
                group.create_task(RecurringWork.every(every_s, name, work, self._clock).run())

    # ------------------------------------------------------------------------ into the fleet
    async def _hand_over(self) -> None:
        """Hand over each group. Whatever is wrong with one of them, the next must not wait for it."""
        last = 0
        while groups := await self._batches.not_handed_over(MOST_BATCHES, last):
            for group in groups:
                await self._try_hand_over(group)
            last = groups[-1].number

    async def _try_hand_over(self, group: HandoverBatch) -> None:
        """Hand a group of tasks over. Tasks that have no form that the fleet can take end as failed."""
        try:
            await self._fail(group.unreadable)
            await self._fleet.hold(group.paused)
            await self._fleet.hand_over(group.id, group.owner, group.tasks)
            await self._batches.mark_handed_over(group.id, self._fleet.run)
            await self._cancel(group.cancelled)
        except WireError as error:
            logger.warning("%s cannot be handed over, and ends as failed: %s", group.id, error)
            await self._fail({task.id: f"no phone can be given this task: {error}" for task in group.tasks})
        except (CallError, StoreError):
            raise  # the fleet or the database does not answer, whatever the group
        except Exception:
            if group.id not in self._defective:
                logger.exception("%s cannot be handed over by a defect; it is tried again and again", group.id)
            self._defective.add(group.id)

    async def _fail(self, reasons: Mapping[str, str]) -> None:
        """End tasks that the fleet cannot get, in parts, so that others write in between. ``reasons``: that of each."""
        now = self._clock.now()
        failed = [
            EpisodeResult(
                episode="",
                task=task,
                serial="",
                attempt=0,
                ending=Ending.INTERNAL_ERROR,
                reason=reason,
                steps=0,
                verified=None,
                rubrics={},
                started_at=now,
                ended_at=now,
            )
            for task, reason in reasons.items()
        ]
        for start in range(0, len(failed), MOST_FAILED):
            await self._batches.record_results(failed[start : start + MOST_FAILED])

    async def _repeat_orders(self) -> None:
        """Cancel what is late, and tell the fleet of the changes of tasks that it may not have been told of.

        A task that the fleet holds without an order is released at the second look: at the first one, a client may be
        about to pause it.
        """
        now = self._clock.now()
        if late := await self._batches.past_deadline(now):
            await self._batches.cancel(late, now, PAST_DEADLINE)
        orders = await self._batches.standing_orders()
        await self._fleet.hold(orders.paused)
        await self._fleet.prioritize(orders.priorities)
        surplus = set(await self._fleet.held_tasks()) - set(orders.paused)
        await self._fleet.release(sorted(surplus & self._surplus))
        self._surplus = surplus
        await self._cancel(orders.cancelled)

    async def _cancel(self, cancelled: Mapping[str, str]) -> None:
        """Cancel tasks in the fleet. ``cancelled``: the reason of each."""
        by_reason: defaultdict[str, list[str]] = defaultdict(list)
        for task, reason in cancelled.items():
            by_reason[reason].append(task)
        for reason, tasks in by_reason.items():
            await self._fleet.cancel(tasks, reason)

    # ------------------------------------------------------------------------ into the database
    async def _record_results(self) -> None:
        while (new := await self._fleet.decisions(self._last)).results:
            await self._batches.record_results(new.results)
            self._last = new
        self._last = new

    async def _record_progress(self) -> None:
        progress = await self._fleet.progress()
        now = self._clock.now()
        news = [episode for episode in progress.running if self._told.get(episode.episode) != _position(episode)]
        if news:
            began = set(await self._batches.record_progress(news, now))
            first_seen = [episode for episode in news if episode.episode not in self._told]
            self._holds |= await self._told_holds([one for one in first_seen if one.episode not in began])
        self._told = {episode.episode: _position(episode) for episode in progress.running}
        await self._record_holds(progress, now)
        await self._record_outages(progress, now)

    async def _record_interruptions(self) -> None:
        """Record which tasks wait again: their phones or hosts are lost. Two looks, for a result may be on its way."""
        recorded = await self._batches.running_tasks()
        running = {episode.task for episode in (await self._fleet.progress()).running}
        absent = recorded - running
        if interrupted := absent & self._gone:
            await self._batches.record_interruptions(interrupted, self._clock.now())
            self._told = {}  # an episode that goes on where it was is told again
        self._gone = absent

    async def _told_holds(self, episodes: Sequence[EpisodeProgress]) -> dict[str, tuple[EventKind, EpisodeProgress]]:
        """Return the holds of episodes whose begin was told, and whose end was not: by a service before a restart."""
        holds = {}
        for episode in episodes:
            last = await self._events.latest(EventFilter(task=episode.task, kinds=_HOLD_KINDS), None, 1)
            for event in last.items:
                if event.kind in _HOLD_ENDS and event.data.get("episode") == episode.episode:
                    holds[episode.episode] = (event.kind, episode)
        return holds

    async def _record_holds(self, progress: RunProgress, now: float) -> None:
        begins = ((_hold_kind(episode), episode) for episode in progress.running)
        holds = {episode.episode: (kind, episode) for kind, episode in begins if kind is not None}
        for episode in progress.running:  # from pause to takeover it is held all the time
            is_unread = episode.screen is None and episode.phase is EpisodePhase.RUNNING  # its host reads its journal
            if (is_unread or episode.phase is EpisodePhase.TAKING_OVER) and episode.episode in self._holds:
                holds[episode.episode] = self._holds[episode.episode]
        running = {episode.episode for episode in progress.running}
        events = []
        for id, (kind, episode) in (self._holds | holds).items():
            before, after = self._holds.get(id), holds.get(id)
            if after is not None and (before is None or before[0] is not kind):
                events.append(_hold_event(kind, episode, now, by=episode.held_by))
            elif after is None and id in running:
                events.append(_hold_event(_HOLD_ENDS[kind], episode, now, by=None))
        if events:
            await self._events.append(events)
        self._holds = holds

    async def _record_outages(self, progress: RunProgress, now: float) -> None:
        away = {f"phone {serial}": wait.reason for serial, wait in away_phones(progress).items()}
        if progress.waiting + len(progress.running):
            away |= {wait.what: wait.reason for wait in progress.held_up if wait.what.startswith("the model")}
        else:  # nobody asks whether the models are there
            away |= {what: reason for what, reason in self._away.items() if what.startswith("the model")}
        began = [_outage(what, away[what], True, now) for what in away if what not in self._away]
        ended = [_outage(what, "", False, now) for what in self._away if what not in away]
        if began or ended:
            await self._events.append([*began, *ended])
        self._away = away


_HOLD_ENDS = {
    EventKind.EPISODE_PAUSED: EventKind.EPISODE_RESUMED,
    EventKind.EPISODE_PERSON_WANTED: EventKind.EPISODE_RESUMED,
    EventKind.EPISODE_TAKEN_OVER: EventKind.EPISODE_HANDED_BACK,
}
"""For each event at the beginning of a time in which an episode is held, the event at its end."""
_HOLD_KINDS = tuple({*_HOLD_ENDS, *_HOLD_ENDS.values()})


def _hold_kind(episode: EpisodeProgress) -> EventKind | None:
    """Return the event that tells that an episode is held; None if the agent carries it out."""
    if episode.phase is EpisodePhase.PAUSED:
        return EventKind.EPISODE_PERSON_WANTED if episode.question else EventKind.EPISODE_PAUSED
    return EventKind.EPISODE_TAKEN_OVER if episode.is_taken_over else None


def _position(episode: EpisodeProgress) -> tuple[int, str]:
    return episode.step, episode.doing


def _hold_event(kind: EventKind, episode: EpisodeProgress, now: float, by: str | None) -> ServiceEvent:
    """Return the event that a person holds an episode, or holds it no more.

    ``by``: the person; None at the end of a hold, because anybody who may can end it. The journal has who did.
    """
    batch, _, _ = episode.task.partition(".")
    data: dict[str, JsonValue] = {"episode": episode.episode}
    if by is not None:
        data["by"] = by
    if kind is EventKind.EPISODE_PERSON_WANTED:
        data["question"] = episode.question
    return ServiceEvent(id=0, at=now, kind=kind, batch=batch, task=episode.task, phone=episode.serial, data=data)


def _outage(what: str, reason: str, is_away: bool, now: float) -> ServiceEvent:
    """Return the event that a phone or model is away or back. ``what``: ``RunWait.what``."""
    serial = what.removeprefix("phone ") if what.startswith("phone ") else None
    if serial is None:
        kind = EventKind.MODEL_AWAY if is_away else EventKind.MODEL_BACK
    else:
        kind = EventKind.PHONE_AWAY if is_away else EventKind.PHONE_BACK
    return ServiceEvent(id=0, at=now, kind=kind, phone=serial, data={"reason": reason} if reason else {})
