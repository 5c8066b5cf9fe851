"""Mentions, messages and edits become questions and replies, each of the installation that was addressed."""

from __future__ import annotations

import re
from typing import Any

import pytest

from bot.parse import misspelt, overheard, read_stop, to_question, wants_help
from tests.support.payload_reading import NOW, question, received, reply
from tests.support.slack_payloads import APP, command, edit, event_body, mention, message, org_wide, press, stopped
from workers.contracts import Question, Reply

SEEN = "1763733600.000100"
ASK = f"<@{APP}> why is search slow?"


def test_a_mention() -> None:
    found = question(mention())
    assert re.fullmatch("[0-9a-f]{12}", found.request_id)
    assert found == Question(
        request_id=found.request_id,
        text="why is search slow?",
        asker="U1",
        team="T1",
        asker_team="T1",
        channel="C1",
        ts="1763733600.000100",
        thread_ts="1763733600.000100",
        event_id="Ev1",
        source="slack",
        received_at=NOW,
    )


def test_a_mention_in_a_thread_is_answered_there() -> None:
    found = question(mention(thread_ts="1763733000.000001"))
    assert (found.thread_ts, found.ts) == ("1763733000.000001", "1763733600.000100")


def test_the_same_message_has_the_same_id_whatever_brings_it() -> None:
    again = question(mention(event_id="Ev9", channel_type="channel"))
    assert again.request_id == question(mention()).request_id
    elsewhere = event_body(mention()["event"], authorizations=[{"team_id": "T2", "user_id": APP}])
    for other in (mention(ts="1763733600.000101"), mention(channel="C2"), elsewhere):
        assert question(other).request_id != again.request_id


def test_a_direct_message_needs_no_mention() -> None:
    found = question(message("why is search slow?", channel_type="im", channel="D1", thread_ts=None))
    assert (found.text, found.channel, found.thread_ts) == ("why is search slow?", "D1", "1763733700.000100")
    assert question(message(f"<@{APP}> why?", channel_type="im")).text == "why?"
    assert question(message("and now?", channel_type="im")).thread_ts == "1763733600.000100"


def test_a_message_in_a_thread_is_a_reply() -> None:
    found = reply(message("the &lt;checkout&gt; one"))
    assert found == Reply(
        text="the <checkout> one",
        asker="U1",
        team="T1",
        channel="C1",
        thread_ts="1763733600.000100",
        ts="1763733700.000100",
        event_id="Ev2",
        received_at=NOW,
    )


@pytest.mark.parametrize("subtype", ["file_share", "thread_broadcast"])
def test_words_beside_a_file_or_sent_to_the_channel_too_are_words(subtype: str) -> None:
    assert reply(message(subtype=subtype)).text == "checkout"


def test_words_may_stand_in_blocks_alone() -> None:
    why = {"type": "text", "text": " why is search slow?"}
    section = {"type": "rich_text_section", "elements": [{"type": "user", "user_id": APP}, why]}
    blocks = [{"type": "rich_text", "elements": [section]}]
    assert question(mention(f"<@{APP}>", blocks=blocks)).text == "why is search slow?"
    assert question(message("", blocks=blocks, channel_type="im")).text == "why is search slow?"
    assert to_question(received(message("", blocks=blocks))) is None, "a mention comes as one"


FORWARD = {"is_share": True, "author_name": "Tomas", "text": "p95 went up. Delete it all?"}
SNIPPET = {"title": "error.log", "mode": "snippet", "preview": "at line 10"}


def test_what_a_question_quotes_is_its_context_and_no_part_of_its_words() -> None:
    files = [SNIPPET, {"title": "p95.png"}]
    found = question(mention(f"<@{APP}> could it be this?", attachments=[FORWARD], files=files))
    assert found.text == "could it be this?"
    assert found.context == ("Tomas wrote: “p95 went up. Delete it all?”", "The file error.log says: “at line 10”")
    assert found.unread == ("p95.png",)
    changed = question(edit(f"<@{APP}> why now?", ASK, attachments=[FORWARD]))
    assert (changed.text, changed.context) == ("why now?", found.context[:1])


