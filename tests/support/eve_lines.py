"""Lines of EVE as Suricata 7 writes them, and logs made of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from workers.agents.network.sections import SuricataSection
from workers.agents.network.source.suricata.ingestion import Progress, catch_up
from workers.agents.network.tables import ids_alerts, ids_connections, ids_logs
from workers.store.database import Database

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def eve_line(number: int, kind: str = "flow", at: datetime | None = None, **more: Any) -> bytes:
    """One line without its end. ``number``: tells lines apart, as the flow's id."""
    moment = at or NOON + timedelta(seconds=number)
    event: dict[str, Any] = {
        "timestamp": moment.strftime("%Y-%m-%dT%H:%M:%S.%f%z"),
        "flow_id": 1_000_000 + number,
        "in_iface": "eth0",
        "event_type": kind,
        "src_ip": "10.2.3.4",
        "src_port": 40_000,
        "dest_ip": "198.51.100.77",
        "dest_port": 443,
        "proto": "TCP",
        "host": "sensor-a",
    }
    if kind == "alert":
        event["alert"] = {
            "action": "allowed",
            "gid": 1,
            "signature_id": 2_850_001,
            "rev": 3,
            "signature": "ET MALWARE Observed Domain bad.example.net",
            "category": "Malware Command and Control Activity Detected",
            "severity": 1,
            "metadata": {"mitre_technique_id": ["T1071"], "mitre_tactic_name": ["Command_And_Control"]},
        }
    return json.dumps(event | more).encode()


def write_lines(path: Path, lines: Iterable[bytes], *, more: bytes = b"") -> None:
    """Append lines, then ``more`` without an end."""
    with path.open("ab") as file:
        file.write(b"".join(line + b"\n" for line in lines) + more)


def read_all(database: Database, *patterns: Path | str, **options: Any) -> Progress:
    """Catch up with logs."""
    return catch_up(database, SuricataSection(eve=tuple(map(str, patterns)), **options), 60)


def kept(database: Database) -> tuple[int, list[int]]:
    """How many alerts are kept, and the flow ids of connections, in order."""
    with database.begin() as connection:
        alerts = connection.execute(select(func.count()).select_from(ids_alerts)).scalar_one()
        flows = connection.execute(select(ids_connections.c.flow_id).order_by(ids_connections.c.flow_id))
        return alerts, [flow - 1_000_000 for flow in flows.scalars()]


def broken_lines(database: Database) -> int:
    """How many lines could not be read."""
    with database.begin() as connection:
        return int(connection.execute(select(func.sum(ids_logs.c.broken))).scalar_one() or 0)
