"""Stand-ins for Loki and Elasticsearch on loopback, after their documented APIs, as far as logs are read by them.

They refuse with 400 what the real ones refuse: unknown fields, a span that is none, limits over the largest.
"""

from __future__ import annotations

import json
import re
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

MATCHER = re.compile(r'(\w+)(=~|!~|!=|=)("(?:[^"\\]|\\.)*")')
SEARCH_FIELDS = {"size", "track_total_hits", "query", "sort", "search_after"}


class Refused(Exception):
    """What a request has wrong."""


@dataclass
class LogServer:
    """``lines``: each with its time, labels and text or document. ``asked``: requests in order, with their bodies;
    ``headers``: of the last. ``failing``: so many of the next searches are answered by ``status``. ``largest``: as
    many lines an answer has at most. ``extra``: what is added to each answer.
    """

    lines: list[tuple[datetime, dict[str, str], Any]] = field(default_factory=list)
    port: int = 0
    largest: int = 5_000
    status: int = 500
    failing: int = 0
    body: bytes | None = None
    extra: dict[str, Any] = field(default_factory=dict)
    asked: list[tuple[str, Any]] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    def answer(self, path: str, params: dict[str, str], sent: Any) -> dict[str, Any] | str:
        """The answer to a request. Raises: Refused, KeyError: it has something wrong."""
        if path == "/ready":
            return "ready\n"
        if path == "/loki/api/v1/labels":
            return {"status": "success", "data": sorted({name for _, labels, _ in self.lines for name in labels})}
        if path == "/loki/api/v1/query_range":
            return self.query_range(params)
        if path == "/":
            return {"name": "stand-in", "version": {"number": "8.19.0"}, "tagline": "You Know, for Search"}
        if path.endswith("/_search"):
            return self.search(sent)
        raise KeyError(path)

    def query_range(self, params: dict[str, str]) -> dict[str, Any]:
        """Loki's streams. Raises: Refused."""
        if unknown := set(params) - {"query", "start", "end", "limit", "direction"}:
            raise Refused(f"unknown parameters {unknown}")
        start, end, limit = int(params["start"]), int(params["end"]), int(params["limit"])
        if end <= start or not 0 < limit <= self.largest:
            raise Refused(f"max entries limit per query exceeded, limit > max_entries_limit ({limit} > {self.largest})")
        streams: dict[str, list[list[str]]] = defaultdict(list)
        fit = [entry for entry in self.entries() if start <= entry[0] < end and fits_query(params["query"], *entry[1:])]
        ordered = sorted(fit, key=lambda entry: entry[0], reverse=params.get("direction") != "forward")
        for at, labels, text in ordered[:limit]:
            streams[json.dumps(labels)].append([str(at), text])
        result = [{"stream": json.loads(labels), "values": values} for labels, values in streams.items()]
        return {"status": "success", "data": {"resultType": "streams", "result": result, "stats": {}}, **self.extra}

    def entries(self) -> Iterator[tuple[int, dict[str, str], str]]:
        """Lines as Loki keeps them."""
        for at, labels, text in self.lines:
            yield int(at.timestamp() * 1e6) * 1_000, labels, text

    def search(self, sent: dict[str, Any]) -> dict[str, Any]:
        """Elasticsearch's hits. Raises: Refused."""
        if set(sent) - SEARCH_FIELDS or not 0 < sent["size"] <= 10_000:
            raise Refused(f"parsing_exception: {sorted(sent)}, size {sent.get('size')}")
        ((time, _), (tie, _)) = (next(iter(part.items())) for part in sent["sort"])
        assert (time, tie) == ("@timestamp", "_seq_no")
        found = []
        for number, (at, _, document) in enumerate(self.lines):
            source = {"@timestamp": at.isoformat(), **document}
            if all(fits_condition(condition, source) for condition in sent["query"]["bool"]["filter"]):
                place = [int(at.timestamp() * 1e3), number]
                found.append({"_index": "logs-a", "_id": f"d{number}", "_source": source, "sort": place})
        found.sort(key=lambda hit: hit["sort"])
        after = [hit for hit in found if hit["sort"] > sent.get("search_after", [])]
        total = {"value": len(found), "relation": "eq"}
        shards = {"total": 2, "successful": 2, "failed": 0}
        hits = {"total": total, "hits": after[: sent["size"]]}
        return {"took": 1, "timed_out": False, "_shards": shards, "hits": hits, **self.extra}


