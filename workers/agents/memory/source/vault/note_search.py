"""Search over a vault's notes by words and by meaning, a section at a time.

An SQLite file beside the vault's log holds the sections: their terms in a full-text table, and their direction, which
tells what they are about (`workers.sources.code.word_vectors`). It follows the vault note by note.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from threading import RLock

import numpy as np
from numpy.typing import NDArray

from workers.agents.memory.source.vault.folder_index import MARKED
from workers.agents.memory.source.vault.markdown_blocks import front_matter_end
from workers.agents.memory.source.vault.note import Note, text_of
from workers.agents.memory.source.vault.note_index import NoteIndex, title_of, under
from workers.agents.memory.source.vault.note_paths import folder_of
from workers.errors import ToolUnavailable
from workers.language.stop_words import STOP_WORDS
from workers.language.tokens import WORD, terms_of
from workers.sources.code.excerpt import densest
from workers.sources.code.word_vectors import SCALE, vector_of

SCHEMA = 1
MOST_TERMS, MOST_CANDIDATES, MOST_SECTION_LINES = 24, 300, 400
WEIGHTS = "4.0, 3.0, 2.0, 1.0"  # of title with aliases, headings, tags with folders, text
MEANING, TITLED = 0.35, 0.25
FILTER = re.compile(r"(?:^|\s)(tag|path):(\"[^\"]{1,200}\"|\S{1,200})")
TABLES = """
create table if not exists notes (path text primary key, sha256 text not null);
create table if not exists sections (id integer primary key, path text not null, first int, last int, heading text,
    direction blob);
create index if not exists section_paths on sections (path);
create virtual table if not exists words using fts5 (title, headings, tags, body, tokenize = "unicode61");
"""


@dataclass(frozen=True)
class Section:
    """Lines of a note, from 1, below one heading; empty for what stands before the first."""

    first: int
    last: int
    heading: str
    above: tuple[str, ...] = ()


@dataclass(frozen=True)
class NoteHit:
    """A section that was found. ``start_line`` and ``end_line`` are those of ``excerpt``; ``score`` is 0..1."""

    path: str
    title: str
    heading: str
    start_line: int
    end_line: int
    excerpt: str
    score: float
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Asked:
    """A query: its words, and what it keeps to."""

    text: str
    tags: tuple[str, ...]
    paths: tuple[str, ...]


def read_query(query: str) -> Asked:
    """Take ``tag:`` and ``path:`` out of a query; a value with spaces stands in quotes."""
    found = [(kind, value.strip('"')) for kind, value in FILTER.findall(query)]
    tags = tuple(value.removeprefix("#").lower() for kind, value in found if kind == "tag")
    paths = tuple(value.lower().strip("/") for kind, value in found if kind == "path")
    return Asked(" ".join(FILTER.sub(" ", query).split()), tags, paths)


class NoteSearch:
    """The index of one vault. Safe to share between threads."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.lock = RLock()

    def open(self) -> sqlite3.Connection:
        """The file, made anew when it is of another version. Raises: ToolUnavailable."""
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(self.file, timeout=30)
            (version,) = connection.execute("pragma user_version").fetchone()
            if version != SCHEMA:
                connection.executescript("drop table if exists notes; drop table if exists sections;")
                connection.executescript(f"drop table if exists words; {TABLES} pragma user_version = {SCHEMA};")
                connection.execute("pragma journal_mode = wal")
        except (sqlite3.Error, OSError) as error:
            raise ToolUnavailable(f"the index of notes cannot be opened: {error}") from error
        return connection

    def follow(self, index: NoteIndex, read: Callable[[str], bytes]) -> int:
        """Bring it up to date. Returns: how many notes were read. Raises: ToolUnavailable: it cannot be written."""
        with self.lock, closing(self.open()) as connection:
            try:
                known = dict(connection.execute("select path, sha256 from notes"))
                notes = dict(index.notes)
                gone = [path for path in known if path not in notes]
                changed = [path for path, note in notes.items() if known.get(path) != note.sha256]
                with connection:
                    for path in (*gone, *(path for path in changed if path in known)):
                        remove(connection, path)
                    for path in changed:
                        add(connection, path, notes[path], text_of(read(path)))
                return len(changed)
            except sqlite3.Error as error:
                raise ToolUnavailable(f"the index of notes cannot be written: {error}") from error

    def search(self, query: str, index: NoteIndex, read: Callable[[str], bytes], k: int = 10) -> list[NoteHit]:
        """Find sections, best first; of notes that ``tag:`` and ``path:`` in the query name, where it has them.

        Args:
            query: words or a question; with filters alone, the notes that they name.
            index: the notes as they are.
            read: gives a note's bytes.
            k: how many.
        """
        asked = read_query(query)
        allowed = {path for path in index.notes if fits(path, index.notes[path], asked)}
        terms = query_terms(asked.text)
        if not terms:
            chosen = sorted(allowed)[:k] if asked.tags or asked.paths else []
            return [shown(path, Section(1, MOST_SECTION_LINES, ""), 1.0, {}, index, read) for path in chosen]
        self.follow(index, read)
        with closing(self.open()) as connection:
            try:
                rows = list(candidates(connection, terms, allowed))
            except sqlite3.Error as error:
                raise ToolUnavailable(f"the index of notes cannot be read: {error}") from error
        worth = dict.fromkeys(terms, 1.0)
        best = ranked(rows, terms)[:k]
        return [shown(path, section, score, worth, index, read) for score, path, section in best]


