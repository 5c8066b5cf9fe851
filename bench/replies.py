"""``python -m bench replies``: from a mention in Slack to its acknowledgement, its progress and its answer.

Real processes: a local Slack, the bot, prefork workers, beat. The local Slack measures the acknowledgements; the time
of a message is the moment Slack stored it.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import threading
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import psutil

from bench.chaos import QUESTIONS, backends, without_limits
from tests.support.deployment import (
    Deployment,
    Slack,
    is_answer,
    messages_of,
    run_deployment,
    run_slack,
    start_oracle,
    until,
)
from tests.support.real_servers import free_port
from workers.requests.ledger import Ledger
from workers.settings.schema import WorkerSection
from workers.store.database import Database, open_database
from workers.store.migrate import migrate

CHANNELS = 40
FIRST = QUESTIONS[0]


def main(args: list[str]) -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench replies")
    parser.add_argument("--store", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--http", action="store_true", help="events over HTTP instead of Socket Mode")
    parser.add_argument("--seconds", type=float, default=20)
    options = parser.parse_args(args)
    with tempfile.TemporaryDirectory(prefix="oracle-replies-") as folder, ExitStack() as stack:
        home, port = Path(folder) / "home", free_port()
        environment = {**stack.enter_context(backends(options.store, Path(folder))), **without_limits(Path(folder))}
        url = f"http://127.0.0.1:{port}/slack/events"
        slack = stack.enter_context(run_slack(*(("--events-url", url) if options.http else ())))
        make_channels(slack)
        deployment = stack.enter_context(
            run_deployment(home, slack, socket_mode=not options.http, start=start_oracle, **environment)
        )
        deployment.start("demo", "demo").wait()
        database = open_database(environment.get("DATABASE_URL") or f"sqlite:///{home / 'oracle.db'}")
        stack.callback(database.close)
        migrate(database)
        deployment.start_bot(port)
        deployment.start("beat", "beat")
        deployment.start("worker", "worker")
        rows = []
        answers(slack, deployment, database, 1.0, QUESTIONS, 5)  # warm
        for rate, texts in ((1.0, (FIRST,)), (1.0, QUESTIONS), (10.0, QUESTIONS)):
            rows += answers(slack, deployment, database, rate, texts, options.seconds)
        deployment.stop("worker")
        rows += acknowledgements(slack, options.seconds)
    print(f"| {options.store}, {'HTTP' if options.http else 'Socket Mode'} | n | p50 ms | p99 ms |\n|---|---|---|---|")
    print("\n".join(rows))


def make_channels(slack: Slack) -> None:
    """Channels with the bot in them."""
    bot = slack.http.get("/client/boot").json()["app"]["user_id"]
    for number in range(CHANNELS):
        slack.control("channel", {"name": f"bench-{number}"})
        slack.control("invite", {"channel": f"bench-{number}", "user": bot})


def done_so_far(database: Database) -> int:
    """How many requests are done."""
    return Ledger(database, WorkerSection()).counts().get("done", 0)


def mention(slack: Slack, number: int, texts: tuple[str, ...], bot: str) -> tuple[str, str]:
    """One question in one of many channels, so that Slack's limit of one message a second and channel is kept."""
    channel = f"bench-{number % CHANNELS}"
    return channel, slack.ask(channel, texts[number % len(texts)].format(bot=bot))


def pace(rate: float, seconds: float, act: Any) -> list[Any]:
    """Call ``act(n)`` at a steady rate from a pool of threads, however long each takes."""
    found: list[Any] = []
    threads = []
    began = time.perf_counter()
    for number in range(int(rate * seconds)):
        time.sleep(max(began + number / rate - time.perf_counter(), 0))
        thread = threading.Thread(target=lambda n=number: found.append(act(n)), daemon=True)
        thread.start()
        threads.append(thread)
    for thread in threads:
        thread.join()
    return found


