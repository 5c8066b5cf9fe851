"""What a hunk does, in a plain clause, as far as its two sides tell; and which of their lines say it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from workers.sources.history.change_effects import (
    CALL_GONE,
    NAME,
    QUANTITY,
    SWITCHED,
    calls,
    is_silent,
    kinds_of,
    tokens,
)
from workers.sources.history.diff import Hunk
from workers.sources.history.value_changes import value_changes

MOST_CLAUSES, MOST_SHOWN, LONGEST_LINE = 2, 3, 160
IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
CODE = re.compile(r"[=({\[;]|:\s*\S")
CALL = re.compile(r"([A-Za-z_]\w*)\((.*)\)")


def clause_of(hunk: Hunk) -> str:
    """``it sets ttl to 1, which was 300; it calls load in a loop``; how many lines it changes where no more is told."""
    removed, added = (told_lines(text) for text in (hunk.removed_text, hunk.added_text))
    said = list(dict.fromkeys(clauses(hunk, removed, added)))[:MOST_CLAUSES]
    return "; ".join(said) or counts_of(hunk)


def clauses(hunk: Hunk, removed: Sequence[str], added: Sequence[str]) -> Iterator[str]:
    """What it does, the most exact first."""
    values = value_changes(hunk)
    for value in values:
        yield (
            f"it sets {value.name} to {value.new}, which was {value.old}"
            if value.name
            else (f"it changes {value.old} to {value.new}")
        )
    gone, put = tokens(removed) - tokens(added), tokens(added) - tokens(removed)
    if renamed := rename(gone, put, removed, added):
        yield f"it renames {renamed[0]} to {renamed[1]}"
        return
    for kind, said in kinds_of(list(removed), list(added), gone, put):
        told = values and kind in {QUANTITY, SWITCHED, NAME}
        if not told and not (kind == CALL_GONE and said.rpartition(" ")[2] in calls(list(added))):
            yield said
    yield from (f"it gives {name} other arguments" for name in other_arguments(removed, added))


def rename(
    gone: Counter[str], put: Counter[str], removed: Sequence[str], added: Sequence[str]
) -> tuple[str, str] | None:
    """The one name that became another, where both sides are the same but for it."""
    if len(gone) != 1 or len(put) != 1 or not removed:
        return None
    old, new = next(iter(gone)), next(iter(put))
    if not (IDENTIFIER.fullmatch(old) and IDENTIFIER.fullmatch(new)):
        return None
    same = [re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", new, line) for line in removed] == list(added)
    return (old, new) if same else None


def other_arguments(removed: Sequence[str], added: Sequence[str]) -> Iterator[str]:
    """The functions that a line calls on both sides, with other arguments."""
    before = {match[1]: match[2] for line in removed for match in CALL.finditer(line)}
    for line in added:
        for match in CALL.finditer(line):
            if before.get(match[1], match[2]) != match[2]:
                yield match[1]


def counts_of(hunk: Hunk) -> str:
    """How many lines it adds and removes."""
    counts = [(n, verb) for n, verb in ((hunk.lines, "adds"), (hunk.old_lines, "removes")) if n]
    parts = [f"{verb} {n} line{'s' * (n != 1)}" for n, verb in counts]
    return f"it {' and '.join(parts)}" if parts else ""


def told_lines(text: str) -> list[str]:
    """The lines of a side that do something: no blank ones, comments, imports or log calls."""
    return [line for line in text.split("\n") if not is_silent(line)]


def shown_lines(text: str) -> list[str]:
    """The first lines of a side as they are quoted: those of code that do something, any where none does."""
    told = told_lines(text)
    lines = [line for line in told if CODE.search(line)] or told or [ln for ln in text.split("\n") if ln.strip()]
    return [tidy(line) for line in lines[:MOST_SHOWN]]


def tidy(line: str) -> str:
    """A line as it may stand between backticks: blanks made one, at most `LONGEST_LINE` characters."""
    text = re.sub(r"\s+", " ", line).strip().replace("`", "'")
    return text if len(text) <= LONGEST_LINE else f"{text[: LONGEST_LINE - 1]}…"
