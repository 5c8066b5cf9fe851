"""What a value was and what it became, from the lines that a commit took out and put in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from workers.sources.history.diff import Hunk

VALUE = re.compile(
    r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`[^`]*`|(?<![\w.])-?\d[\w.]*%?|\b(?:true|false|True|False|TRUE|FALSE|on|off"
    r"|yes|no|nil|null|None|undefined)\b"
)
SETS = re.compile(
    r"\s*(?:[-+*]\s+)?(?:(?:export|const|let|var|val|final|static|public|private|protected|internal|readonly|pub|def"
    r"|define|set|ENV|ARG|local|override)\s+)*(?:[\w<>\[\],.?]+\s+)??"
    r"(?P<name>[\"']?[\w$.@/-]+[\"']?\]?)\s*(?::\s*[\w<>\[\],.| ?]+?\s*=|\|\|=|\?\?=|:=|(?<=[\"'])\s*=>"
    r"|=(?![=>])|:(?!:))\s*(?P<value>\S.*?)[,;]?\s*(?:(?://|#|/\*).*)?$"
)
"""A line that gives a name a value; before ``=>`` the name is quoted: else it is an arm of a match, or a function."""
CALL = re.compile(r"\w\(")
NAME = re.compile(r"[A-Za-z_$][\w$.-]*")
MOST_LINES = 60
LONGEST = 400


@dataclass(frozen=True)
class ValueChange:
    """``name`` was ``old`` in ``old_text`` and is ``new`` in ``new_text``, lines of the old and the new side.

    Both texts are whole lines, without the blanks around them.
    """

    name: str
    old: str
    new: str
    new_line: int
    old_text: str
    new_text: str


def sets_value(line: str) -> bool:
    """Whether a line gives a name a value that is written out: ``timeout_seconds: 0.25``."""
    found = SETS.match(line)
    return found is not None and VALUE.search(found["value"]) is not None and not CALL.search(found["value"])


def value_changes(hunk: Hunk) -> list[ValueChange]:
    """Values that a hunk changed, in order: lines that differ in values alone, and those that set the same name."""
    old, new = hunk.removed_text.split("\n"), hunk.added_text.split("\n")
    if not hunk.old_lines or not hunk.lines or max(len(old), len(new)) > MOST_LINES:
        return []
    out = []
    for i, j in line_pairs(old, new):
        found = compare(old[i], new[j])
        if found:
            out.append(ValueChange(*found, hunk.start_line + j, old[i].strip(), new[j].strip()))
    return out


def line_pairs(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Numbers of lines that are the same but for values, else that set the same name; each line once."""
    free = dict.fromkeys(range(len(new)))
    for key in (shape, name_set):
        taken = []
        for i in range(len(old)):
            own = key(old[i])
            j = next((j for j in free if own and key(new[j]) == own), None)
            if j is not None:
                taken.append(i)
                free.pop(j)
                yield i, j
        old = ["" if i in taken else line for i, line in enumerate(old)]


def shape(line: str) -> str:
    """A line with every value left out; empty when it has none, or nothing else."""
    text = line.strip()[:LONGEST]
    bare = VALUE.sub("\0", text)
    return bare if bare != text and NAME.search(bare) else ""


def name_set(line: str) -> str:
    """The name that a line sets; empty for a line that sets none."""
    match = SETS.match(line[:LONGEST])
    return match["name"].strip("\"'") if match else ""


def compare(old: str, new: str) -> tuple[str, str, str] | None:
    """Name, old and new value where two lines differ; None when they do not."""
    if shape(old) and shape(old) == shape(new):
        pairs = zip_longest(VALUE.finditer(old), VALUE.finditer(new))
        different = [(a, b) for a, b in pairs if a and b and a[0] != b[0]]
        if not different:
            return None
        first, second = different[0]
        before = NAME.findall(VALUE.sub(" ", old[: first.start()]))
        return (name_set(old) or (before[-1] if before else "")), first[0], second[0]
    was, now = SETS.match(old[:LONGEST]), SETS.match(new[:LONGEST])
    if was and now and name_set(old) == name_set(new) and was["value"] != now["value"]:
        return name_set(old), was["value"], now["value"]
    return None
