"""Count tasks that were cancelled, and tasks with a later try, apart from those that failed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "r0004"
down_revision: str | None = "r0003"

_FAILED = "SELECT count(*) FROM tasks WHERE tasks.batch = batches.number AND NOT tasks.is_done"
_LATER = "EXISTS (SELECT 1 FROM tasks AS later WHERE later.origin = tasks.origin AND later.retry > tasks.retry)"


def upgrade() -> None:
    """Add the columns, and count the failed tasks of all batches."""
    for name in ("cancelled", "retried"):
        op.add_column("batches", sa.Column(name, sa.Integer(), nullable=False, server_default="0"))
    op.execute(
        f"UPDATE batches SET retried = ({_FAILED} AND {_LATER}), "
        f"cancelled = ({_FAILED} AND tasks.ending = 'cancelled' AND NOT {_LATER})"
    )
