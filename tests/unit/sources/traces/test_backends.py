"""Tempo, Jaeger and files by stand-ins with their shapes: what is found, what fails and how it is told."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import ValidationError

from tests.support.each_row import each_row
from tests.support.real_servers import free_port
from tests.unit.sources.traces.span_formats import (
    BROWSE,
    CHECKOUT,
    NOON,
    as_jaeger,
    as_otlp,
    as_plain,
    as_zipkin,
    spans_of_the_shop,
)
from tests.unit.sources.traces.trace_servers import Asked, Refusal, jaeger_answers, serve, tempo_answers
from workers.errors import ToolUnavailable
from workers.settings.schema import TracesSection
from workers.sources.traces.backend import Found, Search, TraceBackend
from workers.sources.traces.files import TraceFiles
from workers.sources.traces.jaeger import Jaeger
from workers.sources.traces.tempo import Tempo, trace_ql

HOUR = Search(since=NOON - timedelta(hours=1), until=NOON + timedelta(minutes=1))
PATIENT_MS = 30_000


def section(**options: Any) -> TracesSection:
    return TracesSection(**{"timeout_ms": PATIENT_MS, **options})


@contextmanager
def tempo() -> Iterator[TraceBackend]:
    with serve(tempo_answers(spans_of_the_shop())) as server:
        yield Tempo(section(url=server.url))


@contextmanager
def old_tempo() -> Iterator[TraceBackend]:
    with serve(tempo_answers(spans_of_the_shop(), old=True)) as server:
        yield Tempo(section(url=f"{server.url}/"))


@contextmanager
def jaeger() -> Iterator[TraceBackend]:
    with serve(jaeger_answers(spans_of_the_shop())) as server:
        yield Jaeger(section(url=server.url, backend="jaeger"))


@pytest.fixture(params=[tempo, old_tempo, jaeger, "files"])
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[TraceBackend]:
    if request.param == "files":
        (tmp_path / "spans.json").write_text(json.dumps(as_plain(spans_of_the_shop())))
        yield TraceFiles(section(files=[str(tmp_path / "*.json")]))
        return
    with request.param() as opened:
        yield opened


def traces(found: Found) -> set[str]:
    return {span.trace_id for span in found.spans}


def test_traces_are_found_whole(backend: TraceBackend) -> None:
    found = backend.search(HOUR)
    assert (traces(found), len(found.spans), found.skipped, found.more) == ({CHECKOUT, BROWSE}, 13, {}, False)
    assert {(s.key, s.parent_id, s.service, s.error, s.start) for s in found.spans} == {
        (s.key, s.parent_id, s.service, s.error, s.start) for s in spans_of_the_shop()
    }


@each_row(
    "more, wanted",
    [
        ({"service": "payments"}, {CHECKOUT}),
        ({"service": "shop", "operation": "GET /"}, {BROWSE}),
        ({"operation": "charge"}, {CHECKOUT}),
        ({"service": "shop", "min_ms": 500}, {CHECKOUT}),
        ({"errors_only": True}, {CHECKOUT}),
        ({"service": "shop", "until": NOON - timedelta(seconds=30)}, {BROWSE}),
        ({"service": "shop", "since": NOON - timedelta(seconds=30)}, {CHECKOUT}),
        ({"service": "nobody"}, set()),
        ({"min_ms": 5_000}, set()),
    ],
)
def test_searches(backend: TraceBackend, more: dict[str, Any], wanted: set[str]) -> None:
    assert traces(backend.search(Search(**{**vars(HOUR), **more}))) == wanted


def test_the_newest_are_read_and_that_there_are_more_is_told(backend: TraceBackend) -> None:
    found = backend.search(Search(**{**vars(HOUR), "limit": 1}))
    assert (traces(found), found.more) == ({CHECKOUT}, True)


def test_one_trace_and_services(backend: TraceBackend) -> None:
    assert len(backend.trace(CHECKOUT).spans) == 12
    assert backend.trace("0123456789abcdef") == Found()
    assert backend.services() == ("payments", "shop")
    assert "\n" not in backend.ping()


def test_what_a_server_is_sent() -> None:
    with serve(tempo_answers(spans_of_the_shop()), token="t0ken") as server:
        opened = Tempo(section(url=server.url, token="t0ken", tenant="team-a", page="https://g/{trace_id}#{span_id}"))
        assert opened.trace(CHECKOUT).spans
        assert server.headers["x-scope-orgid"] == "team-a"
        assert opened.page("t", "b:server") == "https://g/t#b"
        assert Tempo(section(url=server.url)).page("t", "b") is None
        with pytest.raises(ToolUnavailable, match=r"Tempo refuses the token \(401\): see traces.token"):
            Tempo(section(url=server.url, token="other")).services()
    assert Jaeger(section(url="http://me:pw@jaeger.test/ui")).page("t", "b") == "http://jaeger.test/ui/trace/t?uiFind=b"


def test_ids_stay_within_their_path() -> None:
    with serve(tempo_answers(())) as server:
        Tempo(section(url=server.url)).trace("../../ready?x=1")
        assert all(path.startswith(("/api/traces/..%2F", "/api/v2/traces/..%2F")) for path, _ in server.paths)


def test_trace_ql_quotes_what_is_typed() -> None:
    search = Search(**{**vars(HOUR), "service": 'a" || true || "\\', "min_ms": 1.5, "errors_only": True})
    assert trace_ql(search) == (
        '{ resource.service.name = "a\\" || true || \\"\\\\" && duration >= 1500us && status = error }'
    )
    assert trace_ql(HOUR) == "{  }"


def refused(status: int, body: Any) -> Callable[[str, Any], Any]:
    def answer(path: str, query: Any) -> Any:
        raise Refusal(status, body)

    return answer


@each_row("kind", [Tempo, Jaeger])
@each_row(
    "answer, said",
    [
        (refused(500, "no\nluck"), 'answers 500: "no'),
        (refused(302, b""), "answers 302"),
        (refused(404, b""), "has nothing at"),
        (lambda path, query: b"<html>", "does not send JSON"),
        (lambda path, query: b"[" * 3_000, "does not send JSON"),
        (lambda path, query: [1], "is no "),
        (lambda path, query: {"traces": 3, "data": 3, "tagValues": 3}, "is no "),
        (lambda path, query: b" " * 5_000, "sends more than 4000 bytes"),
    ],
)
def test_failures_are_told_in_one_sentence(kind: Any, answer: Any, said: str) -> None:
    with serve(answer) as server:
        opened = kind(section(url=server.url, most_bytes=4_000))
        for ask in (opened.services, lambda: opened.search(HOUR)):
            with pytest.raises(ToolUnavailable) as told:
                ask()
            assert "\n" not in str(told.value)
            assert said in str(told.value)


def test_a_server_that_is_not_there_or_too_slow() -> None:
    with pytest.raises(ToolUnavailable, match="Tempo does not answer"):
        Tempo(section(url=f"http://127.0.0.1:{free_port()}")).services()

    def late(request: httpx.Request) -> httpx.Response:
        raise httpx.ReadTimeout("late", request=request)

    with pytest.raises(ToolUnavailable, match="Jaeger did not answer within 30000 ms"):
        Jaeger(section(url="http://jaeger.test"), httpx.MockTransport(late)).services()


def test_a_trace_that_cannot_be_fetched_is_counted() -> None:
    answers = tempo_answers(spans_of_the_shop())

    def some(path: str, query: dict[str, str]) -> Any:
        if BROWSE in path:
            raise Refusal(500, "")
        return answers(path, query)

    with serve(some) as server:
        found = Tempo(section(url=server.url)).search(HOUR)
    assert (traces(found), found.unanswered) == ({CHECKOUT}, 1)


def test_a_trace_that_tempo_cuts_is_told() -> None:
    with serve(lambda path, query: {"trace": as_otlp(spans_of_the_shop()), "status": "PARTIAL"}) as server:
        assert Tempo(section(url=server.url)).trace(CHECKOUT).skipped == {"rest of a trace that Tempo cut": 1}
    with serve(lambda path, query: {"trace": {}, "status": "COMPLETE"}) as server:
        assert Tempo(section(url=server.url)).trace(CHECKOUT) == Found()


def test_jaeger_is_asked_for_each_service_when_none_is_named() -> None:
    with serve(jaeger_answers(spans_of_the_shop())) as server:
        Jaeger(section(url=server.url)).search(HOUR)
        assert sorted(query.get("service", "") for _, query in asked_for(server, "/api/traces")) == ["payments", "shop"]


def asked_for(server: Asked, path: str) -> list[tuple[str, dict[str, str]]]:
    return [asked for asked in server.paths if asked[0] == path]


def test_files_of_every_kind(tmp_path: Path) -> None:
    spans = spans_of_the_shop()
    (tmp_path / "a.json").write_text(json.dumps(as_jaeger(spans[:4])))
    lines = [json.dumps(as_otlp(spans[4:6])), *map(json.dumps, as_zipkin(spans[6:])), "", "{broken"]
    with gzip.open(tmp_path / "b.jsonl.gz", "wt") as file:
        file.write("\n".join(lines))
    (tmp_path / "c.json.gz").write_bytes(b"no archive")
    files = TraceFiles(section(files=f"{tmp_path}/*.json, {tmp_path}/*.gz"))
    found = files.read()
    assert {s.key for s in found.spans} == {s.key for s in spans}
    assert found.skipped == {"not JSON": 1, "broken archive": 1}


def test_a_file_is_read_again_when_it_has_changed(tmp_path: Path) -> None:
    file = tmp_path / "spans.json"
    file.write_text(json.dumps(as_plain(spans_of_the_shop()[:1])))
    files = TraceFiles(section(files=[str(file)]))
    first = files.read()
    assert files.read() is first
    file.write_text(json.dumps(as_plain(spans_of_the_shop())))
    os.utime(file, ns=(1, 1))
    assert len(files.read().spans) == 13


def test_files_that_are_not_there_or_too_large(tmp_path: Path) -> None:
    with pytest.raises(ToolUnavailable, match=r"no file of traces is at .*nothing.json: see traces.files"):
        TraceFiles(section(files=[str(tmp_path / "nothing.json")])).read()
    (tmp_path / "large.json").write_text(" " * 2_000)
    assert TraceFiles(section(files=[str(tmp_path) + "/*"], most_bytes=1_000)).read().skipped == {"file too large": 1}


def test_a_server_and_files_are_one_too_many() -> None:
    with pytest.raises(ValidationError, match="either url or files"):
        section(url="http://tempo.test", files=["a.json"])
