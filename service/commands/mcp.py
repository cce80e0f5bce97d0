"""Define ``manyhands mcp``, through which agents and IDEs use a service."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import carry_out, say_json, text_console
from manyhands.protocol.errors import BadInput
from manyhands.service.commands import options as service_options

EXAMPLE = (
    'Example: manyhands mcp; in the configuration of an agent or IDE, {"command": "manyhands", "args": ["mcp"]} '
    "(docs/client.md). The token comes from MANYHANDS_TOKEN or manyhands login. Exit codes: 0, 2 bad input, 130 "
    "stopped by a signal."
)


def command(
    port: Annotated[
        int | None,
        typer.Option(
            "--port",
            min=0,
            max=65535,
            help="Serve over HTTP at this port of this machine instead of standard input and output; 0: a free one.",
            show_default=False,
        ),
    ] = None,
    server: service_options.Server = None,
    ca: service_options.Ca = None,
    as_json: options.AsJson = False,
) -> None:
    """Let an agent or IDE use a service over MCP: submit goals, wait, read results, see screens, cancel."""
    if as_json and port is None:
        raise BadInput("--json is for --port: without a port, standard output speaks MCP")
    carry_out(lambda: _serve(port, server, ca, as_json), as_json)


async def _serve(port: int | None, server: str | None, ca: Path | None, as_json: bool) -> int:
    with service_options.needing_extra():
        from manyhands.service.mcp import serve_stdio, serving_http

    async with service_options.open_client(server, ca) as client:
        if port is None:
            await serve_stdio(client)
            return 0
        token = client.token
        if token is None:
            raise BadInput(
                f"no token for {client.server}: log in (manyhands login {client.server}), or set MANYHANDS_TOKEN"
            )
        async with serving_http(client, token, port) as url:
            if as_json:
                say_json({"url": url, "server": client.server})
            else:
                text_console().print(f"MCP: {url}, with the header Authorization: Bearer TOKEN of {client.server}")
            await asyncio.Event().wait()
    return 0
