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
    hear,
    later,
    said,
    settle,
    state,
    words_of,
    worker,
)
from workers.contracts import Correction, Deploy, Evidence, Fact, Question, RequestLog, ToolOutput
from workers.errors import ChatBusy, ChatRefused, ChatUnavailable, LeaseLost
from workers.incidents.channel import resolution
from workers.incidents.channel.alert_triage import id_of, name_of
from workers.incidents.channel.follow_channel import CHANNEL_WORK
from workers.incidents.channel.resolution import draft
from workers.incidents.summary.snapshot import read_snapshot
from workers.ports import ChannelInfo, Place
from workers.requests.lease_heartbeat import Lease
from workers.requests.lease_runner import work_on
from workers.requests.worker_context import WorkerContext
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

__all__ = ["worker"]
OVER = "I'm IC. Calling it resolved, error rate is back to normal. Thanks all"
BACK = "it's back: checkout error rate is 7% again, we are investigating"


def follow(worker: WorkerContext, *more: dict[str, object]) -> FakeChat:
    """The channel of an incident, read and shown."""
    chat = chat_of(worker)
    chat.history.extend(more)
    note_channel(worker.ledger.database, *HERE)
    settle(worker)
    return chat


def end(worker: WorkerContext) -> None:
    """Someone ends it, and the worker hears of it."""
    resolve_incident(worker.ledger.database, *HERE, "U1MAYA")
    make_due(worker.ledger.database, *HERE)
    settle(worker)


def minute() -> float:
    """This moment, as `said` counts."""
    return (datetime.now(UTC) - START).total_seconds() / 60


def declare(worker: WorkerContext, title: str, ago: float = 0) -> int:
    """Someone declared an incident so many minutes ago, and the worker hears of it."""
    opened_at = datetime.now(UTC) - timedelta(minutes=ago)
    found = open_incident(worker.ledger.database, *HERE, title, "U1MAYA", at=opened_at)
    assert found is not None
    place_incident(worker.ledger.database, found, f"900.{found}")
    follow_declared(worker.ledger.database, *HERE, at(minute() - ago - 60))
    settle(worker)
    return found


def quiet_minutes(worker: WorkerContext, home: Path, settled_min: float) -> None:
    """An incident that is called over ends after so many quiet minutes."""
    (home / "config").mkdir(exist_ok=True)
    (home / "config" / "oracle.yaml").write_text(f"incidents: {{settled_min: {settled_min}}}\n")
    object.__setattr__(worker.oracle, "settings", load_settings(home=home))


def told(worker: WorkerContext, number: int) -> str:
    """What the message of a declared incident says."""
    return all_text([post.blocks for ts, post in chat_of(worker).updates if ts == f"900.{number}"][-1])


def incident(worker: WorkerContext) -> Incident:
    found = incident_of(worker.ledger.database, state(worker).incident_id)
    assert found is not None
    return found


def due_in_s(worker: WorkerContext) -> float | None:
    """Seconds until its channel is due; None when it is not."""
    with worker.ledger.database.begin() as connection:
        return connection.execute(select(followed_channels.c.due_at - now_s())).scalar()


def kept(worker: WorkerContext) -> list[Path]:
    return sorted((worker.oracle.settings.home / POSTMORTEMS / HERE[0]).glob("*"))


# --- when it ends ---------------------------------------------------------------------------------------------------


def test_what_a_channel_calls_over_ends_after_quiet_minutes(worker: WorkerContext) -> None:
    chat = follow(worker, said(60, OVER))
    assert (incident(worker).status, incident(worker).resolved_by) == ("resolved", "")
    (shared,) = chat.documents
    assert shared[0].thread_ts == chat.messages[0].ts
    assert "resolved" in words_of(worker)


def test_what_was_called_over_a_moment_ago_waits(worker: WorkerContext) -> None:
    now = minute()
    chat = follow(worker, said(now - 1, OVER))
    assert incident(worker).status == "active"
    assert chat.documents == []
    assert 28 * 60 < (due_in_s(worker) or 0) < 30 * 60
    hear(worker, said(now - 0.5, BACK, "U2TOMAS"))
    settle(worker)
    assert due_in_s(worker) is None
    assert incident(worker).status == "active"


def test_none_ends_while_its_channel_is_paused(worker: WorkerContext, home: Path) -> None:
    follow(worker, said(minute() - 10, OVER))
    pause_channel(worker.ledger.database, *HERE, paused=True)
    hear(worker, said(minute() - 5, BACK, "U2TOMAS"))
    quiet_minutes(worker, home, 1)
    settle(worker)
    assert incident(worker).status == "active"
    pause_channel(worker.ledger.database, *HERE, paused=False)
    settle(worker)
    assert incident(worker).status == "active"


