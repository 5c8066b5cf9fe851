"""Patterns and lines as evidence: every value a named fact, each item with its place."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

from workers.contracts import Evidence, Fact, Scalar, rfc3339
from workers.sources.logs.comparison import Pattern
from workers.sources.logs.record import Record, clean

MOST_EXCERPT, MOST_FACT, MOST_TITLE = 2_000, 400, 160
MOST_ATTRIBUTES = 12


def summary_evidence(title: str, filters: Mapping[str, object], facts: Mapping[str, Fact], notes: str) -> Evidence:
    """The first item of an output: counts, what was looked at, and what could not be."""
    said = "&".join(f"{name}={value}" for name, value in filters.items() if value)
    asked = {f"of_{name}": Fact(value=str(value)[:MOST_FACT]) for name, value in filters.items() if value}
    return Evidence(
        kind="log",
        title=title[:MOST_TITLE],
        locator=f"logs://lines?{said}"[:500],
        excerpt=notes,
        facts={**asked, **facts},
    )


def pattern_evidence(pattern: Pattern, *, compared: bool) -> Evidence:
    """A pattern with its numbers. ``compared``: there was a span before to compare it with."""
    entity = pattern.service
    facts = {
        "pattern": Fact(value=pattern.template[:MOST_FACT], entity=entity),
        "level": Fact(value=pattern.level or "none", entity=entity),
        "count": Fact(value=pattern.count, unit="count", entity=entity),
        "after_per_min": Fact(value=round(pattern.after_per_min, 3), unit="/min", entity=entity),
        "first_seen": Fact(value=rfc3339(pattern.first_seen), unit="time", entity=entity, at=pattern.first_seen),
        "example": Fact(value=pattern.example[:MOST_FACT], entity=entity),
    }
    if entity:
        facts["service"] = Fact(value=entity, entity=entity)
    if compared:
        facts["change"] = Fact(value=pattern.change, entity=entity)
        facts["before_per_min"] = Fact(value=round(pattern.before_per_min, 3), unit="/min", entity=entity)
    title = f"{pattern.change} pattern" if compared else "pattern"
    return Evidence(
        kind="log",
        title=" ".join(filter(None, (f"{title}:", entity, pattern.level, pattern.template)))[:MOST_TITLE],
        locator=pattern.locator,
        excerpt=pattern.example[:MOST_EXCERPT],
        facts=facts,
        observed_at=pattern.first_seen,
    )


def line_evidence(record: Record) -> Evidence:
    """One line as it stands."""
    entity = record.service
    facts = {"at": Fact(value=rfc3339(record.at), unit="time", entity=entity, at=record.at)}
    if entity:
        facts["service"] = Fact(value=entity, entity=entity)
    if record.level:
        facts["level"] = Fact(value=record.level, entity=entity)
    facts["message"] = Fact(value=record.message[:MOST_FACT], entity=entity)
    plain = ((name, value) for name, value in record.attributes.items() if is_scalar(value))
    for name, value in list(plain)[:MOST_ATTRIBUTES]:
        facts.setdefault(clean(f"attribute_{name}")[:80], attribute_fact(value, entity))
    title = " ".join(filter(None, (entity, record.level, record.message.partition("\n")[0])))
    return Evidence(
        kind="log",
        title=title[:MOST_TITLE],
        locator=record.locator,
        excerpt=record.message[:MOST_EXCERPT],
        facts=facts,
        observed_at=record.at,
    )


def is_scalar(value: object) -> bool:
    """Whether a value can be a fact."""
    if isinstance(value, float):
        return isfinite(value)
    return isinstance(value, str | int) and value != ""


def attribute_fact(value: object, entity: str) -> Fact:
    """A value of an attribute as a fact; texts are cut short."""
    held: Scalar = value if isinstance(value, int | float | bool) else clean(str(value))[:MOST_FACT]
    return Fact(value=held, entity=entity)
