"""``python -m bench busy``: the same questions on a quiet machine and beside busy loops, each in a fresh process.

A process asks its first question as a worker does: nothing is imported, opened or indexed before. The demo team, rules
reasoner, all as of the moment at which the demo was built. The loops end by themselves after ``--limit`` seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from shutil import rmtree

QUESTIONS = (
    "Latency on /api/search has been spiky since yesterday's deploy. What's going on?",
    "is it slow?",
    "Where is the retry policy configured for our payment client?",
    "is everything healthy?",
    "how much traffic does /api/checkout get?",
    "Summarize how the alerts are wired for the checkout flow.",
    "which alerts are firing right now?",
    "what changed in the search cache lately?",
    "when was shop deployed last?",
    "what does the runbook say about slow search?",
    "why did we choose our payment retry design?",
    "who calls the payment client?",
    "how are the deployments doing?",
    "how much did we spend per model last week?",
)
LOOP = "import sys, time\nend = time.monotonic() + float(sys.argv[1])\nwhile time.monotonic() < end: sum(range(9999))"
PATIENCE_S = 180.0
LATE = "did not answer in time"


@dataclass(frozen=True)
class Found:
    """What one process said: its headline with the options of a question back, its tools, and how long it took."""

    headline: str
    gaps: tuple[str, ...]
    late: int
    took_s: float


def main(args: list[str]) -> None:
    """Ask everything twice and compare. Exit 1: a headline differs, or says that a tool did not answer in time."""
    parser = argparse.ArgumentParser(prog="python -m bench busy")
    parser.add_argument("--loops", type=int, default=6, help="busy loops beside the questions")
    parser.add_argument("--limit", type=float, default=300, help="seconds after which a loop ends by itself")
    parser.add_argument("--one", default="", help="ask this one question under ORACLE_HOME, and print what came of it")
    parser.add_argument("--now", default="", help="as of this moment, RFC 3339")
    options = parser.parse_args(args)
    if options.one:
        print(json.dumps(ask_here(options.one, datetime.fromisoformat(options.now))))
        return
    with tempfile.TemporaryDirectory(prefix="oracle-busy-") as folder:
        home, now = Path(folder), datetime.now(UTC).replace(microsecond=0)
        build_demo(home, now)
        quiet = [ask(home, text, now) for text in QUESTIONS]
        rmtree(home / "index")  # the first question beside the loops makes the indexes again
        with loops(options.loops, options.limit):
            busy = [ask(home, text, now) for text in QUESTIONS]
    sys.exit(show(quiet, busy))


def build_demo(home: Path, now: datetime) -> None:
    """The demo team, in a process of its own: this one only waits."""
    code = "import sys; from datetime import datetime; from pathlib import Path; from bot.cli.demo import build; "
    code += "build(Path(sys.argv[1]), datetime.fromisoformat(sys.argv[2]), 0)"
    subprocess.run([sys.executable, "-c", code, str(home), now.isoformat()], check=True, timeout=PATIENCE_S)


@contextmanager
def loops(count: int, limit_s: float) -> Iterator[None]:
    """So many processes that do nothing but count, until the block ends or their time is over."""
    running = [subprocess.Popen([sys.executable, "-c", LOOP, str(limit_s)]) for _ in range(count)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def ask(home: Path, text: str, now: datetime) -> Found:
    """One question in a fresh process."""
    command = [sys.executable, "-m", "bench", "busy", "--one", text, "--now", now.isoformat()]
    began = time.monotonic()
    done = subprocess.run(
        command, env={**os.environ, "ORACLE_HOME": str(home)}, capture_output=True, check=True, timeout=PATIENCE_S
    )
    told = json.loads(done.stdout.splitlines()[-1])
    return Found(told["headline"], tuple(told["gaps"]), told["late"], time.monotonic() - began)


def ask_here(text: str, now: datetime) -> dict[str, object]:
    """The same in this process, which is a fresh one."""
    from workers.bootstrap import build_engine  # noqa: PLC0415 - only the process that answers needs it
    from workers.contracts import Question  # noqa: PLC0415 - as above
    from workers.settings.load import load_settings  # noqa: PLC0415 - as above
    from workers.toolkit.clock import SystemClock  # noqa: PLC0415 - as above

    oracle = build_engine(load_settings(), clock=SystemClock(now))
    log = oracle.engine.ask(Question(request_id="busy", text=text, received_at=now))
    oracle.close()
    answer = log.answer
    said = [answer.headline.text, *(o.label for o in answer.options)] if answer else []
    gaps = [gap.text for gap in answer.missing] if answer else []
    return {"headline": " · ".join(said), "gaps": gaps, "late": sum(c.status == "timeout" for c in log.tool_calls)}


def show(quiet: list[Found], busy: list[Found]) -> int:
    """The table, then each pair of headlines that differ. Returns: the exit code."""
    print("| question | quiet s | busy s | calls not in time | same headline |\n|---|---|---|---|---|")
    for text, before, beside in zip(QUESTIONS, quiet, busy, strict=True):
        same = "yes" if before.headline == beside.headline else "no"
        print(f"| {text} | {before.took_s:.1f} | {beside.took_s:.1f} | {before.late} / {beside.late} | {same} |")
    print()
    wrong = 0
    for text, before, beside in zip(QUESTIONS, quiet, busy, strict=True):
        print(f"{text}\n  quiet: {before.headline}\n  busy:  {beside.headline}")
        print("".join(f"  busy, not checked: {gap}\n" for gap in beside.gaps if LATE in gap), end="")
        wrong += before.headline != beside.headline or LATE in beside.headline
    print(f"\n{len(QUESTIONS) - wrong} of {len(QUESTIONS)} headlines are the same, and of what was found")
    return 1 if wrong else 0
