"""Plan a run and place it: resolve its settings, check them and the cluster once, find its phones, gateways and models.

Actors that do not fit into a cluster would wait for ever, or fail one by one, so the cluster is checked before any is
spawned. Nothing is started but directories of phones and sidecars.
"""

from __future__ import annotations

import asyncio
import ipaddress
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from manyhands import actors
from manyhands.actors.mllm import ModelSettings
from manyhands.actors.redaction.redactions import Redactions, read_redactions
from manyhands.deploy.cluster.node_facts import NodeRequirements, find_incompatibilities, own_weights, paths_in
from manyhands.deploy.cluster.nodes import ask_nodes, facts_here, live_nodes, wait_for_capacity
from manyhands.deploy.fleet.given_parts import GivenParts, OnStart, ignore_start, open_sidecars
from manyhands.deploy.fleet.initial_memory import check_memory, starting_memory
from manyhands.deploy.fleet.model_servers.model_dialects import with_family_pictures
from manyhands.deploy.fleet.model_servers.resolution import RoleModels, check_models, has_family_form, role_models
from manyhands.deploy.fleet.model_servers.sessions import check_sessions, session_settings, through_gateway
from manyhands.deploy.fleet.phones.gateways import PlannedGateway, directories, nodes_with_phones, plan_gateways
from manyhands.deploy.fleet.phones.phone_locations import PhoneLocations, at_nodes
from manyhands.deploy.fleet.phones.phone_selection import LARGEST, ChosenPhones, choose_phones, screen_sizes
from manyhands.deploy.fleet.phones.virtual import VirtualPhones
from manyhands.deploy.fleet.run_files.recorded_run import RecordedRun
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.phones import names_of
from manyhands.protocol.errors import BadInput
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.utilities.terminal_text import count_noun


@dataclass(frozen=True, slots=True)
class FleetPlan:
    """Hold what a run will consist of.

    A run opens in three steps: a FleetPlan is made first, then a PlacedFleet from it, then a FleetRuntime.
    """

    settings: FleetSettings
    parts: GivenParts
    memory: LongTermMemory
    """What every task knows from the start."""
    models: RoleModels
    """The checked models of running servers. Models that sidecars start are checked during placement."""
    starts_phones: bool
    """Whether a sidecar starts the phones, so that they are known only afterwards."""
    named_here: tuple[str, ...]
    """Names of the phones that are looked for before the run joins the cluster."""
    named_at_nodes: tuple[str, ...]
    """Names of the phones at cluster nodes. They cannot be looked for before the run joins the cluster."""
    needed: frozenset[str] = frozenset()
    """Phones without which the run must not continue."""
    models_s: float = 0.0
    """How long model servers were waited for and tried."""
    redactions: Redactions | None = None
    """What the run must not store."""

    @property
    def looks_here(self) -> bool:
        """Return whether the run looks for phones before it joins the cluster."""
        return not self.starts_phones and bool(self.named_here or not self.named_at_nodes)


async def plan_fleet(
    settings: FleetSettings, parts: GivenParts, recorded: RecordedRun | None, on_start: OnStart = ignore_start
) -> FleetPlan:
    """Resolve and check settings, and ask each model server that they name. Raises BadInput.

    ``recorded``: the run that is resumed, if any. ``on_start``: called with a line if a model server is waited for.
    """
    memory = starting_memory(settings.tips, settings.shortcuts) if recorded is None else recorded.memory
    check_memory(settings.memory, settings.episode.profile, bool(settings.encrypt_with))
    redactions = None if settings.redact is None else read_redactions(settings.redact)
    if redactions is not None and settings.record_tokens:
        raise BadInput("redact: token ids are the texts again; leave redact or record_tokens out")
    named_at_nodes = at_nodes(settings)
    began = time.monotonic()
    await check_sessions(settings.groups.model)
    models = await check_models(settings, role_models(settings), on_start)
    models_s = time.monotonic() - began
    if has_family_form(settings.episode) and Role.DECIDE in models:
        episode = with_family_pictures(settings.episode, models[Role.DECIDE])
        settings = settings.model_copy(update={"episode": episode})
    return FleetPlan(
        settings=settings,
        parts=parts,
        memory=memory,
        starts_phones=settings.starts_phones or bool(parts.sidecars and not settings.phones),
        named_here=names_of([phone for phone in settings.phones if phone not in named_at_nodes]),
        named_at_nodes=named_at_nodes,
        needed=frozenset() if recorded is None else recorded.needed,
        models=models,
        models_s=models_s,
        redactions=redactions,
    )


