"""Sums of each hour beside the raw rows, so that a week of a million requests is read at once.

An hour stands in `hours` while its sums are those of its raw rows: triggers remove it as soon as a request or a score
of that hour changes, whoever changes it, and it is read from the raw rows until `hourly_refresh` comes by.
Latencies are kept one by one (little-endian float64), because percentiles cannot be added up.
"""

from __future__ import annotations

from sqlalchemy import Column, Connection, Double, Index, Integer, LargeBinary, MetaData, String, Table, inspect

from workers.agents.operations.source.tables import ID, metadata
from workers.store.tables import UtcDateTime

LATENCY = "<f8"
"""How a latency is kept, as numpy names it."""

sums = MetaData(naming_convention=metadata.naming_convention)

hours = Table("hourly", sums, Column("hour", UtcDateTime, primary_key=True))

deployment_hours = Table(
    "hourly_deployments",
    sums,
    Column("hour", UtcDateTime, primary_key=True),
    Column("deployment_id", String(ID), primary_key=True),
    Column("request_count", Integer, nullable=False),
    Column("error_count", Integer, nullable=False),
    Column("timeout_count", Integer, nullable=False),
    Column("cost_usd", Double, nullable=False),
    Column("latencies", LargeBinary, nullable=False),
)

user_hours = Table(
    "hourly_users",
    sums,
    Column("hour", UtcDateTime, primary_key=True),
    Column("user_id", String(ID), primary_key=True),
    Column("request_count", Integer, nullable=False),
    Column("cost_usd", Double, nullable=False),
)

quality_hours = Table(
    "hourly_quality",
    sums,
    Column("hour", UtcDateTime, primary_key=True),
    Column("model_id", String(ID), primary_key=True),
    Column("task_type", String(ID), primary_key=True),
    Column("sample_count", Integer, nullable=False),
    Column("score_sum", Double, nullable=False),
    Column("score_max", Double, nullable=False),
    Column("score_min", Double, nullable=False),
    Column("lowest_request_id", String(ID), nullable=False),
    Column("lowest_at", UtcDateTime, nullable=False),
    Index(None, "model_id", "hour"),
)

SUMS = (deployment_hours, user_hours, quality_hours)

WATCHED = ("requests", "quality_scores")
EVENTS = ("insert", "update", "delete")
SQLITE = """
create trigger {table}_{event} after {event} on {table} begin
  delete from hourly where hour in ({moments});
end
"""
SQLITE_HOUR = "substr({moment}, 1, 13) || ':00:00.000000'"

POSTGRESQL_FUNCTION = """
create or replace function {table}_changed() returns trigger language plpgsql security definer
set search_path from current as $$
begin
  if tg_op in ('INSERT', 'UPDATE') then
    delete from hourly where hour in (select date_trunc('hour', r.created_at, 'UTC') from {new});
  end if;
  if tg_op in ('UPDATE', 'DELETE') then
    delete from hourly where hour in (select date_trunc('hour', r.created_at, 'UTC') from {old});
  end if;
  if tg_op = 'TRUNCATE' then
    delete from hourly;
  end if;
  return null;
end $$
"""
POSTGRESQL = """
create trigger {table}_{event} after {event} on {table} {rows} for each statement execute function {table}_changed()
"""
TRANSITIONS = {
    "insert": "referencing new table as new_rows",
    "update": "referencing new table as new_rows old table as old_rows",
    "delete": "referencing old table as old_rows",
    "truncate": "",
}


def create_sums(connection: Connection) -> None:
    """Make the tables and the triggers that are missing."""
    if inspect(connection).has_table(hours.name):
        return
    sums.create_all(connection)
    create_triggers(connection)


def create_triggers(connection: Connection) -> None:
    """From now on an hour whose rows change is no longer summed up."""
    make = sqlite_triggers if connection.dialect.name == "sqlite" else postgresql_triggers
    for statement in make():
        connection.exec_driver_sql(statement)


def drop_triggers(connection: Connection) -> None:
    """Put SQLite's triggers aside while no hour is summed up: they run once a row."""
    for table in WATCHED:
        for event in EVENTS:
            connection.exec_driver_sql(f"drop trigger {table}_{event}")


def sqlite_triggers() -> list[str]:
    """One a table and event."""
    moments = {
        "requests": "{row}.created_at",
        "quality_scores": "(select created_at from requests where id = {row}.request_id)",
    }
    rows = dict(zip(EVENTS, (["new"], ["new", "old"], ["old"]), strict=True))
    return [
        SQLITE.format(
            table=table,
            event=event,
            moments=", ".join(SQLITE_HOUR.format(moment=moment.format(row=row)) for row in changed),
        )
        for table, moment in moments.items()
        for event, changed in rows.items()
    ]


def postgresql_triggers() -> list[str]:
    """A function for each table, and one trigger an event."""
    sources = {
        "requests": "{rows} r",
        "quality_scores": "{rows} s join requests r on r.id = s.request_id",
    }
    functions = [
        POSTGRESQL_FUNCTION.format(table=table, new=source.format(rows="new_rows"), old=source.format(rows="old_rows"))
        for table, source in sources.items()
    ]
    triggers = [
        POSTGRESQL.format(table=table, event=event, rows=rows)
        for table in sources
        for event, rows in TRANSITIONS.items()
    ]
    return [*functions, *triggers]
