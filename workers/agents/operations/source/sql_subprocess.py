"""One query on an SQLite file, in a process of its own: standard library only, run by its path, one JSON object in and
one out. What SQLite cannot interrupt or bound (one long call, a sort in memory) ends with the process.
"""

from __future__ import annotations

import json
import resource
import sqlite3
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import quote

MEMORY_BYTES = 512 * 1024 * 1024
PAGES_KIB = 65_536
STEPS = 2_000
CELL_CHARS = 2_000
RESULT_CHARS = 200_000
LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 1_000_000,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 100_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 300,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 500,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 50,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 250_000,
    sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 50,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 500,
    sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 0,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}


def open_guarded(
    path: str, tables: Mapping[str, Sequence[str]], withs: Sequence[str], functions: Sequence[str], deadline: float
) -> sqlite3.Connection:
    """A connection that can do nothing but read these columns with these functions until the deadline.

    Args:
        path: the file; it is not created.
        tables: columns by table.
        withs: names that the query gives to parts of itself.
        functions: SQLite's names.
        deadline: of `time.monotonic`.

    Raises:
        sqlite3.Error: the file cannot be opened.
    """
    connection = sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, isolation_level=None, timeout=1)
    connection.execute("pragma query_only=on")
    connection.execute("pragma trusted_schema=off")
    connection.execute("pragma cell_size_check=on")
    connection.execute("pragma temp_store=memory")
    connection.execute(f"pragma cache_size=-{PAGES_KIB}")
    if hasattr(connection, "enable_load_extension"):  # off by default, and not in every Python
        connection.enable_load_extension(False)
    for limit, value in LIMITS.items():
        connection.setlimit(limit, value)
    connection.set_progress_handler(lambda: int(time.monotonic() > deadline), STEPS)
    connection.set_authorizer(make_authorizer(tables, withs, functions))
    return connection


def make_authorizer(
    tables: Mapping[str, Sequence[str]], withs: Sequence[str], functions: Sequence[str]
) -> Callable[..., int]:
    """SQLite's own check of each action a statement takes: whatever is not listed is denied."""
    columns = {table: {c.lower() for c in names} for table, names in tables.items()}
    callable_ = frozenset(functions)

    def authorize(action: int, first: str | None, second: str | None, database: str | None, _: str | None) -> int:
        if action == sqlite3.SQLITE_SELECT:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in callable_:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ and database in {"main", None}:
            name, column = (first or "").lower(), (second or "").lower()
            # without a column: the rows are only counted
            if column in columns.get(name, ()) or (not column and (name in columns or name in withs)):
                return sqlite3.SQLITE_OK
        return sqlite3.SQLITE_DENY

    return authorize


def trim(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Rows with cells of at most `CELL_CHARS`, as many of them as fit `RESULT_CHARS`."""
    kept: list[list[Any]] = []
    size = 0
    for row in rows:
        cells = [cut(cell) for cell in row]
        size += len(json.dumps(cells, default=str))
        if size > RESULT_CHARS:
            break
        kept.append(cells)
    return kept


def cut(cell: Any) -> Any:
    """A cell: long texts end in an ellipsis, bytes are only counted."""
    if isinstance(cell, bytes):
        return f"{len(cell)} bytes"
    if isinstance(cell, str) and len(cell) > CELL_CHARS:
        return f"{cell[: CELL_CHARS - 1]}…"
    return cell


def answer(job: Mapping[str, Any]) -> dict[str, Any]:
    """Run the job's query.

    Args:
        job: path, sql, tables, withs, functions, max_rows, seconds.

    Returns: columns and rows, with ``more`` when some were left out; or ``error``, and ``late`` when time ran out.
    """
    deadline = time.monotonic() + float(job["seconds"])
    try:
        connection = open_guarded(job["path"], job["tables"], job["withs"], job["functions"], deadline)
        cursor = connection.execute(job["sql"])
        found = cursor.fetchmany(job["max_rows"] + 1)
    except sqlite3.Error as error:
        return {"error": str(error) or type(error).__name__, "late": "interrupted" in str(error)}
    except MemoryError:
        return {"error": "out of memory"}
    rows = trim(found[: job["max_rows"]])
    return {"columns": [d[0] for d in cursor.description], "rows": rows, "more": len(found) > len(rows)}


def main() -> None:
    """Read one job, write its answer."""
    job = json.load(sys.stdin)
    with suppress(OSError, ValueError):  # not every system bounds memory; the deadline holds without it
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        seconds = int(job["seconds"]) + 2
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    json.dump(answer(job), sys.stdout)


if __name__ == "__main__":
    main()
