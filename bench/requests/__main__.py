"""``python -m bench.requests FAMILY FILE [--half develop|held] [--only ID] [--show]``.

FILE is an author's: ``now``, ``zone``, ``world`` and ``requests``. A request has ``id``, ``half``, ``lang``, ``text``,
``thread``, ``kind`` and ``expected``, whose ``outcome`` is answer, proposal, ask_back, not_found or refuse. FAMILY is a
module of this package with

- ``open_world(book, folder, file)``: a context in which the author's world is connected; yields the engine to ask, or
  the engines by name, of which a request's ``book`` chooses.
- ``judge(request, log)``: one of `VERDICTS`, and a line that says why;

or, where nothing is asked, ``measure(book)`` and ``wrong(book)``: lines.
"""

from __future__ import annotations

import argparse
import importlib
import json
import tempfile
import uuid
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from bench.boards.judge import shown_lines
from workers.contracts import Question, RequestLog
from workers.engine.engine import none_kept
from workers.engine.run import Pipeline
from workers.toolkit.clock import SystemClock

VERDICTS = ("right", "partly", "wrong", "dropped", "wrong_write")
"""``dropped``: a condition was left out in silence. ``wrong_write``: a change was proposed that nobody asked for."""


def main() -> None:
    """Ask, judge, print counts; with ``--show`` every answer that is not right."""
    parser = argparse.ArgumentParser(prog="python -m bench.requests", description=__doc__)
    parser.add_argument("family")
    parser.add_argument("file", type=Path)
    parser.add_argument("--half", default="develop")
    parser.add_argument("--only", default="")
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    family = importlib.import_module(f"bench.requests.{given.family.replace('-', '_')}")
    book = json.loads(given.file.read_text(encoding="utf-8"))
    if hasattr(family, "measure"):
        print("\n".join([*(family.wrong(book) if given.show else ()), *family.measure(book)]))
        return
    rows = [row for row in book["requests"] if row["half"] == given.half and given.only in str(row["id"])]
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for row, log, verdict, why in asked(family, book, rows, Path(folder), given.file):
            for name in (f"kind: {row['kind']}", f"language: {row['lang']}", "all"):
                counts[name][verdict] += 1
            if given.show and verdict != "right":
                print(f"{verdict}: {row['id']} {row['text']!r}: {why}\n  expected {row['expected']}")
                print("\n".join(f"    {line[:200]}" for line in shown_lines(log)[:8]))
    print(f"| what | n | {' | '.join(VERDICTS)} |\n|---|---|{'---|' * len(VERDICTS)}")
    for name, found in sorted(counts.items()):
        print(f"| {name} | {found.total()} | {' | '.join(str(found[v]) for v in VERDICTS)} |")


def asked(family: Any, book: dict[str, Any], rows: list[dict[str, Any]], folder: Path, file: Path) -> Any:
    """Each request with its log, verdict and reason."""
    with family.open_world(book, folder, file) as opened:
        for row in rows:
            engine = opened[row["book"]] if isinstance(opened, Mapping) else opened
            log = ask(engine, row, datetime.fromisoformat(row.get("now", book["now"])), row.get("zone", book["zone"]))
            yield (row, log, *family.judge(row, log))


def ask(engine: Pipeline, row: dict[str, Any], now: datetime, zone: str) -> RequestLog:
    """One request, as of a moment; no kept answer serves it."""
    question = Question(
        request_id=uuid.uuid4().hex[:12],
        text=row["text"],
        context=tuple(one["text"] if isinstance(one, dict) else one for one in row.get("thread") or ()),
        received_at=now,
        timezone=zone,
        asker=row.get("asker", "U1"),
        source=row.get("source", "cli"),
    )
    return replace(engine, clock=SystemClock(now), find_kept=none_kept).ask(question)


if __name__ == "__main__":
    main()
