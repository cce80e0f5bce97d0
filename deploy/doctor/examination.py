"""Run all checks of ``manyhands doctor`` on this machine at the same time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace

from manyhands.deploy.cluster.nodes.probe import probe_class
from manyhands.deploy.doctor.adb_program import adb_command
from manyhands.deploy.doctor.brokers import examine_brokers
from manyhands.deploy.doctor.findings import DoctorReport, Finding
from manyhands.deploy.doctor.host import examine_host
from manyhands.deploy.doctor.machine import examine_machine
from manyhands.deploy.doctor.phones import PhoneAbsent, named_or_all, open_examiner
from manyhands.deploy.fleet.phones.phone_locations import at_this_machine
from manyhands.deploy.fleet.phones.transports import transport_of
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.sites import SCHEMES
from manyhands.protocol.errors import BadInput, PhoneError

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


async def _phones(settings: FleetSettings, touches: bool) -> Sequence[Finding]:
    """Check the adb server and its phones. No server is started."""
    if settings.virtual_phones is not None:
        return [Finding(PHONES, "virtual", f"a run starts {settings.virtual_phones}")]
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
