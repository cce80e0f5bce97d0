"""The actors of a run, created where they belong and stopped in reverse order."""

from __future__ import annotations

import asyncio
import math
import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Unpack

from manyhands.actors.dispatch.dispatcher import Dispatcher
from manyhands.actors.dispatch.models import ModelNeed
from manyhands.actors.dispatch.settings import DispatchSettings
from manyhands.actors.episode.host import Collaborators, EpisodeHost, HostSettings
from manyhands.actors.learning.teacher import Teacher, TeacherSettings
from manyhands.actors.memory.keeper import MemoryKeeper, MemorySettings
from manyhands.actors.perception.service import PerceptionService
from manyhands.actors.phones.routing import GatewayRouter
from manyhands.actors.profiles import profile_of
from manyhands.actors.remote import (
    Actor,
    ActorOptions,
    AgentProxy,
    CaptionerProxy,
    DispatchProxy,
    HostProxy,
    LearningProxy,
    LinkedGatewayProxy,
    MemoryProxy,
    PerceptionProxy,
    StoreProxy,
    preferring,
    spawn,
    stop,
    value_of,
)
from manyhands.actors.roles import Captioner, CaptionSettings, RoleSettings
from manyhands.actors.seams import Counted, Gateway
from manyhands.actors.store import RunStore, StoreSettings
from manyhands.deploy.cluster.nodes.turns import NodesInTurn
from manyhands.deploy.cluster.shared import check_resources
from manyhands.deploy.fleet.choosing import ChosenPhones
from manyhands.deploy.fleet.gateways import PlannedGateway
from manyhands.deploy.fleet.knowledge import memory_file
from manyhands.deploy.fleet.models import RoleModels
from manyhands.deploy.fleet.readers import Readers
from manyhands.deploy.perception.environment import check_python
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.protocol.memory import LongTermMemory
from manyhands.protocol.roles import Role

RESTARTS = -1
"""Without limit: actors keep nothing past an episode, or keep it on disk, and Ray starts a dead one again. How long is
waited for one that dies each time is up to those who need it."""


