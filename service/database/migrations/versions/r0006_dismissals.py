"""Keep which failures people have dismissed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "r0006"
down_revision: str | None = "r0005"
_number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "dismissals",
        sa.Column("task", _number, nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["task"], ["tasks.number"], name=op.f("fk_dismissals_task")),
        sa.PrimaryKeyConstraint("task", name=op.f("pk_dismissals")),
    )
