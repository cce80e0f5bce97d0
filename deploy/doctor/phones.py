"""Examine the phones that this machine's adb server lists: what each tells, and what keeps it from getting tasks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from manyhands.actors.interfaces import PhoneDirectory
from manyhands.actors.phones import GatewaySettings, PhoneGateway
from manyhands.actors.phones.adb import AdbTransport, fitness
from manyhands.actors.phones.adb.device_facts import FACTS_LINE, DeviceFacts, read_facts
from manyhands.actors.phones.adb.server import is_network_serial
from manyhands.actors.phones.directory import TransportDirectory
from manyhands.actors.phones.leases import Leases
from manyhands.actors.sqlite_database import DATABASE
from manyhands.deploy.doctor.findings import Finding
from manyhands.deploy.doctor.machine import adb_command
from manyhands.deploy.doctor.phone_checks import FAILURES, PHONE_CHECKS, PhoneUnderCheck, TypingTrial
from manyhands.deploy.fleet.phones.phone_labels import read_labels
from manyhands.deploy.fleet.phones.phone_locations import PhoneLocations, at_this_machine
from manyhands.deploy.fleet.phones.transports import adb, transport_of
from manyhands.deploy.fleet.phones.virtual import VirtualPhones
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.phones import SCHEMES
from manyhands.protocol.errors import BadInput, CaptureFailed, PhoneError, StoreError
from manyhands.protocol.phones import PhoneInfo, site_of

ANSWER_S = 8.0
"""How long a phone may take to tell its facts, and to make a screenshot."""
TYPING_S = 15.0
_USB_RULES = "see 'Linux does not see it' in docs/real-phones.md"
STATE_MENDS = {
    "unauthorized": "unlock the phone and allow this computer's key; is no question shown: {adb} reconnect",
    "offline": "{adb} reconnect; else plug it in again",
    "authorizing": "unlock the phone and allow this computer's key",
    "no permissions": _USB_RULES,
    "recovery": "{adb} reboot",
    "sideload": "{adb} reboot",
    "bootloader": "hold its power key until Android starts",
}
"""What a person has to do about a phone that is not usable, by the beginning of its state as adb names it."""


class PhoneAbsent(BadInput):
    """Signal that adb does not list a phone that was named. The message names the phones that adb lists."""

    code = "phone_absent"


@dataclass(frozen=True, slots=True)
class PhoneReport:
    """Hold what was found of one phone."""

    info: PhoneInfo
    facts: DeviceFacts | None = None
    holder: str = ""
    """The episode that has the phone now; empty if none has."""
    findings: tuple[Finding, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    """The labels by which selectors choose it, if they were asked for."""

    @property
    def why_not(self) -> str:
        """Return why the phone cannot be given a task; empty if it can."""
        return "; ".join(f"{one.name}: {one.found}" for one in self.findings if one.status == "failure")

    @property
    def usable(self) -> bool:
        return not self.why_not

    def as_json(self) -> dict[str, Any]:
        """Return the phone as one JSON value."""
        facts = self.facts or DeviceFacts()
        condition = facts.condition
        return {
            **self.info.model_dump(mode="json", exclude={"product"}),
            "usable": self.usable,
            "why_not": self.why_not,
            "in_use_by": self.holder,
            "android": facts.release,
            "sdk": facts.sdk,
            "size": None if facts.size is None else [facts.size.width, facts.size.height],
            "battery": condition.battery,
            "charging": condition.charging,
            "celsius": condition.celsius,
            "free_mb": None if condition.free_mb is None else round(condition.free_mb),
            "adb_keyboard": None if self.facts is None else facts.has_adb_keyboard,
            "animations": facts.animations,
            "labels": {**self.labels, "serial": self.info.serial},
            "checks": [one.as_json() for one in self.findings],
        }


class PhoneExaminer:
    """Examine phones behind this machine's adb server, which must run. Make one by ``open_examiner``."""

    def __init__(self, settings: FleetSettings, transport: AdbTransport, gateway: PhoneGateway | None) -> None:
        """Examine phones over ``transport``. ``gateway``: types a text on each phone; None to type nothing."""
        self._settings = settings
        self._transport = transport
        self._trial = None if gateway is None else TypingTrial(gateway, transport, settings.episode.policy)

    async def listed(self) -> Sequence[PhoneInfo]:
        """Return the phones that adb lists. Raises PhoneLost."""
        return await self._transport.phones()

    async def examine(self, phones: Iterable[PhoneInfo]) -> list[PhoneReport]:
        """Examine phones at the same time."""
        holders = await asyncio.to_thread(_holders, self._settings.state_dir.expanduser())
        return await asyncio.gather(*(self._examine(phone, holders.get(phone.serial, "")) for phone in phones))

    @property
    def directory(self) -> TransportDirectory:
        """Return what lists these phones."""
        return TransportDirectory(self._transport)

    async def connect(self, serial: str) -> None:
        """Connect to a phone at a network address. Raises PhoneError."""
        await self._transport.connect(serial)

    async def _examine(self, info: PhoneInfo, holder: str) -> PhoneReport:
        about = f"phone {info.serial}"
        state = self._state(info)
        if state.status == "failure":
            return PhoneReport(info, None, holder, (state,))
        try:
            answer = await self._transport.ask(info.serial, FACTS_LINE, ANSWER_S)
        except PhoneError as error:
            mend = f"{self._adb(info.serial)} reconnect; else restart the phone"
            return PhoneReport(info, None, holder, (Finding(about, "answer", str(error), "failure", mend),))
        facts = read_facts(answer.text)
        under_check = PhoneUnderCheck(
            info.serial,
            facts,
            self._settings.phone_limits,
            self._adb(info.serial),
            partial(run_line, self._settings, info.serial),
        )
        findings = [state, *(check(under_check) for check in PHONE_CHECKS)]
        if holder:
            findings = [replace(one, fix=None) for one in findings]
        findings.append(await self._look(under_check))
        failed = any(one.status == "failure" for one in findings)
        if self._trial is not None:
            findings.append(await self._type(self._trial, under_check, holder, failed))
        return PhoneReport(info, facts, holder, tuple(findings))

    def _adb(self, serial: str = "") -> str:
        return adb_command(self._settings.groups.adb, serial)

    def _state(self, info: PhoneInfo) -> Finding:
        about = f"phone {info.serial}"
        if info.usable:
            return Finding(about, "authorised", "adb may use it")
        mend = next((text for word, text in STATE_MENDS.items() if info.state.startswith(word)), info.advice)
        return Finding(about, "authorised", info.state, "failure", mend.format(adb=self._adb(info.serial)))

    async def _look(self, phone: PhoneUnderCheck) -> Finding:
        """Take a screenshot and judge it."""
        connection = self._transport.phone(phone.serial)
        restart = f"{phone.adb} reboot"
        try:
            async with asyncio.timeout(ANSWER_S):
                screenshot, _, frame = await connection.capture(None)
            rgb = await asyncio.to_thread(frame.rgb)
        except (CaptureFailed, PhoneError) as error:
            why = str(error).removeprefix(f"phone {phone.serial}: ")
            return phone.finding("screenshot", why, "failure", restart)
        except TimeoutError:
            return phone.finding("screenshot", f"none within {ANSWER_S:g} s", "failure", restart)
        finally:
            await connection.close()
        size, told_size = screenshot.size, phone.facts.size
        summary = f"{size.width}x{size.height} in {screenshot.capture_ms:.0f} ms"
        displaced = fitness.why_displaced(size, told_size)
        if displaced is not None:
            return phone.finding("screenshot", displaced, "failure", shell="wm size reset")
        if phone.condition.awake and not rgb.any():
            return phone.finding(
                "screenshot", f"{summary}, all black", "warning", "show another page: this one forbids it"
            )
        return phone.finding("screenshot", summary)

    async def _type(self, trial: TypingTrial, phone: PhoneUnderCheck, holder: str, failed: bool) -> Finding:
        if holder:
            return phone.finding("typing", f"not tried: {holder} has the phone")
        if failed:
            return phone.finding("typing", "not tried, for what is marked as failure")
        try:
            async with asyncio.timeout(TYPING_S):
                text = await trial.run(phone.serial, phone.facts.has_adb_keyboard)
        except TimeoutError:
            return phone.finding("typing", f"not done within {TYPING_S:g} s", "failure", f"{phone.adb} reboot")
        except FAILURES as error:
            why = str(error).removeprefix(f"phone {phone.serial}: ")
            mend = "ime reset"
            return phone.finding("typing", why, "failure", shell=mend)
        return phone.finding("typing", f"{text!r} was typed and read back")


