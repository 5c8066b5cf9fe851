"""Numbers, instants and rows of plain text: log lines, tables, CSV, diffs, JSON lines, prose."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from workers.grounding.evidence_values import Collector, Instant, Number, Row, stems_of
from workers.grounding.literals import find_specifics
from workers.grounding.quantities import COMPOUND, UNITS, read_quantity
from workers.language.clock_times import MONTHS
from workers.language.zones import zone_named

MONTH = rf"(?:{MONTHS})[a-z]*"
ZONE = r"(?:\s?(?P<zone>(?-i:Z|UTC|GMT|[A-Z]{2,4}T)|[+-]\d\d:?\d\d)(?!\w))?"
CLOCK = r"(?P<h>\d{1,2}):(?P<m>[0-5]\d)(?::(?P<s>[0-5]\d)(?:[.,]\d+)?)?(?:\s?(?P<half>[ap])\.?m\b\.?)?"
TIMES = (
    re.compile(rf"(?P<y>\d{{4}})[-/](?P<mo>\d\d)[-/](?P<d>\d\d)(?:[T ]\s?{CLOCK}{ZONE})?(?!\d)"),
    re.compile(rf"(?P<d>\d\d)/(?P<mon>{MONTH})/(?P<y>\d{{4}}):{CLOCK}{ZONE}", re.IGNORECASE),
    re.compile(
        rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)? (?P<mon>{MONTH})\.?,?(?: (?P<y>\d{{4}}))?(?:,?(?: at)? {CLOCK}{ZONE})?(?![\d:])",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?P<mon>{MONTH})\.? +(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?!\d)(?:,? (?P<y>\d{{4}})(?!\d|:))?(?:[,-]*(?: at| -)? *{CLOCK}(?: (?P<y2>\d{{4}}))?{ZONE})?(?![\d:])",
        re.IGNORECASE,
    ),
    re.compile(rf"(?<![\d:.]){CLOCK}{ZONE}(?![\d:])"),
)
NUMBER = r"(?:(?<!\w)[-+−])?(?:\d{1,3}(?:,\d{3})+|\d+(?:_\d{3})*)(?:\.\d+)?(?:[eE][-+]?\d+)?"
EVIDENCE_UNITS = {**UNITS, "ns": ("s", 1e-9)}
UNIT = "|".join(re.escape(u) for u in sorted(EVIDENCE_UNITS, key=len, reverse=True))
VALUE = re.compile(
    rf"(?<![\w.])(?<![A-Za-z\d]-)(?P<n>{NUMBER})(?:(?P<k>[kKM])(?!\w))?(?:[\s-]?(?P<u>{UNIT})(?![\w.-]*\w)|(?![A-Za-z_]))"
    r"(?:\s?/\s?(?P<per>s|sec|second|min|minute|h|hour|day)\b)?",
    re.IGNORECASE,
)
LENGTH = re.compile(r"(?<![\w.])(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?(?![\w.])")
ISO_LENGTH = re.compile(r"\bP(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?(?!\w)")
NAMED = re.compile(r"[\"']?(?P<key>[A-Za-z_][\w.-]*)[\"']?\s?[=:]\s?[\"']?$")
IDENTIFIER = re.compile(r"[A-Za-z_][\w.]*")
PROSE = re.compile(r"[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}")
ITEM = re.compile(r"\s*(?:(\d{1,2})[.)]|[-*•])\s+\S")
SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[A-Z(\"“])")
LONGEST_LINE, MOST_LINES = 600, 400
BEFORE = "before"


def read_text(text: str, out: Collector) -> None:
    """Gather what the lines of a text hold; blocks of lines with the same columns are tables."""
    out.texts.append(text)
    lines = text.splitlines()[:MOST_LINES]
    table = "diff lines" if is_diff(lines) else "lines"
    heads = table_heads(lines)
    for i, line in enumerate(lines):
        if not line.strip():
            continue
        if line.lstrip().startswith("{") and (item := json_line(line)):
            read_json_line(item, i, out)
            continue
        cells = cells_of(line, heads[i]) if heads[i][1] else {}
        if cells:
            row = out.row(f"table {','.join(heads[i][1])}", i, line[:LONGEST_LINE], cells, stems_of(" ".join(cells)))
            for name, cell in cells.items():
                read_line(cell, name, row, out)
            continue
        if item := ITEM.match(line):
            out.row(
                "numbered steps" if item[1] else "list items", i, line[:LONGEST_LINE], {}, stems_of("step item point")
            )
        for part in SENTENCE.split(line) if PROSE.search(line) else (line,):
            read_line(part[:LONGEST_LINE], "", out.row(table, i, part[:LONGEST_LINE], {}, frozenset()), out)


def is_diff(lines: Sequence[str]) -> bool:
    """Whether lines say what was taken out and put in."""
    return any(line.startswith(("@@", "+ ", "+\t")) or re.match(r"\+[\w#]", line) for line in lines)


def json_line(line: str) -> dict[str, Any] | None:
    """A line that is a JSON object."""
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def read_json_line(item: dict[str, Any], place: int, out: Collector) -> None:
    """A line of a log that is an object of JSON."""
    from workers.grounding.json_values import cells_of as json_cells
    from workers.grounding.json_values import own_text, walk

    row = out.row("lines", place, own_text(item), json_cells(item), frozenset())
    walk(item, "", "lines", row, "", out, 0)


def table_heads(lines: Sequence[str]) -> list[tuple[str, tuple[str, ...]]]:
    """For each line the separator and the names of its columns, or nothing."""
    out: list[tuple[str, tuple[str, ...]]] = [("", ())] * len(lines)
    head: tuple[str, tuple[str, ...]] | None = None
    for i, line in enumerate(lines):
        if head and (cells := split(line, head[0])) and len(cells) == len(head[1]):
            out[i] = head
            continue
        if head and re.fullmatch(r"[\s|+:=-]+", line):
            continue
        head = next(
            (
                (sep, tuple(cells))
                for sep in ("|", "\t", ",", ";", "  ")
                if len(cells := split(line, sep)) > 1
                and not any(re.match(r"[-+]?\d|$", c) or "=" in c for c in cells)
                and all(len(c) <= 40 for c in cells)
                and follows(lines[i + 1 : i + 3], sep, len(cells))
            ),
            None,
        )
    return out


def follows(lines: Sequence[str], separator: str, columns: int) -> bool:
    """Whether the next line that is no rule has as many columns."""
    rest = [line for line in lines if not re.fullmatch(r"[\s|+:=-]+", line)]
    return bool(rest) and len(split(rest[0], separator)) == columns


def split(line: str, separator: str) -> list[str]:
    """A line's cells."""
    if separator == "  ":
        return re.split(r"\s{2,}", line.strip())
    return [c.strip() for c in line.strip().strip("|").split(separator)] if separator in line else []


