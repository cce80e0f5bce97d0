"""Define ``manyhands login``, which stores the token of a service for the commands that use it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import carry_out, say_json, table, text_console
from manyhands.protocol.errors import BadInput
from manyhands.service.commands import options as service_options

if TYPE_CHECKING:
    from manyhands.service.client.service_address import LoginFile

EXAMPLE = (
    "Example: manyhands login http://127.0.0.1:8008. The token is typed, or read from standard input or --token-file. "
    "Without URL, the known services are listed. Exit codes: 0, 1 no service answers, 2 it does not know the token."
)
_LONGEST = 1024


def command(
    url: Annotated[str | None, typer.Argument(help="The service's address.", show_default=False)] = None,
    token_file: Annotated[
        Path | None, typer.Option("--token-file", help="A file with the token.", show_default=False)
    ] = None,
    ca: service_options.Ca = None,
    forget: Annotated[bool, typer.Option("--forget", help="Delete what is stored for this service.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Store the token of a service, after a try, for the commands and programs of this user."""
    from manyhands.service.client.service_address import LoginFile, normalise_url

    path = LoginFile.path()
    if url is None:
        if forget or token_file is not None:
            raise BadInput("name the service: manyhands login URL")
        _list(LoginFile.read(path), path, as_json)
        return
    server = normalise_url(url)
    if forget:
        LoginFile.read(path).without_login(server).save(path)
        _say(f"Forgotten: {server}", {"server": server, "known": False}, as_json)
        return
    token = _read_token(server, token_file)
    carry_out(lambda: _log_in(server, token, ca and ca.resolve(), path, as_json), as_json)


async def _log_in(server: str, token: str, ca: Path | None, path: Path, as_json: bool) -> int:
    from manyhands.service.client.service_address import LoginFile, SavedLogin

    async with service_options.open_client(server, ca, token) as client:
        own = await client.own_token()
    LoginFile.read(path).with_login(server, SavedLogin(token=token, ca=ca)).save(path)
    message = f"Logged in to {server} as {own.owner} with the role {own.role}; the token is in {path}"
    value = {"server": server, "known": True, "file": str(path), "owner": own.owner, "role": own.role.value}
    _say(message, value, as_json)
    return 0


def _read_token(server: str, file: Path | None) -> str:
    """Return the token from a file, a person at the terminal, or standard input. It is never on the command line."""
    if file is not None:
        with file.open(encoding="utf-8") as opened:
            text = opened.read(_LONGEST)
    elif sys.stdin.isatty():
        text = typer.prompt(f"Token for {server}", hide_input=True, err=True)
    else:
        text = sys.stdin.readline(_LONGEST)
    token = text.strip()
    if not token:
        raise BadInput("the token is empty. The service shows it at its first start; an operator can make another")
    return token


def _list(logins: LoginFile, path: Path, as_json: bool) -> None:
    services = [{"server": server, "last": server == logins.last} for server in logins.servers]
    if as_json:
        say_json(services)
    elif services:
        rows = [(str(one["server"]), "used if nothing names a service" if one["last"] else "") for one in services]
        text_console().print(table(None, ("service", ""), rows))
    else:
        text_console().print(f"{path}: no login yet. Start a service (manyhands serve), then: manyhands login URL")


def _say(text: str, value: dict[str, object], as_json: bool) -> None:
    if as_json:
        say_json(value)
    else:
        text_console().print(text, soft_wrap=True)
