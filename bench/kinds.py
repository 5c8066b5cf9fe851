"""Kinds of question: right, handed over or wrong on labelled questions that were not learnt from; time a question."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from pathlib import Path

from workers.agents.research.intent import read_intent
from workers.contracts import Landscape, Question
from workers.reasoning.coverage import cover

HELD = Path(__file__).parent / "data" / "questions_held.jsonl"
NAMES = Landscape(labels={"endpoint": ("/api/a", "/api/b"), "service": ("svc",)})


def main(args: list[str]) -> None:
    """Print the share of right kinds, hints, subjects and of recognised ambiguity, and the time an intent takes."""
    path = Path(args[0]) if args else HELD
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    now = datetime(2026, 11, 21, 11, 0, tzinfo=UTC)
    right = {"kind": 0, "handed over": 0, "hints": 0, "subjects": 0, "asked back": 0, "asked back in vain": 0}
    unclear = sum(r["ambiguous"] for r in rows)
    began = time.perf_counter()
    read = [
        read_intent(
            Question(request_id="b", text=r["text"], received_at=now, context=tuple(r.get("context") or ())), NAMES, now
        )
        for r in rows
    ]
    spent = (time.perf_counter() - began) / len(rows) * 1e6
    for row, intent in zip(rows, read, strict=True):
        right["kind"] += intent.question_type == row["question_type"]
        wrong = intent.question_type != row["question_type"]
        right["handed over"] += wrong and not cover(row["text"], NAMES).covered
        right["hints"] += all(near(h, intent.time_hints) for h in row["time_hints"])
        right["subjects"] += all(near(s, intent.subjects) for s in row["subjects"])
        asked = intent.ambiguity is not None
        right["asked back"] += asked and row["ambiguous"]
        right["asked back in vain"] += asked and not row["ambiguous"]
    print(f"| what | right | of |\n|---|---|---|\n| kind | {right['kind']} | {len(rows)} |")
    print(f"| another kind, but handed over | {right['handed over']} | {len(rows) - right['kind']} |")
    print(f"| time hints | {right['hints']} | {len(rows)} |\n| subjects | {right['subjects']} | {len(rows)} |")
    print(f"| asks back when it must | {right['asked back']} | {unclear} |")
    print(f"| asks back when it need not | {right['asked back in vain']} | {len(rows) - unclear} |")
    print(f"\n{spent:.0f} µs a question")


def near(wanted: str, found: tuple[str, ...]) -> bool:
    """Whether one holds the other."""
    return any(wanted.lower() in f.lower() or f.lower() in wanted.lower() for f in found)
