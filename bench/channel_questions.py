"""Questions to an incident's summary: how many are known as such, and how many others are taken for one."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import yaml

from workers.language.incident_questions import classify_incident_question
from workers.language.train_incident_questions import read_examples, unseen

HELD = Path(__file__).parent / "data" / "channel_questions.yaml"


def main(args: list[str]) -> None:
    """Print a row for the examples, each judged by a model that has not seen it, and one for questions apart."""
    path = Path(args[0]) if args else HELD
    by_kind = yaml.safe_load(path.read_text(encoding="utf-8"))
    rows = [(text, kind) for kind, texts in by_kind.items() for text in texts]
    began = time.perf_counter()
    held = Counter((kind, classify_incident_question(text) or "none") for text, kind in rows)
    spent = (time.perf_counter() - began) / len(rows) * 1e6
    print("| questions | known | of | taken for another | others taken for one | of |\n|---|---|---|---|---|---|")
    print(row("examples, unseen", unseen(read_examples())))
    print(row("written apart", held))
    print(f"\n{spent:.0f} µs a question")


def row(name: str, found: Mapping[tuple[str, str], int]) -> str:
    """One row of figures."""
    asked = {pair: n for pair, n in found.items() if pair[0] != "none"}
    known = sum(n for (kind, taken), n in asked.items() if kind == taken)
    wrong = sum(n for (kind, taken), n in asked.items() if taken not in {kind, "none"})
    others = {pair: n for pair, n in found.items() if pair[0] == "none"}
    vain = sum(n for (_, taken), n in others.items() if taken != "none")
    return f"| {name} | {known} | {sum(asked.values())} | {wrong} | {vain} | {sum(others.values())} |"
