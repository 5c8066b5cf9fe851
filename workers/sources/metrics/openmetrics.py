"""OpenMetrics text -> the embedded sample store."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from workers.errors import ToolUnavailable
from workers.sources.metrics.backend import Floats
from workers.sources.metrics.sample_store import Millis, write_store

NAME = re.compile(rb"[a-zA-Z_:][a-zA-Z0-9_:]*")
PAIR = re.compile(r'(?<!\s)\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)')
ESCAPE = re.compile(r"\\(.)")
Columns = tuple[list[bytes], list[bytes]]


def load_openmetrics(text_path: Path, store_path: Path, *later: Path) -> int:
    """Parse an OpenMetrics file with timestamps and write it as a store.

    Args:
        text_path: lines ``name{labels} value seconds``, ended by ``# EOF``; exemplars are skipped.
        store_path: the folder of the store, replaced when it exists.
        later: more such files, whose samples are added to the same store.

    Returns: how many samples were stored.

    Raises:
        ToolUnavailable: a file cannot be read, or a line of it is not OpenMetrics; names the line.
    """
    columns: dict[bytes, Columns] = {}
    for path in (text_path, *later):
        add_lines(columns, path, read_text(path))
    try:
        return write_store(store_path, read_series(text_path, columns))
    except OSError as error:
        raise ToolUnavailable(f"{store_path} cannot be written: {error.strerror}") from error


def read_text(path: Path) -> list[bytes]:
    """The lines of a file, without exemplars. Raises: ToolUnavailable."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise ToolUnavailable(f"{path} cannot be read: {error.strerror}") from error
    lines = raw.splitlines()
    if not lines or lines[-1].strip() != b"# EOF":
        raise ToolUnavailable(f"{path}: does not end with '# EOF'; the file is not OpenMetrics or was cut off")
    if b" # {" not in raw:
        return lines
    return [line.partition(b" # {")[0] if b" # {" in line and line[:1] != b"#" else line for line in lines]


def add_lines(columns: dict[bytes, Columns], path: Path, lines: list[bytes]) -> None:
    """Add values and times to those of each series, by its text, in the order of the file."""
    last, values, times = b"", list[bytes](), list[bytes]()
    for number, line in enumerate(lines, 1):
        if line[:1] == b"#" or not line:
            continue
        try:
            head, value, time = line.rsplit(b" ", 2)
        except ValueError as error:
            raise ToolUnavailable(f"{path}:{number}: a sample needs a name, a value and a time") from error
        if head != last:
            last = head
            if head not in columns:
                columns[head] = ([], [])
            values, times = columns[head]
        values.append(value)
        times.append(time)


def read_series(
    path: Path, columns: Mapping[bytes, Columns]
) -> Iterator[tuple[str, Mapping[str, str], Millis, Floats]]:
    """Series with numbers, their moments ascending and unique."""
    kept: dict[tuple[bytes, ...], Millis] = {}
    for head, (value_text, time_text) in columns.items():
        name, labels = read_head(path, head)
        try:
            values = np.array(value_text).astype(np.float64)
            key = tuple(time_text)
            if key not in kept:
                kept[key] = np.round(np.array(time_text).astype(np.float64) * 1000).astype(np.int64)
        except ValueError as error:
            raise ToolUnavailable(f"{path}: a value or time of {name} is not a number") from error
        times = kept[key]
        if (np.diff(times) <= 0).any():
            times, first = np.unique(times, return_index=True)
            values = values[first]
        yield name, labels, times, values


def read_head(path: Path, head: bytes) -> tuple[str, dict[str, str]]:
    """``name{label="value",…}`` as name and labels; labels with empty values are no labels."""
    match = NAME.match(head)
    rest = head[match.end() :].strip() if match else b""
    if match is None or (rest and not (rest.startswith(b"{") and rest.endswith(b"}"))):
        raise ToolUnavailable(f"{path}: {head[:80].decode(errors='replace')!r} is not a series")
    text = rest[1:-1].decode("utf-8", errors="replace").strip()
    labels: dict[str, str] = {}
    at = 0
    while at < len(text):
        pair = PAIR.match(text, at)
        if pair is None:
            raise ToolUnavailable(f"{path}: the labels of {head[:80].decode(errors='replace')!r} cannot be read")
        value = ESCAPE.sub(lambda m: "\n" if m[1] == "n" else m[1], pair[2])
        if value:
            labels[pair[1]] = value
        at = pair.end()
    return match.group().decode(), dict(sorted(labels.items()))
