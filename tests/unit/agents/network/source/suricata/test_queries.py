"""What is asked of the kept events: alerts, pairs, rhythms, first sights."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import timedelta
from ipaddress import ip_network
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.eve_lines import NOON, eve_line, read_all, write_lines
from workers.agents.network.source.suricata import connection_query
from workers.agents.network.source.suricata.alert_query import (
    AlertFilter,
    Span,
    count_alerts,
    group_alerts,
    last_alert,
    list_alerts,
)
from workers.agents.network.source.suricata.beacons import MOST_JITTER, find_beacons, find_rhythm
from workers.agents.network.source.suricata.connection_query import TalkFilter, list_talks, read_records
from workers.agents.network.source.suricata.first_seen import KINDS, count_new, list_new
from workers.store.database import Database, open_database

DAY = Span(NOON.timestamp() - 86_400, NOON.timestamp() + 86_400)


@pytest.fixture(params=["sqlite_store", pytest.param("postgresql_store", marks=pytest.mark.servers)])
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    opened = open_database(request.getfixturevalue(request.param))
    yield opened
    opened.close()


def rule(sid: int, signature: str, severity: int) -> dict[str, object]:
    return {"gid": 1, "signature_id": sid, "signature": signature, "severity": severity, "category": "c"}


@pytest.fixture
def filled(database: Database, tmp_path: Path) -> Database:
    scan, worm = rule(1, "ET SCAN ssh 100%", 2), rule(2, "ET WORM", 1)
    write_lines(
        tmp_path / "eve.json",
        [
            *(eve_line(n, "alert", src_ip="203.0.113.9", dest_ip=f"10.2.3.{n}", alert=scan) for n in range(1, 6)),
            eve_line(10, "alert", src_ip="10.2.3.4", dest_ip="2001:db8::7", alert=worm),
            eve_line(11, "tls", src_ip="10.2.3.4", tls={"sni": "a.example.org"}),
            eve_line(11, src_ip="10.2.3.4", flow={"bytes_toserver": 10, "bytes_toclient": 20}),
            eve_line(12, "tls", src_ip="10.2.3.5", tls={"sni": "b.example.org"}),
        ],
    )
    read_all(database, tmp_path / "eve.json")
    return database


def test_alerts_by_prefix_signature_and_severity(filled: Database) -> None:
    with filled.begin() as connection:

        def count(**wanted: object) -> int:
            return count_alerts(connection, AlertFilter(DAY, **wanted))["count"]  # type: ignore[arg-type]

        assert count() == 6
        assert count(networks=(ip_network("10.2.3.4/32"),)) == 2
        assert count(networks=(ip_network("10.2.3.0/30"),)) == 3
        assert count(networks=(ip_network("2001:db8::/32"),)) == 1
        assert count(networks=(ip_network("10.9.0.0/16"),)) == 0
        assert count(signature="scan SSH") == 5
        assert count(signature="100%") == 5
        assert count(signature="1__%") == 0
        assert count(signature="2") == count(severity=1) == count(worst=1) == 1
        assert count(sensor="other") == 0
        assert count_alerts(connection, AlertFilter(Span(0, 1)))["count"] == 0


def test_alerts_are_listed_worst_first_with_their_line(filled: Database) -> None:
    with filled.begin() as connection:
        found = list_alerts(connection, AlertFilter(DAY), 3)
    assert [(a.severity, a.src, a.dest, a.line) for a in found] == [
        (1, "10.2.3.4", "2001:db8::7", 6),
        (2, "203.0.113.9", "10.2.3.5", 5),
        (2, "203.0.113.9", "10.2.3.4", 4),
    ]
    assert found[0].path.endswith("eve.json")


def test_alerts_are_counted_by_a_value(filled: Database) -> None:
    with filled.begin() as connection:
        by_rule = group_alerts(connection, AlertFilter(DAY), "signature", 5)
        by_source = group_alerts(connection, AlertFilter(DAY), "source", 5)
        last = last_alert(connection, (ip_network("10.2.3.5/32"),))
    assert [(g.value, g.label, g.count, g.worst, g.targets) for g in by_rule] == [
        ("1", "ET SCAN ssh 100%", 5, 2, 5),
        ("2", "ET WORM", 1, 1, 1),
    ]
    assert [(g.value, g.count) for g in by_source] == [("203.0.113.9", 5), ("10.2.3.4", 1)]
    assert last == NOON.timestamp() + 5


def test_pairs_with_bytes_of_the_flow_whose_other_record_has_the_name(filled: Database) -> None:
    with filled.begin() as connection:
        found = list_talks(read_records(connection, TalkFilter(DAY, name="a.example.org")), 5)
        assert [(t.src, t.name, t.flows, t.bytes_out, t.bytes_in) for t in found] == [
            ("10.2.3.4", "a.example.org", 1, 10, 20)
        ]
        assert {t.src for t in list_talks(read_records(connection, TalkFilter(DAY, name="example.org")), 5)} == {
            "10.2.3.4",
            "10.2.3.5",
        }
        scanner = (ip_network("203.0.113.0/24"),)
        assert read_records(connection, TalkFilter(DAY, scanner, "target")).flows == 0
        assert read_records(connection, TalkFilter(DAY, scanner, "source")).flows == 5


def test_of_too_many_records_the_newest_are_looked_at(filled: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_query, "MOST_RECORDS", 3)
    with filled.begin() as connection:
        found = read_records(connection, TalkFilter(DAY))
    assert (len(found.rows), found.narrowed, found.span.start) == (3, True, NOON.timestamp() + 11)


def test_what_is_new_anywhere_and_on_a_host(filled: Database, tmp_path: Path) -> None:
    later = NOON + timedelta(hours=3)
    write_lines(
        tmp_path / "next.json",
        [
            eve_line(50, "tls", later, src_ip="10.2.3.5", tls={"sni": "a.example.org"}),
            eve_line(51, "tls", later, src_ip="10.2.3.5", tls={"sni": "c.example.org"}),
        ],
    )
    read_all(filled, tmp_path / "next.json")
    span = Span(NOON.timestamp() + 3_600, DAY.end)
    with filled.begin() as connection:
        anywhere = list_new(connection, span, ("domain",), (), 5)
        on_host = list_new(connection, span, ("domain",), (ip_network("10.2.3.5/32"),), 5)
        assert count_new(connection, span, KINDS) == {"signature": 0, "domain": 1, "destination": 0, "fingerprint": 0}
    assert [s.value for s in anywhere] == ["c.example.org"]
    assert {s.value for s in on_host} == {"a.example.org", "c.example.org"}
    assert {s.host for s in on_host} == {"10.2.3.5"}


def test_beacon_is_found_among_people(database: Database, tmp_path: Path) -> None:
    chance = random.Random(3)
    beats = [eve_line(n, at=NOON + timedelta(seconds=300 * n + chance.uniform(-20, 20))) for n in range(40) if n % 9]
    moments = sorted(chance.uniform(0, 12_000) for _ in range(60))
    people = [eve_line(100 + n, at=NOON + timedelta(seconds=s), dest_ip="192.0.2.1") for n, s in enumerate(moments)]
    write_lines(tmp_path / "eve.json", [*beats, *people])
    read_all(database, tmp_path / "eve.json")
    with database.begin() as connection:
        found, pairs = find_beacons(read_records(connection, TalkFilter(DAY)), 5)
    assert pairs == 2
    assert [(b.dest, b.rhythm.count) for b in found] == [("198.51.100.77", 35)]
    assert found[0].rhythm.interval_s == pytest.approx(300, abs=10)
    assert found[0].rhythm.jitter < MOST_JITTER


@given(st.floats(10, 3_600), st.integers(12, 200), st.floats(0, 0.05), st.integers(0, 9))
def test_every_regular_series_has_its_rhythm(interval: float, count: int, jitter: float, seed: int) -> None:
    chance = random.Random(seed)
    found = find_rhythm([n * interval + chance.uniform(-1, 1) * jitter * interval for n in range(count)])
    assert found is not None
    assert found.interval_s == pytest.approx(interval, rel=0.11)


@given(st.integers(0, 10_000))
def test_chance_has_no_rhythm(seed: int) -> None:
    chance = random.Random(seed)
    at, moments = 0.0, []
    for _ in range(60):
        at += chance.expovariate(1 / 400)
        moments.append(at)
    assert find_rhythm(moments) is None


@given(st.lists(st.floats(0, 1e9), max_size=30))
def test_no_series_raises(moments: list[float]) -> None:
    found = find_rhythm(moments)
    assert found is None or 0 <= found.regular <= 1
