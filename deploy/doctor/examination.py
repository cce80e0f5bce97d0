"""Run all checks of ``manyhands doctor`` on this machine at the same time.

Those of brokers are here: whether they let us in, whether sites are served, and their phones.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace

from manyhands.actors.edge.mqtt_gateway import MqttGateway
from manyhands.actors.edge.settings import MqttGatewaySettings
from manyhands.deploy.cluster.node_probe import probe_class
from manyhands.deploy.doctor.findings import DoctorReport, Finding, Status
from manyhands.deploy.doctor.machine import adb_command, examine_host, examine_machine
from manyhands.deploy.doctor.phones import PhoneAbsent, named_or_all, open_examiner
from manyhands.deploy.fleet.phones.android_sdk import EmulatorRequirement, requirements_of
from manyhands.deploy.fleet.phones.phone_locations import at_this_machine, behind_brokers_of
from manyhands.deploy.fleet.phones.transports import transport_of
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.phones import SCHEMES, SitePhones, behind_brokers
from manyhands.protocol.errors import BadInput, ManyhandsError, PhoneError
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


PHONES = "phones"


async def examine(settings: FleetSettings, touches: bool = True) -> DoctorReport:
    """Check what a run with these settings needs. ``touches``: whether a text is typed on phones."""
    began = time.monotonic()
    parts = await asyncio.gather(
        asyncio.to_thread(examine_machine),
        asyncio.to_thread(examine_host, settings),
        _phones(settings, touches),
        _brokers(settings),
        _models(settings),
    )
    return DoctorReport(tuple(one for part in parts for one in part), time.monotonic() - began)


def _status(one: EmulatorRequirement) -> Status:
    if not one.mend:
        return "ok"
    return "failure" if one.is_needed else "warning"


async def _phones(settings: FleetSettings, touches: bool) -> Sequence[Finding]:
    """Check the adb server and its phones. No server is started."""
    if settings.virtual_phones is not None:
        return [Finding(PHONES, "virtual", f"a run starts {settings.virtual_phones}")]
    if settings.emulators is not None:
        return [
            Finding(PHONES, one.name, one.found, _status(one), one.mend)
            for one in requirements_of(settings, settings.emulators)
        ]
    if not at_this_machine(settings):
        return []
    transport = transport_of(settings)
    status = await transport.status()
    adb = adb_command(settings.groups.adb)
    if not status.running:
        start = Finding(
            PHONES,
            status.name,
            f"none at {status.address}; a run starts one",
            "warning",
            f"{adb} start-server",
            transport.ensure_running,
        )
        return [start, Finding(PHONES, "listed", "not known without an adb server", "failure", start.mend)]
    named = [phone for phone in settings.phones if not phone.startswith(SCHEMES)]
    try:
        await transport.ensure_running()
        async with open_examiner(settings, touches) as examiner:
            reports = await examiner.examine(await named_or_all(examiner, named))
    except PhoneAbsent as error:
        return [
            Finding(PHONES, status.name, f"{status.address} answers"),
            Finding(PHONES, "listed", str(error), "failure", f"{adb} devices; plug it in, or name others"),
        ]
    except (BadInput, PhoneError, TimeoutError) as error:
        mend = "give another --adb-port; see what listens there: ss -ltnp"
        return [Finding(PHONES, status.name, f"{status.address} does not answer: {error}", "failure", mend)]
    usable = sum(report.usable for report in reports)
    summary = f"{usable} of {len(reports)} can be used" if reports else "no phone"
    mend = "" if usable else "plug one in (docs/real-phones.md), or: manyhands simulate --phones 4"
    findings = [finding for report in reports for finding in report.findings]
    if usable and not named:  # a run needs only the usable phones, and leaves out the others
        findings = [replace(one, status="warning") if one.status == "failure" else one for one in findings]
    return [
        Finding(PHONES, status.name, f"{status.address} answers"),
        Finding(PHONES, "listed", summary, "ok" if usable else "failure", mend),
        *findings,
    ]


async def _brokers(settings: FleetSettings) -> Sequence[Finding]:
    try:
        return await examine_brokers(settings)
    except BadInput as error:
        return [Finding("broker", "settings", str(error), "failure", "correct --phones, or the options of the broker")]


async def _models(settings: FleetSettings) -> Sequence[Finding]:
    """Check the models. Check nothing on a machine without the extra ``fleet``, because it only serves phones."""
    lacking = probe_class()().lacking("fleet")
    if lacking:
        summary = f"not looked at: {', '.join(lacking)} not installed; this machine can only serve phones to others"
        return [Finding("model", "server", summary, "warning", "pip install 'manyhands[fleet]'")]
    from manyhands.deploy.doctor.model_server import examine_models

    return await examine_models(settings)
