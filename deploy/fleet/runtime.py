"""Create the actors of a run on their nodes, and stop them in reverse order."""

from __future__ import annotations

import asyncio
import math
import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Self, Unpack

from pydantic import JsonValue, SecretStr

from manyhands.actors.dispatch.dispatcher import Dispatcher
from manyhands.actors.dispatch.missing_requirements import ModelRequirement
from manyhands.actors.dispatch.settings import DispatchSettings
from manyhands.actors.episode.host import Collaborators, EpisodeHost, HostSettings
from manyhands.actors.interfaces import Gateway, LiveWriter
from manyhands.actors.learning.teacher import Teacher, TeacherSettings
from manyhands.actors.memory.memory_service import MemoryService, MemorySettings
from manyhands.actors.mllm.sessions import sessions_of
from manyhands.actors.perception.service import PerceptionService
from manyhands.actors.phones.sites import GatewayRouter
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
    NamedAgentProxy,
    PerceptionProxy,
    StoreProxy,
    preferring,
    spawn,
    stop,
    value_of,
)
from manyhands.actors.roles import CaptionSettings, IconCaptioner, Judge, RoleSettings
from manyhands.actors.store import RunStore, StoreSettings
from manyhands.deploy.cluster.nodes import RoundRobin
from manyhands.deploy.cluster.shared import check_resources
from manyhands.deploy.fleet.given_parts import reader_arguments
from manyhands.deploy.fleet.initial_memory import memory_file
from manyhands.deploy.fleet.model_servers.sessions import EpisodeReward, session_settings
from manyhands.deploy.fleet.phones.phone_labels import PhoneLabels
from manyhands.deploy.fleet.phones.secret_check import check_secrets
from manyhands.deploy.fleet.plan import PlacedFleet
from manyhands.deploy.perception.environment import check_python
from manyhands.protocol.errors import first_error
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.folder_identity import folder_id, identity_of
from manyhands.protocol.runs.run_cipher import cipher_of
from manyhands.protocol.tasks.task import TaskSpec

RESTARTS = -1
"""Actors may restart without limit, because what they keep for longer than an episode is on disk.

If an actor dies after each restart, its callers do not wait for ever: each of them limits its own wait.
"""


