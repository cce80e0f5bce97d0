"""Define ``manyhands serve``, which keeps a fleet and takes work for it over HTTP."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import carry_out, own_name, say_json, text_console
from manyhands.deploy.settings.loading import load_settings
from manyhands.protocol.errors import BadInput
from manyhands.service.commands.console import console_link

if TYPE_CHECKING:
    from manyhands.service.service import OpenService

EXAMPLE = (
    "Example: manyhands serve --phones virtual:2 --mllm-url rehearsed; then, in another terminal: "
    'manyhands submit --goal "Turn on dark mode.". Exit codes: 130 stopped by a signal, 2 bad input.'
)
Host = Annotated[str, typer.Option("--host", help="The address to listen at.")]
Port = Annotated[int, typer.Option("--port", min=0, max=65535, help="0 takes a free port.")]
DatabaseUrl = Annotated[
    str | None,
    typer.Option(
        "--database-url",
        envvar="MANYHANDS_DATABASE_URL",
        help="postgresql://USER:PASSWORD@HOST/NAME. Default: a file of SQLite in the folder.",
    ),
]
TlsCert = Annotated[Path | None, typer.Option("--tls-cert", help="A certificate, for https; PEM.")]
TlsKey = Annotated[Path | None, typer.Option("--tls-key", help="The certificate's private key; PEM.")]
PlainHttp = Annotated[
    bool, typer.Option("--plain-http", help="Listen elsewhere without TLS: anybody on the way reads tokens.")
]
LOOPBACK = ("127.0.0.1", "::1", "localhost")


@options.with_settings("run", without=("out", "encrypt_with"))
def command(
    read_settings: options.ReadGiven,
    folder: Annotated[
        Path, typer.Option("--folder", help="Where its database and its run folders are: ./manyhands-service.")
    ] = Path("manyhands-service"),
    host: Host = "127.0.0.1",
    port: Port = 8008,
    database_url: DatabaseUrl = None,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
    plain_http: PlainHttp = False,
    new_token: Annotated[
        bool,
        typer.Option("--new-token", help="Make another token that allows everything, if nobody has one any more."),
    ] = False,
    config: options.Config = None,
    as_json: options.AsJson = False,
) -> None:
    """Keep a fleet, and take work for it over HTTP, until a signal comes."""
    check_encryption(host, tls_cert, tls_key, plain_http)
    settings = load_settings(read_settings(), config)
    if settings.out is not None:
        raise BadInput("--out: a service makes its run folders in --folder")
    if settings.encrypt_with:
        raise BadInput("encrypt_with: a service keeps results in its database, which is not encrypted; leave it out")

    async def serve() -> int:
        # Ray and the web framework take seconds to import. So they are imported after the input was checked.
        from manyhands.service.api.settings import read_bounds
        from manyhands.service.http_server import TlsFiles
        from manyhands.service.service import ServicePlace, run_service

        tls = None if tls_cert is None or tls_key is None else TlsFiles(tls_cert, tls_key)
        place = ServicePlace(folder.resolve(), database_url, host, port, tls, read_bounds(), makes_token=new_token)

        async def tell(service: OpenService) -> None:
            # What was imported stays. Every full collection of garbage would look at it, and nobody is answered then.
            gc.collect()
            gc.freeze()
            _tell(service, as_json)

        await run_service(place, settings, tell)
        return 0

    carry_out(serve, as_json)


def check_encryption(host: str, tls_cert: Path | None, tls_key: Path | None, plain_http: bool) -> None:
    """Raise BadInput if tokens would go over a network in the clear, or if half of the TLS files is missing."""
    if (tls_cert is None) != (tls_key is None):
        raise BadInput("--tls-cert and --tls-key belong together")
    if host not in LOOPBACK and tls_cert is None and not plain_http:
        raise BadInput(
            f"--host {host}: tokens would go over the network in the clear; give --tls-cert and --tls-key, or "
            "--plain-http if something else encrypts them"
        )


def _tell(service: OpenService, as_json: bool) -> None:
    """Print where the service answers, and how to get in. The secret is shown once: at the first start."""
    if as_json:
        say_json({"url": service.url, "token_file": str(service.token_file)})
        return
    console = text_console()
    lines = [f"The service answers at {service.url}; what it can be asked: {service.url}/docs"]
    if service.first_token is not None:
        secret = service.first_token.secret
        lines.append(f"Its new token, which allows everything, is {secret}")
        lines.append(f"It is also in {service.token_file}, which only you can read.")
        lines.append(f"Its console, for a browser: {console_link(service.url, secret)}")
    else:
        lines.append(f"Its console, for a browser: {service.url} (a link with your token: {own_name()} console)")
    lines.append(f"Next: {own_name()} login {service.url} --token-file {service.token_file}")
    lines.append(f"Its phones and actors start meanwhile: {own_name()} status says when they are ready.")
    lines.append("Ctrl-C stops it. Batches that are open then go on at the next start with the same folder.")
    for line in lines:
        console.print(line, soft_wrap=True, markup=False)
