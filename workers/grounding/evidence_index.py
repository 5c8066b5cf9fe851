"""One index of values for each piece of evidence, made once: what a claim's specifics are looked up in."""

from __future__ import annotations

import re
from collections import OrderedDict
from datetime import datetime
from functools import lru_cache
from threading import Lock

from workers.contracts import Evidence, Fact
from workers.grounding.evidence_values import Collector, Field, Index, Instant, Number, Row, stems_of
from workers.grounding.fact_extraction import facts_in, sound
from workers.grounding.json_values import epoch_scale, read_json, read_object
from workers.grounding.key_units import unit_of_key
from workers.grounding.quantities import unit_of
from workers.grounding.text_values import read_line, read_text
from workers.grounding.value_format import say_number

FACT_UNITS = {
    "s": ("s", 1.0),
    "ratio": ("ratio", 1.0),
    "percent": ("ratio", 0.01),
    "/s": ("/s", 1.0),
    "bytes": ("bytes", 1.0),
}
PER = re.compile(r"\bper (?:second|minute|hour|day)\b")
NAME = re.compile(r"[a-z]+(?:_[a-z]+)+")
METRIC_UNITS = frozenset({"bytes", "seconds", "milliseconds", "ms", "ratio", "percent"})
NO_MEASURES = ("line", "port", "pid", "id", "score", "samples", "onset_confidence", "version", "change_pct", "change")
STARTS = re.compile(r"start|begin|began|creat|opened", re.IGNORECASE)
ENDS = re.compile(r"finish|\bend|_end|ended|complet|resolv|closed", re.IGNORECASE)
MOST_KEPT = 512
_kept: OrderedDict[int, tuple[Evidence, Index]] = OrderedDict()
_lock = Lock()


def index_of(evidence: Evidence) -> Index:
    """The index of a piece of evidence, kept while it is used."""
    with _lock:
        found = _kept.get(id(evidence))
        if found and found[0] is evidence:
            _kept.move_to_end(id(evidence))
            return found[1]
    made = read_evidence(sound(evidence))
    with _lock:
        _kept[id(evidence)] = (evidence, made)
        _kept[id(made.evidence)] = (made.evidence, made)
        while len(_kept) > MOST_KEPT:
            _kept.popitem(last=False)
    return made


def read_evidence(evidence: Evidence) -> Index:
    """Read facts, JSON and text alike."""
    out = Collector(evidence.id, stems_of(f"{evidence.title} {evidence.locator[:200]}"))
    units = (n.rpartition("_")[2] for n in NAME.findall(f"{evidence.title} {evidence.locator}"))
    out.hint = next((u for u in units if u in METRIC_UNITS), "")
    read_facts(evidence, out)
    if evidence.data is not None:
        read_json(evidence.data, out)
    read_text(evidence.excerpt, out, read_object)
    head = out.row("head", 0, f"{evidence.title}\n{evidence.locator}", {}, frozenset())
    read_line(evidence.title[:400], "", head, out)
    for instant in out.instants:
        instant.row.instants.append(instant)
    out.numbers.extend(n for row in out.rows if (n := length_of(row)))
    numbers: dict[str, list[Number]] = {}
    for number in out.numbers:
        number.row.numbers.append(number)
        numbers.setdefault(number.dimension, []).append(number)
    tables: dict[str, list[Row]] = {}
    for row in out.rows:
        tables.setdefault(row.table, []).append(row)
    fields, by_row = measured(out.numbers)
    return Index(
        id=evidence.id,
        kind=evidence.kind,
        text="\n".join(dict.fromkeys((evidence.title, evidence.locator, evidence.url or "", *out.texts))),
        title=stems_of(evidence.title),
        evidence=evidence,
        sequence=tuple(out.numbers),
        numbers={d: tuple(sorted(found, key=lambda n: n.value)) for d, found in numbers.items()},
        instants=tuple(out.instants),
        tables={name: tuple(rows) for name, rows in tables.items()},
        facts=out.facts,
        fields=fields,
        rows=by_row,
        places=tuple(out.places),
    )