_TOLD = 4
"""How many problems an error line shows. Often many nodes have the same problem."""


async def _check_cluster(settings: FleetSettings, models: RoleModels, node: str, own_readers: bool) -> FleetSettings:
    """Check that the cluster can carry the run; return settings whose rehearsed model every node can reach.

    ``models``: the models that run on servers. ``node``: the id of this node. ``own_readers``: whether our own
    perception reads the screens. Raises BadInput that names what does not fit.
    """
    await check_places(settings)
    nodes = live_nodes()
    others = [one for one in nodes if one.id != node]
    if not others:
        return settings
    check_urls(models, node)
    needs = needs_of(settings, models, own_readers)
    here = await asyncio.to_thread(facts_here, needs)
    incompatibilities = find_incompatibilities(here, await ask_nodes(others, needs), needs)
    if incompatibilities:
        lines = [f"{one.node.name} {one.reason}" for one in incompatibilities[:_TOLD]]
        more = [f"and {len(incompatibilities) - _TOLD} more"] if len(incompatibilities) > _TOLD else []
        where = "" if settings.ray_address is None else f" --ray-address {settings.ray_address}"
        raise BadInput(f"the cluster does not fit: {'; '.join([*lines, *more])} (see manyhands doctor{where})")
    if not is_loopback(settings.rehearsal.host):
        return settings
    host = next(one.address for one in nodes if one.id == node)
    return settings.model_copy(update={"rehearsal": settings.rehearsal.model_copy(update={"host": host})})


async def check_places(settings: FleetSettings) -> None:
    """Raise BadInput if no node offers what perception actors need, after a wait of ``node_wait_s``."""
    options, wait_s = settings.groups.perception, settings.node_wait_s
    if options.perception_labels:
        await wait_for_capacity("perception_labels", options.perception_labels, options.actor_resources, wait_s)
    elif settings.ray_address is not None:
        await wait_for_capacity("perception_cores, perception_gpus", {}, options.actor_resources, wait_s)


def needs_of(settings: FleetSettings, models: RoleModels, own_readers: bool = True) -> NodeRequirements:
    """Return what a run needs of each node."""
    all_models = list(models.values())
    gateway = session_settings(settings.groups.model)
    if gateway is not None:
        all_models.append(ModelSettings(urls=(gateway.url,), api_key_env=gateway.api_key_env))
    files: tuple[str, ...] = ()
    if own_readers and settings.perception_python is None:  # a Python of its own for perception has its own weights
        perception = settings.perception_settings(None).model_dump()
        files = (*own_weights(Path(actors.__file__).parent), *paths_in(perception))
    return NodeRequirements(
        urls=tuple(dict.fromkeys(url for model in all_models for url in model.urls)),
        variables=tuple(sorted({model.api_key_env for model in all_models if model.api_key_env is not None})),
        files=files,
        readers=settings.perception_labels,
    )


def check_urls(models: RoleModels, node: str) -> None:
    """Raise BadInput if only this machine (``node``) can reach a model server and the cluster has other nodes."""
    others = sum(one.id != node for one in live_nodes())
    if not others:
        return
    for model in models.values():
        for url in model.urls:
            if is_loopback(urlsplit(url).hostname or ""):
                raise BadInput(
                    f"--mllm-url {url}: only this machine can reach that, and the cluster has "
                    f"{count_noun(others, 'other node')} that ask the model too; give an address that they reach "
                    "(manyhands mllm --host)"
                )


