"""Play runs of the everyday suite one after another, each with many faults, until the time is over."""

from __future__ import annotations

import asyncio
import math
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from manyhands.benchmarks.chaos.growth import ProcessGrowth, read_processes
from manyhands.benchmarks.chaos.injection import STUCK, Injector, NotPossible, Scene
from manyhands.benchmarks.chaos.plan import FaultKind, PlannedFault, plan
from manyhands.benchmarks.chaos.processes import Driver, RunProcesses
from manyhands.benchmarks.chaos.recovery import JournalFollower
from manyhands.benchmarks.chaos.world import World, open_world
from manyhands.benchmarks.testbed import HOST
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.evaluation.run_folder import FAULTS_FILE, InjectedFault, append_fault
from manyhands.protocol.errors import ManyhandsError
from manyhands.protocol.runs.control import Drain, tell
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.utilities import secure_files

LONGEST_ROUND_S = 1800.0
SHORTEST_ROUND_S = 45.0
"""If fewer seconds than this are left when a round ends, no other round begins."""
TASK_S = 40.0
"""The assumed seconds of a task on a phone, faults included.

This value decides how many tasks the first round gets. Later rounds use the time that tasks took before.
"""
SHORTEST_TASK_S = 20.0
OVERTIME_S = 600.0
"""Seconds in which a round must end after its last fault. In this time the run begins no more tasks.

A run that takes longer is stopped, and its unfinished tasks count as lost.
"""
CHOSEN = ("profile", "schedule", "elements")
"""The settings of episodes that the benchmark's options choose."""
_LOOK_S = 0.5

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ChaosLoad:
    """Describe the load of the benchmark: tasks, phones, duration, faults."""

    settings: FleetSettings
    """Settings without phones, model and adb server, which the benchmark provides. They hold the virtual phones' size.
    """
    tasks: tuple[TaskSpec, ...]
    phones: int
    minutes: float
    away_s: float
    """Seconds for which a phone or the model is away, or the disk is full."""
    kinds: tuple[FaultKind, ...]
    """May be empty: then the runs only last."""
    seed: int
    out: Path


@dataclass
class Round:
    """Hold the results of one run."""

    folder: Path
    asked: Sequence[Mapping[str, Any]]
    """The tasks that were given to the run."""
    started_tasks: int = 0
    """Tasks of which an episode began."""
    faults: list[InjectedFault] = field(default_factory=list)
    unrecovered: list[InjectedFault] = field(default_factory=list)
    not_json: int = 0
    """Commands whose standard output was not one JSON value."""
    exit_code: int | None = None
    told: Mapping[str, Any] = field(default_factory=dict)
    """The JSON value that the last command printed."""
    processes: tuple[ProcessGrowth, ...] = ()
    """How the run's processes grew."""

    def __post_init__(self) -> None:
        self.follower = JournalFollower(self.folder)

    @property
    def tasks(self) -> int:
        return len(self.asked)