def length_of(row: Row) -> Number | None:
    """How long what a row tells of took: from its one moment that is a start to its one that is an end."""
    clocked = [i for i in row.instants if i.clocked and i.dated and not i.field.startswith("window")]
    starts, ends = ([i for i in clocked if p.search(i.field)] for p in (STARTS, ENDS))
    if len(starts) != 1 or len(ends) != 1 or (took := (ends[0].at - starts[0].at).total_seconds()) <= 0:
        return None
    return Number(took, "s", f"{starts[0].text} to {ends[0].text}", "duration", row)


def measured(numbers: list[Number]) -> tuple[dict[Field, tuple[Number, ...]], dict[Row, tuple[Number, ...]]]:
    """The numbers that measure something, by table, field and dimension, and by row: no lines, ports and ids."""
    fields: dict[Field, list[Number]] = {}
    rows: dict[Row, list[Number]] = {}
    for number in numbers:
        united = number.dimension == "plain" and not number.bare and any(map(str.isalpha, number.text))
        if united or not is_measure(number.field):
            continue
        rows.setdefault(number.row, []).append(number)
        same = fields.setdefault((number.row.table, number.field, number.dimension), [])
        if number.row.table != "head" and (not same or same[-1].row is not number.row or same[-1].text != number.text):
            same.append(number)
    return {k: tuple(n) for k, n in fields.items()}, {r: tuple(n) for r, n in rows.items()}


@lru_cache(maxsize=4096)
def is_measure(field: str) -> bool:
    """Whether a field measures something, by its name."""
    name = field.lower()
    return not any(name == n or name.endswith(f"_{n}") or field.endswith(n.capitalize()) for n in NO_MEASURES)


def read_facts(evidence: Evidence, out: Collector) -> None:
    """The facts, as far as they do not stem from the JSON, which is read by itself."""
    known: set[str] = set()
    if evidence.data is not None:
        known = {name for name, _ in facts_in(evidence.data, "", "")}
    rows: dict[str, Row] = {}
    for name, fact in evidence.facts.items():
        if fact.entity not in rows:
            cells = {n: str(f.value).lower() for n, f in evidence.facts.items() if f.entity == fact.entity}
            short = " ".join(
                str(f.value) for f in evidence.facts.values() if f.unit == "text" and len(str(f.value)) < 60
            )
            text = f"{evidence.title} {fact.entity} {short}"
            rows[fact.entity] = out.row(f"{evidence.kind} facts", len(rows), text, cells, frozenset())
        read_fact(name, fact, rows[fact.entity], out, derived=name in known)


def read_fact(name: str, fact: Fact, row: Row, out: Collector, *, derived: bool) -> None:
    """One fact as a number or an instant, under its name; its text is read as text."""
    at = fact.at
    if fact.unit == "time":
        moment = Instant(datetime.fromisoformat(str(fact.value)), str(fact.value), name, row)
        out.facts[name] = moment
        if not derived:
            out.instants.append(moment)
            out.texts.append(str(fact.value))
    elif isinstance(fact.value, int | float) and not isinstance(fact.value, bool):
        dimension, scale = FACT_UNITS.get(fact.unit, ("plain", 1.0))
        text = say_number(float(fact.value), fact.unit)
        number = Number(float(fact.value) * scale, dimension, text, name, row, bare=fact.unit in {"number", "text"})
        if not (derived and epoch_scale(fact.value)):
            out.facts[name] = number
        if not derived:
            out.numbers.append(number)
            out.texts.append(f"{fact.value}")
            unit = unit_of_key(name) or unit_of(next(iter(PER.findall(row.text)), "")) if dimension == "plain" else None
            if unit:
                out.add(number.value * unit[1], unit[0], text, name, row)
    elif not derived:
        text = str(fact.value)
        out.texts.extend((text, fact.entity, name))
        for line in text.splitlines()[:60] if fact.unit in {"text", "lines"} and any(map(str.isdigit, text)) else ():
            read_line(line[:600], name, row, out)
    if at is not None and not derived:
        out.instants.append(Instant(at, at.isoformat(), f"{name}_at", row))
