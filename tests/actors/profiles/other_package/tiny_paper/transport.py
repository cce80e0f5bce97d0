"""A way to reach phones: the panels of the tests."""

from __future__ import annotations

from manyhands.actors.interfaces import PhoneTransport
from manyhands.deploy.settings.fleet import FleetSettings
from tests.actors.phones.panel import Panels


def make(settings: FleetSettings) -> PhoneTransport:
    return Panels()
