"""Tell when no phone of a service fits the selector of a batch, which then waits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from manyhands.deploy.command_line.output import own_name
from manyhands.protocol.service.batches import BatchStatus
from manyhands.protocol.tasks.selectors import selects
from manyhands.protocol.utilities.terminal_text import count_noun

if TYPE_CHECKING:  # it needs libraries that take a while to import
    from manyhands.service.client.async_client import AsyncClient


async def misfit_lines(client: AsyncClient, batch: BatchStatus) -> list[str]:
    """Return a line if tasks of a batch wait, and none of the phones that the service has now fits its selector."""
    if not batch.phones or not batch.waiting:
        return []
    phones = await client.phones()
    if not phones or any(selects(batch.phones, phone.labels) for phone in phones):
        return []
    count = count_noun(len(phones), "phone")
    return [
        f"No phone fits {batch.phones} now; {batch.id} waits for one. The service has {count}: "
        f"{own_name()} phones --server {client.server}"
    ]
