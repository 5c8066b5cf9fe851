"""Numbers, instants and rows of JSON of any shape: value and unit in separate keys, the unit in a key's name, epochs,
lists of objects, lists of points, columns apart from rows."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from workers.grounding.evidence_values import LONGEST_LABEL, Collector, Instant, Number, Row, stems_of
from workers.grounding.quantities import UNITS
from workers.grounding.text_values import is_diff, read_line

GENERIC = frozenset({"value", "values", "v", "val", "amount", "total", "count", "current", "data"})
TIMED_UNIT = "\0"
"""Marks a unit that only lengths of time have."""
LENGTHS = re.compile(
    r"dur|elapsed|latenc|took|time|wait|lag|delay|age|ttl|interval|period|retention|estimate", re.IGNORECASE
)
UNIT_KEYS = frozenset({"unit", "units", "uom", "unit_name"})
UNIT_NAMES: Mapping[str, tuple[str, float]] = {
    **{k: v for k, v in UNITS.items() if k not in {"m", "h", "d", "b", "points", "pp"}},
    "ns": ("s", 1e-9), "nanos": ("s", 1e-9), "micros": ("s", 1e-6), "weeks": ("s", 604_800.0), "ratio": ("ratio", 1.0),
    "fraction": ("ratio", 1.0), "perc": ("ratio", 0.01), "byte": ("bytes", 1.0), "m": ("s", 60.0), "h": ("s", 3600.0),
    "d": ("s", 86_400.0), "b": ("bytes", 1.0), "rps": ("/s", 1.0), "req/s": ("/s", 1.0), "ops": ("/s", 1.0),
}  # fmt: skip
TOO_SHORT = frozenset({"m", "h", "d", "b", "k", "g", "t", "ki", "mi", "gi", "ti", "ops"})  # no unit at the end of a key
SHARES = frozenset("ratio rate share fraction percent percentage utilization utilisation usage availability".split())
PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|%")
PER = {"second": 1.0, "sec": 1.0, "s": 1.0, "minute": 60.0, "min": 60.0, "hour": 3600.0, "hr": 3600.0, "day": 86_400.0}
LONGEST_AMOUNT = 24  # characters of a text that is an amount: ``1894 MB``, ``98.3 % of 4 cores``
DEEPEST, MOST_ITEMS, LONGEST_ITEM = 12, 500, 1500
Heads = Sequence[Sequence[str]]
EPOCH = tuple((1.2e9 * s, 2.2e9 * s, s) for s in (1.0, 1e3, 1e6, 1e9))
MOMENTS = re.compile(r"time|date|stamp|\bts\b|at$|created|since|start|end|modified|seen|epoch", re.IGNORECASE)


def read_json(data: Any, out: Collector) -> None:
    """Gather everything that a JSON value holds."""
    top = out.row("top", 0, own_text(data) if isinstance(data, Mapping) else "", {}, frozenset())
    walk(data, "", "items" if isinstance(data, list) else "", top, out.hint, out, 0)


def snake(key: str) -> str:
    """A key in small letters, its parts joined: ``heapUsedMiB`` -> ``heap_used_mib``."""
    return "_".join(
        p.lower() for p in PARTS.findall(key.replace("MiB", "Mib").replace("GiB", "Gib").replace("KiB", "Kib"))
    )


def unit_named(word: str) -> tuple[str, float] | None:
    """A unit by its name: ``MiB``, ``milliseconds``, ``req/s``, ``requests per minute``."""
    low = word.strip().lower()
    if found := UNIT_NAMES.get(low):
        return found
    per = re.fullmatch(r"(?:(.*?)\s*)?(?:/|\bper\s|_per_)\s*(\w+)", low)
    if per and per[2].rstrip("s") in PER | {"": 1.0}:
        inner = UNIT_NAMES.get((per[1] or "").strip())
        scale = PER[per[2].rstrip("s") or "s"] if per[2] != "s" else 1.0
        return (f"{inner[0]}/s", inner[1] / scale) if inner and inner[0] == "bytes" else ("/s", 1 / scale)
    return None


def unit_of_key(key: str) -> tuple[str, float] | None:
    """The unit that a key's name ends with: ``duration_ms``, ``heapMiB``, ``errors_per_minute``."""
    parts = snake(key).split("_")
    if len(parts) >= 3 and parts[-2] == "per" and parts[-1] in PER:
        return "/s", 1 / PER[parts[-1]]
    return (
        UNIT_NAMES.get(parts[-1]) if parts[-1] not in TOO_SHORT and (len(parts) > 1 or parts[-1] != "points") else None
    )


