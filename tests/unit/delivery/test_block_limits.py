"""Every limit of Slack's is held, with its place; and what slack_sdk would refuse is refused here too."""

from __future__ import annotations

from typing import Any

import pytest

from workers.delivery.block_limits import check_post, check_view, size, weigh
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


def select(count: int = 1, **option: Any) -> dict[str, Any]:
    some = [{"text": PLAIN, "value": f"{i}", **option} for i in range(count)]
    return {"type": "static_select", "action_id": "s", "options": some}


def thumbs(**more: Any) -> dict[str, Any]:
    one = {"text": PLAIN, "value": "x", **more}
    pressed = {"type": "feedback_buttons", "action_id": "f", "positive_button": one, "negative_button": one}
    return {"type": "context_actions", "elements": [pressed]}


def entered(element: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "input", "label": PLAIN, "element": {"action_id": "e", **element}, **more}


GOOD = [
    section("x" * 3000),
    {**section("x"), "accessory": button(url="https://x.org/a", style="danger")},
    {"type": "header", "text": {"type": "plain_text", "text": "x" * 150}},
    {"type": "divider"},
    {"type": "image", "alt_text": "x" * 2000, "slack_file": {"id": "F1"}, "title": {"type": "plain_text", "text": "t"}},
    {"type": "context", "elements": [PLAIN] * 10},
    actions(*[button(action_id=f"a{i}") for i in range(25)], block_id="x" * 255),
    actions(select(100)),
    actions(select(description={"type": "plain_text", "text": "x" * 75}, value="x" * 150)),
    thumbs(accessibility_label="x" * 75),
    rich(part(leaf(style={"bold": True, "code": True}), {"type": "link", "url": "https://x.org/a", "text": "a"})),
    rich({"type": "rich_text_list", "style": "ordered", "offset": 4, "indent": 1, "elements": [part(leaf())]}),
    rich(part(leaf(), kind="quote"), part(leaf(), kind="preformatted"), part({"type": "user", "user_id": "U1"})),
]

