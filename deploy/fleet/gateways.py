"""The gateways that serve a run's phones, one for each place where they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from manyhands.actors.edge.client import MqttGateway
from manyhands.actors.phones.gateway import PhoneGateway
from manyhands.actors.phones.settings import GatewaySettings
from manyhands.actors.phones.site import SiteGateway
from manyhands.actors.remote import GatewayProxy, LinkedGatewayProxy
from manyhands.deploy.fleet.places import at_this_machine, behind_brokers_of
from manyhands.deploy.fleet.transports import MakeTransport
from manyhands.deploy.settings.fleet import FleetSettings


@dataclass(frozen=True, slots=True)
class PlannedGateway:
    """Say which gateway serves the phones of some sites: its class and arguments, for an actor.

    The site ``""`` has all phones that are called by a serial alone.
    """

    sites: tuple[str, ...]
    kind: type[Any]
    args: tuple[Any, ...]
    proxy: type[GatewayProxy] = GatewayProxy
    node: Mapping[str, str] | None = None
    """Labels of the node on which it stands; None for the run's own."""


def planned_gateways(
    settings: FleetSettings, make_transport: MakeTransport, nodes: Mapping[str, Mapping[str, str]]
) -> Sequence[PlannedGateway]:
    """Return a gateway for each place: this machine, each broker, each of ``nodes``, by name with its labels."""
    planned = []
    own = GatewaySettings(state_dir=settings.state_dir)
    if at_this_machine(settings):
        planned.append(PlannedGateway(("",), PhoneGateway, (own, make_transport(settings))))
    for far in behind_brokers_of(settings):
        # We have reached the broker: started again, the gateway waits for it.
        patient = far.model_copy(update={"patient": True})
        planned.append(PlannedGateway(far.sites, MqttGateway, (patient,), LinkedGatewayProxy))
    for name, node in nodes.items():
        there = (name, own, make_transport(settings))
        planned.append(PlannedGateway((name,), SiteGateway, there, node=node))
    return planned
