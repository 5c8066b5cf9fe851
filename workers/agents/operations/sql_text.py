"""A SELECT as text, of the kind that SQLite and PostgreSQL share; names and times are quoted text only."""

# ruff: noqa: S608 - every value in the SQL is quoted
from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from workers.agents.operations.measures import Measure
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
    having: tuple[str, ...] = ()


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
    columns = (*query.by, *query.measure.columns, *total_of(query), *span_columns(query))
    parts = [f"select {named(columns)} from {query.table}", *query.joins]
    if query.where:
        parts.append(f"where {' and '.join(query.where)}")
    if query.by and query.measure.columns:
        parts.append(f"group by {', '.join(expression for expression, _ in query.by)}")
    if query.having:
        parts.append(f"having {' and '.join(query.having)}")
    return " ".join([*parts, *tail(query)])


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
