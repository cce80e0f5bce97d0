"""Keep the sessions of browsers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "r0005"
down_revision: str | None = "r0004"
_number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "sessions",
        sa.Column("number", _number, autoincrement=True, nullable=False),
        sa.Column("token", _number, nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=False),
        sa.Column("ended_at", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["token"], ["tokens.number"], name=op.f("fk_sessions_token")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_sessions")),
        sqlite_autoincrement=True,
    )
