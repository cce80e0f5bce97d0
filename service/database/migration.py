"""Bring the tables of a database to the state that this version of the service needs, by Alembic's migrations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect

from manyhands.protocol.errors import DatabaseUnusable
from manyhands.service.database.schema import METADATA

_FOLDER = Path(__file__).parent / "migrations"
_REVISION = re.compile(r"v\d+")
"""The name of a migration from version 1 of the tables on."""


def make_config() -> Config:
    """Return what tells Alembic where the migrations are."""
    config = Config()
    # Alembic reads a percent sign in a path as the beginning of a variable.
    for option in ("script_location", "version_locations"):
        config.set_main_option(option, str(_FOLDER).replace("%", "%%"))
    config.set_main_option("path_separator", "newline")
    return config


def upgrade_schema(connection: Connection, revision: str = "head") -> None:
    """Apply the migrations that the database lacks, in the transaction of ``connection``.

    Raises DatabaseUnusable for a database of a newer version of the service, of another program, or of a form older
    than version 1.
    """
    config = make_config()
    scripts = ScriptDirectory.from_config(config)
    _refuse_others(connection, scripts)

    def find_steps(present: Any, _: MigrationContext) -> Sequence[Any]:
        return scripts._upgrade_revs(revision, present)

    with EnvironmentContext(config, scripts, fn=find_steps, destination_rev=revision) as environment:
        environment.configure(
            connection=connection,
            target_metadata=METADATA,
            # Both kinds of databases undo changes of tables with their transaction.
            transactional_ddl=True,
            # SQLite cannot alter most of a table in place: Alembic copies it then.
            render_as_batch=True,
        )
        environment.run_migrations()


def present_revision(connection: Connection) -> str | None:
    """Return the migration that was applied last; None in an empty database."""
    return MigrationContext.configure(connection).get_current_revision()


def _refuse_others(connection: Connection, scripts: ScriptDirectory) -> None:
    present = present_revision(connection)
    if present is None:
        if foreign := inspect(connection).get_table_names():
            raise DatabaseUnusable(
                f"the database holds tables of another program ({', '.join(sorted(foreign)[:3])}):"
                " give the service a database of its own"
            )
        return
    if present in {script.revision for script in scripts.walk_revisions()}:
        return
    if _REVISION.fullmatch(present) is None:
        raise DatabaseUnusable(
            f"the database is of an older form (it is at {present}), which the service does not read: give the service"
            " a new folder or database"
        )
    raise DatabaseUnusable(
        f"a newer version of the service has used the database (it is at {present}): start that version again,"
        " or restore the copy that was made before the upgrade"
    )
