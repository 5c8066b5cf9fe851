"""NetBox's API by a stand-in with its shapes: pages, tokens, what an address is, what fails and how it is told."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from threading import Event
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.network.netbox import DEMO_TOKEN, serve_netbox
from tests.support.each_row import each_row
from workers.agents.network.sections import NetboxSection
from workers.agents.network.source.netbox.client import NetboxClient
from workers.agents.network.source.netbox.evidence import identity_evidence, record_evidence
from workers.agents.network.source.netbox.identity import identify
from workers.agents.network.source.netbox.listing import Wanted, list_changed, list_names, list_objects
from workers.agents.network.source.netbox.record import KINDS, read_record
from workers.errors import ToolUnavailable

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def connect(url: str, token: str = DEMO_TOKEN, **options: Any) -> NetboxClient:
    return NetboxClient(NetboxSection(url=url, token=token, timeout_ms=options.pop("timeout_ms", 30_000), **options))


@pytest.fixture
def client() -> Iterator[NetboxClient]:
    with serve_netbox(now=NOW) as url:
        opened = connect(url, page=2)
        yield opened
        opened.close()


def test_pages_are_read_to_the_end(client: NetboxClient) -> None:
    found = list_objects(client, Wanted("device"), 100)
    assert (found.count, len(found.records)) == (6, 6)
    few = list_objects(client, Wanted("device"), 3)
    assert (few.count, len(few.records)) == (6, 3)
    assert list_names(client, "site", 10) == ("AMS Office", "BER Warehouse")


def test_what_an_address_is(client: NetboxClient) -> None:
    found = identify(client, "10.2.3.4")
    assert found.owner is not None
    assert found.change is not None
    assert (found.owner.facts["name"], found.owner.facts["site"]) == ("ws-lena", "AMS Office")
    assert [p.facts["prefix"] for p in found.prefixes] == ["10.2.3.0/24", "10.2.0.0/16"]
    assert found.change.facts["by"] == "priya"
    facts = identity_evidence(found, "10.2.3.4")[0].facts
    assert {name: facts[name].value for name in ("device", "interface", "vlan", "tenant", "prefix")} == {
        "device": "ws-lena",
        "interface": "eno1",
        "vlan": "clients (30)",
        "tenant": "Office IT",
        "prefix": "10.2.3.0/24",
    }
    assert identity_evidence(found, "10.2.3.4")[0].url == f"{client.address}/ipam/ip-addresses/1/"


def test_address_without_a_record_lies_in_its_nearest_prefix(client: NetboxClient) -> None:
    found = identify(client, "10.2.3.200")
    assert not found.addresses
    first = identity_evidence(found, "10.2.3.200")[0]
    assert (first.facts["prefix"].value, first.facts["unassigned"].value) == ("10.2.3.0/24", "10.2.3.200")
    assert identity_evidence(identify(client, "172.16.0.1"), "172.16.0.1") == ()


@each_row(
    "wanted, names",
    [
        (Wanted("device", site="ams office"), {"ws-lena", "ws-marco", "build01", "dns01", "ams-sw-1"}),
        (Wanted("device", site="ber-warehouse"), {"ber-rtr-1"}),
        (Wanted("device", within="10.2.8.0/24"), {"build01", "dns01"}),
        (Wanted("device", name="WS-LENA"), {"ws-lena"}),
        (Wanted("device", name="ws-"), {"ws-lena", "ws-marco"}),
        (Wanted("prefix", site="AMS Office"), {"10.2.0.0/16", "10.2.3.0/24", "10.2.8.0/24"}),
        (Wanted("interface", mac="52:54:00:0A:08:35"), {"eth0"}),
        (Wanted("vlan", name="80"), {"servers"}),
        (Wanted("device", name="nothing"), set()),
    ],
)
def test_lists(client: NetboxClient, wanted: Wanted, names: set[str]) -> None:
    found = list_objects(client, wanted, 50)
    called = {"prefix": "prefix", "interface": "interface", "vlan": "vlan"}.get(wanted.kind, "name")
    assert {record.facts[called] for record in found.records} == names


def test_site_that_is_not_there_is_told_and_not_dropped_from_the_question(client: NetboxClient) -> None:
    assert list_objects(client, Wanted("device", site="Atlantis"), 5).unknown == "Atlantis"


def test_changes_of_a_span_and_of_a_device(client: NetboxClient) -> None:
    day = list_changed(client, NOW - timedelta(days=1), NOW, "", 0, 10)
    assert [r.facts["what"] for r in day.records] == ["ws-lena", "10.2.3.4/24"]
    assert list_changed(client, NOW - timedelta(days=9), NOW, "device", 6, 10).count == 1


def test_changes_of_a_netbox_before_4_1() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if "/core/" in request.url.path:
            return httpx.Response(404, json={"detail": "Not found."})
        return httpx.Response(200, json={"count": 0, "next": None, "previous": None, "results": []})

    old = NetboxClient(NetboxSection(url="http://netbox.test", token="t"), httpx.MockTransport(answer))
    assert old.list_changes({}, 5).count == 0
    assert old.changes == "extras/object-changes"


@pytest.mark.parametrize(("token", "works"), [("nbt_abc.def", True), ("0" * 40, False)])
def test_tokens_of_version_2_are_bearers(token: str, works: bool) -> None:
    with serve_netbox(token="nbt_abc.def") as url:
        client = connect(url, token)
        if works:
            assert client.version()
        else:
            with pytest.raises(ToolUnavailable, match="refuses the token"):
                client.version()
        client.close()


def test_slow_netbox_is_told_as_such() -> None:
    with serve_netbox(wait=lambda path: time.sleep(0.3)) as url:
        client = connect(url, timeout_ms=50)
        with pytest.raises(ToolUnavailable, match="did not answer within 50 ms"):
            identify(client, "10.2.3.4")
        client.close()


def test_what_is_slow_is_left_out_and_the_rest_is_told() -> None:
    over = Event()

    def wait(path: str) -> None:
        if "object-changes" in path:
            over.wait(60)

    with serve_netbox(now=NOW, wait=wait) as url:
        client = connect(url, timeout_ms=2_000)
        found = identify(client, "10.2.3.4")
        over.set()
        client.close()
    assert found.owner is not None
    assert found.change is None
    assert len(found.unavailable) == 2


@each_row(
    "answer",
    [
        httpx.Response(500, text="boom"),
        httpx.Response(200, text="<html>a proxy's page</html>"),
        httpx.Response(200, json=[1, 2]),
        httpx.Response(200, json={"results": "none"}),
        httpx.Response(302, headers={"location": "https://login.example"}),
    ],
)
def test_whatever_answers_in_its_place_is_one_sentence(answer: httpx.Response) -> None:
    client = NetboxClient(NetboxSection(url="http://netbox.test", token="t"), httpx.MockTransport(lambda _: answer))
    with pytest.raises(ToolUnavailable):
        list_objects(client, Wanted("device"), 5)


@given(
    st.sampled_from(sorted(KINDS)),
    st.recursive(
        st.none() | st.integers() | st.text(max_size=5),
        lambda inner: st.dictionaries(
            st.sampled_from(["id", "name", "display", "label", "site", "device_type"]), inner
        ),
    ),
)
def test_no_object_raises(kind: str, value: Any) -> None:
    raw = {name: value for places in KINDS[kind].facts.values() for name in (places[0].partition(".")[0],)}
    record_evidence(read_record(kind, raw, "http://netbox.test"))
