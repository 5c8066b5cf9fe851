"""Evidence from plain JSON: named, typed facts out of a tool's data, locator and excerpt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import MAXYEAR, UTC, datetime
from typing import Any, cast, get_args

from workers.contracts import Evidence, EvidenceKind, Fact, Scalar
from workers.grounding.quantities import LARGEST

KINDS = frozenset(get_args(EvidenceKind))
TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?\s?(Z|UTC|[+-]\d\d:?\d\d)?$")
LINES = re.compile(r"(?P<path>[^\s:]{1,300}):(?P<start>\d+)(?:[-–](?P<end>\d+))?$")
COMMIT = re.compile(r"(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}$|[0-9a-f]{40}$")
URL = re.compile(r"(?:https?|file)://\S+$")
PATH = re.compile(r"(?<![\w.@/-])[\w.@-]+(?:/[\w.@-]+)*\.[A-Za-z]\w{0,9}$")
SCALE: Mapping[str, tuple[str, float]] = {
    "ms": ("s", 1e-3), "milliseconds": ("s", 1e-3), "us": ("s", 1e-6), "µs": ("s", 1e-6), "s": ("s", 1.0),
    "sec": ("s", 1.0), "seconds": ("s", 1.0), "min": ("s", 60.0), "minutes": ("s", 60.0), "h": ("s", 3600.0),
    "hours": ("s", 3600.0), "duration_minutes": ("s", 60.0), "%": ("percent", 1.0), "pct": ("percent", 1.0),
    "percent": ("percent", 1.0), "ratio": ("ratio", 1.0), "bytes": ("bytes", 1.0), "kb": ("bytes", 1024.0),
    "mb": ("bytes", 1024.0**2), "gb": ("bytes", 1024.0**3), "/s": ("/s", 1.0), "rps": ("/s", 1.0),
    "qps": ("/s", 1.0), "req/s": ("/s", 1.0), "count": ("count", 1.0), "line": ("line", 1.0),
}  # fmt: skip
OWNER_KEYS = ("endpoint", "route", "path", "service", "deployment_id", "target_id", "name", "id", "metric")


def evidence_from(item: Mapping[str, Any], index: int = 1) -> Evidence:
    """Read one evidence object, lenient about what is missing.

    Args:
        item: ``{id, kind, title, locator, url, excerpt, facts | data, observed_at}``.
        index: its place, for an id when it has none.
    """
    given_kind = item.get("kind")
    kind = given_kind if isinstance(given_kind, str) and given_kind in KINDS else "note"
    given = item.get("data")
    data: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
    owner = owner_of(data) if data else ""
    facts: dict[str, Fact] = dict(facts_in(data, owner, str(data.get("unit") or ""))) if data else {}
    named = item.get("facts")
    for name, value in named.items() if isinstance(named, Mapping) else ():
        fact = read_fact(str(name), value, owner)
        if fact:
            facts[slug(name)] = fact
    locator = str(item.get("locator") or "")
    for name, fact in locator_facts(locator, str(item.get("excerpt") or "")):
        facts.setdefault(name, fact)
    read = Evidence(
        id=str(item.get("id") or f"E{index}"),
        kind=cast("EvidenceKind", kind),
        title=str(item.get("title") or title_of(data)),
        locator=locator,
        url=str(item["url"]) if item.get("url") else None,
        excerpt=str(item.get("excerpt") or ""),
        facts=facts,
        data=given if not isinstance(given, str) else None,
    )
    return sound(read)


def slug(name: str) -> str:
    """A fact's name as slots can write it."""
    return re.sub(r"\W+", "_", name).strip("_") or "value"


def title_of(data: Mapping[str, Any]) -> str:
    """What a data object is about."""
    what = str(data.get("metric") or data.get("title") or data.get("name") or "").replace("_", " ")
    owner = owner_of(data)
    return f"{what} of {owner}" if what and owner and owner != what else what or owner


def owner_of(data: Mapping[str, Any]) -> str:
    """Whose values these are: the filter, or a name in the object."""
    for place in (data.get("filters"), data.get("labels"), data):
        if isinstance(place, Mapping):
            for key in OWNER_KEYS:
                if key != "metric" and isinstance(place.get(key), str):
                    return str(place[key])
    return ""


def read_fact(name: str, value: Any, owner: str) -> Fact | None:
    """A fact given as an object with ``value``, or as a plain value."""
    if isinstance(value, Mapping):
        if "value" not in value or not isinstance(value["value"], str | int | float | bool):
            return None
        unit = str(value.get("unit") or "")
        entity = str(value.get("entity") or owner)
        fact = typed(name, value["value"], unit, entity)
        at = value.get("at")
        return fact.model_copy(update={"at": moment(str(at))}) if at and is_time(str(at)) else fact
    return typed(name, value, "", owner) if isinstance(value, str | int | float | bool) else None


