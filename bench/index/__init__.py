"""The index as a part of a machine: ``python -m bench index REPO [--peers PYTHON] [--kills N] [--excerpts N]``.

REPO is indexed by a fresh process and, where a PYTHON that has semble is named, by semble right after it; then ten
files are changed in a clone of it, a hundred questions are asked by a fresh process, and copies of the index are
damaged. Processor seconds are those of all processes: on a busy machine they say more than the clock.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.index.excerpts import compare
from bench.index.kills import run
from bench.search.measure import PEER
from bench.search.questions import WHO, git
from workers.errors import ToolUnavailable
from workers.search import CodeIndex
from workers.sources.code.index_build import CHANGES, FILE

CHANGED = 10
TIMES = 5
DAMAGES = 20


def main(args: list[str]) -> None:
    """Measure and print tables."""
    parser = argparse.ArgumentParser(prog="python -m bench index")
    parser.add_argument("repo", type=Path)
    parser.add_argument("--peers", default="", help="a Python that has semble")
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--excerpts", type=int, default=0)
    given = parser.parse_args(args)
    with tempfile.TemporaryDirectory() as folder:
        tree, place = Path(folder, "tree"), Path(folder, "index")
        git(given.repo, "clone", "-q", "--shared", str(given.repo.resolve()), str(tree))
        show("what", build_figures(tree, place, given.peers))
        show("ten changed files", change_figures(tree, place))
        show("a fresh process", beside("ask", str(place)))
        if given.excerpts:
            show("excerpts", dict(compare(tree, place, given.excerpts)))
        show("damage", damage_figures(place))
        if given.kills:
            show("killed writers", dict(sorted(run(Path(folder, "kills"), given.kills).items())))


def show(title: str, rows: dict[str, object]) -> None:
    """Print one table."""
    print(f"\n| {title} | |\n|---|---|")
    for name, value in rows.items():
        print(f"| {name} | {value:,.1f} |" if isinstance(value, float) else f"| {name} | {value:,} |")


def beside(*args: str) -> dict[str, object]:
    """What a step in a fresh process found."""
    command = [sys.executable, "-m", "bench.index.steps", *args]
    found: dict[str, object] = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    return found


def build_figures(tree: Path, place: Path, python: str) -> dict[str, object]:
    """Index everything; then the peer."""
    rows = beside("build", str(tree), str(place))
    size = (place / FILE).stat().st_size
    rows |= {"index, MB": size / 1e6, "index / source, %": 100 * size / int(str(rows["bytes indexed"]))}
    if python:
        before, started = processor(), time.perf_counter()
        subprocess.run([python, str(PEER), "semble", str(tree)], input="", capture_output=True, text=True, check=True)
        rows |= {"semble 0.7.0, lexical, s": time.perf_counter() - started, "its processor s": processor() - before}
    return rows


def processor() -> float:
    """Seconds that this process and its children, all they ran included, had of the processor."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def change_figures(tree: Path, place: Path) -> dict[str, object]:
    """Bring the index up to date after commits of ten files each."""
    times, worked = [], []
    files = [f for f in git(tree, "ls-files").split("\n") if f.endswith((".py", ".java", ".go", ".ts", ".rb", ".rs"))]
    for number in range(TIMES):
        for name in random.Random(number).sample(files, min(CHANGED, len(files))):
            with (tree / name).open("a") as file:
                file.write(f"\n// changed {number}\n")
        git(tree, *WHO, "commit", "-qam", f"Change {number}")
        before, started = processor(), time.perf_counter()
        CodeIndex.ensure(tree, place)
        times.append((time.perf_counter() - started) * 1e3)
        worked.append((processor() - before) * 1e3)
    middle = TIMES // 2
    return {"middle of 5, ms": sorted(times)[middle], "longest": max(times), "processor ms": sorted(worked)[middle]}


def damage_figures(place: Path) -> dict[str, object]:
    """Flip a byte or cut the end of either file, and see whether it is noticed."""
    noticed = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(DAMAGES):
            chance, copy = random.Random(number), Path(folder, str(number))
            shutil.copytree(place, copy)
            path = copy / chance.choice([FILE, CHANGES])
            raw = bytearray(path.read_bytes())
            at = chance.choice([i for i in chance.sample(range(len(raw)), 50) if raw[i]])
            raw[at] ^= 0xFF
            path.write_bytes(raw[:at] if number % 2 else raw)
            try:
                CodeIndex.open(copy)
            except ToolUnavailable:
                noticed += 1
            shutil.rmtree(copy)
        return {"damaged": DAMAGES, "noticed": noticed}