def own_text(item: Mapping[str, Any]) -> str:
    """The texts of an object's own keys, as what says whose row it is."""
    out = []
    for key, value in item.items():
        if isinstance(value, str | bool) or value is None:
            out.append(f"{key} {str(value)[:LONGEST_LABEL]}")
        elif isinstance(value, int | float):
            out.append(f"{key} {value}")
        elif isinstance(value, Mapping) and value and all(isinstance(v, str | int | float) for v in value.values()):
            out.append(" ".join(f"{k} {str(v)[:LONGEST_LABEL]}" for k, v in value.items()))
        elif isinstance(value, list) and value and all(isinstance(v, str) for v in value[:20]):
            out.append(f"{key} {' '.join(value[:20])}"[:LONGEST_LABEL])
    return "\n".join(out)


def walk(value: Any, key: str, table: str, row: Row, unit: str, out: Collector, depth: int, heads: Heads = ()) -> None:
    """One value and what is in it. ``table``: the path without the places in lists; ``unit``: said further up."""
    if depth > DEEPEST:
        return
    if isinstance(value, Mapping):
        walk_object(value, key, table, row, unit, out, depth)
    elif isinstance(value, list):
        walk_list(value, key, table, row, unit, out, depth, heads)
    elif isinstance(value, str):
        out.texts.append(value)
        if re.fullmatch(r"-?\d+(?:\.\d+)?", value) and len(value) < 20:
            add_number(float(value) if "." in value else int(value), key, row, unit, out)
        elif "\n" in value:
            lines = value.splitlines()[:MOST_ITEMS]
            for i, line in enumerate(lines):
                read_line(
                    line,
                    "",
                    out.row(f"{table}.{'diff ' * is_diff(lines)}lines", i, line, {}, row.words, parent=row),
                    out,
                )
        else:
            read_line(value, key if len(value) <= LONGEST_AMOUNT else "", row, out)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        out.texts.append(repr(value))
        add_number(value, key, row, unit, out)


def walk_object(
    item: Mapping[str, Any], parent: str, table: str, row: Row, unit: str, out: Collector, depth: int
) -> None:
    """The values of an object; a map of objects is a table whose rows have names."""
    own = next((str(v) for k, v in item.items() if snake(str(k)) in UNIT_KEYS and isinstance(v, str)), unit)
    own = own or epoch_unit(item)
    heads = column_names(item)
    columns = side_by_side(item, table, row, own, out)
    named = len(item) > 1 and all(isinstance(v, Mapping) for v in item.values())
    for i, (name, value) in enumerate(item.items()):
        key = str(name)
        out.texts.append(key)
        if key in columns:
            continue
        told = next(
            (str(item[k]) for k in (f"{key}_unit", f"{key}Unit", f"{key}_units") if isinstance(item.get(k), str)), own
        )
        below = row
        if isinstance(value, Mapping):
            text = f"{key} {own_text(value)}"
            below = out.row(
                f"{table}.*" if named else f"{table}.{key}", i, text, cells_of(value), row.words, parent=row
            )
        name = f"{parent}_{key}" if snake(key) in GENERIC and parent else key
        walk(value, name, f"{table}.*" if named else f"{table}.{key}", below, told, out, depth + 1, heads)


def epoch_unit(item: Mapping[str, Any]) -> str:
    """The unit of an object's lengths of time: that of the moments beside them."""
    scale = next((s for v in item.values() if (s := epoch_scale(v))), 1.0)
    return {1.0: "", 1e3: TIMED_UNIT + "ms", 1e6: TIMED_UNIT + "us", 1e9: TIMED_UNIT + "ns"}[scale]


def side_by_side(item: Mapping[str, Any], table: str, row: Row, unit: str, out: Collector) -> set[str]:
    """Lists of plain values of one length are the columns of a table; their names."""
    done: set[str] = set()
    lists = {str(k): v for k, v in item.items() if isinstance(v, list) and len(v) > 1}
    plain = {k: v for k, v in lists.items() if not any(isinstance(x, list | Mapping) for x in v)}
    for size in {len(v) for v in plain.values()}:
        columns = {k: v for k, v in plain.items() if len(v) == size}
        if len(columns) < 2 or size > MOST_ITEMS:
            continue
        done |= columns.keys()
        for i in range(size):
            text = "\n".join(f"{k} {v[i]}" for k, v in columns.items())
            below = out.row(
                f"{table}.|", i, text, {k: str(v[i]).lower() for k, v in columns.items()}, row.words, parent=row
            )
            for key, values in columns.items():
                walk(values[i], key, f"{table}.|", below, unit, out, DEEPEST)
    return done


