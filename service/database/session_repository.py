"""Keep the sessions of browsers. Only hashes of their secrets are stored; a session is worth no more than its token."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqlalchemy import delete, insert, or_, select, update

from manyhands.protocol.service.access import TokenStatus
from manyhands.service.database.engine import ServiceDatabase
from manyhands.service.database.row_numbers import read_id, write_id
from manyhands.service.database.schema import SESSIONS, TOKENS
from manyhands.service.database.token_repository import digest_secret, is_secret, make_secret, token_status

LIFE_S = 30 * 86_400.0
"""How long a session lasts. Then the browser asks for a token again."""
MOST_SESSIONS = 100
"""How many sessions a token has at most. Another one ends the oldest."""
_PREFIX = "mhs"
_SECRET = re.compile(rf"{_PREFIX}([1-9][0-9]{{0,17}})_[A-Za-z0-9_-]{{43}}")


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
        match = _SECRET.fullmatch(secret)
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
