"""A real PostgreSQL for tests, in a folder and with a socket of its own."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import time
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import psycopg

USER = "manyhands"
_TEMPLATE = "service_template"


def find_programs() -> Path | None:
    """The folder of PostgreSQL's programs; None where it is not installed. Debian keeps them off the path."""
    for folder in (*sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True), _on_path()):
        if folder is not None and (folder / "initdb").exists():
            return folder
    return None


def _on_path() -> Path | None:
    found = shutil.which("postgres")
    return None if found is None else Path(found).resolve().parent


class PostgresServer:
    """Runs as another user where the tests run as root, which PostgreSQL refuses."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs
        # The socket's path may have 107 bytes, and the other user must be able to enter.
        self.folder = Path(mkdtemp(prefix="mh-pg-", dir="/tmp"))
        self._as: dict[str, Any] = {}
        if os.geteuid() == 0:
            names = {entry.pw_name for entry in pwd.getpwall()}
            user = "postgres" if "postgres" in names else "nobody"
            group = pwd.getpwnam(user).pw_gid
            os.chown(self.folder, pwd.getpwnam(user).pw_uid, group)
            self._as = {"user": user, "group": group, "extra_groups": []}
        self._process: subprocess.Popen[bytes] | None = None
        self._made = 0
        self._template = "template1"
        self._free: list[str] = []

    def start(self) -> None:
        data = self.folder / "data"
        if not data.exists():
            initdb = [self._programs / "initdb", "-D", data, "-U", USER, "-A", "trust", "-E", "UTF8", "--no-sync"]
            subprocess.run([*initdb, "--locale=C"], check=True, cwd=self.folder, stdout=subprocess.DEVNULL, **self._as)
        # What a process of ours is killed in the middle of is as safe without fsync, which costs time.
        options = ["-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=60"]
        with (self.folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._programs / "postgres", "-D", data, "-k", self.folder, *options],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                **self._as,
            )
        deadline = time.monotonic() + 60
        while True:
            try:
                self.execute("SELECT 1")
                return
            except psycopg.OperationalError:
                if time.monotonic() > deadline or self._process.poll() is not None:
                    raise
                time.sleep(0.05)

    def stop(self) -> None:
        """End at once, as if the machine had lost its power but for the files."""
        if self._process is not None:
            self._process.send_signal(3)  # SIGQUIT: an immediate shutdown
            self._process.wait(30)
            self._process = None

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def execute(self, statement: str, database: str = "postgres") -> list[Any]:
        with psycopg.connect(self.address(database), autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description is not None else []

    def address(self, database: str) -> str:
        return f"host={self.folder} user={USER} dbname={database}"

    def url(self, database: str) -> str:
        return f"postgresql://{USER}@/{database}?host={self.folder}"

    def make_template(self) -> str:
        """The name of a database whose content later ones get."""
        self.execute(f"CREATE DATABASE {_TEMPLATE}")
        self._template = _TEMPLATE
        return _TEMPLATE

    def make_database(self, *, is_empty: bool = False) -> str:
        """The URL of a database that nobody uses: with the template's tables, unless it is to be empty."""
        if self._free and not is_empty:
            return self.url(self._free.pop())
        self._made += 1
        name = f"service_{self._made}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {'template1' if is_empty else self._template}")
        return self.url(name)

    def give_back(self, url: str) -> None:
        """Empty the tables of a database, for another test: this is much quicker than to make one."""
        name = url.split("/")[3].split("?")[0]
        revision = "SELECT version_num FROM alembic_version"
        if self.execute(revision, name) == self.execute(revision, _TEMPLATE):
            query = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'alembic_version'"
            tables = ", ".join(row[0] for row in self.execute(query, name))
            # As for a replica, no trigger stands in the way.
            statement = f"SET session_replication_role = replica; TRUNCATE {tables} RESTART IDENTITY CASCADE"
            self.execute(statement, name)
            self._free.append(name)
