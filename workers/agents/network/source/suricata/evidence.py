"""What the sensors said, as evidence: every value a named fact, each item with its place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from workers.agents.network.source.suricata.alert_query import Alert, AlertGroup, Span
from workers.agents.network.source.suricata.beacons import Beacon
from workers.agents.network.source.suricata.connection_query import Talk
from workers.agents.network.source.suricata.coverage import Coverage
from workers.agents.network.source.suricata.first_seen import FirstSight
from workers.contracts import Evidence, Fact, rfc3339

HOST_NAME = re.compile(r"(?<![\w.])(?:[\w-]{1,63}\.){1,10}[A-Za-z][\w-]{1,62}(?![\w-])")
TIMES = frozenset({"at", "first", "last"})
BYTES = frozenset({"bytes_out", "bytes_in"})


def defanged(text: str) -> str:
    """A text whose host names lead nowhere: ``bad[.]example[.]net``, as is the custom with those of attackers."""
    return HOST_NAME.sub(lambda m: m.group().replace(".", "[.]"), text)


def when(seconds: float) -> str:
    """A moment as RFC 3339."""
    return rfc3339(datetime.fromtimestamp(seconds, UTC))


def time_fact(seconds: float, entity: str = "") -> Fact:
    """A moment as a fact."""
    return Fact(value=when(seconds), unit="time", entity=entity)


def count_fact(number: int, entity: str = "") -> Fact:
    """A count as a fact."""
    return Fact(value=number, unit="count", entity=entity)


def span_facts(span: Span, coverage: Coverage) -> dict[str, Fact]:
    """What was looked at: the span, the sensors, and what they cannot speak of."""
    start = (
        max(span.start, min(coverage.since, span.end)) if coverage.since is not None and span.start == 0 else span.start
    )
    facts = {"span_start": time_fact(start), "span_end": time_fact(span.end)}
    if coverage.sensors:
        facts["sensors"] = Fact(value=", ".join(coverage.sensors[:10]))
        facts["sensor_count"] = count_fact(len(coverage.sensors))
    if coverage.since is not None and coverage.heard is not None:
        facts |= {"records_since": time_fact(coverage.since), "heard": time_fact(coverage.heard)}
    if coverage.silent:
        facts |= {"silent_sensor": Fact(value=coverage.silent[0]), "silent_since": time_fact(coverage.silent[1])}
    if coverage.broken:
        facts["broken_lines"] = count_fact(coverage.broken)
        facts["broken_why"] = Fact(value=coverage.why_broken)
    for place, (name, ahead) in enumerate(coverage.ahead):
        facts[f"ahead_{place}"] = Fact(value=ahead, unit="s", entity=name)
    if coverage.unread:
        facts["unread"] = Fact(value=coverage.unread, unit="bytes")
    return facts


def summary(kind: str, title: str, filters: Mapping[str, object], facts: Mapping[str, Fact]) -> Evidence:
    """The first item of an output: counts and what was looked at."""
    said = "&".join(f"{k}={v}" for k, v in filters.items() if v)
    asked = {f"of_{k}": Fact(value=said_of(str(v))) for k, v in filters.items() if v and k in OF}
    return Evidence(kind="row", title=title, locator=f"ids://{kind}?{said}"[:500], facts={**facts, **asked})


OF = frozenset(
    "address source target signature severity worst sensor name kinds vlan action reason hours at_least at_most"
    " targets".split()
)
"""What rows are chosen by, beside the span."""
OWN_NETWORK = re.compile(r"(?<![\w.-])own(?![\w.-])")


def said_of(value: str) -> str:
    """A condition as people say it: ``role:Camera+site:Denver`` is ``role Camera and site Denver``."""
    plain = OWN_NETWORK.sub("our own network", value.replace("!", "not "))
    plain = re.sub(r"\b(site|role|tenant|rack|vlan):", r"\1 ", plain).replace("+", " and ")
    return defanged(plain)


def row(title: str, locator: str, entity: str, values: Mapping[str, Any]) -> Evidence:
    """One item. Times and sizes get their units; what is empty is left out."""
    facts: dict[str, Fact] = {}
    for name, value in values.items():
        if value in ("", None):
            continue
        if name in TIMES:
            facts[name] = time_fact(value, entity)
        elif name in BYTES:
            facts[name] = Fact(value=value, unit="bytes", entity=entity)
        elif name.endswith("_s"):
            facts[name] = Fact(value=value, unit="s", entity=entity)
        elif isinstance(value, int) and name in COUNTS:
            facts[name] = count_fact(value, entity)
        elif isinstance(value, float):
            facts[name] = Fact(value=value, unit="ratio", entity=entity)
        else:
            facts[name] = Fact(value=defanged(str(value)) if name in FOREIGN else str(value), entity=entity)
    said = "; ".join(f"{n}: {f.value}" for n, f in facts.items())
    return Evidence(kind="row", title=title[:200], locator=locator[:500], excerpt=said[:1_000], facts=facts)


FOREIGN = frozenset({"name", "label", "value", "signature", "category"})
"""Texts of others, in which there may be names of hosts."""
COUNTS = frozenset({"count", "sources", "targets", "flows", "events"})


def alert_evidence(alert: Alert) -> Evidence:
    """One alert, at its line of the log."""
    values = {k: v for k, v in asdict(alert).items() if k not in {"path", "line", "gid", "rev", "flow_id"}}
    values |= {"from_port": alert.src_port or "", "to_port": alert.dest_port or ""}
    del values["src_port"], values["dest_port"]
    place = f"{alert.path or 'eve.json'}:{alert.line}"
    return row(f"Alert {alert.signature}", place, alert.src, {**values, "place": place, "flow": alert.flow_id})


def group_evidence(group: AlertGroup, by: str, filters: Mapping[str, object]) -> Evidence:
    """Alerts that share a value."""
    said = "&".join(f"{k}={v}" for k, v in filters.items() if v)
    values = asdict(group) | {"by": by}
    locator = f"ids://alerts?{by}={group.value}&{said}"
    return row(f"Alerts by {by}: {group.label}", locator, group.label, values)


def talk_evidence(talk: Talk) -> Evidence:
    """What one host said to another."""
    values = asdict(talk) | {"dest_port": talk.dest_port or ""}
    if not talk.bytes_out + talk.bytes_in:  # no record of a flow's end, which alone counts bytes
        values |= {"bytes_out": None, "bytes_in": None}
    pair = f"{talk.src} → {talk.dest}:{talk.dest_port}"
    return row(pair, f"ids://connections?src={talk.src}&dest={talk.dest}&port={talk.dest_port}", talk.src, values)


def beacon_evidence(beacon: Beacon) -> Evidence:
    """A pair with a rhythm, and its numbers."""
    found = asdict(beacon)
    rhythm = found.pop("rhythm")
    pair = f"{beacon.src} → {beacon.dest}:{beacon.dest_port}"
    locator = f"ids://beacons?src={beacon.src}&dest={beacon.dest}&port={beacon.dest_port}"
    return row(f"Regular connections {pair}", locator, beacon.src, {**found, **rhythm})


def first_sight_evidence(sight: FirstSight) -> Evidence:
    """Something new."""
    values = asdict(sight)
    values["what"] = values.pop("kind")
    locator = f"ids://first_seen?kind={sight.kind}&value={sight.value}&host={sight.host}"
    return row(f"New {sight.kind} {sight.label or sight.value}", locator, sight.host or "network", values)


def as_data(items: Sequence[Evidence]) -> list[dict[str, Any]]:
    """Items as plain JSON, for whoever reads no evidence."""
    return [{name: fact.value for name, fact in item.facts.items()} for item in items]