class Chaos:
    """Play rounds in a world until the time is over."""

    def __init__(self, load: ChaosLoad, world: World, ray_root: Path, say: Say) -> None:
        self._load = load
        self._world = world
        self._say = say
        self._ray_root = ray_root
        self._plan: Iterator[PlannedFault] = plan(load.kinds, load.seed)
        self._count = 0
        self._end_at = math.inf
        """Faults come until this time. It is set when the first phone is at work."""
        self._next_task = 0
        self.rounds: list[Round] = []

    async def play(self) -> Sequence[Round]:
        """Play rounds, at least one, and return them."""
        task_s = TASK_S
        while not self.rounds or self._end_at - time.time() > SHORTEST_ROUND_S:
            seconds = min(LONGEST_ROUND_S, 60 * self._load.minutes, self._end_at - time.time())
            began = time.time()
            played = await self._round(max(self._load.phones, round(self._load.phones * seconds / task_s)))
            if not played.started_tasks:
                break  # a run in which nothing begins would fail in the same way next time
            task_s = max(SHORTEST_TASK_S, (time.time() - began) * self._load.phones / played.started_tasks)
        return self.rounds

    async def _round(self, count: int) -> Round:
        load, name = self._load, f"round-{len(self.rounds) + 1}"
        played = Round(self._world.runs / name, self._next_tasks(count))
        self.rounds.append(played)
        tasks = load.out / "asked" / f"{name}.yaml"
        secure_files.make_folder(tasks.parent)
        secure_files.write_text(tasks, yaml.safe_dump(list(played.asked), allow_unicode=True, sort_keys=False))
        environment = {"RAY_TMPDIR": str(self._ray_root), **self._world.environment}
        processes = RunProcesses(self._ray_root)
        driver = Driver(processes, environment, load.out / "logs", name)
        faults = load.out / "asked" / f"{name}.{FAULTS_FILE}"
        self._say(f"{name}: {count} tasks on {load.phones} phones")
        try:
            await driver.start("run", str(tasks), *self._options(), "--out", str(played.folder), "--json")
            async with read_processes(processes) as readings:
                await self._disturb(driver, played, faults)
            played.processes = readings.growth()
            if not driver.ended and played.folder.is_dir():
                await asyncio.to_thread(tell, played.folder, Drain(at=time.time()))
            async with asyncio.timeout(OVERTIME_S):
                played.exit_code = await driver.wait()
        except TimeoutError:
            self._say(f"{name}: had not ended {OVERTIME_S:.0f} s after its faults")
        finally:
            await driver.stop()
            played.follower.look()
            played.started_tasks = played.follower.begun_tasks
            values = driver.values()
            played.not_json += not _is_one_object(values)
            played.told = values[0] if _is_one_object(values) else {}
            self._keep(played, faults)
        self._say(f"{name}: ended with exit code {played.exit_code}")
        return played

    def _options(self) -> Sequence[str]:
        load = self._load
        config = load.out / "asked" / "settings.yaml"
        episode, edge = load.settings.episode, self._world.edge
        settings: dict[str, Any] = {
            "state_dir": str(load.out / "state"),
            "episode": episode.model_dump(mode="json", include={"lease_s", *CHOSEN}),
            **({} if edge is None else edge.settings),
        }
        secure_files.write_text(config, yaml.safe_dump(settings))
        return (
            "--phones",
            ",".join(self._world.phones.serials) if edge is None else edge.phones,
            "--mllm-url",
            self._world.model_urls,
            "--adb-port",
            str(self._world.adb.port),
            "--config",
            str(config),
        )

    def _next_tasks(self, count: int) -> Sequence[Mapping[str, Any]]:
        """Return the next tasks of the suite, which begins again after its end.

        The suffix of an id counts these repetitions.
        """
        tasks = []
        for number in range(self._next_task, self._next_task + count):
            times, index = divmod(number, len(self._load.tasks))
            task = self._load.tasks[index]
            content = task.model_dump(mode="json", by_alias=True, exclude_defaults=True)
            tasks.append({**content, "id": f"{task.id}-{times + 1}"})
        self._next_task += count
        return tasks

    async def _disturb(self, driver: Driver, played: Round, faults: Path) -> None:
        """Carry out faults on the run until it ends or the time is over."""
        follower = played.follower

        async def resume_driver() -> None:
            values = driver.values()  # a killed command need not have printed its value
            played.not_json += not (_is_one_object(values) or (driver.was_killed and not values))
            await driver.start("resume", str(played.folder), "--json")

        episode = self._load.settings.episode
        scene = Scene(
            driver, self._world, played.folder, follower, episode, self._load.away_s, played.tasks, resume_driver
        )
        injector = Injector(scene)
        while await self._at_work(scene):
            if not self._load.kinds:
                await asyncio.sleep(_LOOK_S)
                continue
            planned = next(self._plan)
            await asyncio.sleep(planned.pause_s)
            if not await self._at_work(scene):
                return
            try:
                fault = await injector.inject(planned)
            except (NotPossible, ManyhandsError, OSError) as missing:
                self._say(f"left out: {planned.kind}: {missing}")
                continue
            self._count += 1
            append_fault(faults, fault)
            played.faults.append(fault)
            again = await injector.recovered(fault) and STUCK not in fault.note
            if not again:
                played.unrecovered.append(fault)
            took = f"{time.time() - fault.over:.1f} s later all went on" if again else "not all went on"
            minutes_left = max(0.0, self._end_at - time.time()) / 60
            note = f" ({fault.note})" if fault.note else ""
            self._say(
                f"{self._count} {fault.kind}{note}, {len(fault.hit)} hit: {took}; {minutes_left:.1f} minutes left"
            )

    async def _at_work(self, scene: Scene) -> bool:
        """Wait until a phone is at work; return False if the run or the time ends before."""
        while not scene.driver.ended and time.time() < self._end_at:
            await asyncio.to_thread(scene.follower.look)
            if scene.follower.running:
                self._end_at = min(self._end_at, time.time() + 60 * self._load.minutes)
                return True
            await asyncio.sleep(_LOOK_S)
        return False

    def _keep(self, played: Round, faults: Path) -> None:
        """Move the run folder to its final place, and copy the list of faults into it."""
        place = self._load.out / played.folder.name
        if played.folder != place and played.folder.is_dir():
            shutil.move(played.folder, place)
            played.folder = place
        if faults.is_file() and played.folder.is_dir():
            shutil.copyfile(faults, played.folder / FAULTS_FILE)


