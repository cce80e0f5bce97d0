"""Tokens are found by their secrets alone, and nobody can change the audit log."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from manyhands.protocol.errors import ManyhandsError, PhaseConflict, UnknownItem
from manyhands.protocol.service.access import AccessRole, AuditEntry, TokenRequest
from manyhands.service.database.access_repository import AuditRepository, TokenRepository
from manyhands.service.database.engine import ServiceDatabase
from tests.service.database.work import AT


def entry(number: int) -> AuditEntry:
    return AuditEntry(
        id=0,
        at=AT + number,
        owner="ann" if number % 2 else "",
        token="t1" if number % 2 else "",
        address="127.0.0.1",
        method="GET",
        path=f"/api/v1/tasks/{number}",
        status=200,
        times=number + 1,
    )


async def test_a_token_is_found_by_its_secret(database: ServiceDatabase) -> None:
    tokens = TokenRepository(database)
    first = await tokens.make(TokenRequest(owner="ann", role=AccessRole.OPERATE), AT)
    second = await tokens.make(TokenRequest(owner="ann"), AT + 1)
    assert (first.id, second.id, second.role) == ("t1", "t2", AccessRole.SUBMIT)
    assert first.secret != second.secret
    found = await tokens.find(first.secret)
    assert found is not None
    assert found.model_dump() == first.model_dump(exclude={"secret"})
    assert [token.id for token in await tokens.list()] == ["t1", "t2"]
    assert first.secret not in repr(await tokens.list())


async def test_no_other_secret_finds_a_token(database: ServiceDatabase) -> None:
    tokens = TokenRepository(database)
    secret = (await tokens.make(TokenRequest(owner="ann"), AT)).secret
    other = (await tokens.make(TokenRequest(owner="bob"), AT)).secret
    swapped = secret.replace("mh1_", "mh2_")
    changed = secret[:-1] + ("B" if secret[-1] != "B" else "C")
    for wrong in ("", "x", swapped, changed, secret + "A", secret.upper(), f" {secret}", "mh9_" + other[4:], "mh0_ü"):
        assert await tokens.find(wrong) is None


async def test_a_revoked_token_is_found_no_more(database: ServiceDatabase) -> None:
    tokens = TokenRepository(database)
    made = await tokens.make(TokenRequest(owner="ann"), AT)
    assert (await tokens.revoke(made.id, AT + 5)).revoked_at == AT + 5
    assert (await tokens.revoke(made.id, AT + 9)).revoked_at == AT + 5
    assert await tokens.find(made.secret) is None
    assert [token.revoked_at for token in await tokens.list()] == [AT + 5]
    for unknown in ("t9", "b1", ""):
        with pytest.raises(UnknownItem, match="token"):
            await tokens.revoke(unknown, AT)


async def test_secrets_are_stored_nowhere(database: ServiceDatabase) -> None:
    secret = (await TokenRepository(database).make(TokenRequest(owner="ann"), AT)).secret
    async with database.read() as connection:
        rows = (await connection.execute(text("SELECT * FROM tokens"))).all()
    assert secret.split("_", 1)[1] not in repr(rows)


async def test_the_audit_log_is_read_newest_first(database: ServiceDatabase) -> None:
    audit = AuditRepository(database)
    await audit.append([])
    await audit.append([entry(0), entry(1)])
    await audit.append([entry(2)])
    page = await audit.entries(limit=2)
    assert [one.times for one in page.items] == [3, 2]
    assert page.items[1].model_copy(update={"id": 0}) == entry(1)
    rest = await audit.entries(page.next_cursor, 2)
    assert ([one.times for one in rest.items], rest.next_cursor) == ([1], None)
    assert [one.times for one in (await audit.entries(owner="ann")).items] == [2]


@pytest.mark.parametrize("statement", ["UPDATE audit SET owner = 'bob'", "DELETE FROM audit", "TRUNCATE audit"])
async def test_the_database_refuses_to_change_the_audit_log(database: ServiceDatabase, statement: str) -> None:
    if database.is_sqlite and statement.startswith("TRUNCATE"):
        pytest.skip("SQLite has no TRUNCATE")
    audit = AuditRepository(database)
    await audit.append([entry(0)])
    with pytest.raises((DBAPIError, ManyhandsError), match="append-only"):
        async with database.write() as change:
            await change.connection.execute(text(statement))
    assert [one.owner for one in (await audit.entries()).items] == [""]


async def test_two_operators_who_revoke_each_other_leave_one_token_that_may_operate(database: ServiceDatabase) -> None:
    tokens = TokenRepository(database)
    for role in (AccessRole.OPERATE, AccessRole.APPROVE, AccessRole.SUBMIT):
        await tokens.make(TokenRequest(owner="ann", role=role), AT)
    both = await asyncio.gather(*(tokens.revoke(id, AT + 1) for id in ("t1", "t2")), return_exceptions=True)
    assert [type(one) for one in both].count(PhaseConflict) == 1
    left = [one.role for one in await tokens.list() if one.revoked_at is None]
    assert len(left) == 2
    assert any(role.allows(AccessRole.OPERATE) for role in left)
    assert (await tokens.revoke("t3", AT + 2)).revoked_at == AT + 2
