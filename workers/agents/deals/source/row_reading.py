"""Files of records -> rows: CSV and JSON as people export them, each row with its file and its number."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workers.agents.deals.source.data_error import DealDataError

DELIMITERS = ",;\t"
MOST_BYTES = 500_000_000


@dataclass(frozen=True)
class Row:
    """One record as it stands in a file; ``number``: its row, a header being row 1, or its place in a list, from 1."""

    file: str
    number: int
    values: Mapping[str, Any]

    @property
    def place(self) -> str:
        """Where it stands, for people."""
        return f"{self.file}, row {self.number}"


def read_text(file: Path) -> str:
    """The text of a file in UTF-8, with or without its mark. Raises: DealDataError: in one sentence."""
    try:
        if file.stat().st_size > MOST_BYTES:
            raise DealDataError(f"{file.name} is larger than {MOST_BYTES:,} bytes.")
        text = file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise DealDataError(f"{file.name} cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise DealDataError(f"{file.name}, line {line}: this is not UTF-8; save the file as UTF-8.") from error
    if not text.strip():
        raise DealDataError(f"{file.name} is empty.")
    return text


def read_csv(file: Path) -> tuple[list[str], list[Row]]:
    """The columns and the rows of a CSV file. Raises: DealDataError: one sentence for each row that does not fit."""
    text = read_text(file)
    header = text[: text.find("\n") if "\n" in text else None]
    delimiter = max(DELIMITERS, key=header.count)
    csv.field_size_limit(10_000_000)
    try:
        lines = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise DealDataError(f"{file.name} is no CSV file: {error}.") from error
    names = [name.strip() for name in lines[0]]
    faults = [
        f"{file.name}, row 1: the column {n!r} stands there twice." for n in dict.fromkeys(names) if names.count(n) > 1
    ]
    faults += [f"{file.name}, row 1: column {i} has no name." for i, name in enumerate(names, 1) if not name]
    rows = []
    for number, line in enumerate(lines[1:], 2):
        if not any(cell.strip() for cell in line):
            continue
        if len(line) != len(names):
            faults.append(f"{file.name}, row {number}: it has {len(line)} fields, the header has {len(names)}.")
            continue
        rows.append(Row(file.name, number, {n: cell for n, cell in zip(names, line, strict=True) if cell.strip()}))
    if faults:
        raise DealDataError(*faults)
    return names, rows


def read_json(file: Path) -> Any:
    """The value of a JSON file. Raises: DealDataError."""
    try:
        return json.loads(read_text(file))
    except json.JSONDecodeError as error:
        raise DealDataError(f"{file.name}, line {error.lineno}: this is no JSON: {error.msg.lower()}.") from error
    except (RecursionError, ValueError) as error:
        raise DealDataError(f"{file.name} is no JSON that can be read: {error}.") from error


def rows_of(name: str, value: Any) -> list[Row]:
    """The rows of a JSON list of objects. Raises: DealDataError: it is none."""
    if not isinstance(value, list):
        raise DealDataError(f"{name}: this is no list of objects.")
    faults = [f"{name}, row {i}: this is no object." for i, item in enumerate(value, 1) if not isinstance(item, dict)]
    if faults:
        raise DealDataError(*faults)
    return [Row(name, i, {k: v for k, v in item.items() if v not in (None, "")}) for i, item in enumerate(value, 1)]


def read_tables(source: Path, kinds: Mapping[str, bool]) -> dict[str, list[Row]]:
    """The rows of each kind of record: of a JSON file, or of a folder with a JSON or CSV file a kind.

    Args:
        source: the file or folder.
        kinds: each kind, and whether it must be there.

    Raises:
        DealDataError: with one sentence for each file that cannot be read.
    """
    if source.is_file():
        return read_one(source, kinds)
    if not source.is_dir():
        raise DealDataError(f"{source.name} is neither a file nor a folder that can be read.")
    tables: dict[str, list[Row]] = {}
    faults: list[str] = []
    for kind, needed in kinds.items():
        try:
            tables[kind] = list(read_kind(source, kind, needed=needed))
        except DealDataError as error:
            faults.extend(error.faults)
    if faults:
        raise DealDataError(*faults)
    return tables


def read_one(file: Path, kinds: Mapping[str, bool]) -> dict[str, list[Row]]:
    """The rows of one JSON file with a list a kind."""
    value = read_json(file)
    if not isinstance(value, dict):
        raise DealDataError(f"{file.name}: this is no object with the lists {', '.join(kinds)}.")
    faults = [f"{file.name}: {kind} is missing." for kind, needed in kinds.items() if needed and kind not in value]
    faults += [f"{file.name}: {name!r} is no kind of record." for name in value if name not in kinds]
    if faults:
        raise DealDataError(*faults)
    return {kind: rows_of(f"{file.name} › {kind}", value.get(kind, [])) for kind in kinds}


def read_kind(folder: Path, kind: str, *, needed: bool) -> Iterator[Row]:
    """The rows of one kind of record."""
    files = [folder / f"{kind}{suffix}" for suffix in (".json", ".csv") if (folder / f"{kind}{suffix}").is_file()]
    if len(files) > 1:
        raise DealDataError(f"{kind}.json and {kind}.csv are both there; keep one of them.")
    if not files:
        if needed:
            raise DealDataError(f"{kind}.json or {kind}.csv is missing.")
        return
    yield from rows_of(files[0].name, read_json(files[0])) if files[0].suffix == ".json" else read_csv(files[0])[1]
