"""The tables are made by migrations alone; databases that cannot be used are refused with a reason."""

from __future__ import annotations

import asyncio
import resource
import sqlite3
import stat
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, inspect, text

from manyhands.protocol.errors import DatabaseAway, DatabaseUnusable
from manyhands.service.database import migration
from manyhands.service.database.batches.batch_repository import BatchRepository
from manyhands.service.database.engine import ServiceDatabase
from manyhands.service.database.schema import METADATA
from tests.service.database.postgres import PostgresServer
from tests.service.database.work import AT, request

MakeEmpty = Callable[[], str]


@pytest.fixture(params=["sqlite", "postgresql"])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database without tables, of each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "empty.db")
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.make_database(is_empty=True)


def differences(connection: Connection) -> Any:
    context = MigrationContext.configure(connection, opts={"target_metadata": METADATA, "compare_type": True})
    return compare_metadata(context, METADATA)


def checks(connection: Connection) -> set[str]:
    found = inspect(connection)
    return {str(one["name"]) for table in found.get_table_names() for one in found.get_check_constraints(table)}


async def test_migrations_make_the_tables_that_are_declared(empty: str) -> None:
    database = await ServiceDatabase.open(empty)
    async with database.read() as connection:
        assert await connection.run_sync(differences) == []
        assert await connection.run_sync(checks) == {"ck_batches_counts", "ck_tasks_result"}
    await database.close()


async def test_a_database_is_brought_from_each_migration_to_the_last(
    empty: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    revisions = [one.revision for one in ScriptDirectory.from_config(migration.make_config()).walk_revisions()][::-1]
    assert revisions[0] == "v1"
    database = await ServiceDatabase.open(empty)
    async with database.write() as change:  # an empty database again
        await change.connection.run_sync(METADATA.drop_all)
        await change.connection.execute(text("DROP TABLE alembic_version"))
        if not database.is_sqlite:
            await change.connection.execute(text("DROP FUNCTION refuse_audit_change"))
    for revision in revisions:
        async with database.write() as change:
            await change.connection.run_sync(migration.upgrade_schema, revision)
        async with database.read() as connection:
            assert await connection.run_sync(migration.present_revision) == revision
    async with database.read() as connection:
        assert await connection.run_sync(differences) == []
    await database.close()


async def test_a_migration_that_fails_leaves_nothing_behind(empty: str) -> None:
    database = await ServiceDatabase.open(empty)

    async def migrate() -> None:
        async with database.write() as change:
            await change.connection.execute(text("CREATE TABLE half (x INTEGER)"))
            raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError, match="in the middle"):
        await migrate()
    async with database.read() as connection:
        assert "half" not in await connection.run_sync(lambda sync: inspect(sync).get_table_names())
    await database.close()


async def test_a_database_is_opened_again_with_all_it_holds(url: str) -> None:
    for count in range(3):
        database = await ServiceDatabase.open(url)
        batches = BatchRepository(database)
        assert len((await batches.batches()).items) == count
        await batches.accept(request("a"), "ann", None, AT)
        await database.close()


async def test_a_newer_versions_database_is_refused(url: str) -> None:
    database = await ServiceDatabase.open(url)
    async with database.write() as change:
        await change.connection.execute(text("UPDATE alembic_version SET version_num = 'v9999'"))
    await database.close()
    with pytest.raises(DatabaseUnusable, match="newer version of the service has used the database"):
        await ServiceDatabase.open(url)


async def test_a_database_of_before_version_1_is_refused(url: str) -> None:
    database = await ServiceDatabase.open(url)
    async with database.write() as change:
        await change.connection.execute(text("UPDATE alembic_version SET version_num = 'r0007'"))
    await database.close()
    with pytest.raises(DatabaseUnusable, match="of an older form"):
        await ServiceDatabase.open(url)


async def test_another_programs_database_is_refused(empty: str, postgres_server: PostgresServer | None) -> None:
    if empty.startswith("postgresql") and postgres_server is not None:
        postgres_server.execute("CREATE TABLE customers (name TEXT)", empty.split("/")[3].split("?")[0])
    else:
        with sqlite3.connect(empty) as other:
            other.execute("CREATE TABLE customers (name TEXT)")
        other.close()
    with pytest.raises(DatabaseUnusable, match=r"tables of another program \(customers\)"):
        await ServiceDatabase.open(empty)


async def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    path.write_text("These are notes, and no database of anybody. " * 100)
    before = path.read_bytes()
    with pytest.raises(DatabaseUnusable, match="no database of SQLite"):
        await ServiceDatabase.open(str(path))
    assert path.read_bytes() == before


