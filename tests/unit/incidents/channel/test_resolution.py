"""The end of an incident, with the store on SQLite and a chat in memory: it ends by itself, and is drafted once."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

import pytest
from sqlalchemy import select, update

from tests.support.engine_fakes import FakeToolbox
from tests.support.memory_chat import FakeChat
from tests.unit.engine.test_run import LANDSCAPE, metrics
from tests.unit.incidents.channel.test_follow_channel import (
    HERE,
    START,
    Killed,
    all_text,
    at,
    chat_of,
    desk,
    hear,
    later,
    said,
    settle,
    state,
    words_of,
)
from workers.contracts import Correction, Deploy, Evidence, Fact, Question, RequestLog, ToolOutput
from workers.errors import ChatBusy, ChatRefused, ChatUnavailable, LeaseLost
from workers.incidents.channel import resolution
from workers.incidents.channel.alert_triage import id_of, name_of
from workers.incidents.channel.follow_channel import CHANNEL_WORK
from workers.incidents.channel.resolution import draft
from workers.incidents.summary.snapshot import read_last
from workers.ports import ChannelInfo, Place
from workers.requests.lease_runner import work_on
from workers.requests.worker_context import Desk, Lease
from workers.settings.load import load_settings
from workers.sources.connections.open_sources import POSTMORTEMS
from workers.store.channel_leases import CHANNELS
from workers.store.database_clock import now_s
from workers.store.deploys import record_deploys
from workers.store.followed_channels import follow_declared, make_due, note_channel, pause_channel
from workers.store.incidents import Incident, incident_of, open_incident, place_incident, resolve_incident
from workers.store.tables import followed_channels, unasked
from workers.store.timeline_corrections import correct
from workers.store.unprompted_posts import take_turn

__all__ = ["desk"]
OVER = "I'm IC. Calling it resolved, error rate is back to normal. Thanks all"
BACK = "it's back: checkout error rate is 7% again, we are investigating"


def follow(desk: Desk, *more: dict[str, object]) -> FakeChat:
    """The channel of an incident, read and shown."""
    chat = chat_of(desk)
    chat.history.extend(more)
    note_channel(desk.inbox.database, *HERE)
    settle(desk)
    return chat


def end(desk: Desk) -> None:
    """Someone ends it, and the worker hears of it."""
    resolve_incident(desk.inbox.database, *HERE, "U1MAYA")
    make_due(desk.inbox.database, *HERE)
    settle(desk)


def minute() -> float:
    """This moment, as `said` counts."""
    return (datetime.now(UTC) - START).total_seconds() / 60


def declare(desk: Desk, title: str, ago: float = 0) -> int:
    """Someone declared an incident so many minutes ago, and the worker hears of it."""
    opened_at = datetime.now(UTC) - timedelta(minutes=ago)
    found = open_incident(desk.inbox.database, *HERE, title, "U1MAYA", at=opened_at)
    assert found is not None
    place_incident(desk.inbox.database, found, f"900.{found}")
    follow_declared(desk.inbox.database, *HERE, at(minute() - ago - 60))
    settle(desk)
    return found


def quiet_minutes(desk: Desk, home: Path, settled_min: float) -> None:
    """An incident that is called over ends after so many quiet minutes."""
    (home / "config").mkdir(exist_ok=True)
    (home / "config" / "oracle.yaml").write_text(f"incidents: {{settled_min: {settled_min}}}\n")
    object.__setattr__(desk.oracle, "settings", load_settings(home=home))


def told(desk: Desk, number: int) -> str:
    """What the message of a declared incident says."""
    return all_text([post.blocks for ts, post in chat_of(desk).updates if ts == f"900.{number}"][-1])


def incident(desk: Desk) -> Incident:
    found = incident_of(desk.inbox.database, state(desk).incident_id)
    assert found is not None
    return found


def due_in_s(desk: Desk) -> float | None:
    """Seconds until its channel is due; None when it is not."""
    with desk.inbox.database.begin() as connection:
        return connection.execute(select(followed_channels.c.due_at - now_s())).scalar()


def kept(desk: Desk) -> list[Path]:
    return sorted((desk.oracle.settings.home / POSTMORTEMS / HERE[0]).glob("*"))


# --- when it ends ---------------------------------------------------------------------------------------------------


def test_what_a_channel_calls_over_ends_after_quiet_minutes(desk: Desk) -> None:
    chat = follow(desk, said(60, OVER))
    assert (incident(desk).status, incident(desk).resolved_by) == ("resolved", "")
    (shared,) = chat.documents
    assert shared[0].thread_ts == chat.messages[0].ts
    assert "resolved" in words_of(desk)


def test_what_was_called_over_a_moment_ago_waits(desk: Desk) -> None:
    now = minute()
    chat = follow(desk, said(now - 1, OVER))
    assert incident(desk).status == "active"
    assert chat.documents == []
    assert 28 * 60 < (due_in_s(desk) or 0) < 30 * 60
    hear(desk, said(now - 0.5, BACK, "U2TOMAS"))
    settle(desk)
    assert due_in_s(desk) is None
    assert incident(desk).status == "active"


def test_none_ends_while_its_channel_is_paused(desk: Desk, home: Path) -> None:
    follow(desk, said(minute() - 10, OVER))
    pause_channel(desk.inbox.database, *HERE, paused=True)
    hear(desk, said(minute() - 5, BACK, "U2TOMAS"))
    quiet_minutes(desk, home, 1)
    settle(desk)
    assert incident(desk).status == "active"
    pause_channel(desk.inbox.database, *HERE, paused=False)
    settle(desk)
    assert incident(desk).status == "active"


def test_whatever_is_said_meanwhile_is_waited_for(desk: Desk) -> None:
    now = minute()
    follow(desk, said(now - 20, OVER))
    before = words_of(desk)
    hear(desk, said(now - 1, "thanks!"))
    settle(desk)
    assert words_of(desk) == before
    assert 28 * 60 < (due_in_s(desk) or 0) < 30 * 60


def test_one_that_is_declared_while_the_one_before_ends_by_itself_goes_on(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[int | None] = []

    def late(*args: Any, **more: Any) -> None:
        if not found:
            resolve_incident(desk.inbox.database, *HERE, "U1MAYA")
            found.append(open_incident(desk.inbox.database, *HERE, "Search is down", "U1MAYA", "900.1"))
        resolve_incident(*args, **more)

    monkeypatch.setattr(resolution, "resolve_incident", late)
    follow(desk, said(60, OVER))
    assert [incident(desk).id] == found
    assert incident(desk).status == "active"


def test_one_that_ended_by_itself_goes_on_when_it_is_back(desk: Desk) -> None:
    chat = follow(desk, said(60, OVER))
    hear(desk, said(110, f"I'm IC. {BACK}"))
    settle(desk)
    assert (incident(desk).status, incident(desk).resolved_at) == ("active", None)
    assert "resolved" not in str(chat.updates[-1][1].blocks[0])
    assert len(chat.documents) == 1


def test_one_that_people_declared_goes_on_too_when_it_is_back_within_a_day(desk: Desk) -> None:
    chat_of(desk).info = ChannelInfo("payments", is_member=True)
    chat_of(desk).history = [said(0, "SEV2: checkout error rate is 5%. Customers see 502."), said(60, OVER)]
    declare(desk, "Checkout fails", ago=115)
    assert (incident(desk).status, incident(desk).resolved_by, state(desk).state) == ("resolved", "", "following")
    assert 22 * 3_600 < (due_in_s(desk) or 0) < 24 * 3_600
    hear(desk, said(110, f"I'm IC. {BACK}"))
    settle(desk)
    assert (incident(desk).status, state(desk).state) == ("active", "following")


def test_a_declared_one_that_ended_by_itself_is_left_after_a_day(desk: Desk) -> None:
    chat_of(desk).info = ChannelInfo("payments", is_member=True)
    day = 24 * 60
    chat_of(desk).history = [said(-day, "SEV2: checkout error rate is 5%. Customers see 502."), said(60 - day, OVER)]
    declare(desk, "Checkout fails", ago=day + 115)
    assert (incident(desk).status, incident(desk).resolved_by, state(desk).state) == ("resolved", "", "left")
    assert len(chat_of(desk).documents) == 1


def test_what_goes_out_long_after_its_end_is_not_in_its_timeline(desk: Desk) -> None:
    follow(desk, said(60, OVER))
    times = {"v8": -10, "v9": 60 + 10, "v10": 60 + 20}
    deploys = [Deploy(service="payments", version=v, at=START + timedelta(minutes=m)) for v, m in times.items()]
    assert record_deploys(desk.inbox.database, deploys) == 3
    hear(desk, said(110, "nice postmortem"))
    settle(desk)
    last = read_last(state(desk).summary)
    assert last is not None
    told = [entry.text for entry in last.summary.timeline if entry.evidence]
    assert len(told) == 2
    assert not any("v10" in text for text in told)


def test_what_people_ended_stays_ended(desk: Desk) -> None:
    follow(desk)
    end(desk)
    hear(desk, said(110, f"I'm IC. {BACK}"))
    settle(desk)
    assert incident(desk).status == "resolved"


# --- another one in its channel -------------------------------------------------------------------------------------


def test_a_second_incident_has_a_story_of_its_own(desk: Desk) -> None:
    chat = follow(
        desk, said(20, "found it: the connection pool is exhausted since the deploy of pool-size 5"), said(60, OVER)
    )
    second = declare(desk, "Search is down")
    assert (incident(desk).id, incident(desk).status, incident(desk).title) == (second, "active", "Search is down")
    assert len(chat.documents) == 1
    assert not any(word in told(desk, second) for word in ("502", "pool", "resolved"))
    hear(desk, said(minute(), "search answers 503 for all customers"))
    settle(desk)
    assert "503" in told(desk, second)


def test_of_what_was_said_before_a_second_incident_the_end_of_the_first_is_not_its(desk: Desk) -> None:
    chat_of(desk).info = ChannelInfo("payments", is_member=True)
    declare(desk, "Checkout fails")
    resolve_incident(desk.inbox.database, *HERE, "U1MAYA", at=datetime.now(UTC) - timedelta(minutes=30))
    make_due(desk.inbox.database, *HERE)
    settle(desk)
    more = ((40, "the pool is exhausted"), (29, OVER), (5, "search answers 503 for all customers"))
    chat_of(desk).history.extend(said(minute() - ago, text) for ago, text in more)
    second = declare(desk, "Search is down")
    assert incident(desk).status == "active"
    assert "503" in told(desk, second)
    assert not any(word in told(desk, second) for word in ("pool", "resolved"))


def test_what_a_channel_called_over_before_people_declared_it_goes_on(desk: Desk) -> None:
    chat_of(desk).info = ChannelInfo("payments", is_member=True)
    more = ((50, "SEV2: checkout error rate is 5%, investigating. Customers see 502."), (40, OVER))
    chat_of(desk).history = [said(minute() - ago, text) for ago, text in more]
    declare(desk, "Checkout fails")
    assert incident(desk).status == "active"
    assert due_in_s(desk) is None


# --- its draft ------------------------------------------------------------------------------------------------------


def test_it_is_drafted_once_whatever_becomes_known_later(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    chat = follow(desk)
    end(desk)
    looks: list[str] = []
    monkeypatch.setattr(chat, "holds", lambda place, name: looks.append(name) or False)
    began = incident(desk).opened_at.replace(year=2025)
    correction = Correction(at=began, kind="detected", text="the first customer wrote", by="U1MAYA", said_at=began)
    correct(desk.inbox.database, incident(desk).id, correction)
    make_due(desk.inbox.database, *HERE)
    settle(desk)
    assert "the first customer wrote" in words_of(desk)
    assert looks == []
    assert len(chat.documents) == len(kept(desk)) == 1


def spoke(desk: Desk, ago_s: float) -> None:
    """Something was said unasked in its channel so long ago; and it is looked after again."""
    take_turn(desk.inbox.database, *HERE, 1, "another")
    with desk.inbox.database.begin(exclusive=True) as connection:
        connection.execute(update(unasked).values(spoke_at=now_s() - ago_s))
        connection.execute(update(followed_channels).values(due_at=now_s()))


def test_the_draft_after_an_end_by_itself_waits_until_something_unasked_may_be_said(desk: Desk) -> None:
    chat = follow(desk)
    spoke(desk, 600)
    hear(desk, said(60, OVER))
    settle(desk)
    assert (incident(desk).status, chat.documents) == ("resolved", [])
    assert 49 * 60 < (due_in_s(desk) or 0) <= 50 * 60
    spoke(desk, 3_600)
    settle(desk)
    assert len(chat.documents) == 1
    assert not take_turn(desk.inbox.database, *HERE, 1, "another")
    assert due_in_s(desk) is None


def test_a_declared_incident_is_not_left_while_its_draft_waits(desk: Desk) -> None:
    chat = chat_of(desk)
    chat.info = ChannelInfo("payments", is_member=True)
    day = 24 * 60
    chat.history = [said(-day, "SEV2: checkout error rate is 5%. Customers see 502."), said(60 - day, OVER)]
    follow_declared(desk.inbox.database, *HERE, at(-2 * day))
    spoke(desk, 600)
    declare(desk, "Checkout fails", ago=day + 115)
    assert (incident(desk).status, state(desk).state, chat.documents) == ("resolved", "following", [])
    spoke(desk, 3_600)
    settle(desk)
    assert (state(desk).state, len(chat.documents)) == ("left", 1)


def test_a_draft_that_waited_takes_one_turn_however_often_it_does_not_get_through(desk: Desk) -> None:
    chat = chat_of(desk)
    chat.errors["share"] = [ChatBusy("ratelimited", 1.0), ChatUnavailable("cut")]
    follow(desk, said(60, OVER))
    assert len(chat.documents) == 1


def test_a_draft_that_cannot_be_kept_is_shared_all_the_same(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    folder = desk.oracle.settings.home / POSTMORTEMS
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("no folder")
    chat = follow(desk)
    end(desk)
    assert len(chat.documents) == 1
    assert "cannot be searched" in caplog.text


def test_what_whoever_ended_it_said_stands_in_it_under_their_name(desk: Desk) -> None:
    chat = follow(desk)
    resolve_incident(desk.inbox.database, *HERE, "U1MAYA", note="back on pool-size 20, OPS-12 is the follow-up")
    make_due(desk.inbox.database, *HERE)
    settle(desk)
    ((_, document, _),) = chat.documents
    name, _ = chat.called("U1MAYA")
    assert name
    assert f"- **{name} said with its end:** back on pool-size 20, OPS-12 is the follow-up [[1]](http" in document.text


def test_a_worker_killed_after_slack_took_the_draft(desk: Desk) -> None:
    chat = follow(desk)
    chat.after.append(Killed())
    resolve_incident(desk.inbox.database, *HERE, "U1MAYA")
    make_due(desk.inbox.database, *HERE)
    with pytest.raises(Killed):
        settle(desk)
    settle(desk)
    assert len(chat.documents) == len(kept(desk)) == 1


@pytest.mark.parametrize("error", [ChatUnavailable("cut"), Killed()])
def test_a_draft_that_did_not_get_through_is_shared_later(desk: Desk, error: BaseException) -> None:
    chat = follow(desk)
    chat.before.append(error)
    resolve_incident(desk.inbox.database, *HERE, "U1MAYA")
    make_due(desk.inbox.database, *HERE)
    try:
        settle(desk)
    except Killed:
        settle(desk)
    assert len(chat.documents) == 1


def test_a_draft_that_slack_refuses_is_kept_and_tried_no_more(desk: Desk) -> None:
    chat = follow(desk)
    chat.errors["share"] = [ChatRefused("no files here", "missing_scope")]
    end(desk)
    assert len(kept(desk)) == 1
    assert (state(desk).failures, due_in_s(desk)) == (0, None)
    hear(desk, said(70, "rollback done, no effect, still 5% of checkouts fail with 502"))
    settle(desk)
    assert "no effect" in words_of(desk)
    assert chat.documents == []


def test_a_paused_channel_gets_its_draft_when_it_goes_on(desk: Desk) -> None:
    chat = follow(desk)
    pause_channel(desk.inbox.database, *HERE, paused=True)
    end(desk)
    assert chat.documents == []
    pause_channel(desk.inbox.database, *HERE, paused=False)
    settle(desk)
    assert len(chat.documents) == 1


def test_a_channel_that_is_paused_when_people_end_its_declared_incident_gets_its_draft_too(desk: Desk) -> None:
    chat = chat_of(desk)
    chat.info = ChannelInfo("payments", is_member=True)
    declare(desk, "Checkout fails")
    hear(desk, said(minute(), "SEV2: checkout error rate is 5%, customers see 502"))
    settle(desk)
    pause_channel(desk.inbox.database, *HERE, paused=True)
    resolve_incident(desk.inbox.database, *HERE, "U1MAYA")
    hear(desk, said(minute(), "thanks all"))
    settle(desk)
    assert (state(desk).state, chat.documents) == ("following", [])
    assert pause_channel(desk.inbox.database, *HERE, paused=False)
    settle(desk)
    assert (state(desk).state, len(chat.documents)) == ("left", 1)


def test_a_draft_without_metrics_says_that_nothing_was_measured(desk: Desk) -> None:
    chat = follow(desk)
    end(desk)
    ((_, document, _),) = chat.documents
    assert "_Not measured:_ error\\_ratio, latency\\_p95, traffic: no metrics source is connected" in document.text


@pytest.mark.parametrize("status", ["error", "timeout", "denied", "empty"])
def test_tools_that_fail_stop_no_draft(desk: Desk, status: Literal["error", "timeout", "denied", "empty"]) -> None:
    box = FakeToolbox(LANDSCAPE, metrics_query=lambda _: ToolOutput(status=status, reason="the reason"))
    desk = replace(desk, oracle=replace(desk.oracle, engine=replace(desk.oracle.engine, toolbox=box)))
    chat = follow(desk)
    end(desk)
    ((_, document, _),) = chat.documents
    assert "the reason." in document.text.partition("_Not measured:_")[2]


def test_what_the_first_look_saw_move_is_measured_too(desk: Desk) -> None:
    box = FakeToolbox(LANDSCAPE, metrics_query=metrics)
    desk = replace(desk, oracle=replace(desk.oracle, engine=replace(desk.oracle.engine, toolbox=box)))
    chat = follow(desk)
    place = Place("C1", chat.messages[0].ts, "T1")
    looked = id_of(place, name_of(incident(desk).id))
    queue = Evidence(
        kind="metric",
        title="jobs waiting in queues of till",
        locator="queue_length",
        facts={
            "metric_name": Fact(value="queue_length"),
            "service": Fact(value="till"),
            "direction": Fact(value="rose"),
        },
    )
    question = Question(request_id=looked, text="What is wrong?", received_at=START)
    desk.oracle.store.save(RequestLog(request_id=looked, question=question, evidence=(queue,)))
    end(desk)
    asked = [str(call.args["query"]) for call in box.made]
    assert [query.split()[0] for query in asked][-1] == "metric=queue_length"
    assert asked[-1].endswith(" service=till")
    assert len(chat.documents) == 1


def test_the_draft_of_a_private_channel_stays_in_it(desk: Desk) -> None:
    chat = chat_of(desk)
    chat.info = ChannelInfo("inc-checkout", is_member=True, is_private=True)
    follow(desk)
    end(desk)
    assert len(chat.documents) == 1
    assert kept(desk) == []


def test_a_draft_that_people_changed_stays_as_they_left_it(desk: Desk) -> None:
    chat = follow(desk)
    chat.before.append(ChatUnavailable("cut"))
    resolve_incident(desk.inbox.database, *HERE, "U1MAYA")
    make_due(desk.inbox.database, *HERE)
    work_on(desk, CHANNEL_WORK, HERE)
    (path,) = kept(desk)
    path.write_text("# What we learned\n")
    settle(desk)
    assert len(chat.documents) == 1
    assert path.read_text() == "# What we learned\n"


def test_a_draft_that_has_to_wait_is_measured_once(desk: Desk) -> None:
    box = FakeToolbox(LANDSCAPE, metrics_query=metrics)
    desk = replace(desk, oracle=replace(desk.oracle, engine=replace(desk.oracle.engine, toolbox=box)))
    chat = chat_of(desk)
    chat.info = ChannelInfo("inc-checkout", is_member=True, is_private=True)
    follow(desk)
    chat.errors["holds"] = [ChatBusy("ratelimited", 1.0)]
    chat.errors["share"] = [ChatBusy("ratelimited", 1.0), ChatUnavailable("cut")]
    end(desk)
    asked = [str(call.args["query"]) for call in box.made]
    assert len(asked) == len(set(asked)) > 0
    assert len(chat.documents) == 1
    last = read_last(state(desk).summary)
    assert last is not None
    assert (last.drafted, last.draft) == (True, "")


def test_one_that_goes_on_before_its_draft_was_shared_is_drafted_anew(desk: Desk) -> None:
    now = minute()
    chat = chat_of(desk)
    chat.errors["share"] = [ChatBusy("ratelimited", 1.0)]
    chat.history.append(said(60, OVER))
    note_channel(desk.inbox.database, *HERE)
    while not (last := read_last(state(desk).summary)) or not last.draft:
        later(desk)
        work_on(desk, CHANNEL_WORK, HERE)
    hear(desk, said(now - 2, f"I'm IC. {BACK}"))
    settle(desk)
    assert (incident(desk).status, chat.documents) == ("active", [])
    hear(desk, said(now - 1, OVER))
    settle(desk)
    end(desk)
    ((_, document, _),) = chat.documents
    assert "7%" in document.text


def test_a_worker_that_lost_its_channel_shares_no_draft(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    chat = follow(desk)
    resolve_incident(desk.inbox.database, *HERE, "U1MAYA")
    make_due(desk.inbox.database, *HERE)
    later(desk)
    held = CHANNELS.claim(desk.inbox.database, HERE, 60)
    assert held is not None
    lease = Lease("channel C1")

    def taken(place: Place, name: str) -> bool:
        lease.lost.set()
        return False

    with monkeypatch.context() as patched:
        patched.setattr(chat, "holds", taken)
        with pytest.raises(LeaseLost):
            draft(desk, chat, held, lease)
    assert chat.documents == []
    settle(desk)
    assert len(chat.documents) == 1


def test_the_metrics_of_a_draft_have_more_time_than_a_question(desk: Desk, home: Path) -> None:
    (home / "config").mkdir(exist_ok=True)
    (home / "config" / "oracle.yaml").write_text("incidents: {postmortem: {tools_total_ms: 9000}}\n")
    object.__setattr__(desk.oracle, "settings", load_settings(home=home))
    box = FakeToolbox(LANDSCAPE, metrics_query=metrics)
    desk = replace(desk, oracle=replace(desk.oracle, engine=replace(desk.oracle.engine, toolbox=box)))
    follow(desk)
    end(desk)
    (limits,) = box.opened
    assert (limits.tool_timeout_ms, limits.tools_total_ms, limits.max_tool_calls) == (15_000, 9_000, len(box.made))
