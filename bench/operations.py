"""``python -m bench operations``: the eight tools, every pattern's sequence of them, and questions asked of the engine.

Each call is a new one: nothing is cached but what the database itself keeps. Every number is compared with SQL of its
own over the raw rows, on SQLite and on PostgreSQL.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from bench.operations_asked import ask_all
from bench.operations_sql import compare
from tests.support.real_servers import run_postgresql
from workers.agents.operations.source.database import open_reading, open_writing
from workers.agents.operations.source.demo_load import fill
from workers.agents.operations.source.hourly_refresh import refresh_hours
from workers.agents.operations.tools import ops
from workers.contracts import ToolOutput
from workers.ports import ToolContext
from workers.settings.load import load_settings
from workers.toolkit.tool import Resources

NOW = datetime(2026, 11, 20, 14, 23, 45, tzinfo=UTC)
Args = dict[str, Any]
Call = tuple[str, Args]


def main(args: list[str]) -> None:
    """Measure, and print a table. Exit 1: a number is wrong."""
    parser = argparse.ArgumentParser(prog="python -m bench operations")
    parser.add_argument("--requests", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--stores", default="sqlite,postgresql")
    options = parser.parse_args(args)
    wrong: list[str] = []
    for store in options.stores.split(","):
        with database(store) as address:
            wrong += [f"{store}: {line}" for line in measure(store, address, options.requests, options.runs)]
    print("\n".join(wrong) if wrong else "all numbers equal independent SQL over the raw rows")
    if wrong:
        raise SystemExit(1)


@contextmanager
def database(store: str) -> Iterator[str]:
    """An empty database's address."""
    if store == "sqlite":
        with tempfile.TemporaryDirectory(prefix="oracle-bench-") as folder:
            yield f"sqlite:///{Path(folder) / 'context.db'}"
        return
    with run_postgresql() as server:
        yield f"{server}/postgres"


def measure(store: str, address: str, count: int, runs: int) -> list[str]:
    """Fill, ask, time. Returns: what is wrong."""
    target = open_writing(address)
    filled = spent(lambda: fill(target, NOW, 7, count))
    summed = spent(lambda: refresh_hours(target))
    target.close()
    print(f"\n{store}, {count:,} requests: generated in {filled:.0f} s, hours summed up in {summed:.0f} s\n")
    call = caller(address)
    some = call("get_recent_requests", {"status": "error"}).data["requests"][0]["id"]
    print("| what | p50 ms | p95 ms |\n|---|---|---|")
    for name, given in singles(some):
        show(f"{name} {words(given)}".strip(), timed(lambda name=name, given=given: call(name, given), runs))
    for pattern, steps in patterns(some).items():
        show(f"**{pattern}**", timed(lambda steps=steps: [call(*step) for step in steps], runs))
    wrong = compare(call, address, NOW)
    for pattern, ms, mistake in ask_all(address, some, NOW, runs):
        show(f"asked, {pattern}", ms)
        wrong += [f"{pattern}: {mistake}"] if mistake else []
    open_reading(address).close()
    open_reading.cache_clear()
    return wrong


def caller(address: str, now: datetime = NOW) -> Callable[[str, Args], ToolOutput]:
    """Runs a tool as the wrappers do, without their cache."""
    settings = load_settings({"oracle.context.url": address})
    resources = Resources(settings, lambda _start, _end: ())
    context = ToolContext("bench", "operations", now)
    tools = {name: getattr(ops, f"build_{name}")({}, resources) for name in ops.DESCRIBE}

    def call(name: str, given: Args) -> ToolOutput:
        output = tools[name].run(tools[name].args.model_validate(given), context)
        assert output.status in {"ok", "empty"}, output.reason
        return output

    return call


def singles(request_id: str) -> list[Call]:
    """Each tool with its defaults, and with what costs more."""
    return [
        ("get_active_incidents", {}),
        ("get_deployment_status", {}),
        ("get_recent_requests", {}),
        ("get_recent_requests", {"user_tier": "budget", "status": "error", "limit": 500}),
        ("get_recent_requests", {"deployment_id": "sable-vision/north-gpu", "status": "error"}),
        ("get_request_detail", {"request_id": request_id}),
        ("get_user_context", {"user_id": "support-desk"}),
        ("get_latency_trends", {}),
        ("get_latency_trends", {"since": "7 days ago"}),
        ("get_latency_trends", {"since": "7 days ago", "granularity": "day"}),
        ("get_quality_summary", {}),
        ("get_request_volume", {}),
        ("get_request_volume", {"group_by": "model", "granularity": "hour"}),
    ]


def patterns(request_id: str) -> dict[str, list[Call]]:
    """The tools of each known pattern, in their order."""
    incidents: Call = ("get_active_incidents", {})
    status: Call = ("get_deployment_status", {})
    detail: Call = ("get_request_detail", {"request_id": request_id})
    week: Call = ("get_latency_trends", {"since": "7 days ago"})
    return {
        "SYSTEM_STATUS": [incidents, status],
        "ACTIVE_INCIDENTS": [incidents],
        "LATENCY_INVESTIGATION": [incidents, ("get_latency_trends", {}), status, ("get_recent_requests", {})],
        "QUALITY_INVESTIGATION": [incidents, ("get_quality_summary", {}), status, detail],
        "ERROR_INVESTIGATION": [incidents, status, ("get_recent_requests", {"status": "error"}), detail],
        "TRAFFIC_ANALYSIS": [("get_request_volume", {}), ("get_latency_trends", {})],
        "TRAFFIC_ANALYSIS, 7 days by hour": [("get_request_volume", {"granularity": "hour"}), week],
        "REQUEST_LOOKUP": [detail],
        "USER_LOOKUP": [
            ("get_user_context", {"user_id": "support-desk"}),
            ("get_recent_requests", {"user_id": "support-desk"}),
        ],
    }


def timed(work: Callable[[], Any], runs: int) -> list[float]:
    """Milliseconds of each run."""
    return [spent(work) * 1000 for _ in range(runs)]


def spent(work: Callable[[], Any]) -> float:
    """Seconds that it takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def show(what: str, ms: list[float]) -> None:
    """One row."""
    print(f"| {what} | {np.percentile(ms, 50):.0f} | {np.percentile(ms, 95):.0f} |")


def words(given: Args) -> str:
    """Arguments in a table."""
    return ", ".join(f"{name} {value}" for name, value in given.items() if name != "request_id")
