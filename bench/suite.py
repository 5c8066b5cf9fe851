"""Where the time of the test suite goes: ``python -m bench suite [--slowest N] [PYTEST ARGUMENTS]``.

Runs the suite as `make test` does, with `bench.suite_record`, and prints a table by folder and one by fixture.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

from bench.suite_record import RECORD_FOLDER_VARIABLE

PHASES = ("import", "setup", "call", "teardown")
PARALLEL = ("-n", "3", "--dist", "worksteal")
FIXTURE_ROWS = 20
Row = tuple[str, str, float, float]


def main(args: list[str]) -> None:
    """Run, and print."""
    parser = argparse.ArgumentParser(prog="python -m bench suite")
    parser.add_argument("--slowest", type=int, default=0, help="also print so many of the slowest tests")
    given, rest = parser.parse_known_args(args)
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, RECORD_FOLDER_VARIABLE: folder}
        command = [sys.executable, "-m", "pytest", *PARALLEL, "-p", "bench.suite_record", *rest]
        started = time.monotonic()
        subprocess.run(command, env=environment, check=False)
        wall_s = time.monotonic() - started
        rows = read_rows(Path(folder))
    print_tables(rows, wall_s, given.slowest)


def read_rows(folder: Path) -> list[Row]:
    """What all processes noted."""
    return [tuple(json.loads(line)) for file in sorted(folder.glob("*.jsonl")) for line in file.open()]


def print_tables(rows: list[Row], wall_s: float, slowest: int) -> None:
    """By folder, by fixture, by test; processor seconds, of all processes together."""
    tests = sum(kind == "call" for kind, *_ in rows)
    peaks = [round(value) for kind, _, value, _ in rows if kind == "memory"]
    print(f"\n{tests} tests in {wall_s:.0f} s; largest resident memory of each process, MiB: {sorted(peaks)}")
    print(f"\n| folder | tests | {' | '.join(PHASES)} | waiting |\n|---|---|{'---|' * 5}")
    for folder, own in sorted(by_key(rows, folder_of).items(), key=lambda p: -total(p[1])):
        count = sum(kind == "call" for kind, *_ in own)
        spent = [sum(cpu for kind, _, _, cpu in own if kind == phase) for phase in PHASES]
        waited = sum(max(wall - cpu, 0) for kind, _, wall, cpu in own if kind in PHASES)
        print(f"| {folder} | {count} | {' | '.join(f'{s:.1f}' for s in spent)} | {waited:.0f} |")
    print("\n| fixture | times | processor s | wall s |\n|---|---|---|---|")
    fixtures = by_key([row for row in rows if row[0] == "fixture"], str)
    for name, own in sorted(fixtures.items(), key=lambda p: -sum(r[2] for r in p[1]))[:FIXTURE_ROWS]:
        print(f"| {name} | {len(own)} | {sum(r[3] for r in own):.1f} | {sum(r[2] for r in own):.1f} |")
    grown = by_key([row for row in rows if row[0] == "grown"], lambda name: name.partition("::")[0])
    print("\n| file | resident memory grown by, MiB |\n|---|---|")
    for name, own in sorted(grown.items(), key=lambda p: -sum(r[2] for r in p[1]))[:FIXTURE_ROWS]:
        print(f"| {name} | {sum(r[2] for r in own):.0f} |")
    if slowest:
        print("\n| test | processor s | wall s |\n|---|---|---|")
        for _, name, wall, cpu in sorted((r for r in rows if r[0] == "call"), key=lambda r: -r[2])[:slowest]:
            print(f"| {name} | {cpu:.1f} | {wall:.1f} |")


def by_key(rows: Iterable[Row], key: Callable[[str], str]) -> dict[str, list[Row]]:
    """Rows by what a function makes of their names."""
    out: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row[0] != "memory":
            out[key(row[1])].append(row)
    return {name: own for name, own in out.items() if name}


def folder_of(name: str) -> str:
    """The folder of a test, two deep below ``tests/unit``; empty for a fixture."""
    parts = Path(name.partition("::")[0]).parts
    return "/".join(parts[: 3 if parts[1:2] == ("unit",) else 2]) if parts[:1] == ("tests",) else ""


def total(rows: Iterable[Row]) -> float:
    """Processor seconds of tests and imports."""
    return sum(cpu for kind, _, _, cpu in rows if kind in PHASES)
