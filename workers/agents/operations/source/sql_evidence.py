"""Rows as evidence: what a column holds is told by its name.

Summary: title ``query result``, locator ``context://sql/HASH``, excerpt the SQL that ran; facts row_count (count),
has_more (``yes``/``no``). Then one for each of the first `MOST` rows: title ``row N of the query``, locator
``context://sql/HASH#row-N``, a fact for each column that is not null:

============================================  ==============================================
``*_ms``                                      ``s``: the value divided by 1000
``*_sec``, ``*_seconds``, ``*_s``             ``s``; not ``*_per_sec``
``*_rate``, ``*_ratio``, ``*_share``, score   ``ratio``, when between 0 and 1
``*_pct``, ``*_percent``                      ``percent``
``*_bytes``                                   ``bytes``
other numbers                                 ``count``
moments (``2026-11-21T10:00:00Z``)            ``time``
everything else                               ``text``
============================================  ==============================================

``entity``: the row's id, else its first text, else empty.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from workers.agents.operations.source.sql_run import Rows
from workers.contracts import Evidence, Fact

MOST = 31  # a month by day
CHARS = 200
RATIO = re.compile(r"(?:^|_)(?:rate|ratio|share|score|fraction)(?:_|$)")
PER_SECOND = re.compile(r"_per_s(?:ec(?:onds?)?)?$")
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")


def row_evidence(sql: str, result: Rows) -> tuple[Evidence, ...]:
    """The summary, then the first rows."""
    locator = f"context://sql/{hashlib.sha256(sql.encode()).hexdigest()[:12]}"
    facts = {
        "row_count": Fact(value=len(result.rows), unit="count", entity="query"),
        "has_more": Fact(value="yes" if result.has_more else "no", entity="query"),
    }
    summary = Evidence(kind="row", title="query result", locator=locator, excerpt=sql, facts=facts)
    rows = (one_row(locator, i, row) for i, row in enumerate(result.rows[:MOST], 1))
    return (summary, *rows)


def one_row(locator: str, number: int, row: Mapping[str, Any]) -> Evidence:
    """One row."""
    entity = entity_of(row)
    facts: dict[str, Fact] = {}
    for column, value in row.items():
        if value is None:
            continue
        name = fact_name(column)
        while name in facts:
            name += "_"
        shown, unit = read_value(name, value)
        facts[name] = Fact(value=shown, unit=unit, entity=entity)
    excerpt = " · ".join(f"{column}: {value}" for column, value in row.items())
    return Evidence(
        kind="row",
        title=f"row {number} of the query",
        locator=f"{locator}#row-{number}",
        excerpt=excerpt[:1_000],
        facts=facts,
    )


def fact_name(column: str) -> str:
    """A column's name as a fact's: ``avg(latency_ms)`` -> ``avg_latency_ms``."""
    name = re.sub(r"\W+", "_", column.lower()).strip("_")
    return name if name and not name[0].isdigit() else f"column_{name}".rstrip("_")


def entity_of(row: Mapping[str, Any]) -> str:
    """Whose values a row holds."""
    texts = {c.lower(): v for c, v in row.items() if isinstance(v, str) and v and not MOMENT.fullmatch(v)}
    ids = [v for c, v in texts.items() if c == "id"] or [v for c, v in texts.items() if c.endswith("id")]
    return (ids or [*texts.values(), ""])[0][:CHARS]


def read_value(name: str, value: str | float | bool) -> tuple[str | float, str]:
    """A cell's value and unit."""
    if isinstance(value, bool):
        return ("yes" if value else "no"), "text"
    if isinstance(value, str):
        return (value, "time") if is_moment(value) else (value[:CHARS], "text")
    if name.endswith("_ms"):
        return value / 1000, "s"
    if name.endswith(("_sec", "_seconds", "_s")) and not PER_SECOND.search(name):
        return value, "s"
    if name.endswith(("_pct", "_percent")):
        return value, "percent"
    if name.endswith("_bytes"):
        return value, "bytes"
    return value, "ratio" if RATIO.search(name) and 0 <= value <= 1 else "count"


def is_moment(text: str) -> bool:
    """Whether it is a moment with its zone."""
    if not MOMENT.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
