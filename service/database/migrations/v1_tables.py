"""Make all tables of version 1. Nobody may change what the audit log has."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "v1"
down_revision: str | None = None
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
    _make_work()
    _make_access()


def _make_work() -> None:
    """Make the tables of batches, tasks, episodes and events."""
    op.create_table(
        "batches",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("tags", sa.Text(), nullable=False),
        sa.Column("phase", sa.Text(), nullable=False),
        sa.Column("submitted_at", sa.Double(), nullable=False),
        sa.Column("ended_at", sa.Double(), nullable=True),
        sa.Column("deadline", sa.Double(), nullable=True),
        sa.Column("deadline_warning", sa.Text(), nullable=True),
        sa.Column("phones", sa.Text(), nullable=False),
        sa.Column("schedule", sa.Text(), nullable=True),
        sa.Column("run", sa.Text(), nullable=True),
        sa.Column("key", sa.Text(), nullable=True),
        sa.Column("digest", sa.Text(), nullable=True),
        sa.Column("tasks", sa.Integer(), nullable=False),
        sa.Column("waiting", sa.Integer(), nullable=False),
        sa.Column("running", sa.Integer(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("failed", sa.Integer(), nullable=False),
        sa.Column("cancelled", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("retried", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("is_moved", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.CheckConstraint("tasks = waiting + running + done + failed", name=op.f("ck_batches_counts")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_batches")),
        sa.UniqueConstraint("owner", "key", name=op.f("uq_batches_owner_key")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_batches_owner_number"), "batches", ["owner", "number"])
    op.create_index(op.f("ix_batches_owner_phase_number"), "batches", ["owner", "phase", "number"])
    op.create_index(op.f("ix_batches_phase_deadline"), "batches", ["phase", "deadline"])
    op.create_index(op.f("ix_batches_phase_number"), "batches", ["phase", "number"])
    op.create_index(op.f("ix_batches_schedule_number"), "batches", ["schedule", "number"])
    op.create_table(
        "batch_tags",
        sa.Column("tag", sa.Text(), nullable=False),
        sa.Column("batch", _NUMBER, nullable=False),
        sa.ForeignKeyConstraint(["batch"], ["batches.number"], name=op.f("fk_batch_tags_batch")),
        sa.PrimaryKeyConstraint("tag", "batch", name=op.f("pk_batch_tags")),
    )
    op.create_table(
        "handovers",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("batch", _NUMBER, nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["batch"], ["batches.number"], name=op.f("fk_handovers_batch")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_handovers")),
        sa.UniqueConstraint("id", name=op.f("uq_handovers_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_handovers_batch_number"), "handovers", ["batch", "number"])
    op.create_index(op.f("ix_handovers_state_number"), "handovers", ["state", "number"])
    op.create_table(
        "tasks",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("batch", _NUMBER, nullable=False),
        sa.Column("handover", _NUMBER, nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("goal", sa.Text(), nullable=False),
        sa.Column("spec", sa.Text(), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("tags", sa.Text(), nullable=False),
        sa.Column("phase", sa.Text(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("retry", sa.Integer(), nullable=False),
        sa.Column("retry_of", sa.Text(), nullable=True),
        sa.Column("cancelled_at", sa.Double(), nullable=True),
        sa.Column("cancel_reason", sa.Text(), nullable=True),
        sa.Column("phone", sa.Text(), nullable=True),
        sa.Column("episode", sa.Text(), nullable=True),
        sa.Column("step", sa.Integer(), nullable=True),
        sa.Column("doing", sa.Text(), nullable=True),
        sa.Column("started_at", sa.Double(), nullable=True),
        sa.Column("ended_at", sa.Double(), nullable=True),
        sa.Column("ending", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("is_done", sa.Boolean(), nullable=True),
        sa.Column("verified", sa.Boolean(), nullable=True),
        sa.Column("verified_by", sa.Text(), nullable=True),
        sa.Column("unmet", sa.Text(), nullable=True),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("answer_data", sa.Text(), nullable=True),
        sa.Column("steps", sa.Integer(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.CheckConstraint("(phase = 'ended') = (ending IS NOT NULL)", name=op.f("ck_tasks_result")),
        sa.ForeignKeyConstraint(["batch"], ["batches.number"], name=op.f("fk_tasks_batch")),
        sa.ForeignKeyConstraint(["handover"], ["handovers.number"], name=op.f("fk_tasks_handover")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_tasks")),
        sa.UniqueConstraint("id", name=op.f("uq_tasks_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_tasks_batch_number"), "tasks", ["batch", "number"])
    op.create_index(op.f("ix_tasks_batch_phase_number"), "tasks", ["batch", "phase", "number"])
    op.create_index(op.f("ix_tasks_ending_number"), "tasks", ["ending", "number"])
    op.create_index(op.f("ix_tasks_handover_number"), "tasks", ["handover", "number"])
    op.create_index(op.f("ix_tasks_is_done_number"), "tasks", ["is_done", "number"])
    op.create_index(op.f("ix_tasks_origin_retry"), "tasks", ["origin", "retry"])
    op.create_index(op.f("ix_tasks_owner_number"), "tasks", ["owner", "number"])
    op.create_index(op.f("ix_tasks_owner_phase_number"), "tasks", ["owner", "phase", "number"])
    op.create_index(op.f("ix_tasks_phase_cancelled_at"), "tasks", ["phase", "cancelled_at"])
    op.create_index(op.f("ix_tasks_phase_number"), "tasks", ["phase", "number"])
    op.create_index(op.f("ix_tasks_phone_number"), "tasks", ["phone", "number"])
    op.create_table(
        "task_tags",
        sa.Column("tag", sa.Text(), nullable=False),
        sa.Column("task", _NUMBER, nullable=False),
        sa.ForeignKeyConstraint(["task"], ["tasks.number"], name=op.f("fk_task_tags_task")),
        sa.PrimaryKeyConstraint("tag", "task", name=op.f("pk_task_tags")),
    )
    op.create_table(
        "episodes",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("task", _NUMBER, nullable=False),
        sa.Column("phone", sa.Text(), nullable=False),
        sa.Column("began_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["task"], ["tasks.number"], name=op.f("fk_episodes_task")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_episodes")),
        sa.UniqueConstraint("id", name=op.f("uq_episodes_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_episodes_task_number"), "episodes", ["task", "number"])
    op.create_table(
        "events",
        sa.Column("id", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("batch", sa.Text(), nullable=True),
        sa.Column("task", sa.Text(), nullable=True),
        sa.Column("phone", sa.Text(), nullable=True),
        sa.Column("data", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_events_batch_id"), "events", ["batch", "id"])
    op.create_index(op.f("ix_events_kind_id"), "events", ["kind", "id"])
    op.create_index(op.f("ix_events_phone_id"), "events", ["phone", "id"])
    op.create_index(op.f("ix_events_task_id"), "events", ["task", "id"])


def _make_access() -> None:
    """Make the tables of tokens, sessions, audit, schedules, webhooks and dismissed failures."""
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
    op.create_table(
        "sessions",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("token", _NUMBER, nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=False),
        sa.Column("ended_at", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["token"], ["tokens.number"], name=op.f("fk_sessions_token")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_sessions")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "dismissals",
        sa.Column("task", _NUMBER, nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["task"], ["tasks.number"], name=op.f("fk_dismissals_task")),
        sa.PrimaryKeyConstraint("task", name=op.f("pk_dismissals")),
    )
    guards = _POSTGRESQL_GUARDS if op.get_context().dialect.name == "postgresql" else _SQLITE_GUARDS
    for statement in guards.strip().split(";\n"):
        op.execute(statement)
