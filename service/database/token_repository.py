"""Keep the tokens of those who use the service. Only hashes of their secrets are stored.

The secrets are random and long, so nobody can guess them from their hashes.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Sequence

from sqlalchemy import insert, select, update

from manyhands.protocol.errors import PhaseConflict
from manyhands.protocol.service.access import AccessRole, TokenGrant, TokenRequest, TokenStatus
from manyhands.service.database.engine import ServiceDatabase
from manyhands.service.database.row_numbers import read_id, unknown_item, write_id
from manyhands.service.database.schema import TOKENS, TableRow


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
