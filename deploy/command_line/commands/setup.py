"""``manyhands init`` and ``doctor``: write the first files of somebody who begins; find what a run lacks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.lazy import Subcommand
from manyhands.deploy.command_line.output import EXIT_BAD_INPUT, carry_out, own_name, say_json, table, text_console
from manyhands.deploy.doctor.findings import DoctorReport, apply_fixes
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.loading import load_settings
from manyhands.deploy.settings.starter_files import SETTINGS_FILE, TASKS_FILE, settings_text, tasks_text
from manyhands.protocol.errors import BadInput

DOCTOR_EXAMPLE = (
    "Example: manyhands doctor --mllm-url http://GPU-HOST:8000/v1 --fix. Exit codes: 0 all that a run needs is there, "
    "2 something is not."
)


@options.with_settings("doctor")
def doctor(
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


INIT_EXAMPLE = (
    "Example: manyhands init; then: manyhands run tasks.yaml --config settings.yaml. Exit code 2 where a file is there "
    "already."
)


@options.with_settings("init")
def init(
    read_settings: options.ReadGiven,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the files are written.")] = Path(),
    force: Annotated[bool, typer.Option("--force", help="Replace files that are there.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Write a commented tasks.yaml and settings.yaml for the phones and the model server that are found.

    Without a phone, or a server at --mllm-url or at port 8000 of this machine, the files name stand-ins.
    """
    settings = load_settings(read_settings())
    carry_out(lambda: _write(settings, folder, force, as_json), as_json)


async def _write(settings: FleetSettings, folder: Path, force: bool, as_json: bool) -> int:
    from manyhands.deploy.doctor.surroundings import find_phones, find_server

    files = [folder / SETTINGS_FILE, folder / TASKS_FILE]
    there = [str(path) for path in files if path.exists()]
    if there and not force:
        raise BadInput(f"{', '.join(there)}: there already; --force replaces it, or name another folder")
    phones, server = await find_phones(settings), await find_server(settings)
    _make(folder, dict(zip(files, (settings_text(phones, server), tasks_text()), strict=True)))
    run = f"{own_name()} run {files[1]} --config {files[0]}"
    usable = [phone.serial for phone in phones if not phone.why_not]
    if as_json:
        model = None if server is None else server.model
        say_json({"written": [str(path) for path in files], "phones": usable, "model": model, "next": run})
        return 0
    lines = [
        f"Phones: {', '.join(usable) or 'none that can be used; the settings name two virtual ones'}",
        f"Model: {f'{server.model} at {server.url}' if server else 'no server; the settings name the rehearsed model'}",
        f"Written: {', '.join(str(path) for path in files)}",
        f"Next: {run}",
    ]
    for line in lines:
        text_console().print(line, soft_wrap=True)
    return 0


def _make(folder: Path, texts: Mapping[Path, str]) -> None:
    """Write the files, and their folder where there is none. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")


SUBCOMMANDS = {
    "doctor": Subcommand(doctor, DOCTOR_EXAMPLE),
    "init": Subcommand(init, INIT_EXAMPLE),
}
