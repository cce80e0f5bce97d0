"""``manyhands simulate``: start virtual phones for any adb client."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import carry_out, say_json, text_console
from manyhands.deploy.settings.loading import load_settings

EXAMPLE = "Example: manyhands simulate --phones 2, then in another terminal: adb devices"


@options.with_settings("simulate")
def command(
    read_settings: options.ReadGiven,
    phones: Annotated[int, typer.Option("--phones", min=1, max=1000, help="How many virtual phones.")] = 1,
    as_json: options.AsJson = False,
) -> None:
    """Start virtual phones, connect them to the adb server, and stay until stopped."""
    from manyhands.actors.phones.adb.server_start import start_server
    from manyhands.deploy.stand_ins.sidecars import start_phones

    settings = load_settings(read_settings())

    async def stay() -> int:
        await start_server(settings.adb_host, settings.adb_port)
        with tempfile.TemporaryDirectory(prefix="manyhands-") as logs:
            async with start_phones(settings.virtual, settings.groups.adb, phones, Path(logs)) as serials:
                if as_json:
                    say_json({"serials": list(serials), "adb_port": settings.adb_port})
                else:
                    text_console().print("\n".join(serials) + "\nVirtual phones; Ctrl-C stops them.")
                await asyncio.Event().wait()
        return 0

    carry_out(stay, as_json)
