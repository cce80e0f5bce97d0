"""Reach the places where a run's phones are: this machine's adb server, and sites behind brokers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import Self

from manyhands.actors.edge.mqtt_gateway import MqttGateway
from manyhands.actors.edge.settings import BrokerAddress, MqttGatewaySettings
from manyhands.actors.interfaces import PhoneDirectory
from manyhands.actors.phones.directory import DirectoryRouter, TransportDirectory
from manyhands.deploy.fleet.phones.transports import MakeTransport
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.phones import SCHEMES, behind_brokers
from manyhands.protocol.errors import BadInput
from manyhands.protocol.phones import site_of


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
