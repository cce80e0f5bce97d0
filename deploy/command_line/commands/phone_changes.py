"""Define ``manyhands set-aside`` and ``release``, which take phones of a service out of work, and back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from manyhands.deploy.command_line import options, service_options
from manyhands.deploy.command_line.lazy import Subcommand
from manyhands.deploy.command_line.output import carry_out, say_json, text_console
from manyhands.deploy.command_line.service_tables import phone_table
from manyhands.protocol.service.fleet import PhoneStatus

if TYPE_CHECKING:  # it needs libraries that take a while to import
    from manyhands.deploy.client.async_client import AsyncClient

Serials = Annotated[
    list[str],
    typer.Argument(metavar="PHONE...", help="Serials, as in: manyhands phones --server URL.", show_default=False),
]


def set_aside(
    serials: Serials,
    reason: Annotated[str, typer.Option("--reason", help="Why, for people.", show_default=False)],
    server: service_options.Server = None,
    ca: service_options.Ca = None,
    as_json: options.AsJson = False,
) -> None:
    """Give phones of a service no further task until they are released. Their present tasks go on to their end."""

    async def change(client: AsyncClient, serial: str) -> PhoneStatus:
        return await client.set_aside(serial, reason)

    carry_out(lambda: _change(serials, change, server, ca, as_json), as_json)


def release(
    serials: Serials,
    server: service_options.Server = None,
    ca: service_options.Ca = None,
    as_json: options.AsJson = False,
) -> None:
    """Give phones of a service tasks again that were set aside or reserved."""

    async def change(client: AsyncClient, serial: str) -> PhoneStatus:
        return await client.release(serial)

    carry_out(lambda: _change(serials, change, server, ca, as_json), as_json)


async def _change(
    serials: list[str],
    change: Callable[[AsyncClient, str], Awaitable[PhoneStatus]],
    server: str | None,
    ca: Path | None,
    as_json: bool,
) -> int:
    async with service_options.open_client(server, ca) as client:
        changed = [await change(client, serial) for serial in serials]
    if as_json:
        say_json([phone.model_dump(mode="json") for phone in changed])
    else:
        text_console().print(phone_table(changed))
    return 0


_CODES = "Exit codes: 0, 1 no service answers, 2 bad input."
SUBCOMMANDS = {
    "set-aside": Subcommand(
        set_aside, f'Example: manyhands set-aside R58M123ABC --reason "its battery is swollen". {_CODES}'
    ),
    "release": Subcommand(release, f"Example: manyhands release R58M123ABC. {_CODES}"),
}
