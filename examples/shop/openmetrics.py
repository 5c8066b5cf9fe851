"""Writes metric families as OpenMetrics text.

Source: OpenMetrics 1.0. Families are grouped, a histogram's samples stand together minute by minute, times are
in seconds. ``promtool tsdb create-blocks-from openmetrics`` reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

Value = float | int | None


@dataclass(frozen=True)
class Sample:
    """One series: sample name, labels, one value for each time (``None`` where there is no sample)."""

    name: str
    labels: Mapping[str, str]
    values: Sequence[Value]


@dataclass(frozen=True)
class Family:
    """One metric family; the series of one of its ``groups`` are written together, time by time."""

    name: str
    kind: str
    help: str
    groups: Sequence[Sequence[Sample]]


def write_openmetrics(path: Path, times: Sequence[int], families: Iterable[Family]) -> None:
    """Write the file; ``times`` are epoch seconds, one for each value of every series."""
    ends = [f" {moment}\n" for moment in times]
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for family in families:
            file.write(f"# TYPE {family.name} {family.kind}\n# HELP {family.name} {family.help}\n")
            for group in family.groups:
                columns = [write_lines(sample, ends) for sample in group]
                file.write("".join(chain.from_iterable(zip(*columns, strict=True))))
        file.write("# EOF\n")


def write_lines(sample: Sample, ends: Sequence[str]) -> list[str]:
    """One series' lines, empty where it has no sample."""
    labels = ",".join(f'{name}="{value}"' for name, value in sample.labels.items())
    start = f"{sample.name}{{{labels}}} "
    return [f"{start}{value}{end}" if value is not None else "" for value, end in zip(sample.values, ends, strict=True)]
