"""Hold what was found of each thing that a run needs, and how to mend it. Collect the findings in a report."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal

from manyhands.protocol.errors import ManyhandsError

Status = Literal["ok", "warning", "failure"]
"""With a ``failure``, no run can begin. With a ``warning``, a run can begin but may go worse."""
Fix = Callable[[], Awaitable[None]]
"""Mends a finding without harm. Raises ManyhandsError or OSError."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Hold what was found of one thing."""

    about: str
    """What the finding is about: ``phone SERIAL``, ``model URL``, ``machine``, ..."""
    name: str
    found: str
    status: Status = "ok"
    mend: str = ""
    """The command that mends what was found, or what a person has to do. A finding with status ``ok`` may have a mend,
    too: then something is missing that only some commands need."""
    fix: Fix | None = None
    """What ``--fix`` does to mend what was found; None if only a person can mend it."""

    def as_json(self) -> dict[str, Any]:
        """Return the finding as a JSON object."""
        return {
            "about": self.about,
            "name": self.name,
            "found": self.found,
            "status": self.status,
            "mend": self.mend,
            "fixable": self.fix is not None,
        }


@dataclass(frozen=True, slots=True)
class DoctorReport:
    """Hold all findings of one examination."""

    findings: tuple[Finding, ...]
    took_s: float = 0.0

    @property
    def fits(self) -> bool:
        """Return whether all that a run needs is there."""
        return not self.with_status("failure")

    def with_status(self, status: Status) -> Sequence[Finding]:
        """Return the findings of one status."""
        return [one for one in self.findings if one.status == status]

    @property
    def conclusion(self) -> str:
        """Return one line that says whether a run can begin."""
        failures, warnings = len(self.with_status("failure")), len(self.with_status("warning"))
        beside = f"{warnings} {'warning' if warnings == 1 else 'warnings'}"
        if failures:
            return f"A run needs what is marked as failure: {failures} of {len(self.findings)} lines; {beside}."
        return f"All that a run needs is there; {beside if warnings else 'no warnings'}."

    @property
    def lines(self) -> Iterator[str]:
        """Yield the report as text: a heading for each ``about``, a line for each finding, and how to mend it."""
        width = max((len(one.name) for one in self.findings), default=0)
        for about, part in groupby(self.findings, key=lambda one: one.about):
            yield about
            for one in part:
                mark = "" if one.status == "ok" else f"{one.status}: "
                yield f"  {one.name:<{width}}  {mark}{one.found}"
                if one.mend:
                    yield f"  {'':<{width}}  -> {one.mend}"

    def as_json(self) -> dict[str, Any]:
        """Return the report as one JSON value."""
        return {
            "fits": self.fits,
            "conclusion": self.conclusion,
            "took_s": round(self.took_s, 3),
            "checks": [one.as_json() for one in self.findings],
        }


async def apply_fixes(findings: Iterable[Finding]) -> list[str]:
    """Apply the fixes of findings that are not ``ok``. Return a line for each fix: it mended, or why it did not."""
    lines = []
    for one in findings:
        if one.status == "ok" or one.fix is None:
            continue
        try:
            await one.fix()
        except (ManyhandsError, OSError) as error:
            lines.append(f"{one.about}: {one.name} could not be mended: {error}")
        else:
            lines.append(f"{one.about}: {one.name} mended")
    return lines