@asynccontextmanager
async def open_examiner(settings: FleetSettings, touches: bool) -> AsyncIterator[PhoneExaminer]:
    """Open an examiner until the context ends. ``touches``: whether it types texts on phones. Raises BadInput."""
    transport = adb(settings)
    await transport.start()
    gateway = PhoneGateway(GatewaySettings(state_dir=settings.state_dir), adb(settings)) if touches else None
    try:
        if gateway is not None:
            await gateway.start()
        try:
            yield PhoneExaminer(settings, transport, gateway)
        finally:
            if gateway is not None:
                await gateway.stop()
    finally:
        await transport.stop()


async def report_phones(settings: FleetSettings, with_labels: bool = False) -> list[PhoneReport]:
    """Examine the named phones of this machine, or all of them. List phones of other places. Nothing is typed.

    ``with_labels``: also read the labels of usable phones, which takes a second. An adb server is started if none runs.
    Raises BadInput, also if a named phone of this machine is absent.
    """
    if settings.starts_phones:
        stand_ins = "" if settings.emulators is not None else "; to see some: manyhands simulate --phones 4"
        raise BadInput(f"--phones {settings.phones[0]}: a run starts them{stand_ins}")
    async with PhoneLocations(settings, transport_of) as places:
        listed = await places.phones()
        is_adb = isinstance(transport_of(settings), AdbTransport)
        far = [_report_far(phone) for phone in listed if site_of(phone.serial) or not is_adb]
        far = await _with_labels(places, far) if with_labels else far
        if not at_this_machine(settings) or not is_adb:
            return far
        named = [phone for phone in settings.phones if not phone.startswith(SCHEMES)]
        virtual = VirtualPhones(places)
        await virtual.find([phone.serial for phone in listed])
        async with open_examiner(virtual.adapt(settings), touches=False) as examiner:
            near = await examiner.examine(await named_or_all(examiner, named))
            return [*(await _with_labels(examiner.directory, near) if with_labels else near), *far]