class Crew:
    """Spawns actors and remembers them, last one first to stop."""

    def __init__(
        self,
        settings: FleetSettings,
        models: RoleModels,
        readers: Readers | None,
        gateways: Sequence[PlannedGateway],
        folder: Path,
        node: str,
        stack: AsyncExitStack,
    ) -> None:
        self._settings = settings
        self._gateways = gateways
        self._readers = readers
        self._models = models
        self._folder = folder
        self._this_node = {"ray.io/node-id": node}
        self._node = node
        self._nodes = NodesInTurn((node,))
        self._stack = stack
        self._profile = profile_of(settings.episode.profile)
        self._agent_kinds = {kind.role: kind for kind in self._profile.agents(settings.episode)}
        self._collaborators: Collaborators | None = None
        self._agents: Mapping[Role, AgentProxy[Any, Any]] = {}
        self._hosts: tuple[HostProxy, ...] = ()
        self._teacher: LearningProxy | None = None
        self.roles: Mapping[Role, Counted] = {}
        """Those that ask a model, once the crew is open."""
        self.linked: tuple[LinkedGatewayProxy, ...] = ()
        """The gateways to phones behind brokers, once the crew is open."""
        self.perception: PerceptionProxy | None = None
        """Once the crew is open."""

    async def open(self) -> None:
        """Spawn everything but dispatchers. Raises what the first actor that does not start raises."""
        self._nodes = await asyncio.to_thread(NodesInTurn.from_node, self._node)
        try:
            self._collaborators = await self._spawn_collaborators()
        except ExceptionGroup as group:
            raise group.exceptions[0] from group.exceptions[0].__cause__
        # The first is on this node, which the run cannot lose: with one, no other node holds an episode.
        self._nodes = await asyncio.to_thread(NodesInTurn.from_node, self._node)
        hosts = await self._several(self._settings.hosts, EpisodeHost, HostSettings(), self._collaborators)
        self._hosts = tuple(HostProxy(host) for host in hosts)
        self._teacher = await self._spawn_teacher(self._collaborators)

    async def _spawn_collaborators(self) -> Collaborators:
        """Spawn those that wait for no other side by side."""
        settings = self._settings
        replicas = settings.role_actors or self._nodes.replicas
        async with asyncio.TaskGroup() as spawning:
            # The folder, the adb server and links to brokers are on this node; roles and perception may be anywhere.
            store = spawning.create_task(
                self._here(RunStore, StoreSettings(folder=self._folder), max_restarts=RESTARTS)
            )
            phones = spawning.create_task(self._gateway())
            spawned = {
                role: spawning.create_task(self._several(replicas, kind, self._role(role)))
                for role, kind in self._agent_kinds.items()
            }
            readers = spawning.create_task(self._perception_actors())
            captions = spawning.create_task(self._captioner())
            keeper = spawning.create_task(self._keeper())
        self._agents = {role: AgentProxy(*actors.result()) for role, actors in spawned.items()}
        self.perception = PerceptionProxy(*readers.result())
        captioner = captions.result()
        self.roles = {**self._agents, **({} if captioner is None else {Role.CAPTION: captioner})}
        return Collaborators(
            agents=self._agents,
            perception=self.perception,
            gateway=phones.result(),
            store=StoreProxy(store.result()),
            captioner=captioner,
            locator=self.perception,
            value_of=value_of,
            memory=keeper.result(),
        )

    async def _keeper(self) -> MemoryProxy | None:
        """Spawn the keeper of the memory beside its file, where tasks learn. Runs that share a file have one each."""
        if not self._profile.learns:
            return None
        settings = MemorySettings(path=memory_file(self._settings.memory, self._folder))
        return MemoryProxy(await self._here(MemoryKeeper, settings, max_restarts=RESTARTS))

    async def _spawn_teacher(self, with_: Collaborators) -> LearningProxy | None:
        if with_.memory is None:
            return None
        settings = TeacherSettings(budget_tokens=self._settings.memory_tokens)
        args = (settings, with_.memory, with_.store, self._agents)
        return LearningProxy(await self._here(Teacher, *args, max_restarts=RESTARTS))

    async def _gateway(self) -> GatewayRouter:
        """Spawn the gateways of all places, and make them one."""
        actors = await asyncio.gather(
            *(self._at(planned.node, planned.kind, *planned.args, max_restarts=RESTARTS) for planned in self._gateways)
        )
        routes: dict[str, Gateway] = {}
        for planned, actor in zip(self._gateways, actors, strict=True):
            gateway = planned.proxy(actor)
            routes |= dict.fromkeys(planned.sites, gateway)
            if isinstance(gateway, LinkedGatewayProxy):
                self.linked = (*self.linked, gateway)
        return GatewayRouter(routes)

    async def _captioner(self) -> CaptionerProxy | None:
        """Spawn one captioner for all phones, where captions are wanted and a model can give them."""
        if Role.CAPTION not in self._models:
            return None
        settings = CaptionSettings(asked=self._role(Role.CAPTION))
        return CaptionerProxy(await self._spawn(Captioner, settings, max_restarts=RESTARTS))

    @asynccontextmanager
    async def dispatcher(self, run: str, phones: ChosenPhones, memory: LongTermMemory) -> AsyncIterator[DispatchProxy]:
        """Open a dispatcher for one batch, whose tasks know ``memory`` from the start."""
        if self._collaborators is None:
            raise RuntimeError("open the crew first")
        actor = await spawn(
            Dispatcher,
            DispatchSettings(
                run=run,
                serials=phones.serials,
                away=dict(phones.away),
                control=self._folder,
                episode=self._settings.episode,
                stagger_s=self._settings.stagger_s,
            ),
            self._hosts,
            self._collaborators.gateway,
            memory,
            self._collaborators.store,
            None,
            (ModelNeed(self._in_steps(), self._settings.episode.no_model_s),),
            self._teacher,
            # Another fleet may have a run of that name.
            name=f"dispatcher-{run}-{secrets.token_hex(4)}",
            label_selector=self._this_node,
            max_restarts=RESTARTS,
        )
        try:
            yield DispatchProxy(actor)
        finally:
            await stop(actor)

    def _in_steps(self) -> Mapping[Role, Counted]:
        """Return those without whom no step is done: a learner whose servers are away costs its lesson alone."""
        return {role: agent for role, agent in self._agents.items() if role.spec.in_steps}

    def _perception(self) -> tuple[Any, ...]:
        """Return the arguments of a PerceptionService."""
        settings = self._settings
        if self._readers is None:
            # Without either, each actor counts the cores of its own machine, which need not be this one.
            workers = settings.perception_threads or math.ceil(settings.perception_cores) or None
            return (settings.perception_settings(workers),)
        chosen = self._readers.settings(settings.perception_threads)
        return (chosen.model_copy(update={"longest_wait_s": settings.perception_wait_s}), self._readers.make)

    def _role(self, role: Role) -> RoleSettings:
        return self._profile.role_settings(self._settings.episode, self._models[role])

    async def _perception_actors(self) -> list[Actor]:
        """Spawn them, each with its share of a GPU and its cores, where the settings ask for them.

        Their engines are native code, which a picture may crash: they are started again as often as it takes. How
        often one picture is sent again is bounded by the proxy.
        """
        settings = self._settings
        options = ActorOptions(
            num_cpus=settings.perception_cores, num_gpus=settings.perception_gpus, max_restarts=RESTARTS
        )
        if settings.perception_labels:
            options["label_selector"] = settings.perception_labels
        if settings.perception_python is not None:
            if settings.ray_address is None:  # in a cluster the actors may be on other machines
                await check_python(settings.perception_python)
            options["runtime_env"] = {"py_executable": str(settings.perception_python)}
        count = settings.perception_actors
        check_resources("perception_cores", "CPU", count * settings.perception_cores, settings.ray_address)
        check_resources("perception_gpus", "GPU", count * settings.perception_gpus, settings.ray_address)
        return await self._several(count, PerceptionService, *self._perception(), **options)

    async def _several(self, count: int, kind: type[Any], *args: Any, **options: Unpack[ActorOptions]) -> list[Actor]:
        """Spawn actors that answer alike, each on another node unless Ray is to look for labels or resources."""
        options.setdefault("max_restarts", RESTARTS)
        if options.keys() & {"label_selector"} or options.get("num_cpus") or options.get("num_gpus"):
            return await asyncio.gather(*(self._spawn(kind, *args, **options) for _ in range(count)))
        places = self._nodes.take(count)
        return await asyncio.gather(*(self._spawn(kind, *args, **preferring(node, options)) for node in places))

    async def _here(self, kind: type[Any], *args: Any, **options: Unpack[ActorOptions]) -> Actor:
        return await self._at(None, kind, *args, **options)

    async def _at(
        self, node: Mapping[str, str] | None, kind: type[Any], *args: Any, **options: Unpack[ActorOptions]
    ) -> Actor:
        """Spawn an actor on the node with these labels; None is this one."""
        options["label_selector"] = dict(node or self._this_node)
        return await self._spawn(kind, *args, **options)

    async def _spawn(self, kind: type[Any], *args: Any, **options: Unpack[ActorOptions]) -> Actor:
        actor = await spawn(kind, *args, **options)
        self._stack.push_async_callback(stop, actor)
        return actor


@asynccontextmanager
async def open_crew(
    settings: FleetSettings,
    models: RoleModels,
    gateways: Sequence[PlannedGateway],
    folder: Path,
    node: str,
    readers: Readers | None = None,
) -> AsyncIterator[Crew]:
    """Keep all actors of a run while the context is open, on the Ray that this process has.

    ``models``: of every role; ``gateways``: at least one; ``node``: the id of this machine's;
    ``readers``: instead of our own.
    """
    async with AsyncExitStack() as stack:
        crew = Crew(settings, models, readers, gateways, folder, node, stack)
        await crew.open()
        yield crew
