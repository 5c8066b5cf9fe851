"""What the last refresh said of each source, and when each was last read without an error."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import delete, func, select

from workers.store.database import Database
from workers.store.kept_answers import forget_all
from workers.store.request_logs import insert, storable
from workers.store.tables import sources


@dataclass(frozen=True)
class Source:
    """What a tool reads.

    ``lines``: one a repository or folder, and whether that one was read; ``ok``: all of them were; ``fresh_at``: when
    all of them last were, None when they never were.
    """

    name: str
    lines: tuple[tuple[str, bool], ...]
    ok: bool
    checked_at: datetime
    fresh_at: datetime | None


def record_sources(
    database: Database, said: Iterable[tuple[str, str, bool]], *, at: datetime | None = None
) -> tuple[str, ...]:
    """Keep what a whole refresh said; a source that it did not name is no longer one.

    Args:
        database: with tables of today's version.
        said: tool, a line on one of its sources, whether it went well; several lines of a tool are kept together, and
            it went well when all of them did.
        at: aware; now when not given.

    Returns: the names that are kept, sorted.

    Raises:
        StoreUnavailable: the database cannot be reached.
    """
    now = at or datetime.now(UTC)
    lines: dict[str, list[tuple[str, bool]]] = {}
    for name, line, ok in said:
        lines.setdefault(storable(name)[:200], []).append((storable(line), ok))
    rows = [
        {
            "name": name,
            "line": json.dumps(found, ensure_ascii=False),
            "ok": all(ok for _, ok in found),
            "checked_at": now,
            "fresh_at": now if all(ok for _, ok in found) else None,
        }
        for name, found in sorted(lines.items())
    ]
    with database.begin(exclusive=True) as connection:
        before = {row.name: row.line for row in connection.execute(select(sources.c.name, sources.c.line))}
        if before != {row["name"]: row["line"] for row in rows}:
            forget_all(connection)  # an index holds something else by now
        connection.execute(delete(sources).where(sources.c.name.not_in([row["name"] for row in rows])))
        for row in rows:
            statement = insert(connection, sources).values(row)
            new = {name: statement.excluded[name] for name in ("line", "ok", "checked_at")}
            fresh = func.coalesce(statement.excluded.fresh_at, sources.c.fresh_at)
            connection.execute(
                statement.on_conflict_do_update(index_elements=["name"], set_={**new, "fresh_at": fresh})
            )
    return tuple(sorted(lines))


def list_sources(database: Database) -> tuple[Source, ...]:
    """Every source, by name. Raises: StoreUnavailable."""
    with database.begin() as connection:
        rows = connection.execute(select(sources).order_by(sources.c.name)).mappings().all()
    return tuple(
        Source(
            name=row["name"],
            lines=tuple((line, ok) for line, ok in json.loads(row["line"])),
            ok=row["ok"],
            checked_at=row["checked_at"],
            fresh_at=row["fresh_at"],
        )
        for row in rows
    )
