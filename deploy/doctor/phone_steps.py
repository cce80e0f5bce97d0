"""Go through the steps of docs/real-phones.md with one phone: what each step finds, and what to do if it fails."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

from manyhands.deploy.doctor.findings import Finding
from manyhands.deploy.doctor.machine import adb_command, find_adb
from manyhands.deploy.doctor.phones import PhoneAbsent, named_or_all, open_examiner
from manyhands.deploy.fleet.phones.transports import adb
from manyhands.deploy.settings.fleet import FleetSettings

PAGE = "docs/real-phones.md"
NOT_LISTED = (
    "turn on USB debugging (Settings > About phone, tap Build number seven times; then System > Developer options), "
    "connect a cable that carries data, and call this again"
)


@dataclass(frozen=True, slots=True)
class PageStep:
    """Hold a step of the page that a phone can be asked about, after adb has listed the phone."""

    number: int
    title: str
    findings: tuple[str, ...]
    """The names of the findings that belong to the step."""


STEPS = (
    PageStep(3, "Authorisation", ("authorised", "answer")),
    PageStep(5, "Staying awake", ("screen", "stays awake")),
    PageStep(6, "No lock", ("lock",)),
    PageStep(7, "Keyboard", ("keyboard",)),
    PageStep(8, "Animations and notifications", ("animations", "notifications")),
    PageStep(9, "Look at it", ("Android", "resolution", "battery", "heat", "storage", "screenshot", "typing")),
)


@dataclass(frozen=True, slots=True)
class StepReport:
    """Hold what one step found."""

    number: int
    """The number of the step on the page."""
    title: str
    findings: tuple[Finding, ...]

    @property
    def passed(self) -> bool:
        return not any(one.status == "failure" for one in self.findings)

    @property
    def lines(self) -> Iterator[str]:
        """Yield the step as lines of text."""
        yield f"{self.number}. {self.title}"
        for one in self.findings:
            yield f"   {'' if one.status == 'ok' else f'{one.status}: '}{one.name}: {one.found}"
            if one.mend and one.status != "ok":
                yield f"   -> {one.mend}"

    def as_json(self) -> dict[str, Any]:
        """Return the step as a JSON object."""
        checks = [one.as_json() for one in self.findings]
        return {"step": self.number, "title": self.title, "passed": self.passed, "checks": checks}


async def walk(settings: FleetSettings, serial: str) -> AsyncIterator[StepReport]:
    """Yield the steps with one phone. If adb does not list the phone, the steps end there. Raises BadInput."""
    await adb(settings).ensure_running()
    options = settings.groups.adb
    server = f"{find_adb() or 'no adb'}; a server answers at {options.adb_host}:{options.adb_port}"
    yield StepReport(1, "adb", (Finding("machine", "adb", server),))
    about = f"phone {serial}"
    async with open_examiner(settings, touches=True) as examiner:
        try:
            (info,) = await named_or_all(examiner, [serial])
        except PhoneAbsent as error:
            reason = str(error).removeprefix("--phones ")
            mend = f"{NOT_LISTED} ({PAGE}); '{adb_command(options)} devices -l' lists what is connected"
            yield StepReport(2, "Debugging", (Finding(about, "listed", reason, "failure", mend),))
            return
        yield StepReport(2, "Debugging", (Finding(about, "listed", f"adb lists {serial}"),))
        (report,) = await examiner.examine([info])
    by_name = {one.name: one for one in report.findings}
    for step in STEPS:
        findings = tuple(by_name[name] for name in step.findings if name in by_name)
        if findings:
            yield StepReport(step.number, step.title, findings)
