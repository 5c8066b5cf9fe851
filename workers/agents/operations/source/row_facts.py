"""Values as facts of evidence; what is not known is left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from statistics import median
from typing import Any
from urllib.parse import urlencode

from workers.agents.operations.source.reader import number, stamp
from workers.contracts import Evidence, EvidenceKind, Fact

MOST = 20
STEADY_PCT = 20.0
Given = Iterable[tuple[str, Any, str]]


def facts(entity: str, given: Given) -> dict[str, Fact]:
    """Facts from name, value and unit. The unit ``ms`` becomes seconds; moments may be given as such."""
    found: dict[str, Fact] = {}
    for name, value, unit in given:
        if value is None or value == "":
            continue
        if unit == "ms":
            found[name] = Fact(value=number(value / 1000) or 0.0, unit="s", entity=entity)
        elif unit == "time":
            text = stamp(value) if isinstance(value, datetime) else value
            found[name] = Fact(value=text or "", unit="time", entity=entity)
        elif isinstance(value, bool):
            found[name] = Fact(value="yes" if value else "no", entity=entity)
        elif isinstance(value, float):
            found[name] = Fact(value=number(value) or 0.0, unit=unit, entity=entity)
        else:
            found[name] = Fact(value=value, unit=unit, entity=entity)
    return found


def evidence(
    kind: EvidenceKind,
    title: str,
    place: str,
    given: Mapping[str, Fact],
    excerpt: str,
    *,
    at: datetime | None = None,
    series: Sequence[tuple[float, float]] = (),
) -> Evidence:
    """One piece. ``place`` is its path below ``context://``."""
    return Evidence(
        kind=kind,
        title=title,
        locator=f"context://{place}",
        excerpt=excerpt,
        facts=dict(given),
        series=tuple(series),
        observed_at=at,
    )


def place(path: str, args: Mapping[str, Any], **usual: str) -> str:
    """A path with what was asked for apart from the usual, so that the same place always holds the same."""
    given = {name: args.get(name) for name in usual}
    told = {name: value for name, value in given.items() if str(value or "") not in {"", usual[name]}}
    return f"{path}?{urlencode(told, safe='/:')}" if told else path


def filtered(args: Mapping[str, Any], *names: str) -> str:
    """The value that was filtered by, the first of several, or ``all``."""
    return next((str(args[name]) for name in names if args.get(name)), "all")


def changes(values: Sequence[tuple[datetime, float, bool]]) -> dict[str, Any]:
    """The latest of several values against those before.

    Args:
        values: moment, value and whether its period is whole, oldest first.

    Returns: ``current`` and ``current_at`` (of the last whole period), ``baseline`` (the median of the whole ones
        before), ``change_pct``, ``direction``, ``peak`` and ``peak_at``; those only that can be told.
    """
    if not values:
        return {}
    peak_at, peak, _ = max(values, key=lambda v: v[1])
    complete = [(at, value) for at, value, whole in values if whole] or [values[-1][:2]]
    whole = [value for _, value in complete]
    found: dict[str, Any] = {"peak": peak, "peak_at": peak_at, "current": whole[-1], "current_at": complete[-1][0]}
    if len(whole) < 2:
        return found
    found["baseline"] = median(whole[:-1])
    if found["baseline"] > 0:
        change = (found["current"] / found["baseline"] - 1) * 100
        found["change_pct"] = change
        found["direction"] = "steady" if abs(change) < STEADY_PCT else "rose" if change > 0 else "fell"
    return found


def said(value: float | None, digits: str = ".3g") -> str:
    """A number within a sentence."""
    return "unknown" if value is None else f"{value:{digits}}"


def seconds(milliseconds: float | None) -> str:
    """A latency within a sentence, in milliseconds."""
    return "unknown" if milliseconds is None else f"{milliseconds:,.0f} ms"
