"""Declare the tables of the service's database.

The tables are made by ``migrations`` alone; a test compares both. A change here needs a migration.

- Times are Unix seconds. Enumerations are stored by their values, structured values as JSON.
- A number counts the rows of a table, and is never used twice. The ids that clients see are made of it: ``b17``.
- Every list is ordered by such a number. For each filter there is an index that ends with it.
"""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Row,
    Select,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    false,
)
from sqlalchemy.engine import Dialect

TableRow = Row[*tuple[Any, ...]]
"""A row of any table."""
TableQuery = Select[*tuple[Any, ...]]
"""A query for rows of any table."""
METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)
_Number = BigInteger().with_variant(Integer, "sqlite")
"""SQLite numbers rows by itself only in a column of its type INTEGER."""


def plain_text(text: str) -> str:
    """Return a text as both kinds of databases can hold it."""
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode("utf-8")
    return text.replace("\0", "\ufffd")


class PlainText(TypeDecorator[str]):
    """Store a text of people or phones.

    PostgreSQL holds no NUL, and no database holds halves of surrogate pairs: other characters take their places.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Return what is stored."""
        return None if value is None else plain_text(value)


def dump_json(value: Any) -> str:
    """Return a value as compact JSON."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))


def _number() -> Column[int]:
    return Column("number", _Number, primary_key=True, autoincrement=True)


BATCHES = Table(
    "batches",
    METADATA,
    _number(),
    Column("name", PlainText, nullable=False),
    Column("owner", PlainText, nullable=False),
    Column("priority", Integer, nullable=False),
    Column("tags", Text, nullable=False),
    Column("phase", Text, nullable=False),
    Column("submitted_at", Double, nullable=False),
    Column("ended_at", Double),
    Column("deadline", Double),
    Column("deadline_warning", PlainText),
    Column("phones", PlainText, nullable=False),
    Column("schedule", PlainText),
    Column("run", PlainText),
    Column("key", PlainText),
    Column("digest", Text),
    Column("tasks", Integer, nullable=False),
    Column("waiting", Integer, nullable=False),
    Column("running", Integer, nullable=False),
    Column("done", Integer, nullable=False),
    Column("failed", Integer, nullable=False),
    Column("cancelled", Integer, nullable=False, server_default="0"),
    Column("retried", Integer, nullable=False, server_default="0"),
    Column("is_moved", Boolean, nullable=False, server_default=false()),
    UniqueConstraint("owner", "key"),
    CheckConstraint("tasks = waiting + running + done + failed", name="counts"),
    Index(None, "owner", "number"),
    Index(None, "phase", "number"),
    Index(None, "owner", "phase", "number"),
    Index(None, "schedule", "number"),
    Index(None, "phase", "deadline"),
    sqlite_autoincrement=True,
)
"""Hold batches. ``key`` is the client's idempotency key. ``digest`` tells the body of its request from other bodies.

