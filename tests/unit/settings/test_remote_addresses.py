"""Addresses: which may be named, and when two mean the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.settings.remote_addresses import (
    credential,
    key_of,
    offset_s,
    read_remote_address,
    read_site_address,
    variable,
)

SAME = [
    "https://code.example.org/acme/Shop.git",
    "https://code.example.org/acme/shop",
    "https://code.example.org:443/acme/shop/",
    "https://someone@code.example.org/acme/shop.git",
    "http://code.example.org/acme/shop.git",
    "ssh://git@code.example.org/acme/shop.git",
    "ssh://git@code.example.org:2222/acme/shop.git",
    "git@code.example.org:acme/shop.git",
    "CODE.example.org:acme/shop",
]


def test_all_addresses_of_a_repository_are_the_same() -> None:
    assert {read_remote_address(address).same for address in SAME} == {"code.example.org/acme/shop"}
    assert read_remote_address("https://code.example.org/acme/shops").same != "code.example.org/acme/shop"
    assert read_remote_address("file:///srv/Shop.git").same != read_remote_address("file:///srv/shop.git").same


def test_an_address_is_shown_without_its_user() -> None:
    remote = read_remote_address("https://someone@code.example.org:8443/acme/shop.git")
    assert remote.shown == "https://code.example.org:8443/acme/shop.git"
    assert remote.asked == "https://someone@code.example.org:8443/acme/shop.git"
    assert (remote.name, remote.server) == ("shop", "code.example.org:8443")
    assert read_remote_address("git@h:a/b.git").shown == "ssh://h/a/b.git"


@pytest.mark.parametrize(
    "address",
    [
        "",
        "shop",
        "/srv/shop",
        "-uhost:path",
        "ssh://-oProxyCommand=id/x",
        "--upload-pack=id",
        "ext::sh -c id",
        "ext::sh",
        "git://h/a",
        "ftp://h/a",
        "https://h",
        "https://h/",
        "https:///a",
        "https://h:port/a",
        "https://[h/a",
        "https://u:p@h/a",
        "file://h/a",
        "file://a",
        "https://h/a\nb",
        "https://h/a b",
    ],
)
def test_what_is_no_address_of_a_repository(address: str) -> None:
    with pytest.raises(ValueError, match=r"it |its |not used|file:") as caught:
        read_remote_address(address)
    assert "u:p" not in str(caught.value)


@given(st.text(max_size=60))
def test_any_text_is_an_address_or_a_plain_mistake(text: str) -> None:
    for read in (read_remote_address, read_site_address):
        try:
            remote = read(text)
        except ValueError:
            continue
        assert remote.path.startswith("/")
        assert not remote.host.startswith("-")


def test_a_site_is_a_page_that_anyone_may_read() -> None:
    assert read_site_address("https://docs.example.org/guide/").path == "/guide/"
    assert read_site_address("https://docs.example.org").path == "/"
    for wrong in ("https://u@h/", "https://h/?q=1", "https://h/#a", "file:///a", "git@h:a"):
        with pytest.raises(ValueError, match="it "):
            read_site_address(wrong)


def test_credentials_are_found_by_name_then_by_host() -> None:
    remote = read_remote_address("https://github.com/acme/shop.git")
    assert credential(remote, "my-shop", {}) == ("", "")
    assert credential(remote, "my-shop", {"GIT_TOKEN_GITHUB_COM": "h"}) == ("x-access-token", "h")
    assert credential(remote, "my-shop", {"GIT_TOKEN_GITHUB_COM": "h", "GIT_TOKEN_MY_SHOP": "n"})[1] == "n"
    named = {"GIT_TOKEN_MY_SHOP": "n", "GIT_USER_MY_SHOP": "bot"}
    assert credential(remote, "my-shop", named) == ("bot", "n")
    own = read_remote_address("https://ada@git.example.org/shop.git")
    assert credential(own, "my-shop", named) == ("ada", "n")
    assert credential(read_remote_address("git@github.com:acme/shop.git"), "my-shop", named) == ("", "")
    assert variable("GIT_TOKEN_", "docs.example-site.org:8443") == "GIT_TOKEN_DOCS_EXAMPLE_SITE_ORG_8443"


@given(st.lists(st.text(min_size=1, max_size=12), min_size=40, max_size=40, unique=True))
def test_names_have_moments_of_their_own(names: list[str]) -> None:
    moments = [offset_s(name, 300) for name in names]
    assert moments == [offset_s(name, 300) for name in names]
    assert all(0 <= m < 300 for m in moments)
    assert len(set(moments)) == len({key_of(n) for n in names})
