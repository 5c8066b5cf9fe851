"""What an entry of the timeline said when people corrected it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Create the column."""
    op.add_column("incident_corrections", sa.Column("was", sa.Text(), nullable=False, server_default=""))