``failed`` counts all tasks that have ended and are not done. ``cancelled`` and ``retried`` count some of them again.
``is_moved``: the priority of the batch, or of one of its tasks, was changed after the submission.
"""

BATCH_TAGS = Table(
    "batch_tags",
    METADATA,
    Column("tag", PlainText, primary_key=True),
    Column("batch", _Number, ForeignKey(BATCHES.c.number), primary_key=True),
)

HANDOVERS = Table(
    "handovers",
    METADATA,
    _number(),
    Column("id", PlainText, nullable=False, unique=True),
    Column("batch", _Number, ForeignKey(BATCHES.c.number), nullable=False),
    Column("state", Text, nullable=False),
    Index(None, "state", "number"),
    Index(None, "batch", "number"),
    sqlite_autoincrement=True,
)
"""Hold the groups in which the fleet gets tasks: ``new``, then ``offered`` to the coordinator, then ``given``."""

TASKS = Table(
    "tasks",
    METADATA,
    _number(),
    Column("id", PlainText, nullable=False, unique=True),
    Column("batch", _Number, ForeignKey(BATCHES.c.number), nullable=False),
    Column("handover", _Number, ForeignKey(HANDOVERS.c.number), nullable=False),
    Column("owner", PlainText, nullable=False),
    Column("goal", PlainText, nullable=False),
    Column("spec", Text, nullable=False),
    Column("priority", Integer, nullable=False),
    Column("tags", Text, nullable=False),
    Column("phase", Text, nullable=False),
    Column("origin", Text, nullable=False),
    Column("retry", Integer, nullable=False),
    Column("retry_of", Text),
    Column("cancelled_at", Double),
    Column("cancel_reason", PlainText),
    Column("phone", PlainText),
    Column("episode", PlainText),
    Column("step", Integer),
    Column("doing", PlainText),
    Column("started_at", Double),
    Column("ended_at", Double),
    Column("ending", Text),
    Column("reason", PlainText),
    Column("is_done", Boolean),
    Column("verified", Boolean),
    Column("verified_by", Text),
    Column("unmet", Text),
    Column("answer", PlainText),
    Column("answer_data", Text),
    Column("steps", Integer),
    Column("attempts", Integer, nullable=False),
    CheckConstraint("(phase = 'ended') = (ending IS NOT NULL)", name="result"),
    Index(None, "batch", "number"),
    Index(None, "batch", "phase", "number"),
    Index(None, "handover", "number"),
    Index(None, "phase", "number"),
    Index(None, "phase", "cancelled_at"),
    Index(None, "owner", "number"),
    Index(None, "owner", "phase", "number"),
    Index(None, "phone", "number"),
    Index(None, "ending", "number"),
    Index(None, "is_done", "number"),
    Index(None, "origin", "retry"),
    sqlite_autoincrement=True,
)
"""Hold tasks with their one result. ``origin`` is the submitted task of which this one is the ``retry``-th try."""

DISMISSALS = Table(
    "dismissals",
    METADATA,
    Column("task", _Number, ForeignKey(TASKS.c.number), primary_key=True, autoincrement=False),
    Column("owner", PlainText, nullable=False),
    Column("at", Double, nullable=False),
)
"""Hold which failed tasks a person has dismissed, and who did."""

TASK_TAGS = Table(
    "task_tags",
    METADATA,
    Column("tag", PlainText, primary_key=True),
    Column("task", _Number, ForeignKey(TASKS.c.number), primary_key=True),
)

EPISODES = Table(
    "episodes",
    METADATA,
    _number(),
    Column("id", PlainText, nullable=False, unique=True),
    Column("task", _Number, ForeignKey(TASKS.c.number), nullable=False),
    Column("phone", PlainText, nullable=False),
    Column("began_at", Double, nullable=False),
    Index(None, "task", "number"),
    sqlite_autoincrement=True,
)
"""Hold which episodes began, so that each beginning is recorded once."""

EVENTS = Table(
    "events",
    METADATA,
    Column("id", _Number, primary_key=True, autoincrement=True),
    Column("at", Double, nullable=False),
    Column("kind", Text, nullable=False),
    Column("batch", PlainText),
    Column("task", PlainText),
    Column("phone", PlainText),
    Column("data", Text, nullable=False),
    Index(None, "kind", "id"),
    Index(None, "batch", "id"),
    Index(None, "task", "id"),
    Index(None, "phone", "id"),
    sqlite_autoincrement=True,
)

TOKENS = Table(
    "tokens",
    METADATA,
    _number(),
    Column("owner", PlainText, nullable=False),
    Column("role", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("revoked_at", Double),
    sqlite_autoincrement=True,
)
"""Hold tokens by the SHA-256 of their secrets, which are random and long: nobody can guess them from it."""

SESSIONS = Table(
    "sessions",
    METADATA,
    _number(),
    Column("token", _Number, ForeignKey(TOKENS.c.number), nullable=False),
    Column("digest", Text, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("expires_at", Double, nullable=False),
    Column("ended_at", Double),
    sqlite_autoincrement=True,
)
"""Hold the sessions of browsers, by the SHA-256 of their secrets. Those that are over are deleted."""

AUDIT = Table(
    "audit",
    METADATA,
    Column("id", _Number, primary_key=True, autoincrement=True),
    Column("at", Double, nullable=False),
    Column("owner", PlainText, nullable=False),
    Column("token", PlainText, nullable=False),
    Column("address", PlainText, nullable=False),
    Column("method", PlainText, nullable=False),
    Column("path", PlainText, nullable=False),
    Column("status", Integer, nullable=False),
    Column("times", Integer, nullable=False),
    Index(None, "owner", "id"),
    sqlite_autoincrement=True,
)
"""Hold who asked for what. Triggers let nobody change or delete a row."""

SCHEDULES = Table(
    "schedules",
    METADATA,
    _number(),
    Column("owner", PlainText, nullable=False),
    Column("name", PlainText, nullable=False),
    Column("when", PlainText, nullable=False),
    Column("zone", PlainText, nullable=False),
    Column("batch", Text, nullable=False),
    Column("deadline_s", Double),
    Column("missed", Text, nullable=False),
    Column("overlap", Text, nullable=False),
    Column("paused", Boolean, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("counted_from", Double, nullable=False),
    Column("settled_until", Double, nullable=False),
    Column("queued", Text, nullable=False),
    Column("last_due", Double),
    Column("last_batch", Text),
    Column("submitted", Integer, nullable=False),
    Column("skipped", Integer, nullable=False),
    Column("problem", PlainText),
    sqlite_autoincrement=True,
)

WEBHOOKS = Table(
    "webhooks",
    METADATA,
    _number(),
    Column("owner", PlainText, nullable=False),
    Column("url", PlainText, nullable=False),
    Column("kinds", Text, nullable=False),
    Column("tags", Text, nullable=False),
    Column("name", PlainText, nullable=False),
    Column("paused", Boolean, nullable=False),
    Column("secret", Text, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("cursor", _Number, nullable=False),
    Column("waiting", Integer, nullable=False),
    Column("dead", Integer, nullable=False),
    Column("last_delivered_at", Double),
    Column("failing_since", Double),
    Column("problem", PlainText),
    sqlite_autoincrement=True,
)
"""Hold webhooks. Their secrets must be known in full to sign with them."""

DELIVERIES = Table(
    "deliveries",
    METADATA,
    Column("webhook", _Number, ForeignKey(WEBHOOKS.c.number), primary_key=True),
    Column("event", _Number, ForeignKey(EVENTS.c.id), primary_key=True),
    Column("id", PlainText, nullable=False, unique=True),
    Column("phase", Text, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("first_attempt_at", Double),
    Column("next_attempt_at", Double),
    Column("ended_at", Double),
    Column("http_status", Integer),
    Column("problem", PlainText),
    Index(None, "webhook", "phase", "event"),
    Index(None, "webhook", "next_attempt_at", "event"),
    Index(None, "phase", "ended_at"),
)
"""Hold which events are sent to which webhooks."""
