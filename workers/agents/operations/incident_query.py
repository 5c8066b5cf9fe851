"""Questions about incidents of the past -> one SELECT: by id, those of a span, the last ones."""

# ruff: noqa: S608 - every value in the SQL is quoted
from __future__ import annotations

import re
from collections.abc import Sequence

from workers.agents.operations.measures import INCIDENTS, NOT_ACTIVE, OVERVIEW, Measure
from workers.agents.operations.parameters import Parameters
from workers.agents.operations.question_words import INCIDENT_ID
from workers.agents.operations.sql_text import Query, named, quoted, stored
from workers.agents.operations.tool_coverage import OF_INCIDENT
from workers.contracts import Window, rfc3339
from workers.grounding.lexicon import words
from workers.reasoning.deployment_parts import SERVED

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
AFTER = "case when max(incidents.resolved_at) is null then 'since it began' else 'since it ended' end"
COUNT_OF_ALL = (("count(*) over ()", "incident_count"),)
LONGEST = words(r"longest|biggest|most time")
SHORTEST = words(r"shortest|briefest|quickest")
TOUCHED = "incidents.target_id in (requests.deployment_id, requests.model_id, requests.backend_id)"


def asks_for_incidents(text: str) -> bool:
    """Whether incidents are asked for that need not be active."""
    return bool(INCIDENTS.search(text) and NOT_ACTIVE.search(text))


def incidents_query(text: str, parameters: Parameters, limit: int, now: str = "") -> Query:
    """Incidents of all times, newest first; those of what is named; those that ended, when their end is asked for.

    The longest or shortest come first when they are asked for; one that is active lasts until ``now``.
    """
    where = [
        f"incidents.target_id {said} ({', '.join(map(quoted, own))})"
        for said, names in (("in", parameters.names), ("not in", parameters.excluded))
        if (own := [name for kind in SERVED for name in names.get(kind, ())])
    ]
    over = bool(ENDED.search(text) or re.search(r"\b(?:past|previous|earlier)\b", text, re.IGNORECASE))
    if over:
        where.append("incidents.status = 'resolved'")
    length = LONGEST.search(text) or SHORTEST.search(text) if now else None
    columns = (*COLUMNS, (seconds_of(now), "duration_sec"), *COUNT_OF_ALL) if now else (*COLUMNS, *COUNT_OF_ALL)
    order = "duration_sec" if length else "resolved_at" if ENDED.search(text) else "started_at"
    limit = 1 if LAST_ONE.search(text) else limit
    return Query(
        "incidents", Measure(()), by=columns, where=tuple(where), order=order, limit=limit, purpose="list incidents",
        ascending=bool(length and SHORTEST.search(text)),
    )  # fmt: skip


def seconds_of(now: str) -> str:
    """How long an incident lasted or lasts, in seconds, as SQL of both databases."""
    end = f"coalesce(cast(incidents.resolved_at as text), {stored(now)})"
    return f"{clock_of(end)} - {clock_of('cast(incidents.started_at as text)')}"


def clock_of(text: str) -> str:
    """Seconds since a fixed day of a moment as it is stored: the Julian day number (Fliegel and Van Flandern 1968)."""
    year, month, day, hour, minute, second = (
        f"cast(substr({text}, {start}, {length}) as integer)"
        for start, length in ((1, 4), (6, 2), (9, 2), (12, 2), (15, 2), (18, 2))
    )
    early = f"(({month} - 14) / 12)"  # -1 in January and February
    days = (
        f"((1461 * ({year} + 4800 + {early})) / 4 + (367 * ({month} - 2 - 12 * {early})) / 12 "
        f"- (3 * (({year} + 4900 + {early}) / 100)) / 4 + {day} - 2400000)"
    )
    return f"({days} * 86400 + {hour} * 3600 + {minute} * 60 + {second})"


def of_incident_query(
    text: str, parameters: Parameters, measure: Measure, by: tuple[tuple[str, str], ...], joins: Sequence[str], now: str
) -> Query | None:
    """A measure over what one incident touched while it lasted, or over everything since it ended."""
    match = OF_INCIDENT.search(text)
    if match is None:
        return None
    after = match["when"].lower() in {"since", "after"}
    ids = parameters.names.get("incident", ())
    state = "where status = 'resolved' " if after else "where status = 'active' " if is_current(match["which"]) else ""
    newest = f"incidents.id in (select id from incidents {state}order by started_at desc limit 1)"
    end = f"coalesce(incidents.resolved_at, {stored(now)})"
    lasted = f"requests.created_at >= incidents.started_at and requests.created_at < {end} and {TOUCHED}"
    since = "requests.created_at >= coalesce(incidents.resolved_at, incidents.started_at)"
    return Query(
        "requests",
        measure,
        by=(*by, ("incidents.id", "incident_id")),
        joins=(*joins, f"join incidents on {since if after else lasted}"),
        where=(is_incident(ids) if ids else newest,),
        order=measure.names[0],
        purpose=f"count what went on {'since the incident' if after else 'while it lasted'}",
        extra=(
            (AFTER if after else "'while it lasted'", "relation"),
            ("min(requests.created_at)", "window_start"),
            ("max(requests.created_at)", "window_end"),
        ),
    )


def is_current(which: str | None) -> bool:
    """Whether the incident of now is meant."""
    return (which or "").strip().lower() in {"current", "active", "ongoing"}


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
