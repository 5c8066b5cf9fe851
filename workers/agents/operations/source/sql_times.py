"""Moments that stand as texts in a query, written as the database keeps them."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from sqlglot import exp

from workers.agents.operations.source.sql_allowlist import TABLES, Dialect
from workers.agents.operations.source.tables import metadata
from workers.errors import ToolArgumentError
from workers.store.tables import UtcDateTime

DAY, CLOCK, OFFSET = r"\d{4}-\d\d-\d\d", r"\d\d:\d\d(?::\d\d(?:\.\d+)?)?", r"(?:Z|[+-]\d\d:\d\d)"
MOMENT = re.compile(rf"{DAY}(?:T{CLOCK}{OFFSET}?| {CLOCK}{OFFSET})", re.IGNORECASE | re.ASCII)
"""RFC 3339, also without seconds; one of T and an offset is enough."""
OWN_FORM = re.compile(r"%[FdY].?T", re.ASCII)
"""A format of ``strftime`` that itself writes texts with a T."""
IN_SECONDS = frozenset({"datetime", "TsOrDsToTimestamp", "CurrentTimestamp"})
"""SQLite's functions of moments, whose texts end with the second."""
COLUMNS = frozenset(c.name for t in TABLES for c in metadata.tables[t].columns if isinstance(c.type, UtcDateTime))
"""Those that hold moments."""


def store_times(tree: exp.Query, dialect: Dialect) -> None:
    """On SQLite, where moments are texts in UTC, write RFC 3339 as they are written: as texts, ``2026-11-20T10:00:00Z``
    is later than all of its day. PostgreSQL reads RFC 3339 itself.

    Raises:
        ToolArgumentError: a moment does not exist.
    """
    if dialect != "sqlite":
        return
    nodes = list(tree.walk())
    makes_its_own = any(isinstance(n, exp.TimeToStr) and OWN_FORM.search(n.sql(dialect="sqlite")) for n in nodes)
    stay = {n.alias.lower() for n in nodes if isinstance(n, exp.Alias)} if makes_its_own else set()
    for node in nodes:
        if isinstance(node, exp.Literal) and node.is_string and MOMENT.fullmatch(node.name):
            around = list(node.parent.iter_expressions()) if node.parent else []
            held = any(isinstance(n, exp.Column) and n.name.lower() in COLUMNS - stay for n in around)
            if held or not makes_its_own:
                node.replace(exp.Literal.string(stored(node.name, seconds=any(map(ends_with_second, around)))))


def ends_with_second(node: exp.Expr) -> bool:
    """Whether it is what SQLite's ``datetime`` makes."""
    name = node.name.lower() if isinstance(node, exp.Anonymous) else type(node).__name__
    return name in IN_SECONDS


def stored(text: str, *, seconds: bool) -> str:
    """The moment in UTC as SQLite keeps it, or in whole seconds. Raises: ToolArgumentError: it does not exist."""
    try:
        moment = datetime.fromisoformat(text.upper())
        moment = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ToolArgumentError(f"{text!r} is not a time that exists") from error
    return moment.replace(tzinfo=None).isoformat(" ", "seconds" if seconds else "microseconds")
