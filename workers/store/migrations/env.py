"""Runs the migrations on the connection that `workers.store.migrate` holds."""

from __future__ import annotations

from alembic import context

from workers.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"], target_metadata=metadata, transaction_per_migration=False
)
context.run_migrations()
