"""Numbers, instants and rows of plain text: log lines, tables, CSV, diffs, JSON lines, prose."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from workers.grounding.evidence_values import Collector, Instant, Number, Row, stems_of
from workers.grounding.key_units import SHARES, snake, unit_of_key
from workers.grounding.quantities import LARGEST, Quantity, find_quantities
from workers.grounding.written_times import find_times, moment_of

NAMED = re.compile(r"[\"']?(?P<key>[A-Za-z_][\w.-]*)[\"']?\s?[=:]\s?[\"']?$")
IDENTIFIER = re.compile(r"[A-Za-z]\w*(?:[._]\w+)+")
PROSE = re.compile(r"\b[A-Za-z]{2,30}[ ,;:]{1,2}[a-z]{2,30}[ ,;:]{1,2}[a-z]{2}")
ITEM = re.compile(r"\s{0,20}(?:(\d{1,2})[.)]|[-*•])\s{1,9}\S")
SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[A-Z(\"“])")
HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
CODE_FILE = re.compile(r"(?:\+\+\+ (?:b/)?|diff --git a/\S+ b/)(\S+)")
RULE = re.compile(r"[\s|+:=-]+")
LONGEST_LINE, MOST_LINES = 600, 400
Head = tuple[str, tuple[str, ...]]


def read_text(text: str, out: Collector, read_item: Callable[[dict[str, Any], int, Collector], None]) -> None:
    """Gather what lines of text hold; blocks with the same columns are tables; ``read_item`` takes lines of JSON."""
    out.texts.append(text)
    lines = text.splitlines()[:MOST_LINES]
    table = "diff lines" if is_diff(lines) else "lines"
    heads = [("", ())] * len(lines) if is_diff(lines) else table_heads(lines)
    places = list(diff_places(lines))
    for i, line in enumerate(lines):
        if not line.strip():
            continue
        if line.lstrip().startswith("{") and (item := json_line(line)):
            read_item(item, i, out)
        elif cells := dict(zip(heads[i][1], split(line, heads[i][0]), strict=False)):
            row = out.row(f"table {','.join(heads[i][1])}", i, line[:LONGEST_LINE], cells, stems_of(" ".join(cells)))
            first = next(iter(cells.values()))
            for name, cell in cells.items():
                read_line(
                    cell, f"{name} {first}" if unit_of_key(first) and IDENTIFIER.fullmatch(first) else name, row, out
                )
        else:
            if numbered := ITEM.match(line):
                out.row(
                    "numbered steps" if numbered[1] else "list items",
                    i,
                    line[:LONGEST_LINE],
                    {},
                    stems_of("step item point"),
                )
            lead = IDENTIFIER.match(line.strip("-*• `"))
            key = lead.group() if lead and unit_of_key(lead.group()) else ""
            for part in SENTENCE.split(line) if PROSE.search(line) else (line,):
                row = out.row(table, i, part[:LONGEST_LINE], {}, frozenset())
                read_line(HUNK.sub("", part[:LONGEST_LINE]), key, row, out)
                if place := places[i]:
                    out.places.append((*place, row))


def is_diff(lines: Sequence[str]) -> bool:
    """Whether lines say what was taken out and put in."""
    return any(line.startswith(("@@", "+ ", "+\t")) or re.match(r"\+[\w#]", line) for line in lines)


def diff_places(lines: Sequence[str]) -> Iterator[tuple[str, int] | None]:
    """For each line of a diff its file and its number there, after the change; before it, for a line taken out."""
    path, old, new = "", 0, 0
    for line in lines:
        if found := CODE_FILE.match(line):
            path, old, new = found[1], 0, 0
        elif hunk := HUNK.match(line):
            old, new = int(hunk[1]), int(hunk[2])
        elif new and not line.startswith(("---", "\\")):
            yield path, (old if line[:1] == "-" else new)
            old, new = old + (line[:1] != "+"), new + (line[:1] != "-")
            continue
        yield None


def json_line(line: str) -> dict[str, Any] | None:
    """A line that is a JSON object."""
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def table_heads(lines: Sequence[str]) -> list[Head]:
    """For each line the separator and the names of its columns, or nothing."""
    out: list[Head] = [("", ())] * len(lines)
    head: Head | None = None
    for i, line in enumerate(lines):
        if head and (cells := split(line, head[0])) and len(cells) == len(head[1]):
            out[i] = head
        elif not (head and RULE.fullmatch(line)):
            head = next(
                (h for sep in ("|", "\t", ",", ";", "  ") if (h := head_of(line, sep, lines[i + 1 : i + 3]))), None
            )
    return out


def head_of(line: str, separator: str, following: Sequence[str]) -> Head | None:
    """The columns that a line names, when the next line that is no rule has as many cells."""
    cells = split(line, separator)
    if len(cells) < 2 or any(re.match(r"[-+]?\d|$", c) or "=" in c or len(c) > 40 for c in cells):
        return None
    rest = [other for other in following if not RULE.fullmatch(other)]
    return (separator, tuple(cells)) if rest and len(split(rest[0], separator)) == len(cells) else None


def split(line: str, separator: str) -> list[str]:
    """A line's cells."""
    if separator == "  ":
        return re.split(r"\s{2,}", line.strip())
    return [c.strip() for c in line.strip().strip("|").split(separator)] if separator and separator in line else []


