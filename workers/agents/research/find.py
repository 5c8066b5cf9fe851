"""The findings of research: what each piece of evidence says, and what several of them say together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from workers.agents.research.stack_trace import write_trace
from workers.agents.research.write_alerting import write_alerting
from workers.agents.research.write_changes import write_authors, write_changes
from workers.agents.research.write_code_places import write_places, write_values
from workers.agents.research.write_deploys import write_deploys
from workers.agents.research.write_incident import write_incident
from workers.agents.research.write_status import write_status, write_traffic
from workers.contracts import Draft
from workers.ports import Brief
from workers.reasoning.findings import Finding, Reading, single_findings

COMPOSITES: Mapping[str, Callable[[Brief], Draft | None]] = {
    "frame": write_trace,
    "change": write_changes,
    "author": write_authors,
    "incident": write_incident,
    "status": write_status,
    "metric": write_traffic,
    "rules": write_alerting,
    "deploys": write_deploys,
    "setting": write_values,
    "place": write_places,
}
"""Kinds of findings, with what makes them of several pieces of evidence; each returns None when it has too little."""
MEASURED = frozenset({"metric", "alert"})


def find_all(reading: Reading) -> Iterator[Finding]:
    """All findings; what one of several pieces tells of those that are measured is a part of it."""
    single = list(single_findings(reading))
    joined = [f for kind, write in COMPOSITES.items() for f in reading.composite(kind, write(reading.brief))]
    told = frozenset().union(*(finding.told for finding in joined))
    same = {(finding.kind, key) for finding in joined for key in finding.cited}
    for finding in joined:
        yield replace(finding, parts=tuple(f for f in single if f.kind in MEASURED and finding.told & set(f.cited)))
    for finding in single:
        part = finding.kind in MEASURED and told & set(finding.cited)
        if not part and any((finding.kind, key) not in same for key in finding.cited):
            yield finding
