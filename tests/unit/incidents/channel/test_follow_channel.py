"""One followed channel, from its claim to its pinned message, with the store on SQLite and a chat in memory."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from tests.support.memory_chat import FakeChat
from workers.bootstrap import build_engine
from workers.delivery.progress import ProgressBoard
from workers.errors import ChatBusy, ChatRefused, ChatUnavailable
from workers.incidents.channel import follow_channel as tending
from workers.incidents.channel import pinned_message
from workers.incidents.channel.follow_channel import CHANNEL_WORK
from workers.incidents.summary.model import Line, Summary
from workers.incidents.summary.snapshot import read_last
from workers.incidents.summary.summarizer import Scribe, Worded
from workers.language.slack_messages import read_event
from workers.ports import ChannelInfo
from workers.requests.lease_runner import work_on
from workers.requests.ledger import Inbox
from workers.requests.worker_context import Desk
from workers.settings.load import load_settings
from workers.settings.schema import WorkerSection
from workers.store.channel_messages import load_messages, record_change
from workers.store.channels import ChannelSettings, change_channel
from workers.store.connection_heartbeat import note_hearing
from workers.store.database_clock import now_s
from workers.store.followed_channels import Followed, follow_declared, followed, note_channel, pause_channel
from workers.store.incidents import active_incident, active_incidents, open_incident, place_incident, resolve_incident
from workers.store.tables import followed_channels, hearing, jobs
from workers.telemetry.service_metrics import ServiceMetrics

HERE = "T1", "C1"
START = datetime.now(UTC) - timedelta(hours=2)


class Killed(BaseException):
    """A worker that is gone."""


def at(minute: float) -> str:
    return f"{(START + timedelta(minutes=minute)).timestamp():.6f}"


def said(minute: float, text: str, user: str = "U1MAYA", **more: Any) -> dict[str, Any]:
    return {"type": "message", "ts": at(minute), "user": user, "text": text, **more}


STORY = [
    said(0, "SEV2: checkout error rate is 5%, investigating. Customers see 502."),
    said(2, "<@U2TOMAS> can you look at the payment gateway?"),
    said(4, "looking", "U2TOMAS", thread_ts=at(2)),
    said(8, "rolled back the 09:12 deploy of payments", "U2TOMAS"),
    said(12, "decision: we freeze deploys until this is over"),
]
STORY[1] |= {"reply_count": 1, "thread_ts": at(2)}


@pytest.fixture
def desk(prepared_home: Path) -> Iterator[Desk]:
    oracle = build_engine(load_settings(home=prepared_home))
    chat = FakeChat(history=list(STORY))
    inbox = Inbox(oracle.store.database, WorkerSection())
    board = ProgressBoard(lambda _: chat, inbox.note_progress)
    yield Desk(oracle=oracle, inbox=inbox, chats=lambda _: chat, board=board, metrics=ServiceMetrics(oracle.metrics))
    board.close()
    oracle.close()


def chat_of(desk: Desk) -> FakeChat:
    chat = desk.chats("T1")
    assert isinstance(chat, FakeChat)
    return chat


def state(desk: Desk) -> Followed:
    found = followed(desk.inbox.database, *HERE)
    assert found is not None
    return found


def hear(desk: Desk, event: dict[str, Any]) -> None:
    change = read_event(event)
    assert change is not None
    record_change(desk.inbox.database, *HERE, change, str, settle_s=0, every_s=60)


def later(desk: Desk) -> None:
    """Time passes: what was postponed is due, and leases of dead workers have ended."""
    with desk.inbox.database.begin(exclusive=True) as connection:
        connection.execute(update(followed_channels).values(wait_until=0.0, lease_until=None))


def settle(desk: Desk, turns: int = 20) -> None:
    """Turns until nothing is due."""
    for _ in range(turns):
        later(desk)
        work_on(desk, CHANNEL_WORK, HERE)


def words_of(desk: Desk) -> str:
    """What the one message says."""
    chat = chat_of(desk)
    assert len(chat.messages) == 1
    post = chat.updates[-1][1] if chat.updates else chat.messages[0].post
    return all_text(post.blocks)


def all_text(part: Any) -> str:
    if isinstance(part, dict):
        own = str(part["text"]) if isinstance(part.get("text"), str) else ""
        return " ".join(filter(None, [own, *(all_text(v) for v in part.values())]))
    return " ".join(map(all_text, part)) if isinstance(part, list | tuple) else ""


# --- one pinned message -------------------------------------------------------------------------------------------


def test_a_channel_by_its_name_gets_one_pinned_summary(desk: Desk) -> None:
    note_channel(desk.inbox.database, *HERE)
    settle(desk)
    chat = chat_of(desk)
    assert chat.pins == [chat.messages[0].ts]
    text = words_of(desk)
    assert "Checkout" in text
    assert "SEV2" in text
    assert "freeze deploys" in text
    assert (state(desk).why, state(desk).read_done, state(desk).read_count) == ("name", True, 5)
    (incident,) = active_incidents(desk.inbox.database, "T1")
    assert incident.ts == chat.messages[0].ts
    assert next(m.name for m in load_messages(desk.inbox.database, *HERE)) == "name of U1MAYA"


def test_a_quiet_channel_stays_quiet(desk: Desk) -> None:
    note_channel(desk.inbox.database, *HERE)
    settle(desk)
    before = len(chat_of(desk).updates)
    hear(desk, said(20, "thanks!"))
    settle(desk)
    assert len(chat_of(desk).updates) == before
    assert state(desk).dirty == state(desk).seen == 1


def test_what_is_new_is_told_with_what_changed(desk: Desk) -> None:
    note_channel(desk.inbox.database, *HERE)
    settle(desk)
    hear(desk, said(30, "rollback done, no effect, still 5% of checkouts fail with 502"))
    settle(desk)
    assert "➕" in words_of(desk)


def test_a_model_is_asked_again_when_the_rules_see_something_new_or_after_a_while(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def write(name: str, messages: Any, plain: Summary, voice: Any) -> Worded:
        asked.append(name)
        known = Line(text=f"wording {len(asked)}", ts=(at(5),))
        return Worded(plain.model_copy(update={"known": (known,)}))

    monkeypatch.setattr(pinned_message, "open_summarizer", lambda _: Scribe("model", write))
    note_channel(desk.inbox.database, *HERE)
    settle(desk)
    hear(desk, said(5, f"it may be said as {', '.join(f'wording {n}' for n in range(1, 9))}"))
    settle(desk)
    count = len(asked)
    assert f"wording {count}" in words_of(desk)
    hear(desk, said(20, "thanks!"))
    settle(desk)
    assert len(asked) == count
    hear(desk, said(30, "rollback done, no effect, still 5% of checkouts fail with 502"))
    settle(desk)
    assert len(asked) == count + 1
    last = read_last(state(desk).summary)
    assert last is not None
    assert last.worded_at is not None
    old = last.model_copy(update={"worded_at": last.worded_at - timedelta(days=1)}).model_dump_json()
    with desk.inbox.database.begin() as connection:
        connection.execute(update(followed_channels).values(summary=old))
    hear(desk, said(31, "hm"))
    settle(desk)
    assert len(asked) == count + 2
    deleted = {"type": "message", "subtype": "message_deleted", "deleted_ts": at(5), "ts": at(32), "event_ts": at(32)}
    hear(desk, deleted)
    settle(desk)
    assert len(asked) > count + 2


def test_a_channel_that_is_not_about_an_incident_is_left(desk: Desk) -> None:
    chat_of(desk).info = ChannelInfo("random", is_member=True)
    note_channel(desk.inbox.database, *HERE)
    settle(desk)
    assert state(desk).state == "left"
    assert chat_of(desk).messages == []


def test_a_marker_in_the_topic_is_enough(desk: Desk) -> None:
    chat_of(desk).info = ChannelInfo("payments", topic=":rotating_light: Payments are down", is_member=True)
    note_channel(desk.inbox.database, *HERE)
    settle(desk)
    assert (state(desk).state, state(desk).why) == ("following", "topic")
    assert "Payments are down" in words_of(desk)


@pytest.mark.parametrize("join", [True, False])
def test_public_channels_are_joined_where_that_is_wanted(desk: Desk, home: Path, join: bool) -> None:
    if join:
        (home / "config").mkdir(exist_ok=True)
        (home / "config" / "oracle.yaml").write_text("incidents: {join: true}\n")
        object.__setattr__(desk.oracle, "settings", load_settings(home=home))
    chat_of(desk).info = ChannelInfo("inc-42")
    note_channel(desk.inbox.database, *HERE)
    settle(desk)
    assert chat_of(desk).info.is_member is join
    assert state(desk).state == ("following" if join else "left")


def test_a_channel_whose_people_want_nothing_gets_nothing(desk: Desk) -> None:
    note_channel(desk.inbox.database, *HERE)
    change_channel(desk.inbox.database, *HERE, ChannelSettings(mode="off"), "U1")
    settle(desk)
    assert state(desk).state == "off"
    assert chat_of(desk).messages == []


def test_a_paused_channel_listens_and_says_so_once(desk: Desk) -> None:
    note_channel(desk.inbox.database, *HERE)
    settle(desk)
    pause_channel(desk.inbox.database, *HERE, paused=True)
    settle(desk)
    paused = len(chat_of(desk).updates)
    assert "Paused" in words_of(desk)
    hear(desk, said(30, "rollback done, no effect, still 5% of checkouts fail with 502"))
    settle(desk)
    assert len(chat_of(desk).updates) == paused
    pause_channel(desk.inbox.database, *HERE, paused=False)
    settle(desk)
    assert "Paused" not in words_of(desk)
    assert "no effect" in words_of(desk)


def test_a_channel_paused_before_its_message_stood_gets_it_when_it_goes_on(desk: Desk) -> None:
    note_channel(desk.inbox.database, *HERE)
    pause_channel(desk.inbox.database, *HERE, paused=True)
    settle(desk)
    assert (chat_of(desk).messages, chat_of(desk).pins) == ([], [])
    pause_channel(desk.inbox.database, *HERE, paused=False)
    settle(desk)
    assert "Checkout" in words_of(desk)


@pytest.mark.parametrize("paused", [True, False])
def test_a_channel_that_is_read_once_more_since_nobody_heard_slack_is_told_nothing_of_that(
    desk: Desk, paused: bool
) -> None:
    note_channel(desk.inbox.database, *HERE)
    settle(desk)
    if paused:
        pause_channel(desk.inbox.database, *HERE, paused=True)
        settle(desk)
    chat = chat_of(desk)
    before = len(chat.updates)
    note_hearing(desk.inbox.database)
    with desk.inbox.database.begin(exclusive=True) as connection:
        connection.execute(update(hearing).values(at=hearing.c.at - 600))
    assert note_hearing(desk.inbox.database) == 1
    chat.errors["page"] = [None, ChatBusy("ratelimited", 1.0), ChatBusy("ratelimited", 1.0)]
    settle(desk)
    assert chat.errors["page"] == []
    assert state(desk).read_done
    assert len(chat.updates) == before


def test_a_channel_that_is_paused_while_its_past_is_read_changes_once(desk: Desk) -> None:
    chat = chat_of(desk)
    chat.history, chat.page_size = long_story(), 15
    chat.errors["page"] = [None, ChatBusy("ratelimited", 60), None, ChatBusy("ratelimited", 60)]
    note_channel(desk.inbox.database, *HERE)
    work_on(desk, CHANNEL_WORK, HERE)
    before = len(chat.updates)
    pause_channel(desk.inbox.database, *HERE, paused=True)
    settle(desk)
    assert state(desk).read_done
    assert len(chat.updates) == before + 1
    pause_channel(desk.inbox.database, *HERE, paused=False)
    settle(desk)
    assert "Reading earlier messages" not in words_of(desk)


def test_a_declared_incident_takes_the_message_that_opened_it(desk: Desk) -> None:
    database = desk.inbox.database
    chat_of(desk).info = ChannelInfo("payments", is_member=True)
    incident = open_incident(database, *HERE, "Checkout fails", "U1", at=START)
    assert incident is not None
    place_incident(database, incident, "500.7")
    follow_declared(database, *HERE, at(-60))
    settle(desk)
    assert chat_of(desk).messages == []
    assert {ts for ts, _ in chat_of(desk).updates} == {"500.7"}
    resolve_incident(database, *HERE, "U1")
    follow_declared(database, *HERE, at(-60))
    settle(desk)
    assert "resolved" in all_text(chat_of(desk).updates[-1][1].blocks)
    assert state(desk).state == "left"


def test_a_message_that_was_deleted_is_posted_anew(desk: Desk) -> None:
    note_channel(desk.inbox.database, *HERE)
    settle(desk)
    chat = chat_of(desk)
    chat.messages.clear()
    chat.errors["update"] = [ChatRefused("chat.update: message_not_found", "message_not_found")]
    hear(desk, said(30, "rollback done, no effect, still 5% of checkouts fail with 502"))
    settle(desk)
    assert len(chat.messages) == 1
    incident = active_incident(desk.inbox.database, *HERE)
    assert incident is not None
    assert incident.ts == chat.messages[0].ts


# --- reading what was said before ---------------------------------------------------------------------------------


def long_story() -> list[dict[str, Any]]:
    story = [said(n / 10, f"message {n}") for n in range(70)]
    for n in (5, 20, 40):
        story[n] |= {"reply_count": 12, "thread_ts": story[n]["ts"]}
        story += [said(n / 10 + 0.001 * (r + 1), f"reply {r} to {n}", thread_ts=story[n]["ts"]) for r in range(12)]
    return story


def test_every_page_and_every_thread_is_read_once(desk: Desk) -> None:
    chat = chat_of(desk)
    chat.history, chat.page_size = long_story(), 15
    note_channel(desk.inbox.database, *HERE)
    settle(desk)
    assert len(load_messages(desk.inbox.database, *HERE)) == len(chat.history)
    assert state(desk).read_count == len(chat.history)


def test_a_slack_that_allows_one_page_at_a_time_is_waited_for(desk: Desk) -> None:
    chat = chat_of(desk)
    chat.history, chat.page_size = long_story(), 15
    chat.errors["page"] = [None, ChatBusy("ratelimited", 60), None, ChatBusy("ratelimited", 60)]
    note_channel(desk.inbox.database, *HERE)
    work_on(desk, CHANNEL_WORK, HERE)
    assert "Reading earlier messages: 15 so far" in words_of(desk)
    work_on(desk, CHANNEL_WORK, HERE)
    assert state(desk).read_count == 15, "nothing happens before the time is over"
    settle(desk)
    assert len(load_messages(desk.inbox.database, *HERE)) == len(chat.history)
    assert "Reading earlier messages" not in words_of(desk)


@pytest.mark.parametrize("method", ["about", "page", "called", "permalink", "find", "post", "pin", "update"])
@pytest.mark.parametrize("calls", range(4))
def test_a_worker_that_dies_at_any_call_leaves_one_message_and_loses_none(desk: Desk, method: str, calls: int) -> None:
    chat = chat_of(desk)
    chat.history, chat.page_size = long_story(), 15
    chat.errors[method] = [None] * calls + [Killed()]
    note_channel(desk.inbox.database, *HERE)
    for _ in range(12):
        later(desk)
        try:
            work_on(desk, CHANNEL_WORK, HERE)
        except Killed:
            chat.history.append(said(100 + calls, "still failing"))
            hear(desk, chat.history[-1])
    assert len(chat.messages) == 1
    assert chat.pins == [chat.messages[0].ts]
    assert len(load_messages(desk.inbox.database, *HERE)) == len(chat.history)
    assert len(chat.history) == len(long_story()) + (0 if chat.errors[method] else 1)


def test_a_worker_that_dies_after_its_post_was_taken_posts_no_second_one(desk: Desk) -> None:
    chat = chat_of(desk)
    chat.after.append(Killed())
    note_channel(desk.inbox.database, *HERE)
    with pytest.raises(Killed):
        work_on(desk, CHANNEL_WORK, HERE)
    settle(desk)
    assert len(chat.messages) == 1


def test_an_unclear_answer_to_the_post_is_looked_into_later(desk: Desk) -> None:
    chat = chat_of(desk)
    chat.after.append(ChatUnavailable("cut"))
    note_channel(desk.inbox.database, *HERE)
    work_on(desk, CHANNEL_WORK, HERE)
    work_on(desk, CHANNEL_WORK, HERE)
    assert chat.looks == 0, "a post may still be under way"
    settle(desk)
    assert chat.looks == 1
    assert len(chat.messages) == 1
    assert state(desk).failures == 0


def test_a_channel_that_cannot_be_read_any_more_is_left(desk: Desk) -> None:
    note_channel(desk.inbox.database, *HERE)
    chat_of(desk).errors["page"] = [ChatRefused("conversations.history: not_in_channel", "not_in_channel")]
    settle(desk)
    assert state(desk).state == "left"


def test_what_always_fails_is_tried_ever_more_rarely(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("a mistake of ours")

    monkeypatch.setattr(tending, "show", broken)
    note_channel(desk.inbox.database, *HERE)
    settle(desk, 4)
    assert state(desk).failures == 4
    with desk.inbox.database.begin() as connection:
        pause_s = connection.execute(select(followed_channels.c.wait_until - now_s())).scalar_one()
    assert 230 < pause_s <= 240, "half a minute, one, two, four"


# --- the first look -----------------------------------------------------------------------------------------------


def looks(desk: Desk) -> list[dict[str, Any]]:
    with desk.inbox.database.begin() as connection:
        return list(connection.execute(select(jobs.c.question)).scalars())


def test_an_incident_that_begins_is_looked_into_once(desk: Desk) -> None:
    del chat_of(desk).history[2:]
    note_channel(desk.inbox.database, *HERE)
    settle(desk)
    hear(desk, said(30, "rollback done, no effect, still 5% of checkouts fail with 502"))
    settle(desk)
    (question,) = looks(desk)
    assert (question["text"], question["unasked"]) == ("What is wrong: Checkout?", True)
    assert question["thread_ts"] == chat_of(desk).messages[0].ts


def test_a_worker_killed_before_the_first_look_was_asked_for(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*_: object) -> None:
        raise Killed

    del chat_of(desk).history[2:]
    note_channel(desk.inbox.database, *HERE)
    with monkeypatch.context() as patched:
        patched.setattr(pinned_message, "first_look", killed)
        with pytest.raises(Killed):
            settle(desk)
    assert looks(desk) == []
    settle(desk)
    assert len(looks(desk)) == 1
    assert len(chat_of(desk).messages) == 1


def test_an_incident_that_is_over_is_not_looked_into(desk: Desk) -> None:
    chat_of(desk).history.append(said(60, "calling it resolved, error rate is back to normal. Thanks all"))
    note_channel(desk.inbox.database, *HERE)
    settle(desk)
    assert "resolved" in words_of(desk)
    assert looks(desk) == []