async def _with_labels(directory: PhoneDirectory, reports: Sequence[PhoneReport]) -> list[PhoneReport]:
    """Return the reports with labels. A phone that does not tell its own has those of its transport's list."""
    read = await read_labels(directory, [report.info.serial for report in reports if report.info.usable])
    return [replace(report, labels=read.get(report.info.serial, report.info.labels)) for report in reports]


def _report_far(info: PhoneInfo) -> PhoneReport:
    """Report a phone that is only listed. Its gateway examines it before each task."""
    finding = Finding(f"phone {info.serial}", "state", info.explained_state, "ok" if info.usable else "failure")
    return PhoneReport(info, findings=(finding,))


async def run_line(settings: FleetSettings, serial: str, line: str) -> None:
    """Run a line in a phone's shell, to mend something. Raises PhoneLost; BadInput if the line fails."""
    transport = adb(settings)
    await transport.start()
    try:
        answer = await transport.ask(serial, line, ANSWER_S)
    finally:
        await transport.stop()
    if answer.status != 0:
        raise BadInput(answer.complaint or f"exit status {answer.status}")


async def named_or_all(examiner: PhoneExaminer, named: Sequence[str]) -> list[PhoneInfo]:
    """Return the named phones, or all listed phones if none is named. Connect named phones at network addresses first.

    Raises PhoneAbsent, PhoneLost.
    """
    absent = {phone.serial for phone in await examiner.listed()}.symmetric_difference(named) & set(named)
    reasons = {}
    for serial in sorted(absent):
        try:
            if is_network_serial(serial):
                await examiner.connect(serial)
        except PhoneError as error:
            reasons[serial] = f" ({error})"
    listed = {phone.serial: phone for phone in await examiner.listed()}
    missing = [serial for serial in named if serial not in listed]
    if missing:
        there = ", ".join(listed) or "none"
        phones = ", ".join(f"{serial}{reasons.get(serial, '')}" for serial in missing)
        raise PhoneAbsent(f"--phones {phones}: no such phone; there are: {there}")
    return [listed[serial] for serial in named] if named else list(listed.values())


def _holders(state_dir: Path) -> dict[str, str]:
    """Return, by serial, the episode that has the phone now; nothing if the database is missing or unreadable."""
    if not (state_dir / DATABASE).exists():
        return {}
    try:
        leases = Leases(state_dir)
    except (BadInput, StoreError):
        return {}
    try:
        return leases.holders()
    except StoreError:
        return {}
    finally:
        leases.close()
