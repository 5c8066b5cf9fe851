"""One line of EVE: read, or broken with a reason, whatever its bytes are."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from tests.support.eve_lines import NOON, eve_line
from workers.agents.network.source.suricata.addresses import pack, unpack
from workers.agents.network.source.suricata.batch import read_batch
from workers.agents.network.source.suricata.event import BrokenLine, Heartbeat, Sighting, read_line

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
KEYS = (*json.loads(eve_line(1, "alert")), "flow", "dns", "tls", "http", "quic", "app_proto")


def test_alert_with_all_its_parts() -> None:
    found = read_line(eve_line(7, "alert", tls={"sni": "Bad.Example.NET.", "ja3": {"hash": "a" * 32}}))
    assert isinstance(found, Sighting)
    assert found.alert is not None
    assert (found.alert.sid, found.alert.severity, found.alert.mitre) == (2_850_001, 1, "T1071, Command_And_Control")
    assert (unpack(found.src), unpack(found.dest), found.dest_port) == ("10.2.3.4", "198.51.100.77", 443)
    assert (found.name, found.fingerprint, found.sensor) == ("bad.example.net", "a" * 32, "sensor-a")
    assert found.at == NOON.timestamp() + 7


@each_row(
    "more, name",
    [
        ({"dns": {"type": "query", "rrname": "a.example.org"}}, "a.example.org"),
        ({"dns": {"version": 3, "type": "request", "queries": [{"rrname": "b.example.org"}]}}, "b.example.org"),
        ({"http": {"hostname": "c.example.org"}}, "c.example.org"),
        ({"quic": {"sni": "d.example.org"}}, "d.example.org"),
        ({"tls": {"version": "TLS 1.3"}}, ""),
    ],
)
def test_host_that_was_asked_for(more: dict[str, Any], name: str) -> None:
    found = read_line(eve_line(1, "dns", **more))
    assert isinstance(found, Sighting)
    assert found.name == name


def test_flow_stands_at_its_start_with_its_bytes() -> None:
    flow = {"start": "2026-11-20T11:59:00.000000+0000", "bytes_toserver": 70, "bytes_toclient": 9_000}
    found = read_line(eve_line(1, flow=flow))
    assert isinstance(found, Sighting)
    assert (found.at, found.logged_at) == (NOON.timestamp() - 60, NOON.timestamp() + 1)
    assert (found.bytes_out, found.bytes_in) == (70, 9_000)


def test_time_without_a_zone_is_utc_and_statistics_are_a_heartbeat() -> None:
    found = read_line(b'{"timestamp": "2026-11-20T12:00:00.000000", "event_type": "stats", "host": "s"}')
    assert found == Heartbeat(NOON.timestamp(), "s")


@each_row(
    "line",
    [
        b"",
        b"{",
        b"[1]",
        b"\x00\x00\x00",
        b'{"event_type": "flow"}',
        b'{"timestamp": "yesterday", "event_type": "flow"}',
        eve_line(1)[:-9],
        eve_line(1, src_ip="10.0.0.300"),
        eve_line(1, "alert", alert="none"),
        eve_line(1, "alert", dest_ip=None),
    ],
)
def test_broken_lines_say_so(line: bytes) -> None:
    with pytest.raises(BrokenLine):
        read_line(line)


@given(st.binary(max_size=200))
def test_no_bytes_raise_anything_else(line: bytes) -> None:
    assert read_batch([line], "log", 1, "s", frozenset({"flow"})).broken in {0, 1}


@given(st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=6), st.sampled_from(["alert", "flow", "dns", "tls"]))
def test_no_json_raises_anything_else(changed: dict[str, Any], kind: str) -> None:
    event = json.loads(eve_line(1, kind)) | changed
    batch = read_batch([json.dumps(event).encode()], "log", 1, "s", frozenset({"flow", "dns", "tls"}))
    assert batch.broken + sum(count for *_, count in batch.sensors.values()) == 1


@given(st.ip_addresses())
def test_addresses_come_back_and_sort_as_they_are(address: Any) -> None:
    assert pack(unpack(pack(str(address)))) == pack(str(address))
    assert len(pack(str(address))) == 16
