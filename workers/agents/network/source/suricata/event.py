"""One line of EVE as a sighting: who spoke to whom, and the alert when it is one. Anything may stand in a line."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

import orjson

from workers.agents.network.source.suricata.addresses import pack

MOST_TEXT, MOST_NAME, MOST_NUMBER = 1_000, 255, 2**63 - 1
MOST_S = 253_402_300_799.0
"""The end of the year 9999: later moments cannot be said."""


class BrokenLine(ValueError):
    """A line that is no event: no JSON object, no time, or no addresses where there must be some."""


@dataclass(frozen=True, slots=True)
class AlertPart:
    """What a rule said. ``severity`` 1 is the worst; ``mitre``: techniques and tactics, as the rule's metadata name
    them, separated by commas.
    """

    gid: int
    sid: int
    rev: int
    signature: str
    category: str
    severity: int
    action: str
    mitre: str


@dataclass(frozen=True, slots=True)
class Sighting:
    """One event. ``at``: seconds since the epoch, of a flow its start; ``logged_at``: when it was written; ``src``,
    ``dest``: see `addresses.pack`; ``name``: the host asked for by SNI, DNS or HTTP; ``fingerprint``: JA3, else JA4;
    ``bytes_out``, ``bytes_in``: to the server and back, of a flow that ended. ``vlans``: all tags, ``,30,1000,``.
    ``reason``: why it was dropped, ``rules`` when a rule did it. ``alert``: None in events that are none.
    """

    kind: str
    at: float
    logged_at: float
    sensor: str
    flow_id: int
    src: bytes
    src_port: int
    dest: bytes
    dest_port: int
    proto: str
    app_proto: str
    name: str
    fingerprint: str
    bytes_out: int
    bytes_in: int
    vlans: str
    reason: str
    alert: AlertPart | None


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """An event that names no two hosts, such as statistics: its sensor lived then."""

    logged_at: float
    sensor: str


def read_line(line: bytes) -> Sighting | Heartbeat:
    """Read one line.

    Raises:
        BrokenLine: why it cannot be read. Nothing else is raised, whatever the bytes are.
    """
    try:
        event = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise BrokenLine("not JSON") from error
    if not isinstance(event, dict):
        raise BrokenLine("not a JSON object")
    logged_at = moment(event.get("timestamp"))
    kind, sensor = text(event, "event_type", 16), text(event, "host", 200)
    if not kind:
        raise BrokenLine("no event_type")
    alert = event.get("alert")
    if kind == "alert" and not isinstance(alert, dict):
        raise BrokenLine("an alert without its rule")
    src, dest = event.get("src_ip"), event.get("dest_ip")
    if not isinstance(src, str) or not isinstance(dest, str):
        if kind == "alert":
            raise BrokenLine("an alert without addresses")
        return Heartbeat(logged_at, sensor)
    flow = part(event, "flow")
    try:
        packed = pack(src), pack(dest)
    except ValueError as error:
        raise BrokenLine("an address that is none") from error
    ended = kind in {"flow", "netflow"}
    return Sighting(
        kind=kind,
        at=start_of(flow, logged_at) if ended else logged_at,
        logged_at=logged_at,
        sensor=sensor,
        flow_id=number(event, "flow_id"),
        src=packed[0],
        src_port=number(event, "src_port", 65_535),
        dest=packed[1],
        dest_port=number(event, "dest_port", 65_535),
        proto=text(event, "proto", 16),
        app_proto=text(event, "app_proto", 32) or (kind if kind in NAMED else ""),
        name=name_in(event),
        fingerprint=fingerprint_in(event),
        bytes_out=number(flow, "bytes_toserver") if ended else 0,
        bytes_in=number(flow, "bytes_toclient") if ended else 0,
        vlans=vlans_in(event),
        reason=reason_in(event) if kind == "drop" else "",
        alert=read_alert(alert) if kind == "alert" and isinstance(alert, dict) else None,
    )


NAMED = frozenset({"dns", "http", "ssh", "tls", "quic", "rdp", "smb", "smtp"})
"""Types of events that are called as their protocol is."""


def read_alert(found: dict[str, Any]) -> AlertPart:
    """What a rule said; a severity that is not given is the least."""
    known = part(found, "metadata")
    severity = number(found, "severity", 255)
    return AlertPart(
        gid=number(found, "gid") or 1,
        sid=number(found, "signature_id"),
        rev=number(found, "rev"),
        signature=text(found, "signature"),
        category=text(found, "category"),
        severity=severity or 4,
        action=text(found, "action", 16),
        mitre=", ".join(v for key in MITRE for v in words(known.get(key)))[:MOST_TEXT],
    )


MITRE = ("mitre_technique_id", "mitre_technique_name", "mitre_tactic_name")


def moment(value: object) -> float:
    """Seconds since the epoch; a time without a zone is taken as UTC. Raises: BrokenLine."""
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else None
        if at is None:
            raise BrokenLine("no time")
        seconds = (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError) as error:
        raise BrokenLine("a time that is none") from error
    if not 0 <= seconds <= MOST_S:
        raise BrokenLine("a time that is none")
    return seconds


def start_of(flow: dict[str, Any], otherwise: float) -> float:
    """When a flow began."""
    try:
        return moment(flow.get("start"))
    except BrokenLine:
        return otherwise


def name_in(event: dict[str, Any]) -> str:
    """The host that was asked for, in lower case; of several names in a DNS message the first."""
    dns = part(event, "dns")
    asked = dns.get("queries") or dns.get("query")
    first = asked[0] if isinstance(asked, list) and asked and isinstance(asked[0], dict) else {}
    found = (
        text(part(event, "tls"), "sni", MOST_NAME)
        or text(first, "rrname", MOST_NAME)
        or text(dns, "rrname", MOST_NAME)
        or text(part(event, "http"), "hostname", MOST_NAME)
        or text(part(event, "quic"), "sni", MOST_NAME)
    )
    return found.lower().rstrip(".")


def vlans_in(event: dict[str, Any]) -> str:
    """The tags between commas, so that each can be looked for; a single one may be no list."""
    found = event.get("vlan")
    tags = [tag for tag in (found if isinstance(found, list) else [found]) if isinstance(tag, int)]
    return f",{','.join(map(str, tags[:8]))}," if tags else ""


def reason_in(event: dict[str, Any]) -> str:
    """Why a packet was dropped: a rule that is named did it, whatever else is said."""
    if isinstance(event.get("alert"), dict):
        return RULES
    return text(part(event, "drop"), "reason", 64) or "no reason given"


RULES = "rules"
"""The reason of what a rule dropped, as Suricata writes it."""


def fingerprint_in(event: dict[str, Any]) -> str:
    """How a client begins TLS: JA3, else JA4."""
    for kind in ("tls", "quic"):
        hello = part(event, kind)
        if hello and (found := text(part(hello, "ja3"), "hash", 64) or text(hello, "ja4", 64)):
            return found
    return ""


Place = Literal["flow", "alert", "dns", "http", "tls", "quic", "ja3", "metadata", "drop"]


def part(event: dict[str, Any], key: Place) -> dict[str, Any]:
    """An object inside; an empty one when there is none."""
    found = event.get(key)
    return found if isinstance(found, dict) else {}


def text(event: dict[str, Any], key: str, most: int = MOST_TEXT) -> str:
    """A text, without what databases refuse; empty when it is none."""
    found = event.get(key)
    return found.replace("\x00", "")[:most] if isinstance(found, str) else ""


def number(event: dict[str, Any], key: str, most: int = MOST_NUMBER) -> int:
    """A whole number that is not negative; 0 when it is none."""
    found = event.get(key)
    if not isinstance(found, int) or isinstance(found, bool) or not 0 <= found <= most:
        return 0
    return found


def words(value: object) -> list[str]:
    """A text, or texts in a list."""
    found = value if isinstance(value, list) else [value]
    return [v.replace("\x00", "")[:200] for v in found if isinstance(v, str)]
