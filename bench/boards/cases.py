"""Cases of a board, and the sources that they are asked of.

A sheet is ``NAME.jsonl``: one case a line, `Case`. Its system is a checkout called ``OWNER+NAME``, a folder with
``repo/``, ``metrics.txt``, ``rules.yml`` and ``deploys.json``, or a home of ``oracle demo``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Case:
    """A question and what is right: one of the strings of each list of ``must`` stands in a right answer.

    ``expect``: ``answer``, ``ask_back`` or ``nothing``. ``wrong``: strings that make a first line wrong.
    """

    board: str
    id: str
    ask: str
    thread: tuple[str, ...]
    lang: str
    kind: str
    expect: str
    truth: str
    must: tuple[tuple[str, ...], ...]
    wrong: tuple[str, ...]
    places: tuple[tuple[str, int, int], ...]


def read_sheet(path: Path) -> list[Case]:
    """The cases of one sheet. Raises: ValueError: a line that is no JSON, KeyError: one that lacks a field."""
    return [to_case(path.stem, json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines() if line]


def to_case(board: str, row: dict[str, Any]) -> Case:
    """One line of a sheet."""
    return Case(
        board=board,
        id=row["id"],
        ask=row["ask"],
        thread=tuple(row.get("thread", ())),
        lang=row.get("lang", "en"),
        kind=row["kind"],
        expect=row["expect"],
        truth=row["truth"],
        must=tuple(tuple(group) for group in row.get("must", ())),
        wrong=tuple(row.get("wrong", ())),
        places=tuple((p["path"], int(p["start"]), int(p["end"])) for p in row.get("places", ())),
    )


def holds(text: str, case: Case) -> bool:
    """Whether a text has one of the strings of each list."""
    said = " ".join(text.lower().split())
    return bool(case.must) and all(any(one.lower() in said for one in group) for group in case.must)
