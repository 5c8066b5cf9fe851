"""``python -m bench history``: what reading back a long channel costs a worker, and then one new message in it.

A local Slack holds the channel (`bench.incidents.past`). A process of its own does what a worker does with it, until
all is read and the summary stands; then one message more. Each size runs twice: once for memory as the system counts it
and processor time, once under tracemalloc, which counts what Python allocates and makes everything slow.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import tempfile
import time
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import update

from bench.incidents.past import long_past
from tests.support.channel_changes import record_change
from tests.support.deployment import run_slack
from workers.bootstrap import build_engine
from workers.entrypoints.tasks import build_worker_context
from workers.incidents.channel.follow_channel import CHANNEL_WORK
from workers.requests.lease_runner import work_on
from workers.requests.worker_context import WorkerContext
from workers.settings.load import load_settings
from workers.slack_messages.fields import Fields
from workers.slack_messages.message import read_message, version_of
from workers.store.channel_messages import load_messages
from workers.store.followed_channels import followed, note_channel
from workers.store.tables import followed_channels
from workers.telemetry.service_metrics import ServiceMetrics

MIB = 2**20
SHOWN = ("conversations.history", "conversations.replies", "users.info", "chat.postMessage", "chat.update")
NEWS = "still seeing 502 on checkout, error rate is 4% now"
MORE = 5
"""So many new messages are measured, one after the other; the middle one counts."""


def main(args: list[str]) -> None:
    """Measure every size, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench history")
    parser.add_argument("--messages", type=int, nargs="+", default=[500, 2_000, 8_000])
    given = parser.parse_args(args)
    heads = ["messages", "their text, MiB", "RSS before, MiB", "RSS at most, MiB", "tracemalloc peak, MiB"]
    heads += ["processor s to read and sum up", "processor s, one new message", *SHOWN, "other calls"]
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}", flush=True)
    for count in given.messages:
        row, traced = measured(count, traced=False), measured(count, traced=True)
        calls = Counter(row["calls"])
        cells = [f"{count:,}", *(f"{row[name]:.1f}" for name in ("text", "before", "most")), f"{traced['peak']:.1f}"]
        cells += [f"{row['read_s']:.1f}", f"{row['new_s']:.2f}", *(str(calls.pop(name, 0)) for name in SHOWN)]
        print(f"| {' | '.join([*cells, str(calls.total())])} |", flush=True)


def measured(count: int, *, traced: bool) -> dict[str, Any]:
    """One size, in a local Slack and a worker process of its own."""
    with run_slack() as slack, tempfile.TemporaryDirectory(prefix="oracle-history-") as home, ExitStack() as stack:
        slack.control("limits", {"unlimited": True})
        people, messages = long_past(count, max(count // 20, 2), time.time() - 60)
        for person in people:
            slack.control("person", person)
        channel = str(slack.control("channel", {"name": "inc-long", "user": "maya", "guests": []})["channel"])
        for start in range(0, count, 1_000):
            slack.control("pasts", {"channel": channel, "messages": messages[start : start + 1_000]})
        slack.control("invite", {"channel": channel, "user": "oracle"})
        pool = stack.enter_context(multiprocessing.get_context("spawn").Pool(1))
        team = str(slack.get("state", channel=channel)["team"]["id"])
        found: dict[str, Any] = pool.apply(work, (slack.address, home, team, channel, traced))
        return found | {"calls": [call["method"] for call in slack.get("calls")["calls"]]}


def work(address: dict[str, str], home: str, team: str, channel: str, traced: bool) -> dict[str, float]:
    """What a worker does with a channel. Returns: memory in MiB, processor time in seconds."""
    with run_desk(address, Path(home)) as worker:
        before = peak_rss()
        if traced:
            tracemalloc.start()
        began = time.process_time()
        note_channel(worker.ledger.database, team, channel)
        tend_all(worker, team, channel)
        read_s, new_s = time.process_time() - began, []
        for number in range(MORE):
            event = {"type": "message", "ts": f"{time.time():.6f}", "user": "U0NOBODY", "text": f"{NEWS} ({number})"}
            change = version_of(read_message(Fields(event)))
            assert change is not None
            record_change(worker.ledger.database, team, channel, change, worker.ledger.clean, settle_s=0, every_s=60)
            began = time.process_time()
            tend_all(worker, team, channel)
            new_s.append(time.process_time() - began)
        peak = tracemalloc.get_traced_memory()[1] / MIB if traced else 0.0
        most = peak_rss()
        text = sum(len(m.text.encode()) for m in load_messages(worker.ledger.database, team, channel)) / MIB
        new = sorted(new_s)[MORE // 2]
        return {"before": before, "most": most, "peak": peak, "read_s": read_s, "new_s": new, "text": text}


def tend_all(worker: WorkerContext, team: str, channel: str) -> None:
    """Turns until nothing is to be done; what waits is due at once."""
    while True:
        with worker.ledger.database.begin(exclusive=True) as connection:
            due = followed_channels.c.due_at.is_not(None)
            connection.execute(update(followed_channels).where(due).values(wait_until=0.0, due_at=0.0))
        work_on(worker, CHANNEL_WORK, (team, channel))
        state = followed(worker.ledger.database, team, channel)
        assert state is not None
        assert state.failures == 0
        if state.read_done and state.dirty == state.seen:
            return


def peak_rss() -> float:
    """The largest resident memory of this process so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@contextmanager
def run_desk(address: dict[str, str], home: Path) -> Iterator[WorkerContext]:
    """What a worker process holds."""
    keys = ("bot_token", "app_token", "signing_secret", "api_url")
    settings = load_settings({f"oracle.slack.{key}": address[key] for key in keys}, home=home)
    oracle = build_engine(settings)
    worker = build_worker_context(oracle, ServiceMetrics(oracle.metrics))
    try:
        yield worker
    finally:
        worker.board.close()
        oracle.close()
