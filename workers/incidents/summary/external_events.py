"""Deploys and alerts that other programs told of, where a channel speaks of what they concern."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from workers.contracts import AlertEvent, ChannelMessage, Evidence, Fact, Kind, rfc3339
from workers.incidents.summary.moment_index import InTime
from workers.incidents.summary.summary_types import Entry
from workers.language.alert_labels import is_calm, object_of, service_of
from workers.language.environment_labels import PRODUCTION
from workers.language.environment_names import is_elsewhere
from workers.language.sentences import overlap, stems_of

NEAR_S = 5 * 60
LONGEST = 100
"""Characters of an entry's id."""
MOST_ALONE = 8
"""Entries of what nobody wrote of."""
KINDS: dict[str, Kind] = {"deploy": "deploy", "alert": "alert"}


def read_external_events(told: Sequence[Evidence], messages: Sequence[ChannelMessage]) -> tuple[Evidence, ...]:
    """What a channel's summary may cite of some deploys and alerts: those of what its messages name, numbered."""
    said = " ".join(message.text for message in messages).lower()
    named: dict[str, bool] = {}
    found = []
    for item in told:
        for name in named_by(item):
            if name not in named:
                named[name] = names(said, name)
        if any(named[name] for name in named_by(item)):
            found.append(item)
    return tuple(item.model_copy(update={"id": f"E{number}"}) for number, item in enumerate(found, 1))


def names(said: str, name: str) -> bool:
    """Whether a text, in lower case, names something, as a word of its own; ``/pay/refund`` does not name ``/pay``."""
    longer = r"[\w-]|/\w" if name.startswith("/") else r"[\w-]"
    return bool(name) and re.search(rf"(?<![\w-]){re.escape(name.lower())}(?!{longer})", said) is not None


def named_by(item: Evidence) -> tuple[str, ...]:
    """The service or alert that something is of."""
    return tuple(str(item.facts[key].value) for key in ("service", "name") if key in item.facts)


def alert_events(alerts: Iterable[AlertEvent], environment: str) -> tuple[Evidence, ...]:
    """The alerts that a program told of, without heartbeats and lacks of data.

    Args:
        alerts: any.
        environment: the one that people speak of; an alert of another one says which.
    """
    told = (alert for alert in alerts if not is_calm(alert.name, alert.labels))
    return tuple(alert_event(alert, environment) for alert in told)


def alert_event(alert: AlertEvent, environment: str = PRODUCTION) -> Evidence:
    """An alert that a program told of."""
    of = service_of(alert.labels) or object_of(alert.labels)
    where = f"{alert.environment}: " if is_elsewhere(alert.environment, environment) else ""
    return Evidence(
        kind="alert",
        title=f"{where}{alert.name} fires{f' for {of}' if of else ''}",
        locator=alert.source,
        url=alert.runbook_url or None,
        excerpt=alert.summary,
        facts={
            "name": Fact(value=alert.name),
            **({"service": Fact(value=of)} if of else {}),
            "since": Fact(value=rfc3339(alert.starts_at), unit="time", entity=alert.name),
        },
        observed_at=alert.starts_at,
    )


def with_external_events(timeline: Sequence[Entry], told: Sequence[Evidence]) -> tuple[Entry, ...]:
    """The timeline with what programs told; what people wrote of already gets the evidence beside their words.

    Of what nobody wrote of stay the `MOST_ALONE` nearest to the beginning: what was done then may be behind it.
    """
    found = list(timeline)
    in_time = InTime(NEAR_S)
    for number, entry in enumerate(found):
        in_time.add(entry.kind, entry.at, number)
    for item in told:
        at = moment(item)
        if at is None or item.kind not in KINDS:
            continue
        place = next((n for n in in_time.near(KINDS[item.kind], at) if same(found[n], item, at)), None)
        if place is None:
            in_time.add(KINDS[item.kind], at, len(found))
            name = f"{rfc3339(at)}:{item.title}"[:LONGEST]
            found.append(Entry(id=name, text=item.title, evidence=(item.id,), at=at, kind=KINDS[item.kind]))
        else:
            entry = found[place]
            found[place] = entry.model_copy(update={"evidence": (*entry.evidence, item.id)})
    written = [entry for entry in found if entry.ts]
    began = min((entry.at for entry in written), default=None)
    alone = [entry for entry in found if not entry.ts]
    alone.sort(key=lambda e: (abs(e.at - began) if began else timedelta(0), e.at))
    return tuple(sorted((*written, *alone[:MOST_ALONE]), key=lambda e: (e.at, e.ts)))


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
