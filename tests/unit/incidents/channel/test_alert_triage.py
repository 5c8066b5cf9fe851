"""The first look at an alert or an incident: once, in its thread, and only when it found something."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

from tests.support.engine_fakes import FakeToolbox
from tests.support.latency_evidence import EVIDENCE
from tests.support.memory_chat import FakeChat
from tests.unit.engine.test_run import LANDSCAPE, metrics
from tests.unit.incidents.channel.test_alert_blocks import alert
from tests.unit.requests.test_stages import worker
from workers.contracts import AlertEvent, Evidence, Fact, Question, Scalar, ToolOutput
from workers.entrypoints.tasks import take
from workers.incidents.channel.alert_triage import triage, triage_incident
from workers.incidents.summary.alert_labels import channel_of, gravest, question_about
from workers.ports import Place
from workers.requests.worker_context import WorkerContext
from workers.settings.load import load_settings
from workers.store.channels import ChannelSettings, change_channel
from workers.store.followed_channels import follow_declared, pause_channel
from workers.store.incidents import Incident, open_incident, resolve_incident
from workers.store.request_jobs import REQUESTS
from workers.store.tables import jobs, unasked
from workers.store.unprompted_posts import take_turn

__all__ = ["worker"]
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


def finding(worker: WorkerContext, docs: Evidence | None = None, *, moved: bool = False) -> WorkerContext:
    """A team whose metrics did or did not move, and a document."""
    steady = EVIDENCE["E6"].model_copy(update={"id": ""})

    def told(_: Mapping[str, Scalar]) -> ToolOutput:
        return ToolOutput(evidence=(docs,)) if docs else nothing({})

    measured = metrics if moved else lambda _: ToolOutput(evidence=(steady,), summary="steady")
    box = FakeToolbox(LANDSCAPE, metrics_query=measured, repo_search=nothing, doc_search=told)
    return replace(worker, oracle=replace(worker.oracle, engine=replace(worker.oracle.engine, toolbox=box)))


def requests(worker: WorkerContext) -> list[str]:
    with worker.ledger.database.begin() as connection:
        return list(connection.execute(select(jobs.c.request_id)).scalars())


def work(worker: WorkerContext) -> str:
    """A worker takes the only request. Returns: how it ended."""
    (request_id,) = requests(worker)
    take(worker, request_id)
    with worker.ledger.database.begin() as connection:
        return str(connection.execute(select(jobs.c.stage)).scalar())


def posts(worker: WorkerContext) -> list[Place]:
    chat = worker.chats("T1")
    assert isinstance(chat, FakeChat)
    assert chat.streams == [], "nobody asked: no plan is shown"
    return [m.place for m in chat.messages]


# --- alerts -------------------------------------------------------------------------------------------------------


def test_what_was_found_stands_in_the_thread(worker: WorkerContext) -> None:
    triage(worker, THREAD, "alerts-1", SEARCH)
    known = tuple((request_id,) for request_id in requests(worker))
    assert REQUESTS.sweep(worker.ledger.database) == known, "a worker is called at once"
    assert work(worker) == "done"
    assert posts(worker) == [THREAD]
    chat = worker.chats("T1")
    assert isinstance(chat, FakeChat)
    assert "p95 latency of /api/search rose" in chat.messages[0].post.text


def test_it_is_asked_once(worker: WorkerContext) -> None:
    for _ in range(2):
        triage(worker, THREAD, "alerts-1", SEARCH)
    triage(worker, replace(THREAD, thread_ts="200.1"), "alerts-1", SEARCH)
    assert len(requests(worker)) == 1
    triage(worker, replace(THREAD, channel="C2"), "alerts-1", SEARCH)
    assert len(requests(worker)) == 2


@pytest.mark.parametrize("told", [True, False])
def test_another_has_its_turn_within_the_hour_when_nothing_was_told(worker: WorkerContext, told: bool) -> None:
    worker = finding(worker, moved=told)
    assert triage(worker, THREAD, "alerts-1", SEARCH)
    assert not triage(worker, THREAD, "alerts-2", SEARCH)
    work(worker)
    assert len(posts(worker)) == told
    assert triage(worker, THREAD, "alerts-2", SEARCH) is not told


def test_what_took_so_long_that_another_has_the_turn_is_not_told(worker: WorkerContext) -> None:
    triage(worker, THREAD, "alerts-1", SEARCH)
    with worker.ledger.database.begin(exclusive=True) as connection:
        connection.execute(unasked.update().values(spoke_at=1.0))
    assert take_turn(worker.ledger.database, "T1", "C1", 1, "another")
    assert work(worker) == "done"
    assert posts(worker) == []


def test_what_did_not_move_is_not_told(worker: WorkerContext) -> None:
    worker = finding(worker)
    triage(worker, THREAD, "alerts-1", SEARCH)
    assert work(worker) == "done"
    assert posts(worker) == []


def test_the_runbook_of_the_alert_is_told_though_nothing_is_measured(worker: WorkerContext) -> None:
    worker = finding(worker, RUNBOOK)
    triage(worker, THREAD, "alerts-1", "Why is QueueStuck firing?")
    assert work(worker) == "done"
    assert posts(worker) == [THREAD]


def test_another_alerts_runbook_is_not(worker: WorkerContext) -> None:
    other = RUNBOOK.model_copy(update={"title": "Runbook: Disk", "excerpt": "Delete old files."})
    worker = finding(worker, other)
    triage(worker, THREAD, "alerts-1", "Why is QueueStuck firing?")
    assert work(worker) == "done"
    assert posts(worker) == []


def test_a_question_of_two_meanings_is_not_asked_back(worker: WorkerContext) -> None:
    triage(worker, THREAD, "incident-1", "What is wrong: Incident 4711?")
    assert work(worker) == "done"
    assert posts(worker) == []


def test_a_first_look_that_fails_is_silent(worker: WorkerContext) -> None:
    triage(worker, THREAD, "alerts-1", SEARCH)
    (request_id,) = requests(worker)
    with worker.ledger.database.begin(exclusive=True) as connection:
        connection.execute(jobs.update().values(failures=99))
    take(worker, request_id)
    assert posts(worker) == []
    assert worker.ledger.counts() == {"done": 1}


@pytest.mark.parametrize("what", ["paused", "off", "over"])
def test_what_people_want_no_more_when_it_is_found_is_not_told(worker: WorkerContext, what: str) -> None:
    incident, database = incident_of(worker), worker.ledger.database
    triage_incident(worker, incident, incident.opened_at)
    if what == "paused":
        pause_channel(database, "T1", "C1", paused=True)
    elif what == "off":
        change_channel(database, "T1", "C1", ChannelSettings(mode="off"), "U1")
    else:
        resolve_incident(database, "T1", "C1", "U1")
    assert work(worker) == "done"
    assert posts(worker) == []


def test_an_overheard_question_is_not_answered_where_the_app_was_turned_off_since(worker: WorkerContext) -> None:
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
    assert worker.ledger.accept(asked)
    change_channel(worker.ledger.database, "T1", "C1", ChannelSettings(mode="off"), "U1")
    assert work(worker) == "done"
    assert posts(worker) == []


def test_it_answers_no_question_that_waits_in_the_thread(worker: WorkerContext) -> None:
    worker.ledger.anyone = True
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
    assert worker.ledger.accept(asked)
    job = worker.ledger.claim("r1")
    assert job is not None
    worker.ledger.finish(job, "waiting")
    triage(worker, THREAD, "alerts-1", SEARCH)
    assert worker.ledger.counts() == {"waiting": 1, "plan": 1}
    listed = worker.ledger.asked_in("T1", "C1", datetime.now(UTC) - timedelta(hours=1), 10)
    assert [found.request_id for found in listed] == ["r1"], "people are told what people asked"


# --- incidents ----------------------------------------------------------------------------------------------------


def incident_of(worker: WorkerContext, title: str = "Search latency!", ts: str = "100.1") -> Incident:
    database = worker.ledger.database
    follow_declared(database, "T1", "C1", "")
    found = open_incident(database, "T1", "C1", title, "U1", ts)
    assert found is not None
    return Incident(found, "T1", "C1", title, "active", ts, "U1", datetime.now(UTC))


def test_an_incident_is_looked_into_once_below_its_message(worker: WorkerContext) -> None:
    incident = incident_of(worker)
    for _ in range(2):
        triage_incident(worker, incident, incident.opened_at)
    with worker.ledger.database.begin() as connection:
        (question,) = connection.execute(select(jobs.c.question)).scalars()
    assert (question["text"], question["thread_ts"]) == ("What is wrong: Search latency?", "100.1")
    assert not take_turn(worker.ledger.database, "T1", "C1", 1, "r1"), "it was the channel's one unasked message"


def test_it_waits_for_its_turn_in_the_channel(worker: WorkerContext) -> None:
    incident = incident_of(worker)
    assert take_turn(worker.ledger.database, "T1", "C1", 1, "r1")
    triage_incident(worker, incident, incident.opened_at)
    assert requests(worker) == []


@pytest.mark.parametrize("why", ["no message", "old", "resolved", "paused", "unwanted"])
def test_when_it_is_not_looked_into(worker: WorkerContext, why: str) -> None:
    incident, began = incident_of(worker), datetime.now(UTC)
    if why == "no message":
        incident = replace(incident, ts="")
    elif why == "old":
        began -= timedelta(days=2)
    elif why == "resolved":
        resolved = resolve_incident(worker.ledger.database, "T1", "C1", "U1")
        assert resolved is not None
        incident = resolved
    elif why == "paused":
        pause_channel(worker.ledger.database, "T1", "C1", paused=True)
    else:
        settings = load_settings({"oracle.incidents.unprompted_per_hour": 0}, home=worker.oracle.settings.home)
        worker = replace(worker, oracle=replace(worker.oracle, settings=settings))
    triage_incident(worker, incident, began)
    assert requests(worker) == []


# --- what is asked ------------------------------------------------------------------------------------------------


def asked_about(alerts: Sequence[AlertEvent], environment: str = "production") -> str:
    first = gravest(alerts, environment)
    return question_about(first) if first else ""


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


def test_nobody_looks_into_a_heartbeat_or_another_environment() -> None:
    beat = alert(name="Watchdog", labels={"severity": "none"})
    of_qa = alert(name="ErrorsHigh", environment="qa")
    assert asked_about([beat, of_qa]) == ""
    assert asked_about([beat, of_qa], "qa") == "Why is ErrorsHigh firing for shop /api/search?"
    disk = alert(name="Disk", labels={"host": "mq-1", "path": "/"})
    assert asked_about([disk]) == "Why is Disk firing for file system / on mq-1?", "a path is no route of a service"
