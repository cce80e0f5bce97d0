"""``manyhands init``: the first files of somebody who begins, for the phones and the model server that are found."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import carry_out, own_name, say_json, text_console
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.loading import load_settings
from manyhands.deploy.settings.starter_files import SETTINGS_FILE, TASKS_FILE, settings_text, tasks_text
from manyhands.protocol.errors import BadInput

EXAMPLE = (
    "Example: manyhands init; then: manyhands run tasks.yaml --config settings.yaml. Exit code 2 where a file is there "
    "already."
)


@options.with_settings("init")
def command(
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
