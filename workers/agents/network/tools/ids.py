"""The tools over what an intrusion detection sensor wrote: alerts, who speaks to whom, rhythms, what is new."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any, Literal

from pydantic import Field
from sqlalchemy import Connection

from workers.agents.network.sections import NetboxSection
from workers.agents.network.source.chosen_parts import chosen_and_left, facts_of_each, parts_of
from workers.agents.network.source.netbox.client import NetboxClient
from workers.agents.network.source.netbox.listing import Wanted, list_objects, networks_of
from workers.agents.network.source.suricata import alert_query, beacons, connection_query, evidence, first_seen
from workers.agents.network.source.suricata.addresses import read_network
from workers.agents.network.source.suricata.alert_query import AlertFilter, Ends, Network, Span
from workers.agents.network.source.suricata.connection_query import Records, Side, TalkFilter
from workers.agents.network.source.suricata.coverage import Coverage
from workers.agents.network.source.suricata.sensor_logs import SensorLogs
from workers.contracts import Evidence, Fact, Landscape, ToolOutput
from workers.errors import ToolArgumentError
from workers.language.typed_times import read_typed_time
from workers.language.zones import read_zone
from workers.ports import ToolContext
from workers.settings.load import Settings
from workers.toolkit.tool import NoOptions, Resources, Tool, ToolArgs

TIME = "RFC 3339, now, today, yesterday, N hours ago, N days ago"
ADDRESS = (
    "IP addresses, prefixes, or what NetBox knows, between commas: a device, site:NAME, role:NAME+site:NAME, own for "
    "all prefixes recorded; a ! before one leaves it out; empty is all"
)
MOST_NETWORKS = 200
MOST_GROUPS, MOST_ENDS = 1_000, 10
MOST_NAMES = 500


def text(default: str, about: str, most: int = 300) -> Any:
    """An argument that is text."""
    return Field(default, max_length=most, description=about)


class SpanArgs(ToolArgs):
    """Where and when."""

    address: str = text("", ADDRESS, 8_000)
    since: str = text("24 hours ago", TIME)
    until: str = text("", f"{TIME}; empty is now")
    limit: int = Field(10, ge=1, le=100, description="how many rows at most")


class AlertArgs(SpanArgs):
    """Alerts of the intrusion detection sensors in a span: how many, by severity (1 is the worst), and the alerts
    themselves or their counts by signature, source, target, category, sensor. No alert is not the same as no danger:
    the output says when sensors were heard last.
    """

    signature: str = text("", "words of the rule's text, a ! before what must not stand there, or its sid")
    source: str = text("", f"where it came from: {ADDRESS}", 8_000)
    target: str = text("", f"where it went to: {ADDRESS}", 8_000)
    kind: Literal["alert", "drop", "dns", "tls", "http", "ssh", "smb", "flow"] = Field("alert", description="of event")
    reason: Literal["", "rules", "other"] = Field("", description="of drops: by a rule, or not")
    vlan: str = text("", "number or name of a VLAN")
    action: Literal["", "allowed", "blocked"] = Field("", description="what was done with it")
    hours: str = text("", "only these hours of each day on the asker's clock, 7-19; 19-7 is over midnight")
    at_least: int = Field(0, ge=0, description="with group_by: only values with so many events")
    at_most: int = Field(0, ge=0, description="with group_by: only values with no more events; 0 is any number")
    targets: int = Field(0, ge=0, description="with group_by: only values with so many targets")
    days: str = text("", "with group_by day: only these days, as dates between commas")
    severity: int = Field(0, ge=0, le=255, description="just this one; 1 is the worst; 0 is all")
    worst: int = Field(0, ge=0, le=255, description="from 1 to this one; 0 is all")
    sensor: str = text("", "names of sensors between commas; site:NAME for those that stand there")
    name: str = text("", "host or domain that was asked for by SNI, DNS or HTTP")
    group_by: Literal[
        "", "signature", "source", "target", "category", "severity", "sensor", "name", "action", "reason", "day"
    ] = Field("", description="count events by this; empty lists alerts, the most severe and newest first")


class TalkerArgs(SpanArgs):
    """Who speaks to whom: pairs of hosts with the most connections, their ports, bytes and names asked for."""

    side: Side = Field("any", description="side on which the address stands: source, target or any")
    source: str = text("", ADDRESS, 8_000)
    target: str = text("", ADDRESS, 8_000)
    name: str = text("", "host or domain that was asked for by SNI, DNS or HTTP")
    group_by: Literal["", "source", "target"] = Field("", description="hosts with the most bytes, in place of pairs")


class BeaconArgs(SpanArgs):
    """Pairs of hosts whose connections come at regular intervals, with interval, jitter, count and span. That may be a
    beacon of malware, and as well a monitor, an update check or NTP: a hypothesis, never a proof.
    """

    side: Side = Field("any", description="side on which the address stands: source, target or any")


class FirstSeenArgs(SpanArgs):
    """Signatures, domains, destinations and TLS fingerprints seen for the first time in a span: anywhere, or on the
    hosts given by address.
    """

    since: str = text("today", TIME)
    kinds: str = text("", f"between commas: {', '.join(first_seen.KINDS)}; empty is all")


class Sensors(SensorLogs):
    """The kept events of all sensors, and what is asked of them; hosts may be named as NetBox does."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        section = settings.section(NetboxSection)
        self.netbox = NetboxClient(section) if section.url else None

    def ends(self, said: str) -> Ends:
        """Hosts, and those that are left out. Raises: ToolUnavailable; ToolArgumentError: one is not known."""
        sides = chosen_and_left(parts_of(said))
        return Ends(*(read_networks([a for part in side for a in self.places(part)]) for side in sides))

    def places(self, said: str) -> tuple[str, ...]:
        """An address as it is; of anything else, the addresses that NetBox has."""
        try:
            read_network(said)
        except ValueError:
            if self.netbox is None:
                raise ToolArgumentError(f"address: {said[:80]!r} is none, and no NetBox is connected") from None
            return networks_of(self.netbox, said)
        return (said,)

    def sensors_at(self, said: str, known: Coverage) -> str:
        """The sensors that are named, or that stand at a site. Raises: as `ends`."""
        kind, _, place = said.partition("site:")
        if kind or not place or self.netbox is None:
            return said
        there = list_objects(self.netbox, Wanted("device", site=place), self.netbox.section.most).records
        found = [name for r in there if (name := r.facts.get("name", "")) in known.sensors]
        if not found:
            raise ToolArgumentError(f"no sensor that writes the logs stands at {place}")
        return ", ".join(found)

    def vlan(self, said: str) -> int:
        """The number of a VLAN. Raises: as `ends`."""
        if not said or said.isdecimal():
            return int(said or 0)
        found = list_objects(self.netbox, Wanted("vlan", name=said), 2).records if self.netbox else ()
        if len(found) != 1:
            raise ToolArgumentError(f"vlan: NetBox has {len(found)} of the name {said!r}; give its number")
        return int(found[0].facts.get("vid", 0))

    def landscape(self, context: ToolContext) -> Landscape:
        """Signatures that alerted, and the sensors."""
        del context
        if not self.section.eve:
            return Landscape()
        with self.connect() as (connection, known):
            signatures = alert_query.known_signatures(connection, MOST_NAMES)
        return Landscape(labels={"ids_signature": signatures, "ids_sensor": known.sensors})

    # --- the tools --------------------------------------------------------------------------------------------

    def alerts(self, args: AlertArgs, context: ToolContext) -> ToolOutput:
        """Returns: ``data = {"count", "by_severity", "rows", "coverage"}``. Raises: ToolError."""
        if args.kind != "alert" and (args.signature or args.severity or args.worst or args.action):
            raise ToolArgumentError(f"{args.kind} events have no signature, severity or action: leave those out")
        span = read_span(args, context)
        either = self.ends(args.address)
        networks, zone = either.networks, read_zone(context.timezone)
        wanted = AlertFilter(
            span,
            networks,
            args.signature,
            args.severity,
            args.worst,
            without=either.without,
            name=args.name,
            source=self.ends(args.source),
            target=self.ends(args.target),
            vlan=self.vlan(args.vlan),
            action=args.action,
            kind=args.kind,
            reason=args.reason,
            hours=read_hours(args.hours),
            zone_s=int((context.now.astimezone(zone).utcoffset() or timedelta()).total_seconds()),
            least=args.at_least,
            most=args.at_most,
            targets=args.targets,
        )
        by = args.group_by or ("" if args.kind == "alert" else "source")
        filters = filters_of(args)
        with self.connect() as (connection, known):
            wanted = replace(wanted, sensor=self.sensors_at(args.sensor, known))
            counts = alert_query.count_alerts(connection, wanted)
            more: dict[str, Fact] = {}
            if by:
                groups = alert_query.group_alerts(connection, wanted, by, MOST_GROUPS)
                if args.days:
                    groups = tuple(g for g in groups if g.value[-10:] in args.days)
                    counts["count"] = sum(g.count for g in groups)
                rows = [evidence.group_evidence(g, by, filters) for g in groups[: args.limit]]
                more = {"groups": evidence.count_fact(len(groups), by)}
            else:
                rows = [evidence.alert_evidence(a) for a in alert_query.list_alerts(connection, wanted, args.limit)]
            if counts["count"] and (last := alert_query.newest_alert(connection, wanted)) is not None:
                more["newest"] = evidence.time_fact(last)
            more |= self.silence(connection, networks) if not counts["count"] else {}
            more |= facts_of_each(self.counts_of_each(connection, args, wanted))
        total = counts.pop("count")
        facts = {"count": evidence.count_fact(total)} | {
            f"severity_{s}": evidence.count_fact(n, f"severity {s}") for s, n in counts.items()
        }
        return told(
            "alerts", f"{total:,} {args.kind} events", filters, facts | more, rows, span, known, {"by_severity": counts}
        )

    def counts_of_each(self, connection: Connection, args: AlertArgs, wanted: AlertFilter) -> Iterator[tuple[str, int]]:
        """How many events each of several hosts or sensors that are named has. Raises: as `ends`."""
        for side in ("address", "source", "target", "sensor"):
            named = chosen_and_left(parts_of(getattr(args, side)))[0]
            for part in named[:MOST_ENDS] if len(named) > 1 else ():
                only: Any = part if side == "sensor" else self.ends(part)
                one = {"networks": only.networks} if side == "address" else {side: only}
                yield evidence.said_of(part), alert_query.count_alerts(connection, replace(wanted, **one))["count"]

    def silence(self, connection: Connection, networks: tuple[Network, ...]) -> dict[str, Fact]:
        """What is known of hosts without alerts in a span: when there was one, when they were seen at all."""
        if not networks:
            return {}
        found = {
            "last_alert": alert_query.last_alert(connection, networks),
            "last_seen": alert_query.last_connection(connection, networks),
        }
        return {name: evidence.time_fact(at) for name, at in found.items() if at is not None}

    def talkers(self, args: TalkerArgs, context: ToolContext) -> ToolOutput:
        """Returns: ``data = {"count", "rows", "coverage"}``. Raises: ToolError."""
        span = read_span(args, context)
        networks = self.ends(args.address).networks
        ends = {"source": self.ends(args.source), "target": self.ends(args.target)}
        wanted = TalkFilter(span, networks, args.side, args.name, **ends)
        with self.connect() as (connection, known):
            records = connection_query.read_records(connection, wanted)
        total = records.flows
        rows = [evidence.talk_evidence(t) for t in connection_query.list_talks(records, args.limit, args.group_by)]
        facts = {"count": evidence.count_fact(total)}
        title = f"{total:,} connections"
        return told("connections", title, filters_of(args), facts, rows, records.span, known, narrowed(records))

    def beacons(self, args: BeaconArgs, context: ToolContext) -> ToolOutput:
        """Returns: ``data = {"count", "pairs", "rows", "coverage"}``. Raises: ToolError."""
        span = read_span(args, context)
        wanted = TalkFilter(span, self.ends(args.address).networks, args.side)
        with self.connect() as (connection, known):
            records = connection_query.read_records(connection, wanted)
        found, pairs = beacons.find_beacons(records, args.limit)
        rows = [evidence.beacon_evidence(b) for b in found]
        facts = {
            "count": evidence.count_fact(len(found)),
            "pairs": evidence.count_fact(pairs),
            "fewest": evidence.count_fact(beacons.FEWEST),
            "most_jitter": Fact(value=beacons.MOST_JITTER, unit="ratio"),
        }
        title = f"{len(found)} of {pairs} pairs with regular connections"
        more = {"pairs": pairs, **narrowed(records)}
        return told("beacons", title, filters_of(args), facts, rows, records.span, known, more)

    def first_seen(self, args: FirstSeenArgs, context: ToolContext) -> ToolOutput:
        """Returns: ``data = {"count", "by_kind", "rows", "coverage"}``. Raises: ToolError."""
        span, networks = read_span(args, context), self.ends(args.address).networks
        kinds = read_kinds(args.kinds)
        with self.connect() as (connection, known):
            counts = first_seen.count_new(connection, span, kinds, networks)
            sights = first_seen.list_new(connection, span, kinds, networks, args.limit)
        rows = [evidence.first_sight_evidence(s) for s in sights]
        facts = {"count": evidence.count_fact(sum(counts.values()))} | {
            f"new_{kind}": evidence.count_fact(n, kind) for kind, n in counts.items()
        }
        if known.since is not None and known.since >= span.start:
            facts["all_new"] = Fact(value="yes")
        title = f"{sum(counts.values()):,} things seen for the first time"
        return told("first_seen", title, filters_of(args), facts, rows, span, known, {"by_kind": counts})


