"""Open what an environment server needs: a run folder, phones, their gateways and a host of episodes, without Ray."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from manyhands.actors.episode.host import Collaborators, EpisodeHost, HostSettings
from manyhands.actors.interfaces import Agent, Gateway
from manyhands.actors.perception.service import PerceptionService
from manyhands.actors.phones.sites import GatewayRouter
from manyhands.actors.store import RunStore, StoreSettings
from manyhands.deploy.fleet.given_parts import OnStart, Sidecar, ignore_start, open_sidecars, reader_arguments
from manyhands.deploy.fleet.phones.gateways import plan_gateways
from manyhands.deploy.fleet.phones.phone_locations import PhoneLocations
from manyhands.deploy.fleet.phones.phone_selection import ChosenPhones, choose_phones
from manyhands.deploy.fleet.phones.transports import transport_of
from manyhands.deploy.fleet.phones.virtual import VirtualPhones
from manyhands.deploy.fleet.run_files.run_folder import make_run_folder, only_run_in, remove_unused
from manyhands.deploy.fleet.run_files.run_writer import RunYaml
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.phones import names_of
from manyhands.protocol.errors import BadInput
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.folder_identity import folder_id, identity_of
from manyhands.protocol.tasks.predicates import sources
from manyhands.protocol.tasks.state_tests import SCREEN
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from manyhands.rollouts.environment.client_agent import ClientAgent
from manyhands.rollouts.environment.session import PhoneEnvironment, PhonePool, settings_for_clients
from manyhands.rollouts.trajectories import RunTrajectories, load_reward

MODEL_SOURCE = "clients of an environment server, whose models are not known here"


@dataclass(frozen=True, slots=True)
class OpenEnvironment:
    """Hold an environment, and where its episodes are written."""

    environment: PhoneEnvironment
    folder: Path
    phones: ChosenPhones


@dataclass(frozen=True, slots=True)
class LocalParts:
    """Hold what episodes in this process work with, besides agents."""

    settings: FleetSettings
    """The settings with the phones and servers that were started."""
    folder: Path
    phones: ChosenPhones
    gateway: Gateway
    store: RunStore
    perception: PerceptionService
    """Started if a check of a task reads screens; its owner starts it for more."""
    batch: str
    """The name of the run's one batch, which has all tasks."""

    def pool(self) -> PhonePool:
        """Return the phones, each to be leased for an episode."""
        return PhonePool(self.gateway, self.phones.serials, folder_id(self.folder), self.settings.episode.lease_s)


@asynccontextmanager
async def open_parts(
    settings: FleetSettings,
    tasks: Sequence[TaskSpec],
    model_source: str,
    sidecars: Sequence[Sidecar] = (),
    on_start: OnStart = ignore_start,
    reads_screens: bool = False,
) -> AsyncIterator[LocalParts]:
    """Open a run folder, phones, gateways, a store and perception in this process. Raises BadInput.

    ``model_source``: what the run folder says of the models. ``sidecars``: what starts besides stand-in phones.
    ``reads_screens``: whether episodes need perception, not checks alone.
    """
    if settings.encrypt_with:
        raise BadInput("encrypt_with: only `manyhands run` encrypts its folder; leave it out here")
    async with AsyncExitStack() as stack:
        folder = make_run_folder(settings)
        stack.callback(remove_unused, folder)
        stack.enter_context(only_run_in(folder))
        stand_ins = open_sidecars(settings, sidecars, folder / "logs", on_start, asks_models=False)
        started = await stack.enter_async_context(stand_ins)
        locations = await stack.enter_async_context(PhoneLocations(started, transport_of))
        on_start("Looking for phones")
        phones = await choose_phones(locations, names_of(started.phones), started.phone_wait_s)
        virtual = VirtualPhones(locations)
        await virtual.find(phones.serials)
        batch = _write_run_yaml(folder, started, tasks, phones, virtual, model_source)
        stack.push_async_callback(virtual.save_ledgers, folder)
        gateway = await _open_gateways(virtual.adapt(started), stack)
        store = RunStore(StoreSettings(folder=folder, identity=identity_of(folder)))
        await store.start()
        stack.push_async_callback(store.stop)
        perception = PerceptionService(*reader_arguments(settings.groups.perception, None))
        if reads_screens or any(_reads_screen(task) for task in tasks):
            on_start("Starting what reads screens")
            await perception.start()
            stack.push_async_callback(perception.stop)
        yield LocalParts(started, folder, phones, gateway, store, perception, batch)


