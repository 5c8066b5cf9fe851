"""Loki and Elasticsearch by stand-ins with the shapes of their APIs: what is asked, what comes back, what fails."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.real_servers import free_port
from tests.unit.sources.logs.log_servers import LogServer, run_log_server
from workers.errors import ToolUnavailable
from workers.settings.schema import ElasticsearchServer, LokiServer
from workers.sources.logs.elasticsearch import Elasticsearch, phrase
from workers.sources.logs.loki import Loki, quoted
from workers.sources.logs.record import Record, Wanted

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
PATIENT_MS = 60_000
CART, PAY = {"service_name": "cart", "level": "info"}, {"service_name": "pay", "level": "error"}


@pytest.fixture
def server() -> Iterator[LogServer]:
    with run_log_server() as running:
        yield running


def loki(server: LogServer, **options: Any) -> Loki:
    return Loki(LokiServer(url=server.url, timeout_ms=PATIENT_MS, **options))


def elasticsearch(server: LogServer, **options: Any) -> Elasticsearch:
    return Elasticsearch(ElasticsearchServer(url=f"{server.url}/", timeout_ms=PATIENT_MS, **options))


def wanted(minutes: float = 60, **more: Any) -> Wanted:
    return Wanted(AT, AT + timedelta(minutes=minutes), **more)


def at(seconds: float) -> datetime:
    return AT + timedelta(seconds=seconds)


def said(records: tuple[Record, ...]) -> list[tuple[str, str, str]]:
    return [(record.service, record.level, record.message) for record in records]


# --- Loki -----------------------------------------------------------------------------------------------------------


def test_loki_streams_become_records_in_order(server: LogServer) -> None:
    server.lines = [
        (at(-1), CART, "before"),
        (at(2), PAY, "card refused"),
        (at(1), CART, '{"level":"warn","msg":"slow","ms":12}'),
        (at(3), {"service_name": "cart"}, 'level=error msg="no stock" sku=7'),
        (at(3_600), CART, "after"),
    ]
    found = loki(server).read(wanted())
    assert said(found.records) == [
        ("cart", "info", "slow"),
        ("pay", "error", "card refused"),
        ("cart", "error", "no stock"),
    ]
    assert [record.at for record in found.records] == [at(1), at(2), at(3)]
    assert found.records[0].attributes["ms"] == 12
    assert (found.share, found.notes) == (1.0, ())
    assert loki(server).ping() == f"Loki at {server.url}: ready"


def test_loki_chooses_by_service_level_and_text(server: LogServer) -> None:
    server.lines = [(at(1), CART, "paid 1.5 EUR"), (at(2), PAY, "paid 1.5 EUR"), (at(3), PAY, "paid 175 EUR")]
    assert said(loki(server).read(wanted(text="PAID 1.5", service="PAY")).records) == [("pay", "error", "paid 1.5 EUR")]
    assert len(loki(server).read(wanted(level="warn")).records) == 2


def test_a_full_slice_of_loki_is_weighted_by_what_it_reaches_over(server: LogServer) -> None:
    server.lines = [(at(n / 2), CART, f"line {n}") for n in range(7_200)]
    found = loki(server, most=100).read(wanted())
    assert len(found.records) == 800
    assert found.share == pytest.approx(100 / 900, rel=0.05)
    assert sum(record.weight for record in found.records) == pytest.approx(7_200, rel=0.05)


def test_loki_is_sent_its_tenant_and_its_token(server: LogServer) -> None:
    loki(server, tenant="team-a", token="t0").read(wanted())
    assert (server.headers["x-scope-orgid"], server.headers["authorization"]) == ("team-a", "Bearer t0")
    assert all(path.startswith("/loki/api/v1/") for path, _ in server.asked)


def test_what_loki_warns_of_is_told(server: LogServer) -> None:
    server.extra = {"warnings": ["partial results"]}
    assert loki(server).read(wanted()).notes == ("Loki warns: partial results",)


@given(st.text())
def test_a_text_for_loki_finds_itself_alone(text: str) -> None:
    assert re.fullmatch(quoted(text), text)


# --- Elasticsearch --------------------------------------------------------------------------------------------------


def document(message: str, level: str = "INFO", service: str = "cart") -> dict[str, Any]:
    return {"message": message, "log": {"level": level}, "service": {"name": service}}


def test_elasticsearch_pages_are_read_to_the_end(server: LogServer) -> None:
    server.lines = [(at(n // 4), {}, document(f"line {n}")) for n in range(500)]
    found = elasticsearch(server, page=10).read(wanted())
    assert [record.message for record in found.records] == [f"line {n}" for n in range(500)]
    assert found.records[0].locator == f"{server.url}/logs-a/_doc/d0"
    assert (found.share, found.notes) == (1.0, ())
    assert elasticsearch(server).ping() == f"Elasticsearch 8.19.0 at {server.url}"


def test_elasticsearch_chooses_by_service_level_and_text(server: LogServer) -> None:
    documents = [document('say "no"', "ERROR", "pay"), document('say "no"', "info", "pay"), document("x", "error")]
    server.lines = [(at(n), {}, document) for n, document in enumerate(documents)]
    source = elasticsearch(server)
    assert said(source.read(wanted(level="warn", service="pay")).records) == [("pay", "error", 'say "no"')]
    assert len(source.read(wanted(service="pay")).records) == 2
    assert len(source.read(wanted(text="say")).records) == 2


def test_more_than_is_wanted_of_elasticsearch_is_weighted_by_the_count(server: LogServer) -> None:
    server.lines = [(at(n), {}, document(f"line {n}")) for n in range(3_600)]
    found = elasticsearch(server, page=50).read(wanted(most=800))
    assert len(found.records) == 800
    assert sum(record.weight for record in found.records) == pytest.approx(3_600)
    assert found.share == pytest.approx(800 / 3_600)


def test_half_answers_of_elasticsearch_are_told(server: LogServer) -> None:
    server.extra = {"timed_out": True, "_shards": {"total": 5, "failed": 2}}
    notes = elasticsearch(server).read(wanted()).notes
    assert notes == (
        "Elasticsearch ended a search early, for it took too long",
        "2 of 5 shards of Elasticsearch did not answer",
    )


def test_elasticsearch_is_only_searched_where_it_is_told_to(server: LogServer) -> None:
    elasticsearch(server, index="logs-*,audit", token="k", time_field="@timestamp").read(wanted())
    assert {path.partition("?")[0] for path, _ in server.asked} == {"/logs-*,audit/_search"}
    assert server.headers["authorization"] == "ApiKey k"


@given(st.text())
def test_a_text_for_elasticsearch_is_one_phrase(text: str) -> None:
    inner = phrase(text)
    assert re.fullmatch(r'"(?:[^"\\]|\\.)*"', inner, re.DOTALL)
    assert re.sub(r"\\(.)", r"\1", inner[1:-1], flags=re.DOTALL) == text


# --- both -----------------------------------------------------------------------------------------------------------

SOURCES = pytest.mark.parametrize("connect", [loki, elasticsearch])


@SOURCES
def test_a_part_that_fails_is_told_and_missing_from_the_share(server: LogServer, connect: Any) -> None:
    server.lines = [(at(n), CART, "x" if connect is loki else document("x")) for n in range(0, 3_600, 60)]
    server.failing = 2
    found = connect(server).read(wanted())
    assert 0 < len(found.records) < 60
    assert found.share == 0.75
    assert found.notes[0].startswith("2 of 8 parts of the span could not be read")
    assert "answers 500: it went wrong" in found.notes[0]


@SOURCES
@pytest.mark.parametrize(("status", "sentence"), [(401, "refuses us (401): see logs."), (503, "answers 503")])
def test_a_server_that_refuses_is_unavailable_in_one_sentence(
    server: LogServer, connect: Any, status: int, sentence: str
) -> None:
    server.status, server.failing = status, 99
    with pytest.raises(ToolUnavailable) as raised:
        connect(server).read(wanted())
    assert sentence in str(raised.value)
    assert "\n" not in str(raised.value)


@SOURCES
@pytest.mark.parametrize("body", [b"<html>", b"[]", b"{}", b'{"hits": 1, "data": {"result": 7}}'])
def test_something_else_in_its_place_is_told(server: LogServer, connect: Any, body: bytes) -> None:
    server.body = body
    with pytest.raises(ToolUnavailable, match="in place of"):
        connect(server).read(wanted())


def test_nobody_listens() -> None:
    nowhere = LogServer(port=free_port())
    for connect in (loki, elasticsearch):
        with pytest.raises(ToolUnavailable, match="does not answer"):
            connect(nowhere).read(wanted())


JSON = st.recursive(st.none() | st.integers() | st.text(max_size=5), lambda s: st.lists(s, max_size=3), max_leaves=5)
ENTRY = st.lists(st.text("0123456789", max_size=22) | st.text(max_size=9) | JSON, max_size=3)


STREAM = st.fixed_dictionaries({"stream": st.dictionaries(st.text(max_size=5), JSON), "values": st.lists(ENTRY)})


def test_any_streams_are_read_without_an_error(server: LogServer) -> None:
    @given(st.lists(STREAM | JSON))
    def read(streams: list[Any]) -> None:
        server.body = json.dumps({"data": {"resultType": "streams", "result": streams}}).encode()
        for record in loki(server).read(wanted()).records:
            assert AT <= record.at < AT + timedelta(hours=1)

    read()