def narrowed(records: Records) -> dict[str, Any]:
    """That there are too many records to be all looked at, for whoever names gaps."""
    if not records.narrowed:
        return {}
    since = evidence.when(records.span.start)
    why = (
        f"only the newest {len(records.rows):,} records are looked at, since {since}; name an address or a shorter time"
    )
    return {"unavailable": [why]}


def told(
    kind: str,
    title: str,
    filters: Mapping[str, object],
    facts: Mapping[str, Fact],
    rows: Sequence[Evidence],
    span: Span,
    known: Coverage,
    more: Mapping[str, Any] | None = None,
) -> ToolOutput:
    """The output of a tool: the summary first, then its rows. None is an answer too, once a sensor was heard."""
    if known.since is None:
        return ToolOutput(status="empty", reason="no event of a sensor has been read yet")
    whole = evidence.span_facts(span, known)
    first = evidence.summary(kind, title, filters, {**facts, **whole})
    coverage = {name: fact.value for name, fact in whole.items()}
    data = {"count": facts["count"].value, **(more or {}), "rows": evidence.as_data(rows), "coverage": coverage}
    return ToolOutput(summary=title, data=data, evidence=(first, *rows))


# --- arguments ------------------------------------------------------------------------------------------------


def read_span(args: SpanArgs, context: ToolContext) -> Span:
    """From ``since`` to ``until``. Raises: ToolArgumentError."""
    zone = read_zone(context.timezone)
    found = []
    for name, said in (("since", args.since), ("until", args.until or "now")):
        moment = read_typed_time(said, context.now, zone)
        if moment is None:
            raise ToolArgumentError(f"{name}: {said[:80]!r} is not a time; write {TIME}")
        found.append(moment.timestamp())
    if found[0] >= found[1]:
        raise ToolArgumentError(f"since: {args.since!r} is not before until, {args.until or 'now'!r}")
    return Span(*found)


