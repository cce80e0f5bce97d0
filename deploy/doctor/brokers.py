"""Check the brokers that the settings name: whether they let us in, whether sites are served, and their phones."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from manyhands.actors.edge.mqtt_gateway import MqttGateway
from manyhands.actors.edge.settings import MqttGatewaySettings
from manyhands.deploy.doctor.findings import Finding
from manyhands.deploy.fleet.phones.phone_locations import behind_brokers_of
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.sites import SitePhones, behind_brokers
from manyhands.protocol.errors import BadInput, ManyhandsError
from manyhands.protocol.phones import WHOLE_SITE, PhoneInfo, site_of

BROKER_S = 10.0
HELLO_S, LIST_PHONES_S = 2.0, 4.0
"""How long a site may take to answer at all, and to list its phones."""
_MENDS = (
    ("variable", "export it: 'manyhands broker show' names the file with the password"),
    ("certificate", "--mqtt-ca with the ca.crt that 'manyhands broker show' names"),
    ("no file", "--mqtt-ca with the ca.crt that 'manyhands broker show' names"),
    ("does not let", "the user and password of a run: 'manyhands broker show'"),
    ("password", "the user and password of a run: 'manyhands broker show'"),
)
"""How to mend an error of a broker, by a word of its message."""


async def examine_brokers(settings: FleetSettings) -> Sequence[Finding]:
    """Check all brokers at the same time. No broker is started."""
    named = behind_brokers(settings.phones)
    parts = await asyncio.gather(*(_examine(far, named) for far in behind_brokers_of(settings)))
    return [finding for part in parts for finding in part]


async def _examine(far: MqttGatewaySettings, named: Sequence[SitePhones]) -> Sequence[Finding]:
    broker = far.broker.name
    about = f"broker {broker}"
    gateway = MqttGateway(far.model_copy(update={"hello_s": HELLO_S, "list_s": LIST_PHONES_S}))
    try:
        async with asyncio.timeout(BROKER_S):
            await gateway.start()
    except (BadInput, TimeoutError) as error:
        why = str(error) or f"does not answer within {BROKER_S:g} s"
        mend = next((text for word, text in _MENDS if word in why), "start it on its machine: manyhands broker")
        return [Finding(about, "answer", why, "failure", mend)]
    try:
        async with asyncio.timeout(BROKER_S):
            listed = await gateway.phones()
    except (ManyhandsError, TimeoutError) as error:
        why = str(error) or f"no list within {BROKER_S:g} s"
        return [Finding(about, "answer", why, "failure", "manyhands gateway, on the machine with the phones")]
    finally:
        await gateway.stop()
    places = [place for place in named if place.site in far.sites]
    findings = [finding for place in places for finding in _site(place, broker, listed)]
    return [Finding(about, "answer", "lets us in"), *findings]


def _site(place: SitePhones, broker: str, listed: Sequence[PhoneInfo]) -> Sequence[Finding]:
    """Judge the phones of a site that the settings name. ``listed``: all phones behind the broker."""
    there = [phone for phone in listed if site_of(phone.serial) == place.site]
    about, whole = f"site {place.site}", place.name == f"{place.site}{WHOLE_SITE}"
    if not there:
        mend = f"on the machine with the phones: manyhands gateway --site {place.site} --broker {broker}"
        return [Finding(about, "phones", "nobody serves it, or it has no phone", "failure", mend)]
    matching = [phone for phone in there if whole or phone.serial == place.name]
    if not matching:
        others = ", ".join(phone.serial for phone in there)
        return [Finding(about, "phones", f"no {place.name}; there are: {others}", "failure", "name one that is there")]
    mend = "manyhands doctor, on the machine with the phones"
    return [
        Finding(about, phone.serial, "can be used")
        if phone.usable
        else Finding(about, phone.serial, phone.explained_state, "warning" if whole else "failure", mend)
        for phone in matching
    ]
