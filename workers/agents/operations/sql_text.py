"""A SELECT as text, of the kind that SQLite and PostgreSQL share; names and times are quoted text only."""

# ruff: noqa: S608 - every value in the SQL is quoted
from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from workers.agents.operations.measures import Measure, percentile_name
from workers.agents.operations.parameters import Parameters

FEWEST = 10


@dataclass(frozen=True)
class Query:
    """One SELECT. ``by``: expression and name of what is told apart; empty for one row over everything.

    ``span``: start and end (RFC 3339), which stand in each row.
    """

    table: str
    measure: Measure
    by: tuple[tuple[str, str], ...] = ()
    joins: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    order: str = ""
    ascending: bool = False
    limit: int = FEWEST
    purpose: str = "count it"
    span: tuple[str, str] | None = None


def quoted(text: str) -> str:
    """A value as SQL text."""
    return "'" + text.replace("'", "''") + "'"


def stored(moment: str) -> str:
    """RFC 3339 as both databases compare it with a stored moment."""
    return quoted(moment.replace("T", " ").replace("Z", "+00:00"))


def conditions_on(parameters: Parameters, columns: Mapping[str, str]) -> Iterator[str]:
    """What is named, as conditions; several of one kind are alternatives."""
    for kind, column in columns.items():
        if parameters.names.get(kind):
            yield f"{column} in ({', '.join(map(quoted, parameters.names[kind]))})"


def write_sql(query: Query) -> str:
    """The SELECT."""
    if query.measure.percentiles:
        return ranked(query)
    columns = (*query.by, *query.measure.columns, *total_of(query), *span_columns(query))
    parts = [f"select {named(columns)} from {query.table}", *query.joins]
    if query.where:
        parts.append(f"where {' and '.join(query.where)}")
    if query.by and query.measure.columns:
        parts.append(f"group by {', '.join(expression for expression, _ in query.by)}")
    return " ".join([*parts, *tail(query)])


def ranked(query: Query) -> str:
    """With percentiles: requests in order of their value first, then those in between which each one lies."""
    measure = query.measure
    groups = ", ".join(expression for expression, _ in query.by)
    among = f"partition by {groups}" if groups else ""
    inner = (
        *query.by,
        (measure.of, "value"),
        ("requests.status", "status"),
        (
            f"row_number() over ({among} order by case when {measure.of} is null then 1 else 0 end, {measure.of})",
            "place",
        ),
        (f"count({measure.of}) over ({among})", "places"),
    )
    where = f" where {' and '.join(query.where)}" if query.where else ""
    rows = " ".join([f"select {named(inner)} from {query.table}", *query.joins]) + where
    names = tuple((name, name) for _, name in query.by)
    high_first = reversed(measure.percentiles)
    percentiles = tuple((percentile(p), percentile_name(measure, p)) for p in high_first)
    columns = (*names, *percentiles, *measure.columns, *span_columns(query))
    parts = [f"with ranked as ({rows}) select {named(columns)} from ranked"]
    if query.by:
        parts.append(f"group by {', '.join(name for _, name in query.by)}")
    return " ".join([*parts, *tail(query)])


def percentile(text: str) -> str:
    """Between the two nearest values, as ``percentile_cont`` does: ``99.9`` of ranked rows."""
    share, whole = int(text.replace(".", "")), 1000 if "." in text else 100
    below = f"{share} * (places - 1) / {whole}"
    low = f"max(case when place = {below} + 1 then value end)"
    high = f"max(case when place = {below} + 2 then value end)"
    rest = f"({share} * (max(places) - 1) - {whole} * ({share} * (max(places) - 1) / {whole}))"
    return f"{low} + coalesce({high} - {low}, 0) * {rest} / {whole}.0"


def named(columns: tuple[tuple[str, str], ...]) -> str:
    """Expressions with their names."""
    return ", ".join(expression if expression == name else f"{expression} as {name}" for expression, name in columns)


def total_of(query: Query) -> Iterator[tuple[str, str]]:
    """What a count comes to over all groups, those beyond the limit too."""
    if query.by and query.measure.adds_up:
        expression, name = query.measure.columns[0]
        yield f"sum({expression}) over ()", f"overall_{name}"


def span_columns(query: Query) -> Iterator[tuple[str, str]]:
    """The time that was counted over."""
    if query.span:
        yield quoted(query.span[0]), "window_start"
        yield quoted(query.span[1]), "window_end"


def tail(query: Query) -> Iterator[str]:
    """Order and limit."""
    if query.order and query.by:
        yield f"order by {query.order} {'asc' if query.ascending else 'desc'}"
    yield f"limit {query.limit}"