def read_networks(parts: Sequence[str]) -> tuple[Network, ...]:
    """Addresses and prefixes. Raises: ToolArgumentError: one is neither, or there are too many."""
    if len(parts) > MOST_NETWORKS:
        raise ToolArgumentError(f"address: {len(parts)} prefixes are too many; {MOST_NETWORKS} at most")
    try:
        return tuple(read_network(part) for part in parts)
    except ValueError as error:
        raise ToolArgumentError(f"address: {str(error)[:120]}") from error


def read_hours(said: str) -> tuple[int, int] | None:
    """``7-19`` as its two hours. Raises: ToolArgumentError: they are none."""
    match = re.fullmatch(r"([01]?\d|2[0-4])-([01]?\d|2[0-4])", said)
    if said and (match is None or match[1] == match[2]):
        raise ToolArgumentError(f"hours: {said[:40]!r} are none; write 7-19")
    return (int(match[1]), int(match[2])) if match else None


def read_kinds(said: str) -> tuple[str, ...]:
    """Kinds of new things. Raises: ToolArgumentError: one is none."""
    named = tuple(parts_of(said))
    if wrong := [kind for kind in named if kind not in first_seen.KINDS]:
        raise ToolArgumentError(f"kinds: there is no {wrong[0]!r}", first_seen.KINDS)
    return named or first_seen.KINDS


