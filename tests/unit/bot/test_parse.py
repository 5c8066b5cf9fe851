"""Slack's payloads become questions and replies, and nothing that Slack or anyone else sends raises."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bot.parse import addressed_text, event_id, kind_of, plain_text, to_question, wants_help
from tests.unit.bot.parts import APP, command, event_body, mention, message, press
from workers.contracts import Question, Reply

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def question(body: dict[str, Any]) -> Question:
    found = to_question(body, NOW)
    assert isinstance(found, Question)
    return found


def reply(body: dict[str, Any]) -> Reply:
    found = to_question(body, NOW)
    assert isinstance(found, Reply)
    return found


def test_a_mention() -> None:
    found = question(mention())
    assert re.fullmatch("[0-9a-f]{12}", found.request_id)
    assert found == Question(
        request_id=found.request_id,
        text="why is search slow?",
        asker="U1",
        team="T1",
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
    for other in (mention(ts="1763733600.000101"), mention(channel="C2"), {**mention(), "team_id": "T2"}):
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


def test_a_command() -> None:
    found = question(command("  why is &lt;b&gt; slow? "))
    assert (found.text, found.asker, found.team, found.channel) == ("why is <b> slow?", "U1", "T1", "C1")
    assert (found.ts, found.thread_ts, found.event_id) == ("", "", command()["trigger_id"])
    assert question(command(trigger_id="2.2.2")).request_id != found.request_id
    assert question(command(trigger_id="")).event_id


def test_a_pressed_option() -> None:
    found = reply(press())
    assert found == Reply(
        text="/api/search",
        asker="U2",
        team="T1",
        channel="C1",
        thread_ts="1763733600.000100",
        event_id="1.2.abc",
        request_id="a1b2c3d4e5f6",
        received_at=NOW,
    )
    assert reply(press()) == found
    assert reply({**press(), "trigger_id": None}).event_id == reply({**press(), "trigger_id": None}).event_id


@pytest.mark.parametrize("text", ["", f"<@{APP}>", f"<@{APP}>  Help!", f"<@{APP}|oracle>: help?", "  ?"])
def test_a_call_for_help_is_no_question(text: str) -> None:
    assert to_question(mention(text), NOW) is None
    assert wants_help(mention(text))


def test_help_by_command() -> None:
    assert wants_help(command(""))
    assert wants_help(command("help"))
    assert not wants_help(command("help me find the retry policy"))
    assert to_question(command("help"), NOW) is None
    assert not wants_help(message("help"))
    assert not wants_help(press("help"))


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
    assert to_question(body, NOW) is None
    assert not wants_help(body)


@pytest.mark.parametrize(
    ("raw", "read"),
    [
        ("ask <@U7> or <@U8|ann> in <#C1|general> or <#C2>", "ask @U7 or @ann in #general or #C2"),
        ("<!here> <!channel|channel> <!subteam^S1|@payments> <!subteam^S2>", "@here @channel @payments @subteam"),
        ("since <!date^1763733600^{date}|21 November>", "since 21 November"),
        ("<http://cache.py|cache.py> and <https://x.io/a?b=1&amp;c=2>", "cache.py and https://x.io/a?b=1&c=2"),
        ("see <https://grafana.io/d/1|the dashboard>", "see the dashboard (https://grafana.io/d/1)"),
        ("<mailto:a@b.io|a@b.io> <mailto:c@d.io>", "a@b.io c@d.io"),
        ("p95 &gt; 1 &amp;&amp; errors &lt; 2, literally &amp;lt;", "p95 > 1 && errors < 2, literally &lt;"),
        ("a < b > c", "a  b  c"),
        ("line\r\n```code\x00\x1b[31m```\ud800", "line\n```code[31m```?"),
    ],
)
def test_text_as_a_person_reads_it(raw: str, read: str) -> None:
    assert plain_text(raw) == read


def test_the_apps_own_mention_is_left_out_wherever_it_stands() -> None:
    assert addressed_text(mention(f"hey <@{APP}>, why?")) == "hey why?"
    assert addressed_text(mention(f"why is <@U5> paged? <@{APP}>")) == "why is @U5 paged?"
    unnamed = {**mention("<@U0OTHER|bot>: why?"), "authorizations": []}
    assert addressed_text(unnamed) == "why?"


def escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


printable = st.text(st.characters(exclude_categories=("Cc", "Cs")))


@given(printable)
def test_what_someone_types_is_what_is_read(text: str) -> None:
    assert plain_text(escape(text)) == text.strip()


words = st.from_regex(r"[a-z/_.?0-9]{1,12}", fullmatch=True)


@given(st.lists(words, min_size=1), words, st.from_regex(r"[UW][A-Z0-9]{2,10}", fullmatch=True))
def test_mentions_go_and_come_back(around: list[str], name: str, user: str) -> None:
    assume(user != APP)
    raw = " ".join((f"<@{APP}>", *around, f"<@{user}|{name}>", f"<@{user}>"))
    assert addressed_text(mention(raw)) == " ".join((*around, f"@{name}", f"@{user}"))


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(["im", APP, "1.2", "C1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@st.composite
def broken(draw: st.DrawFn) -> Any:
    """A real payload with some of its values replaced by anything."""

    def break_it(value: Any) -> Any:
        if draw(st.integers(0, 9)) == 0:
            return draw(anything)
        if isinstance(value, dict):
            return {key: break_it(v) for key, v in value.items()}
        if isinstance(value, list):
            return [break_it(v) for v in value]
        return value

    whole = draw(st.sampled_from([mention(), message(), message(channel_type="im"), command(), press()]))
    return break_it(whole)


@given(broken() | anything)
def test_no_payload_raises(body: Any) -> None:
    found = to_question(body, NOW)
    assert kind_of(body) in {"mention", "message", "command", "action", "other"}
    assert not (wants_help(body) and found)
    if found is not None:
        assert found.channel
        assert found.asker
        assert len(found.event_id) <= 128
        assert found.text == found.text.strip()
        found.model_dump_json().encode()


@given(st.text())
def test_event_ids_can_be_stored(given_id: str) -> None:
    kept = event_id(given_id)
    assert kept.isascii()
    assert len(kept) <= 128
    assert event_id(given_id) == kept


@pytest.mark.parametrize("text", ["<" * 300_000, " " * 300_000, "<@" * 150_000, "&amp" * 100_000, f"<@{APP}" * 50_000])
def test_huge_text_is_read_in_one_pass(text: str) -> None:
    assert plain_text(text, frozenset({APP}), leading=True) is not None
