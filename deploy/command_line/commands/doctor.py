"""Define ``manyhands doctor``, which finds what this machine, its phones, model servers or a cluster lack for a run."""

from __future__ import annotations

from typing import Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import EXIT_BAD_INPUT, carry_out, say_json, table, text_console
from manyhands.deploy.doctor.findings import DoctorReport, apply_fixes
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.loading import load_settings

EXAMPLE = (
    "Example: manyhands doctor --mllm-url http://GPU-HOST:8000/v1 --fix. Exit codes: 0 all that a run needs is there, "
    "2 something is not."
)


@options.with_settings("doctor")
def command(
    read_settings: options.ReadGiven,
    fix: Annotated[bool, typer.Option("--fix", help="Mend what can be mended without harm, and look again.")] = False,
    no_typing: Annotated[
        bool, typer.Option("--no-typing", help="Only look at phones: open no app and type nothing.")
    ] = False,
    config: options.Config = None,
    as_json: options.AsJson = False,
) -> None:
    """Check what a run needs: phones, model, machine; with --ray-address, every node of a cluster.

    On each idle phone, this types a text into the search field of the settings and reads it back.
    """
    settings = load_settings(read_settings(), config)
    if settings.ray_address is None:
        carry_out(lambda: _machine(settings, not no_typing, fix, as_json), as_json)
    carry_out(lambda: _cluster(settings, as_json), as_json)


async def _machine(settings: FleetSettings, touches: bool, fix: bool, as_json: bool) -> int:
    from manyhands.deploy.doctor.examination import examine

    report = await examine(settings, touches)
    mended = await apply_fixes(report.findings) if fix else []
    if mended:
        report = await examine(settings, touches)
    if as_json:
        say_json({**report.as_json(), "mended": mended})
    else:
        _print(report, mended)
    return 0 if report.fits else EXIT_BAD_INPUT


def _print(report: DoctorReport, mended: list[str]) -> None:
    console = text_console()
    for line in (*report.lines, *mended, f"{report.conclusion} ({report.took_s:.1f} s)"):
        console.print(line, soft_wrap=True)


async def _cluster(settings: FleetSettings, as_json: bool) -> int:
    from manyhands.deploy.doctor.cluster import COLUMNS, examine_cluster  # Ray takes a second to import

    report = await examine_cluster(settings)
    if as_json:
        say_json(report.as_json())
    else:
        console = text_console()
        console.print(table(None, COLUMNS, report.rows))
        for line in report.lines:
            console.print(f"does not fit: {line}", soft_wrap=True, markup=False)
    return 0 if report.fits else EXIT_BAD_INPUT
