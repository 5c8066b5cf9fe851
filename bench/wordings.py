"""What sentences are taken for: ``python -m bench wordings [NAME…] [--show]``.

Each file of ``data/wordings`` is a table of what a sentence should be taken for, and the sentences. The rules were
made on these very sentences: a figure that falls shows what a change costs, and none says how unseen ones fare.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path

import yaml

from tests.support.operations_agent import inquire, question
from tests.unit.agents.operations.test_routing_confidence import NAMES
from workers.agents.operations.inquiry import how_operational

FOLDER = Path(__file__).parent / "data" / "wordings"
READERS: Mapping[str, Callable[[str], str]] = {
    "operations_pattern": lambda text: inquire(text).pattern,
    "operations_side": lambda text: "operations" if how_operational(question(text), NAMES) >= 0.5 else "research",
}
"""What a sentence of a table is taken for."""


def agrees(found: str, wanted: str) -> bool:
    """Whether it is what the table says."""
    return found == wanted


def main(args: list[str]) -> None:
    """Score all tables, or those that are named."""
    parser = argparse.ArgumentParser(prog="python -m bench wordings")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(READERS))
    parser.add_argument("--show", action="store_true", help="what is taken for something else")
    given = parser.parse_args(args)
    print("| table | right | of |\n|---|---|---|")
    for name in given.names or READERS:
        table = yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
        read = [(text, wanted, READERS[name](text)) for wanted, texts in table.items() for text in texts]
        wrong = [row for row in read if not agrees(row[2], row[1])]
        print(f"| {name} | {len(read) - len(wrong)} | {len(read)} |")
        for text, wanted, found in wrong if given.show else ():
            print(f"    {wanted}, taken for {found}: {text}")
