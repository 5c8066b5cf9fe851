"""What is kept of sensors' logs, in the database of the deployment; its migrations are those of all tables."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Double, Index, Integer, LargeBinary, String, Table, Text

from workers.store.tables import metadata

ids_logs = Table(
    "ids_logs",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("path", Text, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("modified", Double, nullable=False),
    Column("offset", BigInteger, nullable=False),
    Column("lines", BigInteger, nullable=False),
    Column("broken", BigInteger, nullable=False),
    Column("whole", Boolean, nullable=False),
    Column("read_at", Double, nullable=False),
    Column("error", Text, nullable=False),
)
"""How far each log of an intrusion detection sensor is read, in bytes as they are unpacked. ``key``: the hash of its
first line, so that a log that was renamed, copied or packed is still the same one; ``size``, ``modified``: of its file
when it was looked at; ``broken``: lines that could not be read; ``whole``: nothing more will come.
"""

ids_sensors = Table(
    "ids_sensors",
    metadata,
    Column("name", String(200), primary_key=True),
    Column("first_at", Double, nullable=False),
    Column("last_at", Double, nullable=False),
    Column("events", BigInteger, nullable=False),
    Column("ahead_s", Double, nullable=False, server_default="0"),
)
"""Who wrote the logs, and the first and last moment they wrote of; ``ahead_s``: how far their clock is before that of
the others in the same log. Moments of these tables are seconds since the epoch,
as they are reckoned with.
"""


def sighting_columns() -> tuple[Column[Any], ...]:
    """Who was seen with whom. ``src``, ``dest``: addresses of 16 bytes, IPv4 as mapped into IPv6, so that a prefix is a
    range; ``name``: the host that was asked for, by SNI, DNS or HTTP; ``vlans``: all tags, ``,30,1000,``.
    """
    return (
        Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
        Column("at", Double, nullable=False),
        Column("sensor", String(200), nullable=False),
        Column("flow_id", BigInteger, nullable=False),
        Column("src", LargeBinary(16), nullable=False),
        Column("src_port", Integer, nullable=False),
        Column("dest", LargeBinary(16), nullable=False),
        Column("dest_port", Integer, nullable=False),
        Column("proto", String(16), nullable=False),
        Column("app_proto", String(32), nullable=False),
        Column("name", String(255), nullable=False),
        Column("vlans", String(100), nullable=False, server_default=""),
    )


ids_alerts = Table(
    "ids_alerts",
    metadata,
    *sighting_columns(),
    Column("gid", BigInteger, nullable=False),
    Column("sid", BigInteger, nullable=False),
    Column("rev", BigInteger, nullable=False),
    Column("signature", Text, nullable=False),
    Column("category", Text, nullable=False),
    Column("severity", Integer, nullable=False),
    Column("action", String(16), nullable=False),
    Column("mitre", Text, nullable=False),
    Column("log", String(64), nullable=False),
    Column("line", BigInteger, nullable=False),
    Index(None, "at"),
    Index(None, "src", "at"),
    Index(None, "dest", "at"),
    Index(None, "sid", "at"),
)
"""Alerts of the sensors; ``log`` and ``line`` say where each stands."""

ids_connections = Table(
    "ids_connections",
    metadata,
    *sighting_columns(),
    Column("kind", String(16), nullable=False),
    Column("fingerprint", String(64), nullable=False),
    Column("bytes_out", BigInteger, nullable=False),
    Column("bytes_in", BigInteger, nullable=False),
    Column("reason", String(64), nullable=False, server_default=""),
    Index(None, "at"),
    Index(None, "src", "dest", "at"),
    Index(None, "dest", "at"),
)
"""Records of connections, several of one flow: ``kind`` is the type of event; ``fingerprint`` JA3, else JA4;
``reason``: why a packet was dropped, ``rules`` where a rule did it.
"""

ids_first_seen = Table(
    "ids_first_seen",
    metadata,
    Column("kind", String(16), primary_key=True),
    Column("value", String(255), primary_key=True),
    Column("host", LargeBinary(16), primary_key=True),
    Column("label", Text, nullable=False),
    Column("first_at", Double, nullable=False),
    Column("last_at", Double, nullable=False),
    Column("events", BigInteger, nullable=False),
    Index(None, "host", "first_at"),
    Index(None, "last_at"),
)
"""When a signature, destination, domain or fingerprint was seen first, on a host and, with an empty one, anywhere."""

TABLES = (ids_logs, ids_sensors, ids_alerts, ids_connections, ids_first_seen)
