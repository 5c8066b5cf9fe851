"""When an alert was last told of."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Those told of before count as told of now, so that none that still fires is lost until it is repeated."""
    op.add_column("alerts", sa.Column("last_told", sa.DateTime(timezone=True), nullable=True))
    op.execute(sa.text("update alerts set last_told = current_timestamp"))
    with op.batch_alter_table("alerts") as table:
        table.alter_column("last_told", existing_type=sa.DateTime(timezone=True), nullable=False)
