"""Define ``manyhands console``, which leads a browser into the console of a service."""

from __future__ import annotations

import html
import webbrowser
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import carry_out, own_name, say_json, text_console
from manyhands.protocol.errors import BadInput, store_error
from manyhands.protocol.utilities import secure_files
from manyhands.service.commands import options as service_options

EXAMPLE = (
    "Example: manyhands console --open. The link lets in whoever has it. "
    "Exit codes: 0, 1 no browser opens, 2 no service or no token is known."
)
PAGE = "console.html"
"""The file that leads the browser on, beside the logins. A link on a browser's command line would be seen by others."""


def command(
    server: service_options.Server = None,
    opens: Annotated[bool, typer.Option("--open", help="Open it in the browser, and print no secret.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Print the address of a service's console, with the stored token, or open it in a browser."""
    from manyhands.service.client.service_address import LoginFile, find_address

    address = find_address(server)
    if address.token is None:
        raise BadInput(f"no token for {address.url} is known: first run: {own_name()} login {address.url}")
    link = console_link(address.url, address.token)
    if not opens:
        if as_json:
            say_json({"server": address.url, "link": link})
        else:
            typer.echo(link)
        return
    carry_out(lambda: _open(address.url, link, LoginFile.path().parent, as_json), as_json)


def console_link(url: str, token: str) -> str:
    """Return the address that lets a browser in. Browsers send a fragment to no server, so no log has the token."""
    return f"{url}/#token={quote(token, safe='')}"


async def _open(url: str, link: str, folder: Path, as_json: bool) -> int:
    page = folder / PAGE
    try:
        secure_files.make_folder(folder)
        secure_files.replace_text(page, _redirect(link))
    except OSError as error:
        raise store_error(error, f"{page} cannot be written") from error
    is_open = webbrowser.open(page.as_uri())
    if as_json:
        say_json({"server": url, "file": str(page), "open": is_open})
    elif is_open:
        text_console().print(f"The browser opens the console of {url}", soft_wrap=True, markup=False)
    else:
        text = f"no browser can be opened here. Open {page}, or print the link: {own_name()} console"
        text_console().print(text, soft_wrap=True, markup=False)
    return 0 if is_open else 1


def _redirect(link: str) -> str:
    to = html.escape(link, quote=True)
    return (
        '<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">'
        f'<meta http-equiv="refresh" content="0;url={to}"><title>Manyhands</title><a href="{to}">Open the console</a>\n'
    )
