"""Databases for tests: each test runs on SQLite in a file and on a real PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from manyhands.service.database.engine import ServiceDatabase
from tests.service.database.postgres import PostgresServer, find_programs

MakeUrl = Callable[[], str]


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer | None]:
    """A PostgreSQL of this test session, with a template that holds the tables; None where it is not installed."""
    programs = find_programs()
    if programs is None:
        yield None
        return
    server = PostgresServer(programs)
    try:
        server.start()
        asyncio.run(_migrate(server.url(server.make_template())))
        yield server
    finally:
        server.remove()


async def _migrate(url: str) -> None:
    await (await ServiceDatabase.open(url)).close()


@pytest.fixture
def postgres(postgres_server: PostgresServer | None) -> PostgresServer:
    """That PostgreSQL. Tests that need it are skipped where it is not installed."""
    if postgres_server is None:
        pytest.skip("PostgreSQL is not installed: on Debian, apt-get install postgresql")
    return postgres_server


@pytest.fixture(params=["sqlite", "postgresql"])
def make_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MakeUrl]:
    """Make databases of both kinds that hold nothing: returns their URLs."""
    if request.param == "sqlite":
        counter = iter(range(1_000_000))
        yield lambda: str(tmp_path / f"service-{next(counter)}.db")
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    made: list[str] = []

    def make() -> str:
        made.append(server.make_database())
        return made[-1]

    yield make
    for url in made:
        server.give_back(url)


@pytest.fixture
def url(make_url: MakeUrl) -> str:
    """The URL of a database of each kind."""
    return make_url()


@pytest.fixture
async def database(url: str) -> AsyncIterator[ServiceDatabase]:
    """An open database of each kind."""
    opened = await ServiceDatabase.open(url)
    yield opened
    await opened.close()
