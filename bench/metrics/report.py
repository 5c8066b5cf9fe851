"""The tables of the bench."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from bench.metrics.dialects import HALVES
from bench.metrics.judge import NEAR_S, Row

COLUMNS = (
    "answered",
    "read in full",
    "metric",
    "unit",
    "onset",
    "drift begin",
    "direction",
    "culprit",
    "first mover",
    "missing told",
    "no false alarm",
)


def table(rows: Sequence[Row]) -> str:
    """Right answers by scenario, and the totals of both halves."""
    head = ["scenario", "half", "asked", *COLUMNS, "onset off, median s", "p50 s", "max s"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for scenario in dict.fromkeys(r.scenario for r in rows):
        lines += [line(scenario, half, part) for half in HALVES if (part := some(rows, half, scenario))]
    lines += [line("**all**", half, part) for half in HALVES if (part := some(rows, half))]
    lines.append(line("**all**", "both", list(rows)))
    lines.append(f"\nright of those it applies to; an onset is right within {NEAR_S} s; not read in full: out of time.")
    return "\n".join(lines)


def some(rows: Sequence[Row], half: str, scenario: str = "") -> list[Row]:
    """The rows of a half, and of a scenario."""
    return [r for r in rows if r.half == half and scenario in {"", r.scenario}]


def line(name: str, half: str, rows: Sequence[Row]) -> str:
    """One line of the table."""
    cells = [name, half, str(len(rows))]
    for column in COLUMNS:
        told = [r.checks[column] for r in rows if column in r.checks]
        share = f" ({100 * sum(told) / len(told):.0f} %)" if name.startswith("**") and told else ""
        cells.append(f"{sum(told)}/{len(told)}{share}" if told else "")
    off = [abs(r.error_s) for r in rows if r.error_s is not None]
    cells.append(f"{statistics.median(off):.0f}" if off else "")
    took = [r.took_s for r in rows]
    cells += [f"{statistics.median(took):.2f}", f"{max(took):.2f}"]
    return "| " + " | ".join(cells) + " |"


def details(rows: Sequence[Row]) -> str:
    """Each row that is not wholly right: what was asked, what is true, what was said."""
    out = []
    for row in rows:
        wrong = [name for name, right in row.checks.items() if not right]
        if set(wrong) - {"read in full"}:
            off = "" if row.error_s is None else f" ({row.error_s:+.0f} s)"
            out.append(f"\n{row.scenario} {row.seed} [{row.dialect}] wrong: {', '.join(wrong)}{off}")
            out.append(f"  {row.query}\n  said: {row.told}")
    return "\n".join(out)
