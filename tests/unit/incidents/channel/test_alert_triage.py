"""The first look at an alert or an incident: once, in its thread, and only when it found something."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

from tests.support.engine_fakes import FakeToolbox
from tests.support.latency_evidence import EVIDENCE
from tests.support.memory_chat import FakeChat
from tests.unit.engine.test_run import LANDSCAPE, metrics
from tests.unit.incidents.channel.test_alert_blocks import alert
from tests.unit.requests.test_stages import desk
from workers.contracts import Evidence, Fact, Question, Scalar, ToolOutput
from workers.entrypoints.tasks import take
from workers.incidents.channel.alert_triage import first_look, look_into
from workers.incidents.summary.alert_labels import asked_about, channel_of
from workers.ports import Place
from workers.requests.worker_context import Desk
from workers.settings.load import load_settings
from workers.store.channels import ChannelSettings, change_channel
from workers.store.followed_channels import follow_declared, pause_channel
from workers.store.incidents import Incident, open_incident, resolve_incident
from workers.store.request_jobs import REQUESTS
from workers.store.tables import jobs, unasked
from workers.store.unprompted_posts import take_turn

__all__ = ["desk"]
THREAD = Place("C1", "100.1", "T1")
SEARCH = "Why is SearchLatencyHigh firing for shop /api/search?"
RUNBOOK = Evidence(
    kind="doc",
    title="Runbook: QueueStuck",
    locator="runbooks/queue.md",
    excerpt="Restart the consumer when QueueStuck fires.",
    facts={
        "doc_kind": Fact(value="runbook"),
        "title": Fact(value="Runbook: QueueStuck"),
        "path": Fact(value="runbooks/queue.md", unit="path"),
    },
)


def nothing(_: Mapping[str, Scalar]) -> ToolOutput:
    return ToolOutput(status="empty", reason="nothing there")


def finding(desk: Desk, docs: Evidence | None = None, *, moved: bool = False) -> Desk:
    """A team whose metrics did or did not move, and a document."""
    steady = EVIDENCE["E6"].model_copy(update={"id": ""})

    def told(_: Mapping[str, Scalar]) -> ToolOutput:
        return ToolOutput(evidence=(docs,)) if docs else nothing({})

    measured = metrics if moved else lambda _: ToolOutput(evidence=(steady,), summary="steady")
    box = FakeToolbox(LANDSCAPE, metrics_query=measured, repo_search=nothing, doc_search=told)
    return replace(desk, oracle=replace(desk.oracle, engine=replace(desk.oracle.engine, toolbox=box)))


def requests(desk: Desk) -> list[str]:
    with desk.inbox.database.begin() as connection:
        return list(connection.execute(select(jobs.c.request_id)).scalars())


def work(desk: Desk) -> str:
    """A worker takes the only request. Returns: how it ended."""
    (request_id,) = requests(desk)
    take(desk, request_id)
    with desk.inbox.database.begin() as connection:
        return str(connection.execute(select(jobs.c.stage)).scalar())


def posts(desk: Desk) -> list[Place]:
    chat = desk.chats("T1")
    assert isinstance(chat, FakeChat)
    assert chat.streams == [], "nobody asked: no plan is shown"
    return [m.place for m in chat.messages]


# --- alerts -------------------------------------------------------------------------------------------------------


def test_what_was_found_stands_in_the_thread(desk: Desk) -> None:
    look_into(desk, THREAD, "alerts-1", SEARCH)
    known = tuple((request_id,) for request_id in requests(desk))
    assert REQUESTS.sweep(desk.inbox.database) == known, "a worker is called at once"
    assert work(desk) == "done"
    assert posts(desk) == [THREAD]
    chat = desk.chats("T1")
    assert isinstance(chat, FakeChat)
    assert "p95 latency of /api/search rose" in chat.messages[0].post.text


def test_it_is_asked_once(desk: Desk) -> None:
    for _ in range(2):
        look_into(desk, THREAD, "alerts-1", SEARCH)
    look_into(desk, replace(THREAD, thread_ts="200.1"), "alerts-1", SEARCH)
    assert len(requests(desk)) == 1
    look_into(desk, replace(THREAD, channel="C2"), "alerts-1", SEARCH)
    assert len(requests(desk)) == 2


@pytest.mark.parametrize("told", [True, False])
def test_another_has_its_turn_within_the_hour_when_nothing_was_told(desk: Desk, told: bool) -> None:
    desk = finding(desk, moved=told)
    assert look_into(desk, THREAD, "alerts-1", SEARCH)
    assert not look_into(desk, THREAD, "alerts-2", SEARCH)
    work(desk)
    assert len(posts(desk)) == told
    assert look_into(desk, THREAD, "alerts-2", SEARCH) is not told


def test_what_took_so_long_that_another_has_the_turn_is_not_told(desk: Desk) -> None:
    look_into(desk, THREAD, "alerts-1", SEARCH)
    with desk.inbox.database.begin(exclusive=True) as connection:
        connection.execute(unasked.update().values(spoke_at=1.0))
    assert take_turn(desk.inbox.database, "T1", "C1", 1, "another")
    assert work(desk) == "done"
    assert posts(desk) == []


def test_what_did_not_move_is_not_told(desk: Desk) -> None:
    desk = finding(desk)
    look_into(desk, THREAD, "alerts-1", SEARCH)
    assert work(desk) == "done"
    assert posts(desk) == []


def test_the_runbook_of_the_alert_is_told_though_nothing_is_measured(desk: Desk) -> None:
    desk = finding(desk, RUNBOOK)
    look_into(desk, THREAD, "alerts-1", "Why is QueueStuck firing?")
    assert work(desk) == "done"
    assert posts(desk) == [THREAD]


def test_another_alerts_runbook_is_not(desk: Desk) -> None:
    other = RUNBOOK.model_copy(update={"title": "Runbook: Disk", "excerpt": "Delete old files."})
    desk = finding(desk, other)
    look_into(desk, THREAD, "alerts-1", "Why is QueueStuck firing?")
    assert work(desk) == "done"
    assert posts(desk) == []


def test_a_question_of_two_meanings_is_not_asked_back(desk: Desk) -> None:
    look_into(desk, THREAD, "incident-1", "What is wrong: Incident 4711?")
    assert work(desk) == "done"
    assert posts(desk) == []


def test_a_first_look_that_fails_is_silent(desk: Desk) -> None:
    look_into(desk, THREAD, "alerts-1", SEARCH)
    (request_id,) = requests(desk)
    with desk.inbox.database.begin(exclusive=True) as connection:
        connection.execute(jobs.update().values(failures=99))
    take(desk, request_id)
    assert posts(desk) == []
    assert desk.inbox.counts() == {"done": 1}


@pytest.mark.parametrize("what", ["paused", "off", "over"])
def test_what_people_want_no_more_when_it_is_found_is_not_told(desk: Desk, what: str) -> None:
    incident, database = incident_of(desk), desk.inbox.database
    first_look(desk, incident, incident.opened_at)
    if what == "paused":
        pause_channel(database, "T1", "C1", paused=True)
    elif what == "off":
        change_channel(database, "T1", "C1", ChannelSettings(mode="off"), "U1")
    else:
        resolve_incident(database, "T1", "C1", "U1")
    assert work(desk) == "done"
    assert posts(desk) == []


def test_an_overheard_question_is_not_answered_where_the_app_was_turned_off_since(desk: Desk) -> None:
    asked = Question(
        request_id="r1",
        text=SEARCH,
        asker="U1",
        team="T1",
        channel="C1",
        ts="100.1",
        thread_ts="100.1",
        event_id="Ev1",
        unasked=True,
        source="slack",
        received_at=datetime.now(UTC),
    )
    assert desk.inbox.accept(asked)
    change_channel(desk.inbox.database, "T1", "C1", ChannelSettings(mode="off"), "U1")
    assert work(desk) == "done"
    assert posts(desk) == []


def test_it_answers_no_question_that_waits_in_the_thread(desk: Desk) -> None:
    desk.inbox.anyone = True
    asked = Question(
        request_id="r1",
        text="is it slow?",
        asker="U1",
        team="T1",
        channel="C1",
        ts="100.2",
        thread_ts="100.1",
        event_id="Ev1",
        source="slack",
        received_at=datetime.now(UTC),
    )
    assert desk.inbox.accept(asked)
    job = desk.inbox.claim("r1")
    assert job is not None
    desk.inbox.finish(job, "waiting")
    look_into(desk, THREAD, "alerts-1", SEARCH)
    assert desk.inbox.counts() == {"waiting": 1, "plan": 1}
    listed = desk.inbox.asked_in("T1", "C1", datetime.now(UTC) - timedelta(hours=1), 10)
    assert [found.request_id for found in listed] == ["r1"], "people are told what people asked"


# --- incidents ----------------------------------------------------------------------------------------------------


def incident_of(desk: Desk, title: str = "Search latency!", ts: str = "100.1") -> Incident:
    database = desk.inbox.database
    follow_declared(database, "T1", "C1", "")
    found = open_incident(database, "T1", "C1", title, "U1", ts)
    assert found is not None
    return Incident(found, "T1", "C1", title, "active", ts, "U1", datetime.now(UTC))


def test_an_incident_is_looked_into_once_below_its_message(desk: Desk) -> None:
    incident = incident_of(desk)
    for _ in range(2):
        first_look(desk, incident, incident.opened_at)
    with desk.inbox.database.begin() as connection:
        (question,) = connection.execute(select(jobs.c.question)).scalars()
    assert (question["text"], question["thread_ts"]) == ("What is wrong: Search latency?", "100.1")
    assert not take_turn(desk.inbox.database, "T1", "C1", 1, "r1"), "it was the channel's one unasked message"


def test_it_waits_for_its_turn_in_the_channel(desk: Desk) -> None:
    incident = incident_of(desk)
    assert take_turn(desk.inbox.database, "T1", "C1", 1, "r1")
    first_look(desk, incident, incident.opened_at)
    assert requests(desk) == []


@pytest.mark.parametrize("why", ["no message", "old", "resolved", "paused", "unwanted"])
def test_when_it_is_not_looked_into(desk: Desk, why: str) -> None:
    incident, began = incident_of(desk), datetime.now(UTC)
    if why == "no message":
        incident = replace(incident, ts="")
    elif why == "old":
        began -= timedelta(days=2)
    elif why == "resolved":
        resolved = resolve_incident(desk.inbox.database, "T1", "C1", "U1")
        assert resolved is not None
        incident = resolved
    elif why == "paused":
        pause_channel(desk.inbox.database, "T1", "C1", paused=True)
    else:
        settings = load_settings({"oracle.incidents.unprompted_per_hour": 0}, home=desk.oracle.settings.home)
        desk = replace(desk, oracle=replace(desk.oracle, settings=settings))
    first_look(desk, incident, began)
    assert requests(desk) == []


# --- what is asked ------------------------------------------------------------------------------------------------


def test_the_most_severe_alert_that_fires_is_asked_about() -> None:
    page = alert(name="ErrorsHigh", labels={"severity": "page", "app": "cart", "handler": "/pay"})
    warning = alert(name="DiskFull", labels={"severity": "warning"})
    assert asked_about([warning, page]) == "Why is ErrorsHigh firing for cart /pay?"
    assert asked_about([warning]) == "Why is DiskFull firing?"
    over = alert("resolved", "ErrorsHigh", labels={"severity": "page"})
    assert asked_about([over, warning]) == "Why is DiskFull firing?"


def test_alerts_go_to_the_channel_of_their_label() -> None:
    routes = {"team=search": "C2", "alertname=DiskFull": "C3"}
    search = alert(labels={"team": "search", "shard": "1"})
    assert channel_of(routes, "C1", [search, alert(labels={"team": "search"})]) == "C2"
    assert channel_of(routes, "C1", [search, alert(labels={"team": "cart"})]) == "C1"
    assert channel_of(routes, "", [alert(name="DiskFull", labels={})]) == "C3"
    assert channel_of(routes, "", []) == ""
