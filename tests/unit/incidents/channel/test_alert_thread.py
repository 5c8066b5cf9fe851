"""A group of alerts and its one message, with the store on SQLite and a chat in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from tests.support.chat_worker import chat_worker
from tests.support.memory_chat import FakeChat
from tests.unit.incidents.channel.test_follow_channel import Killed, all_text
from workers.bootstrap import build_engine
from workers.contracts import AlertEvent, AlertNotification
from workers.errors import ChatBusy, ChatRefused, ChatUnavailable
from workers.incidents.channel.alert_thread import GROUP_WORK
from workers.requests.lease_runner import work_on
from workers.requests.worker_context import WorkerContext
from workers.settings.load import load_settings
from workers.store.alert_groups import AlertGroup, group_of, record_notification
from workers.store.channels import ChannelSettings, change_channel
from workers.store.database_clock import now_s
from workers.store.followed_channels import follow_declared, pause_channel
from workers.store.tables import alert_groups, jobs, unasked

NOW = datetime.now(UTC)


@pytest.fixture
def worker(prepared_home: Path) -> Iterator[WorkerContext]:
    oracle = build_engine(load_settings(home=prepared_home))
    chat = FakeChat()
    with chat_worker(oracle, chat) as running:
        yield running


def chat_of(worker: WorkerContext) -> FakeChat:
    chat = worker.chats("T1")
    assert isinstance(chat, FakeChat)
    return chat


def alert(name: str = "a", start: float = -5, end: float | None = None) -> AlertEvent:
    return AlertEvent(
        fingerprint=name,
        name="SearchLatencyHigh",
        state="firing" if end is None else "resolved",
        starts_at=NOW + timedelta(minutes=start),
        ends_at=None if end is None else NOW + timedelta(minutes=end),
        labels={"service": "shop", "endpoint": "/api/search", "severity": "page", "shard": name},
    )


def tell(worker: WorkerContext, *events: AlertEvent, key: str = "k", at: datetime | None = None) -> int:
    told = AlertNotification(key=key, alerts=events)
    group_id = record_notification(worker.ledger.database, told, "C1", at)[1]
    assert group_id is not None
    return group_id


def show(worker: WorkerContext, group_id: int) -> AlertGroup:
    """What was postponed is due, leases of dead workers have ended; then a turn."""
    with worker.ledger.database.begin(exclusive=True) as connection:
        connection.execute(update(alert_groups).values(wait_until=0.0, lease_until=None))
    work_on(worker, GROUP_WORK, (group_id,))
    found = group_of(worker.ledger.database, group_id)
    assert found is not None
    return found


def pass_hour(worker: WorkerContext) -> None:
    """So much later that something may be said unasked again."""
    with worker.ledger.database.begin(exclusive=True) as connection:
        connection.execute(update(unasked).values(spoke_at=unasked.c.spoke_at - 3_601))
    pass_minutes(worker, 2)


def pass_minutes(worker: WorkerContext, minutes: int) -> None:
    """What is due within them is due now."""
    with worker.ledger.database.begin(exclusive=True) as connection:
        connection.execute(update(alert_groups).values(due_at=alert_groups.c.due_at - 60 * minutes))


def due_in_s(worker: WorkerContext) -> float:
    with worker.ledger.database.begin() as connection:
        return float(connection.execute(select(alert_groups.c.due_at - now_s())).scalar_one())


def asked(worker: WorkerContext) -> list[dict[str, Any]]:
    with worker.ledger.database.begin() as connection:
        return list(connection.execute(select(jobs.c.question)).scalars())


def says(worker: WorkerContext) -> str:
    """What the one message says by now."""
    chat = chat_of(worker)
    assert len(chat.messages) == 1
    return all_text((chat.updates[-1][1] if chat.updates else chat.messages[0].post).blocks)


def test_one_message_a_group_changed_when_its_alerts_change(worker: WorkerContext) -> None:
    group_id = tell(worker, alert())
    group = show(worker, group_id)
    (message,) = chat_of(worker).messages
    assert (message.place.channel, message.place.thread_ts, message.place.team) == ("C1", "", "T1")
    assert message.key == f"alerts-{group_id}:root"
    assert (group.ts, group.team, group.shown) == (message.ts, "T1", 1)
    show(worker, group_id)
    assert chat_of(worker).updates == [], "nothing was told since"
    tell(worker, alert(), alert("b", -1))
    show(worker, group_id)
    assert "2 of 2 firing" in says(worker)
    tell(worker, alert(end=0), alert("b", -1, 0))
    group = show(worker, group_id)
    assert "resolved" in says(worker)
    assert (group.state, group.shown) == ("resolved", group.version)


def test_the_first_look_is_asked_for_once_in_the_thread(worker: WorkerContext) -> None:
    group_id = tell(worker, alert())
    group = show(worker, group_id)
    (question,) = asked(worker)
    assert question["text"] == "Why is SearchLatencyHigh firing for shop /api/search?"
    assert (question["source"], question["unasked"], question["asker"]) == ("alert", True, "")
    assert (question["channel"], question["thread_ts"], question["team"]) == ("C1", group.ts, "T1")
    tell(worker, alert(), alert("b", -1))
    tell(worker, alert(end=0), alert("b", -1, 0))
    show(worker, group_id)
    tell(worker, alert("c", 2))
    assert show(worker, group_id).state == "firing"
    assert len(asked(worker)) == 1


def test_a_worker_killed_before_it_knew_that_its_question_was_taken(worker: WorkerContext) -> None:
    group_id = tell(worker, alert())
    show(worker, group_id)
    with worker.ledger.database.begin(exclusive=True) as connection:
        connection.execute(update(alert_groups).values(looked=False, due_at=0.0))
    show(worker, group_id)
    assert len(asked(worker)) == 1


def test_what_ended_before_anybody_looked_is_told_and_not_looked_into(worker: WorkerContext) -> None:
    group_id = tell(worker, alert())
    tell(worker, alert(end=-1))
    show(worker, group_id)
    assert "lasted 4 min" in says(worker)
    assert asked(worker) == []


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_worker_killed_around_its_post(worker: WorkerContext, when: str) -> None:
    group_id = tell(worker, alert())
    getattr(chat_of(worker), when).append(Killed())
    with pytest.raises(Killed):
        show(worker, group_id)
    group = show(worker, group_id)
    (message,) = chat_of(worker).messages
    assert group.ts == message.ts
    assert len(asked(worker)) == 1


@pytest.mark.parametrize("when", ["before", "after"])
def test_an_unclear_answer_posts_nothing_twice(worker: WorkerContext, when: str) -> None:
    group_id = tell(worker, alert())
    getattr(chat_of(worker), when).append(ChatUnavailable("no answer"))
    assert show(worker, group_id).delays == 1
    assert show(worker, group_id).delays == 0
    assert len(chat_of(worker).messages) == 1


def test_a_busy_channel_and_one_that_is_closed_are_tried_again(worker: WorkerContext) -> None:
    group_id = tell(worker, alert())
    chat_of(worker).errors["post"] = [ChatBusy("busy", 3), ChatRefused("no", "not_in_channel"), None]
    assert show(worker, group_id).failures == 0
    assert show(worker, group_id).failures == 1
    assert show(worker, group_id).ts
    assert len(chat_of(worker).messages) == 1


def test_a_message_that_was_deleted_is_posted_again(worker: WorkerContext) -> None:
    group_id = tell(worker, alert())
    show(worker, group_id)
    chat = chat_of(worker)
    chat.messages.clear()
    chat.errors["update"] = [ChatRefused("gone", "message_not_found")]
    tell(worker, alert("b", -1))
    group = show(worker, group_id)
    assert [m.ts for m in chat.messages] == [group.ts]


def test_a_channel_that_wants_nothing_gets_nothing(worker: WorkerContext) -> None:
    database = worker.ledger.database
    change_channel(database, "T1", "C1", ChannelSettings(mode="off"), "U1")
    group_id = tell(worker, alert())
    assert show(worker, group_id).ts == ""
    assert chat_of(worker).messages == []
    assert asked(worker) == []
    change_channel(database, "T1", "C1", ChannelSettings(mode="mentions"), "U1")
    with database.begin(exclusive=True) as connection:
        connection.execute(update(alert_groups).values(due_at=alert_groups.c.due_at - 301))
    assert show(worker, group_id).ts, "it is asked again, after a while"


@pytest.mark.parametrize("declared", [True, False])
def test_a_paused_channel_gets_nothing_until_it_goes_on(worker: WorkerContext, declared: bool) -> None:
    database = worker.ledger.database
    if declared:
        follow_declared(database, "T1", "C1", "")
    pause_channel(database, "T1", "C1", paused=True)
    group_id = tell(worker, alert())
    assert show(worker, group_id).ts == ""
    pause_channel(database, "T1", "C1", paused=False)
    tell(worker, alert("b", -1))
    assert show(worker, group_id).ts


@pytest.mark.parametrize("days", [0, 2])
def test_what_ended_in_a_pause_is_said_when_the_channel_goes_on(worker: WorkerContext, days: int) -> None:
    database = worker.ledger.database
    group_id = tell(worker, alert())
    show(worker, group_id)
    pause_channel(database, "T1", "C1", paused=True)
    tell(worker, alert(end=0))
    with database.begin(exclusive=True) as connection:
        connection.execute(update(alert_groups).values(told_at=NOW - timedelta(days=days)))
    show(worker, group_id)
    assert "resolved" not in says(worker)
    pause_channel(database, "T1", "C1", paused=False)
    pass_minutes(worker, 6)
    show(worker, group_id)
    assert "resolved" in says(worker)


def test_that_nobody_told_of_a_group_is_said_when_the_channel_goes_on(worker: WorkerContext) -> None:
    database = worker.ledger.database
    group_id = tell(worker, alert())
    show(worker, group_id)
    pause_channel(database, "T1", "C1", paused=True)
    with database.begin(exclusive=True) as connection:
        connection.execute(update(alert_groups).values(told_at=NOW - timedelta(hours=25), due_at=0.0))
    show(worker, group_id)
    pause_channel(database, "T1", "C1", paused=False)
    pass_minutes(worker, 6)
    show(worker, group_id)
    assert "nobody knows whether it still fires" in says(worker)


def test_what_began_and_ended_in_a_pause_is_not_told_after_it(worker: WorkerContext) -> None:
    pause_channel(worker.ledger.database, "T1", "C1", paused=True)
    group_id = tell(worker, alert())
    show(worker, group_id)
    tell(worker, alert(end=0))
    show(worker, group_id)
    pause_channel(worker.ledger.database, "T1", "C1", paused=False)
    pass_minutes(worker, 6)
    assert show(worker, group_id).ts == ""


def test_a_group_that_nobody_told_of_for_a_day(worker: WorkerContext) -> None:
    group_id = tell(worker, alert())
    show(worker, group_id)
    with worker.ledger.database.begin(exclusive=True) as connection:
        connection.execute(update(alert_groups).values(told_at=NOW - timedelta(hours=25), due_at=0.0))
    show(worker, group_id)
    assert "nobody knows whether it still fires" in says(worker)
    told = AlertNotification(key="k", alerts=(alert(),))
    assert record_notification(worker.ledger.database, told, "C1")[1] == group_id
    show(worker, group_id)
    assert "nobody knows" not in says(worker)


def test_groups_have_threads_of_their_own(worker: WorkerContext) -> None:
    first, second = tell(worker, alert()), tell(worker, alert("b"), key="other")
    assert show(worker, first).ts != show(worker, second).ts


def test_first_looks_in_one_channel_take_turns_while_their_alerts_fire(worker: WorkerContext) -> None:
    ids = [tell(worker, alert(f"a{i}"), key=f"k{i}") for i in range(4)]
    assert [show(worker, group_id).looked for group_id in ids] == [True, False, False, False]
    tell(worker, alert("a1", end=0), key="k1")
    pass_hour(worker)
    assert [show(worker, group_id).looked for group_id in ids] == [True, False, True, False]
    assert [question["thread_ts"] for question in asked(worker)] == [show(worker, i).ts for i in (ids[0], ids[2])]
    assert len(chat_of(worker).messages) == 4, "each group has its thread"


def test_where_nothing_is_to_be_said_unasked_groups_have_their_messages_alone(worker: WorkerContext) -> None:
    settings = load_settings({"oracle.incidents.unprompted_per_hour": 0}, home=worker.oracle.settings.home)
    quiet = replace(worker, oracle=replace(worker.oracle, settings=settings))
    group_id = tell(quiet, alert())
    assert show(quiet, group_id).ts
    assert asked(quiet) == []
    assert due_in_s(quiet) > 3_600
