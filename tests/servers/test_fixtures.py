"""The servers that other tests rely on really start with what they are given."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import httpx
import psycopg
import pytest

pytestmark = pytest.mark.servers


def test_prometheus_holds_the_samples(prometheus: Callable[..., str], tmp_path: Path) -> None:
    samples = tmp_path / "samples.txt"
    samples.write_text('# TYPE up gauge\nup{job="a"} 1 1760000000\nup{job="a"} 3 1760000060\n# EOF\n')
    address = prometheus(samples)
    answer = httpx.get(f"{address}/api/v1/query", params={"query": "up", "time": 1760000060}).json()
    assert answer["data"]["result"][0]["value"] == [1760000060, "3"]


def test_postgresql_databases_are_separate(postgresql: str, postgresql_server: str) -> None:
    with psycopg.connect(postgresql) as connection:
        connection.execute("create table t (x int)")
    with psycopg.connect(f"{postgresql_server}/postgres") as connection:
        assert connection.execute("select to_regclass('t')").fetchone() == (None,)
