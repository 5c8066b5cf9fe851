"""Files of a repository -> records of their chunks, and an inverted index over those.

`main` does so for a list given on standard input: `build` starts it in a process beside itself for large repositories,
because parsing holds the interpreter's lock.
"""

from __future__ import annotations

import pickle
import sys
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workers.search.chunk import Chunk, cut
from workers.search.files import MAX_BYTES, kind_of, skip_source
from workers.search.git import Blob, Repository, read_blobs
from workers.search.languages import PROSE, language_of
from workers.search.postings import Postings, count_words
from workers.search.routes import find_routes
from workers.search.syntax import Outline, read_outline
from workers.search.tokens import WORD, routes_in, terms_of

BODY, COMMENT, DEFINITION = range(3)
FIELDS = 3
STEM, FOLDER = range(2)
PATH_FIELDS = 2


@dataclass(frozen=True)
class FileRecord:
    """One indexed file. ``routes`` are (line, route as written); ``packed`` is its text, compressed."""

    path: str
    blob: str
    kind: str
    chunks: tuple[Chunk, ...]
    routes: tuple[tuple[int, str], ...]
    packed: bytes


@dataclass(frozen=True)
class Parsed:
    """Records of the files worth indexing, and postings over their chunks, numbered through in order."""

    records: list[FileRecord]
    postings: Postings


def text_of(source: bytes) -> list[str]:
    """A file's lines as every part of Oracle shows them: invalid UTF-8 replaced, line ends dropped."""
    lines = source.decode("utf-8", "replace").split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def unpack(packed: bytes) -> list[str]:
    """The lines that a record's ``packed`` holds."""
    return zlib.decompress(packed).decode().split("\n")


def parse_files(repo: Repository, blobs: Sequence[Blob]) -> Parsed:
    """Read, cut and count files; binary, minified, empty and too large ones are left out."""
    records: list[FileRecord] = []
    wanted = [b for b in blobs if b.size <= MAX_BYTES]

    def rows() -> Iterator[tuple[int, int, list[str]]]:
        number = 0
        for blob, source in zip(wanted, read_blobs(repo, [b.hash for b in wanted]), strict=True):
            if skip_source(source):
                continue
            lines = text_of(source)
            record, outline = parse_file(blob, source, lines)
            records.append(record)
            comments = comment_lines(outline)
            for chunk in record.chunks:
                yield from chunk_words(number, chunk, lines, comments)
                number += 1

    # the rows fill `records` as they are read, so the number of chunks is known only afterwards
    counted = list(rows())
    return Parsed(records, count_words(counted, sum(len(r.chunks) for r in records), FIELDS, terms_of))


def parse_file(blob: Blob, source: bytes, lines: list[str]) -> tuple[FileRecord, Outline]:
    """Cut one file."""
    language = language_of(blob.path)
    outline = read_outline(source, language)
    kind = kind_of(blob.path, source)
    packed = zlib.compress("\n".join(lines).encode(), 1)
    chunks = tuple(cut(lines, outline, prose=language in PROSE))
    routes = tuple(find_routes(lines)) if kind == "code" else ()
    return FileRecord(blob.path, blob.hash, kind, chunks, routes, packed), outline


def comment_lines(outline: Outline) -> list[int]:
    """Numbers of all lines that comments cover, ascending."""
    return sorted({line for a, b in outline.comments for line in range(a, b + 1)})


def chunk_words(
    number: int, chunk: Chunk, lines: list[str], comments: list[int]
) -> Iterator[tuple[int, int, list[str]]]:
    """The words of one chunk by field."""
    text = "\n".join(lines[chunk.start - 1 : chunk.end])
    words = WORD.findall(text)
    if "/" in text:
        words += routes_in(text)
    yield number, BODY, words
    covered = comments[bisect_left(comments, chunk.start) : bisect_right(comments, chunk.end)]
    inside = [lines[i - 1] for i in covered if i <= len(lines)]
    if inside:
        yield number, COMMENT, WORD.findall("\n".join(inside))
    names = [w for d in chunk.definitions for w in WORD.findall(d.name)]
    if names or chunk.scope:
        yield number, DEFINITION, names + [w for s in chunk.scope for w in WORD.findall(s)]


def main() -> None:
    """Answer one pickled (repository, blobs) with one pickled `Parsed`."""
    repo, blobs = pickle.load(sys.stdin.buffer)  # noqa: S301: the other end is our own `build`
    pickle.dump(parse_files(repo, blobs), sys.stdout.buffer)
