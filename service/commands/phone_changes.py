"""Define the commands that change phones of a service: set-aside, release, reserve, label, attach, detach."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.lazy import Subcommand
from manyhands.deploy.command_line.moments import read_moment
from manyhands.deploy.command_line.output import carry_out, say_json, text_console
from manyhands.protocol.errors import BadInput
from manyhands.protocol.service.fleet import PhoneStatus
from manyhands.service.commands import options as service_options
from manyhands.service.commands.tables import phone_table

if TYPE_CHECKING:  # it needs libraries that take a while to import
    from manyhands.service.client.async_client import AsyncClient

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


def reserve(
    serials: Serials,
    owner: Annotated[str, typer.Option("--owner", help="Whose tasks they carry out.", show_default=False)],
    until: Annotated[str, typer.Option("--until", help="A time from now, or a moment.", show_default=False)],
    server: service_options.Server = None,
    ca: service_options.Ca = None,
    as_json: options.AsJson = False,
) -> None:
    """Give phones of a service the tasks of one owner only, until a time."""
    at = read_moment(until, "--until", time.time())

    async def change(client: AsyncClient, serial: str) -> PhoneStatus:
        return await client.reserve(serial, owner, at)

    carry_out(lambda: _change(serials, change, server, ca, as_json), as_json)


def label(
    serials: Serials,
    labels: Annotated[
        list[str] | None, typer.Option("--label", metavar="NAME=VALUE", help="A label; may be repeated.")
    ] = None,
    server: service_options.Server = None,
    ca: service_options.Ca = None,
    as_json: options.AsJson = False,
) -> None:
    """Replace the labels that people gave phones of a service. Without --label, remove them."""
    parted = [text.partition("=") for text in labels or ()]
    wrong = [name for name, sign, _ in parted if not sign or not name]
    if wrong:
        raise BadInput(f"--label {wrong[0]}: write NAME=VALUE")
    own_labels = {name: value for name, _, value in parted}

    async def change(client: AsyncClient, serial: str) -> PhoneStatus:
        return await client.label(serial, own_labels)

    carry_out(lambda: _change(serials, change, server, ca, as_json), as_json)


def attach(
    serials: Serials,
    server: service_options.Server = None,
    ca: service_options.Ca = None,
    as_json: options.AsJson = False,
) -> None:
    """Add phones to the fleet of a service. They get tasks as soon as they can be reached."""

    async def change(client: AsyncClient, serial: str) -> PhoneStatus:
        return await client.attach(serial)

    carry_out(lambda: _change(serials, change, server, ca, as_json), as_json)


def detach(
    serials: Serials,
    server: service_options.Server = None,
    ca: service_options.Ca = None,
    as_json: options.AsJson = False,
) -> None:
    """Take phones out of the fleet of a service. Their present tasks go on to their end."""

    async def change(client: AsyncClient, serial: str) -> PhoneStatus:
        phone = await client.phone(serial)
        await client.detach(serial)
        return phone

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
    "reserve": Subcommand(reserve, f"Example: manyhands reserve R58M123ABC --owner anna --until 2h. {_CODES}"),
    "label": Subcommand(label, f"Example: manyhands label R58M123ABC --label lab=north. {_CODES}"),
    "attach": Subcommand(attach, f"Example: manyhands attach 10.0.0.7:5555. {_CODES}"),
    "detach": Subcommand(detach, f"Example: manyhands detach 10.0.0.7:5555. {_CODES}"),
}
