"""Alembic's environment and the migrations, oldest first."""