def cells_of(item: Mapping[str, Any]) -> dict[str, str]:
    """An object's plain values, as text."""
    return {str(k): str(v).lower() for k, v in item.items() if isinstance(v, str | int | float | bool) or v is None}


def walk_list(
    items: Sequence[Any], key: str, table: str, row: Row, unit: str, out: Collector, depth: int, heads: Heads
) -> None:
    """The items of a list: objects, plain values, or lists whose columns have names beside them."""
    above = row.words | stems_of(key)
    for i, item in enumerate(items[:MOST_ITEMS]):
        if isinstance(item, Mapping):
            below = out.row(table, i, own_text(item), cells_of(item), above, json.dumps(item)[:LONGEST_ITEM], row)
            walk_object(item, key, table, below, unit, out, depth + 1)
        elif isinstance(item, list):
            names = next((h for h in heads if len(h) == len(item)), [key] * len(item))
            if len(item) == 2 and epoch_scale(item[0]):
                names = ["time", key]
            text = "\n".join(f"{n} {v}" for n, v in zip(names, item, strict=True) if not isinstance(v, list | Mapping))
            below = out.row(
                table, i, text, {n: str(v).lower() for n, v in zip(names, item, strict=True)}, above, parent=row
            )
            for name, value in zip(names, item, strict=True):
                walk(value, name, table, below, unit, out, depth + 1)
        else:
            below = out.row(table, i, f"{key} {item}", {key: str(item).lower()}, above, parent=row)
            walk(item, key, table, below, unit, out, depth + 1)


def column_names(item: Mapping[str, Any]) -> list[list[str]]:
    """The lists of names in an object, which may be those of the columns of rows beside them."""
    out = []
    for value in item.values():
        if isinstance(value, list) and len(value) > 1:
            names = [column_name(v) for v in value]
            if all(names):
                out.append([str(n) for n in names])
    return out


def column_name(item: Any) -> str:
    """A column's name: a text, or an object's name."""
    if isinstance(item, Mapping):
        return next(
            (str(item[k]) for k in ("name", "text", "label", "id", "field") if isinstance(item.get(k), str)), ""
        )
    return item if isinstance(item, str) else ""


def add_number(value: float, key: str, row: Row, unit: str, out: Collector) -> None:
    """A number with every reading that its key and the unit beside it allow."""
    text = f"{value:,}" if isinstance(value, int) else f"{value:g}" if abs(value) >= 1e-4 else str(value)
    epoch = epoch_scale(value)
    if epoch and (not unit or unit.startswith(TIMED_UNIT) or MOMENTS.search(key)):
        out.instants.append(Instant(datetime.fromtimestamp(value / epoch, UTC), str(value), key, row))
        out.numbers.append(Number(value, "plain", str(value), key, row))
        return
    own = unit_of_key(key)
    if unit.startswith(TIMED_UNIT):
        unit = unit[1:] if LENGTHS.search(key) else ""
    said = own or (unit_named(unit) if unit else None)
    name = unit if not own else unit_part(key)
    if said:
        out.numbers.append(Number(value * said[1], said[0], f"{text} {name}".strip(), key, row))
        if said[0] == "bytes" and (prefix := re.match(r"([kmgt])b", name.lower())):
            binary = 1024.0 ** (" kmgt".index(prefix[1]))
            out.numbers.append(Number(value * binary, "bytes", f"{text} {name}", key, row))
    elif SHARES & set(snake(key).split("_")) or (isinstance(value, float) and abs(value) <= 1):
        out.numbers.append(Number(value if abs(value) <= 1 else value / 100, "ratio", text, key, row))
    elif LENGTHS.search(key):
        out.numbers.extend(Number(value * s, "s", text, key, row, bare=True) for s in (1.0, 1e-3))
    out.numbers.append(Number(value, "plain", text, key, row, bare=not said))


def epoch_scale(value: Any) -> float | None:
    """How many of a moment's units make a second; None for a number that is no moment."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return next((s for low, high, s in EPOCH if low <= value < high), None)


def unit_part(key: str) -> str:
    """The part of a key's name that says its unit."""
    parts = snake(key).split("_")
    return " ".join(parts[-2:]) if len(parts) > 2 and parts[-2] == "per" else parts[-1]
