"""One followed channel, from its claim to its pinned message, with the store on SQLite and a chat in memory."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from tests.support.channel_changes import record_change
from tests.support.chat_worker import chat_worker
from tests.support.memory_chat import FakeChat
from tests.support.payload_reading import change_of
from workers.bootstrap import build_engine
from workers.errors import ChatBusy, ChatRefused, ChatUnavailable
from workers.incidents.channel import follow_channel as follow_module
from workers.incidents.channel import pinned_message
from workers.incidents.channel.follow_channel import CHANNEL_WORK
from workers.incidents.summary.snapshot import read_snapshot
from workers.incidents.summary.summarizer import Summarizer, WordedSummary
from workers.incidents.summary.summary_types import Line, Summary
from workers.ports import ChannelInfo
from workers.requests.lease_runner import work_on
from workers.requests.worker_context import WorkerContext
from workers.settings.load import load_settings
from workers.store.channel_messages import load_messages
from workers.store.channels import ChannelSettings, change_channel
from workers.store.connection_heartbeat import note_connection
from workers.store.database_clock import now_s
from workers.store.followed_channels import FollowedChannel, follow_declared, followed, note_channel, pause_channel
from workers.store.incidents import active_incident, active_incidents, open_incident, place_incident, resolve_incident
from workers.store.tables import followed_channels, hearing, jobs

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
def worker(prepared_home: Path) -> Iterator[WorkerContext]:
    oracle = build_engine(load_settings(home=prepared_home))
    chat = FakeChat(history=list(STORY))
    with chat_worker(oracle, chat) as running:
        yield running


def chat_of(worker: WorkerContext) -> FakeChat:
    chat = worker.chats("T1")
    assert isinstance(chat, FakeChat)
    return chat


def state(worker: WorkerContext) -> FollowedChannel:
    found = followed(worker.ledger.database, *HERE)
    assert found is not None
    return found


def hear(worker: WorkerContext, event: dict[str, Any]) -> None:
    change = change_of(event)
    assert change is not None
    record_change(worker.ledger.database, *HERE, change, str, settle_s=0, every_s=60)


def later(worker: WorkerContext) -> None:
    """Time passes: what was postponed is due, and leases of dead workers have ended."""
    with worker.ledger.database.begin(exclusive=True) as connection:
        connection.execute(update(followed_channels).values(wait_until=0.0, lease_until=None))


def settle(worker: WorkerContext, turns: int = 20) -> None:
    """Turns until nothing is due, three times in a row."""
    idle = 0
    for _ in range(turns):
        before = claims(worker)
        later(worker)
        work_on(worker, CHANNEL_WORK, HERE)
        idle = idle + 1 if claims(worker) == before else 0
        if idle == 3:
            return


def claims(worker: WorkerContext) -> int:
    """How often a worker took the channel."""
    with worker.ledger.database.begin() as connection:
        return connection.execute(select(followed_channels.c.fence)).scalar() or 0


def words_of(worker: WorkerContext) -> str:
    """What the one message says."""
    chat = chat_of(worker)
    assert len(chat.messages) == 1
    post = chat.updates[-1][1] if chat.updates else chat.messages[0].post
    return all_text(post.blocks)


def all_text(part: Any) -> str:
    if isinstance(part, dict):
        own = str(part["text"]) if isinstance(part.get("text"), str) else ""
        return " ".join(filter(None, [own, *(all_text(v) for v in part.values())]))
    return " ".join(map(all_text, part)) if isinstance(part, list | tuple) else ""


# --- one pinned message -------------------------------------------------------------------------------------------


def test_a_channel_by_its_name_gets_one_pinned_summary(worker: WorkerContext) -> None:
    note_channel(worker.ledger.database, *HERE)
    settle(worker)
    chat = chat_of(worker)
    assert chat.pins == [chat.messages[0].ts]
    text = words_of(worker)
    assert "Checkout" in text
    assert "SEV2" in text
    assert "freeze deploys" in text
    assert (state(worker).why, state(worker).read_done, state(worker).read_count) == ("name", True, 5)
    (incident,) = active_incidents(worker.ledger.database, "T1")
    assert incident.ts == chat.messages[0].ts
    assert next(m.name for m in load_messages(worker.ledger.database, *HERE)) == "name of U1MAYA"


def test_a_quiet_channel_stays_quiet(worker: WorkerContext) -> None:
    note_channel(worker.ledger.database, *HERE)
    settle(worker)
    before = len(chat_of(worker).updates)
    hear(worker, said(20, "thanks!"))
    settle(worker)
    assert len(chat_of(worker).updates) == before
    assert state(worker).dirty == state(worker).seen == 1


def test_what_is_new_is_told_with_what_changed(worker: WorkerContext) -> None:
    note_channel(worker.ledger.database, *HERE)
    settle(worker)
    hear(worker, said(30, "rollback done, no effect, still 5% of checkouts fail with 502"))
    settle(worker)
    assert "➕" in words_of(worker)


def test_a_model_is_asked_again_when_the_rules_see_something_new_or_after_a_while(
    worker: WorkerContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def write(name: str, messages: Any, plain: Summary, voice: Any) -> WordedSummary:
        asked.append(name)
        known = Line(text=f"wording {len(asked)}", ts=(at(5),))
        return WordedSummary(plain.model_copy(update={"known": (known,)}))

    monkeypatch.setattr(pinned_message, "open_summarizer", lambda _: Summarizer("model", write))
    note_channel(worker.ledger.database, *HERE)
    settle(worker)
    hear(worker, said(5, f"it may be said as {', '.join(f'wording {n}' for n in range(1, 9))}"))
    settle(worker)
    count = len(asked)
    assert f"wording {count}" in words_of(worker)
    hear(worker, said(20, "thanks!"))
    settle(worker)
    assert len(asked) == count
    hear(worker, said(30, "rollback done, no effect, still 5% of checkouts fail with 502"))
    settle(worker)
    assert len(asked) == count + 1
    last = read_snapshot(state(worker).summary)
    assert last is not None
    assert last.worded_at is not None
    old = last.model_copy(update={"worded_at": last.worded_at - timedelta(days=1)}).model_dump_json()
    with worker.ledger.database.begin() as connection:
        connection.execute(update(followed_channels).values(summary=old))
    hear(worker, said(31, "hm"))
    settle(worker)
    assert len(asked) == count + 2
    deleted = {"type": "message", "subtype": "message_deleted", "deleted_ts": at(5), "ts": at(32), "event_ts": at(32)}
    hear(worker, deleted)
    settle(worker)
    assert len(asked) > count + 2


def test_a_channel_that_is_not_about_an_incident_is_left(worker: WorkerContext) -> None:
    chat_of(worker).info = ChannelInfo("random", is_member=True)
    note_channel(worker.ledger.database, *HERE)
    settle(worker)
    assert state(worker).state == "left"
    assert chat_of(worker).messages == []


def test_a_marker_in_the_topic_is_enough(worker: WorkerContext) -> None:
    chat_of(worker).info = ChannelInfo("payments", topic=":rotating_light: Payments are down", is_member=True)
    note_channel(worker.ledger.database, *HERE)
    settle(worker)
    assert (state(worker).state, state(worker).why) == ("following", "topic")
    assert "Payments are down" in words_of(worker)


@pytest.mark.parametrize("join", [True, False])
def test_public_channels_are_joined_where_that_is_wanted(worker: WorkerContext, home: Path, join: bool) -> None:
    if join:
        (home / "config").mkdir(exist_ok=True)
        (home / "config" / "oracle.yaml").write_text("incidents: {join: true}\n")
        object.__setattr__(worker.oracle, "settings", load_settings(home=home))
    chat_of(worker).info = ChannelInfo("inc-42")
    note_channel(worker.ledger.database, *HERE)
    settle(worker)
    assert chat_of(worker).info.is_member is join
    assert state(worker).state == ("following" if join else "left")


def test_a_channel_whose_people_want_nothing_gets_nothing(worker: WorkerContext) -> None:
    note_channel(worker.ledger.database, *HERE)
    change_channel(worker.ledger.database, *HERE, ChannelSettings(mode="off"), "U1")
    settle(worker)
    assert state(worker).state == "off"
    assert chat_of(worker).messages == []


def test_a_paused_channel_listens_and_says_so_once(worker: WorkerContext) -> None:
    note_channel(worker.ledger.database, *HERE)
    settle(worker)
    pause_channel(worker.ledger.database, *HERE, paused=True)
    settle(worker)
    paused = len(chat_of(worker).updates)
    assert "Paused" in words_of(worker)
    hear(worker, said(30, "rollback done, no effect, still 5% of checkouts fail with 502"))
    settle(worker)
    assert len(chat_of(worker).updates) == paused
    pause_channel(worker.ledger.database, *HERE, paused=False)
    settle(worker)
    assert "Paused" not in words_of(worker)
    assert "no effect" in words_of(worker)


def test_a_channel_paused_before_its_message_stood_gets_it_when_it_goes_on(worker: WorkerContext) -> None:
    note_channel(worker.ledger.database, *HERE)
    pause_channel(worker.ledger.database, *HERE, paused=True)
    settle(worker)
    assert (chat_of(worker).messages, chat_of(worker).pins) == ([], [])
    pause_channel(worker.ledger.database, *HERE, paused=False)
    settle(worker)
    assert "Checkout" in words_of(worker)


@pytest.mark.parametrize("paused", [True, False])
def test_a_channel_that_is_read_once_more_since_nobody_heard_slack_is_told_nothing_of_that(
    worker: WorkerContext, paused: bool
) -> None:
    note_channel(worker.ledger.database, *HERE)
    settle(worker)
    if paused:
        pause_channel(worker.ledger.database, *HERE, paused=True)
        settle(worker)
    chat = chat_of(worker)
    before = len(chat.updates)
    note_connection(worker.ledger.database)
    with worker.ledger.database.begin(exclusive=True) as connection:
        connection.execute(update(hearing).values(at=hearing.c.at - 600))
    assert note_connection(worker.ledger.database) == 1
    chat.errors["page"] = [None, ChatBusy("ratelimited", 1.0), ChatBusy("ratelimited", 1.0)]
    settle(worker)
    assert chat.errors["page"] == []
    assert state(worker).read_done
    assert len(chat.updates) == before


def test_a_channel_that_is_paused_while_its_past_is_read_changes_once(worker: WorkerContext) -> None:
    chat = chat_of(worker)
    chat.history, chat.page_size = long_story(), 15
    chat.errors["page"] = [None, ChatBusy("ratelimited", 60), None, ChatBusy("ratelimited", 60)]
    note_channel(worker.ledger.database, *HERE)
    work_on(worker, CHANNEL_WORK, HERE)
    before = len(chat.updates)
    pause_channel(worker.ledger.database, *HERE, paused=True)
    settle(worker)
    assert state(worker).read_done
    assert len(chat.updates) == before + 1
    pause_channel(worker.ledger.database, *HERE, paused=False)
    settle(worker)
    assert "Reading earlier messages" not in words_of(worker)


def test_a_declared_incident_takes_the_message_that_opened_it(worker: WorkerContext) -> None:
    database = worker.ledger.database
    chat_of(worker).info = ChannelInfo("payments", is_member=True)
    incident = open_incident(database, *HERE, "Checkout fails", "U1", at=START)
    assert incident is not None
    place_incident(database, incident, "500.7")
    follow_declared(database, *HERE, at(-60))
    settle(worker)
    assert chat_of(worker).messages == []
    assert {ts for ts, _ in chat_of(worker).updates} == {"500.7"}
    resolve_incident(database, *HERE, "U1")
    follow_declared(database, *HERE, at(-60))
    settle(worker)
    assert "resolved" in all_text(chat_of(worker).updates[-1][1].blocks)
    assert state(worker).state == "left"


def test_a_message_that_was_deleted_is_posted_anew(worker: WorkerContext) -> None:
    note_channel(worker.ledger.database, *HERE)
    settle(worker)
    chat = chat_of(worker)
    chat.messages.clear()
    chat.errors["update"] = [ChatRefused("chat.update: message_not_found", "message_not_found")]
    hear(worker, said(30, "rollback done, no effect, still 5% of checkouts fail with 502"))
    settle(worker)
    assert len(chat.messages) == 1
    incident = active_incident(worker.ledger.database, *HERE)
    assert incident is not None
    assert incident.ts == chat.messages[0].ts


# --- reading what was said before ---------------------------------------------------------------------------------


def long_story(count: int = 70, replies: int = 12) -> list[dict[str, Any]]:
    story = [said(n / 10, f"message {n}") for n in range(count)]
    for n in (5, count * 2 // 7, count * 4 // 7):
        story[n] |= {"reply_count": replies, "thread_ts": story[n]["ts"]}
        story += [said(n / 10 + 0.001 * (r + 1), f"reply {r} to {n}", thread_ts=story[n]["ts"]) for r in range(replies)]
    return story


def test_every_page_and_every_thread_is_read_once(worker: WorkerContext) -> None:
    chat = chat_of(worker)
    chat.history, chat.page_size = long_story(), 15
    note_channel(worker.ledger.database, *HERE)
    settle(worker)
    assert len(load_messages(worker.ledger.database, *HERE)) == len(chat.history)
    assert state(worker).read_count == len(chat.history)


def test_a_slack_that_allows_one_page_at_a_time_is_waited_for(worker: WorkerContext) -> None:
    chat = chat_of(worker)
    chat.history, chat.page_size = long_story(), 15
    chat.errors["page"] = [None, ChatBusy("ratelimited", 60), None, ChatBusy("ratelimited", 60)]
    note_channel(worker.ledger.database, *HERE)
    work_on(worker, CHANNEL_WORK, HERE)
    assert "Reading earlier messages: 15 so far" in words_of(worker)
    work_on(worker, CHANNEL_WORK, HERE)
    assert state(worker).read_count == 15, "nothing happens before the time is over"
    settle(worker)
    assert len(load_messages(worker.ledger.database, *HERE)) == len(chat.history)
    assert "Reading earlier messages" not in words_of(worker)


@pytest.mark.parametrize("method", ["about", "page", "called", "permalink", "find", "post", "pin", "update"])
@pytest.mark.parametrize("calls", range(4))
def test_a_worker_that_dies_at_any_call_leaves_one_message_and_loses_none(
    worker: WorkerContext, method: str, calls: int
) -> None:
    chat = chat_of(worker)
    chat.history, chat.page_size = long_story(28, 5), 6
    chat.errors[method] = [None] * calls + [Killed()]
    note_channel(worker.ledger.database, *HERE)
    for _ in range(12):
        later(worker)
        try:
            work_on(worker, CHANNEL_WORK, HERE)
        except Killed:
            chat.history.append(said(100 + calls, "still failing"))
            hear(worker, chat.history[-1])
    assert len(chat.messages) == 1
    assert chat.pins == [chat.messages[0].ts]
    assert len(load_messages(worker.ledger.database, *HERE)) == len(chat.history)
    assert len(chat.history) == len(long_story(28, 5)) + (0 if chat.errors[method] else 1)


def test_a_worker_that_dies_after_its_post_was_taken_posts_no_second_one(worker: WorkerContext) -> None:
    chat = chat_of(worker)
    chat.after.append(Killed())
    note_channel(worker.ledger.database, *HERE)
    with pytest.raises(Killed):
        work_on(worker, CHANNEL_WORK, HERE)
    settle(worker)
    assert len(chat.messages) == 1


def test_an_unclear_answer_to_the_post_is_looked_into_later(worker: WorkerContext) -> None:
    chat = chat_of(worker)
    chat.after.append(ChatUnavailable("cut"))
    note_channel(worker.ledger.database, *HERE)
    work_on(worker, CHANNEL_WORK, HERE)
    work_on(worker, CHANNEL_WORK, HERE)
    assert chat.looks == 0, "a post may still be under way"
    settle(worker)
    assert chat.looks == 1
    assert len(chat.messages) == 1
    assert state(worker).failures == 0


def test_a_channel_that_cannot_be_read_any_more_is_left(worker: WorkerContext) -> None:
    note_channel(worker.ledger.database, *HERE)
    chat_of(worker).errors["page"] = [ChatRefused("conversations.history: not_in_channel", "not_in_channel")]
    settle(worker)
    assert state(worker).state == "left"


def test_what_always_fails_is_tried_ever_more_rarely(worker: WorkerContext, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("a mistake of ours")

    monkeypatch.setattr(follow_module, "show", broken)
    note_channel(worker.ledger.database, *HERE)
    settle(worker, 4)
    assert state(worker).failures == 4
    with worker.ledger.database.begin() as connection:
        pause_s = connection.execute(select(followed_channels.c.wait_until - now_s())).scalar_one()
    assert 230 < pause_s <= 240, "half a minute, one, two, four"


# --- the first look -----------------------------------------------------------------------------------------------


def looks(worker: WorkerContext) -> list[dict[str, Any]]:
    with worker.ledger.database.begin() as connection:
        return list(connection.execute(select(jobs.c.question)).scalars())


def test_an_incident_that_begins_is_looked_into_once(worker: WorkerContext) -> None:
    del chat_of(worker).history[2:]
    note_channel(worker.ledger.database, *HERE)
    settle(worker)
    hear(worker, said(30, "rollback done, no effect, still 5% of checkouts fail with 502"))
    settle(worker)
    (question,) = looks(worker)
    assert (question["text"], question["unasked"]) == ("What is wrong: Checkout?", True)
    assert question["thread_ts"] == chat_of(worker).messages[0].ts


def test_a_worker_killed_before_the_first_look_was_asked_for(
    worker: WorkerContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise Killed

    del chat_of(worker).history[2:]
    note_channel(worker.ledger.database, *HERE)
    with monkeypatch.context() as patched:
        patched.setattr(pinned_message, "triage_incident", killed)
        with pytest.raises(Killed):
            settle(worker)
    assert looks(worker) == []
    settle(worker)
    assert len(looks(worker)) == 1
    assert len(chat_of(worker).messages) == 1


def test_an_incident_that_is_over_is_not_looked_into(worker: WorkerContext) -> None:
    chat_of(worker).history.append(said(60, "calling it resolved, error rate is back to normal. Thanks all"))
    note_channel(worker.ledger.database, *HERE)
    settle(worker)
    assert "resolved" in words_of(worker)
    assert looks(worker) == []
