"""Serve the HTTP application over a fleet without phones and model, and print where it answers."""

from __future__ import annotations

import asyncio
import heapq
import json
import sys
import zlib
from collections import deque
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from manyhands.actors.clock import RealClock
from manyhands.actors.frames import content_id, make_thumbnail
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.protocol.base import Ending
from manyhands.protocol.runs.control_state import ControlState
from manyhands.protocol.runs.progress import Decisions, EpisodeProgress, RunProgress, TasksDone
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.service.access import AccessRole, TokenRequest
from manyhands.protocol.service.fleet import PhoneStatus
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.utilities import secure_files
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from manyhands.service.api.app import create_app
from manyhands.service.api.parts import ServiceParts
from manyhands.service.api.settings import ServiceBounds
from manyhands.service.coordinator import Coordinator
from manyhands.service.database.access_repository import AuditRepository, SessionRepository, TokenRepository
from manyhands.service.database.batches.batch_repository import BatchRepository
from manyhands.service.database.engine import ServiceDatabase
from manyhands.service.database.event_repository import EventRepository
from manyhands.service.database.failure_repository import FailureRepository
from manyhands.service.database.schedule_repository import ScheduleRepository
from manyhands.service.database.webhook_repository import WebhookRepository
from manyhands.service.fleet_keeper import FleetKeeper
from manyhands.service.http_server import serving
from manyhands.service.phone_view import view_phones

SCREENS = 40
_HEIGHT, _WIDTH, _ROW = 2400, 1080, 60


def write_thumbnails(runs: Path) -> Sequence[str]:
    """Write the pictures into a run folder within ``runs``; return their content ids.

    A picture has about as many bytes as that of a page of settings: rows of a plain colour, with texts.
    """
    run = runs / "000001_canned"
    secure_files.make_folder(run / "thumbnails")
    secure_files.write_bytes(run / "run.yaml", b"run_id: canned\n")
    ids: list[str] = []
    for seed in range(SCREENS):
        rgb = _screen(np.random.default_rng(seed))
        ids.append(content_id(rgb))
        secure_files.write_bytes(run / "thumbnails" / f"{ids[-1]}.jpg", make_thumbnail(rgb))
    return ids


