"""The sensor's log: three quiet days, and today a scan, a beacon, a policy alert and a domain nobody knew."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

SENSOR = "sensor-ams"
SUSPECT, SERVER, CLIENT, RESOLVER = "10.2.3.4", "10.2.8.20", "10.2.3.17", "10.2.8.53"
SCANNER, CONTROLLER = "203.0.113.66", "198.51.100.77"
UPDATES, MAIL = "192.0.2.10", "192.0.2.25"
NEW_DOMAIN = "cdn-telemetry.example.net"
BEAT_S = 300
Event = dict[str, Any]


def build_network(folder: Path, now: datetime) -> dict[str, Any]:
    """Write ``eve.json`` into a folder, with times up to ``now`` (aware), in place of an older one.

    Returns: the part of ``config/oracle.yaml`` that connects it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(7)  # noqa: S311 - the same office every time
    events = [*quiet_days(now, chance), *scan(now, chance), *beacon(now, chance), *policy(now), *malware(now)]
    events.sort(key=lambda event: str(event["timestamp"]))
    path = folder / "eve.json"
    path.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")
    return {"suricata": {"eve": [str(path)]}}


def event(at: datetime, kind: str, src: str, dest: str, port: int, chance_id: int, **more: Any) -> Event:
    """One event as Suricata writes it. ``chance_id``: of its flow."""
    return {
        "timestamp": at.strftime("%Y-%m-%dT%H:%M:%S.%f%z"),
        "flow_id": chance_id,
        "in_iface": "eth1",
        "event_type": kind,
        "src_ip": src,
        "src_port": 32_768 + chance_id % 28_000,
        "dest_ip": dest,
        "dest_port": port,
        "proto": "UDP" if port == 53 else "TCP",
        "host": SENSOR,
        **more,
    }


def flow(at: datetime, src: str, dest: str, port: int, number: int, out: int, back: int, app: str = "failed") -> Event:
    """A flow that ended two seconds after it began."""
    counts = {"pkts_toserver": 4 + out // 1400, "pkts_toclient": 3 + back // 1400}
    sizes = {"bytes_toserver": out, "bytes_toclient": back}
    times = {"start": at.strftime("%Y-%m-%dT%H:%M:%S.%f%z"), "age": 2, "state": "closed", "reason": "timeout"}
    later = at + timedelta(seconds=2)
    return event(
        later, "flow", src, dest, port, number, app_proto=app, flow={**counts, **sizes, **times, "alerted": False}
    )


def alert(at: datetime, src: str, dest: str, port: int, number: int, rule: Event, **more: Any) -> Event:
    """An alert of a rule."""
    said = {"action": "allowed", "gid": 1, "rev": 2, **rule}
    return event(at, "alert", src, dest, port, number, alert=said, **more)


def query(at: datetime, src: str, name: str, number: int) -> Event:
    """A question to the resolver."""
    asked = {"version": 2, "type": "query", "id": number % 65_536, "rrname": name, "rrtype": "A", "tx_id": 0}
    return event(at, "dns", src, RESOLVER, 53, number, dns=asked)


def hello(at: datetime, src: str, dest: str, name: str, number: int, ja3: str) -> Event:
    """The beginning of a TLS connection."""
    return event(at, "tls", src, dest, 443, number, tls={"sni": name, "version": "TLS 1.3", "ja3": {"hash": ja3}})


BROWSER, IMPLANT = "cd08e31494f9531f560d64c695473da9", "72a589da586844d7f0818ce684948eea"


def quiet_days(now: datetime, chance: random.Random) -> Iterator[Event]:
    """What people and updates do: now and then, from three days ago on."""
    at, number = now - timedelta(days=3), 1_000_000
    while at < now:
        number += 1
        src = chance.choice((SUSPECT, CLIENT, "10.2.3.30", SERVER))
        dest, name = chance.choice(((UPDATES, "updates.example.org"), (MAIL, "mail.example.org")))
        yield query(at, src, name, number + 500_000)
        yield hello(at + timedelta(milliseconds=40), src, dest, name, number, BROWSER)
        yield flow(at, src, dest, 443, number, chance.randrange(800, 9_000), chance.randrange(4_000, 90_000), "tls")
        at += timedelta(seconds=chance.expovariate(1 / 420))


def scan(now: datetime, chance: random.Random) -> Iterator[Event]:
    """Somebody outside looks for open ports, 40 minutes ago."""
    rule = {"signature_id": 2_001_219, "signature": "ET SCAN Potential SSH Scan", "severity": 2}
    for i in range(60):
        at = now - timedelta(minutes=40) + timedelta(seconds=0.4 * i, milliseconds=chance.randrange(50))
        dest = f"10.2.3.{1 + i}"
        yield flow(at, SCANNER, dest, 22, 3_000_000 + i, 74, 0)
        if i % 5 == 0:
            yield alert(at, SCANNER, dest, 22, 3_000_000 + i, {**rule, "category": "Attempted Information Leak"})


def beacon(now: datetime, chance: random.Random) -> Iterator[Event]:
    """One machine calls the same server every five minutes, for the last nine hours."""
    for i in range(9 * 3_600 // BEAT_S):
        at = now - timedelta(seconds=60 + BEAT_S * i + chance.uniform(-6, 6))
        number = 4_000_000 + i
        yield query(at, SUSPECT, NEW_DOMAIN, number + 500_000)
        yield hello(at + timedelta(milliseconds=60), SUSPECT, CONTROLLER, NEW_DOMAIN, number, IMPLANT)
        yield flow(at, SUSPECT, CONTROLLER, 443, number, 612, 1_380, "tls")


def malware(now: datetime) -> Iterator[Event]:
    """A rule knows the server that is called."""
    rule = {
        "signature_id": 2_850_001,
        "signature": "ET MALWARE Observed Known Beacon Domain in TLS SNI",
        "category": "Malware Command and Control Activity Detected",
        "severity": 1,
        "metadata": {
            "mitre_tactic_name": ["Command_And_Control"],
            "mitre_technique_id": ["T1071"],
            "mitre_technique_name": ["Application_Layer_Protocol"],
        },
    }
    for i in range(3):
        at = now - timedelta(minutes=12 + 17 * i)
        more = {"app_proto": "tls", "tls": {"sni": NEW_DOMAIN, "version": "TLS 1.3", "ja3": {"hash": IMPLANT}}}
        yield alert(at, SUSPECT, CONTROLLER, 443, 4_000_000 + i, rule, **more)


def policy(now: datetime) -> Iterator[Event]:
    """Something that is against the rules of the house, and harmless."""
    rule = {"signature_id": 2_013_028, "signature": "ET POLICY curl User-Agent Outbound", "severity": 3}
    more = {
        "app_proto": "http",
        "http": {"hostname": "updates.example.org", "url": "/install.sh", "http_method": "GET"},
    }
    for hours in (2, 26):
        at = now - timedelta(hours=hours)
        about = {**rule, "category": "Attempted Information Leak"}
        yield alert(at, SERVER, UPDATES, 80, 5_000_000 + hours, about, **more)
