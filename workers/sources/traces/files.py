"""Traces in files: one JSON document each, or JSON lines."""

from __future__ import annotations

import glob
import gzip
import zlib
from collections import Counter
from pathlib import Path

import orjson

from workers.errors import ToolUnavailable
from workers.settings.schema import TracesSection
from workers.sources.traces.backend import Found, Search, page_of
from workers.sources.traces.reading import read_spans
from workers.sources.traces.span import Span, newest

MOST_FILES = 1_000


class TraceFiles:
    """Files by their paths; ``*`` and ``?`` stand for several, ``.gz`` is unpacked. Read again when one has changed."""

    def __init__(self, section: TracesSection) -> None:
        self.paths, self.template, self.most_bytes = section.files, section.page, section.most_bytes
        self.state: tuple[tuple[str, int, int], ...] = ()
        self.found = Found()

    def read(self) -> Found:
        """All that the files hold. Raises: ToolUnavailable: there is no file, or one cannot be read."""
        names: set[str] = set()
        for path in self.paths:
            names.update(glob.glob(str(Path(path).expanduser()), recursive=True))  # noqa: PTH207 - folders may vary too
        files = [Path(name) for name in sorted(names) if Path(name).is_file()][:MOST_FILES]
        if not files:
            raise ToolUnavailable(f"no file of traces is at {', '.join(self.paths)}: see traces.files in oracle.yaml")
        try:
            state = tuple((str(f), f.stat().st_mtime_ns, f.stat().st_size) for f in files)
            if state != self.state:
                skipped: Counter[str] = Counter()
                spans = [span for file in files for span in read_file(file, self.most_bytes, skipped)]
                self.found, self.state = Found(tuple(spans), dict(skipped)), state
        except OSError as error:
            raise ToolUnavailable(f"a file of traces cannot be read: {error.strerror or error}") from error
        return self.found

    def trace(self, trace_id: str) -> Found:
        """See `TraceBackend`. Zeros that an id begins with do not count."""
        found, wanted = self.read(), plain_id(trace_id)
        return Found(tuple(span for span in found.spans if plain_id(span.trace_id) == wanted), found.skipped)

    def search(self, search: Search) -> Found:
        """See `TraceBackend`."""
        found = self.read()
        wanted = {span.trace_id for span in found.spans if search.holds_for(span)}
        spans, more = newest(tuple(span for span in found.spans if span.trace_id in wanted), search.limit)
        return Found(spans, found.skipped, more)

    def services(self) -> tuple[str, ...]:
        """See `TraceBackend`."""
        return tuple(sorted({span.service for span in self.read().spans}))

    def page(self, trace_id: str, span_id: str) -> str | None:
        """See `TraceBackend`: by the template."""
        return page_of(self.template, trace_id, span_id)

    def ping(self) -> str:
        """See `TraceBackend`."""
        return f"traces in files: {len(self.read().spans)} spans of {len(self.services())} services"


def read_file(file: Path, most_bytes: int, skipped: Counter[str]) -> tuple[Span, ...]:
    """The spans of one file; what cannot be read in it is counted. Raises: OSError."""
    try:
        with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as opened:
            body = opened.read(most_bytes + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        skipped["broken archive"] += 1
        return ()
    if len(body) > most_bytes:
        skipped["file too large"] += 1
        return ()
    try:
        return read_spans(orjson.loads(body), skipped)
    except orjson.JSONDecodeError:
        return read_lines(body, skipped)


def read_lines(body: bytes, skipped: Counter[str]) -> tuple[Span, ...]:
    """The spans of JSON lines."""
    values = []
    for line in body.splitlines():
        if line.strip():
            try:
                values.append(orjson.loads(line))
            except orjson.JSONDecodeError:
                skipped["not JSON"] += 1
    return read_spans(values, skipped)


def plain_id(trace_id: str) -> str:
    """An id to compare by."""
    return trace_id.lower().lstrip("0")