def query_terms(text: str) -> list[str]:
    """The terms of a query, without words that say nothing unless there are no others."""
    words = [word.lower() for word in WORD.findall(text)]
    kept = [word for word in words if word not in STOP_WORDS] or words
    return list(dict.fromkeys(bare for word in kept for term in terms_of(word) if (bare := term.lstrip("=/"))))[
        :MOST_TERMS
    ]


def fits(path: str, note: Note, asked: Asked) -> bool:
    """Whether a note has one of the tags and stands below one of the paths that are asked for."""
    lower = path.lower()
    tagged = not asked.tags or any(under(tag.lower(), wanted) for tag in note.tags for wanted in asked.tags)
    return tagged and (not asked.paths or any(wanted in lower for wanted in asked.paths))


def remove(connection: sqlite3.Connection, path: str) -> None:
    """Take a note out."""
    ids = [row[0] for row in connection.execute("select id from sections where path = ?", (path,))]
    connection.executemany("delete from words where rowid = ?", [(one,) for one in ids])
    connection.execute("delete from sections where path = ?", (path,))
    connection.execute("delete from notes where path = ?", (path,))


def add(connection: sqlite3.Connection, path: str, note: Note, text: str) -> None:
    """Put a note in."""
    lines = without_index(text).split("\n")
    title = joined_terms([title_of(path), *note.aliases])
    about = joined_terms([*note.tags, folder_of(path)])
    for section in sections_of(note, text, len(lines)):
        headings = joined_terms([section.heading, *section.above])
        body = joined_terms(lines[section.first - 1 : section.last])
        row = (path, section.first, section.last, section.heading, direction(f"{title} {headings} {body}"))
        made = connection.execute("insert into sections values (null, ?, ?, ?, ?, ?)", row)
        connection.execute(
            "insert into words (rowid, title, headings, tags, body) values (?, ?, ?, ?, ?)",
            (made.lastrowid, title, headings, about, body),
        )
    connection.execute("insert into notes values (?, ?)", (path, note.sha256))


def without_index(text: str) -> str:
    """A note without the index that was written into it, which says nothing of its own; other lines stay in place."""
    return MARKED.sub(lambda found: "\n" * found[0].count("\n"), text)


def joined_terms(texts: Iterable[str]) -> str:
    """The terms of some texts, as the full-text table holds them."""
    return " ".join(t.lstrip("=/") for text in texts for word in WORD.findall(text) for t in terms_of(word))


def direction(terms: str) -> bytes:
    """What a section is about, a byte a number."""
    counted = Counter(terms.split())
    often = [term for term, count in counted.items() for _ in range(1 + int(np.log2(count)))]
    row: NDArray[np.int8] = np.rint(vector_of(often) * SCALE).astype(np.int8)
    return row.tobytes()


def sections_of(note: Note, text: str, size: int) -> Iterator[Section]:
    """A note cut at its headings; very long sections are cut further."""
    first = text.count("\n", 0, front_matter_end(text)) + 1
    starts = [(first, "", 0), *((h.line, h.text, h.level) for h in note.headings)]
    above: list[tuple[str, int]] = []
    for i, (start, heading, level) in enumerate(starts):
        end = starts[i + 1][0] - 1 if i + 1 < len(starts) else size
        above = [one for one in above if one[1] < level]
        crumbs = tuple(name for name, _ in above)
        if heading:
            above.append((heading, level))
        for at in range(start, end + 1, MOST_SECTION_LINES):
            yield Section(at, min(at + MOST_SECTION_LINES - 1, end), heading, crumbs)


Row = tuple[str, Section, float, NDArray[np.int8]]


def candidates(connection: sqlite3.Connection, terms: list[str], allowed: set[str]) -> Iterator[Row]:
    """The sections that hold most of the terms, each with its score by words and its direction."""
    match = " OR ".join('"' + term.replace('"', "") + '"' for term in terms)
    found = connection.execute(
        f"select s.path, s.first, s.last, s.heading, -bm25(words, {WEIGHTS}) as score, s.direction"  # noqa: S608
        " from words join sections s on s.id = words.rowid where words match ? order by score desc",
        (match,),
    )
    count = 0
    for path, first, last, heading, score, raw in found:
        if path in allowed:
            yield path, Section(first, last, heading), score, np.frombuffer(raw, np.int8)
            count += 1
            if count >= MOST_CANDIDATES:
                return


def ranked(rows: list[Row], terms: list[str]) -> list[tuple[float, str, Section]]:
    """Put sections in order: by words, by meaning, and more when the title holds what is asked."""
    if not rows:
        return []
    meant = np.stack([row[3] for row in rows]).astype(np.float32) @ vector_of(terms) / SCALE
    words = np.array([row[2] for row in rows])
    wanted = set(terms)
    titled = np.array([len(wanted & set(joined_terms([title_of(row[0]), row[1].heading]).split())) for row in rows])
    scores = words / max(float(words.max()), 1e-9) + MEANING * np.maximum(meant, 0) + TITLED * titled / len(wanted)
    scores = scores / (1 + MEANING + TITLED)
    order = sorted(range(len(rows)), key=lambda i: (-scores[i], rows[i][0], rows[i][1].first))
    return [(round(float(scores[i]), 4), rows[i][0], rows[i][1]) for i in order]


def shown(
    path: str, section: Section, score: float, worth: dict[str, float], index: NoteIndex, read: Callable[[str], bytes]
) -> NoteHit:
    """A section as it is shown: the lines of it that answer best."""
    lines = text_of(read(path)).split("\n")
    start, end = densest(lines, (section.first, min(section.last, len(lines))), worth, 16)
    excerpt = "\n".join(line.rstrip("\r") for line in lines[start - 1 : end])
    return NoteHit(path, title_of(path), section.heading, start, end, excerpt, score, index.notes[path].tags)
