"""Reach the places where a run's phones are: this machine's adb server, nodes of the cluster, and sites behind brokers.

A gateway is planned for each place. A node of a cluster with the label ``phones=yes`` is a site. Its name in Ray is the
site's name.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Self

import ray

from manyhands.actors.edge.mqtt_gateway import MqttGateway
from manyhands.actors.edge.settings import BrokerAddress, MqttGatewaySettings
from manyhands.actors.interfaces import PhoneDirectory, PhoneTransport
from manyhands.actors.phones.adb import AdbSettings, AdbTransport
from manyhands.actors.phones.directory import DirectoryRouter, SiteDirectory, TransportDirectory
from manyhands.actors.phones.gateway import PhoneGateway
from manyhands.actors.phones.settings import GatewaySettings
from manyhands.actors.phones.sites import SiteGateway
from manyhands.actors.remote import Actor, DirectoryProxy, GatewayProxy, LinkedGatewayProxy, spawn, stop
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.phones import SCHEMES, AdbOptions, behind_brokers
from manyhands.protocol.errors import BadInput
from manyhands.protocol.phones import ANY_SITE, site_of

MakeTransport = Callable[[FleetSettings], PhoneTransport]
"""Makes a transport without starting it. A fleet starts a transport; the gateway starts another in its own process."""


def adb(settings: FleetSettings) -> AdbTransport:
    """Make a transport to phones behind an adb server."""
    options = settings.values_of(AdbOptions, prefix="adb_")
    threads = min(1024, max(64, len(settings.phones)))
    return AdbTransport(AdbSettings(**options, limits=settings.phone_limits, threads=threads))


TRANSPORTS: Mapping[str, MakeTransport] = {"adb": adb}
"""Ways to reach phones, by the names that the setting ``transport`` accepts."""


def transport_of(settings: FleetSettings) -> PhoneTransport:
    """Make the transport that the settings name. Raises BadInput."""
    if settings.transport not in TRANSPORTS:
        raise BadInput(f"transport {settings.transport}: unknown; there are {', '.join(TRANSPORTS)}")
    return TRANSPORTS[settings.transport](settings)


class PhoneLocations(DirectoryRouter[PhoneDirectory]):
    """List and connect the phones at all places of a run, from this process, while the context is open."""

    def __init__(self, settings: FleetSettings, make_transport: MakeTransport) -> None:
        self._transport = make_transport(settings) if at_this_machine(settings) else None
        self._stack = AsyncExitStack()
        routes: dict[str, PhoneDirectory] = {}
        if self._transport is not None:
            routes[""] = TransportDirectory(self._transport)
        self._far: list[MqttGateway] = []
        self._brokers: dict[str, str] = {}
        """By the name of a site behind a broker: the broker's name."""
        for far in behind_brokers_of(settings):
            self._far.append(MqttGateway(far))
            routes |= dict.fromkeys(far.sites, self._far[-1])
            self._brokers |= dict.fromkeys(far.sites, far.broker.name)
        super().__init__(routes)

    def add(self, routes: Mapping[str, PhoneDirectory]) -> None:
        """Add places that were not known before. Raises BadInput if a place has the name of a site behind a broker."""
        for name in routes:
            if name in self._brokers:
                raise BadInput(
                    f"the cluster's node {name} and the site {name} at {self._brokers[name]} have one name, and so "
                    "would their phones: one of them has to be called otherwise in a run"
                )
        self._routes |= routes

    async def __aenter__(self) -> Self:
        """Connect to all places. Raises BadInput if a place cannot be reached at all."""
        async with AsyncExitStack() as stack:
            if self._transport is not None:
                await self._transport.ensure_running()
                await self._transport.start()
                stack.push_async_callback(self._transport.stop)
            for far in self._far:
                await far.start()
                stack.push_async_callback(far.stop)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()


def at_this_machine(settings: FleetSettings) -> bool:
    """Return whether the run may have phones of this machine: settings name some, or name no phones at all."""
    elsewhere = at_nodes(settings)
    return not settings.phones or any(
        phone not in elsewhere and not phone.startswith(SCHEMES) for phone in settings.phones
    )


def at_nodes(settings: FleetSettings) -> tuple[str, ...]:
    """Return those of a run's phones that are at nodes of the cluster it joins (``NODE/SERIAL``)."""
    if settings.ray_address is None:
        return ()
    return tuple(phone for phone in settings.phones if site_of(phone) and not phone.startswith(SCHEMES))


def behind_brokers_of(settings: FleetSettings) -> list[MqttGatewaySettings]:
    """Return the settings of a gateway for each broker behind which settings name phones. Raises BadInput."""
    mqtt = settings.groups.mqtt
    sites: defaultdict[BrokerAddress, dict[str, None]] = defaultdict(dict)
    for phone in behind_brokers(settings.phones):
        sites[phone.broker][phone.site] = None
    return [
        MqttGatewaySettings(
            broker=mqtt.broker_settings(broker),
            sites=tuple(named),
        )
        for broker, named in sites.items()
    ]


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
