"""``manyhands resume``: go on with a run that was cut off."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.commands.run import watch
from manyhands.deploy.command_line.output import carry_out, text_console

EXAMPLE = (
    "Example: manyhands resume runs/20260102-101500_run. What has been decided stays, tasks that ran go on where they "
    "stopped, on their phones, and the rest is carried out (docs/recovery.md). Exit codes: as of run."
)


@options.with_settings("resume", otherwise="as in the run")
def command(
    given: options.ReadGiven,
    run: Annotated[Path, typer.Argument(help="A run folder.", show_default=False)],
    as_json: options.AsJson = False,
) -> None:
    """Go on with a run that was cut off, with the settings and tasks of its run.yaml."""
    changed = given()

    async def go_on() -> int:
        from manyhands.deploy.fleet.fleet import Fleet  # not at the top: it takes a second to import

        fleet = Fleet.resume(run, **changed)
        console = text_console(stderr=as_json)
        console.print(f"Going on with {fleet.settings.out}", soft_wrap=True, markup=False)
        return await watch(fleet, lambda fleet: fleet.go_on(), console, as_json)

    carry_out(go_on, as_json)
