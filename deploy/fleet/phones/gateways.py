"""Plan a gateway for each place with phones, and start directories of the phones at cluster nodes.

Each node of a cluster with the label ``phones=yes`` is a site. Its name in Ray is the site's name. This is apart from
``phone_locations``, because machines with phones have no Ray.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import ray

from manyhands.actors.edge.mqtt_gateway import MqttGateway
from manyhands.actors.phones.directory import SiteDirectory
from manyhands.actors.phones.gateway import PhoneGateway
from manyhands.actors.phones.settings import GatewaySettings
from manyhands.actors.phones.sites import SiteGateway
from manyhands.actors.remote import Actor, DirectoryProxy, GatewayProxy, LinkedGatewayProxy, spawn, stop
from manyhands.deploy.fleet.phones.phone_locations import at_this_machine, behind_brokers_of
from manyhands.deploy.fleet.phones.transports import MakeTransport
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.protocol.errors import BadInput
from manyhands.protocol.phones import ANY_SITE, site_of

LABEL, MARK = "phones", "yes"
HOST = "host"
"""A label that a node keeps when it leaves and comes back; its Ray id changes."""
Selector = Mapping[str, str]
"""Labels that exactly one node has."""


@dataclass(frozen=True, slots=True)
class PlannedGateway:
    """Describe the gateway that serves the phones of some sites: the class and arguments of the gateway's actor.

    The site ``""`` has all phones whose name in the run is the serial alone.
    """

    sites: tuple[str, ...]
    kind: type[Any]
    args: tuple[Any, ...]
    proxy: type[GatewayProxy] = GatewayProxy
    node: Mapping[str, str] | None = None
    """Labels of the node on which the gateway runs; None for the run's own node."""


def plan_gateways(
    settings: FleetSettings, make_transport: MakeTransport, nodes: Mapping[str, Mapping[str, str]]
) -> Sequence[PlannedGateway]:
    """Return a gateway for each place: this machine, each broker, and each of ``nodes`` (labels by node name)."""
    planned = []
    own = GatewaySettings(state_dir=settings.state_dir)
    if at_this_machine(settings):
        planned.append(PlannedGateway(("",), PhoneGateway, (own, make_transport(settings))))
    for far in behind_brokers_of(settings):
        # This process has reached the broker before. So a gateway that is restarted waits until it reaches the broker.
        patient = far.model_copy(update={"patient": True})
        planned.append(PlannedGateway(far.sites, MqttGateway, (patient,), LinkedGatewayProxy))
    for name, node in nodes.items():
        there = (name, own, make_transport(settings))
        planned.append(PlannedGateway((name,), SiteGateway, there, node=node))
    return planned


def nodes_with_phones(named: Sequence[str]) -> Mapping[str, Selector]:
    """Return labels that select each node whose phones are named. Raises BadInput if there is no such node.

    ``*/*`` names the phones of all nodes with the label.
    """
    there = {
        str(node["NodeName"]): _selector(node)
        for node in ray.nodes()
        if node["Alive"] and node["Labels"].get(LABEL) == MARK
    }
    sites = dict.fromkeys(site_of(name) for name in named)
    missing = [site for site in sites if site not in there and (site != ANY_SITE or not there)]
    if missing:
        names = ", ".join(there) or "none"
        raise BadInput(
            f"--phones {','.join(named)}: the cluster has no node {missing[0]} with the label {LABEL}={MARK} "
            f"(those that have it: {names}; ray start --node-name NAME --labels {LABEL}={MARK})"
        )
    return there if ANY_SITE in sites else {site: there[site] for site in sites}


def _selector(node: Mapping[str, Any]) -> Selector:
    host = node["Labels"].get(HOST)
    return {"ray.io/node-id": str(node["NodeID"])} if host is None else {HOST: str(host)}


@asynccontextmanager
async def directories(
    nodes: Mapping[str, Selector], settings: FleetSettings, make_transport: MakeTransport
) -> AsyncIterator[Mapping[str, DirectoryProxy]]:
    """Start a directory of phones on each node while the context is open. Raises what the body raises."""
    async with AsyncExitStack() as stack:

        async def placed(site: str, selector: Selector) -> Actor:
            transport = make_transport(settings)
            actor = await spawn(SiteDirectory, site, transport, label_selector=dict(selector), max_restarts=-1)
            stack.push_async_callback(stop, actor)
            return actor

        actors = await asyncio.gather(*(placed(site, selector) for site, selector in nodes.items()))
        yield {site: DirectoryProxy(actor) for site, actor in zip(nodes, actors, strict=True)}