def acknowledgements(slack: Slack, seconds: float) -> list[str]:
    """50 events a second, no worker running: each is committed before it is acknowledged."""
    bot = slack.http.get("/client/boot").json()["app"]["user_id"]
    before = len(acked(slack))
    asked = pace(50, seconds, lambda n: mention(slack, n, ("<@{bot}> what is a circuit breaker?",), bot))
    until(lambda: len(acked(slack)) >= before + len(asked), "all acknowledged", 60)
    return [row("acknowledgement, 50 events a second", acked(slack)[before:])]


def acked(slack: Slack) -> list[float]:
    """Milliseconds from sending an event to its acknowledgement."""
    found = slack.get("deliveries", type="app_mention")["deliveries"]
    return [a["ack_ms"] for d in found for a in d["attempts"] if a["ack_ms"] is not None]


def answers(
    slack: Slack, deployment: Deployment, database: Database, rate: float, texts: tuple[str, ...], seconds: float
) -> list[str]:
    """Mentions at a steady rate; then what Slack stored, by time."""
    bot = slack.http.get("/client/boot").json()["app"]["user_id"]
    before, done = processor_s(deployment), done_so_far(database)
    asked = pace(rate, seconds, lambda n: mention(slack, n, texts, bot))
    until(lambda: done_so_far(database) >= done + len(asked), "all answered", 300)
    spent = processor_s(deployment) - before
    first, answered = [], []
    stored = {(m["channel"], m["ts"]): m for m in every_message(slack)}
    for channel, ts in asked:
        thread = [m for m in stored.values() if m.get("thread_ts") == ts and m["ts"] != ts and m["name"] == channel]
        replies = [float(m["ts"]) - float(ts) for m in thread if is_answer(m)]
        others = [float(m["ts"]) - float(ts) for m in thread if not is_answer(m)]
        answered += [1000 * min(replies)] if replies else []
        first += [1000 * min(others)] if others else []
    kind = "the question about /api/search" if len(texts) == 1 else "four questions in turn"
    name = f"{rate:g} a second, {kind}"
    return [
        row(f"mention to first progress, {name}", first),
        row(f"mention to answer, {name}", answered),
        f"| processor ms a question, all processes, {name} | {len(asked)} | {1000 * spent / len(asked):.0f} | |",
        f"| largest resident memory of a worker process, MiB | | {largest_mib(deployment):.0f} | |",
    ]


def every_message(slack: Slack) -> list[dict[str, Any]]:
    """Every message of the bench's channels, with the name of its channel."""
    found = []
    for number in range(CHANNELS):
        name = f"bench-{number}"
        found += [{**m, "name": name, "channel": name} for m in messages_of(slack.get("state", channel=name))]
    return found


def processes(deployment: Deployment) -> list[psutil.Process]:
    """Those of the deployment, children included."""
    parents = [psutil.Process(p.pid) for p in deployment.running.values() if p.poll() is None]
    return [q for p in parents for q in (p, *p.children(recursive=True))]


def processor_s(deployment: Deployment) -> float:
    """Processor seconds so far, those of children that ended included."""
    total = 0.0
    for process in processes(deployment):
        with suppress(psutil.NoSuchProcess):
            total += sum(process.cpu_times()[:4])
    return total


def largest_mib(deployment: Deployment) -> float:
    """Resident memory of the largest worker process."""
    parent = psutil.Process(deployment.running["worker"].pid)
    return float(max(p.memory_info().rss for p in (parent, *parent.children(recursive=True))) / 2**20)


def row(name: str, values: list[float]) -> str:
    """One line of the table."""
    if len(values) < 2:
        return f"| {name} | {len(values)} | – | – |"
    percent = statistics.quantiles(values, n=100)
    return f"| {name} | {len(values)} | {statistics.median(values):.0f} | {percent[98]:.0f} |"


if __name__ == "__main__":
    main(sys.argv[1:])
