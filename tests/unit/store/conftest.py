"""A store of its own for every test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.request_logs import unchanged
from workers.store.request_logs import SqlStore, open_store


@pytest.fixture
def address(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/state/deep/oracle.db"


@pytest.fixture
def store(address: str) -> Iterator[SqlStore]:
    opened = open_store(address, unchanged)
    yield opened
    opened.database.close()
