"""What of a table's row answers a question: the cell below the column that is asked for, and who owns what it is of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from workers.contracts import Evidence, Fact
from workers.language.stop_words import content_words

ROW = re.compile(r"row_\d+")
"""The name of a fact that is a row of a table."""
OWNING = re.compile(
    r"(?:owners?|owned by|(?:owning )?teams?|squad|maintainers?|maintained by|responsible|contacts?|"
    r"verantwortlich\w*|zuständig\w*|ansprechpartner\w*)",
    re.IGNORECASE,
)
"""How a column is called that says who owns what a row is of."""


def cells_in(row: str) -> list[tuple[str, str]]:
    """The cells of a row as (column, text), from ``Service: checkout · Owner: @payments``."""
    found = (part.partition(": ") for part in row.split(" · "))
    return [(name, text) if mark else ("", name) for name, mark, text in found]


def cell_facts(item: Evidence, wanted: Set[str]) -> Iterator[tuple[str, Fact]]:
    """Of each row with named columns: ``row_1_key``, what it is of; ``row_1_column`` and ``row_1_value``, the cell that
    is asked for by its row and its column, where one is; ``row_1_owner``, where a column says it.

    Args:
        item: a section.
        wanted: stems of what is asked for.
    """
    head = f"{item.title} {item.facts['heading'].value if 'heading' in item.facts else ''}"
    asked = wanted | spelled_out(wanted, head)
    for name, fact in item.facts.items():
        cells = cells_in(str(fact.value)) if ROW.fullmatch(name) else []
        if len(cells) < 2 or not all(column for column, _ in cells):
            continue
        (_, key), *rest = cells
        facts = {"key": key}
        if content_words(key) & wanted and (cell := asked_cell(rest, asked)):
            facts |= {"column": cell[0], "value": cell[1]}
        if owner := next((text for column, text in cells if OWNING.fullmatch(column) and text != key), ""):
            facts["owner"] = owner
        yield from ((f"{name}_{part}", Fact(value=text, entity=key)) for part, text in facts.items())


def asked_cell(cells: list[tuple[str, str]], asked: Set[str]) -> tuple[str, str] | None:
    """The only cell there is, else the one whose column holds most of what is asked for; None where several do."""
    if len(cells) == 1:
        return cells[0]
    held = [len(content_words(column) & asked) for column, _ in cells]
    best = max(held)
    return cells[held.index(best)] if best and held.count(best) == 1 else None


def spelled_out(wanted: Set[str], head: str) -> set[str]:
    """The stems of the words whose first letters are a word that is asked for: ``SLO``, service level objectives."""
    words = re.findall(r"[A-Za-z]+", head)
    out: set[str] = set()
    for size in (2, 3, 4, 5):
        for at in range(len(words) - size + 1):
            run = words[at : at + size]
            out |= content_words(" ".join(run)) if "".join(w[0] for w in run).lower() in wanted else set()
    return out
