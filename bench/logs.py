"""``python -m bench logs [--lines 5000000]``: how long it takes to compare a large log before and after a moment.

A log of JSON lines is written into a temporary folder: 40 kinds of lines with ids, times and paths, evenly over two
hours. In the second hour one kind of error is new, with as few lines as said below; one kind grows fourfold; one
vanishes. Printed are seconds, the share that was read, whether the three changes were found, and what else was told.
"""

from __future__ import annotations

import argparse
import random
import resource
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from workers.ports import ToolContext
from workers.settings.load import load_settings
from workers.tools.logs import Logs, LogsArgs

START = datetime(2026, 11, 27, 10, tzinfo=UTC)
SPAN = timedelta(hours=2)
DEPLOY = START + SPAN / 2
SERVICES = ("checkout", "cart", "search", "payments")
VERBS = ("loaded", "stored", "checked", "queued", "sent", "merged", "priced", "listed", "split", "signed")
NEW_LINES = 25
NEW = "card gateway answered 502 for order"
GROWN = "retrying upstream inventory"
VANISHED = "warmed cache shard"


def messages(rng: random.Random, n: int, lines: int) -> Iterator[tuple[str, str, str]]:
    """Service, level and message of the nth line: mostly one, and seldom the new error beside it."""
    late = n >= lines // 2
    kind = rng.randrange(1_000)
    if late and n % (lines // 2 // NEW_LINES) == 0:
        yield "payments", "ERROR", f"{NEW} {rng.randrange(10**6)} after {rng.randrange(9_000)}ms"
    if kind < (40 if late else 10):
        yield "checkout", "WARN", f"{GROWN} attempt {rng.randrange(9)} of 9 trace={rng.getrandbits(64):016x}"
    elif kind < 60 and not late:
        yield "cart", "INFO", f"{VANISHED} {rng.randrange(64)} in {rng.randrange(900)}ms"
    elif 60 <= kind < 62:
        yield "search", "ERROR", f"query {rng.getrandbits(32):08x} timed out after {rng.randrange(30)}s"
    else:
        service, verb = SERVICES[kind % 4], VERBS[kind % 10]
        path = f"/api/{service}/{rng.randrange(10**6)}"
        yield service, "INFO", f"{verb} {path} for user={rng.randrange(10**5)} in {rng.randrange(900)}ms"


def write_log(path: Path, lines: int) -> int:
    """Write the log. Returns: its size in bytes."""
    rng = random.Random(7)
    step = SPAN / lines
    with path.open("w", encoding="utf-8") as file:
        for n in range(lines):
            at = (START + step * n).isoformat(timespec="milliseconds")
            file.writelines(
                f'{{"timestamp":"{at}","level":"{level}","service":"{service}","message":"{message}"}}\n'
                for service, level, message in messages(rng, n, lines)
            )
    return path.stat().st_size


def compare(folder: Path, paths: str, **args: str) -> None:
    """Compare once and print a row."""
    logs = Logs(load_settings({"oracle.logs.paths": paths}, home=folder))
    context = ToolContext("bench", "research", START + SPAN)
    begin, own = time.perf_counter(), time.process_time()
    output = logs.run(LogsArgs(around=DEPLOY.isoformat(), limit=20, **args), context)
    spent, own = time.perf_counter() - begin, time.process_time() - own
    patterns = {(p["change"], p["pattern"][:15]) for p in output.data.get("patterns", ())}
    wanted = {("new", NEW[:15]), ("grown", GROWN[:15]), ("vanished", VANISHED[:15])}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    said = " ".join(f"{name}={value[:19]}" for name, value in args.items()) or "half an hour on both sides"
    print(
        f"| {said} | {spent:.2f} s | {own:.2f} s | {output.data['share_read']:.1%} | {len(wanted & patterns)} of 3 "
        f"| {len(patterns - wanted)} | {output.data['lines_before']} → {output.data['lines_after']} | {peak:.0f} MB |",
        flush=True,
    )


def main(args: Sequence[str]) -> None:
    """Write the log and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench logs")
    parser.add_argument("--lines", type=int, default=5_000_000)
    given = parser.parse_args(args)
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "shop.log"
        size = write_log(path, given.lines)
        print(f"{given.lines} lines, {size / 1e6:.0f} MB; {NEW_LINES} lines are of the new error\n")
        print("| compared | time | CPU | read | changes found | others told | lines | memory |")
        print("| --- | --- | --- | --- | --- | --- | --- | --- |")
        whole = {"since": START.isoformat(), "until": (START + SPAN).isoformat()}
        compare(Path(name), str(path), **whole)
        compare(Path(name), str(path), **whole)
        compare(Path(name), str(path))
        minute = timedelta(minutes=1)
        compare(Path(name), str(path), since=(DEPLOY - minute).isoformat(), until=(DEPLOY + minute).isoformat())
        compare(Path(name), str(path), **whole, level="error")
        compare(Path(name), str(path), **whole, query="card gateway")
        compare(Path(name), str(path), **whole, query="user=4")