def read_line(line: str, key: str, row: Row, out: Collector) -> None:
    """The instants and numbers of one line or one text of JSON."""
    blank = line
    for said in find_times(line) if any(c.isdigit() for c in line) else ():
        text, name = line[said.start : said.end], key or name_before(line, said.start)
        if at := moment_of(said, out.instants[-1].at if out.instants else None):
            out.instants.append(Instant(at, text, name, row, said.day is not None, said.clocked))
            blank = f"{blank[: said.start]}{' ' * len(text)}{blank[said.end :]}"
            if said.seconds_only:
                out.numbers.append(Number((said.minutes or 0) * 60 + (said.second or 0), "s", text, name, row))
    for said_number in find_quantities(blank, words=bool(PROSE.search(line))):
        if abs(said_number.value) < LARGEST:  # NaN is not less than anything
            add_quantity(said_number, line, key, row, out)


def add_quantity(said: Quantity, line: str, key: str, row: Row, out: Collector) -> None:
    """One number in a text, with its unit or the one that its key's name holds."""
    text = line[said.start : said.end]
    name = key or name_before(line, said.start) or {"+": "added", "-": "removed"}.get(text[0], "")
    own = unit_of_key(name) if name and said.dimension == "plain" else None
    raw = re.match(r"[+−-]?[\d,_]+(?:\.\d+)?", text)
    value = (
        float(re.sub("[+,_]", "", raw.group()).replace("−", "-") or 0)
        if raw and any(map(str.isdigit, raw.group()))
        else said.value
    )
    if said.dimension != "plain":
        out.add(said.value, said.dimension, text, name, row)
    if own:
        out.add(said.value * own[1], own[0], f"{text} {name}", name, row)
    elif (abs(said.value) <= 1 and "." in text) or SHARES & set(snake(name).split("_")):
        out.numbers.append(Number(said.value, "ratio", text, name, row))
    if raw or said.dimension == "plain":
        plain = said.value if said.dimension == "plain" else value
        out.numbers.append(Number(plain, "plain", text, name, row, bare=said.dimension == "plain" and not own))
    if re.fullmatch(r"1\d{9}|1\d{12}", text):
        at = datetime.fromtimestamp(value / (1e3 if len(text) == 13 else 1), UTC)
        out.instants.append(Instant(at, text, name, row))


def name_before(line: str, at: int) -> str:
    """The key that stands before a value: ``duration_ms=``, ``"took": ``, ``Wait ``."""
    found = NAMED.search(line[max(0, at - 60) : at])
    return found["key"] if found else ""
