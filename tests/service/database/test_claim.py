"""A PostgreSQL database belongs to one service at a time."""

from __future__ import annotations

import pytest

from manyhands.protocol.errors import DatabaseUnusable
from manyhands.service.database.engine import ServiceDatabase
from tests.service.database.postgres import PostgresServer


async def test_a_second_service_is_refused_and_a_later_one_is_not(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres.make_database()
    first, second = await ServiceDatabase.open(url), await ServiceDatabase.open(url)
    try:
        async with first.claim():
            with monkeypatch.context() as patch:
                patch.setattr("manyhands.service.database.engine._CLAIM_S", 0.0)
                with pytest.raises(DatabaseUnusable, match="another service works on this database"):
                    async with second.claim():
                        pass
        # PostgreSQL frees the claim a moment after the connection has ended: tries without pauses may come before.
        async with second.claim():
            pass
    finally:
        await first.close()
        await second.close()
        postgres.give_back(url)
