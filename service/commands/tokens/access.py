"""Define ``manyhands tokens list``, ``make`` and ``revoke``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.lazy import Subcommand
from manyhands.deploy.command_line.moments import show_moment
from manyhands.deploy.command_line.output import carry_out, own_name, say_json, table, text_console
from manyhands.protocol.service.access import AccessRole
from manyhands.service.commands import options as service_options


def list_tokens(
    server: service_options.Server = None, ca: service_options.Ca = None, as_json: options.AsJson = False
) -> None:
    """List the tokens of a service: whose they are, and what they allow. Nobody can show their secrets again."""
    carry_out(lambda: _list(server, ca, as_json), as_json)


async def _list(server: str | None, ca: Path | None, as_json: bool) -> int:
    async with service_options.open_client(server, ca) as client:
        tokens = await client.tokens()
    if as_json:
        say_json([token.model_dump(mode="json") for token in tokens])
        return 0
    rows = [
        (token.id, token.owner, token.role.value, show_moment(token.created_at), show_moment(token.revoked_at))
        for token in tokens
    ]
    text_console().print(table(None, ("token", "owner", "role", "made", "revoked"), rows))
    return 0


def make(
    owner: Annotated[str, typer.Argument(help="Who uses it; that person's batches have this owner.")],
    role: Annotated[
        AccessRole, typer.Option("--role", help="What it allows. Each role allows all that those before it allow.")
    ] = AccessRole.SUBMIT,
    server: service_options.Server = None,
    ca: service_options.Ca = None,
    as_json: options.AsJson = False,
) -> None:
    """Make a token for a person or a program, and print it. It is shown this once."""
    carry_out(lambda: _make(owner, role, server, ca, as_json), as_json)


async def _make(owner: str, role: AccessRole, server: str | None, ca: Path | None, as_json: bool) -> int:
    async with service_options.open_client(server, ca) as client:
        grant = await client.make_token(owner, role)
        address = client.server
    if as_json:
        say_json(grant.model_dump(mode="json"))
        return 0
    lines = (
        f"{grant.id} for {grant.owner}, with the role {grant.role}. It is shown this once:",
        grant.secret,
        f"Next, where {grant.owner} works: {own_name()} login {address}",
    )
    for line in lines:
        text_console().print(line, soft_wrap=True, markup=False)
    return 0


def revoke(
    ids: Annotated[list[str], typer.Argument(metavar="TOKEN...", help="Ids such as t3.", show_default=False)],
    server: service_options.Server = None,
    ca: service_options.Ca = None,
    as_json: options.AsJson = False,
) -> None:
    """Revoke tokens for ever. Batches that were submitted with them go on."""
    carry_out(lambda: _revoke(ids, server, ca, as_json), as_json)


async def _revoke(ids: list[str], server: str | None, ca: Path | None, as_json: bool) -> int:
    async with service_options.open_client(server, ca) as client:
        revoked = [await client.revoke_token(id) for id in ids]
    if as_json:
        say_json([token.model_dump(mode="json") for token in revoked])
        return 0
    for token in revoked:
        text_console().print(f"{token.id} of {token.owner}: revoked", soft_wrap=True)
    return 0


_CODES = "Exit codes: 0, 1 no service answers, 2 bad input."
SUBCOMMANDS = {
    "list": Subcommand(list_tokens, f"Example: manyhands tokens list. {_CODES}"),
    "make": Subcommand(make, f"Example: manyhands tokens make kim --role submit. {_CODES}"),
    "revoke": Subcommand(revoke, f"Example: manyhands tokens revoke t3. {_CODES}"),
}
