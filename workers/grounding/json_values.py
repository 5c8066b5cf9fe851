"""Numbers, instants and rows of JSON of any shape: value and unit in separate keys, the unit in a key's name, epochs,
lists of objects, lists of points, columns apart from rows."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from workers.grounding.evidence_values import LONGEST_LABEL, Collector, Instant, Number, Row, stems_of
from workers.grounding.key_units import SHARES, snake, unit_of_key
from workers.grounding.quantities import unit_of
from workers.grounding.text_values import is_diff, read_line

GENERIC = frozenset({"value", "values", "v", "val", "amount", "total", "count", "current", "data"})
LENGTHS = re.compile(
    r"dur|elapsed|latenc|took|time|wait|lag|delay|age|ttl|interval|period|retention|estimate", re.IGNORECASE
)
UNIT_KEYS = frozenset({"unit", "units", "uom", "unit_name"})
MORE_UNITS: Mapping[str, tuple[str, float]] = {"ratio": ("ratio", 1.0), "fraction": ("ratio", 1.0), "ops": ("/s", 1.0)}
LONGEST_AMOUNT = 24  # characters of a text that is an amount: ``1894 MB``, ``98.3 % of 4 cores``
DEEPEST, MOST_ITEMS, LONGEST_ITEM = 12, 500, 1500
EPOCH = tuple((1.2e9 * s, 2.2e9 * s, s) for s in (1.0, 1e3, 1e6, 1e9))
MOMENTS = re.compile(r"time|date|stamp|\bts\b|at$|created|since|start|end|modified|seen|epoch", re.IGNORECASE)


@dataclass(frozen=True)
class Place:
    """Where a value stands. ``table``: the path without places in lists; ``unit``: said further up; ``clock``: how many
    of its lengths of time make a second, by the moments beside them; ``heads``: names of columns beside the lists."""

    key: str
    table: str
    row: Row
    unit: str = ""
    clock: float = 0.0
    depth: int = 0
    heads: tuple[tuple[str, ...], ...] = field(default=())

    def under(self, key: str, **changes: Any) -> Place:
        """One level deeper."""
        return replace(self, key=key, depth=self.depth + 1, **changes)


def read_json(data: Any, out: Collector) -> None:
    """Gather everything that a JSON value holds."""
    top = out.row("top", 0, own_text(data) if isinstance(data, Mapping) else "", {}, frozenset())
    walk(data, Place("", "items" if isinstance(data, list) else "", top, out.hint), out)


def read_object(item: Mapping[str, Any], index: int, out: Collector) -> None:
    """A line of a log that is an object of JSON."""
    walk(item, Place("", "lines", out.row("lines", index, own_text(item), cells_of(item), frozenset())), out)


def own_text(item: Mapping[str, Any]) -> str:
    """The texts of an object's own keys, as what says whose row it is."""
    out = []
    for key, value in item.items():
        if isinstance(value, Mapping) and value and all(isinstance(v, str | int | float) for v in value.values()):
            out.append(" ".join(f"{k} {str(v)[:LONGEST_LABEL]}" for k, v in value.items()))
        elif isinstance(value, list) and value and all(isinstance(v, str) for v in value[:20]):
            out.append(f"{key} {' '.join(value[:20])}"[:LONGEST_LABEL])
        elif not isinstance(value, list | Mapping):
            out.append(f"{key} {str(value)[:LONGEST_LABEL]}")
    return "\n".join(out)


def cells_of(item: Mapping[str, Any]) -> dict[str, str]:
    """An object's plain values, as text."""
    return {str(k): str(v).lower() for k, v in item.items() if not isinstance(v, list | Mapping)}


def walk(value: Any, at: Place, out: Collector) -> None:
    """One value and what is in it."""
    if at.depth > DEEPEST:
        return
    if isinstance(value, Mapping):
        walk_object(value, at, out)
    elif isinstance(value, list):
        walk_list(value, at, out)
    elif isinstance(value, str):
        out.texts.append(value)
        lines = value.splitlines()[:MOST_ITEMS]
        if re.fullmatch(r"-?\d+(?:\.\d+)?", value) and len(value) < 20:
            add_number(float(value) if "." in value else int(value), at, out)
        elif len(lines) > 1:
            table = f"{at.table}.{'diff ' * is_diff(lines)}lines"
            for i, line in enumerate(lines):
                read_line(line, "", out.row(table, i, line, {}, at.row.words, parent=at.row), out)
        else:
            read_line(value, at.key if len(value) <= LONGEST_AMOUNT else "", at.row, out)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        out.texts.append(repr(value))
        add_number(value, at, out)


