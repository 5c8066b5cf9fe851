"""A field of a thing is read by one SELECT that the guard lets through; counts and comparisons are no fields."""

from __future__ import annotations

from tests.support.each_row import each_row
from tests.support.operations_agent import inquire
from workers.agents.operations.source.sql_guard import guard_query
from workers.agents.operations.source.sql_run import schema
from workers.agents.operations.sql_text import write_sql


def sql(text: str) -> str:
    """The SELECT of a question; empty when it has none."""
    query = inquire(text).query
    return write_sql(query) if query else ""


@each_row(
    "text, parts",
    [
        ("does heron-mini support streaming?", ("supports_streaming", "in ('heron-mini')")),
        ("which tier has the lowest max timeout rate?", ("tiers.max_timeout_rate", "asc")),
    ],
)
def test_the_column_that_is_named_is_read(text: str, parts: tuple[str, ...]) -> None:
    query = sql(text)
    assert all(part in query for part in parts)
    assert guard_query(query, "sqlite", schema())


@each_row(
    "text",
    [
        "which users had at least 5 errors?",
        "how many users got errors today?",
        "is heron-mini cheaper than heron-large per token?",
    ],
)
def test_a_condition_is_never_dropped(text: str) -> None:
    assert "override" not in sql(text)
    assert "max_context_tokens" not in sql(text)
