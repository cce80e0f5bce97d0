"""A fleet in virtual time: the real graph, schedules and load rules of the model client; everything else is modelled.

Real are the loop, ``GraphRun``, the schedules, ``Admission``, ``Limiter`` and ``SpeculationBudget``, and that
each client reads the server's queue every ``READ_EVERY_S``. Modelled are the times of stages, which plans have a new
subgoal, which actions fail and which notes change (drawn from the seed, phone, episode and step, so that all schedules
meet the same), and the model server (``simulator.serving.capacity``), to which a prompt's token is 0.05 tokens of work.
"""

from __future__ import annotations

import asyncio
import math
import random
from dataclasses import dataclass, field

from manyhands.actors.episode.schedule import SCHEDULES, GraphRun, GraphStop, Node
from manyhands.actors.mllm.load.admission import READ_EVERY_S, Admission, Limiter, ServerQueue
from manyhands.actors.mllm.load.speculation import ClientLoad, SpeculationBudget
from manyhands.actors.mllm.settings import ModelSettings
from manyhands.actors.profiles.e import PROFILE
from manyhands.protocol.errors import SpeculationRefused
from manyhands.protocol.roles.role import STEP_ROLES, Role
from manyhands.protocol.runs.episode_settings import EpisodeSettings, Schedule
from manyhands.simulator.serving.capacity import Capacity
from tests.virtual_clock import run_virtual

ASKS = {"plan": Role.PLAN, "decide": Role.DECIDE, "verify": Role.REFLECT, "note": Role.NOTE}
NEVER = 1e12
"""A deadline in Unix seconds that no call reaches."""
STAGE_S = {"act": 0.15, "capture": 0.6, "perceive": 0.3}
"""Mean times; draws are lognormal with ``SPREAD``."""
SPREAD = 0.3
PHONES_PER_READER = 8
PHONES_PER_CLIENT = 64
OUTPUT_TOKENS = {Role.PLAN: 160, Role.DECIDE: 160, Role.REFLECT: 130, Role.NOTE: 100}
PROMPT_WORK = {Role.PLAN: 100, Role.DECIDE: 125, Role.REFLECT: 125, Role.NOTE: 100}
"""Work of the prompts' tokens that are in no cache."""
EACH_PER_S = 60.0
"""Tokens that one request writes in a second at most."""
SLOWEST_PER_S = 15.0
"""What is left of that for each request when as many run as may; others wait."""
NEW_SUBGOALS, MISTAKES, NEW_NOTES = 0.35, 0.1, 0.3
EPISODE_STEPS = 20
RESET_S = 1.5
WARM_UP_S = 90.0
SETTINGS = ModelSettings(urls=("http://simulated",))


@dataclass(frozen=True, slots=True)
class Asked:
    """One run. ``load``: what ``overlap`` would ask of the model if it were never short, by what the model can do."""

    phones: int
    schedule: Schedule
    load: float
    steps: int
    """Steps to count after the warm-up."""
    seed: int = 0

    @property
    def tokens_per_s(self) -> float:
        """Return the capacity of the model server."""
        plan, decide, verify = (OUTPUT_TOKENS[role] / EACH_PER_S for role in (Role.PLAN, Role.DECIDE, Role.REFLECT))
        step_s = STAGE_S["act"] + STAGE_S["capture"] + max(verify, STAGE_S["perceive"]) + plan + decide
        notes = {Role.NOTE: 1 - MISTAKES}
        work = sum(notes.get(role, 1.0) * (OUTPUT_TOKENS[role] + PROMPT_WORK[role]) for role in OUTPUT_TOKENS)
        return self.phones / step_s * work / self.load


@dataclass(slots=True)
class Counts:
    """What happened since counting began."""

    since: float = 0.0
    work: int = 0
    """What the server had done when counting began."""
    used: float = 0.0
    """Work of calls whose answers counted."""
    steps: int = 0
    ahead: int = 0
    """Steps whose plan or decision was asked before all was known, and kept."""
    refused: int = 0


