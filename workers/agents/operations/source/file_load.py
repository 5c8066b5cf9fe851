"""Files of rows, one table each, into the database: everything that is wrong is told, and then nothing is loaded."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, select

from workers.agents.operations.source.bulk_insert import Row, begin_writing, clear, end_writing, make_tables, write_rows
from workers.agents.operations.source.referential_integrity import References
from workers.agents.operations.source.row_parsing import read_row, shape_of
from workers.agents.operations.source.tables import ORDER, metadata
from workers.errors import ConfigError
from workers.language.nearest_names import nearest_names
from workers.store.database import Database

KINDS = (".jsonl", ".csv")
LISTED = 20
LONGEST_LINE = 1_000_000
Progress = Callable[[int], None]


@dataclass
class Mistakes:
    """What is wrong: the first ones in words, the number of all."""

    count: int = 0
    listed: list[str] = field(default_factory=list)

    def add(self, place: str, sentence: str) -> None:
        """Note one."""
        self.count += 1
        if len(self.listed) < LISTED:
            self.listed.append(f"{place}: {sentence}")

    def refuse(self) -> None:
        """Raises: ConfigError: there is at least one."""
        if self.count:
            more = [f"… and {self.count - len(self.listed):,} more"] if self.count > len(self.listed) else []
            what = "1 mistake" if self.count == 1 else f"{self.count:,} mistakes"
            raise ConfigError(*self.listed, *more, f"{what}; nothing was loaded")


@dataclass(frozen=True)
class Loaded:
    """How many rows were read of each table, and how many of all were new or other than before."""

    rows: Mapping[str, int]
    changed: int


def find_files(paths: Sequence[Path]) -> list[tuple[str, Path]]:
    """Each table and its file, those tables first that others point to.

    Args:
        paths: files named by table (``requests.jsonl``, ``users.csv``), or folders of them.

    Raises:
        ConfigError: a path does not exist or is named after no table.
    """
    mistakes = Mistakes()
    files: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(p for p in path.iterdir() if p.suffix.lower() in KINDS and p.is_file())
            files.extend(inside)
            if not inside:
                mistakes.add(str(path), "there is no .jsonl or .csv file in this folder")
        elif path.is_file():
            files.append(path)
        else:
            mistakes.add(str(path), "there is no such file")
    for path in files:
        if path.suffix.lower() not in KINDS:
            mistakes.add(str(path), f"files are {' or '.join(KINDS)}")
        elif path.stem not in metadata.tables:
            near = nearest_names([path.stem], metadata.tables)
            hint = f"; nearest: {', '.join(near)}" if near else f"; tables: {', '.join(t.name for t in ORDER)}"
            mistakes.add(str(path), f"no table is named {path.stem!r}{hint}")
    mistakes.refuse()
    order = [table.name for table in ORDER]
    unique = {path.resolve(): path for path in files}
    return sorted(((path.stem, path) for path in unique.values()), key=lambda found: order.index(found[0]))


def load_files(
    database: Database, files: Sequence[tuple[str, Path]], *, replace: bool, progress: Progress = lambda _: None
) -> Loaded:
    """Check and write all rows in one transaction. Loading the same again changes nothing.

    Args:
        database: opened for writing.
        files: of `find_files`.
        replace: remove everything first.
        progress: called with the bytes that were read.

    Raises:
        ConfigError: at least one row is wrong, with file and line.
        StoreUnavailable: the database cannot be reached.
    """
    mistakes, rows, changed = Mistakes(), dict[str, int](), 0
    with database.begin(exclusive=True) as connection:
        make_tables(connection)
        if replace:
            clear(connection)
        aside = begin_writing(connection)
        references = References(lambda name: known_ids(connection, name))
        for table, path in files:
            references.prepare(table)
            counted = Counted(checked_rows(table, path, references, mistakes, progress))
            changed += write_rows(connection, metadata.tables[table], counted)
            for _ in counted:  # the rest is only checked
                pass
            rows[table] = rows.get(table, 0) + counted.count
        mistakes.refuse()
        end_writing(connection, aside=aside)
    return Loaded(rows, changed)


class Counted:
    """Rows that are counted as they pass."""

    def __init__(self, rows: Iterator[Row]) -> None:
        self.rows = rows
        self.count = 0

    def __iter__(self) -> Iterator[Row]:
        for row in self.rows:
            self.count += 1
            yield row


def known_ids(connection: Connection, name: str) -> Iterable[str]:
    """The ids that a table has already."""
    return connection.execute(select(metadata.tables[name].c.id)).scalars()


def checked_rows(
    name: str, path: Path, references: References, mistakes: Mistakes, progress: Progress
) -> Iterator[Row]:
    """The rows of a file that are right, until the first mistake; whatever follows is checked and left out."""
    shape = shape_of(metadata.tables[name])
    read = read_csv if path.suffix.lower() == ".csv" else read_jsonl
    for line, found in read(path, progress):
        if isinstance(found, str):
            mistakes.add(f"{path.name}:{line}", found)
            continue
        row, wrong = read_row(shape, found)
        values = dict(zip(shape.names, row, strict=True))
        wrong += references.note(name, values) if wrong else references.check(name, values)
        for sentence in wrong:
            mistakes.add(f"{path.name}:{line}", sentence)
        if not mistakes.count:
            yield row


def read_lines(path: Path, progress: Progress) -> Iterator[tuple[int, str | None]]:
    """The lines of a file with their numbers; None for one that is not UTF-8 or far too long."""
    with path.open("rb") as file:
        number = 0
        while raw := file.readline(LONGEST_LINE):
            number += 1
            progress(len(raw))
            whole = raw.endswith(b"\n") or len(raw) < LONGEST_LINE
            while not (raw.endswith(b"\n") or len(raw) < LONGEST_LINE):
                raw = file.readline(LONGEST_LINE)
                progress(len(raw))
            try:
                yield number, raw.decode("utf-8-sig" if number == 1 else "utf-8") if whole else None
            except UnicodeDecodeError:
                yield number, None


def no_constant(name: str) -> float:
    """NaN and infinities are no JSON. Raises: ValueError."""
    raise ValueError(name)


DECODER = json.JSONDecoder(parse_constant=no_constant)


def read_jsonl(path: Path, progress: Progress) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """One object a line, or what is wrong with the line."""
    for number, line in read_lines(path, progress):
        if line is None:
            yield number, f"not a line of UTF-8 of at most {LONGEST_LINE:,} bytes"
        elif line.strip():
            try:
                found = DECODER.decode(line)
            except (ValueError, RecursionError):
                yield number, "not a JSON object on one line"
            else:
                yield number, found if isinstance(found, dict) else "not a JSON object on one line"


def read_csv(path: Path, progress: Progress) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """Rows below a header with the names of the columns, or what is wrong with them."""
    unreadable: list[int] = []

    def lines() -> Iterator[str]:
        for number, line in read_lines(path, progress):
            if line is None:
                unreadable.append(number)
            yield line if line is not None else "\n"

    reader = csv.reader(lines(), strict=True)
    header: list[str] | None = None
    while True:
        try:
            values = next(reader, None)
        except csv.Error as error:
            yield reader.line_num, f"not CSV: {error}"
            continue
        if values is None:
            break
        if header is None:
            header = [name.strip() for name in values]
            if len(set(header)) < len(header):
                yield reader.line_num, "a column stands twice in the header"
                return
        elif values and len(values) != len(header):
            yield reader.line_num, f"{len(values)} values for {len(header)} columns"
        elif values:
            yield reader.line_num, dict(zip(header, values, strict=True))
    for number in unreadable:
        yield number, f"not a line of UTF-8 of at most {LONGEST_LINE:,} bytes"
