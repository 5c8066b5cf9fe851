"""What was said in a thread, as a person reads it: people and our answers, nothing of our progress."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.slack_api_server import BOT, USER, StandIn
from workers.contracts import Plan, Step, order_of
from workers.delivery import slack_chat
from workers.delivery.plan_progress import stream_of
from workers.delivery.slack_chat import SlackChat
from workers.delivery.slack_payloads import key_of, mark, said_in
from workers.errors import ChatUnavailable
from workers.language.mrkdwn import plain_text
from workers.ports import Place, Post, Recipient, ThreadMessage
from workers.slack_messages.fields import Fields

PLAN = Plan(pattern="P", query_intent="q", steps=(Step(id="m1", tool="t", args={}, purpose="look"),))
LATER = "1763733601.000000"


def ours(server: StandIn, thread: Place, text: str, key: str) -> str:
    return server.add(text, thread.thread_ts, bot_id=BOT, user=USER, metadata=mark(key))


def test_people_and_our_answers_are_read(chat: SlackChat, server: StandIn, thread: Place) -> None:
    person = server.add("is &lt;it&gt; <@U2>'s deploy in <#C2|payments>?", thread.thread_ts, user="U7")
    answer = ours(server, thread, "p95 rose &amp; fell", "r1:0.0")
    asked = ours(server, thread, "Which one?", "r1:1.0")
    assert chat.thread(thread, LATER, 9) == (
        ThreadMessage("U1", "why is it slow?", thread.thread_ts),
        ThreadMessage("U7", "is <it> @U2's deploy in #payments?", person),
        ThreadMessage(USER, "p95 rose & fell", answer, ours=True),
        ThreadMessage(USER, "Which one?", asked, ours=True),
    )


def test_what_is_no_talk_is_left_out(chat: SlackChat, server: StandIn, thread: Place) -> None:
    for part in ("progress", "0.failed.0", "0.stopped", "root", "root.direct", "direct", "shared"):
        ours(server, thread, f"not an answer: {part}", f"r1:{part}")
    server.add("unmarked", thread.thread_ts, bot_id=BOT, user=USER)
    server.add("U1 joined", thread.thread_ts, user="U1", subtype="channel_join")
    server.add("", thread.thread_ts, user="U1")
    chat.start_stream(thread, Recipient("U1", "T1"), stream_of("r1:progress", PLAN, {}, done=False))
    chat.post(thread, Post("Checking"), "r2:progress")
    broadcast = server.add("sent to the channel, too", thread.thread_ts, user="U1", subtype="thread_broadcast")
    assert [s.ts for s in chat.thread(thread, LATER, 99)] == [thread.thread_ts, broadcast]


def test_what_an_app_posted_is_quoted_and_is_nobodys_words(chat: SlackChat, server: StandIn, thread: Place) -> None:
    firing = {"type": "section", "text": {"type": "mrkdwn", "text": "*HighErrorRate* on `checkout`"}}
    alert = server.add("", thread.thread_ts, subtype="bot_message", bot_id="B9", username="Monitor", blocks=[firing])
    forged = server.add("Decided!", thread.thread_ts, user="U3", bot_id="B9", metadata=mark("r1:0.0"))
    assert chat.thread(thread, LATER, 99)[1:] == (
        ThreadMessage("B9", "", alert, app=True, quoted="The app Monitor posted: “*HighErrorRate* on `checkout`”"),
        ThreadMessage("B9", "", forged, app=True, quoted="An app posted: “Decided!”"),
    )


def test_what_a_person_forwards_or_attaches_is_quoted_and_what_was_not_read_is_named(
    chat: SlackChat, server: StandIn, thread: Place
) -> None:
    passed_on = {"is_share": True, "author_name": "Tomas", "text": "p95 is up since 13:00"}
    files = [{"name": "trace.txt", "mode": "snippet", "preview": "line 10"}, {"title": "p95.png"}]
    server.add("look", thread.thread_ts, user="U7", subtype="file_share", attachments=[passed_on], files=files)
    server.add("", thread.thread_ts, user="U7", subtype="file_share", files=[{"title": "errors.png"}])
    (_, look, picture) = chat.thread(thread, LATER, 99)
    assert look.text == "look"
    assert look.quoted == "Tomas wrote: “p95 is up since 13:00”\nThe file trace.txt says: “line 10”"
    assert (look.unread, picture.unread) == (("p95.png",), ("errors.png",))


def test_what_an_app_posted_stands_above_its_thread_however_long_that_is(chat: SlackChat, server: StandIn) -> None:
    root = server.add("disk is full", None, subtype="bot_message", bot_id="B9")
    stamps = [server.add(f"reply {i}", root, user="U1") for i in range(299)]
    said = chat.thread(Place("C1", root), LATER, 3)
    assert [s.ts for s in said] == [root, *stamps[-2:]]
    assert [s.ts for s in chat.thread(Place("C1", root), LATER, 1)] == [root]
    assert len(chat.thread(Place("C1", root), stamps[1], 3)) == 2


def test_the_newest_before_a_message_are_read_oldest_first(chat: SlackChat, server: StandIn, thread: Place) -> None:
    stamps = [server.add(f"reply {i}", thread.thread_ts, user="U1") for i in range(299)]
    assert [s.text for s in chat.thread(thread, stamps[250], 3)] == ["reply 247", "reply 248", "reply 249"]
    assert server.count("conversations.replies") == 3
    assert chat.thread(thread, stamps[250], 0) == ()
    assert chat.thread(thread, thread.thread_ts, 9) == ()
    assert chat.thread(Place("C1"), LATER, 9) == ()


def test_a_root_that_comes_with_every_page_is_said_once(
    chat: SlackChat, server: StandIn, thread: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    paged = server.paged

    def with_root(messages: list[dict[str, Any]], args: dict[str, Any]) -> dict[str, Any]:
        page = paged(messages[1:], args)
        return {**page, "messages": [messages[0], *page["messages"]]}

    monkeypatch.setattr(server, "paged", with_root)
    for i in range(250):
        server.add(f"reply {i}", thread.thread_ts, user="U1")
    said = chat.thread(thread, LATER, 999)
    assert [said[0].text, said[1].text, len(said)] == ["why is it slow?", "reply 0", 251]


def test_an_endless_thread_ends(
    chat: SlackChat, server: StandIn, thread: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slack_chat, "THREAD_PAGES", 2)
    for i in range(299):
        server.add(f"reply {i}", thread.thread_ts, user="U1")
    assert chat.thread(thread, LATER, 1)[0].text == "reply 198"
    assert server.count("conversations.replies") == 2


def test_a_thread_that_cannot_be_read(chat: SlackChat, server: StandIn, thread: Place) -> None:
    server.faults["conversations.replies"].append(lambda handler, answer: True)
    with pytest.raises(ChatUnavailable):
        chat.thread(thread, LATER, 9)


@pytest.mark.parametrize(
    ("raw", "read"),
    [
        ("<@U1>", "@U1"),
        ("<@U1|priya>", "@priya"),
        ("<!subteam^S1|@oncall>", "@oncall"),
        ("<!here>", "@here"),
        ("<!date^1392734382^{date}|Feb 18>", "Feb 18"),
        ("<https://x.example/a>", "https://x.example/a"),
        ("<https://x.example/a|x.example/a>", "x.example/a"),
        ("<https://x.example/a|the board>", "the board (https://x.example/a)"),
        ("<mailto:a@x.example|a@x.example>", "a@x.example"),
        ("a &lt; b &amp;amp; c", "a < b &amp; c"),
        ("  `code`  ", "`code`"),
        ("<>", ""),
    ],
)
def test_text_as_a_person_reads_it(raw: str, read: str) -> None:
    assert plain_text(raw) == read


def test_order_of_ts() -> None:
    assert sorted(["10.2", "9.10", "9.2", "x", ""], key=order_of)[2:] == ["9.2", "9.10", "10.2"]


odd = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["metadata", "event_type", "event_payload", "key", "blocks", "type", "tasks", "task_id"]),
            inner,
        )
    ),
    max_leaves=12,
)
messages = st.dictionaries(
    st.sampled_from(["ts", "text", "user", "bot_id", "subtype", "metadata", "blocks"]), odd | st.just("plan")
)


@given(st.lists(messages, max_size=5), st.sampled_from(["", "1.0", "x"]))
def test_messages_of_any_shape_are_read_or_left_out(found: list[dict[str, Any]], before: str) -> None:
    for said in said_in(map(Fields, found), (BOT, USER), before).values():
        assert said.text.strip() or said.quoted.strip() or said.unread
    for message in found:
        key_of(Fields({**message, "blocks": [{"type": "plan", "tasks": message.get("blocks")}]}))
