"""What code hosts send after a push."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.parse.hooks import Unreadable
from bot.parse.pushes import Push, read_push

GITHUB = {
    "ref": "refs/heads/main",
    "repository": {
        "name": "shop",
        "full_name": "acme/shop",
        "url": "https://github.com/acme/shop",
        "html_url": "https://github.com/acme/shop",
        "clone_url": "https://github.com/acme/shop.git",
        "ssh_url": "git@github.com:acme/shop.git",
    },
}
GITLAB = {
    "object_kind": "push",
    "ref": "refs/heads/main",
    "project": {
        "name": "Shop",
        "path_with_namespace": "acme/shop",
        "web_url": "https://gitlab.example.org/acme/shop",
        "git_http_url": "https://gitlab.example.org/acme/shop.git",
        "git_ssh_url": "git@gitlab.example.org:acme/shop.git",
    },
    "repository": {"name": "Shop", "url": "git@gitlab.example.org:acme/shop.git"},
}
BITBUCKET = {
    "push": {"changes": [{"new": {"type": "branch", "name": "main"}, "old": None}]},
    "repository": {
        "name": "shop",
        "full_name": "acme/shop",
        "links": {
            "self": {"href": "https://api.bitbucket.org/2.0/repositories/acme/shop"},
            "html": {"href": "https://bitbucket.org/acme/shop"},
        },
    },
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["repository", "project", "url", "clone_url", "links", "html", "href", "name", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


def test_the_addresses_of_a_repository_are_found() -> None:
    push = read_push(GITHUB, "push")
    assert push.shown == "acme/shop"
    assert set(push.addresses) == {
        "https://github.com/acme/shop",
        "https://github.com/acme/shop.git",
        "git@github.com:acme/shop.git",
    }
    assert "https://gitlab.example.org/acme/shop.git" in read_push(GITLAB, "Push Hook").addresses
    assert read_push(GITLAB, "Tag Push Hook").shown == "acme/shop"
    assert read_push(BITBUCKET, "repo:push") == Push(addresses=("https://bitbucket.org/acme/shop",), shown="acme/shop")
    assert read_push(GITHUB, "delete").addresses == push.addresses


def test_the_plain_form_names_one_repository() -> None:
    assert read_push({"repository": " shop "}) == Push(name="shop", shown="shop")
    assert read_push({"url": "git@h:a"}).addresses == ("git@h:a",)


def test_other_events_are_ignored() -> None:
    assert read_push({"zen": "…"}, "ping").ignored == "events of the kind 'ping' tell of no push"
    assert read_push(GITLAB, "Job Hook").ignored
    assert read_push(BITBUCKET, "repo:fork").ignored


@pytest.mark.parametrize(
    ("payload", "event", "wrong"),
    [
        ([], "", "the body is an object with repository or url"),
        ({}, "", "give either repository, its name in oracle.yaml, or url, its address"),
        ({"repository": "a", "url": "b"}, "", "give either repository"),
        ({"repo": "a"}, "", "'repo': no such key; known are repository, url"),
        ({"repository": 1}, "", "repository: a text of 1 to 200 printable characters is needed"),
        ({"url": "a\nb"}, "", "url: a text of 1 to 2000 printable characters is needed"),
        ({"repository": {"name": "x"}}, "push", "repository: it has no address"),
    ],
)
def test_what_cannot_be_read_is_said(payload: Any, event: str, wrong: str) -> None:
    with pytest.raises(Unreadable) as caught:
        read_push(payload, event)
    assert str(caught.value).startswith(wrong)


@given(JSON, st.sampled_from(["", "push", "Push Hook", "repo:push", "ping"]))
def test_any_json_is_a_push_or_a_plain_mistake(payload: Any, event: str) -> None:
    try:
        push = read_push(payload, event)
    except Unreadable:
        return
    assert push.ignored or push.name or push.addresses
