"""Define the options of commands that use a service, and open its client."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from manyhands.protocol.errors import BadInput

if TYPE_CHECKING:  # the client needs libraries that take a while to import
    from manyhands.service.client.async_client import AsyncClient

T = TypeVar("T")
PATIENCE_S = 3.0
"""How long commands try to reach a service. A person waits for the answer."""
PANEL = "Service"

Server = Annotated[
    str | None,
    typer.Option(
        "--server",
        metavar="URL",
        help="The service. Default: MANYHANDS_SERVER, or that of the last manyhands login.",
        show_default=False,
        rich_help_panel=PANEL,
    ),
]
NamedServer = Annotated[
    str | None,
    typer.Option(
        "--server", metavar="URL", help="A service, instead of this machine.", show_default=False, rich_help_panel=PANEL
    ),
]
"""The option of commands that are about this machine unless a service is named."""
ON_STOP = "the service goes on"
"""What commands that only watch print after a signal."""
Ca = Annotated[
    Path | None,
    typer.Option(
        "--server-ca",
        metavar="FILE",
        help="Certificates that sign the service's own. Default: MANYHANDS_CA, or those of the login.",
        show_default=False,
        rich_help_panel=PANEL,
    ),
]


def open_client(server: str | None, ca: Path | None, token: str | None = None) -> AsyncClient:
    """Return a client of the service that the command line, the environment or the last login names.

    Raises BadInput if none of them names a service, and if the client's libraries are missing.
    """
    with needing_extra():
        from manyhands.service.client.async_client import AsyncClient

    return AsyncClient(server, token=token, ca=ca, patience_s=PATIENCE_S)


@contextmanager
def needing_extra() -> Iterator[None]:
    """Raise BadInput if a library is missing that the extra ``service`` brings."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise BadInput(f"this needs {error.name}, which is not installed: pip install 'manyhands[service]'") from error


def is_task(id: str) -> bool:
    """Return whether an id is that of a task (``b17.buy``), not of a batch (``b17``)."""
    return "." in id


async def first_of(entries: AsyncGenerator[T], most: int) -> AsyncGenerator[T]:
    """Yield the first entries of a long list, at most ``most``. No more parts are asked for than are needed."""
    async with aclosing(entries):
        remaining = most
        async for entry in entries:
            yield entry
            remaining -= 1
            if remaining == 0:
                return
