"""Give an open fleet the tasks of a service, and tell what becomes of them.

Commands go into the run folder's ``control.mh`` and are on disk when a method returns. So they outlive this process,
and the run folder alone tells all that its run was asked for.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from manyhands.actors.perception.counts import PerceptionCounts
from manyhands.protocol.errors import PhoneUnknown, WireError, store_error
from manyhands.protocol.messages import CallCounts, ModelCounts, PartialReply
from manyhands.protocol.runs.control import (
    Add,
    AttachPhone,
    Cancel,
    Control,
    ControlReader,
    DetachPhone,
    Go,
    LabelPhone,
    Pause,
    ReservePhone,
    SetPriority,
    pack_control,
    read_control,
    tell,
)
from manyhands.protocol.runs.control_state import ControlState, control_state
from manyhands.protocol.runs.interventions import EpisodeControl, Intervention
from manyhands.protocol.runs.progress import Decisions, EpisodeProgress, RunProgress
from manyhands.protocol.runs.run_summary import AskedModel
from manyhands.protocol.service.fleet import ModelStatus, PhoneStatus
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from manyhands.service.fleet_control import FleetCounts
from manyhands.service.phone_readings import Battery, PhonePictures, PhoneStates, read_batteries
from manyhands.service.phone_view import view_phones

MOST_ADDED, MOST_NAMED = 100, 10_000
"""The most tasks that one command adds, and that one command names."""
T = TypeVar("T")


class OpenFleet(PhoneStates, Protocol):
    """List what the queue needs of an open fleet. ``Fleet`` provides it."""

    @property
    def folder(self) -> Path: ...

    @property
    def serials(self) -> Sequence[str]: ...

    @property
    def models(self) -> Mapping[str, AskedModel]: ...

    async def progress(self) -> RunProgress: ...

    async def decisions(self, last: Decisions) -> Decisions: ...

    async def call_counts(self) -> Sequence[CallCounts]: ...

    async def model_counts(self) -> Mapping[str, Sequence[ModelCounts]]: ...

    async def perception_counts(self) -> Sequence[PerceptionCounts]: ...

    async def partial_replies(self, episode: str) -> Sequence[PartialReply]: ...

    async def intervene(self, episode: str, intervention: Intervention) -> EpisodeControl: ...


class FleetQueue:
    """Writes commands to the run of an open fleet, and reads its results, its phones and its models.

    All methods but ``progress`` and ``decisions`` raise StoreError if the run folder cannot be read or written. Those
    that ask actors raise CallError if nobody answers.
    """

    def __init__(self, fleet: OpenFleet) -> None:
        """``fleet``: an open fleet. Somebody else calls its ``run_queue``."""
        self._fleet = fleet
        self._reader = ControlReader(fleet.folder)
        self._state = ControlState()
        self._turn = asyncio.Lock()
        self._last: dict[str, EpisodeProgress] = {}
        """The last known state of the last episode of each phone."""
        self._pictures = PhonePictures(fleet)
        self._batteries: Mapping[str, Battery] = {}
        """What each phone told of its battery when it was last asked."""

    @property
    def run(self) -> str:
        """Return the path of the run folder."""
        return str(self._fleet.folder)

    # ------------------------------------------------------------------------ tasks
    async def hand_over(self, batch: str, owner: str, tasks: Sequence[TaskSpec]) -> None:
        """Add a batch to the run, once, however often this is called. ``batch``: its id.

        The tasks must come in the same order each time. A long batch goes in parts, because a command has a largest
        size; each part is added once. Raises WireError if no command can hold a task; then nothing is added.
        """
        parts = await asyncio.to_thread(_divide, tasks)
        for number, part in enumerate(parts, start=1):
            id = batch if number == 1 else f"{batch}/{number}"
            if id not in (await self._read()).batches:
                await self._tell(Add(at=HOST_CLOCK.now(), tasks=part, owner=owner, batch=id))

    async def hold(self, tasks: Sequence[str]) -> None:
        """Start none of these tasks until they are released."""
        held_tasks = (await self._read()).paused.tasks if tasks else {}
        for part in _parts(tuple(task for task in tasks if task not in held_tasks), MOST_NAMED):
            await self._tell(Pause(at=HOST_CLOCK.now(), tasks=part))

    async def count_tasks(self) -> int:
        """Return how many tasks were added to the run."""
        return len((await self._read()).added)

    async def held_tasks(self) -> Sequence[str]:
        """Return the tasks that are held."""
        return tuple((await self._read()).paused.tasks)

    async def release(self, tasks: Sequence[str]) -> None:
        """Withdraw ``hold``."""
        for part in _parts(tuple(tasks), MOST_NAMED):
            await self._tell(Go(at=HOST_CLOCK.now(), tasks=part))

    async def prioritize(self, priorities: Mapping[str, int]) -> None:
        """Give tasks other priorities, as far as the run was not told of them."""
        priorities_now = (await self._read()).priorities if priorities else {}
        by_priority: defaultdict[int, list[str]] = defaultdict(list)
        for task, priority in priorities.items():
            if priorities_now.get(task) != priority:
                by_priority[priority].append(task)
        for priority, tasks in by_priority.items():
            for part in _parts(tuple(tasks), MOST_NAMED):
                await self._tell(SetPriority(at=HOST_CLOCK.now(), tasks=part, priority=priority))

    async def cancel(self, tasks: Sequence[str], reason: str) -> None:
        """End these tasks for good, whether they wait or run."""
        cancelled = (await self._read()).cancelled if tasks else {}
        for part in _parts(tuple(task for task in tasks if task not in cancelled), MOST_NAMED):
            await self._tell(Cancel(at=HOST_CLOCK.now(), tasks=part, reason=reason))

    async def intervene(self, episode: str, intervention: Intervention) -> EpisodeControl:
        """Carry out what a person asks of a running episode (``Fleet.intervene``)."""
        return await self._fleet.intervene(episode, intervention)

    async def progress(self) -> RunProgress:
        """Return where the run stands."""
        progress = await self._fleet.progress()
        self._last |= {episode.serial: episode for episode in progress.running if episode.screen is not None}
        return progress

    async def decisions(self, last: Decisions) -> Decisions:
        """Return the results that follow the ``last`` answer (``Fleet.decisions``)."""
        return await self._fleet.decisions(last)

    # ------------------------------------------------------------------------ phones
    async def set_aside(self, serial: str, reason: str) -> PhoneStatus:
        """Give a phone no task until it is released. Raises PhoneUnknown."""
        await self._check(serial)
        await self._tell(Pause(at=HOST_CLOCK.now(), phones=(serial,), reason=reason))
        return await self._phone(serial)

    async def release_phone(self, serial: str) -> PhoneStatus:
        """Withdraw ``set_aside`` and ``reserve``. Raises PhoneUnknown."""
        await self._check(serial)
        now = HOST_CLOCK.now()
        await self._tell(Go(at=now, phones=(serial,)))
        await self._tell(ReservePhone(at=now, phone=serial, owner="", until=now))
        return await self._phone(serial)

    async def reserve(self, serial: str, owner: str, until: float) -> PhoneStatus:
        """Give a phone tasks of one owner only, until a time in Unix seconds. Raises PhoneUnknown."""
        await self._check(serial)
        await self._tell(ReservePhone(at=HOST_CLOCK.now(), phone=serial, owner=owner, until=until))
        return await self._phone(serial)

    async def label(self, serial: str, labels: Mapping[str, str]) -> PhoneStatus:
        """Replace the labels that people gave a phone. Raises PhoneUnknown."""
        await self._check(serial)
        await self._tell(LabelPhone(at=HOST_CLOCK.now(), phone=serial, labels=dict(labels)))
        return await self._phone(serial)

    async def copy_phones(self, run: Path) -> None:
        """Repeat what an earlier run was told of this fleet's phones. ``run``: its folder."""
        try:
            state = control_state(await asyncio.to_thread(read_control, run))
        except OSError as error:
            raise store_error(error, str(run)) from error
        now = HOST_CLOCK.now()
        for serial in state.attached:
            await self._tell(AttachPhone(at=now, phone=serial))
        for serial in state.detached:
            await self._tell(DetachPhone(at=now, phone=serial))
        for serial in state.phones_of(self._fleet.serials):
            if serial in state.labels:
                await self._tell(LabelPhone(at=now, phone=serial, labels=dict(state.labels[serial])))
            if serial in state.paused.phones:
                await self._tell(Pause(at=now, phones=(serial,), reason=state.aside.get(serial, "")))
            if (reservation := state.reservations.get(serial)) is not None and now < reservation.until:
                await self._tell(ReservePhone(at=now, phone=serial, owner=reservation.owner, until=reservation.until))

    async def phones(self) -> Sequence[PhoneStatus]:
        """Return the phones of the run, in the order of their serials."""
        state, progress = await self._read(), await self.progress()
        return view_phones(
            state.phones_of(self._fleet.serials), state, progress, HOST_CLOCK.now(), self._last, self._batteries
        )

    async def read_batteries(self) -> None:
        """Ask all phones for their batteries; ``phones`` shows the answers until the next time."""
        self._batteries = await read_batteries(self._fleet, (await self._read()).phones_of(self._fleet.serials))

    async def picture(self, serial: str) -> bytes:
        """Return the screen of a phone as a JPEG, taken now. Raises PhoneUnknown and PhoneError."""
        await self._check(serial)
        return await self._pictures.take(serial)

    async def attach(self, serial: str) -> PhoneStatus:
        """Add a phone to the fleet. It gets tasks as soon as it can be reached."""
        await self._tell(AttachPhone(at=HOST_CLOCK.now(), phone=serial))
        return await self._phone(serial)

    async def detach(self, serial: str) -> None:
        """Take a phone out of the fleet. The task that it carries out goes on to its end. Raises PhoneUnknown."""
        await self._check(serial)
        await self._tell(DetachPhone(at=HOST_CLOCK.now(), phone=serial))

    async def _phone(self, serial: str) -> PhoneStatus:
        return next(phone for phone in await self.phones() if phone.serial == serial)

    async def _check(self, serial: str) -> None:
        serials = (await self._read()).phones_of(self._fleet.serials)
        if serial not in serials:
            names = ", ".join(sorted(serials)) or "none"
            raise PhoneUnknown(f"{serial}: the fleet has no such phone; it has {names}")

    # ------------------------------------------------------------------------ models
    async def models(self) -> Sequence[ModelStatus]:
        """Return the model of each role, with the counts of its calls."""
        calls: Counter[str] = Counter()
        failures: defaultdict[str, int] = defaultdict(int)
        for counts in await self._fleet.call_counts():
            calls[counts.role.value] += counts.calls
            failures[counts.role.value] += sum(counts.errors.values())
        return [
            ModelStatus(
                role=role, model=client.model, servers=client.servers, calls=calls[role], failures=failures[role]
            )
            for role, client in sorted(self._fleet.models.items())
        ]

    async def counts(self) -> FleetCounts:
        """Return what the fleet has counted so far."""
        return FleetCounts(
            await self.progress(), await self._fleet.model_counts(), await self._fleet.perception_counts()
        )

    async def partial_replies(self, episode: str) -> Sequence[PartialReply]:
        """Return what models are writing now for an episode."""
        return await self._fleet.partial_replies(episode)

    # ------------------------------------------------------------------------ the control file
    async def _read(self) -> ControlState:
        async with self._turn:
            try:
                controls = await asyncio.to_thread(self._reader.read)
            except OSError as error:
                raise store_error(error, self.run) from error
            for control in controls:
                self._state.note(control)
            return self._state

    async def _tell(self, control: Control) -> None:
        try:
            await asyncio.to_thread(tell, self._fleet.folder, control)
        except OSError as error:
            raise store_error(error, self.run) from error


def _divide(tasks: Sequence[TaskSpec]) -> Sequence[tuple[TaskSpec, ...]]:
    """Divide tasks into those that one command each adds, in order. Raises WireError."""
    return [one for part in _parts(tuple(tasks), MOST_ADDED) for one in _halve(part)]


def _halve(part: tuple[TaskSpec, ...]) -> Sequence[tuple[TaskSpec, ...]]:
    """Divide tasks in halves until a command can hold each: it has a most of values
    (``protocol.journals.envelope``)."""
    try:
        pack_control(Add(at=0.0, tasks=part))
    except WireError:
        if len(part) == 1:
            raise
        half = len(part) // 2
        return [*_halve(part[:half]), *_halve(part[half:])]
    return [part]


def _parts(items: tuple[T, ...], most: int) -> Iterator[tuple[T, ...]]:
    """Yield the items in parts of at most ``most``, in order; nothing for no items."""
    for start in range(0, len(items), most):
        yield items[start : start + most]
