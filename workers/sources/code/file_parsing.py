"""Files of a repository -> records of their chunks, and an inverted index over those.

`main` does so for a list given on standard input: `build` starts it in a process beside itself for large repositories,
because parsing holds the interpreter's lock.
"""

from __future__ import annotations

import gc
import pickle
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from workers.language.tokens import WORD, routes_in, terms_of
from workers.sources.code.chunk_table import FIELDS, FileRecord, layout
from workers.sources.code.chunking import Chunk, cut
from workers.sources.code.compressed_lines import pack
from workers.sources.code.file_kinds import LEFT_OUT, MAX_BYTES, kind_of, skip_source, utf8
from workers.sources.code.http_routes import find_routes
from workers.sources.code.posting_lists import Array, WordCounter
from workers.sources.code.syntax_tree import read_definitions
from workers.sources.git import Blob, Repository, read_blobs
from workers.sources.terms.programming_languages import PROSE, language_of
from workers.toolkit.redaction import redact_source

BODY, DEFINITION = range(FIELDS)
SKIPPED = "left.out"
ASCII_WORD = re.compile(WORD.pattern, re.ASCII)  # the same where all is ASCII, and faster


def text_of(source: bytes) -> list[str]:
    """A file's lines as every part of Oracle shows them: invalid UTF-8 replaced, line ends dropped."""
    lines = source.decode("utf-8", "replace").split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines] if b"\r" in source else lines


@contextmanager
def paused_collector() -> Iterator[None]:
    """Stop the garbage collector: it would walk through the growing records again and again, and find nothing."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def parse_files(repo: Repository, blobs: Sequence[Blob]) -> dict[str, Array]:
    """Read, cut and count files as a table; beside it how many were left out, for each of `LEFT_OUT`."""
    records: list[FileRecord] = []
    counter, skipped = WordCounter(FIELDS), Counter[str]()
    wanted = [b for b in blobs if b.size <= MAX_BYTES]
    number = 0
    for blob, raw in zip(wanted, read_blobs(repo, [b.hash for b in wanted]), strict=True):
        source = utf8(raw)
        if why := skip_source(source):
            skipped[why] += 1
            continue
        source = redact_source(source)
        lines = text_of(source)
        record = parse_file(blob, source, lines)
        records.append(record)
        for chunk in record.chunks:
            for field, words in chunk_words(chunk, lines):
                counter.add(number, field, words)
            number += 1
    skipped["too large"] = len(blobs) - len(wanted)
    left_out = np.array([skipped[why] for why in LEFT_OUT], np.int64)
    return layout(records, counter.postings(number, terms_of)) | {SKIPPED: left_out}


def parse_file(blob: Blob, source: bytes, lines: list[str]) -> FileRecord:
    """Cut one file."""
    language = language_of(blob.path)
    kind = kind_of(blob.path, source)
    chunks = tuple(cut(lines, read_definitions(source, language), prose=language in PROSE))
    return FileRecord(blob.path, blob.hash, kind, chunks, routes_of(lines, kind), pack(lines))


def routes_of(lines: list[str], kind: str) -> tuple[tuple[int, str], ...]:
    """The endpoints that a file registers; only code does."""
    return tuple(find_routes(lines)) if kind == "code" else ()


def chunk_words(chunk: Chunk, lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    """The words of one chunk by field."""
    text = "\n".join(lines[chunk.start - 1 : chunk.end])
    words = (ASCII_WORD if text.isascii() else WORD).findall(text)
    if "/" in text:
        words += routes_in(text)
    yield BODY, words
    if chunk.definitions or chunk.scope:
        names = " ".join([*(d.name for d in chunk.definitions), *chunk.scope])
        yield DEFINITION, WORD.findall(names)


def main() -> None:
    """Answer every pickled (repository, blobs) with a pickled table, until the input ends."""
    with paused_collector():
        while True:
            try:
                repo, blobs = pickle.load(sys.stdin.buffer)  # noqa: S301 - the other end is our own `build`
            except EOFError:
                return
            pickle.dump(parse_files(repo, blobs), sys.stdout.buffer, pickle.HIGHEST_PROTOCOL)
            sys.stdout.flush()
