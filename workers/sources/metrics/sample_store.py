"""The embedded sample store: a folder of two arrays and an index, written once, opened by memory mapping.

``index.json`` names the arrays and holds the series (labels, place of their samples); ``STEM-times.npy`` has int64
milliseconds, shared by series with the same moments; ``STEM-values.npy`` float64.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workers.errors import ToolUnavailable
from workers.sources.metrics.backend import Floats

Millis = NDArray[np.int64]
VERSION = 1


@dataclass(frozen=True)
class StoredSeries:
    """One series: its labels (``__name__`` apart) and where its samples are."""

    name: str
    labels: Mapping[str, str]
    times_at: int
    values_at: int
    count: int


@dataclass(frozen=True)
class Matcher:
    """One label matcher; ``op`` is ``=``, ``!=``, ``=~`` or ``!~``."""

    label: str
    op: str
    value: str

    def test(self) -> Callable[[str], bool]:
        """Whether a label's value (empty when it is missing) matches."""
        if self.op == "=":
            return lambda v: v == self.value
        if self.op == "!=":
            return lambda v: v != self.value
        try:
            pattern = re.compile(self.value, re.DOTALL)
        except re.error as error:
            raise ToolUnavailable(f"the embedded store cannot read the regular expression {self.value!r}") from error
        if self.op == "=~":
            return lambda v: pattern.fullmatch(v) is not None
        return lambda v: pattern.fullmatch(v) is None


@dataclass(frozen=True)
class Block:
    """Series that share their moments: ``times`` of n, ``values`` of (series, n)."""

    series: tuple[StoredSeries, ...]
    times: Millis
    values: Floats


class SampleStore:
    """A store opened for reading."""

    def __init__(self, folder: Path) -> None:
        try:
            index = json.loads((folder / "index.json").read_bytes())
            if index["version"] != VERSION:
                raise ToolUnavailable(f"the sample store {folder} is of another version; load the samples again")
            self.times: Millis = np.load(folder / f"{index['stem']}-times.npy", mmap_mode="r", allow_pickle=False)
            self.values: Floats = np.load(folder / f"{index['stem']}-values.npy", mmap_mode="r", allow_pickle=False)
            self.labels_of: dict[str, frozenset[str]] = {}
            self.newest_ms: int | None = index["newest_ms"]
            self.by_name: dict[str, list[StoredSeries]] = {
                name: [StoredSeries(name, dict(labels), *place) for labels, *place in rows]
                for name, rows in index["series"].items()
            }
        except FileNotFoundError as error:
            raise ToolUnavailable(f"there is no sample store at {folder}") from error
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise ToolUnavailable(f"the sample store {folder} is damaged; load the samples again") from error

    def label_names(self, name: str) -> frozenset[str]:
        """The labels that a metric carries."""
        if name not in self.labels_of:
            self.labels_of[name] = frozenset(k for s in self.by_name.get(name, ()) for k in s.labels)
        return self.labels_of[name]

    def select(self, name: str | None, matchers: Iterable[Matcher]) -> list[StoredSeries]:
        """The series of a selector, in stored order."""
        rules = list(matchers)
        names = [name] if name else list(self.by_name)
        for rule in [r for r in rules if r.label == "__name__"]:
            keep = rule.test()
            names = [n for n in names if keep(n)]
        tests = [(r.label, r.test()) for r in rules if r.label != "__name__"]
        return [
            s
            for n in names
            for s in self.by_name.get(n, ())
            if all(keep(s.labels.get(label, "")) for label, keep in tests)
        ]

    def blocks(self, chosen: Iterable[StoredSeries], first_ms: int, last_ms: int) -> list[Block]:
        """Samples of series between two moments, both included, grouped by shared moments."""
        groups: dict[tuple[int, int], list[StoredSeries]] = {}
        for series in chosen:
            groups.setdefault((series.times_at, series.count), []).append(series)
        out = []
        for (at, count), members in groups.items():
            times = self.times[at : at + count]
            lo, hi = np.searchsorted(times, [first_ms, last_ms + 1])
            values = np.empty((len(members), hi - lo))
            for row, series in enumerate(members):
                values[row] = self.values[series.values_at + lo : series.values_at + hi]
            out.append(Block(tuple(members), np.asarray(times[lo:hi]), values))
        return out


def write_store(folder: Path, series: Iterable[tuple[str, Mapping[str, str], Millis, Floats]]) -> int:
    """Write a store in place of an older one; a reader sees the old or the new one, never half of it.

    Args:
        folder: the store.
        series: name, labels, ascending moments in milliseconds, values.

    Returns: how many samples were written.

    Raises:
        OSError: the folder cannot be written.
    """
    times: list[Millis] = []
    values: list[Floats] = []
    seen: dict[bytes, int] = {}
    rows: dict[str, list[object]] = {}
    times_at = values_at = 0
    newest: int | None = None
    for name, labels, moments, numbers in series:
        key = moments.tobytes()
        if key not in seen:
            seen[key] = times_at
            times.append(moments)
            times_at += len(moments)
        rows.setdefault(name, []).append([labels, seen[key], values_at, len(moments)])
        values.append(numbers)
        values_at += len(numbers)
        newest = max(int(moments[-1]), newest if newest is not None else int(moments[-1]))
    folder.mkdir(parents=True, exist_ok=True)
    stem = secrets.token_hex(6)
    np.save(folder / f"{stem}-times.npy", np.concatenate(times) if times else np.empty(0, np.int64))
    np.save(folder / f"{stem}-values.npy", np.concatenate(values) if values else np.empty(0))
    index = {"version": VERSION, "stem": stem, "newest_ms": newest, "series": rows}
    draft = folder / f"{stem}.json"
    draft.write_text(json.dumps(index, separators=(",", ":")), encoding="utf-8")
    draft.replace(folder / "index.json")
    for old in folder.glob("*-*.npy"):
        if not old.name.startswith(stem):
            old.unlink(missing_ok=True)
    return values_at
