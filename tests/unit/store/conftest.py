"""A store of its own for every test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.request_logs import unchanged
from tests.support.tables import sqlite_tables
from workers.store.request_logs import SqlStore, open_store


@pytest.fixture
def address(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/state/deep/oracle.db"


@pytest.fixture
def prepared(address: str) -> str:
    """The address of a database with today's tables, all empty."""
    path = Path(address.removeprefix("sqlite:///"))
    path.parent.mkdir(parents=True)
    return sqlite_tables(path)


@pytest.fixture
def store(prepared: str) -> Iterator[SqlStore]:
    opened = open_store(prepared, unchanged)
    yield opened
    opened.database.close()
