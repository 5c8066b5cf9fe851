"""Slack's limits on blocks and views: what is at the limit passes, what is over it is named with its place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from slack_sdk.models import blocks as models

from slack_sandbox.block_validation import check_blocks, check_metadata, check_view
from slack_sandbox.config import SandboxConfig
from slack_sandbox.errors import InvalidBlocks, Refused
from slack_sandbox.seed import seed_team
from slack_sandbox.state import File
from tests.support.each_row import each_row


@pytest.fixture
def state():
    return seed_team(SandboxConfig())


def plain(text):
    return {"type": "plain_text", "text": text}


def mrkdwn(text):
    return {"type": "mrkdwn", "text": text}


def section(text="x", **others):
    return {"type": "section", "text": mrkdwn(text), **others}


def button(**others):
    return {"type": "button", "text": plain("Go"), **others}


def actions(*elements):
    return {"type": "actions", "elements": list(elements)}


def rich(*leaves):
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": list(leaves)}]}


def cell(text="x"):
    return {"type": "raw_text", "text": text}


LIMITS = [
    (lambda n: [section()] * n, 50, "no more than 50 items allowed [json-pointer:/blocks]"),
    (lambda n: [section("a" * n)], 3000, "must be less than 3001 characters [json-pointer:/blocks/0/text/text]"),
    (lambda n: [{"type": "header", "text": plain("a" * n)}], 150, "must be less than 151 characters"),
    (lambda n: [{"type": "section", "fields": [plain("f")] * n}], 10, "no more than 10 items allowed"),
    (lambda n: [{"type": "section", "fields": [plain("f" * n)]}], 2000, "[json-pointer:/blocks/0/fields/0/text]"),
    (lambda n: [{"type": "context", "elements": [mrkdwn("c")] * n}], 10, "[json-pointer:/blocks/0/elements]"),
    (lambda n: [actions(*[button(action_id=f"a{i}") for i in range(n)])], 25, "no more than 25 items allowed"),
    (
        lambda n: [actions(button(), button(text=plain("t" * n), action_id="b"))],
        75,
        "must be less than 76 characters [json-pointer:/blocks/0/elements/1/text/text]",
    ),
    (lambda n: [actions(button(value="v" * n))], 2000, "[json-pointer:/blocks/0/elements/0/value]"),
    (lambda n: [actions(button(url="u" * n))], 3000, "[json-pointer:/blocks/0/elements/0/url]"),
    (lambda n: [actions(button(action_id="i" * n))], 255, "[json-pointer:/blocks/0/elements/0/action_id]"),
    (lambda n: [section(block_id="i" * n)], 255, "[json-pointer:/blocks/0/block_id]"),
    (lambda n: [{"type": "image", "image_url": "http://x", "alt_text": "a" * n}], 2000, "/blocks/0/alt_text"),
    (
        lambda n: [{"type": "markdown", "text": "m" * (n - 6000)}, {"type": "markdown", "text": "m" * 6000}],
        12000,
        "in all",
    ),
    (lambda n: [{"type": "table", "rows": [[cell()]] * n}], 100, "[json-pointer:/blocks/0/rows]"),
    (lambda n: [{"type": "table", "rows": [[cell()] * n]}], 20, "[json-pointer:/blocks/0/rows/0]"),
    (
        lambda n: [actions({"type": "static_select", "options": [{"text": plain("o" * n), "value": "v"}]})],
        75,
        "/blocks/0/elements/0/options/0/text/text",
    ),
    (
        lambda n: [actions({"type": "overflow", "options": [{"text": plain("o"), "value": "v" * n}]})],
        150,
        "/blocks/0/elements/0/options/0/value",
    ),
]


@each_row("make, most, problem", LIMITS)
def test_what_is_at_a_limit_passes_and_what_is_over_it_is_named(state, make, most, problem):
    assert check_blocks(state, make(most)) == make(most)
    with pytest.raises(InvalidBlocks) as caught:
        check_blocks(state, make(most + 1))
    assert any(problem in found for found in caught.value.problems)
    assert caught.value.code == "invalid_blocks"
    assert caught.value.extra["response_metadata"]["messages"][0].startswith("[ERROR] ")


WRONG = [
    ([{"type": "section"}], "must define at least one of: text, fields"),
    ([{"type": "nonsense"}], "unsupported type: nonsense [json-pointer:/blocks/0]"),
    ([{}], "missing required field: type [json-pointer:/blocks/0]"),
    ([section(colour="red")], "invalid additional property: colour [json-pointer:/blocks/0]"),
    ([section("")], "must be more than 0 characters [json-pointer:/blocks/0/text/text]"),
    ([{"type": "section", "text": "bare"}], "must be an object [json-pointer:/blocks/0/text]"),
    ([{"type": "header", "text": mrkdwn("h")}], "unsupported type: mrkdwn [json-pointer:/blocks/0/text]"),
    ([{"type": "image", "image_url": "http://x"}], "missing required field: alt_text [json-pointer:/blocks/0]"),
    ([{"type": "image", "alt_text": "x"}], "must define exactly one of: image_url, slack_file"),
    ([section(block_id="a"), section(block_id="a")], "is already in use [json-pointer:/blocks/1/block_id]"),
    ([actions(button(action_id="a"), button(action_id="a"))], "`action_id` must be unique within a block"),
    ([actions(button(style="loud"))], "must be one of: primary, danger"),
    ([actions({"type": "image", "image_url": "u", "alt_text": "a"})], "unsupported type: image"),
    ([rich({"type": "text", "text": ""})], "must be more than 0 characters"),
    ([rich({"type": "link", "text": "no url"})], "missing required field: url"),
    ([rich({"type": "shout"})], "unsupported type: shout"),
    ([{"type": "table", "rows": [[cell()]]}] * 2, "only one table allowed"),
    ([{"type": "table", "rows": [[cell()], [cell(), cell()]]}], "all rows must have the same number of cells"),
    ([{"type": "table", "rows": [[cell("x" * 10_001)]]}], "tables must be less than 10001 characters"),
    (
        [{"type": "image", "slack_file": {"id": "F0"}, "alt_text": "x"}],
        "invalid slack file [json-pointer:/blocks/0/slack_file]",
    ),
    ([{"type": "task_card", "task_id": "1", "title": "t", "status": "lost"}], "must be one of: pending"),
    ([{"type": "input", "label": plain("l"), "element": button()}], "unsupported type: button"),
]


@each_row("blocks, problem", WRONG)
def test_what_slack_would_refuse_is_refused_with_its_place(state, blocks, problem):
    with pytest.raises(InvalidBlocks) as caught:
        check_blocks(state, blocks)
    assert any(problem in found for found in caught.value.problems), caught.value.problems


FINE = [
    models.SectionBlock(text="x", accessory=models.ButtonElement(text="b", action_id="a")),
    models.ContextBlock(
        elements=[models.ImageElement(image_url="http://x/y.png", alt_text="y"), models.PlainTextObject(text="c")]
    ),
    models.ActionsBlock(
        elements=[
            models.StaticSelectElement(placeholder="p", options=[models.Option(value="v", text="t")]),
            models.OverflowMenuElement(options=[models.Option(value="v", text="t")]),
            models.DatePickerElement(initial_date="2026-01-02"),
        ]
    ),
    models.ContextActionsBlock(
        elements=[
            models.FeedbackButtonsElement(
                positive_button=models.FeedbackButtonObject(text="+", value="1"),
                negative_button=models.FeedbackButtonObject(text="-", value="0"),
            )
        ]
    ),
    models.TaskCardBlock(task_id="1", title="t", status="complete"),
    models.PlanBlock(title="p", tasks=[models.TaskCardBlock(task_id="1", title="t", status="pending")]),
    models.AlertBlock(text=models.MarkdownTextObject(text="careful"), level="warning"),
    models.CardBlock(title="c"),
    models.CarouselBlock(elements=[models.CardBlock(title="c")]),
    models.ContainerBlock(title="t", child_blocks=[models.DividerBlock()], is_collapsible=True),
    models.VideoBlock(alt_text="a", video_url="http://v", thumbnail_url="http://t", title="t"),
    models.InputBlock(label="l", element=models.PlainTextInputElement(action_id="a")),
]


@each_row("block", FINE)
def test_blocks_made_with_the_sdk_pass(state, block):
    assert check_blocks(state, [block.to_dict()])


def test_a_picture_must_be_a_completed_upload(state):
    block = {"type": "image", "slack_file": {"id": "F1"}, "alt_text": "x"}
    file = File("F1", "chart.png", "chart", 1, "U1", 0, "ticket", data=b"x")
    state.files["F1"] = file
    with pytest.raises(InvalidBlocks):
        check_blocks(state, [block])
    file.completed = True
    assert check_blocks(state, [block]) == [block]
    file.name = "notes.txt"
    with pytest.raises(InvalidBlocks):
        check_blocks(state, [block])


def test_all_blocks_together_have_a_limit(state):
    assert check_blocks(state, [section("a" * 3000)] * 4 + [section("a" * 1200)])
    with pytest.raises(Refused) as caught:
        check_blocks(state, [section("a" * 3000)] * 4 + [section("a" * 1201)])
    assert caught.value.code == "msg_blocks_too_long"


@each_row("blocks", ["x", {"type": "divider"}, [1], [[]]])
def test_what_is_no_list_of_objects_has_another_error(state, blocks):
    with pytest.raises(Refused) as caught:
        check_blocks(state, blocks)
    assert caught.value.code == "invalid_blocks_format"


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "text",
                    "elements",
                    "fields",
                    "title",
                    "block_id",
                    "action_id",
                    "rows",
                    "slack_file",
                    "options",
                ]
            )
            | st.text(max_size=3),
            inner | st.sampled_from(["section", "plain_text", "button", "actions", "rich_text", "table", "card"]),
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(_json)
def test_any_json_is_accepted_or_refused_but_never_breaks_the_check(blocks):
    state = seed_team(SandboxConfig())
    assert refusal_of(lambda: check_blocks(state, blocks)) in {
        "",
        "invalid_blocks",
        "invalid_blocks_format",
        "msg_blocks_too_long",
    }
    assert refusal_of(lambda: check_view(state, blocks, kind="modal")) in {"", "invalid_arguments"}


def refusal_of(check):
    try:
        check()
    except Refused as refusal:
        return refusal.code
    return ""


def modal(**others):
    return {"type": "modal", "title": plain("T"), "blocks": [section()], **others}


def test_views_have_limits_of_their_own(state):
    assert check_view(state, modal(blocks=[section()] * 100), kind="modal")
    field = {"type": "input", "label": plain("l"), "element": {"type": "plain_text_input"}}
    assert check_view(state, modal(blocks=[field], submit=plain("OK")), kind="modal")
    wrong = {
        "no more than 100 items allowed [json-pointer:/view/blocks]": modal(blocks=[section()] * 101),
        "must be less than 25 characters [json-pointer:/view/title/text]": modal(title=plain("t" * 25)),
        "must be less than 3001 characters [json-pointer:/view/private_metadata]": modal(private_metadata="p" * 3001),
        "missing required field: title [json-pointer:/view]": {"type": "modal", "blocks": [section()]},
        "missing required field: submit": modal(blocks=[field]),
        "unsupported type: markdown [json-pointer:/view/blocks/0]": modal(blocks=[{"type": "markdown", "text": "m"}]),
        "must be one of: modal [json-pointer:/view/type]": {"type": "home", "blocks": [section()]},
    }
    for problem, view in wrong.items():
        with pytest.raises(InvalidBlocks) as caught:
            check_view(state, view, kind="modal")
        assert caught.value.code == "invalid_arguments"
        assert any(problem in found for found in caught.value.problems), (problem, caught.value.problems)


def test_metadata_has_a_type_and_an_object():
    fine = {"event_type": "asked", "event_payload": {"id": "1"}}
    assert check_metadata(fine) == fine
    assert check_metadata(None) is None
    for wrong in ("x", {}, {"event_type": "a"}, {"event_type": "", "event_payload": {}}, fine | {"more": 1}):
        with pytest.raises(Refused) as caught:
            check_metadata(wrong)
        assert caught.value.code == "invalid_metadata_format"