def cells_of(line: str, head: tuple[str, tuple[str, ...]]) -> dict[str, str]:
    """A row's cells by the names of the columns."""
    return dict(zip(head[1], split(line, head[0]), strict=False)) if head[1] else {}


def read_line(line: str, key: str, row: Row, out: Collector) -> None:
    """The instants and numbers of one line or one text of JSON."""
    taken = [False] * len(line)
    for pattern in TIMES if any(c.isdigit() for c in line) else ():
        for match in pattern.finditer(line):
            if not any(taken[match.start() : match.end()]) and (at := instant_of(match, out)):
                taken[match.start() : match.end()] = [True] * len(match.group())
                dated, clocked = "d" in match.re.groupindex, match["h"] is not None
                out.instants.append(
                    Instant(at, match.group(), key or name_before(line, match.start()), row, dated, clocked)
                )
    blank = "".join(" " if t else c for c, t in zip(line, taken, strict=True)) if any(taken) else line
    for match in COMPOUND.finditer(blank):
        out.numbers.append(
            Number(read_quantity(match.group())[0], "s", match.group(), key or name_before(line, match.start()), row)
        )
        blank = f"{blank[: match.start()]}{' ' * len(match.group())}{blank[match.end() :]}"
    for value, text, at in read_lengths(blank):
        out.numbers.append(Number(value, "s", text, key or name_before(line, at), row))
    for match in VALUE.finditer(blank):
        add_value(match, line, key, row, out)
    if PROSE.search(line):
        for said in find_specifics(blank):
            if said.kind in {"quantity", "factor"} and not said.text[:1].isdigit():
                out.numbers.append(Number(said.value, said.dimension, said.text, key, row))