@asynccontextmanager
async def open_environment(
    settings: FleetSettings, tasks: Sequence[TaskSpec], on_start: OnStart = ignore_start
) -> AsyncIterator[OpenEnvironment]:
    """Open an environment for ``tasks``, until the context closes. Raises BadInput.

    ``on_start``: called with a line before something is started or looked for.
    """
    _check(tasks)
    reward = load_reward(settings.reward)
    settings = settings.model_copy(update={"episode": settings_for_clients(settings.episode)})
    async with AsyncExitStack() as stack:
        parts = await stack.enter_async_context(open_parts(settings, tasks, MODEL_SOURCE, on_start=on_start))
        agent = ClientAgent()
        host = open_host(parts, {Role.DECIDE: agent})
        stack.push_async_callback(host.stop)
        environment = PhoneEnvironment(
            run=parts.folder.name,
            batch=parts.batch,
            tasks={task.id: task for task in tasks},
            settings=settings.episode,
            host=host,
            agent=agent,
            gateway=parts.gateway,
            phones=parts.pool(),
            trajectories=await asyncio.to_thread(RunTrajectories, parts.folder, reward),
        )
        yield OpenEnvironment(environment, parts.folder, parts.phones)


def open_host(parts: LocalParts, agents: Mapping[Role, Agent[Any, Any]]) -> EpisodeHost:
    """Return a host of episodes, of which as many run at a time as there are phones."""
    collaborators = Collaborators(
        agents=agents,
        perception=parts.perception,
        gateway=parts.gateway,
        store=parts.store,
        locator=parts.perception,
    )
    return EpisodeHost(HostSettings(max_episodes=len(parts.phones.serials)), collaborators)


def _check(tasks: Sequence[TaskSpec]) -> None:
    for task in tasks:
        if task.asks_judge:
            raise BadInput(f"task {task.id}: its check asks a judge, and an environment has no model; leave it out")
        if task.phones or task.by_hand:
            raise BadInput(f"task {task.id}: an environment takes any phone for a client; leave out phones and by_hand")


def _reads_screen(task: TaskSpec) -> bool:
    predicates = [rubric.holds for rubric in task.rubrics if rubric.holds is not None]
    predicates += [] if task.check is None else [task.check.holds]
    return any(SCREEN in sources(predicate) for predicate in predicates)


async def _open_gateways(settings: FleetSettings, stack: AsyncExitStack) -> GatewayRouter:
    """Start a gateway for each place with phones, in this process."""
    routes: dict[str, Gateway] = {}
    for planned in plan_gateways(settings, transport_of, {}):
        gateway = planned.kind(*planned.args)
        await gateway.start()
        stack.push_async_callback(gateway.stop)
        routes |= dict.fromkeys(planned.sites, gateway)
    return GatewayRouter(routes)


def _write_run_yaml(
    folder: Path,
    settings: FleetSettings,
    tasks: Sequence[TaskSpec],
    phones: ChosenPhones,
    virtual: VirtualPhones,
    model_source: str,
) -> str:
    """Write what the run folder says of the environment. Return the name of its batch."""
    content = RunYaml()
    content.started_at = HOST_CLOCK.now()
    content.name_source("model_source", model_source)
    if virtual.serials:
        content.name_source("phones_source", virtual.source(len(phones.serials)))
    batch = content.add(tasks)
    content.write(folder, settings, phones, {})
    return batch.name
