"""``manyhands doctor``: what this machine, or a cluster, lacks for a run."""

from __future__ import annotations

from dataclasses import asdict

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import EXIT_BAD_INPUT, carry_out, say_json, table, text_console
from manyhands.deploy.doctor.machine import examine_machine
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.loading import load_settings

EXAMPLE = (
    "Example: manyhands doctor --ray-address auto --mllm-url http://GPU-HOST:8000/v1. Exit codes: 0 all that a run "
    "needs is there, 2 something is not."
)


@options.with_settings("doctor")
def command(given: options.ReadGiven, config: options.Config = None, as_json: options.AsJson = False) -> None:
    """Look at what a run needs: on this machine, or with --ray-address on every node of a cluster."""
    settings = load_settings(given(), config)
    examine = _machine if settings.ray_address is None else _cluster
    carry_out(lambda: examine(settings, as_json), as_json)


async def _machine(settings: FleetSettings, as_json: bool) -> int:
    checks = await examine_machine(settings)
    fits = not any(check.is_fatal for check in checks)
    if as_json:
        say_json({"fits": fits, "checks": [asdict(check) for check in checks]})
    else:
        rows = [
            (check.name, check.found, "" if check.fits else f"needed for {check.needed_for or 'a run'}")
            for check in checks
        ]
        text_console().print(table(None, ("", "found", ""), rows))
    return 0 if fits else EXIT_BAD_INPUT


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
