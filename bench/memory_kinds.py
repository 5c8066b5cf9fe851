"""What is asked of memory: messages of an author who was not learned from, each kind right, unsure or wrong."""

from __future__ import annotations

import json
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from workers.agents import memory
from workers.agents.memory import librarian
from workers.contracts import Landscape, Question
from workers.language.memory_kinds import sure_kind

HELD = Path(__file__).parent / "data" / "memory_held.jsonl"
MEMORY = frozenset({"decision", "notes", "remembered", "remember", "forget", "web"})
"""Kinds that agent memory answers by itself; ``vault`` is the librarian's."""


def main(args: list[str]) -> None:
    """Print kinds by kind, how often each agent claims what is its own and what is not, and the time of an analysis."""
    path = Path(args[0]) if args else HELD
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    began = time.perf_counter()
    read = [sure_kind(row["text"]) for row in rows]
    spent = (time.perf_counter() - began) / len(rows) * 1e3
    print("| kind | right | unsure | wrong |\n|---|---|---|---|")
    for kind in dict.fromkeys(row["kind"] for row in rows):
        found = Counter(
            "right" if said == kind else "wrong" if said else "unsure"
            for row, said in zip(rows, read, strict=True)
            if row["kind"] == kind
        )
        print(f"| {kind} | {found['right']} | {found['unsure']} | {found['wrong']} |")
    print("\n| agent | claims its own | claims others' | times as often |\n|---|---|---|---|")
    now = datetime(2026, 11, 26, tzinfo=UTC)
    for name, module, own in (("memory", memory, MEMORY), ("librarian", librarian, frozenset({"vault"}))):
        claimed = [module.claim(Question(request_id="b", text=r["text"], received_at=now), Landscape()) for r in rows]
        mine = [c > 0 for c, r in zip(claimed, rows, strict=True) if r["kind"] in own]
        others = [c > 0 for c, r in zip(claimed, rows, strict=True) if r["kind"] not in own]
        true, false = sum(mine) / len(mine), sum(others) / len(others)
        ratio = f"{true / false:.0f}" if false else "never of others"
        print(f"| {name} | {sum(mine)} of {len(mine)} | {sum(others)} of {len(others)} | {ratio} |")
    print(f"\n{spent:.2f} ms a message")
