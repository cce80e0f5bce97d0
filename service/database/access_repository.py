"""Keep who may use the service and what they asked for: tokens, sessions of browsers, the audit log.

Only hashes of secrets are stored. The secrets are random and long, so nobody can guess them from their hashes.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import delete, insert, or_, select, update

from manyhands.protocol.errors import PhaseConflict
from manyhands.protocol.service.access import AccessRole, AuditEntry, ListPage, TokenGrant, TokenRequest, TokenStatus
from manyhands.service.database.engine import ServiceDatabase
from manyhands.service.database.row_numbers import read_id, read_page, unknown_item, write_id
from manyhands.service.database.schema import AUDIT, SESSIONS, TOKENS, TableQuery, TableRow


def make_secret(prefix: str, number: int) -> str:
    """Return a new secret. It names its row, so that one row is looked up and compared: ``mh3_...``."""
    return f"{prefix}{number}_{secrets.token_urlsafe(32)}"


def digest_secret(secret: str) -> str:
    """Return what is stored of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def is_secret(secret: str, digest: str) -> bool:
    """Return whether a secret has this digest. The time that this takes says nothing about secrets."""
    return hmac.compare_digest(digest_secret(secret), digest)


_SECRET = re.compile(r"mh([1-9][0-9]{0,17})_[A-Za-z0-9_-]{43}")
"""A secret names its token, so that one row is looked up and compared."""


class TokenRepository:
    """Keep tokens. Every method may raise DatabaseAway."""

    def __init__(self, database: ServiceDatabase) -> None:
        self._database = database

    async def make(self, request: TokenRequest, at: float) -> TokenGrant:
        """Make a token. Its secret is returned this once, and stored nowhere."""
        values = {"owner": request.owner, "role": request.role.value, "digest": "", "created_at": at}
        async with self._database.write() as change:
            inserted = await change.connection.execute(insert(TOKENS).values(values).returning(TOKENS.c.number))
            number = int(inserted.scalar_one())
            secret = make_secret("mh", number)
            statement = update(TOKENS).where(TOKENS.c.number == number)
            await change.connection.execute(statement.values(digest=digest_secret(secret)))
        return TokenGrant(
            id=write_id("t", number), owner=request.owner, role=request.role, created_at=at, secret=secret
        )

    async def find(self, secret: str) -> TokenStatus | None:
        """Return the valid token with this secret; None if there is none, or if it was revoked.

        The time that this takes says nothing about secrets.
        """
        match = _SECRET.fullmatch(secret)
        if match is None:
            return None
        async with self._database.read() as connection:
            query = select(TOKENS).where(TOKENS.c.number == int(match[1]), TOKENS.c.revoked_at.is_(None))
            row = (await connection.execute(query)).one_or_none()
        is_right = is_secret(secret, "" if row is None else row.digest)
        return token_status(row) if row is not None and is_right else None

    async def list(self) -> Sequence[TokenStatus]:
        """Return all tokens, oldest first, those that were revoked included."""
        async with self._database.read() as connection:
            rows = (await connection.execute(select(TOKENS).order_by(TOKENS.c.number))).all()
        return tuple(token_status(row) for row in rows)

    async def revoke(self, id: str, at: float) -> TokenStatus:
        """Make a token invalid, for good. Raises UnknownItem, and PhaseConflict for the last one that may operate."""
        number = read_id("t", id)
        condition = TOKENS.c.number == number
        operating = [role.value for role in AccessRole if role.allows(AccessRole.OPERATE)]
        may_operate = select(TOKENS.c.number).where(TOKENS.c.revoked_at.is_(None), TOKENS.c.role.in_(operating))
        async with self._database.write() as change:
            if (await change.connection.execute(may_operate.limit(2))).scalars().all() == [number]:
                raise PhaseConflict(f"{id} is the last token that may operate: make another one first")
            statement = update(TOKENS).where(condition, TOKENS.c.revoked_at.is_(None)).values(revoked_at=at)
            await change.connection.execute(statement)
            row = (await change.connection.execute(select(TOKENS).where(condition))).one_or_none()
        if row is None:
            raise unknown_item("token", id)
        return token_status(row)


