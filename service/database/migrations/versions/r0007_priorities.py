"""Note which batches had their priority changed after they were submitted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "r0007"
down_revision: str | None = "r0006"


def upgrade() -> None:
    """Add the column."""
    op.add_column("batches", sa.Column("is_moved", sa.Boolean(), nullable=False, server_default=sa.false()))
