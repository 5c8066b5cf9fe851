"""PURE. Questions about incidents of the past -> one SELECT: by id, those of a span, the last ones."""

# ruff: noqa: S608 - every value in the SQL is quoted
from __future__ import annotations

import re
from collections.abc import Sequence

from workers.contracts import Window, rfc3339
from workers.reasoning.operations.measures import INCIDENTS, NOT_ACTIVE, OVERVIEW, Measure
from workers.reasoning.operations.parameters import Parameters
from workers.reasoning.operations.sql_write import Query, named, quoted, stored
from workers.reasoning.operations.words import INCIDENT_ID, words

LAST_ONE = words(r"(?:last|latest|newest|most recent|previous) (?:\w+ )?(?:incident|outage)")
ENDED = words(r"end(?:ed|s)?|resolved?|over|finish\w*|recover\w*|fixed|closed|lasted?")
COLUMNS = (
    ("incidents.id", "incident_id"),
    ("incidents.title", "title"),
    ("incidents.target_type", "target_type"),
    ("incidents.target_id", "target_id"),
    ("incidents.status", "status"),
    ("incidents.started_at", "started_at"),
    ("incidents.resolved_at", "resolved_at"),
)
TOUCHED = "incidents.target_id in (requests.deployment_id, requests.model_id, requests.backend_id)"


def asks_for_incidents(text: str) -> bool:
    """Whether incidents are asked for that need not be active."""
    return bool(INCIDENTS.search(text) and NOT_ACTIVE.search(text))


def incidents_query(text: str, parameters: Parameters, limit: int) -> Query:
    """Incidents of all times, newest first; those of what is named; those that ended, when their end is asked for."""
    named_ = [name for kind in ("deployment", "model", "backend") for name in parameters.names.get(kind, ())]
    where = [f"incidents.target_id in ({', '.join(map(quoted, named_))})"] if named_ else []
    over = bool(ENDED.search(text) or re.search(r"\b(?:past|previous|earlier)\b", text, re.IGNORECASE))
    if over:
        where.append("incidents.status = 'resolved'")
    order = "resolved_at" if ENDED.search(text) else "started_at"
    limit = 1 if LAST_ONE.search(text) else limit
    return Query(
        "incidents", Measure(()), by=COLUMNS, where=tuple(where), order=order, limit=limit, purpose="list incidents"
    )


def is_incident(ids: Sequence[str]) -> str:
    """The condition of an incident's id, however it is written: "INC-247", "incident 247"."""
    spelt: list[str] = []
    for text in ids:
        match = INCIDENT_ID.search(text)
        number = match["number"] if match else ""
        spelt += [text.lower(), *(f"{lead}{number}" for lead in ("", "inc-", "inc_", "inc", "incident-") if number)]
    return f"lower(incidents.id) in ({', '.join(map(quoted, dict.fromkeys(spelt)))})"


def incident_query(ids: Sequence[str]) -> Query:
    """Incidents by their ids."""
    return Query(
        "incidents", Measure(()), by=COLUMNS, where=(is_incident(ids),), order="started_at", purpose="open the incident"
    )


def impact_query(ids: Sequence[str], now: str) -> Query:
    """How the requests fared that went to what an incident is about, while it lasted."""
    end = f"coalesce(incidents.resolved_at, {stored(now)})"
    lasted = f"requests.created_at >= incidents.started_at and requests.created_at < {end}"
    return Query(
        "incidents",
        OVERVIEW,
        by=(("incidents.id", "incident_id"),),
        joins=(f"join requests on {lasted} and {TOUCHED}",),
        where=(is_incident(ids),),
        order="incident_id",
        purpose="see how requests fared while it lasted",
    )


def during(window: Window, asked: Sequence[str] = (), owners: Sequence[str] = ()) -> str:
    """Incidents that overlap a span, its own first, and how many these are; a row also for none.

    ``asked``: the deployments, models and backends that are asked about; ``owners``: what an incident of theirs may be
    on. Such an incident is ``own``; each one is, when nothing is asked about.
    """
    start, end = rfc3339(window.start), rfc3339(window.end)
    own = f"incidents.target_id in ({', '.join(map(quoted, owners))})" if asked else "incidents.id is not null"
    columns = (
        *COLUMNS,
        (f"case when {own} then 'yes' else 'no' end", "own"),
        (f"sum(case when {own} then 1 else 0 end) over ()", "incident_count"),
        *(((quoted(" and ".join(asked)), "asked"),) if asked else ()),
        (quoted(start), "window_start"),
        (quoted(end), "window_end"),
    )
    overlaps = (
        f"incidents.started_at < {stored(end)} and "
        f"(incidents.resolved_at is null or incidents.resolved_at > {stored(start)})"
    )
    return (
        f"select {named(columns)} from (select 1 as one) as span left join incidents on {overlaps} "
        "order by own desc, started_at desc limit 20"
    )