def token_status(row: TableRow) -> TokenStatus:
    """Return what clients see of a row of tokens."""
    return TokenStatus(
        id=write_id("t", row.number),
        owner=row.owner,
        role=AccessRole(row.role),
        created_at=row.created_at,
        revoked_at=row.revoked_at,
    )


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


LIFE_S = 30 * 86_400.0
"""How long a session lasts. Then the browser asks for a token again."""
MOST_SESSIONS = 100
"""How many sessions a token has at most. Another one ends the oldest."""
_PREFIX = "mhs"
_SESSION_SECRET = re.compile(rf"{_PREFIX}([1-9][0-9]{{0,17}})_[A-Za-z0-9_-]{{43}}")


@dataclass(frozen=True, slots=True)
class BrowserSession:
    """Hold a valid session, and the token by which it began."""

    id: str
    token: TokenStatus
    expires_at: float


class SessionRepository:
    """Keep sessions. Every method may raise DatabaseAway."""

    def __init__(self, database: ServiceDatabase) -> None:
        self._database = database

    async def make(self, token: TokenStatus, at: float) -> tuple[BrowserSession, str]:
        """Begin a session of a token. Return it, and its secret, which is stored nowhere.

        If the token has ``MOST_SESSIONS`` already, its oldest one ends.
        """
        expires_at = at + LIFE_S
        values = {"token": read_id("t", token.id), "digest": "", "created_at": at, "expires_at": expires_at}
        async with self._database.write() as change:
            over = or_(SESSIONS.c.expires_at < at, SESSIONS.c.ended_at.is_not(None))
            await change.connection.execute(delete(SESSIONS).where(over))
            of_token = select(SESSIONS.c.number).where(SESSIONS.c.token == values["token"])
            oldest = of_token.order_by(SESSIONS.c.number.desc()).offset(MOST_SESSIONS - 1)
            surplus = (await change.connection.execute(oldest)).scalars().all()
            await change.connection.execute(delete(SESSIONS).where(SESSIONS.c.number.in_(surplus)))
            inserted = await change.connection.execute(insert(SESSIONS).values(values).returning(SESSIONS.c.number))
            number = int(inserted.scalar_one())
            secret = make_secret(_PREFIX, number)
            statement = update(SESSIONS).where(SESSIONS.c.number == number)
            await change.connection.execute(statement.values(digest=digest_secret(secret)))
        return BrowserSession(write_id("c", number), token, expires_at), secret

    async def find(self, secret: str, now: float) -> BrowserSession | None:
        """Return the session with this secret; None if there is none, or if it or its token is not valid any more."""
        match = _SESSION_SECRET.fullmatch(secret)
        if match is None:
            return None
        columns = [SESSIONS.c.number.label("session"), SESSIONS.c.digest.label("hashed"), SESSIONS.c.expires_at]
        query = (
            select(TOKENS, *columns)
            .join(SESSIONS, SESSIONS.c.token == TOKENS.c.number)
            .where(
                SESSIONS.c.number == int(match[1]),
                SESSIONS.c.ended_at.is_(None),
                SESSIONS.c.expires_at > now,
                TOKENS.c.revoked_at.is_(None),
            )
        )
        async with self._database.read() as connection:
            row = (await connection.execute(query)).one_or_none()
        is_right = is_secret(secret, "" if row is None else row.hashed)
        if row is None or not is_right:
            return None
        return BrowserSession(write_id("c", row.session), token_status(row), row.expires_at)

    async def end(self, id: str, at: float) -> None:
        """End a session, for good."""
        condition = SESSIONS.c.number == read_id("c", id)
        async with self._database.write() as change:
            await change.connection.execute(update(SESSIONS).where(condition).values(ended_at=at))
