"""Steps that `bench.index` measures in fresh processes: ``build TREE PLACE`` and ``ask PLACE``."""

from __future__ import annotations

import json
import re
import resource
import sys
import time
from pathlib import Path

from bench.index import processor
from workers.search import CodeIndex
from workers.sources.git import list_files, open_repository, resolve

QUESTIONS = 100
FIELDS = ("Rss", "Pss", "Private_Dirty", "Private_Clean")


def build(tree: str, place: str) -> None:
    """Index everything, and say what it was and how much memory it took."""
    started = time.perf_counter()
    index = CodeIndex.build(tree, place)
    took, worked = time.perf_counter() - started, processor()
    used = [resource.getrusage(w).ru_maxrss / 1024 for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    repo = open_repository(tree)
    held = {b.path: b.size for b in list_files(repo, resolve(repo) or "")}
    files, chunks = index.columns.standing
    lines = sum(len(index.columns.lines_of(f)) for f in range(files))
    rows = {"files": files, "lines": lines, "bytes indexed": sum(held[p] for p in index.numbers), "chunks": chunks}
    speed = {"full index, s": took, "processor s": worked}
    print(json.dumps(rows | speed | {"most memory of a process, MB": max(used)}))


def ask(place: str) -> None:
    """Open an index, ask a hundred questions of its own words, and say how long and how much memory it took."""
    started = time.perf_counter()
    index = CodeIndex.open(place)
    opened = (time.perf_counter() - started) * 1e3
    names = [n for n in index.columns.names if len(n) > 5]
    times, worked = [], []
    for number in range(QUESTIONS):
        words = [names[(number * 7919 + k * 104_729) % len(names)] for k in range(2)]
        before, started = time.process_time(), time.perf_counter()
        index.search(f"where does {words[0]} use the {' '.join(re.findall('[A-Z]?[a-z]+', words[1])).lower()}")
        worked.append((time.process_time() - before) * 1e3)
        times.append((time.perf_counter() - started) * 1e3)
    rollup = Path("/proc/self/smaps_rollup")
    shown = re.findall(r"(\w+):\s+(\d+) kB", rollup.read_text()) if rollup.exists() else []
    memory = {f"{name}, MB": int(kb) / 1024 for name, kb in shown if name in FIELDS}
    speed = {"first question, ms": times[0]}
    for name, each in (("", times[1:]), (", processor", worked[1:])):
        speed |= {f"query p50{name} ms": sorted(each)[len(each) // 2], f"p99{name} ms": sorted(each)[-2]}
    print(json.dumps({"opened in, ms": opened} | speed | memory))


if __name__ == "__main__":
    {"build": build, "ask": ask}[sys.argv[1]](*sys.argv[2:])