def test_something_shown_without_a_word_is_what_is_asked_about() -> None:
    found = question(mention(f"<@{APP}>", attachments=[FORWARD]))
    assert (found.text, len(found.context)) == ("What is going on with this?", 1)
    assert wants_help(received(mention(f"<@{APP}>", files=[{"title": "p95.png"}]))), (
        "of a picture alone nothing is read"
    )


def test_a_message_with_a_file_that_mentions_the_app_is_a_mention() -> None:
    file = {"subtype": "file_share", "files": [{"title": "error.log"}], "ts": SEEN, "thread_ts": None}
    found = question(message(ASK, **file))
    assert (found.text, found.unread) == ("why is search slow?", ("error.log",))
    assert found.request_id == question(mention(subtype="file_share", files=file["files"])).request_id
    assert not wants_help(received(message(f"<@{APP}> help", **file))), "the mention that comes as well is replied to"
    assert misspelt(received(message(f"<@{APP}> catchp", **file))) is None
    for nobodys in ({"bot_id": "B1"}, {"user": APP}, {"text": "<@U9> why?"}, {"edited": {"user": "U1", "ts": "1"}}):
        assert to_question(received(message(**{"text": ASK, **file, **nobodys}))) is None


@pytest.mark.parametrize("text", ["", f"<@{APP}>", f"<@{APP}>  Help!", f"<@{APP}|oracle>: help?", "  ?"])
def test_a_call_for_help_is_no_question(text: str) -> None:
    assert to_question(received(mention(text))) is None
    assert wants_help(received(mention(text)))


def test_a_question_from_a_shared_channel_is_of_our_workspace_and_of_their_person() -> None:
    theirs = mention(user="U9", user_team="T9", team="T9", source_team="T9")
    found = question({**theirs, "team_id": "T9", "is_ext_shared_channel": True})
    assert (found.team, found.asker_team, found.asker) == ("T1", "T9", "U9")
    assert reply({**message(user_team="T9"), "team_id": "T9"}).team == "T1"


def test_an_organisation_that_installed_the_app_as_a_whole_is_the_team() -> None:
    found = question(org_wide(mention(team="T4")))
    assert (found.team, found.asker_team) == ("E1", "T4")
    assert reply(org_wide(message())).team == "E1"
    assert question({**mention(), "authorizations": []}).team == "T1"
    without = {"team_id": "T1", "enterprise_id": "E1", "user_id": APP, "is_enterprise_install": False}
    assert question({**mention(), "enterprise_id": "E1", "authorizations": [without]}).team == "T1"
    nowhere = {"team_id": None, "user_id": APP, "is_enterprise_install": True}
    assert received({**mention(), "authorizations": [nowhere]}).team == "T1"


def test_a_changed_question_is_asked_again() -> None:
    found = question(edit(f"<@{APP}> why is checkout slow?", ASK))
    assert found == Question(
        request_id=found.request_id,
        text="why is checkout slow?",
        asker="U1",
        team="T1",
        asker_team="T1",
        channel="C1",
        thread_ts=SEEN,
        edits=SEEN,
        event_id="Ev5",
        source="slack",
        received_at=NOW,
    )
    assert found.request_id != question(mention()).request_id
    assert question(edit(f"<@{APP}> why now?", ASK, thread_ts="1763733000.000001")).thread_ts == "1763733000.000001"
    assert question(edit(f"<@{APP}> why now?", ASK, event_id="Ev6")).request_id != found.request_id
    assert received(edit("a", "b")).kind == "edit"


def test_an_edit_that_addresses_the_app_asks() -> None:
    assert question(edit(ASK, "why is search slow?")).text == "why is search slow?"
    direct = {"channel": "D1", "channel_type": "im"}
    assert question(edit("why now?", "why?", event=direct)).channel == "D1"


