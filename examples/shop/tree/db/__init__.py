"""Databases: connection pools, queries that are timed, migrations."""
