"""Addresses of pages in one spelling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.errors import ToolArgumentError
from workers.sources.web.address_rules import make_rules
from workers.sources.web.addresses import read_web_address


@each_row(
    "address, read",
    [
        ("https://docs.example.org/guide?q=1#part", "https://docs.example.org/guide?q=1"),
        (" HTTPS://Docs.Example.org:443 ", "https://docs.example.org"),
        ("http://docs.example.org.:8080/ä", "http://docs.example.org:8080/%C3%A4"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("http://[2606:2800:21F::1]/", "http://[2606:2800:21f::1]/"),
        ("http://93.184.215.14/", "http://93.184.215.14/"),
    ],
)
def test_one_spelling(address: str, read: str) -> None:
    assert str(read_web_address(address)) == read


@given(
    st.text(max_size=40) | st.text(max_size=20).map(lambda text: f"http://{text}/") | st.just("http://" + "a" * 3_000)
)
def test_anything_else_is_read_or_refused(address: str) -> None:
    try:
        url = read_web_address(address)
    except ToolArgumentError:
        return
    assert url.scheme in {"http", "https"}
    assert url.host
    assert not url.userinfo
    assert read_web_address(str(url)) == url


@each_row("hosts, networks", [(["http://x/"], []), ([""], []), (["a@b"], []), ([], ["10.0.0.0/99"]), ([], ["wiki"])])
def test_rules_that_cannot_be_read(hosts: list[str], networks: list[str]) -> None:
    with pytest.raises(ValueError, match=r"."):
        make_rules([80], hosts, networks)


def test_names_below_a_name() -> None:
    rules = make_rules([443], ["*.corp.example", "[::1]:8080"], [])
    assert not rules.refuse_address("wiki.corp.example", 443, "10.0.0.1")
    assert not rules.refuse_address("a.b.corp.example", 443, "10.0.0.1")
    assert rules.refuse_address("corp.example", 443, "10.0.0.1")
    assert rules.refuse_address("evilcorp.example", 443, "10.0.0.1")
    assert not rules.refuse_address("::1", 8080, "::1")
    assert rules.refuse_address("::1", 443, "::1")
    assert not rules.refuse_port("::1", 8080)
    assert rules.refuse_port("wiki.corp.example", 8080)