def is_loopback(host: str) -> bool:
    """Return whether a URL's host means the machine of whoever asks."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
    return address.is_loopback or address.is_unspecified


@dataclass(frozen=True, slots=True)
class PlacedFleet:
    """Hold where everything of a run is. This is the second of the run's three steps; FleetRuntime starts from it."""

    plan: FleetPlan
    settings: FleetSettings
    """The settings of the plan, with the phones and model servers that sidecars have started."""
    folder: Path
    phones: ChosenPhones
    models: RoleModels
    """The checked model of every role."""
    gateways: Sequence[PlannedGateway]
    """The gateways: one for each place where phones are."""
    models_s: float = 0.0
    """How long model servers were waited for and tried, in both steps so far."""


async def phones_here(plan: FleetPlan, locations: PhoneLocations) -> ChosenPhones:
    """Choose the phones that can be found before Ray has started. Raises BadInput if there is none."""
    if not plan.looks_here:
        return ChosenPhones(())
    return await choose_phones(locations, plan.named_here, plan.settings.phone_wait_s, plan.needed)


async def expected_screens(plan: FleetPlan, locations: PhoneLocations, phones: ChosenPhones) -> Sequence[Size]:
    """Return the sizes of the screens for which Ray's object store needs room."""
    if plan.starts_phones:
        emulators = plan.settings.emulators
        if emulators is not None:
            return [LARGEST] * emulators.count
        return [plan.settings.virtual.pixels] * (plan.settings.virtual_phones or 1)
    return await screen_sizes(locations, phones)


@asynccontextmanager
async def place_fleet(
    plan: FleetPlan,
    locations: PhoneLocations,
    virtual: VirtualPhones,
    phones_at_start: ChosenPhones,
    folder: Path,
    node: str,
    on_start: OnStart,
) -> AsyncIterator[PlacedFleet]:
    """Check the cluster, find the phones at its nodes, start sidecars, and check the models that sidecars have started.

    ``phones_at_start``: the phones of ``phones_here``. ``node``: this machine's id in the cluster.
    ``on_start``: called before each sidecar starts. Sidecars and phone directories stay until the context closes.
    Raises BadInput.
    """
    make_transport, wait_s = plan.parts.make_transport, plan.settings.phone_wait_s
    async with AsyncExitStack() as stack:
        settings = await _check_cluster(plan.settings, plan.models, node, own_readers=plan.parts.readers is None)
        nodes = nodes_with_phones(plan.named_at_nodes) if plan.named_at_nodes else {}
        at_nodes = ChosenPhones(())
        if nodes:
            locations.add(await stack.enter_async_context(directories(nodes, settings, make_transport)))
            at_nodes = await choose_phones(locations, plan.named_at_nodes, wait_s, plan.needed)
        started = await stack.enter_async_context(
            open_sidecars(settings, plan.parts.sidecars, folder / "logs", on_start)
        )
        if not plan.starts_phones:
            phones = phones_at_start.and_others(at_nodes)
        elif started.phones:
            phones = ChosenPhones(started.phones)
        else:  # a sidecar has started a model server, and the phones are real ones
            phones = await choose_phones(locations, (), wait_s)
        started_models = {role: model for role, model in role_models(started).items() if role not in plan.models}
        check_urls(started_models, node)
        began = time.monotonic()
        checked = {**await check_models(started, started_models, on_start), **plan.models}
        models_s = plan.models_s + time.monotonic() - began
        models = through_gateway(checked, started.groups.model)
        await virtual.find(phones.serials)
        gateways = plan_gateways(virtual.adapt(started), make_transport, nodes)
        yield PlacedFleet(plan, started, folder, phones, models, gateways, models_s)
