"""The tools over what an intrusion detection sensor wrote: alerts, who speaks to whom, rhythms, what is new."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from pydantic import Field
from sqlalchemy import Connection

from workers.agents.network.source.suricata import alert_query, beacons, connection_query, evidence, first_seen
from workers.agents.network.source.suricata.addresses import read_network
from workers.agents.network.source.suricata.alert_query import AlertFilter, Network, Span
from workers.agents.network.source.suricata.connection_query import Records, Side, TalkFilter
from workers.agents.network.source.suricata.coverage import Coverage
from workers.agents.network.source.suricata.sensor_logs import SensorLogs
from workers.contracts import Evidence, Fact, Landscape, ToolOutput
from workers.errors import ToolArgumentError
from workers.language.typed_times import read_typed_time
from workers.language.zones import read_zone
from workers.ports import ToolContext
from workers.toolkit.tool import NoOptions, Resources, Tool, ToolArgs

TIME = "RFC 3339, now, today, yesterday, N hours ago, N days ago"
ADDRESS = "IP addresses and prefixes between commas; empty is all"
MOST_NETWORKS = 200
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
    """Which alerts."""

    signature: str = text("", "words of the rule's text, or its sid")
    severity: int = Field(0, ge=0, le=255, description="just this one; 1 is the worst; 0 is all")
    worst: int = Field(0, ge=0, le=255, description="from 1 to this one; 0 is all")
    sensor: str = text("", "name of a sensor")
    name: str = text("", "host that was asked for by SNI, DNS or HTTP")
    group_by: Literal["", "signature", "source", "target", "category", "severity", "sensor", "name"] = Field(
        "", description="count alerts by this; empty lists them, the most severe and newest first"
    )


class TalkerArgs(SpanArgs):
    """Whose connections."""

    side: Side = Field("any", description="side on which the address stands: source, target or any")
    name: str = text("", "host or domain that was asked for by SNI, DNS or HTTP")


class BeaconArgs(SpanArgs):
    """Whose rhythms."""

    side: Side = Field("any", description="side on which the address stands: source, target or any")


class FirstSeenArgs(SpanArgs):
    """What is new, and where."""

    since: str = text("today", TIME)
    kinds: str = text("", f"between commas: {', '.join(first_seen.KINDS)}; empty is all")


class Sensors(SensorLogs):
    """The kept events of all sensors, and what is asked of them."""

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
        span = read_span(args, context)
        networks = read_networks(args.address)
        wanted = AlertFilter(span, networks, args.signature, args.severity, args.worst, args.sensor, args.name)
        filters = filters_of(args)
        with self.connect() as (connection, known):
            counts = alert_query.count_alerts(connection, wanted)
            if args.group_by:
                groups = alert_query.group_alerts(connection, wanted, args.group_by, args.limit)
                rows = [evidence.group_evidence(g, args.group_by, filters) for g in groups]
            else:
                rows = [evidence.alert_evidence(a) for a in alert_query.list_alerts(connection, wanted, args.limit)]
            more = self.silence(connection, networks) if not counts["count"] else {}
        total = counts.pop("count")
        facts = {"count": evidence.count_fact(total)} | {
            f"severity_{s}": evidence.count_fact(n, f"severity {s}") for s, n in counts.items()
        }
        return told("alerts", f"{total:,} alerts", filters, facts | more, rows, span, known, {"by_severity": counts})

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
        wanted = TalkFilter(span, read_networks(args.address), args.side, args.name)
        with self.connect() as (connection, known):
            records = connection_query.read_records(connection, wanted)
        total = records.flows
        rows = [evidence.talk_evidence(t) for t in connection_query.list_talks(records, args.limit)]
        facts = {"count": evidence.count_fact(total)}
        title = f"{total:,} connections"
        return told("connections", title, filters_of(args), facts, rows, records.span, known, narrowed(records))

    def beacons(self, args: BeaconArgs, context: ToolContext) -> ToolOutput:
        """Returns: ``data = {"count", "pairs", "rows", "coverage"}``. Raises: ToolError."""
        span = read_span(args, context)
        wanted = TalkFilter(span, read_networks(args.address), args.side)
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
        span, networks = read_span(args, context), read_networks(args.address)
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


def read_networks(said: str) -> tuple[Network, ...]:
    """Addresses and prefixes between commas. Raises: ToolArgumentError: one is neither, or there are too many."""
    parts = [part.strip() for part in said.split(",") if part.strip()]
    if len(parts) > MOST_NETWORKS:
        raise ToolArgumentError(f"address: {len(parts)} prefixes are too many; {MOST_NETWORKS} at most")
    try:
        return tuple(read_network(part) for part in parts)
    except ValueError as error:
        raise ToolArgumentError(f"address: {str(error)[:120]}") from error


def read_kinds(said: str) -> tuple[str, ...]:
    """Kinds of new things. Raises: ToolArgumentError: one is none."""
    named = tuple(part.strip() for part in said.split(",") if part.strip())
    if wrong := [kind for kind in named if kind not in first_seen.KINDS]:
        raise ToolArgumentError(f"kinds: there is no {wrong[0]!r}", first_seen.KINDS)
    return named or first_seen.KINDS


def filters_of(args: ToolArgs) -> dict[str, object]:
    """The arguments that say which rows, as they stand in locators."""
    return {k: v for k, v in args.model_dump().items() if k != "limit"}


# --- building -------------------------------------------------------------------------------------------------


def build_ids_alerts(options: dict[str, Any], resources: Resources) -> Tool:
    """Raises: pydantic.ValidationError: an option is unknown."""
    about = (
        "Alerts of the intrusion detection sensors in a span: how many, by severity (1 is the worst), and the alerts "
        "themselves or their counts by signature, source, target, category, sensor. No alert is not the same as no "
        "danger: the output says when sensors were heard last."
    )
    return make("ids_alerts", about, "look for alerts", AlertArgs, Sensors.alerts, options, resources)


def build_ids_talkers(options: dict[str, Any], resources: Resources) -> Tool:
    """Raises: pydantic.ValidationError: an option is unknown."""
    about = "Who speaks to whom: pairs of hosts with the most connections, their ports, bytes and names asked for."
    return make("ids_talkers", about, "look who speaks to whom", TalkerArgs, Sensors.talkers, options, resources)


def build_ids_beacons(options: dict[str, Any], resources: Resources) -> Tool:
    """Raises: pydantic.ValidationError: an option is unknown."""
    about = (
        "Pairs of hosts whose connections come at regular intervals, with interval, jitter, count and span. That may "
        "be a beacon of malware, and as well a monitor, an update check or NTP: a hypothesis, never a proof."
    )
    return make("ids_beacons", about, "look for regular connections", BeaconArgs, Sensors.beacons, options, resources)


def build_ids_first_seen(options: dict[str, Any], resources: Resources) -> Tool:
    """Raises: pydantic.ValidationError: an option is unknown."""
    about = (
        "Signatures, domains, destinations and TLS fingerprints seen for the first time in a span: anywhere, or on "
        "the hosts given by address."
    )
    return make("ids_first_seen", about, "look what is new", FirstSeenArgs, Sensors.first_seen, options, resources)


def make(
    name: str,
    about: str,
    purpose: str,
    args: type[SpanArgs],
    run: Callable[[Sensors, Any, ToolContext], ToolOutput],
    options: dict[str, Any],
    resources: Resources,
) -> Tool:
    """One tool over the sensors that all share; the first also follows and pings for the others."""
    NoOptions.model_validate(options)
    sensors = resources.shared(Sensors)

    def check(given: SpanArgs) -> None:
        read_networks(given.address)

    return Tool(
        name=name,
        source="sensors",
        key="suricata.eve",
        description=about,
        purpose=purpose,
        access="read",
        args=args,
        run=lambda given, context: run(sensors, given, context),
        ping=sensors.ping if name == "ids_alerts" else None,
        refresh=sensors.refresh if name == "ids_alerts" else None,
        landscape=sensors.landscape,
        prepare=sensors.prepare,
        check=check,
    )
