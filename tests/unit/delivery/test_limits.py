"""Every limit of Slack's is held, with its place; and what slack_sdk would refuse is refused here too."""

from __future__ import annotations

from typing import Any

import pytest

from workers.delivery.limits import check_post, size, weigh
from workers.ports import Post

PLAIN = {"type": "plain_text", "text": "ok"}


def section(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


def rich(*elements: dict[str, Any]) -> dict[str, Any]:
    return {"type": "rich_text", "elements": list(elements)}


def leaf(text: str = "ok", **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": text, **more}


def part(*leaves: dict[str, Any], kind: str = "section") -> dict[str, Any]:
    return {"type": f"rich_text_{kind}", "elements": list(leaves)}


def button(**more: Any) -> dict[str, Any]:
    return {"type": "button", "action_id": "a", "text": PLAIN, **more}


def actions(*buttons: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "actions", "elements": list(buttons), **more}


GOOD = [
    section("x" * 3000),
    {"type": "header", "text": {"type": "plain_text", "text": "x" * 150}},
    {"type": "divider"},
    {"type": "image", "alt_text": "x" * 2000, "slack_file": {"id": "F1"}, "title": {"type": "plain_text", "text": "t"}},
    {"type": "context", "elements": [PLAIN] * 10},
    actions(*[button(action_id=f"a{i}") for i in range(25)], block_id="x" * 255),
    rich(part(leaf(style={"bold": True, "code": True}), {"type": "link", "url": "https://x.org/a", "text": "a"})),
    rich({"type": "rich_text_list", "style": "ordered", "offset": 4, "indent": 1, "elements": [part(leaf())]}),
    rich(part(leaf(), kind="quote"), part(leaf(), kind="preformatted"), part({"type": "user", "user_id": "U1"})),
    {"type": "markdown", "text": "x" * 12_000},
    {"type": "table", "rows": [[PLAIN] * 20] * 3},
]

BAD: list[tuple[str, dict[str, Any]]] = [
    ("blocks[0].text.text: 3001", section("x" * 3001)),
    ("blocks[0].text.text: missing or empty", section("")),
    ("blocks[0]: neither text nor fields", {"type": "section"}),
    ("blocks[0].fields: 11", {"type": "section", "fields": [PLAIN] * 11}),
    ("blocks[0].fields[0].text: 2001", {"type": "section", "fields": [{"type": "mrkdwn", "text": "x" * 2001}]}),
    ("blocks[0].text.text: 151", {"type": "header", "text": {"type": "plain_text", "text": "x" * 151}}),
    ("blocks[0].text: not plain_text", {"type": "header", "text": {"type": "mrkdwn", "text": "x"}}),
    ("blocks[0].alt_text: missing", {"type": "image", "slack_file": {"id": "F1"}}),
    ("blocks[0].alt_text: 2001", {"type": "image", "slack_file": {"id": "F1"}, "alt_text": "x" * 2001}),
    ("blocks[0].slack_file.id", {"type": "image", "slack_file": {"id": ""}, "alt_text": "x"}),
    ("blocks[0].image_url: no http", {"type": "image", "image_url": "file:///x", "alt_text": "x"}),
    ("blocks[0].elements: 11", {"type": "context", "elements": [PLAIN] * 11}),
    ("blocks[0].elements: empty", {"type": "context", "elements": []}),
    ("blocks[0].elements: 26", actions(*[button(action_id=f"a{i}") for i in range(26)])),
    ("action_id: 'a' stands 2 times", actions(button(), button())),
    ("blocks[0].block_id: 256", actions(button(), block_id="x" * 256)),
    ("blocks[0].elements[0].text.text: 76", actions(button(text={"type": "plain_text", "text": "x" * 76}))),
    ("blocks[0].elements[0].text.text: 76", actions(button(text={"type": "plain_text", "text": "😀" * 38}))),
    ("blocks[0].elements[0].value: 2001", actions(button(value="x" * 2001))),
    ("blocks[0].elements[0].value: missing", actions(button(value=""))),
    ("blocks[0].elements[0].style", actions(button(style="default"))),
    ("blocks[0].elements[0].type", actions({"type": "static_select"})),
    ("blocks: 12001 characters of markdown", {"type": "markdown", "text": "x" * 12_001}),
    ("blocks[0].rows[0]: 21", {"type": "table", "rows": [[PLAIN] * 21]}),
    ("blocks[0].type: 'video'", {"type": "video"}),
    ("blocks[0].elements: empty", rich()),
    ("blocks[0].elements[0].elements: empty", rich(part())),
    ("blocks[0].elements[0].elements[0].text: missing", rich(part(leaf("")))),
    ("blocks[0].elements[0].elements[0].style.size", rich(part(leaf(style={"size": True})))),
    ("blocks[0].elements[0].elements[0].url: no http", rich(part({"type": "link", "url": "javascript:alert(1)"}))),
    ("blocks[0].elements[0].elements[0].type", rich(part(part(leaf())))),
    (
        "blocks[0].elements[0].elements[0].type: 'user'",
        rich(part({"type": "user", "user_id": "U"}, kind="preformatted")),
    ),
    ("blocks[0].elements[0].style", rich({"type": "rich_text_list", "elements": [part(leaf())]})),
    ("a control character", rich(part(leaf("\x1b[2J")))),
    ("half a surrogate", rich(part(leaf("\ud800")))),
]


@pytest.mark.parametrize("block", GOOD, ids=lambda b: str(b["type"]))
def test_what_slack_takes_is_not_complained_about(block: dict[str, Any]) -> None:
    assert check_post(Post("text", (block,))) == []


@pytest.mark.parametrize(("problem", "block"), BAD)
def test_each_violation_is_named_with_its_place(problem: str, block: dict[str, Any]) -> None:
    found = check_post(Post("text", (block,)))
    assert any(problem in f for f in found), found


def test_a_message_as_a_whole() -> None:
    assert check_post(Post("")) == ["text: missing or empty"]
    assert check_post(Post("x" * 40_001)) == ["text: 40001 characters, at most 40000"]
    assert any("51, at most 50" in f for f in check_post(Post("x", ({"type": "divider"},) * 51)))
    assert any("in all" in f for f in check_post(Post("x", (section("x" * 2_900),) * 5)))
    twice = (actions(button(), block_id="b"), actions(button(action_id="c"), block_id="b"))
    assert check_post(Post("x", twice)) == ["block_id: 'b' stands 2 times"]


def test_sizes_are_slacks() -> None:
    assert size("a😀") == 3
    assert weigh({"a": "b"}) > len('{"a":"b"}')