BAD: list[tuple[str, dict[str, Any]]] = [
    ("blocks[0].text.text: 3001", section("x" * 3001)),
    ("blocks[0].text.text: missing or empty", section("")),
    ("blocks[0].text: not plain_text or mrkdwn", {"type": "section"}),
    ("blocks[0].accessory.type", {**section("x"), "accessory": {"type": "image"}}),
    ("blocks[0].accessory.url: no http", {**section("x"), "accessory": button(url="slack://x")}),
    ("blocks[0].text.text: 151", {"type": "header", "text": {"type": "plain_text", "text": "x" * 151}}),
    ("blocks[0].text: not plain_text", {"type": "header", "text": {"type": "mrkdwn", "text": "x"}}),
    ("blocks[0].alt_text: missing", {"type": "image", "slack_file": {"id": "F1"}}),
    ("blocks[0].alt_text: 2001", {"type": "image", "slack_file": {"id": "F1"}, "alt_text": "x" * 2001}),
    ("blocks[0].slack_file.id", {"type": "image", "slack_file": {"id": ""}, "alt_text": "x"}),
    ("blocks[0].elements: 11", {"type": "context", "elements": [PLAIN] * 11}),
    ("blocks[0].elements: empty", {"type": "context", "elements": []}),
    ("blocks[0].elements: 26", actions(*[button(action_id=f"a{i}") for i in range(26)])),
    ("blocks[0].action_id: 'a' stands 2 times", actions(button(), button())),
    ("blocks[0].block_id: 256", actions(button(), block_id="x" * 256)),
    ("blocks[0].elements[0].text.text: 76", actions(button(text={"type": "plain_text", "text": "x" * 76}))),
    ("blocks[0].elements[0].text.text: 76", actions(button(text={"type": "plain_text", "text": "😀" * 38}))),
    ("blocks[0].elements[0].value: 2001", actions(button(value="x" * 2001))),
    ("blocks[0].elements[0].value: missing", actions(button(value=""))),
    ("blocks[0].elements[0].style", actions(button(style="default"))),
    ("blocks[0].elements[0].type", actions({"type": "plain_text_input", "action_id": "a"})),
    ("blocks[0].elements[0].options: 101", actions(select(101))),
    ("blocks[0].elements[0].options: empty", actions(select(0))),
    ("blocks[0].elements[0].options[0].value: 151", actions(select(value="x" * 151))),
    ("options[0].text.text: 76", actions(select(text={"type": "plain_text", "text": "x" * 76}))),
    ("options[0].description.text: 76", actions(select(description={"type": "plain_text", "text": "x" * 76}))),
    ("elements[0].action_id: missing", actions({**select(), "action_id": ""})),
    ("elements[0].options: 11", actions({**select(11), "type": "checkboxes"})),
    ("positive_button.value: 2001", thumbs(value="x" * 2001)),
    ("negative_button.text.text: 76", thumbs(text={"type": "plain_text", "text": "x" * 76})),
    ("positive_button.accessibility_label: 76", thumbs(accessibility_label="x" * 76)),
    ("blocks[0].elements[0].type: 'button'", {"type": "context_actions", "elements": [button()]}),
    ("blocks[0].elements: 6", {"type": "context_actions", "elements": thumbs()["elements"] * 6}),
    ("blocks[0].type: 'input'", entered({"type": "plain_text_input"})),
    ("blocks[0].type: 'markdown'", {"type": "markdown", "text": "x"}),
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
    twice = (actions(button(), block_id="b"), actions(button(), block_id="b"))
    assert check_post(Post("x", twice)) == ["block_id: 'b' stands 2 times"]


def modal(*blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "modal", "title": PLAIN, "blocks": list(blocks) or [section("x")], **more}


def text(size: int) -> dict[str, str]:
    return {"type": "plain_text", "text": "x" * size}


GOOD_VIEWS = [
    modal(private_metadata="x" * 3_000, callback_id="x" * 255, title=text(24), close=text(24)),
    modal(entered({"type": "plain_text_input", "multiline": True}, hint=PLAIN), submit=PLAIN),
    modal(entered({"type": "conversations_select", "placeholder": PLAIN}), submit=PLAIN, private_metadata=" "),
    modal(entered({**select(10), "type": "radio_buttons"}), submit=PLAIN),
    {"type": "home", "blocks": [section("x")] * 100},
]
BAD_VIEWS = [
    ("type: 'message'", {"type": "message", "blocks": [section("x")]}),
    ("title: not plain_text", {"type": "modal", "blocks": [section("x")]}),
    ("title.text: 25", modal(title=text(25))),
    ("submit.text: 25", modal(submit=text(25))),
    ("private_metadata: 3001", modal(private_metadata="x" * 3_001)),
    ("private_metadata: a control", modal(private_metadata="\x00")),
    ("callback_id: 256", modal(callback_id="x" * 256)),
    ("submit: missing", modal(entered({"type": "plain_text_input"}))),
    ("blocks: empty", {"type": "home", "blocks": []}),
    ("blocks: 101, at most 100", {"type": "home", "blocks": [section("x")] * 101}),
    ("characters in all, at most 250000", {"type": "home", "blocks": [section("x" * 3_000)] * 90}),
    ("blocks[0].type: 'context_actions'", modal(thumbs())),
    ("blocks[0].element.type: 'button'", modal(entered({"type": "button"}), submit=PLAIN)),
    ("element.initial_value: 3001", modal(entered({"type": "plain_text_input", "initial_value": "x" * 3_001}))),
    ("element.placeholder.text: 151", modal(entered({"type": "users_select", "placeholder": text(151)}))),
    ("blocks[0].hint.text: 2001", modal(entered({"type": "plain_text_input"}, hint=text(2_001)))),
]


@pytest.mark.parametrize("view", GOOD_VIEWS)
def test_windows_that_slack_takes(view: dict[str, Any]) -> None:
    assert check_view(view) == []


@pytest.mark.parametrize(("problem", "view"), BAD_VIEWS)
def test_what_a_window_may_not_hold_is_named_with_its_place(problem: str, view: dict[str, Any]) -> None:
    found = check_view(view)
    assert any(problem in f for f in found), found


def test_sizes_are_slacks() -> None:
    assert size("a😀") == 3
    assert weigh({"a": "b"}) > len('{"a":"b"}')
