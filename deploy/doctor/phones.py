"""The phones that this machine's adb server lists: what each tells, and what of it a task cannot do with."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from manyhands.actors.phones import GatewaySettings, PhoneGateway
from manyhands.actors.phones.adb import AdbTransport
from manyhands.actors.phones.adb.device_facts import FACTS_LINE, DeviceFacts, read_facts
from manyhands.actors.phones.adb.server import is_network_serial
from manyhands.actors.phones.database import DATABASE
from manyhands.actors.phones.leases import Leases
from manyhands.deploy.doctor.adb_program import adb_command
from manyhands.deploy.doctor.findings import Finding
from manyhands.deploy.doctor.phone_checks import PHONE_CHECKS, PhoneUnderCheck
from manyhands.deploy.doctor.typing_trial import FAILURES, TypingTrial
from manyhands.deploy.fleet.phone_locations import PhoneLocations, at_this_machine
from manyhands.deploy.fleet.transports import adb, transport_of
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.sites import SCHEMES
from manyhands.protocol.errors import BadInput, CaptureFailed, PhoneError, StoreError
from manyhands.protocol.phones import PhoneInfo, site_of

ANSWER_S = 8.0
"""How long a phone may take to tell of itself, and as long for a screenshot."""
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
"""What a person does about a phone that is not usable, by the beginning of adb's word for its state."""


class PhoneAbsent(BadInput):
    """Signal that a phone that is named is not listed; the message names those there are."""

    code = "phone_absent"


@dataclass(frozen=True, slots=True)
class PhoneReport:
    """Hold what was found of one phone."""

    info: PhoneInfo
    facts: DeviceFacts | None = None
    holder: str = ""
    """Which episode has it now; empty where none has."""
    findings: tuple[Finding, ...] = ()

    @property
    def why_not(self) -> str:
        """Return why it cannot be given a task; empty where it can."""
        return "; ".join(f"{one.name}: {one.found}" for one in self.findings if one.status == "failure")

    @property
    def usable(self) -> bool:
        return not self.why_not

    def as_json(self) -> dict[str, Any]:
        """Return the phone as one JSON value."""
        facts = self.facts or DeviceFacts()
        found = facts.condition
        return {
            **self.info.model_dump(mode="json", exclude={"product"}),
            "usable": self.usable,
            "why_not": self.why_not,
            "in_use_by": self.holder,
            "android": facts.release,
            "sdk": facts.sdk,
            "size": None if facts.size is None else [facts.size.width, facts.size.height],
            "battery": found.battery,
            "charging": found.charging,
            "celsius": found.celsius,
            "free_mb": None if found.free_mb is None else round(found.free_mb),
            "adb_keyboard": None if self.facts is None else facts.has_adb_keyboard,
            "animations": facts.animations,
            "checks": [one.as_json() for one in self.findings],
        }


class PhoneExaminer:
    """Look at phones behind this machine's adb server, which is running. Use ``open_examiner``."""

    def __init__(self, settings: FleetSettings, transport: AdbTransport, gateway: PhoneGateway | None) -> None:
        """``gateway``: through which texts are typed; None if nothing is to be touched."""
        self._settings = settings
        self._transport = transport
        self._trial = None if gateway is None else TypingTrial(gateway, transport)

    async def listed(self) -> Sequence[PhoneInfo]:
        """Return the phones that adb lists. Raises PhoneLost."""
        return await self._transport.phones()

    async def examine(self, phones: Iterable[PhoneInfo]) -> list[PhoneReport]:
        """Look at phones side by side."""
        holders = await asyncio.to_thread(_holders, self._settings.state_dir.expanduser())
        return await asyncio.gather(*(self._examine(phone, holders.get(phone.serial, "")) for phone in phones))

    async def connect(self, serial: str) -> None:
        """Connect a phone at an address. Raises PhoneError."""
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
        """Judge a screenshot."""
        seen = self._transport.phone(phone.serial)
        restart = f"{phone.adb} reboot"
        try:
            async with asyncio.timeout(ANSWER_S):
                screenshot, _, frame = await seen.capture(None)
            rgb = await asyncio.to_thread(frame.rgb)
        except (CaptureFailed, PhoneError) as error:
            why = str(error).removeprefix(f"phone {phone.serial}: ")
            return phone.finding("screenshot", why, "failure", restart)
        except TimeoutError:
            return phone.finding("screenshot", f"none within {ANSWER_S:g} s", "failure", restart)
        finally:
            await seen.close()
        size, told = screenshot.size, phone.facts.size
        found = f"{size.width}x{size.height} in {screenshot.capture_ms:.0f} ms"
        if told is not None and {size.width, size.height} != {told.width, told.height}:
            found = f"{found}, but its screen is {told.width}x{told.height}: taps would miss"
            return phone.finding("screenshot", found, "failure", shell="wm size reset")
        if phone.condition.awake and not rgb.any():
            return phone.finding(
                "screenshot", f"{found}, all black", "warning", "show another page: this one forbids it"
            )
        return phone.finding("screenshot", found)

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
    """Give an examiner for as long as the context is open; ``touches``: whether it types. Raises BadInput."""
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


async def report_phones(settings: FleetSettings) -> list[PhoneReport]:
    """Look at the phones of this machine that are named, or all; those of other places are listed. Nothing is touched.

    An adb server is started if there is none. Raises BadInput, also for a phone of this machine that is absent.
    """
    if settings.virtual_phones is not None:
        raise BadInput(f"--phones {settings.phones[0]}: a run starts them; to see some: manyhands simulate --phones 4")
    async with PhoneLocations(settings, transport_of) as places:
        listed = await places.phones()
        far = [_report_far(phone) for phone in listed if site_of(phone.serial)]
        if not at_this_machine(settings):
            return far
        if not isinstance(transport_of(settings), AdbTransport):
            return [_report_far(phone) for phone in listed]
        named = [phone for phone in settings.phones if not phone.startswith(SCHEMES)]
        async with open_examiner(settings, touches=False) as examiner:
            return [*await examiner.examine(await named_or_all(examiner, named)), *far]


def _report_far(info: PhoneInfo) -> PhoneReport:
    """Report a phone that is only listed: whoever serves it looks at it before each task."""
    found = Finding(f"phone {info.serial}", "state", info.explained_state, "ok" if info.usable else "failure")
    return PhoneReport(info, findings=(found,))


async def run_line(settings: FleetSettings, serial: str, line: str) -> None:
    """Run a line that mends in a phone's shell. Raises PhoneLost, BadInput."""
    transport = adb(settings)
    await transport.start()
    try:
        answer = await transport.ask(serial, line, ANSWER_S)
    finally:
        await transport.stop()
    if answer.status != 0:
        raise BadInput(answer.complaint or f"exit status {answer.status}")


async def named_or_all(examiner: PhoneExaminer, named: Sequence[str]) -> list[PhoneInfo]:
    """Return the phones that are named, or all that are listed. Phones at an address are connected.

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
        told = ", ".join(f"{serial}{reasons.get(serial, '')}" for serial in missing)
        raise PhoneAbsent(f"--phones {told}: no such phone; there are: {there}")
    return [listed[serial] for serial in named] if named else list(listed.values())


def _holders(state_dir: Path) -> dict[str, str]:
    """Return which episode has which phone now; none where no run has been yet."""
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