@pytest.mark.parametrize("url", ["mysql://root@host/x", "sqlite://", "://", "postgresql", "http://host/"])
async def test_other_urls_are_refused(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    if url == "postgresql":  # a path, then
        await (await ServiceDatabase.open(url)).close()
        assert (tmp_path / "postgresql").is_file()
        return
    with pytest.raises(DatabaseUnusable, match="write postgresql://"):
        await ServiceDatabase.open(url)


async def test_a_folder_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(DatabaseUnusable, match=r"nowhere/service\.db: cannot be made: No such file"):
        await ServiceDatabase.open(str(tmp_path / "nowhere" / "service.db"))


async def test_a_file_belongs_to_its_owner_alone_and_survives_a_loss_of_power(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    database = await ServiceDatabase.open(str(path))
    await BatchRepository(database).accept(request("a"), "ann", None, AT)
    assert {stat.S_IMODE(one.stat().st_mode) for one in tmp_path.iterdir()} == {0o600}
    assert {one.name for one in tmp_path.iterdir()} == {"service.db", "service.db-wal", "service.db-shm"}
    async with database.read() as connection:
        found = {
            name: (await connection.execute(text(f"PRAGMA {name}"))).scalar_one()
            for name in ("journal_mode", "synchronous", "foreign_keys")
        }
    assert found == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}
    await database.close()


async def test_a_postgresql_that_is_away_is_a_typed_error_and_comes_back(postgres: PostgresServer) -> None:
    database = await ServiceDatabase.open(postgres.make_database())
    batches = BatchRepository(database)
    await batches.accept(request("a"), "ann", None, AT)
    postgres.stop()
    try:
        with pytest.raises(DatabaseAway):
            await batches.batch("b1")
        with pytest.raises(DatabaseAway):
            await batches.accept(request("a"), "ann", None, AT)
        with pytest.raises(DatabaseAway):
            await ServiceDatabase.open(postgres.url("service_template"))
    finally:
        postgres.start()
    assert (await batches.batch("b1")).tasks == 1
    assert (await batches.accept(request("a"), "ann", None, AT))[1]
    await database.close()


async def test_a_full_disk_is_a_typed_error_and_passes(tmp_path: Path) -> None:
    database = await ServiceDatabase.open(str(tmp_path / "service.db"))
    batches = BatchRepository(database)
    await batches.accept(request("a"), "ann", None, AT)
    large = request(*(f"task-{number}" for number in range(2000)))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, ((tmp_path / "service.db-wal").stat().st_size + 50_000, hard))
    try:
        with pytest.raises(DatabaseAway, match="cannot be used now"):
            await batches.accept(large, "ann", "k", AT)
        assert [batch.tasks for batch in (await batches.batches()).items] == [1]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (await batches.accept(large, "ann", "k", AT))[1]
    await database.close()


def test_the_driver_for_sqlite_is_new_enough() -> None:
    """Statements use RETURNING, which SQLite has since 3.35."""
    assert create_engine("sqlite://").dialect.dbapi.sqlite_version_info >= (3, 35)  # type: ignore[union-attr]


@pytest.mark.parametrize("loss", ["moved", "replaced", "log removed"])
async def test_nothing_is_accepted_into_a_file_that_nobody_will_find_again(tmp_path: Path, loss: str) -> None:
    path = tmp_path / "service.db"
    database = await ServiceDatabase.open(str(path))
    batches = BatchRepository(database)
    await batches.accept(request("a"), "ann", None, AT)
    lost = path.with_name("service.db-wal") if loss == "log removed" else path
    lost.rename(tmp_path / "aside")
    if loss == "replaced":
        path.write_bytes((tmp_path / "aside").read_bytes())
    with pytest.raises(DatabaseAway, match="moved, deleted or replaced"):
        await batches.accept(request("b"), "ann", None, AT)
    with pytest.raises(DatabaseAway):
        await batches.batches()
    (tmp_path / "aside").rename(lost)
    assert (await batches.accept(request("b"), "ann", None, AT))[0].id == "b2"
    await database.close()


@pytest.mark.parametrize("name", ["service.db", "50%25 #1?.db"])
async def test_files_that_move_while_requests_come_are_read_again_by_all(tmp_path: Path, name: str) -> None:
    for attempt in range(20):
        folder, aside = tmp_path / str(attempt), tmp_path / f"aside-{attempt}"
        folder.mkdir()
        aside.mkdir()
        database = await ServiceDatabase.open(str(folder / name))
        batches = BatchRepository(database)
        await batches.accept(request("a"), "ann", None, AT)
        asking = [asyncio.create_task(batches.batch("b1")) for _ in range(40)]
        await asyncio.to_thread(_move, folder, aside, sorted(one.name for one in folder.iterdir()))
        await asyncio.gather(*asking, return_exceptions=True)
        await asyncio.to_thread(_move, aside, folder, sorted((one.name for one in aside.iterdir()), reverse=True))
        assert [one.tasks for one in await asyncio.gather(*(batches.batch("b1") for _ in range(12)))] == [1] * 12
        assert (await batches.accept(request("b"), "ann", None, AT))[0].id == "b2"
        await database.close()


def _move(source: Path, target: Path, names: list[str]) -> None:
    for name in names:
        (source / name).rename(target / name)


async def test_a_file_that_is_put_back_is_read_again_by_all_connections(tmp_path: Path) -> None:
    database = await ServiceDatabase.open(str(tmp_path / "service.db"))
    batches = BatchRepository(database)
    await batches.accept(request("a"), "ann", None, AT)
    files = sorted(tmp_path.iterdir())
    aside = tmp_path / "aside"
    aside.mkdir()
    for file in files:
        file.rename(aside / file.name)
    refusals = await asyncio.gather(*(batches.batch("b1") for _ in range(10)), return_exceptions=True)
    assert {type(one) for one in refusals} == {DatabaseAway}
    assert list(tmp_path.iterdir()) == [aside]
    for file in files:
        (aside / file.name).rename(file)
    assert [one.tasks for one in await asyncio.gather(*(batches.batch("b1") for _ in range(10)))] == [1] * 10
    await database.close()


async def test_a_database_whose_connections_were_all_dropped_is_read_again(tmp_path: Path) -> None:
    database = await ServiceDatabase.open(str(tmp_path / "service.db"))
    async with AsyncExitStack() as stack:
        for connection in [await stack.enter_async_context(database.read()) for _ in range(6)]:
            await connection.invalidate()
    assert not (tmp_path / "service.db-wal").exists()
    assert (await BatchRepository(database).accept(request("a"), "ann", None, AT))[1]
    await database.close()
