"""Network triage on public data: questions with known answers, and how fast a sensor's log is read.

``python -m bench network --suricata-data DIR --netbox-data DIR [--netbox-url URL --netbox-token T [--load]]``
DIR are checkouts of FrankHassanabad/suricata-sample-data and netbox-community/netbox-demo-data.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.network_netbox import expected, load_demo, read_dump, served_objects
from examples.network.netbox import DEMO_TOKEN, serve_netbox
from workers.agents.network.sections import SuricataSection
from workers.agents.network.source.suricata.ingestion import catch_up
from workers.bootstrap import build_engine
from workers.contracts import Question, RequestLog
from workers.settings.load import load_settings
from workers.store.database import open_database
from workers.store.migrate import migrate

SAMPLE = "samples/wrccdc-2018/alerts-only.json"
Known = list[tuple[str, tuple[str, ...]]]


def main(args: list[str]) -> None:
    """Run what data are given for."""
    parser = argparse.ArgumentParser(prog="python -m bench network")
    parser.add_argument("--suricata-data", type=Path)
    parser.add_argument("--netbox-data", type=Path)
    parser.add_argument("--netbox-url", default="")
    parser.add_argument("--netbox-token", default=DEMO_TOKEN)
    parser.add_argument("--load", action="store_true", help="create the demo's objects in that NetBox first")
    parser.add_argument("--lines", type=int, default=200_000)
    given = parser.parse_args(args)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        home = Path(folder)
        if given.suricata_data:
            events = json.loads((given.suricata_data / SAMPLE).read_text(encoding="utf-8"))
            eve = home / "eve.json"
            eve.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")
            ask_all("suricata-sample-data", about_alerts(events), home / "a", {"oracle.suricata.eve": [str(eve)]})
        if given.netbox_data:
            dump, url = read_dump(given.netbox_data), given.netbox_url
            if given.load:
                load_demo(dump, url, given.netbox_token)
            url = url or stack.enter_context(serve_netbox(objects=served_objects(dump)))
            netbox = {"url": url, "token": given.netbox_token}
            quiet = home / "quiet.json"
            write_events(quiet, 1_000)
            ask_all(
                "netbox-demo-data",
                expected(dump),
                home / "b",
                {"oracle.netbox": netbox, "oracle.suricata.eve": [str(quiet)]},
            )
        if given.lines:
            measure_rate(home, given.lines)


def about_alerts(events: Sequence[dict[str, Any]]) -> Known:
    """Ten questions, each with what the raw alerts say its answer holds."""
    rules = Counter(e["alert"]["signature_id"] for e in events)
    severities = Counter(e["alert"]["severity"] for e in events)
    sources, targets = Counter(e["src_ip"] for e in events), Counter(e["dest_ip"] for e in events)
    hosts = Counter(ip for e in events for ip in {e["src_ip"], e["dest_ip"]})
    busiest, count = hosts.most_common(1)[0]
    prefix = [e for e in events if any(e[k].startswith("10.47.") for k in ("src_ip", "dest_ip"))]
    first = [e for e in prefix if e["alert"]["severity"] == 1]
    one = events[0]["alert"]
    day = [e for e in events if moment(e).date() == datetime(2018, 3, 24, tzinfo=UTC).date()]
    pairs = {e["flow_id"] for e in events if busiest in {e["src_ip"], e["dest_ip"]}}
    window = "since 2018-03-01"
    return [
        (f"which alerts do we have {window}", (f"{len(events)} alerts", f"{severities[1]} of severity 1")),
        (f"top signatures {window}", (f"{len(events)} alerts", f"{max(rules.values())} ×")),
        (f"how many alerts of each severity {window}", tuple(f"{n} ×" for n in severities.values())),
        (f"which hosts alert most {window}", (f"{sources.most_common(1)[0][1]} × “{sources.most_common(1)[0][0]}”",)),
        (f"most attacked targets {window}", (f"{targets.most_common(1)[0][1]} ×",)),
        (f"what is {busiest}, and has it alerted {window}?", (f"{count} alerts",)),
        (f"severity 1 alerts on 10.47.0.0/16 {window}", (f"{len(first)} alerts",)),
        (
            f"has sid {one['signature_id']} fired {window}?",
            (f"{sum(e['alert']['signature_id'] == one['signature_id'] for e in events)} alerts",),
        ),
        ("what alerted on 2018-03-24", (f"{len(day)} alerts",)),
        (f"who talks to {busiest} {window}", (f"{len(pairs)} connections",)),
    ]


def moment(event: dict[str, Any]) -> datetime:
    """When it was, in UTC."""
    return datetime.fromisoformat(event["timestamp"]).astimezone(UTC)


def ask_all(title: str, known: Known, home: Path, settings: dict[str, Any]) -> None:
    """Ask each question, and print whether its answer holds what it must."""
    os.environ["ORACLE_HOME"] = str(home)
    oracle = build_engine(load_settings({**settings, "oracle.timezone": "UTC"}, home=home))
    right, took = 0, []
    for number, (text, wanted) in enumerate(known):
        asked = Question(request_id=f"b{number}", text=text, received_at=datetime.now(UTC), agent="network")
        began = time.perf_counter()
        said = words_of(oracle.engine.ask(asked))
        took.append(time.perf_counter() - began)
        missing = [value for value in wanted if value.lower() not in said.lower()]
        right += not missing
        print(f"{'right' if not missing else 'WRONG'}  {text}{f'  lacks {missing}: {said[:400]}' if missing else ''}")
    oracle.close()
    took_ms = sorted(1_000 * seconds for seconds in took)
    print(
        f"{title}: {right} of {len(known)} right, "
        f"median {took_ms[len(took_ms) // 2]:.0f} ms, slowest {took_ms[-1]:.0f} ms"
    )


def words_of(log: RequestLog) -> str:
    """All that an answer says."""
    answer = log.answer
    if answer is None:
        return ""
    claims = (answer.headline, *answer.what_changed, *answer.metrics, *answer.docs)
    return "\n".join([*(claim.text for claim in claims), *(gap.text for gap in answer.missing)])


def write_events(path: Path, lines: int) -> None:
    """Flows, TLS, DNS and alerts of a day before now, as a busy office has them."""
    chance = random.Random(1)
    clients = [f"10.9.{chance.randrange(4)}.{chance.randrange(1, 250)}" for _ in range(400)]
    servers = [
        f"{chance.randrange(20, 200)}.{chance.randrange(255)}.7.{chance.randrange(1, 255)}" for _ in range(3_000)
    ]
    at, step = datetime.now(UTC) - timedelta(days=1), timedelta(seconds=86_000 / lines)
    with path.open("w", encoding="utf-8") as file:
        for number in range(lines):
            at += step
            place = min(int(chance.paretovariate(0.7)) - 1, len(servers) - 1)
            stamp = at.strftime("%Y-%m-%dT%H:%M:%S.%f+0000")
            event: dict[str, Any] = {
                "timestamp": stamp,
                "flow_id": chance.randrange(2**50),
                "in_iface": "eth0",
                "event_type": "flow",
                "src_ip": chance.choice(clients),
                "src_port": 40_000,
                "dest_ip": servers[place],
                "dest_port": 443,
                "proto": "TCP",
                "host": "sensor",
            }
            kind = number % 50
            if kind == 0:
                rule = {"action": "allowed", "gid": 1, "signature_id": 2_000_000 + place % 90, "rev": 1, "severity": 3}
                event |= {
                    "event_type": "alert",
                    "alert": rule | {"signature": f"ET TEST {place % 90}", "category": "Misc activity"},
                }
            elif kind < 25:
                sizes = {
                    "pkts_toserver": 9,
                    "pkts_toclient": 9,
                    "bytes_toserver": place,
                    "bytes_toclient": 9_000,
                    "start": stamp,
                }
                event |= {
                    "app_proto": "tls",
                    "flow": sizes | {"end": stamp, "age": 3, "state": "closed", "reason": "timeout"},
                }
            elif kind < 38:
                event |= {
                    "event_type": "dns",
                    "dns": {"type": "query", "rrname": f"host{place}.example.com", "rrtype": "A"},
                }
            else:
                event |= {
                    "event_type": "tls",
                    "tls": {"sni": f"host{place}.example.com", "version": "TLS 1.3", "ja3": {"hash": "a" * 32}},
                }
            file.write(json.dumps(event) + "\n")


def measure_rate(home: Path, lines: int) -> None:
    """Lines a second into SQLite, and what `jq` takes to do no more than read and write them."""
    path = home / "rate.json"
    write_events(path, lines)
    database = open_database(f"sqlite:///{home / 'rate.db'}")
    migrate(database)
    began = time.perf_counter()
    progress = catch_up(database, SuricataSection(eve=(str(path),)), 3_600)
    took = time.perf_counter() - began
    database.close()
    size = path.stat().st_size / 1e6
    print(f"read {progress.lines:,} lines ({size:.0f} MB) in {took:.1f} s: {progress.lines / took:,.0f} lines/s")
    if jq := shutil.which("jq"):
        began = time.perf_counter()
        subprocess.run([jq, "-c", ".", str(path)], stdout=subprocess.DEVNULL, check=True)
        took = time.perf_counter() - began
        print(f"jq -c . in {took:.1f} s: {lines / took:,.0f} lines/s")