def test_whatever_is_said_meanwhile_is_waited_for(worker: WorkerContext) -> None:
    now = minute()
    follow(worker, said(now - 20, OVER))
    before = words_of(worker)
    hear(worker, said(now - 1, "thanks!"))
    settle(worker)
    assert words_of(worker) == before
    assert 28 * 60 < (due_in_s(worker) or 0) < 30 * 60


def test_one_that_is_declared_while_the_one_before_ends_by_itself_goes_on(
    worker: WorkerContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[int | None] = []

    def late(*args: Any, **more: Any) -> None:
        if not found:
            resolve_incident(worker.ledger.database, *HERE, "U1MAYA")
            found.append(open_incident(worker.ledger.database, *HERE, "Search is down", "U1MAYA", "900.1"))
        resolve_incident(*args, **more)

    monkeypatch.setattr(resolution, "resolve_incident", late)
    follow(worker, said(60, OVER))
    assert [incident(worker).id] == found
    assert incident(worker).status == "active"


def test_one_that_ended_by_itself_goes_on_when_it_is_back(worker: WorkerContext) -> None:
    chat = follow(worker, said(60, OVER))
    hear(worker, said(110, f"I'm IC. {BACK}"))
    settle(worker)
    assert (incident(worker).status, incident(worker).resolved_at) == ("active", None)
    assert "resolved" not in str(chat.updates[-1][1].blocks[0])
    assert len(chat.documents) == 1


def test_one_that_people_declared_goes_on_too_when_it_is_back_within_a_day(worker: WorkerContext) -> None:
    chat_of(worker).info = ChannelInfo("payments", is_member=True)
    chat_of(worker).history = [said(0, "SEV2: checkout error rate is 5%. Customers see 502."), said(60, OVER)]
    declare(worker, "Checkout fails", ago=115)
    assert (incident(worker).status, incident(worker).resolved_by, state(worker).state) == ("resolved", "", "following")
    assert 22 * 3_600 < (due_in_s(worker) or 0) < 24 * 3_600
    hear(worker, said(110, f"I'm IC. {BACK}"))
    settle(worker)
    assert (incident(worker).status, state(worker).state) == ("active", "following")


def test_a_declared_one_that_ended_by_itself_is_left_after_a_day(worker: WorkerContext) -> None:
    chat_of(worker).info = ChannelInfo("payments", is_member=True)
    day = 24 * 60
    chat_of(worker).history = [said(-day, "SEV2: checkout error rate is 5%. Customers see 502."), said(60 - day, OVER)]
    declare(worker, "Checkout fails", ago=day + 115)
    assert (incident(worker).status, incident(worker).resolved_by, state(worker).state) == ("resolved", "", "left")
    assert len(chat_of(worker).documents) == 1


def test_what_goes_out_long_after_its_end_is_not_in_its_timeline(worker: WorkerContext) -> None:
    follow(worker, said(60, OVER))
    times = {"v8": -10, "v9": 60 + 10, "v10": 60 + 20}
    deploys = [Deploy(service="payments", version=v, at=START + timedelta(minutes=m)) for v, m in times.items()]
    assert record_deploys(worker.ledger.database, deploys) == 3
    hear(worker, said(110, "nice postmortem"))
    settle(worker)
    last = read_snapshot(state(worker).summary)
    assert last is not None
    told = [entry.text for entry in last.summary.timeline if entry.evidence]
    assert len(told) == 2
    assert not any("v10" in text for text in told)


def test_what_people_ended_stays_ended(worker: WorkerContext) -> None:
    follow(worker)
    end(worker)
    hear(worker, said(110, f"I'm IC. {BACK}"))
    settle(worker)
    assert incident(worker).status == "resolved"


# --- another one in its channel -------------------------------------------------------------------------------------


def test_a_second_incident_has_a_story_of_its_own(worker: WorkerContext) -> None:
    chat = follow(
        worker, said(20, "found it: the connection pool is exhausted since the deploy of pool-size 5"), said(60, OVER)
    )
    second = declare(worker, "Search is down")
    assert (incident(worker).id, incident(worker).status, incident(worker).title) == (
        second,
        "active",
        "Search is down",
    )
    assert len(chat.documents) == 1
    assert not any(word in told(worker, second) for word in ("502", "pool", "resolved"))
    hear(worker, said(minute(), "search answers 503 for all customers"))
    settle(worker)
    assert "503" in told(worker, second)


def test_of_what_was_said_before_a_second_incident_the_end_of_the_first_is_not_its(worker: WorkerContext) -> None:
    chat_of(worker).info = ChannelInfo("payments", is_member=True)
    declare(worker, "Checkout fails")
    resolve_incident(worker.ledger.database, *HERE, "U1MAYA", at=datetime.now(UTC) - timedelta(minutes=30))
    make_due(worker.ledger.database, *HERE)
    settle(worker)
    more = ((40, "the pool is exhausted"), (29, OVER), (5, "search answers 503 for all customers"))
    chat_of(worker).history.extend(said(minute() - ago, text) for ago, text in more)
    second = declare(worker, "Search is down")
    assert incident(worker).status == "active"
    assert "503" in told(worker, second)
    assert not any(word in told(worker, second) for word in ("pool", "resolved"))


def test_what_a_channel_called_over_before_people_declared_it_goes_on(worker: WorkerContext) -> None:
    chat_of(worker).info = ChannelInfo("payments", is_member=True)
    more = ((50, "SEV2: checkout error rate is 5%, investigating. Customers see 502."), (40, OVER))
    chat_of(worker).history = [said(minute() - ago, text) for ago, text in more]
    declare(worker, "Checkout fails")
    assert incident(worker).status == "active"
    assert due_in_s(worker) is None


# --- its draft ------------------------------------------------------------------------------------------------------


def test_it_is_drafted_once_whatever_becomes_known_later(
    worker: WorkerContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = follow(worker)
    end(worker)
    looks: list[str] = []
    monkeypatch.setattr(chat, "holds", lambda place, name: looks.append(name) or False)
    began = incident(worker).opened_at.replace(year=2025)
    correction = Correction(at=began, kind="detected", text="the first customer wrote", by="U1MAYA", said_at=began)
    correct(worker.ledger.database, incident(worker).id, correction)
    make_due(worker.ledger.database, *HERE)
    settle(worker)
    assert "the first customer wrote" in words_of(worker)
    assert looks == []
    assert len(chat.documents) == len(kept(worker)) == 1


def spoke(worker: WorkerContext, ago_s: float) -> None:
    """Something was said unasked in its channel so long ago; and it is looked after again."""
    take_turn(worker.ledger.database, *HERE, 1, "another")
    with worker.ledger.database.begin(exclusive=True) as connection:
        connection.execute(update(unasked).values(spoke_at=now_s() - ago_s))
        connection.execute(update(followed_channels).values(due_at=now_s()))


def test_the_draft_after_an_end_by_itself_waits_until_something_unasked_may_be_said(worker: WorkerContext) -> None:
    chat = follow(worker)
    spoke(worker, 600)
    hear(worker, said(60, OVER))
    settle(worker)
    assert (incident(worker).status, chat.documents) == ("resolved", [])
    assert 49 * 60 < (due_in_s(worker) or 0) <= 50 * 60
    spoke(worker, 3_600)
    settle(worker)
    assert len(chat.documents) == 1
    assert not take_turn(worker.ledger.database, *HERE, 1, "another")
    assert due_in_s(worker) is None


def test_a_declared_incident_is_not_left_while_its_draft_waits(worker: WorkerContext) -> None:
    chat = chat_of(worker)
    chat.info = ChannelInfo("payments", is_member=True)
    day = 24 * 60
    chat.history = [said(-day, "SEV2: checkout error rate is 5%. Customers see 502."), said(60 - day, OVER)]
    follow_declared(worker.ledger.database, *HERE, at(-2 * day))
    spoke(worker, 600)
    declare(worker, "Checkout fails", ago=day + 115)
    assert (incident(worker).status, state(worker).state, chat.documents) == ("resolved", "following", [])
    spoke(worker, 3_600)
    settle(worker)
    assert (state(worker).state, len(chat.documents)) == ("left", 1)


def test_a_draft_that_waited_takes_one_turn_however_often_it_does_not_get_through(worker: WorkerContext) -> None:
    chat = chat_of(worker)
    chat.errors["share"] = [ChatBusy("ratelimited", 1.0), ChatUnavailable("cut")]
    follow(worker, said(60, OVER))
    assert len(chat.documents) == 1


def test_a_draft_that_cannot_be_kept_is_shared_all_the_same(
    worker: WorkerContext, caplog: pytest.LogCaptureFixture
) -> None:
    folder = worker.oracle.settings.home / POSTMORTEMS
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("no folder")
    chat = follow(worker)
    end(worker)
    assert len(chat.documents) == 1
    assert "cannot be searched" in caplog.text


def test_what_whoever_ended_it_said_stands_in_it_under_their_name(worker: WorkerContext) -> None:
    chat = follow(worker)
    resolve_incident(worker.ledger.database, *HERE, "U1MAYA", note="back on pool-size 20, OPS-12 is the follow-up")
    make_due(worker.ledger.database, *HERE)
    settle(worker)
    ((_, document, _),) = chat.documents
    name, _ = chat.called("U1MAYA")
    assert name
    assert f"- **{name} said with its end:** back on pool-size 20, OPS-12 is the follow-up [[1]](http" in document.text


def test_a_worker_killed_after_slack_took_the_draft(worker: WorkerContext) -> None:
    chat = follow(worker)
    chat.after.append(Killed())
    resolve_incident(worker.ledger.database, *HERE, "U1MAYA")
    make_due(worker.ledger.database, *HERE)
    with pytest.raises(Killed):
        settle(worker)
    settle(worker)
    assert len(chat.documents) == len(kept(worker)) == 1


@pytest.mark.parametrize("error", [ChatUnavailable("cut"), Killed()])
def test_a_draft_that_did_not_get_through_is_shared_later(worker: WorkerContext, error: BaseException) -> None:
    chat = follow(worker)
    chat.before.append(error)
    resolve_incident(worker.ledger.database, *HERE, "U1MAYA")
    make_due(worker.ledger.database, *HERE)
    try:
        settle(worker)
    except Killed:
        settle(worker)
    assert len(chat.documents) == 1


def test_a_draft_that_slack_refuses_is_kept_and_tried_no_more(worker: WorkerContext) -> None:
    chat = follow(worker)
    chat.errors["share"] = [ChatRefused("no files here", "missing_scope")]
    end(worker)
    assert len(kept(worker)) == 1
    assert (state(worker).failures, due_in_s(worker)) == (0, None)
    hear(worker, said(70, "rollback done, no effect, still 5% of checkouts fail with 502"))
    settle(worker)
    assert "no effect" in words_of(worker)
    assert chat.documents == []


def test_a_paused_channel_gets_its_draft_when_it_goes_on(worker: WorkerContext) -> None:
    chat = follow(worker)
    pause_channel(worker.ledger.database, *HERE, paused=True)
    end(worker)
    assert chat.documents == []
    pause_channel(worker.ledger.database, *HERE, paused=False)
    settle(worker)
    assert len(chat.documents) == 1


def test_a_channel_that_is_paused_when_people_end_its_declared_incident_gets_its_draft_too(
    worker: WorkerContext,
) -> None:
    chat = chat_of(worker)
    chat.info = ChannelInfo("payments", is_member=True)
    declare(worker, "Checkout fails")
    hear(worker, said(minute(), "SEV2: checkout error rate is 5%, customers see 502"))
    settle(worker)
    pause_channel(worker.ledger.database, *HERE, paused=True)
    resolve_incident(worker.ledger.database, *HERE, "U1MAYA")
    hear(worker, said(minute(), "thanks all"))
    settle(worker)
    assert (state(worker).state, chat.documents) == ("following", [])
    assert pause_channel(worker.ledger.database, *HERE, paused=False)
    settle(worker)
    assert (state(worker).state, len(chat.documents)) == ("left", 1)


def test_a_draft_without_metrics_says_that_nothing_was_measured(worker: WorkerContext) -> None:
    chat = follow(worker)
    end(worker)
    ((_, document, _),) = chat.documents
    assert "_Not measured:_ error\\_ratio, latency\\_p95, traffic: no metrics source is connected" in document.text


@pytest.mark.parametrize("status", ["error", "timeout", "denied", "empty"])
def test_tools_that_fail_stop_no_draft(
    worker: WorkerContext, status: Literal["error", "timeout", "denied", "empty"]
) -> None:
    box = FakeToolbox(LANDSCAPE, metrics_query=lambda _: ToolOutput(status=status, reason="the reason"))
    worker = replace(worker, oracle=replace(worker.oracle, engine=replace(worker.oracle.engine, toolbox=box)))
    chat = follow(worker)
    end(worker)
    ((_, document, _),) = chat.documents
    assert "the reason." in document.text.partition("_Not measured:_")[2]


def test_what_the_first_look_saw_move_is_measured_too(worker: WorkerContext) -> None:
    box = FakeToolbox(LANDSCAPE, metrics_query=metrics)
    worker = replace(worker, oracle=replace(worker.oracle, engine=replace(worker.oracle.engine, toolbox=box)))
    chat = follow(worker)
    place = Place("C1", chat.messages[0].ts, "T1")
    looked = id_of(place, name_of(incident(worker).id))
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
    worker.oracle.store.save(RequestLog(request_id=looked, question=question, evidence=(queue,)))
    end(worker)
    asked = [str(call.args["query"]) for call in box.made]
    assert [query.split()[0] for query in asked][-1] == "metric=queue_length"
    assert asked[-1].endswith(" service=till")
    assert len(chat.documents) == 1


def test_the_draft_of_a_private_channel_stays_in_it(worker: WorkerContext) -> None:
    chat = chat_of(worker)
    chat.info = ChannelInfo("inc-checkout", is_member=True, is_private=True)
    follow(worker)
    end(worker)
    assert len(chat.documents) == 1
    assert kept(worker) == []


def test_a_draft_that_people_changed_stays_as_they_left_it(worker: WorkerContext) -> None:
    chat = follow(worker)
    chat.before.append(ChatUnavailable("cut"))
    resolve_incident(worker.ledger.database, *HERE, "U1MAYA")
    make_due(worker.ledger.database, *HERE)
    work_on(worker, CHANNEL_WORK, HERE)
    (path,) = kept(worker)
    path.write_text("# What we learned\n")
    settle(worker)
    assert len(chat.documents) == 1
    assert path.read_text() == "# What we learned\n"


def test_a_draft_that_has_to_wait_is_measured_once(worker: WorkerContext) -> None:
    box = FakeToolbox(LANDSCAPE, metrics_query=metrics)
    worker = replace(worker, oracle=replace(worker.oracle, engine=replace(worker.oracle.engine, toolbox=box)))
    chat = chat_of(worker)
    chat.info = ChannelInfo("inc-checkout", is_member=True, is_private=True)
    follow(worker)
    chat.errors["holds"] = [ChatBusy("ratelimited", 1.0)]
    chat.errors["share"] = [ChatBusy("ratelimited", 1.0), ChatUnavailable("cut")]
    end(worker)
    asked = [str(call.args["query"]) for call in box.made]
    assert len(asked) == len(set(asked)) > 0
    assert len(chat.documents) == 1
    last = read_snapshot(state(worker).summary)
    assert last is not None
    assert (last.drafted, last.draft) == (True, "")


def test_one_that_goes_on_before_its_draft_was_shared_is_drafted_anew(worker: WorkerContext) -> None:
    now = minute()
    chat = chat_of(worker)
    chat.errors["share"] = [ChatBusy("ratelimited", 1.0)]
    chat.history.append(said(60, OVER))
    note_channel(worker.ledger.database, *HERE)
    while not (last := read_snapshot(state(worker).summary)) or not last.draft:
        later(worker)
        work_on(worker, CHANNEL_WORK, HERE)
    hear(worker, said(now - 2, f"I'm IC. {BACK}"))
    settle(worker)
    assert (incident(worker).status, chat.documents) == ("active", [])
    hear(worker, said(now - 1, OVER))
    settle(worker)
    end(worker)
    ((_, document, _),) = chat.documents
    assert "7%" in document.text


def test_a_worker_that_lost_its_channel_shares_no_draft(worker: WorkerContext, monkeypatch: pytest.MonkeyPatch) -> None:
    chat = follow(worker)
    resolve_incident(worker.ledger.database, *HERE, "U1MAYA")
    make_due(worker.ledger.database, *HERE)
    later(worker)
    held = CHANNELS.claim(worker.ledger.database, HERE, 60)
    assert held is not None
    lease = Lease("channel C1")

    def taken(place: Place, name: str) -> bool:
        lease.lost.set()
        return False

    with monkeypatch.context() as patched:
        patched.setattr(chat, "holds", taken)
        with pytest.raises(LeaseLost):
            draft(worker, chat, held, lease)
    assert chat.documents == []
    settle(worker)
    assert len(chat.documents) == 1


def test_the_metrics_of_a_draft_have_more_time_than_a_question(worker: WorkerContext, home: Path) -> None:
    (home / "config").mkdir(exist_ok=True)
    (home / "config" / "oracle.yaml").write_text("incidents: {postmortem: {tools_total_ms: 9000}}\n")
    object.__setattr__(worker.oracle, "settings", load_settings(home=home))
    box = FakeToolbox(LANDSCAPE, metrics_query=metrics)
    worker = replace(worker, oracle=replace(worker.oracle, engine=replace(worker.oracle.engine, toolbox=box)))
    follow(worker)
    end(worker)
    (limits,) = box.opened
    assert (limits.tool_timeout_ms, limits.tools_total_ms, limits.max_tool_calls) == (15_000, 9_000, len(box.made))
