"""Keep whose word decided the check of a task: the phone's, or a judge's."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "r0003"
down_revision: str | None = "r0002"


def upgrade() -> None:
    """Add the column. The tasks of older services were decided by the phone."""
    op.add_column("tasks", sa.Column("verified_by", sa.Text(), nullable=True))
    op.execute("UPDATE tasks SET verified_by = 'phone' WHERE verified IS NOT NULL")
