"""Questions about operations, each asked of the whole engine with the rules, nothing kept from the one before."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from workers.bootstrap import build_engine
from workers.contracts import Question, RequestLog
from workers.settings.load import load_settings
from workers.toolkit.clock import SystemClock

INCIDENTS, STATUS, TRENDS, RECENT, DETAIL = (
    "get_active_incidents",
    "get_deployment_status",
    "get_latency_trends",
    "get_recent_requests",
    "get_request_detail",
)
SEQUENCES: dict[str, tuple[str, tuple[str, ...]]] = {
    "SYSTEM_STATUS": ("What is the status of the system?", (INCIDENTS, STATUS)),
    "ACTIVE_INCIDENTS": ("Are there any active incidents?", (INCIDENTS,)),
    "LATENCY_INVESTIGATION": ("Why is latency up in the last 24 hours?", (INCIDENTS, TRENDS, STATUS, RECENT)),
    "QUALITY_INVESTIGATION": ("Did answer quality drop?", (INCIDENTS, "get_quality_summary", STATUS, DETAIL)),
    "ERROR_INVESTIGATION": ("Why do requests fail today?", (INCIDENTS, STATUS, RECENT, DETAIL)),
    "TRAFFIC_ANALYSIS": ("How much traffic did we get this week?", ("get_request_volume", TRENDS)),
    "REQUEST_LOOKUP": ("What happened to request {request}?", (DETAIL,)),
    "USER_LOOKUP": ("Show me user support-desk", ("get_user_context", RECENT)),
}


def ask_all(address: str, request_id: str, now: datetime, runs: int) -> Iterator[tuple[str, list[float], str]]:
    """Ask a question of every known pattern.

    Yields: the pattern, milliseconds of each run end to end, and what is wrong; empty when it ran its tools, in their
    order, and every claim holds.
    """
    with tempfile.TemporaryDirectory(prefix="oracle-bench-") as folder:
        overrides = {"oracle.context.url": address, "oracle.default_agent": "operations"}
        oracle = build_engine(load_settings(overrides, home=Path(folder)), clock=SystemClock(now))
        try:
            for pattern, (text, tools) in SEQUENCES.items():
                question = Question(
                    request_id="bench", text=text.format(request=request_id), agent="operations", received_at=now
                )
                spent, wrong = list[float](), ""
                for number in range(runs):
                    oracle.toolbox.cache.entries.clear()
                    oracle.toolbox.landscapes.cache.entries.clear()
                    began = time.perf_counter()
                    log = oracle.engine.ask(question.model_copy(update={"request_id": f"{pattern}-{number}"}))
                    spent.append((time.perf_counter() - began) * 1000)
                    wrong = wrong or mistake(log, pattern, tools)
                yield pattern, spent, wrong
        finally:
            oracle.close()


def mistake(log: RequestLog, pattern: str, tools: tuple[str, ...]) -> str:
    """What is wrong with an answer."""
    if log.plan is None or log.plan.pattern != pattern:
        return f"the pattern was {log.plan.pattern if log.plan else 'none'}"
    called = tuple(call.name for call in log.tool_calls)
    if called != tools:
        return f"called {', '.join(called)}"
    failed = [f"{call.name}: {call.status} {call.summary}" for call in log.tool_calls if call.status != "ok"]
    return failed[0] if failed else "" if log.grounded else "not grounded"