@dataclass(frozen=True, slots=True)
class Figures:
    """What one run gave, as shares and steps a second of virtual time."""

    steps_per_s: float
    busy: float
    """Share of the model's capacity that was in use."""
    ahead: float
    wasted: float
    """Share of the model's work that came to nothing."""
    refused: int


def simulate(asked: Asked) -> Figures:
    """Run a fleet in virtual time."""
    return run_virtual(_simulated(asked))


async def _simulated(asked: Asked) -> Figures:
    world = World(asked)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(world.phone(number)) for number in range(asked.phones)]
        tasks += [group.create_task(client.watch()) for clients in world.clients.values() for client in clients]
        group.create_task(world.enough.wait()).add_done_callback(lambda _: [task.cancel() for task in tasks])
    counts, seconds = world.counts, asyncio.get_running_loop().time() - world.counts.since
    work = world.model.written - counts.work
    return Figures(
        steps_per_s=counts.steps / seconds,
        busy=work / (asked.tokens_per_s * seconds),
        ahead=counts.ahead / counts.steps,
        wasted=(work - counts.used) / work,
        refused=counts.refused,
    )


class Client:
    """A role's model client without a wire: the same admission, limiter and speculation budget, in the loop's time."""

    def __init__(self, model: Capacity, draws: random.Random) -> None:
        self._model = model
        self._admission = Admission(SETTINGS.max_in_flight, SETTINGS.max_waiting)
        self._limiter = Limiter(SETTINGS.max_in_flight)
        self._budget = SpeculationBudget(SETTINGS.speculation, draws.random)
        self._first_look_s = draws.random() * READ_EVERY_S
        self._queue: ServerQueue | None = None

    async def watch(self) -> None:
        """Read the server's queue now and then, as ``actors.mllm.load.monitor`` does."""
        await asyncio.sleep(self._first_look_s)
        while True:
            now = asyncio.get_running_loop().time()
            self._queue = ServerQueue(waiting=self._model.waiting, running=self._model.running, cache_usage=0.0)
            self._limiter.read([self._queue], now)
            self._admission.resize(self._limiter.cap)
            self._budget.observe(self._load(), now)
            await asyncio.sleep(READ_EVERY_S)

    async def ask(self, role: Role, output: int, speculative: bool) -> None:
        """Ask as ``ModelClient.complete`` does. Raises SpeculationRefused."""
        loop = asyncio.get_running_loop()
        if speculative and not self._budget.admits(self._load(), loop.time()):
            raise SpeculationRefused("the budget admits none")
        asked = loop.time()
        priority = SETTINGS.priority(role, speculative)
        async with self._admission.enter(priority, NEVER):
            let_in = loop.time()
            self._budget.admitted((let_in - asked) * 1000, let_in)
            async with self._model.place(priority):
                # This model has no latency by role: the end of the least time is given as if it began then.
                await self._model.write(None, output + PROMPT_WORK[role], loop.time() + output / EACH_PER_S)
            self._budget.answered(role, (loop.time() - let_in) * 1000, output, loop.time())

    def _load(self) -> ClientLoad:
        servers = () if self._queue is None else (self._queue,)
        return ClientLoad(self._admission.in_flight, self._admission.cap, self._admission.waiting, servers)


