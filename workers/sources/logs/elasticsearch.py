"""Elasticsearch and OpenSearch: ``_search`` with a span, a text, an order and ``search_after``. Nothing is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from workers.errors import ToolUnavailable
from workers.settings.schema import ElasticsearchServer
from workers.sources.logs.line_parser import LEVEL_KEYS, SERVICE_KEYS, LineForm, parse_object
from workers.sources.logs.record import LEVELS, SPELLINGS, Reading, Record, Wanted, clean, rank
from workers.sources.logs.time_slices import Slice, read_slices
from workers.sources.logs.timestamps import Clock, read_time
from workers.sources.server_connection import ServerConnection

SERVICE_FIELDS = tuple(dict.fromkeys((*SERVICE_KEYS, "kubernetes.labels.app", "kubernetes.container.name")))
LEVEL_FIELDS = tuple(dict.fromkeys(LEVEL_KEYS))
Raw = Mapping[str, Any]


class Elasticsearch:
    """An Elasticsearch or an OpenSearch. Threads may share it."""

    name = "Elasticsearch"

    def __init__(self, server: ElasticsearchServer) -> None:
        self.server = server
        self.connection = ServerConnection(self.name, "logs.elasticsearch", server, {}, "ApiKey")

    def ping(self) -> str:
        """Its version. Raises: ToolUnavailable."""
        version = self.connection.get("/").get("version")
        said = version if isinstance(version, dict) else {}
        kind = "OpenSearch" if said.get("distribution") == "opensearch" else "Elasticsearch"
        return f"{kind} {said.get('number', '')} at {self.connection.address}"

    def read(self, wanted: Wanted) -> Reading:
        """See `record.LogSource`."""
        return read_slices(self.name, wanted, self.read_slice)

    def read_slice(self, span: Wanted) -> Slice:
        """The first lines of a slice, page by page. Raises: ToolUnavailable."""
        records: list[Record] = []
        notes: dict[str, None] = {}
        after: list[Any] | None = None
        total = read = 0
        while read < span.most:
            size = min(self.server.page, span.most - read)
            answer = self.connection.post(self.path, self.body(span, size, after))
            hits, found = hits_of(answer)
            total = max(total, found)
            notes |= dict.fromkeys(troubles(answer))
            records += [r for hit in hits if (r := self.record(hit, span)) is not None]
            read += len(hits)
            last = hits[-1].get("sort") if hits else None
            if len(hits) < size or not isinstance(last, list) or last == after:
                break
            after = last
        return Slice(tuple(records), read / total if total > read else 1.0, tuple(notes))

    @property
    def path(self) -> str:
        """Where is searched; an index that is gone meanwhile is no error."""
        return f"/{quote(self.server.index, safe='*,-_.:')}/_search?ignore_unavailable=true&allow_no_indices=true"

    def body(self, span: Wanted, size: int, after: list[Any] | None) -> dict[str, Any]:
        """The request of one page. ``after``: the place of the last line of the page before."""
        time = self.server.time_field
        limits = {
            "gte": span.since.isoformat(timespec="milliseconds"),
            "lt": span.until.isoformat(timespec="milliseconds"),
        }
        must: list[dict[str, Any]] = [{"range": {time: {**limits, "format": "strict_date_optional_time"}}}]
        if span.text:
            must.append({"query_string": {"query": phrase(span.text), "lenient": True}})
        if span.service:
            must.append(any_of(SERVICE_FIELDS, [span.service]))
        if span.level:
            words = [word for name in LEVELS[rank(span.level) :] for word in SPELLINGS[name].split() if len(word) > 1]
            must.append(any_of(LEVEL_FIELDS, [form for w in words for form in (w, w.upper(), w.capitalize())]))
        found: dict[str, Any] = {
            "size": size,
            "track_total_hits": True,
            "query": {"bool": {"filter": must}},
            # lines of one time are told apart by the order in which they came
            "sort": [{time: {"order": "asc", "unmapped_type": "date"}}, {"_seq_no": {"order": "asc"}}],
        }
        return found if after is None else {**found, "search_after": after}

    def record(self, hit: Raw, span: Wanted) -> Record | None:
        """One line as it is sent; None when it has no time."""
        source = hit.get("_source")
        if not isinstance(source, dict):
            return None
        clock = Clock(UTC, span.until)
        time = self.server.time_field
        at: datetime | None = read_time(source.get(time, nested(source, time)), clock)
        index, number = clean(str(hit.get("_index", "")))[:200], clean(str(hit.get("_id", "")))[:200]
        locator = f"{self.connection.address}/{index}/_doc/{number}"
        kubernetes = nested(source, "kubernetes.labels.app") or nested(source, "kubernetes.container.name")
        form = LineForm(clean(kubernetes)[:100] if isinstance(kubernetes, str) else "", clock)
        return parse_object(source, locator, form, at)


def hits_of(answer: Raw) -> tuple[list[Raw], int]:
    """The lines of an answer and how many there are. Raises: ToolUnavailable: it is no answer to a search."""
    outer = answer.get("hits")
    hits = outer.get("hits") if isinstance(outer, dict) else None
    if not isinstance(outer, dict) or not isinstance(hits, list):
        raise ToolUnavailable("what answers in place of Elasticsearch is something else")
    total = outer.get("total")
    count = total.get("value") if isinstance(total, dict) else total
    return [hit for hit in hits if isinstance(hit, dict)], count if isinstance(count, int) else len(hits)


def troubles(answer: Raw) -> Iterator[str]:
    """Why an answer is not whole."""
    if answer.get("timed_out") is True:
        yield "Elasticsearch ended a search early, for it took too long"
    shards = answer.get("_shards")
    if isinstance(shards, dict) and shards.get("failed"):
        yield f"{shards['failed']} of {shards.get('total', '?')} shards of Elasticsearch did not answer"


def nested(source: Raw, field: str) -> object:
    """A field whose name has dots, in an object of objects; None when there is none."""
    found: object = source
    for part in field.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    return found


def phrase(text: str) -> str:
    """A text as a phrase in Lucene's language, in which nothing but its words has a meaning."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def any_of(fields: tuple[str, ...], values: list[str]) -> dict[str, Any]:
    """A condition: one of some fields has one of some values, as a keyword or in words; numbers have not."""
    names = [form for name in fields for form in (name, f"{name}.keyword")]
    should: list[dict[str, Any]] = [
        {"multi_match": {"query": v, "fields": names, "type": "phrase", "lenient": True}} for v in values
    ]
    return {"bool": {"should": should, "minimum_should_match": 1}}
