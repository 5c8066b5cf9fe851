"""A small database with known rows, and one of the invented team."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

from sqlalchemy import insert

from workers.agents.operations.source import tables
from workers.agents.operations.source.bulk_insert import make_tables
from workers.agents.operations.source.database import open_reading, open_writing
from workers.agents.operations.source.reader import Reader
from workers.store.database import Database

NOW = datetime(2026, 5, 4, 12, 30, tzinfo=UTC)
HOUR = timedelta(hours=1)
DEPLOYMENTS = (("owl", "north"), ("owl", "south"), ("finch", "north"))


def request(number: int, at: datetime, **changes: Any) -> dict[str, Any]:
    """One request of owl/north by ann."""
    row = {
        "id": f"r{number}",
        "created_at": at,
        "user_id": "ann",
        "deployment_id": "owl/north",
        "task_type": "chat",
        "input_tokens": 10,
        "output_tokens": 20,
        "latency_ms": 100.0,
        "cost_usd": 0.25,
        "status": "success",
        **changes,
    }
    model, backend = row["deployment_id"].split("/")
    return {"model_id": model, "backend_id": backend, **row}


def add(database: Database, table: str, *rows: dict[str, Any]) -> None:
    """Insert rows as another program would."""
    with database.begin() as connection:
        for row in rows:
            connection.execute(insert(tables.metadata.tables[table]), row)


def make(address: str) -> Database:
    """The tables, with a team of three deployments and two users, and no request."""
    database = open_writing(address)
    with database.begin(exclusive=True) as connection:
        make_tables(connection)
    flags = {"supports_streaming": True, "supports_tools": True, "supports_json_mode": False}
    add(database, "models", *({"id": m, "provider": "p", "max_context_tokens": 9, **flags} for m in ("owl", "finch")))
    places = ("north", "south")
    add(database, "backends", *({"id": b, "provider": "p", "region": "r", "backend_type": "vllm"} for b in places))
    add(
        database,
        "deployments",
        *(
            {"id": f"{m}/{b}", "model_id": m, "backend_id": b, "enabled": True, "weight": 1.0, "created_at": NOW}
            for m, b in DEPLOYMENTS
        ),
    )
    rates = {"sla_window_sec": 300, "max_error_rate": 0.1, "max_timeout_rate": 0.1}
    slas = (("premium", 500.0), ("standard", 900.0), ("budget", 1500.0))
    add(database, "tiers", *({"id": name, "latency_sla_p95_ms": sla, **rates} for name, sla in slas))
    add(
        database,
        "users",
        {"id": "ann", "tier_id": "premium", "daily_budget_usd": 10.0, "latency_sla_override_ms": 450.0},
        {"id": "bob", "tier_id": "budget", "daily_budget_usd": 1.0},
    )
    return database


@contextmanager
def reading(address: str, now: datetime = NOW, zone: tzinfo = UTC) -> Iterator[Reader]:
    """A reader of a database, closed at the end."""
    database = open_reading(address)
    try:
        yield Reader(database, now, zone)
    finally:
        database.close()


def sqlite_address(folder: Path) -> str:
    """A new file."""
    return f"sqlite:///{folder / 'context.db'}"
