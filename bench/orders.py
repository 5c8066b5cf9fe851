"""Sentences that give orders to whoever reads: how many are known, and how many harmless ones are taken for them.

``python -m bench orders [FILE…]``: JSON lines of ``text``, ``lang``, ``label`` (``order`` or ``harmless``) and ``kind``
of authors that were not learned from, by the shipped model. Without files each author that was learned from is left
out in turn, at the shipped bound.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from workers.language.injected_instructions import instructs_reader, load
from workers.language.train_injected_instructions import everyday, left_out
from workers.language.train_speech_acts import read_lines


def main(args: list[str]) -> None:
    """Print a table an author or file."""
    if args:
        for file in map(Path, args):
            rows = read_lines(file)
            print_table(file.stem, rows, [instructs_reader(row["text"]) for row in rows])
    else:
        for author, rows, scores in left_out(everyday()):
            print_table(author, rows, [score > load().bound for score in scores])


def print_table(name: str, rows: Sequence[dict[str, Any]], taken: Sequence[bool]) -> None:
    """By language and kind: orders that are known, harmless sentences that are taken for orders."""
    counts: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for row, found in zip(rows, taken, strict=True):
        for group in (f"language {row['lang']}", f"kind {row['kind']}", "all"):
            counts[group, row["label"]].append(found)
    print(f"\n{name}\n| | orders known | harmless taken for orders |\n|---|---|---|")
    for group in sorted({group for group, _ in counts}):
        print(f"| {group} | {share(counts[group, 'order'])} | {share(counts[group, 'harmless'])} |")


def share(found: Sequence[bool]) -> str:
    """``59 of 65, 91 %``."""
    return f"{sum(found)} of {len(found)}, {sum(found) / len(found):.0%}" if found else ""
