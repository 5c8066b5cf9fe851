"""``python -m bench flood``: how long acknowledgements take while one followed channel, or a hook, is flooded.

Real processes: a local Slack, the bot over Socket Mode, prefork workers, beat; or all of it in one process with
``--embedded``, as ``oracle up`` runs it. In a channel of an incident people post messages as long as Slack takes, full
of words that redaction looks at closely; a hook gets as much. Meanwhile others ask in another channel. Measured is what
Slack measures: from the sending of an event to its acknowledgement, over the events of that other channel, before the
flood and during it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx

from bench.chaos import without_limits
from tests.support.deployment import Slack, run_deployment, run_slack, start_oracle, until
from tests.support.real_servers import free_port

FLOODED, ASKED = "inc-1-checkout", "search"
CHARS = 40_000
TEXTS = ("password ", "my password is x and the ", "password=", "token: abc secret key said that ")
TOKEN = "flood-bench-hook"
MOST_MS = 200.0


def main(args: list[str]) -> None:
    """Flood, ask, print. Exit 1: the slowest hundredth of acknowledgements took more than 200 ms."""
    parser = argparse.ArgumentParser(prog="python -m bench flood")
    parser.add_argument("--messages", type=int, default=6, help="long messages in the followed channel")
    parser.add_argument("--hooks", type=int, default=6, help="long notifications of Alertmanager")
    parser.add_argument("--questions", type=int, default=60, help="before the flood, and as many during it")
    parser.add_argument("--within", type=float, default=40, help="seconds in which they are asked")
    parser.add_argument("--embedded", action="store_true", help="bot and workers in one process")
    options = parser.parse_args(args)
    found = measure(options)
    title = "one process" if options.embedded else "processes of their own"
    print(f"| {options.messages} messages of {CHARS:,} characters, {options.hooks} hooks, {title} | |\n|---|---|")
    print("\n".join(f"| {name} | {value} |" for name, value in found.items()))
    if found["acknowledged within, p99 ms"] > MOST_MS or found["never acknowledged"]:
        sys.exit(1)


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """One run."""
    with tempfile.TemporaryDirectory(prefix="oracle-flood-") as folder, ExitStack() as stack:
        slack = stack.enter_context(run_slack())
        slack.control("limits", {"unlimited": True})
        environment = {**without_limits(Path(folder)), "HOOKS_TOKEN": TOKEN}
        home = Path(folder) / "home"
        deployment = stack.enter_context(run_deployment(home, slack, start=start_oracle, **environment))
        deployment.start("demo", "demo").wait()
        url = start(deployment, embedded=options.embedded)
        channel = str(slack.control("channel", {"name": FLOODED, "user": "maya", "guests": ["oracle"]})["channel"])
        time.sleep(3)  # the channel is found and followed
        quiet = ask_all(slack, options)
        began = time.monotonic()
        flood = threading.Thread(target=pour, args=(slack, channel, url, options))
        flood.start()
        asked = ask_all(slack, options)
        flood.join()
        took = time.monotonic() - began
        until(lambda: all(ts in acknowledged(slack) for ts in asked), "all are acknowledged", 120)
        before, during = (sorted(acknowledged(slack)[ts] for ts in some) for some in (quiet, asked))
        return {
            "asked in the other channel, before and during": f"{len(before)}, {len(during)}",
            "acknowledged within before it, p50 ms": round(at(before, 0.5), 1),
            "acknowledged within before it, p99 ms": round(at(before, 0.99), 1),
            "acknowledged within, p50 ms": round(at(during, 0.5), 1),
            "acknowledged within, p99 ms": round(at(during, 0.99), 1),
            "never acknowledged": sum(ts not in acknowledged(slack) for ts in asked),
            "seconds": round(took, 1),
        }


def at(ordered: list[float], share: float) -> float:
    """The value below which a share of others lies."""
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def start(deployment: Any, *, embedded: bool) -> str:
    """Start it. Returns: the address of health and hooks."""
    if not embedded:
        return str(deployment.start_all())
    port = free_port()
    deployment.start("up", "up", PORT=str(port))
    url = f"http://127.0.0.1:{port}"

    def ready() -> bool:
        try:
            return httpx.get(f"{url}/readyz", timeout=2).status_code == 200
        except httpx.TransportError:
            return False

    until(ready, "it is ready")
    return url


def pour(slack: Slack, channel: str, url: str, options: argparse.Namespace) -> None:
    """The flood: long messages, and notifications of alerts with as long notes."""
    for number in range(options.messages):
        text = TEXTS[number % len(TEXTS)]
        slack.ask(channel, (text * (CHARS // len(text)))[:CHARS], user="maya")
    for number in range(options.hooks):
        text = TEXTS[number % len(TEXTS)]
        alerts = [
            {
                "status": "firing",
                "startsAt": "2026-11-20T10:00:00Z",
                "labels": {"alertname": f"Flood{number}-{i}"},
                "annotations": {"summary": (text * 200)[:1_000], "description": (text * 10_000)[:CHARS]},
            }
            for i in range(20)
        ]
        body = {"version": "4", "groupKey": f"flood-{number}", "alerts": alerts}
        try:
            headers = {"authorization": f"Bearer {TOKEN}"}
            httpx.post(f"{url}/hooks/alertmanager", json=body, headers=headers, timeout=300)
        except httpx.HTTPError as error:
            print(f"a hook was not taken: {error}", file=sys.stderr)


def ask_all(slack: Slack, options: argparse.Namespace) -> list[str]:
    """Ask at an even pace. Returns: the ts of the questions."""
    bot = slack.http.get("/client/boot").json()["app"]["user_id"]
    began, asked = time.monotonic(), []
    for number in range(options.questions):
        time.sleep(max(began + number * options.within / options.questions - time.monotonic(), 0))
        asked.append(slack.ask(ASKED, f"<@{bot}> how much traffic does /api/checkout get? ({number})"))
    return asked


def acknowledged(slack: Slack) -> dict[str, float]:
    """ts of a mention -> milliseconds to its acknowledgement."""
    found = slack.get("deliveries", type="app_mention", payload=True)["deliveries"]
    took = {}
    for one in found:
        ms = [attempt["ack_ms"] for attempt in one["attempts"] if attempt["ack_ms"] is not None]
        if ms:
            took[one["payload"]["event"]["ts"]] = min(ms)
    return took