def fits_query(query: str, labels: dict[str, str], text: str) -> bool:
    """Whether a line fits LogQL's matchers and its filter by a pattern."""
    selector, _, rest = query.partition("}")
    for name, operator, value in MATCHER.findall(selector):
        held = labels.get(name, "")
        right = re.fullmatch(json.loads(value), held) if operator == "=~" else held == json.loads(value)
        if not right:
            return False
    wanted = re.fullmatch(r'\s*\|~ ("(?:[^"\\]|\\.)*")', rest)
    if rest and not wanted:
        raise Refused(f"parse error at {rest!r}")
    return not wanted or re.search(json.loads(wanted[1]), text) is not None


def fits_condition(condition: dict[str, Any], source: dict[str, Any]) -> bool:
    """Whether a document fits one clause of a search."""
    ((kind, what),) = condition.items()
    if kind == "range":
        ((name, limits),) = what.items()
        at = datetime.fromisoformat(source[name])
        return datetime.fromisoformat(limits["gte"]) <= at < datetime.fromisoformat(limits["lt"])
    if kind == "query_string":
        quoted = re.fullmatch(r'"((?:[^"\\]|\\.)*)"', what["query"])
        if quoted is None:
            raise Refused("query_shard_exception: failed to parse")
        words = re.sub(r"\\(.)", r"\1", quoted[1]).lower()
        return words in json.dumps(source).lower()
    if kind == "bool":
        return any(fits_condition(part, source) for part in what["should"])
    assert (kind, what["type"]) == ("multi_match", "phrase")
    return any(held(source, name) == what["query"] for name in what["fields"])


def held(source: dict[str, Any], name: str) -> Any:
    """A field, within objects too."""
    found: Any = source
    for part in name.removesuffix(".keyword").split("."):
        found = found.get(part) if isinstance(found, dict) else None
    return source.get(name, found)


@contextmanager
def run_log_server(
    start: datetime | None = None, step_s: float = 1.0, texts: tuple[Any, ...] = ()
) -> Iterator[LogServer]:
    """A server that listens until the end. ``texts``: its lines, each ``step_s`` after the one before."""
    server = LogServer()
    if start is not None:
        server.lines = [(start + timedelta(seconds=step_s * n), {}, text) for n, text in enumerate(texts)]

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's name
            pass

        def do_GET(self) -> None:
            self.reply(None)

        def do_POST(self) -> None:
            self.reply(json.loads(self.rfile.read(int(self.headers["content-length"]))))

        def reply(self, sent: Any) -> None:
            split = urlsplit(self.path)
            server.asked.append((self.path, sent))
            server.headers = {name.lower(): value for name, value in self.headers.items()}
            status, body = 200, b""
            if server.failing and split.path.endswith(("query_range", "_search")):
                server.failing -= 1
                status, body = server.status, b"it went wrong"
            elif server.body is not None:
                body = server.body
            else:
                try:
                    params = {name: values[0] for name, values in parse_qs(split.query).items()}
                    found = server.answer(split.path, params, sent)
                    body = found.encode() if isinstance(found, str) else json.dumps(found).encode()
                except (Refused, KeyError) as error:
                    status, body = 400, str(error).encode()
            with suppress(BrokenPipeError, ConnectionResetError):
                self.send_response(status)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

    listener = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    listener.daemon_threads = True
    server.port = listener.server_port
    thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        listener.shutdown()
        listener.server_close()
        thread.join()
