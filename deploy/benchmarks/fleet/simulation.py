"""A fleet in virtual time: the real graph, schedules and rules of the model client; everything else is modelled.

What is real: ``profile_e``, ``GraphRun``, the schedules, ``Admission``, ``Limiter`` and ``Room``, with a reading of the
server's queue every ``READ_EVERY_S`` by each client. What is modelled: the time that stages take, which plans have a
new subgoal, which actions fail, whether notes change (drawn from the seed, phone, episode and step, so that all
schedules meet the same), perception (so many pictures at a time) and the model server (``simulator.shared_model``).
"""

from __future__ import annotations

import asyncio
import math
import random
import time
from dataclasses import dataclass, field

from manyhands.actors.episode.schedule import SCHEDULES, GraphRun, Node, Stop
from manyhands.actors.mllm.load.admission import Admission
from manyhands.actors.mllm.load.limiter import READ_EVERY_S, Limiter, Queue
from manyhands.actors.mllm.load.speculation import Load, Room
from manyhands.actors.mllm.settings import ModelSettings
from manyhands.actors.profiles.e.graph import profile_e
from manyhands.deploy.benchmarks.fleet.modelled import Simulation
from manyhands.deploy.benchmarks.fleet.simulated_figures import SimulatedRow
from manyhands.protocol.errors import NoRoom
from manyhands.protocol.roles import STEP_ROLES, Role
from manyhands.protocol.runs import EpisodeSettings
from manyhands.simulator.shared_model import Request, SharedModel
from manyhands.simulator.virtual_clock import run_virtual

ASKS = {"plan": Role.PLAN, "decide": Role.DECIDE, "verify": Role.REFLECT, "note": Role.NOTE}
NEVER = 1e12
"""A deadline in Unix seconds that no call meets."""


@dataclass(slots=True)
class Counts:
    """What was done since they were made."""

    since: float = 0.0
    steps: int = 0
    ahead: int = 0
    """Steps whose plan or decision was asked before all was known, and kept."""
    kept: int = 0
    dropped: int = 0
    refused: int = 0
    read: float = 0.0
    written: float = 0.0
    work: float = 0.0
    read_in_use: int = 0
    written_in_use: int = 0
    """Tokens of calls whose answers counted."""


def simulate(simulation: Simulation) -> SimulatedRow:
    """Run a fleet in virtual time."""
    return run_virtual(_simulated(simulation))


async def _simulated(simulation: Simulation) -> SimulatedRow:
    began = time.process_time()
    world = World(simulation)
    loop = asyncio.get_running_loop()
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(world.phone(number)) for number in range(simulation.phones)]
        tasks += [group.create_task(client.watch()) for client in world.clients]
        group.create_task(world.enough.wait()).add_done_callback(lambda _: [task.cancel() for task in tasks])
    counts, seconds = world.counts, loop.time() - world.counts.since
    return world.outcome(counts, seconds, time.process_time() - began)


class Client:
    """A role's model client without a wire: the same admission, limiter and room, in the loop's time."""

    def __init__(self, model: SharedModel, settings: ModelSettings, draws: random.Random) -> None:
        self._model = model
        self._settings = settings
        self._admission = Admission(settings.max_in_flight, settings.max_waiting)
        self._limiter = Limiter(settings.max_in_flight)
        self._room = Room(settings.room, draws.random)
        self._first_look_s = draws.random() * READ_EVERY_S
        self._queue: Queue | None = None

    async def watch(self) -> None:
        """What ``actors.mllm.load.monitor`` does while requests are in flight: the queue is read, then and now."""
        await asyncio.sleep(self._first_look_s)
        while True:
            now = asyncio.get_running_loop().time()
            self._queue = Queue(waiting=self._model.waiting, running=self._model.running, cache_usage=0.0)
            self._limiter.read([self._queue], now)
            self._admission.resize(self._limiter.cap)
            self._room.see(self._load(), now)
            await asyncio.sleep(READ_EVERY_S)

    async def ask(self, role: Role, prompt: int, output: int, speculative: bool) -> None:
        """As ``ModelClient.complete``. Raises NoRoom."""
        loop = asyncio.get_running_loop()
        if speculative and not self._room.may_enter(self._load(), loop.time()):
            raise NoRoom("no room")
        asked = loop.time()
        priority = self._settings.priority(role, speculative)
        async with self._admission.enter(priority, NEVER):
            let_in = loop.time()
            self._room.entered((let_in - asked) * 1000, let_in)
            await self._model.answer(Request(prompt, output, priority))
            self._room.answered(role, (loop.time() - let_in) * 1000, output, loop.time())

    def _load(self) -> Load:
        servers = () if self._queue is None else (self._queue,)
        return Load(self._admission.in_flight, self._admission.cap, self._admission.waiting, servers)


