"""Runs the migrations on the connection that `workers.store.migrate` holds."""

from __future__ import annotations

from alembic import context

from workers.store.all_tables import load_all_tables

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=load_all_tables(),
    transaction_per_migration=False,
)
context.run_migrations()