def read_lengths(line: str) -> Iterator[tuple[float, str, int]]:
    """``1m32s``, ``2h``, ``5d4h``, ``PT5M``: lengths of time as programs write them."""
    for pattern in (LENGTH, ISO_LENGTH):
        for match in pattern.finditer(line):
            if sum(g is not None for g in match.groups()) >= 1 and match.group():
                d, h, m, s = (float(g or 0) for g in match.groups())
                yield d * 86_400 + h * 3600 + m * 60 + s, match.group(), match.start()


def add_value(match: re.Match[str], line: str, key: str, row: Row, out: Collector) -> None:
    """One number in a text, with its unit or the one that its key's name ends with."""
    from workers.grounding.json_values import SHARES, snake, unit_of_key

    raw = match["n"].replace(",", "").replace("_", "").replace("−", "-")
    joined = match.start() and line[match.start() - 1] not in " \t(=:,[{<>~+\"'|"
    value = float(raw.lstrip("+"))
    name = key or name_before(line, match.start()) or {"+": "added", "-": "removed"}.get(raw[0], "")
    text = match.group().strip()
    if match["k"]:
        value *= 1e3 if match["k"] in "kK" else 1e6
    unit = EVIDENCE_UNITS.get((match["u"] or "").lower())
    if match["per"]:
        scale = 1 / {"s": 1, "m": 60, "h": 3600, "d": 86_400}[match["per"][0].lower()]
        inner = unit if unit and unit[0] == "bytes" else None
        out.numbers.append(
            Number(value * scale * (inner[1] if inner else 1), "bytes/s" if inner else "/s", text, name, row)
        )
        unit = None if inner else unit
    if unit:
        dimension, factor = unit
        out.numbers.append(Number(value * factor, dimension, text, name, row))
        if dimension == "bytes" and (prefix := re.match(r"([kmgt])b", match["u"].lower())):
            out.numbers.append(Number(value * 1024.0 ** (" kmgt".index(prefix[1])), dimension, text, name, row))
    own = unit_of_key(name) if name and not unit else None
    if own:
        out.numbers.append(Number(value * own[1], own[0], f"{text} {name}", name, row))
    if (abs(value) <= 1 and not unit and "." in raw) or (name and not unit and SHARES & set(snake(name).split("_"))):
        out.numbers.append(Number(value, "ratio", text, name, row))
    out.numbers.append(Number(value, "plain", text, name, row, bare=not (unit or own or match["per"])))
    if not joined and re.fullmatch(r"1\d{9}|1\d{12}", raw):
        at = datetime.fromtimestamp(float(raw) / (1e3 if len(raw) == 13 else 1), UTC)
        out.instants.append(Instant(at, raw, name, row))


def name_before(line: str, at: int) -> str:
    """The key that stands before a value: ``duration_ms=``, ``"took": ``, ``Wait ``."""
    found = NAMED.search(line[max(0, at - 60) : at])
    return found["key"] if found else ""


def instant_of(match: re.Match[str], out: Collector) -> datetime | None:
    """A written time as a moment; a missing day or year is that of the time before it."""
    got = match.groupdict()
    last = out.instants[-1].at if out.instants else datetime(2000, 1, 1, tzinfo=UTC)
    month = (
        int(got["mo"])
        if got.get("mo")
        else (MONTHS.split("|").index(got["mon"][:3].lower()) + 1 if got.get("mon") else last.month)
    )
    year = int(got.get("y") or got.get("y2") or last.year)
    hour, minute, second = int(got["h"] or 0), int(got["m"] or 0), int(got["s"] or 0)
    if got["half"]:
        hour = hour % 12 + (12 if got["half"].lower() == "p" else 0)
    zone = UTC if (got["zone"] or "Z") in {"Z", "UTC", "GMT"} else zone_named(got["zone"]) or UTC
    try:
        at = datetime(year, month, int(got.get("d") or last.day), hour % 24, minute, second, tzinfo=zone)
        return at.astimezone(UTC) + timedelta(days=hour // 24)
    except (ValueError, OverflowError):
        return None
