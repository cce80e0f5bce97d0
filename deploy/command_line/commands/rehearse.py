"""``manyhands rehearse``: serve the rehearsed model."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import carry_out, say_json, text_console
from manyhands.deploy.settings.loading import load_settings

EXAMPLE = "Example: manyhands rehearse --port 8100 --mistakes 0.1 --latency plan=1.0,decide=1.0"


@options.with_settings("rehearse")
def command(
    read_settings: options.ReadGiven,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port on 127.0.0.1; 0 takes a free one.")] = 0,
    as_json: options.AsJson = False,
) -> None:
    """Serve the rehearsed model: an OpenAI-compatible stand-in for Qwen-VL that knows the tasks of `simulator`."""
    from manyhands.deploy.stand_ins.sidecars import rehearsed_server

    settings = load_settings(read_settings())

    async def stay() -> int:
        with tempfile.TemporaryDirectory(prefix="manyhands-") as logs:
            async with rehearsed_server(settings.rehearsal, port, Path(logs)) as model:
                if as_json:
                    say_json({"url": model.ready["url"]})
                else:
                    text_console().print(f"{model.ready['url']}\nThe rehearsed model; Ctrl-C stops it.")
                await asyncio.Event().wait()
        return 0

    carry_out(stay, as_json)
