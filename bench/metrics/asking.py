"""Questions through the command line, in this process: the JSON is what ``oracle metrics … --json`` prints."""

from __future__ import annotations

import io
import json
import os
import time
from contextlib import redirect_stderr, redirect_stdout, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.metrics.stage import Ask
from bot.cli.commands import app

PATIENT = {  # a busy machine must not be taken for a wrong answer; what it took is told apart
    "agents.yaml": "research: {tool_timeout_ms: 60000, tools_total_ms: 60000}\n",
    "oracle.yaml": "prometheus: {timeout_ms: 30000}\n",
}


def make_home(home: Path, budget_ms: int | None = None) -> None:
    """An ORACLE_HOME whose tools may take long; ``budget_ms`` for side questions instead of the usual."""
    config = home / "config"
    config.mkdir(parents=True)
    budget = f", options: {{budget_ms: {budget_ms}}}" if budget_ms else ""
    for name, text in (PATIENT | {"tools.yaml": f"metrics_query: {{timeout_ms: 60000{budget}}}\n"}).items():
        (config / name).write_text(text)


def answer(ask: Ask, address: str, now: float, home: Path) -> tuple[dict[str, Any], float]:
    """Ask one question as of a moment.

    Args:
        ask: the question.
        address: of the Prometheus.
        now: epoch seconds.
        home: ORACLE_HOME, a folder that holds nothing of another question.

    Returns: the printed object, and how many seconds it took.
    """
    os.environ["ORACLE_HOME"] = str(home)
    moment = datetime.fromtimestamp(now, UTC).isoformat(timespec="seconds")
    printed, said = io.StringIO(), io.StringIO()
    began = time.perf_counter()
    with redirect_stdout(printed), redirect_stderr(said), suppress(SystemExit):  # the JSON says what its exit code does
        app(["metrics", ask.query, "--prometheus", address, "--now", moment, "--json"], standalone_mode=False)
    took = time.perf_counter() - began
    text = printed.getvalue()
    return (json.loads(text) if text.strip() else {"status": "error", "reason": said.getvalue().strip()}), took
