"""Place a planned run: find out where its phones, gateways and models are."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from manyhands.deploy.fleet.given_parts import OnStart, open_sidecars
from manyhands.deploy.fleet.model_servers.resolution import RoleModels, check_models, role_models
from manyhands.deploy.fleet.phones.gateways import PlannedGateway, directories, nodes_with_phones, plan_gateways
from manyhands.deploy.fleet.phones.phone_locations import PhoneLocations
from manyhands.deploy.fleet.phones.phone_selection import ChosenPhones, choose_phones, screen_sizes
from manyhands.deploy.fleet.phones.virtual import VirtualPhones
from manyhands.deploy.fleet.plan import FleetPlan
from manyhands.deploy.fleet.preflight import check_cluster, check_urls
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.protocol.screens.geometry import Size


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
        settings = await check_cluster(plan.settings, plan.models, node, own_readers=plan.parts.readers is None)
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
        models = {**await check_models(started, started_models, on_start), **plan.models}
        models_s = plan.models_s + time.monotonic() - began
        await virtual.find(phones.serials)
        gateways = plan_gateways(virtual.adapt(started), make_transport, nodes)
        yield PlacedFleet(plan, started, folder, phones, models, gateways, models_s)