class World:
    """All phones of a run and what they share."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.model = Capacity({}, asked.tokens_per_s, max(1, round(asked.tokens_per_s / SLOWEST_PER_S)))
        self.perception = asyncio.Semaphore(math.ceil(asked.phones / PHONES_PER_READER))
        self.graph = PROFILE.loop(EpisodeSettings(schedule=asked.schedule))
        self.clients = {
            role: [
                Client(self.model, random.Random(f"{asked.seed} {role} {number}"))
                for number in range(math.ceil(asked.phones / PHONES_PER_CLIENT))
            ]
            for role in STEP_ROLES
        }
        self.counts = Counts()
        self.enough = asyncio.Event()
        self._steps = 0

    async def phone(self, number: int) -> None:
        """Run one phone's episodes one after another. The first has any length, so that phones are not in step."""
        draws = random.Random(f"{self.asked.seed} phone {number}")
        await asyncio.sleep(draws.random() * WARM_UP_S / 4)
        steps, episode = draws.randint(1, EPISODE_STEPS), 0
        while True:
            await asyncio.sleep(RESET_S)
            work = EpisodeWork(self, number, f"{self.asked.seed} {number} {episode}", steps)
            await GraphRun[float, str](self.graph, SCHEDULES[self.asked.schedule], work).run()
            steps, episode = EPISODE_STEPS, episode + 1

    def stepped(self, ahead: bool) -> None:
        """Count an action that was carried out, once the warm-up is over."""
        now = asyncio.get_running_loop().time()
        self._steps += 1
        if not self.counts.since:
            if now >= WARM_UP_S and self._steps >= 2 * self.asked.phones:
                self.counts = Counts(since=now, work=self.model.written)
            return
        self.counts.steps += 1
        self.counts.ahead += ahead
        if self.counts.steps == self.asked.steps:
            self.enough.set()


@dataclass(slots=True)
class EpisodeWork:
    """Implement ``actors.episode.schedule.Work``: nodes that take modelled times, in an episode of so many steps."""

    world: World
    phone: int
    name: str
    steps: int
    ahead: set[int] = field(default_factory=set)

    async def execute(self, node: Node, assumed: frozenset[Node]) -> float | None:
        """Return when the node began, or None for one that cannot be asked ahead of time."""
        # As in an episode: before the first plan there is none to go on with.
        if any(other.stage == "plan" and other.step == 0 for other in assumed):
            return None
        began = asyncio.get_running_loop().time()
        role = self.asks(node)
        if role is not None:
            clients = self.world.clients[role]
            try:
                await clients[self.phone % len(clients)].ask(role, self.tokens(node, role), speculative=bool(assumed))
            except SpeculationRefused:
                self.world.counts.refused += 1
                return None
        elif node.stage == "perceive":
            async with self.world.perception:
                await asyncio.sleep(self.drawn(node, STAGE_S["perceive"]))
        elif node.stage in STAGE_S:
            await asyncio.sleep(self.drawn(node, STAGE_S[node.stage]))
        return began

    async def commit(self, node: Node, result: float, assumed: frozenset[Node]) -> GraphStop[str] | None:
        role = self.asks(node)
        if role is not None:
            self.world.counts.used += self.tokens(node, role) + PROMPT_WORK[role]
        if assumed:
            self.ahead.add(node.step)
        if node.stage == "act":
            self.world.stepped(node.step in self.ahead)
            if node.step + 1 == self.steps:
                return GraphStop("enough", at=Node("plan", self.steps))
        return None

    def finish(self, node: Node) -> None:
        pass

    def as_assumed(self, node: Node) -> bool:
        if node.stage == "verify":
            return not self.failed(node.step)
        if node.stage == "plan":
            return self.chance(node) >= NEW_SUBGOALS
        return self.failed(node.step) or self.chance(node) >= NEW_NOTES

    async def drop(
        self, node: Node, result: float | None, assumed: frozenset[Node], wrong: Node | None
    ) -> GraphStop[str] | None:
        return None

    # ------------------------------------------------------------------ draws
    def asks(self, node: Node) -> Role | None:
        """Return the role that the node asks; there is no note on an action that failed."""
        role = ASKS.get(node.stage)
        return None if role is Role.NOTE and self.failed(node.step) else role

    def failed(self, step: int) -> bool:
        """Return whether the verdict on the step's action is B."""
        return self.chance(Node("verify", step)) < MISTAKES

    def chance(self, node: Node) -> float:
        return random.Random(f"{self.name} {node.stage} {node.step} chance").random()

    def drawn(self, node: Node, mean: float) -> float:
        draws = random.Random(f"{self.name} {node.stage} {node.step}")
        return draws.lognormvariate(math.log(mean) - SPREAD**2 / 2, SPREAD)

    def tokens(self, node: Node, role: Role) -> int:
        """Return the tokens of the answer."""
        return max(1, round(OUTPUT_TOKENS[role] * self.drawn(node, 1.0)))
