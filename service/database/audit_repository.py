"""Keep the audit log: who asked for what, when, from where. Nobody can change or delete an entry."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import insert, select

from manyhands.protocol.service.access import AuditEntry, ListPage
from manyhands.service.database.engine import ServiceDatabase
from manyhands.service.database.row_numbers import read_page
from manyhands.service.database.schema import AUDIT, TableQuery, TableRow


class AuditRepository:
    """Keep the audit log. Every method may raise DatabaseAway.

    The database itself refuses to change or delete entries, whatever program asks.
    """

    def __init__(self, database: ServiceDatabase) -> None:
        self._database = database

    async def append(self, entries: Sequence[AuditEntry]) -> None:
        """Append entries in one transaction. The database numbers them, so their own ids do not matter."""
        if not entries:
            return
        rows = [entry.model_dump(exclude={"id"}) for entry in entries]
        async with self._database.write() as change:
            await change.connection.execute(insert(AUDIT), rows)

    async def entries(
        self, cursor: str | None = None, limit: int = 50, owner: str | None = None
    ) -> ListPage[AuditEntry]:
        """Return a part of the log, newest first; ``owner``: of the tokens of one owner. Raises BadCursor."""
        query: TableQuery = select(AUDIT)
        if owner is not None:
            query = query.where(AUDIT.c.owner == owner)
        async with self._database.read() as connection:
            return await read_page(connection, query, AUDIT.c.id, cursor, limit, _entry, key="id", newest_first=True)


def _entry(row: TableRow) -> AuditEntry:
    return AuditEntry(
        id=row.id,
        at=row.at,
        owner=row.owner,
        token=row.token,
        address=row.address,
        method=row.method,
        path=row.path,
        status=row.status,
        times=row.times,
    )
