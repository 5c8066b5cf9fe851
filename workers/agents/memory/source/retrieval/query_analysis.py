"""Reads a question for retrieval, in milliseconds and without a model: what it asks, which code it names, and when."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from workers.agents.memory.source.retrieval.contract import Query, QueryType
from workers.contracts import Window
from workers.language.memory_kinds import sure_kind
from workers.language.phrase_to_window import read_hints
from workers.language.reference_moment import Moment
from workers.language.zones import read_zone
from workers.sources.terms.query_terms import read_query

TYPES: Mapping[str, QueryType] = {
    "definition": "definition",
    "references": "references",
    "behavioral": "behavioral",
    "conceptual": "conceptual",
    "decision": "conceptual",
    "notes": "conceptual",
}


def analyse(
    text: str, now: datetime, timezone: str = "UTC", team: str = "", spaces: tuple[str, ...] = (), user: str = ""
) -> Query:
    """What is looked for.

    Args:
        text: the question.
        now: as of when; aware.
        timezone: the asker's, for "yesterday".
        team: whose own documents may be read.
        spaces: whose threads may be read.
        user: whose memories may be shown; empty where others read the answer.
    """
    kind = sure_kind(text)
    return Query(
        text=text,
        now=now,
        timezone=timezone,
        kind=kind,
        query_type=TYPES.get(kind, "unknown"),
        symbols=read_query(text).names,
        window=read_window(text, now, timezone),
        user=user,
        spaces=spaces,
        team=team,
    )


def read_window(text: str, now: datetime, timezone: str) -> Window | None:
    """The time that a question names; None when it names none."""
    return read_hints(text, Moment(now, read_zone(timezone)))[1]