class FleetRuntime:
    """Spawn the actors of a placed run and stop them, the last one first.

    This is the third of the run's three steps.
    """

    def __init__(self, placed: PlacedFleet, node: str) -> None:
        """Plan all actors of a run on the Ray of this process; the actors exist while the context is open.

        ``node``: this machine's id.
        """
        self._placed = placed
        self._settings = placed.settings
        self._folder = placed.folder
        self._this_node = {"ray.io/node-id": node}
        self._node = node
        self._nodes = RoundRobin((node,))
        self._stack = AsyncExitStack()
        self._is_abandoned = False
        self._profile = profile_of(self._settings.episode.profile)
        self._agent_kinds = {kind.role: kind for kind in self._profile.agents(self._settings.episode)}
        self._collaborators: Collaborators | None = None
        self._agents: Mapping[Role, AgentProxy[Any, Any]] = {}
        self._judge = NamedAgentProxy[Any, Any](f"judge-{self._folder.name}-{secrets.token_hex(4)}")
        self._judge_spawning = asyncio.Lock()
        self._has_judge = False
        self._hosts: tuple[HostProxy, ...] = ()
        self._teacher: LearningProxy | None = None
        self.roles: Mapping[Role, LiveWriter] = {}
        """The roles that ask a model; empty before the runtime opens."""
        self.linked: tuple[LinkedGatewayProxy, ...] = ()
        """The gateways to phones behind brokers; empty before the runtime opens."""
        self._labels: PhoneLabels | None = None
        self.perception: PerceptionProxy | None = None
        """The perception actors; None before the runtime opens."""

    @property
    def is_abandoned(self) -> bool:
        """Return whether the actors' Ray is dead, so that nobody may ask them any more."""
        return self._is_abandoned

    def abandon(self) -> None:
        """Leave the actors of a dead Ray as they are, so that nobody waits for them to stop."""
        self._is_abandoned = True
        self._stack.pop_all()

    async def __aenter__(self) -> Self:
        """Spawn everything but dispatchers. Raises the error of the first actor that does not start."""
        try:
            await self._open()
        except BaseException:
            await self._stack.aclose()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop all actors, the last one first."""
        await self._stack.aclose()

    async def _open(self) -> None:
        self._nodes = await asyncio.to_thread(RoundRobin.from_node, self._node)
        with first_error():
            self._collaborators = await self._spawn_collaborators()
        # The first host is on this node, which the run cannot lose. If it is the only host, all episodes are here.
        self._nodes = await asyncio.to_thread(RoundRobin.from_node, self._node)
        hosts = await self._several(self._settings.hosts, EpisodeHost, HostSettings(), self._collaborators)
        self._hosts = tuple(HostProxy(host) for host in hosts)
        self._teacher = await self._spawn_teacher(self._collaborators)
        self._labels = PhoneLabels(self._collaborators.gateway, self._placed.phones.serials, self._folder)

    async def _spawn_collaborators(self) -> Collaborators:
        """Spawn the actors that need no other actor, side by side."""
        settings = self._settings
        replicas = settings.role_actors or self._nodes.replicas
        async with asyncio.TaskGroup() as spawning:
            # The folder, the adb server and links to brokers are on this node; roles and perception may be anywhere.
            key = SecretStr(cipher_of(self._folder).key)
            kept_in = StoreSettings(folder=self._folder, identity=identity_of(self._folder), key=key)
            store = spawning.create_task(self._here(RunStore, kept_in, max_restarts=RESTARTS))
            phones = spawning.create_task(self._gateway())
            spawned = {
                role: spawning.create_task(self._several(replicas, kind, self._role(role)))
                for role, kind in self._agent_kinds.items()
            }
            readers = spawning.create_task(self._perception_actors())
            captions = spawning.create_task(self._captioner())
            memory = spawning.create_task(self._start_memory())
        self._agents = {role: AgentProxy(*actors.result()) for role, actors in spawned.items()}
        self.perception = PerceptionProxy(*readers.result())
        captioner = captions.result()
        judge: Mapping[Role, NamedAgentProxy[Any, Any]] = {}
        if Role.JUDGE in self._placed.models:
            judge = {Role.JUDGE: self._judge}
        self.roles = {**self._agents, **judge, **({} if captioner is None else {Role.CAPTION: captioner})}
        return Collaborators(
            agents={**self._agents, **judge},
            perception=self.perception,
            gateway=phones.result(),
            store=StoreProxy(store.result()),
            captioner=captioner,
            locator=self.perception,
            value_of=value_of,
            memory=memory.result(),
            redactions=self._placed.plan.redactions,
        )

    async def _start_memory(self) -> MemoryProxy | None:
        """Spawn the memory service beside its file, if the profile learns.

        Runs that share a file have a service each.
        """
        if not self._profile.learns:
            return None
        settings = MemorySettings(path=memory_file(self._settings.memory, self._folder))
        return MemoryProxy(await self._here(MemoryService, settings, max_restarts=RESTARTS))

    async def _spawn_teacher(self, collaborators: Collaborators) -> LearningProxy | None:
        if collaborators.memory is None:
            return None
        settings = TeacherSettings(budget_tokens=self._settings.memory_tokens)
        args = (settings, collaborators.memory, collaborators.store, self._agents)
        return LearningProxy(await self._here(Teacher, *args, max_restarts=RESTARTS))

    async def _gateway(self) -> GatewayRouter:
        """Spawn the gateways of all places, and combine them in one router."""
        gateways = self._placed.gateways
        actors = await asyncio.gather(
            *(self._at(planned.node, planned.kind, *planned.args, max_restarts=RESTARTS) for planned in gateways)
        )
        routes: dict[str, Gateway] = {}
        for planned, actor in zip(gateways, actors, strict=True):
            gateway = planned.proxy(actor)
            routes |= dict.fromkeys(planned.sites, gateway)
            if isinstance(gateway, LinkedGatewayProxy):
                self.linked = (*self.linked, gateway)
        return GatewayRouter(routes)

    async def _captioner(self) -> CaptionerProxy | None:
        """Spawn one captioner for all phones, if captions are wanted and a model can give them."""
        if Role.CAPTION not in self._placed.models:
            return None
        settings = CaptionSettings(role=self._role(Role.CAPTION))
        return CaptionerProxy(await self._spawn(IconCaptioner, settings, max_restarts=RESTARTS))

    async def ensure_judge(self) -> None:
        """Spawn the judge, once, if a model can answer for it. Runs without a task that asks a judge have none."""
        async with self._judge_spawning:
            if not self._has_judge and Role.JUDGE in self._placed.models:
                name = self._judge.name
                self._judge.use(await self._spawn(Judge, self._role(Role.JUDGE), name=name, max_restarts=RESTARTS))
                self._has_judge = True

    @property
    def labels(self) -> PhoneLabels:
        """Return what reads labels off the run's phones."""
        if self._labels is None:
            raise RuntimeError("open the runtime first")
        return self._labels

    async def look(self, serial: str, source: str) -> Mapping[str, JsonValue]:
        """Return a phone's state at an address. Raises StateUnavailable, PhoneLost, CallError."""
        if self._collaborators is None:
            raise RuntimeError("open the runtime first")
        return await self._collaborators.gateway.look(serial, source)

    async def check(self, tasks: Sequence[TaskSpec]) -> None:
        """Raise BadInput if a task fits no phone of the run, or names a secret that phones cannot get."""
        await self.labels.check(tasks)
        await self.check_secrets(tasks)

    async def check_secrets(self, tasks: Sequence[TaskSpec]) -> None:
        """Raise SecretUnavailable if a task names a secret that has no value where the phones are."""
        if self._collaborators is None:
            raise RuntimeError("open the runtime first")
        await check_secrets(self._collaborators.gateway, self._placed.phones.serials, tasks)

    @asynccontextmanager
    async def dispatcher(
        self, tasks: Sequence[TaskSpec], is_open_ended: bool = False, most_unread: int | None = None
    ) -> AsyncIterator[DispatchProxy]:
        """Open a dispatcher for a batch of ``tasks``. The run then knows the labels by which they choose phones.

        ``is_open_ended``: the batch takes more tasks, until people drain the run. ``most_unread``: how many episodes
        may run or wait to be read.
        """
        if self._collaborators is None:
            raise RuntimeError("open the runtime first")
        await self.labels.prepare(tasks, is_open_ended)
        run, phones = self._folder.name, self._placed.phones
        gateway = session_settings(self._settings.groups.model)
        actor = await spawn(
            Dispatcher,
            DispatchSettings(
                run=run,
                serials=phones.serials,
                away=dict(phones.away),
                control=self._folder,
                folder_id=folder_id(self._folder),
                episode=self._settings.episode,
                stagger_s=self._settings.stagger_s,
                is_open_ended=is_open_ended,
                canary=0 if is_open_ended else self._settings.canary,
                max_failed_tasks=None if is_open_ended else self._settings.max_failed_tasks,
                most_unread=most_unread,
            ),
            self._hosts,
            self._collaborators.gateway,
            self._placed.plan.memory,
            self._collaborators.store,
            None,
            (ModelRequirement(self._in_steps(), math.inf if is_open_ended else self._settings.episode.no_model_s),),
            self._teacher,
            None if gateway is None else sessions_of(gateway),
            EpisodeReward(self._folder, self._settings.reward),
            # Another fleet may have a run of the same name.
            name=f"dispatcher-{run}-{secrets.token_hex(4)}",
            label_selector=self._this_node,
            max_restarts=RESTARTS,
        )
        try:
            async with self.labels.followed():
                yield DispatchProxy(actor)
        finally:
            if not self._is_abandoned:
                await stop(actor)

    def _in_steps(self) -> Mapping[Role, LiveWriter]:
        """Return the roles that every step needs. A learner without a server costs only its own lesson."""
        return {role: agent for role, agent in self._agents.items() if role.spec.in_steps}

    def _role(self, role: Role) -> RoleSettings:
        return self._profile.role_settings(self._settings.episode, self._placed.models[role])

    async def _perception_actors(self) -> list[Actor]:
        """Spawn the perception actors, each with the cores and the share of a GPU that settings ask for.

        The engines of these actors are native code, which a picture may crash. So Ray restarts the actors without
        limit, and the proxy limits how often one picture is sent again.
        """
        perception = self._settings.groups.perception
        cluster = self._settings.ray_address
        options = ActorOptions(
            num_cpus=perception.perception_cores, num_gpus=perception.perception_gpus, max_restarts=RESTARTS
        )
        if perception.perception_labels:
            options["label_selector"] = perception.perception_labels
        if perception.perception_python is not None:
            if cluster is None:  # in a cluster the actors may be on other machines
                await check_python(perception.perception_python)
            options["runtime_env"] = {"py_executable": str(perception.perception_python)}
        count = perception.perception_actors
        check_resources("perception_cores", "CPU", count * perception.perception_cores, cluster)
        check_resources("perception_gpus", "GPU", count * perception.perception_gpus, cluster)
        arguments = reader_arguments(perception, self._placed.plan.parts.readers)
        return await self._several(count, PerceptionService, *arguments, **options)

    async def _several(self, count: int, kind: type[Any], *args: Any, **options: Unpack[ActorOptions]) -> list[Actor]:
        """Spawn actors that are interchangeable, each on another node unless Ray places them by labels or resources."""
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
        """Spawn an actor on the node with these labels; None means this node."""
        options["label_selector"] = dict(node or self._this_node)
        return await self._spawn(kind, *args, **options)

    async def _spawn(self, kind: type[Any], *args: Any, **options: Unpack[ActorOptions]) -> Actor:
        actor = await spawn(kind, *args, **options)
        self._stack.push_async_callback(stop, actor)
        return actor