def filters_of(args: ToolArgs) -> dict[str, object]:
    """The arguments that say which rows, as they stand in locators."""
    return {k: v for k, v in args.model_dump().items() if k != "limit"}


# --- building -------------------------------------------------------------------------------------------------


def make(
    name: str,
    purpose: str,
    args: type[SpanArgs],
    run: Callable[[Sensors, Any, ToolContext], ToolOutput],
    options: dict[str, Any],
    resources: Resources,
) -> Tool:
    """One tool over the sensors that all share, described as its arguments are; the first also follows and pings for
    the others. Raises: pydantic.ValidationError: an option is unknown.
    """
    NoOptions.model_validate(options)
    sensors = resources.shared(Sensors)

    return Tool(
        name=name,
        source="sensors",
        key="suricata.eve",
        description=" ".join((args.__doc__ or "").split()),
        purpose=purpose,
        access="read",
        args=args,
        run=lambda given, context: run(sensors, given, context),
        ping=sensors.ping if name == "ids_alerts" else None,
        refresh=sensors.refresh if name == "ids_alerts" else None,
        landscape=sensors.landscape,
        prepare=sensors.prepare,
    )


build_ids_alerts = partial(make, "ids_alerts", "look for alerts", AlertArgs, Sensors.alerts)
build_ids_talkers = partial(make, "ids_talkers", "look who speaks to whom", TalkerArgs, Sensors.talkers)
build_ids_beacons = partial(make, "ids_beacons", "look for regular connections", BeaconArgs, Sensors.beacons)
build_ids_first_seen = partial(make, "ids_first_seen", "look what is new", FirstSeenArgs, Sensors.first_seen)
