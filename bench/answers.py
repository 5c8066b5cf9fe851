"""Question -> answer by the rules on the demo team, in one process. Each question is asked as of another minute, so
that no kept tool result serves it: indexes and process are warm, every answer is really looked up."""

from __future__ import annotations

import os
import tempfile
import time
import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from bot.cli.demo import build
from workers.bootstrap import Oracle, build_engine
from workers.contracts import Question
from workers.settings.load import load_settings
from workers.toolkit.clock import SystemClock

QUESTIONS = (
    "Latency on /api/search has been spiky since yesterday's deploy. What's going on?",
    "Why did latency spike on /api/search after the last deploy?",
    "Where is the retry policy configured for our payment client?",
    "Summarize how the alerts are wired for the checkout flow.",
    "What is a circuit breaker?",
    "is everything healthy?",
    "how much traffic does /api/checkout get?",
    "how does the payment client retry?",
)
ROUNDS = 25
APART = timedelta(seconds=61)


def main(args: list[str]) -> None:
    """Print p50 and p99 of whole answers and of their stages, in milliseconds."""
    del args
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        os.environ.pop("ORACLE_CONFIG", None)
        build(home, datetime.now(UTC).replace(microsecond=0), 0)
        oracle = build_engine(load_settings(home=home))
        try:
            measure(oracle)
        finally:
            oracle.close()


def measure(oracle: Oracle) -> None:
    """Ask every question, several rounds."""
    start = datetime.now(UTC)
    for text in QUESTIONS:
        ask(oracle, text, start)
    rows: dict[str, list[float]] = {}
    for turn in range(1, ROUNDS + 1):
        for text in QUESTIONS:
            took, stages = ask(oracle, text, start - turn * APART)
            rows.setdefault("all", []).append(took)
            rows.setdefault(text, []).append(took)
            for stage, spent in stages.items():
                rows.setdefault(f"stage: {stage}", []).append(spent)
    print("| what | n | p50 ms | p99 ms |\n|---|---|---|---|")
    for name, values in rows.items():
        print(f"| {name} | {len(values)} | {np.percentile(values, 50):.1f} | {np.percentile(values, 99):.1f} |")


def ask(oracle: Oracle, text: str, as_of: datetime) -> tuple[float, dict[str, float]]:
    """One question; milliseconds by the wall, and by stage."""
    engine = replace(oracle.engine, clock=SystemClock(as_of))
    question = Question(request_id=uuid.uuid4().hex[:12], text=text, received_at=as_of)
    began = time.perf_counter()
    log = engine.ask(question)
    return (time.perf_counter() - began) * 1000, log.timings_ms