class World:
    """All phones of a simulated run and what they share."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.speed = simulation.speed
        self.model = SharedModel(self.speed)
        self.perception = asyncio.Semaphore(math.ceil(simulation.phones / simulation.modelled.phones_per_reader))
        self.graph = profile_e(EpisodeSettings(schedule=simulation.schedule), rubrics=False)
        each = range(math.ceil(simulation.phones / simulation.modelled.calls_per_client))
        self._clients = {
            role: [
                Client(self.model, simulation.settings, random.Random(f"{simulation.seed} {role} {number}"))
                for number in each
            ]
            for role in STEP_ROLES
        }
        self.counts = Counts()
        self.counting = False
        self.enough = asyncio.Event()
        self._steps = 0

    @property
    def clients(self) -> list[Client]:
        return [client for clients in self._clients.values() for client in clients]

    def client(self, role: Role, phone: int) -> Client:
        own = self._clients[role]
        return own[phone % len(own)]

    async def phone(self, number: int) -> None:
        """One phone's episodes, one after another. The first has any length, so that phones are not in step."""
        modelled, draws = self.simulation.modelled, random.Random(f"{self.simulation.seed} phone {number}")
        await asyncio.sleep(draws.random() * self.simulation.warm_up_s / 4)
        steps = draws.randint(1, modelled.episode_steps)
        episode = 0
        while True:
            await asyncio.sleep(modelled.reset_s)
            work = EpisodeWork(self, number, f"{self.simulation.seed} {number} {episode}", steps)
            await GraphRun[float, str](self.graph, SCHEDULES[self.simulation.schedule], work).run()
            steps, episode = modelled.episode_steps, episode + 1

    def stepped(self, ahead: bool) -> None:
        """An action was carried out."""
        now = asyncio.get_running_loop().time()
        self._steps += 1
        if not self.counting:
            if now >= self.simulation.warm_up_s and self._steps >= 2 * self.simulation.phones:
                self.counting = True
                self.counts = Counts(
                    since=now, read=self.model.read, written=self.model.written, work=self.model.work_done
                )
            return
        self.counts.steps += 1
        self.counts.ahead += ahead
        if self.counts.steps == self.simulation.steps:
            self.enough.set()

    def outcome(self, counts: Counts, seconds: float, cpu_s: float) -> SimulatedRow:
        """The figures, when there have been enough steps."""
        speed, asked = self.speed, counts.kept + counts.dropped
        work = self.model.work_done - counts.work
        written = self.model.written - counts.written - counts.written_in_use
        read = self.model.read - counts.read - counts.read_in_use
        wasted = written + read * speed.prompt_cost
        return SimulatedRow(
            phones=self.simulation.phones,
            load=self.simulation.load,
            tokens_per_s=speed.tokens_per_s,
            schedule=self.simulation.schedule,
            seconds=seconds,
            steps=counts.steps,
            step_s=seconds * self.simulation.phones / counts.steps,
            episodes_per_hour=counts.steps / seconds / self.simulation.modelled.episode_steps * 3600,
            busy=work / (speed.tokens_per_s * seconds),
            ahead=counts.ahead / counts.steps,
            kept_share=counts.kept / asked if asked else None,
            refused=counts.refused,
            wasted_output_tokens=written,
            wasted_prompt_tokens=read,
            wasted_share=wasted / work,
            cpu_s=cpu_s,
        )


@dataclass(slots=True)
class EpisodeWork:
    """Implements ``actors.episode.schedule.Work``: nodes that take modelled times, in an episode of so many steps."""

    world: World
    phone: int
    name: str
    steps: int
    ahead: set[int] = field(default_factory=set)

    async def execute(self, node: Node, supposed: frozenset[Node]) -> float | None:
        """When it began, or None for what cannot be asked ahead of time."""
        # As in actors.profiles.e.assumptions: before the first plan there is none to go on with.
        if any(other.stage == "plan" and other.step == 0 for other in supposed):
            return None
        began = asyncio.get_running_loop().time()
        role = ASKS.get(node.stage)
        if role is not None:
            if role is not Role.NOTE or not self.failed(node.step):
                client = self.world.client(role, self.phone)
                try:
                    await client.ask(role, *self.tokens(node, role), speculative=bool(supposed))
                except NoRoom:
                    self.world.counts.refused += 1
                    return None
            return began
        modelled = self.world.simulation.modelled
        means = {"act": modelled.act_s, "capture": modelled.capture_s, "perceive": modelled.perceive_s}
        seconds = self.drawn(node, means[node.stage])
        if node.stage == "perceive":
            async with self.world.perception:
                await asyncio.sleep(seconds)
        else:
            await asyncio.sleep(seconds)
        return began

    async def commit(self, node: Node, result: float, supposed: frozenset[Node]) -> Stop[str] | None:
        counts, role = self.world.counts, ASKS.get(node.stage)
        if role is not None and (role is not Role.NOTE or not self.failed(node.step)):
            prompt, output = self.tokens(node, role)
            counts.read_in_use += prompt
            counts.written_in_use += output
        if supposed:
            counts.kept += 1
            self.ahead.add(node.step)
        if node.stage == "act":
            self.world.stepped(node.step in self.ahead)
            if node.step + 1 == self.steps:
                return Stop("enough", at=Node("plan", self.steps))
        return None

    def as_supposed(self, node: Node) -> bool:
        modelled = self.world.simulation.modelled
        if node.stage == "verify":
            return not self.failed(node.step)
        if node.stage == "plan":
            return self.chance(node) >= modelled.new_subgoals
        return self.failed(node.step) or self.chance(node) >= modelled.new_notes

    async def drop(
        self, node: Node, result: float | None, supposed: frozenset[Node], wrong: Node | None
    ) -> Stop[str] | None:
        self.world.counts.dropped += 1
        return None

    # ------------------------------------------------------------------ draws
    def failed(self, step: int) -> bool:
        """Whether the verdict on the step's action is B."""
        return self.chance(Node("verify", step)) < self.world.simulation.modelled.mistakes

    def chance(self, node: Node) -> float:
        return random.Random(f"{self.name} {node.stage} {node.step} chance").random()

    def drawn(self, node: Node, mean: float) -> float:
        spread = self.world.simulation.modelled.spread
        draws = random.Random(f"{self.name} {node.stage} {node.step}")
        return draws.lognormvariate(math.log(mean) - spread**2 / 2, spread) if mean else 0.0

    def tokens(self, node: Node, role: Role) -> tuple[int, int]:
        """Of the prompt that are in no cache, and of the answer."""
        modelled = self.world.simulation.modelled
        factor = self.drawn(node, 1.0)
        return round(modelled.prompt_tokens[role]), max(1, round(modelled.output_tokens[role] * factor))
