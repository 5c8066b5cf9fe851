"""Questions about incidents that need not be active -> one SELECT: by id, those of a span, the last ones."""

from __future__ import annotations

from collections.abc import Sequence

from workers.agents.operations.measures import Measure
from workers.agents.operations.parameters import Parameters
from workers.agents.operations.question_words import INCIDENT_ID
from workers.agents.operations.sql_text import Query, quoted, stored
from workers.contracts import Landscape, Window, rfc3339
from workers.grounding.lexicon import words
from workers.reasoning.deployment_parts import SERVED

LAST_ONE = words(r"(?:last|latest|newest|most recent|previous) (?:incident|outage)")
ENDED = words(r"end(?:ed|s)?|resolved?|over|recover\w*|fixed|closed|past|previous")
SPOKEN = words(rf"{ENDED.pattern}|histor\w+")
"""Words that are read here, or say that it is about incidents before."""
MOST = 20
COLUMNS = tuple(
    (f"incidents.{column}", name)
    for column, name in (
        ("id", "incident_id"),
        ("title", "title"),
        ("target_id", "target_id"),
        ("status", "status"),
        ("started_at", "started_at"),
        ("resolved_at", "resolved_at"),
    )
)


def incidents_query(text: str, parameters: Parameters, window: Window | None, landscape: Landscape) -> Query:
    """Incidents of what is named, newest first; those that overlap a span; those that ended, when that is asked for."""
    where: list[str] = []
    if own := [name for kind in SERVED for name in parameters.names.get(kind, ())]:
        where.append(f"incidents.target_id in ({', '.join(map(quoted, owners_of(own, landscape)))})")
    ended = bool(ENDED.search(text))
    if ended:
        where.append("incidents.status = 'resolved'")
    if window:
        start, end = stored(rfc3339(window.start)), stored(rfc3339(window.end))
        where += [
            f"incidents.started_at < {end}",
            f"(incidents.resolved_at is null or incidents.resolved_at > {start})",
        ]
    return Query(
        "incidents",
        Measure(()),
        (*COLUMNS, ("count(*) over ()", "incident_count")),
        where=tuple(where),
        order="resolved_at" if ended else "started_at",
        limit=1 if LAST_ONE.search(text) else MOST,
        purpose="list incidents",
    )


def owners_of(names: Sequence[str], landscape: Landscape) -> list[str]:
    """What an incident may be on to touch one of these: itself, its deployments, and what those are made of."""
    parts = {part for name in names for part in (name, *name.split("/"))}
    touched = [d for d in landscape.labels.get("deployment", ()) if set(d.split("/")) & set(names)]
    return sorted({*parts, *touched})


def is_incident(ids: Sequence[str]) -> str:
    """The condition of an incident's id, however it is written: "INC-247", "incident 247"."""
    numbers = [match["number"] for text in ids if (match := INCIDENT_ID.search(text))]
    spelt = [*(text.lower() for text in ids), *(f"{lead}{n}" for n in numbers for lead in ("inc-", "inc_", "inc", ""))]
    return f"lower(incidents.id) in ({', '.join(map(quoted, dict.fromkeys(spelt)))})"


def incident_query(ids: Sequence[str]) -> Query:
    """Incidents by their ids."""
    where = (is_incident(ids),)
    return Query("incidents", Measure(()), COLUMNS, where=where, order="started_at", purpose="open the incident")
