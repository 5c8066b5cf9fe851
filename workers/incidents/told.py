"""PURE: deploys and alerts that other programs told of, in the timeline."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from workers.contracts import Evidence
from workers.incidents.model import Entry, Kind
from workers.incidents.text import overlap, stems_of

NEAR_S = 5 * 60
KINDS: dict[str, Kind] = {"deploy": "deploy", "alert": "alert"}


def with_told(timeline: Sequence[Entry], told: Sequence[Evidence]) -> tuple[Entry, ...]:
    """The timeline with what programs told; what people wrote of already gets the evidence beside their words."""
    found = list(timeline)
    for item in told:
        at = moment(item)
        if at is None or item.kind not in KINDS:
            continue
        place = next((i for i, entry in enumerate(found) if same(entry, item, at)), None)
        if place is None:
            found.append(Entry(text=item.title, evidence=(item.id,), at=at, kind=KINDS[item.kind]))
        else:
            entry = found[place]
            found[place] = entry.model_copy(update={"evidence": (*entry.evidence, item.id)})
    return tuple(sorted(found, key=lambda e: (e.at, e.ts)))


def moment(item: Evidence) -> datetime | None:
    """When a deploy went out, or an alert began to fire."""
    fact = item.facts.get("at") or item.facts.get("since") or item.facts.get("starts_at")
    try:
        return datetime.fromisoformat(str(fact.value)) if fact else item.observed_at
    except ValueError:
        return item.observed_at


def same(entry: Entry, item: Evidence, at: datetime) -> bool:
    """Whether an entry is of what a program told."""
    near = abs((entry.at - at).total_seconds()) <= NEAR_S
    return near and entry.kind == KINDS[item.kind] and overlap(stems_of(entry.text), stems_of(item.title)) >= 0.3
