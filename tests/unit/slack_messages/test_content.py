"""A message of Slack is read whole: its author's words, what it quotes, and what could not be read."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.slack_messages.content import MessageContent, Quote, read_content
from workers.slack_messages.fields import Fields

APP = {"bot_id": "B1", "username": "Monitor"}


def read(message: Any) -> MessageContent:
    return read_content(Fields(message))


def text(said: str) -> dict[str, Any]:
    return {"type": "mrkdwn", "text": said}


def section(*leaves: dict[str, Any], kind: str = "rich_text_section", **more: Any) -> dict[str, Any]:
    return {"type": kind, "elements": list(leaves), **more}


def rich(*parts: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"type": "rich_text", "elements": list(parts)}]


def leaf(said: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": said, **more}


# --- words ------------------------------------------------------------------------------------------------------


def test_rich_text_reads_as_it_is_shown() -> None:
    line = section(
        leaf("ask "),
        {"type": "user", "user_id": "U7"},
        leaf(" in "),
        {"type": "channel", "channel_id": "C1"},
        leaf(" & see "),
        {"type": "link", "url": "https://g.io/d?a=1&b=2", "text": "the board"},
        leaf(" or "),
        {"type": "link", "url": "https://x.io"},
        leaf(" "),
        {"type": "emoji", "name": "+1", "skin_tone": 2},
        {"type": "broadcast", "range": "here"},
        {"type": "usergroup", "usergroup_id": "S1"},
        {"type": "date", "timestamp": 1763733600, "format": "{date}"},
        {"type": "color", "value": "#ff0000"},
        {"type": "new", "text": " p95 < 2 s"},
    )
    bullets = section(section(leaf("one")), section(leaf("two", style={"code": True})), kind="rich_text_list", indent=1)
    numbers = section(section(leaf("go")), kind="rich_text_list", style="ordered", offset=2)
    quoted = section(leaf("all\nis well"), kind="rich_text_quote")
    code = section(leaf("if a < b:"), kind="rich_text_preformatted")
    assert read({"blocks": rich(line, bullets, numbers, quoted, code)}).text == (
        "ask @U7 in #C1 & see the board (https://g.io/d?a=1&b=2) or https://x.io "
        ":+1::skin-tone-2:@here@subteam2025-11-21 14:00 UTC#ff0000 p95 < 2 s\n"
        "    • one\n    • `two`\n3. go\n> all\n> is well\n```\nif a < b:\n```"
    )


def test_every_kind_of_block_is_read_and_what_is_pressed_is_not() -> None:
    button = {"type": "button", "text": text("Acknowledge"), "value": "ack"}
    menu = {"type": "overflow", "options": [{"text": text("Silence"), "value": "s"}]}
    blocks = [
        {"type": "header", "text": {"type": "plain_text", "text": "Alert"}},
        {
            "type": "section",
            "text": text("p95 &gt; 2 s"),
            "fields": [text("*Owner*"), text("search")],
            "accessory": menu,
        },
        {"type": "context", "elements": [{"type": "image", "alt_text": "pager"}, text("by Ann")]},
        {"type": "markdown", "text": "## a < b"},
        {"type": "table", "rows": [[{"type": "raw_text", "text": "route"}, {"type": "raw_text", "text": "p95"}]]},
        {"type": "image", "title": {"type": "plain_text", "text": "p95 of search"}, "alt_text": "a line"},
        {"type": "video", "title": {"type": "plain_text", "text": "Replay"}, "alt_text": "Replay"},
        {"type": "divider"},
        {"type": "card", "title": text("A card"), "body": text("of a kind to come")},
        {"type": "actions", "elements": [button]},
    ]
    content = read({**APP, "text": "", "blocks": blocks})
    assert content.text.split("\n") == [
        "Alert",
        "p95 > 2 s",
        "*Owner*",
        "search",
        "pager by Ann",
        "## a < b",
        "route | p95",
        "p95 of search",
        "a line",
        "Replay",
        "A card",
        "of a kind to come",
    ]
    assert content.unread == ("the picture “p95 of search”", "the video “Replay”")


def test_what_text_and_blocks_both_say_is_said_once() -> None:
    typed = rich(
        section({"type": "user", "user_id": "U0"}, leaf(" why is "), leaf("it", style={"bold": True}), leaf(" up?"))
    )
    assert read({"text": "<@U0|oracle> why is *it* up?", "blocks": typed}).raw == "<@U0|oracle> why is *it* up?"
    assert read({"text": "<@U0>", "blocks": typed}).raw == "<@U0> why is it up?"
    assert read({"text": "why is it", "blocks": typed}).raw == "<@U0> why is it up?"
    assert read({"text": "look", "blocks": rich(section(leaf("outlook bad")))}).raw == "look\noutlook bad"
    assert (
        read({"text": "p95 > 2 s", "blocks": [{"type": "section", "text": text("`p95` &gt; 2 s")}]}).text == "p95 > 2 s"
    )
    assert read({"text": "on it", "blocks": rich(section(leaf("🚀")))}).text == "on it"
    assert read({"text": "", "blocks": rich(section(leaf("🚀")))}).text == "🚀"


# --- attachments ------------------------------------------------------------------------------------------------


def test_an_apps_attachments_are_its_own_words() -> None:
    fields = [{"title": "severity", "value": "page"}, {"value": "a\nb", "title": "log"}, {"title": "on-call"}]
    shown = {"pretext": "Heads up", "author_name": "Prometheus", "title": "SearchLatencyHigh", "text": "since 14:06"}
    silence = {"type": "button", "text": "Silence"}
    whole = {**shown, "fields": fields, "footer": "cluster a", "fallback": "not shown", "actions": [silence]}
    framed = {
        "color": "#f00",
        "blocks": [{"type": "section", "text": text("runbook: search.md")}],
        "fallback": "[no preview]",
    }
    pictured = {"fallback": "p95 over a day", "image_url": "https://g.io/p.png"}
    content = read({**APP, "text": "firing", "attachments": [whole, framed, pictured]})
    assert content.text.split("\n") == [
        "firing",
        "Heads up",
        "Prometheus",
        "SearchLatencyHigh",
        "since 14:06",
        "severity: page",
        "log",
        "a",
        "b",
        "on-call",
        "cluster a",
        "runbook: search.md",
        "p95 over a day",
    ]
    assert (content.author, content.quotes, content.unread) == ("Monitor", (), ("a picture",))


def test_what_a_person_passes_on_is_quoted_with_who_said_it() -> None:
    said = {"is_share": True, "is_msg_unfurl": True, "author_name": "Tomas", "footer": "Posted in #ops"}
    message = {"message": {"blocks": rich(section(leaf("p95 went up after 13:00")))}}
    linked = {
        **said,
        "fallback": "[1:00 PM] tomas: p95",
        "text": "p95 went up after 13:00",
        "message_blocks": [message],
    }
    alert = {
        **said,
        "author_name": "",
        "author_subname": "Monitor",
        "attachments": [{"title": "DiskFull", "text": "db-1"}],
    }
    files = {**said, "text": "see", "files": [{"title": "heap.bin"}]}
    content = read({"user": "U1", "text": "could it be this?", "attachments": [linked, alert, files]})
    assert content.text == "could it be this?"
    assert content.quotes == (
        Quote("Tomas wrote", "p95 went up after 13:00", passed_on=True),
        Quote("Monitor wrote", "DiskFull\ndb-1", passed_on=True),
        Quote("Tomas wrote", "see", passed_on=True),
    )
    assert content.unread == ("heap.bin",)
    assert content.passed_on == "could it be this?\np95 went up after 13:00\nDiskFull\ndb-1\nsee"


def test_the_preview_of_a_link_is_quoted_as_such_and_its_picture_is_not_missed() -> None:
    preview = {
        "from_url": "https://status.io",
        "title": "Status",
        "text": "All well",
        "image_url": "https://status.io/x.png",
    }
    content = read({"user": "U1", "text": "<https://status.io>", "attachments": [preview]})
    assert content.whole == "https://status.io\nThe preview of https://status.io says: “Status\nAll well”"
    assert (content.passed_on, content.unread) == ("https://status.io", ())


# --- files ------------------------------------------------------------------------------------------------------


@each_row(
    "file, says, unread",
    [
        (
            {"title": "error.log", "mode": "snippet", "preview": 'File "a<b>.py"'},
            'error.log says: “File "a<b>.py"”',
            (),
        ),
        (
            {"name": "error.log", "preview": "x", "preview_is_truncated": True},
            "error.log says: “x”",
            ("the rest of error.log",),
        ),
        ({"name": "error.log", "preview": "x", "lines_more": 7}, "error.log says: “x”", ("the rest of error.log",)),
        (
            {"title": "Re: down", "filetype": "email", "plain_text": "all of it", "preview": "a"},
            "Re: down says: “all of it”",
            (),
        ),
        (
            {"title": "clip", "transcription": {"preview": {"content": "it is slow", "has_more": True}}},
            "clip says: “it is slow”",
            ("the rest of clip",),
        ),
        ({"title": "Plan", "filetype": "canvas", "preview": "<h1>Plan</h1>"}, "", ("Plan",)),
        ({"name": "p95.png", "mimetype": "image/png"}, "", ("p95.png",)),
        ({"id": "F1", "file_access": "check_file_info"}, "", ("a file",)),
        ({"title": "gone", "mode": "tombstone"}, "", ()),
    ],
)
def test_a_file_is_read_as_far_as_it_came_with_the_message(
    file: dict[str, Any], says: str, unread: tuple[str, ...]
) -> None:
    content = read({"user": "U1", "text": "look", "files": [file]})
    assert "".join(map(str, content.quotes)) == (f"The file {says}" if says else "")
    assert content.unread == unread


# --- a message that someone points at ---------------------------------------------------------------------------


def test_a_message_of_an_app_is_quoted_with_its_name() -> None:
    assert read({"user": "U1", "text": "p95 is up"}).quotation == "p95 is up"
    assert read({**APP, "text": "p95 is up"}).quotation == "The app Monitor posted: “p95 is up”"
    profile = {"bot_id": "B1", "bot_profile": {"name": "Pager\n"}, "text": "x" * 9_000}
    assert read(profile).quotation == f"The app Pager posted: “{'x' * 7_999}…”"
    assert read({"subtype": "bot_message", "text": "up?"}).quotation == "An app posted: “up?”"
    assert read(APP).quotation == read(None).quotation == ""


# --- whatever comes ---------------------------------------------------------------------------------------------

KEYS = (
    "text type elements blocks attachments files fields title value pretext fallback footer message_blocks message "
    "rows alt_text preview mode transcription content url user_id name indent offset timestamp skin_tone style bot_id "
    "lines_more author_name image_url from_url is_share"
).split()
KINDS = (
    "rich_text rich_text_section rich_text_list rich_text_quote rich_text_preformatted section header context markdown "
    "table image video file actions link user emoji date text ordered canvas"
).split()
odd = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(KINDS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=25,
)


@given(odd)
@example({"blocks": [{"type": ["section"], "text": {"type": {}}}], "files": [{"mode": [], "filetype": {}}]})
@example(
    {"subtype": [], "bot_profile": 7, "attachments": [{"is_share": [1], "blocks": [{"type": "table", "rows": [7]}]}]}
)
def test_a_payload_of_any_shape_is_read_without_an_error(message: Any) -> None:
    for given_one in (message, {"text": message, "blocks": message, "attachments": message, "files": message}):
        content = read(given_one)
        assert isinstance(content, MessageContent)
        for said in (content.text, content.whole, content.passed_on, content.quotation, *content.unread):
            assert isinstance(said, str)


def test_deep_payloads_end() -> None:
    deep: list[object] = []
    share: dict[str, Any] = {"is_share": True, "text": "innermost"}
    for _ in range(10_000):
        deep, share = [{"elements": deep}], {"is_share": True, "text": "again", "attachments": [share]}
    assert read({"blocks": deep, "attachments": [{"blocks": deep}]}).whole == ""
    assert "innermost" not in read({"attachments": [share]}).whole