def _screen(random: np.random.Generator) -> np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]:
    rgb = np.full((_HEIGHT, _WIDTH, 3), 240, np.uint8)
    for top in range(0, _HEIGHT, 4 * _ROW):
        width = int(random.integers(300, _WIDTH - 100))
        ink = random.integers(0, 2, (_ROW // 20, width // 20, 1), np.uint8) * 200
        rgb[top : top + _ROW, 60 : 60 + 20 * (width // 20)] = np.kron(ink, np.ones((20, 20, 1), np.uint8))
    return rgb


STEPS, STEP_S = 8, 5.0
"""How many steps a task has, and how many seconds a step takes: what a fleet of real phones would do."""
STAGES = ("perceive", "plan", "decide", "act", "verify")
SUBGOAL = "The thing to do now: open the page Display in Settings"


class CannedFleet:
    """Implement ``FleetWork``, which is all that the coordinator sees of a fleet. Time alone moves this fleet on."""

    def __init__(self, phones: int, screens: Sequence[str] = ()) -> None:
        """``screens``: the content ids of the screens that phones show in turn."""
        self.run = "canned"
        self._serials = [f"canned-{number}" for number in range(phones)]
        self._screens = screens
        self._free = list(self._serials)
        self._lead_s = {serial: STEP_S * (number % STEPS) for number, serial in enumerate(self._serials)}
        """By how much each phone's first task began earlier, so that phones are at different steps."""
        self._waiting: deque[TaskSpec] = deque()
        self._ends: list[tuple[float, str]] = []
        """When each running task ends, with its phone."""
        self._running: dict[str, tuple[TaskSpec, float]] = {}
        """The task of each busy phone, and when it began."""
        self._decided: deque[EpisodeResult] = deque()
        """The results that nobody has taken yet."""
        self._taken = 0

    async def hand_over(self, batch: str, owner: str, tasks: Sequence[TaskSpec]) -> None:
        """Queue tasks."""
        self._waiting.extend(tasks)

    async def hold(self, tasks: Sequence[str]) -> None:
        """Do nothing: nothing is paused in the benchmark."""

    async def held_tasks(self) -> Sequence[str]:
        """Return nothing: nothing is paused in the benchmark."""
        return ()

    async def release(self, tasks: Sequence[str]) -> None:
        """Do nothing: nothing is paused in the benchmark."""

    async def prioritize(self, priorities: Mapping[str, int]) -> None:
        """Do nothing: no priority is changed in the benchmark."""

    async def cancel(self, tasks: Sequence[str], reason: str) -> None:
        """Do nothing: nothing is cancelled in the benchmark."""

    async def progress(self) -> RunProgress:
        """Return where the tasks are at this moment."""
        now = HOST_CLOCK.now()
        self._move_on(now)
        running = tuple(self._episode(serial, task, began, now) for serial, (task, began) in self._running.items())
        total = len(self._waiting) + len(running) + self._taken + len(self._decided)
        return RunProgress(
            total=total, waiting=len(self._waiting), running=running, done=TasksDone(), latest=(), phones=len(running)
        )

    async def phones(self) -> Sequence[PhoneStatus]:
        """Return all phones. Each begins another stage in each second, and shows another screen in each step."""
        return view_phones(self._serials, ControlState(), await self.progress(), HOST_CLOCK.now())

    def _episode(self, serial: str, task: TaskSpec, began: float, now: float) -> EpisodeProgress:
        step = min(STEPS - 1, int((now - began) / STEP_S))
        second = int(now - began)
        number = zlib.crc32(serial.encode()) + step
        return EpisodeProgress(
            episode=f"{task.id}-1",
            task=task.id,
            serial=serial,
            step=step,
            doing=SUBGOAL,
            subgoal=SUBGOAL,
            stages=(STAGES[second % len(STAGES)],),
            stage_since=began + second,
            step_since=began + STEP_S * step,
            screen=self._screens[number % len(self._screens)] if self._screens else None,
        )

    async def decisions(self, last: Decisions) -> Decisions:
        """Return the results since the last answer."""
        self._move_on(HOST_CLOCK.now())
        while self._taken < last.after:
            self._decided.popleft()
            self._taken += 1
        results = tuple(islice(self._decided, 1000))
        return Decisions(dispatcher="canned", after=last.after + len(results), results=results)

    def _move_on(self, now: float) -> None:
        while self._ends and self._ends[0][0] <= now:
            ended_at, serial = heapq.heappop(self._ends)
            task, began = self._running.pop(serial)
            self._decided.append(_result(task, serial, began, ended_at))
            self._free.append(serial)
        while self._free and self._waiting:
            serial = self._free.pop()
            began = now - self._lead_s.pop(serial, 0.0)
            self._running[serial] = (self._waiting.popleft(), began)
            heapq.heappush(self._ends, (began + STEPS * STEP_S, serial))


def _result(task: TaskSpec, serial: str, began: float, ended_at: float) -> EpisodeResult:
    return EpisodeResult(
        episode=f"{task.id}-1",
        task=task.id,
        serial=serial,
        attempt=1,
        ending=Ending.FINISHED,
        reason="Everything that the goal asks for is done.",
        steps=STEPS,
        verified=None,
        rubrics={},
        started_at=began,
        ended_at=ended_at,
    )


NO_BOUNDS = ServiceBounds(token_rate=1e6, address_rate=1e6, token_requests=10_000)
"""One client plays all clients, and must not be told to come more slowly."""


class CannedControl(FleetKeeper):
    """Shows the phones of a canned fleet to routes. It never opens a fleet."""

    canned: CannedFleet

    async def phones(self) -> Sequence[PhoneStatus]:
        """Return the canned phones."""
        return await self.canned.phones()


async def serve(folder: Path, phones: int) -> None:
    """Serve until this process is ended. The first line of standard output is JSON: ``url`` and ``token``."""
    clock = RealClock()
    database = await ServiceDatabase.open(str(folder / "service.db"))
    batches, events, tokens = BatchRepository(database), EventRepository(database), TokenRepository(database)
    token = await tokens.make(TokenRequest(owner="bench", role=AccessRole.OPERATE), clock.now())
    keeper = CannedControl(folder, FleetSettings(), batches, events)
    keeper.canned = CannedFleet(phones, write_thumbnails(folder))
    parts = ServiceParts(
        batches=batches,
        events=events,
        tokens=tokens,
        sessions=SessionRepository(database),
        failures=FailureRepository(database),
        audit=AuditRepository(database),
        schedules=ScheduleRepository(database),
        webhooks=WebhookRepository(database),
        fleet=keeper,
        runs=folder,
        bounds=NO_BOUNDS,
    )
    async with serving(create_app(parts), "127.0.0.1", 0, NO_BOUNDS) as url:
        print(json.dumps({"url": url, "token": token.secret}), flush=True)  # noqa: T201
        await Coordinator(batches, events, keeper.canned, clock).run()


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1]), int(sys.argv[2])))
