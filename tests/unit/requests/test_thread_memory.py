"""What is said in Slack threads is kept: for the channel or the person, with links, named by the first message."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.chat_worker import chat_worker
from tests.support.engine_fakes import FakeToolbox
from tests.support.memory_chat import FakeChat
from tests.unit.engine.test_run import LANDSCAPE, documents, metrics, repository
from workers.bootstrap import build_engine
from workers.contracts import Question
from workers.entrypoints.tasks import take
from workers.errors import ChatRefused
from workers.ports import ThreadMessage
from workers.requests.thread_memory import keep_thread, link_to, thread_id
from workers.requests.worker_context import WorkerContext
from workers.settings.load import load_settings
from workers.store.threads import Entry, last_entries, list_threads
from workers.toolkit.clock import SystemClock

NOW = datetime(2026, 11, 21, 11, tzinfo=UTC)
ROOT, SECOND, ASKED = "1763700000.000100", "1763700100.000200", "1763700200.000300"
SECRET = "ghp_" + "a1B2" * 9
SAID = [
    ThreadMessage("U2", "Deploys on fridays?", ROOT),
    ThreadMessage("U3", f"Decision: no deploys on Fridays. {SECRET}", SECOND),
    ThreadMessage("UBOT", "an answer of ours", "1763700150.000200", ours=True),
]


@pytest.fixture
def chat() -> FakeChat:
    return FakeChat(said=list(SAID))


@pytest.fixture
def worker(prepared_home: Path, chat: FakeChat) -> Iterator[WorkerContext]:
    box = FakeToolbox(LANDSCAPE, metrics_query=metrics, repo_search=repository, doc_search=documents)
    oracle = build_engine(load_settings(home=prepared_home), clock=SystemClock(NOW), toolbox=box)
    with chat_worker(oracle, chat) as running:
        yield running


def asked(**changes: Any) -> Question:
    shared: dict[str, Any] = {
        "request_id": "r1",
        "text": "Why is /api/search slow since yesterday's deploy?",
        "asker": "U1",
        "team": "T1",
        "channel": "C1",
        "ts": ASKED,
        "thread_ts": ROOT,
        "event_id": "Ev1",
        "source": "slack",
        "received_at": NOW,
    }
    return Question(**(shared | changes))


def kept(worker: WorkerContext, space: str = "T1/C1", channel: str = "C1") -> tuple[Entry, ...]:
    return last_entries(worker.ledger.database, space, thread_id(channel, ROOT), 50)


def test_what_people_quote_is_kept_with_their_words_and_what_apps_post_is_not(worker: WorkerContext) -> None:
    said = [
        ThreadMessage("B1", "", ROOT, app=True, quoted="The app Monitor posted: “Decision: restart”"),
        ThreadMessage("U2", "look", SECOND, quoted="Tomas wrote: “Decision: no deploys on Fridays.”"),
    ]
    keep_thread(worker, asked(), said)
    (entry,) = kept(worker)
    assert (entry.content, entry.type) == ("look\nTomas wrote: “Decision: no deploys on Fridays.”", "thought")


def test_a_thread_is_kept_for_its_channel_with_its_answer(worker: WorkerContext) -> None:
    assert worker.ledger.accept(asked())
    take(worker, "r1")
    people = [e for e in kept(worker) if e.author == "user"]
    (answer,) = [e for e in kept(worker) if e.author != "user"]
    assert [(e.type, e.speaker) for e in people] == [("thought", "name of U2"), ("decision", "name of U3")]
    assert [e.url.rpartition("/")[2] for e in people] == [f"p{ts.replace('.', '')}" for ts in (ROOT, SECOND)]
    assert SECRET not in people[1].content
    assert (answer.author, answer.type) == ("oracle", "research")
    assert "p95 latency of /api/search" in answer.content
    (thread,) = list_threads(worker.ledger.database, "T1/C1")
    assert answer.content.startswith("Asked: Why is /api/search slow")
    assert (thread.name, thread.entries) == ("Deploys on fridays?", 3)
    assert list_threads(worker.ledger.database, "T1/U1") == ()


def test_one_link_is_looked_up_for_the_whole_thread(worker: WorkerContext, chat: FakeChat) -> None:
    chat.errors["permalink"] = [None, ChatRefused("no more", "ratelimited")]
    keep_thread(worker, asked(), SAID)
    assert all(e.url for e in kept(worker))


def test_without_links_it_is_kept_all_the_same(worker: WorkerContext, chat: FakeChat) -> None:
    chat.errors["permalink"] = [ChatRefused("gone", "message_not_found")]
    keep_thread(worker, asked(), SAID)
    assert [e.url for e in kept(worker)] == ["", ""]


def test_a_direct_message_is_its_person_s_own(worker: WorkerContext) -> None:
    keep_thread(worker, asked(channel="D1"), SAID)
    assert len(kept(worker, "T1/U1", "D1")) == 2
    assert (kept(worker, "T1/D1", "D1"), kept(worker, "T1/U2", "D1")) == ((), ())


def test_what_nobody_asked_of_the_app_is_not_kept(worker: WorkerContext) -> None:
    keep_thread(worker, asked(unasked=True), SAID)
    keep_thread(worker, asked(thread_ts=""), SAID)
    keep_thread(worker, asked(), ())
    assert list_threads(worker.ledger.database, "T1/C1") == ()


def test_read_again_in_parts_it_is_the_same_thread(worker: WorkerContext) -> None:
    keep_thread(worker, asked(), SAID)
    before = kept(worker)
    keep_thread(worker, asked(), SAID[1:])
    keep_thread(worker, asked(), ())
    (thread,) = list_threads(worker.ledger.database, "T1/C1")
    assert (kept(worker), thread.name) == (before, "Deploys on fridays?")


def test_a_message_without_a_time_is_left_out(worker: WorkerContext) -> None:
    keep_thread(worker, asked(), [ThreadMessage("U2", "hello", "never"), *SAID])
    assert len(kept(worker)) == 2


@given(st.from_regex(r"[0-9]{10}\.[0-9]{6}", fullmatch=True), st.from_regex(r"[0-9]{10}\.[0-9]{6}", fullmatch=True))
def test_a_link_leads_to_its_message_or_nowhere(known: str, ts: str) -> None:
    place = "https://t.slack.com/archives/C1/p{}?thread_ts=1763700000.000100&cid=C1"
    address = place.format(known.replace(".", ""))
    assert link_to(address, known, ts) == place.format(ts.replace(".", ""))
    assert link_to("https://t.slack.com/archives/C1/else", known, ts) == ""
    assert link_to("", known, ts) == ""