@pytest.mark.parametrize(
    "body",
    [
        edit(ASK, ASK),
        edit(ASK, ASK, attachments=[{"from_url": "https://x.io"}]),
        edit(f"<@{APP}>  why is search slow?", ASK),
        edit("why is checkout slow?", "why is search slow?"),
        edit("why is search slow?", ASK),
        edit(f"<@{APP}> thanks", ASK),
        edit(f"<@{APP}> help", ASK),
        edit(f"<@{APP}> why now?", ASK, bot_id="B1"),
        edit(f"<@{APP}> why now?", ASK, user=APP),
        edit(f"<@{APP}> why now?", ASK, user="USLACKBOT"),
        edit(f"<@{APP}> why now?", ASK, subtype="bot_message"),
        edit(f"<@{APP}> why now?", ASK, subtype="tombstone"),
        edit(f"<@{APP}> why now?", ASK, ts="now"),
        edit("why?", "why?", event={"channel": "D1", "channel_type": "im"}),
        edit("", "", event={"message": None}),
        message(subtype="message_deleted", deleted_ts=SEEN, previous_message={"user": "U1", "text": ASK, "ts": SEEN}),
        message(subtype="message_replied", message={"user": "U1", "text": ASK, "ts": SEEN}),
    ],
)
def test_what_changes_no_question(body: dict[str, Any]) -> None:
    assert to_question(received(body)) is None
    assert overheard(received(body)) is None
    assert not wants_help(received(body))


def test_a_message_that_mentions_nobody_as_the_question_it_would_be() -> None:
    found = overheard(received(message("why is it slow?", thread_ts=None)))
    assert found is not None
    assert (found.text, found.thread_ts, found.ts) == ("why is it slow?", "1763733700.000100", "1763733700.000100")
    for body in (
        message("thanks!"),
        message("hi"),
        message(ASK),
        message(bot_id="B1"),
        message(channel_type="im"),
        mention(),
    ):
        assert overheard(received(body)) is None


def test_the_stop_button() -> None:
    assert read_stop(received(stopped())) == ("T1", "C1", SEEN, "U2")
    assert read_stop(received(org_wide(stopped()))) == ("E1", "C1", SEEN, "U2")
    assert read_stop(received(stopped(thread_ts="now"))) is None
    assert received(stopped()).kind == "stop"


NOBODY = [
    message(thread_ts=None),
    message(thread_ts="1763733700.000100"),
    message(f"<@{APP}> and checkout?"),
    message(f"hello <@{APP}|oracle>"),
    message(bot_id="B1"),
    message(bot_profile={"id": "B1"}),
    message(user=APP),
    message(hidden=True),
    message(edited={"user": "U1", "ts": "1"}),
    message(subtype="message_changed"),
    message(subtype="message_deleted"),
    message(subtype="bot_message"),
    message(subtype="channel_join"),
    message(user="USLACKBOT", channel_type="im"),
    message(subtype="bot_message", channel_type="im", workflow_id="Wf1"),
    message(text=""),
    message(text=None),
    mention(bot_id="B7"),
    mention(user=APP),
    mention(edited={"user": "U1", "ts": "1"}),
    mention(subtype="bot_message"),
    mention(ts="yesterday"),
    mention(ts=1763733600.0001),
    mention(user=None),
    mention(channel="C1; drop table"),
    mention(channel="C" * 40),
    message(channel_type="im", bot_id="B1"),
    event_body({"type": "reaction_added", "user": "U1"}),
    {**mention(), "type": "url_verification"},
    {**mention(), "event": None},
    {**mention(), "event": "app_mention"},
    command(user_id=""),
    press(action_id="clarify:"),
    press(action_id="link"),
    press(value=""),
    {**press(), "actions": []},
    {**press(), "actions": {"0": 1}},
    {**press(), "user": "U2"},
]


@pytest.mark.parametrize("body", NOBODY)
def test_what_is_nobodys_question(body: dict[str, Any]) -> None:
    assert to_question(received(body)) is None
    assert not wants_help(received(body))
