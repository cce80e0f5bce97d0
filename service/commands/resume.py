"""``manyhands resume``: continue an interrupted run, or batches and tasks that are paused at a service."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import carry_out, text_console
from manyhands.deploy.fleet.run_files.run_folder import goes_on
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.evaluation.run_folder import RunFolder, has_finished
from manyhands.evaluation.summary import summarise
from manyhands.protocol.errors import BadUsage
from manyhands.protocol.runs.control import read_control
from manyhands.protocol.runs.control_state import control_state
from manyhands.service.commands import options as service_options

EXAMPLE = (
    "Example: manyhands resume runs/20260102-101500_run. What has been decided stays, tasks that ran go on where they "
    "stopped, on their phones, and the rest is carried out (docs/recovery.md). At a service: manyhands resume b17 "
    "b18.buy. Exit codes: as of run; at a service 0, 1 no service answers, 2 bad input."
)
_PAUSED = re.compile(r"b\d+(\..+)?")
"""The ids of batches and tasks of a service."""


@options.with_settings("resume", otherwise="as in the run")
@options.reads_runs
def command(
    read_settings: options.ReadGiven,
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN|BATCH|TASK...",
            help="A run folder that was interrupted, or what is paused at a service: b17, b17.buy.",
            show_default=False,
        ),
    ],
    trust_folder: Annotated[
        bool,
        typer.Option(
            "--trust-folder",
            help="Trust run.yaml: send secrets to the hosts, and use the files, that it names, whoever wrote it.",
        ),
    ] = False,
    server: service_options.Server = None,
    ca: service_options.Ca = None,
    as_json: options.AsJson = False,
) -> None:
    """Continue an interrupted run, or what is paused at a service.

    A run goes on with the settings and tasks of its run.yaml. Batches and tasks of a service get phones again.
    """
    if all(_PAUSED.fullmatch(name) and not Path(name).exists() for name in runs):
        from manyhands.service.commands.batch_changes import resume_paused

        carry_out(lambda: resume_paused(runs, server, ca, as_json), as_json)
    if len(runs) > 1 or server is not None:
        raise BadUsage("give one run folder, or batches and tasks of a service such as b17 b18.buy")
    _resume_run(Path(runs[0]), read_settings, trust_folder, as_json)


def _resume_run(run: Path, read_settings: options.ReadGiven, trust_folder: bool, as_json: bool) -> None:
    from manyhands.deploy.command_line.commands.run import start_printer, tell, watch

    changed = read_settings()

    async def run_resumed() -> int:
        from manyhands.deploy.fleet.fleet import Fleet  # imported here, because it takes a second
        from manyhands.rollouts.trajectories import RunTrajectories, load_reward

        console = text_console(stderr=as_json)
        on_start = start_printer(console, as_json)
        fleet = Fleet.resume(run, trust_folder=trust_folder, on_start=on_start, **changed)
        if _has_finished(run, fleet.settings.episode.profile):
            console.print(f"Nothing to do: all tasks of {run} are decided.", soft_wrap=True, markup=False)
            reward = load_reward(fleet.settings.reward)
            await asyncio.to_thread(lambda: RunTrajectories(run, reward).record_rewards())
            await _send_traces(run, fleet.settings, console)
            tell(console, run, await asyncio.to_thread(summarise, run), as_json)
            return 0
        anew = "; tasks that ran on phones that the run had started begin anew" if fleet.settings.starts_phones else ""
        console.print(f"Going on with {fleet.settings.out}{anew}", soft_wrap=True, markup=False)
        return await watch(fleet, lambda fleet: fleet.run_remaining(), console, as_json)

    carry_out(run_resumed, as_json)


async def _send_traces(run: Path, settings: FleetSettings, console: Console) -> None:
    """Send the spans that a finished run could not send, if its settings name a collector."""
    if settings.otlp_endpoint is not None:
        from manyhands.deploy.telemetry.trace_export import send_remaining  # imported late: the library is an extra

        report = await asyncio.to_thread(send_remaining, run, settings.otlp_endpoint, settings.otlp_content)
        console.print(f"Traces: {report.summary_line}", soft_wrap=True, markup=False)


def _has_finished(run: Path, profile: str) -> bool:
    """Return whether a run has nothing left to do, and no process works on it."""
    from manyhands.actors.profiles import profile_of

    added = control_state(read_control(run)).added
    return not goes_on(run) and has_finished(RunFolder(run), added, profile_of(profile).learns)