def _is_one_object(values: tuple[Any, ...]) -> bool:
    return len(values) == 1 and isinstance(values[0], dict)


@dataclass(frozen=True)
class PlayedRound:
    """Hold all that is judged: the rounds, and what the phones say about them."""

    rounds: Sequence[Round]
    ledgers: dict[str, list[dict[str, Any]]]
    left: dict[str, list[dict[str, Any]]]
    """What each reset found on a phone: the number of ledger lines before it, and the state."""
    reached: dict[str, dict[str, tuple[str, ...]]]
    """What the inputs of each key reached on a phone."""
    states: dict[str, dict[str, Any]]
    """The state of each phone at the end."""


async def play(load: ChaosLoad, say: Say) -> PlayedRound:
    """Play all rounds, then ask the phones what they received and what their state is. Raises BadInput, CallError."""
    secure_files.make_folder(load.out)
    with tempfile.TemporaryDirectory(prefix="mhc-", dir="/tmp", ignore_cleanup_errors=True) as ray_root:
        async with open_world(load.settings, load.phones, load.out, load.kinds) as world:
            rounds = await Chaos(load, world, Path(ray_root), say).play()
            return await _ask_phones(load, world, rounds)


async def _ask_phones(load: ChaosLoad, world: World, rounds: Sequence[Round]) -> PlayedRound:
    from manyhands.deploy.fleet.phones.transports import transport_of
    from manyhands.deploy.fleet.phones.virtual import PROVIDER

    update = {"adb_host": HOST, "adb_port": world.adb.port, "state_dir": load.out / "state"}
    transport = transport_of(load.settings.model_copy(update=update))
    await transport.ensure_running()
    await transport.start()
    ledgers, left_rows, reached, states = {}, {}, {}, {}
    try:
        for there in world.phones.serials:
            await transport.connect(there)
            phone, serial = transport.phone(there), world.named(there)
            ledgers[serial] = list((await phone.state(f"{PROVIDER}/ledger"))["rows"])
            left_rows[serial] = list((await phone.state(f"{PROVIDER}/left"))["rows"])
            rows = (await phone.state(f"{PROVIDER}/reached"))["rows"]
            reached[serial] = {row["key"]: tuple(row["reached"]) for row in rows if row["key"] is not None}
            states[serial] = dict(await phone.state(f"{PROVIDER}/state"))
    finally:
        await transport.stop()
    return PlayedRound(rounds, ledgers, left_rows, reached, states)
