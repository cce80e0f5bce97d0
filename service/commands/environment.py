"""Define ``manyhands environment``, which serves phones to trainers by OpenEnv's protocol."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import carry_out, say_json, text_console
from manyhands.deploy.settings.loading import load_settings
from manyhands.protocol.errors import BadInput
from manyhands.protocol.service.access import AccessRole, TokenGrant
from manyhands.protocol.tasks.task import limit_steps, read_tasks, select
from manyhands.protocol.utilities.terminal_text import count_noun
from manyhands.service.commands.serve import (
    DatabaseUrl,
    Host,
    PlainHttp,
    Port,
    TlsCert,
    TlsKey,
    check_encryption,
)

if TYPE_CHECKING:
    from manyhands.deploy.environment import OpenEnvironment

EXAMPLE = (
    "Example: manyhands environment tasks.yaml --phones virtual:2. Exit codes: 130 stopped by a signal, 2 bad input."
)


@options.with_settings("environment")
def command(
    read_settings: options.ReadGiven,
    tasks: Annotated[Path, typer.Argument(help="A YAML file of tasks.", show_default=False)],
    task: Annotated[list[str] | None, typer.Option("--task", help="Only the tasks with this id; repeatable.")] = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", help="Only tasks with this tag; repeatable.")] = None,
    max_steps: options.MaxSteps = None,
    sessions: Annotated[
        int | None, typer.Option("--sessions", min=1, help="The most sessions at a time. Default: one for each phone.")
    ] = None,
    idle: Annotated[
        float, typer.Option("--idle", min=1, help="A session without a message for so many seconds ends.")
    ] = 300.0,
    host: Host = "127.0.0.1",
    port: Port = 8010,
    folder: Annotated[
        Path, typer.Option("--folder", help="The folder of the service whose tokens count: ./manyhands-service.")
    ] = Path("manyhands-service"),
    database_url: DatabaseUrl = None,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
    plain_http: PlainHttp = False,
    config: options.Config = None,
    as_json: options.AsJson = False,
) -> None:
    """Serve phones to trainers, by OpenEnv's protocol, until a signal comes."""
    check_encryption(host, tls_cert, tls_key, plain_http)
    specs = limit_steps(select(read_tasks(tasks), task or [], tag or []), max_steps)
    settings = load_settings(read_settings(), config)

    async def serve() -> int:
        # The web frameworks and the actors take seconds to import. So they are imported after the input was checked.
        from manyhands.deploy.environment import open_environment
        from manyhands.rollouts.environment.server import EnvironmentServer, ServerAddress
        from manyhands.service.service import ServicePlace, open_tokens

        console = text_console()

        def tell(line: str) -> None:
            if not as_json:
                console.print(line, soft_wrap=True, markup=False)

        async with AsyncExitStack() as stack:
            place = ServicePlace(folder.resolve(), database_url)
            tokens, first_token = await stack.enter_async_context(open_tokens(place))

            async def is_allowed(secret: str) -> bool:
                token = await tokens.find(secret)
                return token is not None and token.role.allows(AccessRole.SUBMIT)

            opened = await stack.enter_async_context(open_environment(settings, specs, tell))
            most = len(opened.phones.serials)
            if (sessions or 0) > most:
                raise BadInput(f"--sessions {sessions}: there are {count_noun(most, 'phone')}, one for each session")
            address = ServerAddress(
                host=host,
                port=port,
                tls=None if tls_cert is None or tls_key is None else _tls(tls_cert, tls_key),
                sessions=sessions or most,
                idle_s=idle,
            )
            server = await stack.enter_async_context(EnvironmentServer(opened.environment, is_allowed, address))
            _tell(server.url, opened, place.folder / "token", first_token, as_json)
            await asyncio.Event().wait()
        return 0

    carry_out(serve, as_json)


def _tls(certificate: Path, key: Path) -> Any:
    import ssl

    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        raise BadInput(f"--tls-cert, --tls-key: the files cannot be used: {error}") from error
    return context


def _tell(url: str, opened: OpenEnvironment, token: Path, first_token: TokenGrant | None, as_json: bool) -> None:
    if as_json:
        say_json({"url": url, "token_file": str(token), "out": str(opened.folder)})
        return
    lines = [f"The environment answers at {url}, with {count_noun(len(opened.phones.serials), 'phone')}"]
    if first_token is not None:
        lines.append(f"Its new token, which allows everything, is {first_token.secret}")
        lines.append(f"It is also in {token}, which only you can read.")
    lines.append(f'For OpenEnv: GenericEnvClient("{url}", headers={{"Authorization": "Bearer SECRET"}})')
    lines.append(f"Run folder: {opened.folder}")
    for line in lines:
        text_console().print(line, soft_wrap=True, markup=False)
