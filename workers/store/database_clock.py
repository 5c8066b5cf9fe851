"""The database's own clock: leases of several machines are compared by one clock, whatever theirs say."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Double
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement


class now_s(FunctionElement[float]):  # noqa: N801 - reads as the SQL function that it is
    """Seconds since the epoch, a float, at the moment the statement runs."""

    type = Double()
    inherit_cache = True


@compiles(now_s, "postgresql")
def in_postgresql(element: now_s, compiler: Any, **options: Any) -> str:
    """The wall clock, not the start of the transaction."""
    del element, compiler, options
    return "extract(epoch from clock_timestamp())::float8"


@compiles(now_s, "sqlite")
def in_sqlite(element: now_s, compiler: Any, **options: Any) -> str:
    """Julian days since the epoch, in seconds."""
    del element, compiler, options
    return "((julianday('now') - 2440587.5) * 86400.0)"
