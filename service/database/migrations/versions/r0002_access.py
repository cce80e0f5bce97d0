"""Make the tables of tokens, audit, schedules and webhooks. Nobody may change what the audit log has."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "r0002"
down_revision: str | None = "r0001"
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

_SQLITE_GUARDS = """
CREATE TRIGGER audit_keeps_entries BEFORE UPDATE ON audit
  BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_keeps_all BEFORE DELETE ON audit
  BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
"""
_POSTGRESQL_GUARDS = """
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$;
CREATE TRIGGER audit_keeps_entries BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
"""


def upgrade() -> None:
    """Make them."""
    op.create_table(
        "tokens",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("revoked_at", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_tokens")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "audit",
        sa.Column("id", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("method", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_audit_owner_id"), "audit", ["owner", "id"])
    op.create_table(
        "schedules",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("when", sa.Text(), nullable=False),
        sa.Column("zone", sa.Text(), nullable=False),
        sa.Column("batch", sa.Text(), nullable=False),
        sa.Column("deadline_s", sa.Double(), nullable=True),
        sa.Column("missed", sa.Text(), nullable=False),
        sa.Column("overlap", sa.Text(), nullable=False),
        sa.Column("paused", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("counted_from", sa.Double(), nullable=False),
        sa.Column("settled_until", sa.Double(), nullable=False),
        sa.Column("queued", sa.Text(), nullable=False),
        sa.Column("last_due", sa.Double(), nullable=True),
        sa.Column("last_batch", sa.Text(), nullable=True),
        sa.Column("submitted", sa.Integer(), nullable=False),
        sa.Column("skipped", sa.Integer(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_schedules")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "webhooks",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("kinds", sa.Text(), nullable=False),
        sa.Column("tags", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("paused", sa.Boolean(), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("cursor", _NUMBER, nullable=False),
        sa.Column("waiting", sa.Integer(), nullable=False),
        sa.Column("dead", sa.Integer(), nullable=False),
        sa.Column("last_delivered_at", sa.Double(), nullable=True),
        sa.Column("failing_since", sa.Double(), nullable=True),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_webhooks")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "deliveries",
        sa.Column("webhook", _NUMBER, nullable=False),
        sa.Column("event", _NUMBER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("phase", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("first_attempt_at", sa.Double(), nullable=True),
        sa.Column("next_attempt_at", sa.Double(), nullable=True),
        sa.Column("ended_at", sa.Double(), nullable=True),
        sa.Column("http_status", sa.Integer(), nullable=True),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["event"], ["events.id"], name=op.f("fk_deliveries_event")),
        sa.ForeignKeyConstraint(["webhook"], ["webhooks.number"], name=op.f("fk_deliveries_webhook")),
        sa.PrimaryKeyConstraint("webhook", "event", name=op.f("pk_deliveries")),
        sa.UniqueConstraint("id", name=op.f("uq_deliveries_id")),
    )
    op.create_index(op.f("ix_deliveries_phase_ended_at"), "deliveries", ["phase", "ended_at"])
    op.create_index(
        op.f("ix_deliveries_webhook_next_attempt_at_event"), "deliveries", ["webhook", "next_attempt_at", "event"]
    )
    op.create_index(op.f("ix_deliveries_webhook_phase_event"), "deliveries", ["webhook", "phase", "event"])
    guards = _POSTGRESQL_GUARDS if op.get_context().dialect.name == "postgresql" else _SQLITE_GUARDS
    for statement in guards.strip().split(";\n"):
        op.execute(statement)