def walk_object(item: Mapping[str, Any], at: Place, out: Collector) -> None:
    """The values of an object; a map of objects is a table whose rows have names."""
    unit = next((u for k, v in item.items() if snake(str(k)) in UNIT_KEYS and (u := unit_text(v))), at.unit)
    clock = next((s for v in item.values() if (s := epoch_scale(v))), at.clock)
    at = replace(at, unit=unit, clock=clock, heads=column_names(item))
    columns = side_by_side(item, at, out)
    named = len(item) > 1 and all(isinstance(v, Mapping) for v in item.values())
    for i, (key, value) in enumerate((str(k), v) for k, v in item.items()):
        out.texts.append(key)
        if key in columns:
            continue
        told = next(
            (str(item[k]) for k in (f"{key}_unit", f"{key}Unit", f"{key}_units") if isinstance(item.get(k), str)), unit
        )
        table = f"{at.table}.*" if named else f"{at.table}.{key}"
        below = at.row
        if isinstance(value, Mapping):
            below = out.row(table, i, f"{key} {own_text(value)}", cells_of(value), at.row.words, parent=at.row)
        name = f"{at.key}_{key}" if snake(key) in GENERIC and at.key else key
        walk(value, at.under(name, table=table, row=below, unit=told), out)


def unit_text(value: Any) -> str:
    """A unit as an object writes it: a text, or the short name of an object of its own."""
    value = value[0] if isinstance(value, list) and value else value
    if isinstance(value, Mapping):
        return next((str(value[k]) for k in ("short_name", "symbol", "abbreviation", "name") if value.get(k)), "")
    return value if isinstance(value, str) else ""


def side_by_side(item: Mapping[str, Any], at: Place, out: Collector) -> set[str]:
    """Lists of plain values of one length are the columns of a table; their names."""
    plain = {
        str(k): v
        for k, v in item.items()
        if isinstance(v, list) and 1 < len(v) <= MOST_ITEMS and not any(isinstance(x, list | Mapping) for x in v)
    }
    done: set[str] = set()
    for size in {len(v) for v in plain.values()}:
        columns = {k: v for k, v in plain.items() if len(v) == size}
        if len(columns) < 2:
            continue
        done |= columns.keys()
        for i in range(size):
            cells = {k: v[i] for k, v in columns.items()}
            add_row(cells, f"{at.table}.|", i, at, out)
    return done


def add_row(cells: Mapping[str, Any], table: str, index: int, at: Place, out: Collector) -> None:
    """A row whose cells have names, and what is in them."""
    row = out.row(table, index, own_text(cells), cells_of(cells), at.row.words | stems_of(at.key), parent=at.row)
    for name, value in cells.items():
        walk(value, at.under(name, table=table, row=row), out)


def walk_list(items: Sequence[Any], at: Place, out: Collector) -> None:
    """The items of a list: objects, plain values, or lists whose columns have names beside them."""
    above = at.row.words | stems_of(at.key)
    for i, item in enumerate(items[:MOST_ITEMS]):
        if isinstance(item, Mapping):
            row = out.row(at.table, i, own_text(item), cells_of(item), above, json.dumps(item)[:LONGEST_ITEM], at.row)
            walk_object(item, at.under(at.key, row=row), out)
        elif isinstance(item, list):
            names = next((h for h in at.heads if len(h) == len(item)), None)
            names = names or tuple(
                f"{at.key}{'' if j else '_time'}" if len(item) == 2 and epoch_scale(item[0]) else at.key
                for j in range(len(item))
            )
            if len(set(names)) < len(names):
                names = tuple(f"{n}_{j}" if j else n for j, n in enumerate(names))
            add_row(dict(zip(names, item, strict=True)), at.table, i, at, out)
        else:
            add_row({at.key: item}, at.table, i, at, out)


def column_names(item: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    """The lists of names in an object, which may be those of the columns of rows beside them."""
    found = (tuple(map(column_name, v)) for v in item.values() if isinstance(v, list) and len(v) > 1)
    return tuple(names for names in found if all(names) and len(set(names)) == len(names))


def column_name(item: Any) -> str:
    """A column's name: a text, or an object's name."""
    if isinstance(item, Mapping):
        return next(
            (str(item[k]) for k in ("name", "text", "label", "id", "field") if isinstance(item.get(k), str)), ""
        )
    return item if isinstance(item, str) else ""


def add_number(value: float, at: Place, out: Collector) -> None:
    """A number with every reading that its key and the unit beside it allow."""
    key, row = at.key, at.row
    text = f"{value:,}" if isinstance(value, int) else f"{value:g}" if abs(value) >= 1e-4 else str(value)
    epoch = epoch_scale(value)
    own = unit_of_key(key)
    if epoch and not own and (not at.unit or MOMENTS.search(key)):
        out.instants.append(Instant(datetime.fromtimestamp(value / epoch, UTC), str(value), key, row))
        out.numbers.append(Number(value, "plain", str(value), key, row))
        return
    unit = own or unit_of(at.unit) or MORE_UNITS.get(at.unit.lower())
    if unit:
        out.add(value * unit[1], unit[0], f"{text} {snake(key) if own else at.unit}", key, row)
    elif SHARES & set(snake(key).split("_")) or (isinstance(value, float) and abs(value) <= 1):
        out.numbers.append(Number(value if abs(value) <= 1 else value / 100, "ratio", text, key, row))
    elif LENGTHS.search(key):
        scales = (at.clock,) if at.clock else (1.0, 1e3)
        out.numbers.extend(Number(value / s, "s", text, key, row, bare=True) for s in scales)
    out.numbers.append(Number(value, "plain", text, key, row, bare=not unit))


def epoch_scale(value: Any) -> float | None:
    """How many of a moment's units make a second; None for a number that is no moment."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return next((s for low, high, s in EPOCH if low <= value < high), None)