def facts_in(data: Any, owner: str, unit: str, prefix: str = "") -> Iterator[tuple[str, Fact]]:
    """Every scalar of a nested object, named by its path. Series of points are left out."""
    if isinstance(data, Mapping):
        own = owner_of(data) or owner
        here = str(data.get("unit") or unit)
        for key, value in data.items():
            if key not in {"series", "unit"}:
                yield from facts_in(value, own, here, f"{prefix}_{key}" if prefix else str(key))
    elif isinstance(data, list):
        for i, value in enumerate(data[:50]):
            yield from facts_in(value, owner, unit, f"{prefix}_{i + 1}")
    elif isinstance(data, str | int | float | bool):
        yield slug(prefix), typed(prefix, data, "", owner, fallback=unit)


def typed(name: str, value: Scalar, unit: str, owner: str, fallback: str = "") -> Fact:
    """Give a value its unit: the one it comes with, the one its name ends with, or the object's."""
    if isinstance(value, bool):
        return Fact(value=value, unit="text", entity=owner)
    if isinstance(value, str):
        return Fact(
            value=moment(value).isoformat() if is_time(value) else value, unit=unit_of_text(value, unit), entity=owner
        )
    tail = name.lower().rpartition("_")[2]
    known = SCALE.get(unit.lower()) or (SCALE.get(tail) if not unit and "_" in name else None)
    if known is None and name.lower() in {"start_line", "end_line", "line"}:
        known = ("line", 1.0)
    if known is None and not unit:
        valued = re.search(r"(current|baseline|peak|before|after|value|p\d\d|min|max|avg|mean)", name.lower())
        known = SCALE.get(fallback.lower()) if valued and fallback else None
    if known is None:
        return Fact(value=value, unit=unit or ("count" if isinstance(value, int) else "number"), entity=owner)
    base, scale = known
    return Fact(value=value if scale == 1.0 else value * scale, unit=base, entity=owner)


def unit_of_text(value: str, unit: str) -> str:
    """The unit of a text value by its shape."""
    if is_time(value):
        return "time"
    if unit:
        return unit
    for name, pattern in (("url", URL), ("lines", LINES), ("commit", COMMIT), ("path", PATH)):
        if pattern.match(value):
            return name
    return "text"


def sound(item: Evidence) -> Evidence:
    """Evidence without the facts that cannot be compared: a time that is none, a number that is none."""
    facts = {name: kept for name, fact in item.facts.items() if (kept := sound_fact(fact))}
    same = all(facts.get(name) is fact for name, fact in item.facts.items())
    return item if same else item.model_copy(update={"facts": facts})


def sound_fact(fact: Fact) -> Fact | None:
    """A fact that can be compared, a time always with its zone; None when it is not one."""
    if fact.unit == "time":
        try:
            at = moment(str(fact.value))
        except ValueError:
            return None
        if not 1 < at.year < MAXYEAR:  # the ends of the calendar have no clock in other zones
            return None
        return fact if is_zoned(str(fact.value)) else fact.model_copy(update={"value": at.isoformat()})
    if isinstance(fact.value, int | float) and not isinstance(fact.value, bool):
        return fact if abs(fact.value) < LARGEST else None  # NaN is not less than anything
    return fact


def is_zoned(text: str) -> bool:
    """Whether a time is written with its zone, as Python reads it."""
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def is_time(text: str) -> bool:
    """Whether a text is a moment that exists."""
    if not TIME.match(text):
        return False
    try:
        moment(text)
    except ValueError:
        return False
    return True


def moment(text: str) -> datetime:
    """RFC 3339, UTC when no zone is written."""
    found = datetime.fromisoformat(text.strip().replace(" UTC", "+00:00").replace("UTC", "+00:00"))
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def locator_facts(locator: str, excerpt: str) -> Iterator[tuple[str, Fact]]:
    """``path:41-58`` -> path and lines; a path alone, whose excerpt starts with line numbers, likewise."""
    match = LINES.match(locator)
    if match:
        start = int(match["start"])
        end = int(match["end"] or start + max(len(excerpt.splitlines()) - 1, 0))
        yield "path", Fact(value=match["path"], unit="path", entity=match["path"])
        yield "lines", Fact(value=f"{match['path']}:{start}-{end}", unit="lines", entity=match["path"])
    elif PATH.match(path := locator.partition("#")[0]):
        yield "path", Fact(value=path, unit="path", entity=path)
