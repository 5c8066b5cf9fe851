"""The ledger of requests, the same on SQLite and on PostgreSQL."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from workers.contracts import Answer, Claim, Question, Reply, RequestLog
from workers.errors import AskedTooOften, LeaseLost, RequestNotFound
from workers.requests.ledger import POSTING, Ledger
from workers.settings.schema import Limit, WorkerSection
from workers.store.database import open_database
from workers.store.feedback import Tally, save_feedback, tally
from workers.store.incidents import active_incidents, incidents_since, open_incident, resolve_incident
from workers.store.request_jobs import REQUESTS, Job
from workers.store.request_logs import SqlStore
from workers.store.tables import jobs, requests

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.servers)])
def ledger(request: pytest.FixtureRequest) -> Iterator[Ledger]:
    database = open_database(request.getfixturevalue(f"{request.param}_store"))
    yield Ledger(database, WorkerSection())
    database.close()


def ask(number: int = 1, **changes: Any) -> Question:
    shared: dict[str, Any] = {
        "request_id": f"r{number}",
        "text": "why is it slow?",
        "asker": "U1",
        "team": "T1",
        "channel": "C1",
        "ts": f"100.{number}",
        "thread_ts": f"100.{number}",
        "event_id": f"Ev{number}",
        "source": "slack",
        "received_at": NOON,
    }
    return Question(**(shared | changes))


def say(text: str = "/api/search", **changes: Any) -> Reply:
    shared: dict[str, Any] = {
        "text": text,
        "asker": "U1",
        "team": "T1",
        "channel": "C1",
        "thread_ts": "100.1",
        "event_id": "Ev-reply",
        "ts": "101.1",
        "received_at": NOON,
    }
    return Reply(**(shared | changes))


def log_of(question: Question, headline: str = "it was the deploy") -> RequestLog:
    answer = Answer(headline=Claim(template=headline, text=headline))
    return RequestLog(request_id=question.request_id, question=question, answer=answer)


def asks_back(question: Question) -> RequestLog:
    headline = Claim(template="which one?", text="which one?")
    return log_of(question).model_copy(update={"answer": Answer(kind="clarify", headline=headline)})


def claim(ledger: Ledger, request_id: str = "r1") -> Job:
    job = ledger.claim(request_id)
    assert job is not None
    return job


def shift(ledger: Ledger, **columns: Any) -> None:
    """Change a row behind the ledger's back: how time passes here."""
    with ledger.database.begin() as connection:
        connection.execute(update(jobs).values(**columns))


def swept(ledger: Ledger) -> tuple[str, ...]:
    """The requests that a sweeper would tell workers of."""
    return tuple(request_id for (request_id,) in REQUESTS.sweep(ledger.database))


def row(ledger: Ledger, request_id: str = "r1") -> Any:
    with ledger.database.begin() as connection:
        return connection.execute(select(jobs).where(jobs.c.request_id == request_id)).mappings().one()


def test_a_question_is_accepted_once(ledger: Ledger) -> None:
    assert ledger.accept(ask()) == "r1"
    assert ledger.accept(ask()) is None
    assert ledger.accept(ask(request_id="other", event_id="Ev-other")) is None, "the same message under another event"
    assert ledger.accept(ask(request_id="other", ts="100.9")) is None, "the same event about another message"
    assert ledger.accept(ask(2)) == "r2"
    assert ledger.counts() == {"plan": 2}


def test_commands_have_no_message_and_open_a_thread(ledger: Ledger) -> None:
    assert ledger.accept(ask(1, ts="", thread_ts="")) == "r1"
    assert ledger.accept(ask(2, ts="", thread_ts="")) == "r2"
    job = claim(ledger)
    assert job.stage == "open"
    job = ledger.open_thread(job, "200.1")
    assert (job.stage, job.question.thread_ts) == ("plan", "200.1")
    assert row(ledger)["thread_ts"] == "200.1"


def test_many_deliveries_at_once_are_accepted_once(ledger: Ledger) -> None:
    with ThreadPoolExecutor(8) as pool:
        accepted = list(pool.map(ledger.accept, [ask(n % 10) for n in range(80)]))
    assert sorted(x for x in accepted if x) == sorted(f"r{n}" for n in range(10))


def test_one_worker_holds_a_request(ledger: Ledger) -> None:
    ledger.accept(ask())
    gate = threading.Barrier(6)

    def take(_: int) -> Job | None:
        gate.wait()
        return ledger.claim("r1")

    with ThreadPoolExecutor(6) as pool:
        held = [job for job in pool.map(take, range(6)) if job]
    assert len(held) == 1
    assert (held[0].fence, held[0].lost_leases) == (1, 0)
    assert ledger.claim("r1") is None
    assert ledger.claim("nobody") is None


def test_a_checkpoint_survives_its_worker(ledger: Ledger) -> None:
    question = ask()
    ledger.accept(question)
    first = claim(ledger)
    ledger.checkpoint(first, "synthesize", log_of(question))
    shift(ledger, lease_until=1.0)
    second = claim(ledger)
    assert (second.stage, second.fence, second.lost_leases) == ("synthesize", 2, 1)
    assert second.log == log_of(question)
    for write in (
        lambda: REQUESTS.renew(ledger.database, first, 20),
        lambda: ledger.checkpoint(first, "deliver", log_of(question)),
        lambda: ledger.mark_sent(first, "0.0"),
        lambda: ledger.finish(first, "done"),
        lambda: REQUESTS.postpone(ledger.database, first, 0),
        lambda: REQUESTS.fail(ledger.database, first, "late"),
    ):
        with pytest.raises(LeaseLost):
            write()
    assert row(ledger)["stage"] == "synthesize"


def test_nothing_is_written_after_the_end(ledger: Ledger) -> None:
    ledger.accept(ask())
    job = claim(ledger)
    ledger.finish(job, "done")
    with pytest.raises(LeaseLost):
        ledger.mark_sent(job, "0.0")
    assert ledger.claim("r1") is None
    assert ledger.oldest_open_s() == 0


def test_failures_count_per_stage(ledger: Ledger) -> None:
    ledger.accept(ask())
    for expected in (1, 2):
        REQUESTS.fail(ledger.database, claim(ledger), "ValueError: boom")
        assert row(ledger)["failures"] == expected
        assert ledger.claim("r1") is None, "it waits before the next try"
        shift(ledger, wait_until=0.0)
    job = ledger.checkpoint(claim(ledger), "execute", log_of(ask()))
    assert (job.failures, row(ledger)["failures"]) == (0, 0)


def test_postponed_is_not_failed(ledger: Ledger) -> None:
    ledger.accept(ask())
    REQUESTS.postpone(ledger.database, claim(ledger), 60, "Slack is busy")
    assert ledger.claim("r1") is None
    assert (row(ledger)["failures"], row(ledger)["delays"], row(ledger)["lost_leases"]) == (0, 1, 0)
    shift(ledger, wait_until=0.0)
    assert swept(ledger) == ("r1",)
    assert claim(ledger).delays == 1


@pytest.mark.parametrize("way", ["postpone", "fail"])
def test_a_heartbeat_that_comes_late_takes_no_lease(ledger: Ledger, way: str) -> None:
    ledger.accept(ask())
    job = claim(ledger)
    if way == "postpone":
        REQUESTS.postpone(ledger.database, job, 0)
    else:
        REQUESTS.fail(ledger.database, job, "boom")
    with pytest.raises(LeaseLost):
        REQUESTS.renew(ledger.database, job, 20)
    assert row(ledger)["lease_until"] is None


def test_the_sweeper_finds_what_a_dead_worker_left_and_waits_longer_each_time(ledger: Ledger) -> None:
    ledger.accept(ask())
    waits = []
    for lost in range(1, 8):
        claim(ledger)
        assert swept(ledger) == (), "its worker lives"
        shift(ledger, lease_until=1.0)
        before = swept(ledger)
        found = row(ledger)
        assert (found["lost_leases"], found["lease_until"]) == (lost, None)
        waits.append(found["wait_until"] - found["accepted_at"])
        assert before == (("r1",) if lost <= 2 else ())
        shift(ledger, wait_until=0.0)
    assert waits[-1] > 25
    assert waits[2] < waits[3] < waits[4] < waits[5]


def test_the_sweeper_publishes_each_once_and_again_later(ledger: Ledger) -> None:
    for n in range(5):
        ledger.accept(ask(n))
    assert swept(ledger) == (), "they were published just now"
    shift(ledger, published_at=0)
    with ThreadPoolExecutor(4) as pool:
        found = [x for ids in pool.map(lambda _: swept(ledger), range(4)) for x in ids]
    assert sorted(found) == [f"r{n}" for n in range(5)]
    assert swept(ledger) == ()


def test_an_option_can_be_pressed_before_its_question_is_recorded(ledger: Ledger) -> None:
    question = ask()
    ledger.accept(question)
    job = ledger.checkpoint(claim(ledger), "deliver", asks_back(question))
    job = ledger.mark_sent(job, "0.0")
    assert ledger.accept_reply(say(request_id="r1", turn=1, ts="")) is None, "no such question yet"
    assert ledger.accept_reply(say(request_id="r1", turn=0, ts="")) == "r1"
    with pytest.raises(LeaseLost):
        ledger.mark_sent(job, "0.0", "300.1")
    found = claim(ledger)
    assert (found.stage, found.turn, found.reply and found.reply.text) == ("plan", 1, "/api/search")
    assert ledger.accept_reply(say(request_id="r1", turn=0, ts="", event_id="Ev-again")) is None, "it was answered"


def test_parts_that_were_sent_are_known(ledger: Ledger) -> None:
    ledger.accept(ask())
    job = ledger.mark_sent(claim(ledger), "0.0")
    assert row(ledger)["sent"] == {"0.0": POSTING}
    ledger.mark_sent(job, "0.0", "300.1")
    shift(ledger, lease_until=1.0)
    assert claim(ledger).sent == {"0.0": "300.1"}


def test_a_reply_continues_the_request_that_waits(ledger: Ledger) -> None:
    question = ask()
    ledger.accept(question)
    job = ledger.checkpoint(claim(ledger), "deliver", log_of(question, "which one?"))
    ledger.finish(job, "waiting")
    assert ledger.accept_reply(say(asker="U2")) is None, "someone else talks in the thread"
    assert ledger.accept_reply(say(thread_ts="999.9")) is None
    assert ledger.accept_reply(say()) == "r1"
    assert ledger.accept_reply(say()) is None, "Slack says it again"
    job = claim(ledger)
    assert (job.stage, job.turn) == ("plan", 1)
    assert job.reply is not None
    assert (job.reply.text, job.reply.request_id) == ("/api/search", "r1")
    assert job.log == log_of(question, "which one?")


def test_a_button_continues_it_as_well(ledger: Ledger) -> None:
    ledger.accept(ask())
    assert ledger.accept_reply(say(request_id="r1", thread_ts="")) is None, "it does not wait"
    ledger.finish(ledger.checkpoint(claim(ledger), "deliver", log_of(ask())), "waiting")
    assert ledger.accept_reply(say(request_id="r1", team="T2")) is None, "another workspace"
    assert ledger.accept_reply(say(request_id="r1", thread_ts="", ts="")) == "r1"


def test_one_of_three_replies_at_once_is_the_answer(ledger: Ledger) -> None:
    for number in range(8):
        ledger.accept(ask(number))
        ledger.finish(ledger.checkpoint(claim(ledger, f"r{number}"), "deliver", log_of(ask(number))), "waiting")
        gate = threading.Barrier(3)

        def reply(kind: str, request: str = f"r{number}", gate: threading.Barrier = gate) -> str | None:
            gate.wait()
            if kind == "mention":
                other = 50 + int(request[1:])
                return ledger.accept(ask(other, thread_ts=f"100.{request[1:]}", text="a mention"))
            return ledger.accept_reply(say(kind, request_id=request, ts="", event_id=f"Ev-{request}-{kind}"))

        with ThreadPoolExecutor(3) as pool:
            accepted = list(pool.map(reply, ["one", "two", "mention"]))
        assert accepted.count(f"r{number}") == 1
        assert row(ledger, f"r{number}")["turn"] == 1


def test_another_place(ledger: Ledger) -> None:
    ledger.accept(ask(ts="", thread_ts=""))
    ledger.move(ledger.mark_sent(claim(ledger), "root"), "D1", "300.1")
    job = claim(ledger)
    assert (job.stage, job.sent, job.question.channel, job.question.thread_ts) == ("plan", {}, "D1", "300.1")


def test_what_ended_long_ago_is_forgotten(ledger: Ledger) -> None:
    for number in range(3):
        ledger.accept(ask(number))
    ledger.finish(claim(ledger, "r0"), "done")
    ledger.finish(claim(ledger, "r1"), "waiting")
    assert ledger.forget(1) == 0
    shift(ledger, finished_at=jobs.c.finished_at - 2 * 86_400)
    assert ledger.forget(1) == 1
    assert ledger.counts() == {"waiting": 1, "plan": 1}


def test_what_was_said_long_ago_is_forgotten_with_it(ledger: Ledger) -> None:
    database, old = ledger.database, datetime(2020, 1, 1, tzinfo=UTC)
    store = SqlStore(database, lambda log: log)
    for number in range(3):
        ledger.accept(ask(number))
        store.save(log_of(ask(number)))
        save_feedback(database, f"r{number}", "T1", "U1", "good", at=old if number == 0 else NOON)
    ledger.finish(claim(ledger, "r1"), "waiting")
    opened = open_incident(database, "T1", "C1", "an old one", "U1", at=old)
    resolve_incident(database, "T1", "C1", "U1", at=old)
    open_incident(database, "T1", "C1", "a new one", "U1", at=old)
    with database.begin() as connection:
        connection.execute(update(requests).where(requests.c.request_id != "r2").values(updated_at=old))
    ledger.forget(1_000)
    with pytest.raises(RequestNotFound):
        store.load("r0")
    assert store.load("r1").request_id == "r1", "it waits for its asker"
    assert store.load("r2").request_id == "r2"
    assert tally(database, 100_000) == Tally(2, 0)
    assert opened
    assert [incident.title for incident in active_incidents(database, "T1")] == ["a new one"]
    assert [i.title for i in incidents_since(database, "T1", "C1", datetime(2019, 1, 1, tzinfo=UTC))] == ["a new one"]


def test_a_mention_in_a_thread_that_waits_is_its_answer(ledger: Ledger) -> None:
    ledger.accept(ask())
    ledger.finish(ledger.checkpoint(claim(ledger), "deliver", log_of(ask())), "waiting")
    assert ledger.accept(ask(2, thread_ts="100.1", text="the search")) == "r1"
    assert ledger.accept(ask(2, thread_ts="100.1", text="the search")) is None
    job = claim(ledger)
    assert job.reply is not None
    assert job.reply.text == "the search"
    assert ledger.claim("r2") is None


def test_a_thread_remembers(ledger: Ledger) -> None:
    question = ask()
    ledger.accept(question)
    ledger.finish(ledger.checkpoint(claim(ledger), "deliver", log_of(question)), "done")
    again = ask(2, thread_ts="100.1")
    ledger.accept(again)
    assert ledger.earlier(again, 50) == ("why is it slow?", "it was the deploy")
    assert ledger.earlier(again, 1) == ("it was the deploy",)
    assert ledger.earlier(again, 0) == ledger.earlier(ask(3), 50) == ()


def test_the_oldest_unanswered_question_has_an_age(ledger: Ledger) -> None:
    assert ledger.oldest_open_s() == 0
    ledger.accept(ask())
    shift(ledger, waiting_since=jobs.c.waiting_since - 90)
    ledger.accept(ask(2))
    assert 89 < ledger.oldest_open_s() < 200
    ledger.finish(claim(ledger), "done")
    assert ledger.oldest_open_s() < 80
    assert ledger.counts() == {"done": 1, "plan": 1}


def test_a_request_that_gave_up_counts_anew(ledger: Ledger) -> None:
    ledger.accept(ask())
    shift(ledger, failures=3, lost_leases=10)
    job = ledger.give_up(claim(ledger), log_of(ask(), "I could not finish this"))
    assert (job.stage, job.failures, job.lost_leases) == ("apologize", 0, 0)
    assert row(ledger)["stage"] == "apologize"


def hide(text: str) -> str:
    return text.replace("hunter2", "[redacted]")


def never(text: str) -> str:
    raise AssertionError(f"asked to clean {text[:20]!r} while somebody waits")


def test_a_question_is_kept_as_it_came_and_cleaned_by_the_worker_that_takes_it(ledger: Ledger) -> None:
    door = Ledger(ledger.database, WorkerSection(), never)
    door.accept(ask(text="why does hunter2 fail?\x00\ud800", context=("hunter2 it said",), unread=("hunter2.png",)))
    job = claim(ledger)
    assert job.raw
    assert job.question.text == "why does hunter2 fail?\ufffd?"
    job = ledger.keep_clean(job, hide)
    for known in (job, claim_again(ledger)):
        assert not known.raw
        assert known.question.text == "why does [redacted] fail?\ufffd?"
        assert (known.question.context, known.question.unread) == (("[redacted] it said",), ("[redacted].png",))
    ledger.finish(ledger.checkpoint(claim_again(ledger), "deliver", log_of(ask())), "waiting")
    door.accept_reply(say("it is hunter2"))
    job = claim(ledger)
    assert job.raw
    reply = ledger.keep_clean(job, hide).reply
    assert reply is not None
    assert reply.text == "it is [redacted]"
    if file := ledger.database.engine.url.database if ledger.database.engine.dialect.name == "sqlite" else "":
        kept = b"".join(one.read_bytes() for one in Path(file).parent.glob("oracle.db*"))
        assert b"hunter2" not in kept, "neither in its rows nor in what SQLite leaves behind"
        assert b"[redacted]" in kept


def test_lists_show_no_question_that_nobody_has_cleaned(ledger: Ledger) -> None:
    seen = Ledger(ledger.database, WorkerSection(), hide)
    seen.accept(ask(text="why does hunter2 fail?"))
    (short,) = seen.recent("T1", "U1", 5)
    assert short.text == "why does [redacted] fail?"
    seen.accept(ask(2, text="hunter2 " * 500))
    long = seen.recent("T1", "U1", 5)[0]
    assert "hunter2" not in long.text
    assert long.text == Ledger(ledger.database, WorkerSection(), never).recent("T1", "U1", 1)[0].text


def claim_again(ledger: Ledger) -> Job:
    """After the lease of the one before ended."""
    shift(ledger, lease_until=1.0)
    return claim(ledger)


# --- people change their mind ---------------------------------------------------------------------------------


def test_a_stopped_request_is_taken_from_its_worker_and_says_so_once(ledger: Ledger) -> None:
    ledger.accept(ask())
    job = claim(ledger)
    assert ledger.stop("r1", "U9")
    assert not ledger.stop("r1", "U9"), "it is stopping already"
    with pytest.raises(LeaseLost):
        ledger.checkpoint(job, "execute", log_of(ask()))
    stopping = claim(ledger)
    assert (stopping.stage, stopping.stopped_by) == ("stop", "U9")
    ledger.finish(stopping, "stopped")
    assert not ledger.stop("r1", "U9"), "it has ended"
    assert ledger.oldest_open_s() == 0
    assert ledger.claim("r1") is None


def test_whatever_is_open_or_waits_in_a_thread_is_stopped(ledger: Ledger) -> None:
    ledger.accept(ask(1))
    ledger.finish(ledger.checkpoint(claim(ledger, "r1"), "deliver", log_of(ask(1))), "waiting")
    ledger.accept(ask(2, thread_ts="100.1", asker="U2"))
    ledger.accept(ask(3))
    ledger.accept(ask(4, thread_ts="100.1", channel="C2"))
    assert sorted(ledger.stop_thread("T1", "C1", "100.1", "U9")) == ["r1", "r2"]
    assert ledger.accept_reply(say()) is None, "the clarifying question is gone"
    assert ledger.stop_thread("T2", "C1", "100.3", "U9") == ()
    assert set(swept(ledger)) >= {"r1", "r2"}


def test_an_edited_question_takes_the_place_of_what_was_asked(ledger: Ledger) -> None:
    ledger.accept(ask(1))
    ledger.note_progress("r1", "300.1")
    job = claim(ledger)
    edit = {"edits": "100.1", "ts": "", "thread_ts": "100.1"}
    assert ledger.accept(ask(2, **edit)) is None, "the text is the same"
    assert ledger.accept(ask(3, text="why is it fast?", event_id="Ev-e3", **edit)) == "r3"
    assert ledger.accept(ask(3, text="why is it fast?", event_id="Ev-e3", **edit)) is None, "the same event again"
    with pytest.raises(LeaseLost):
        ledger.mark_sent(job, "0.0")
    assert ledger.claim("r1") is None
    assert claim(ledger, "r3").progress_ts == "300.1", "its progress goes on in the same message"
    assert ledger.accept(ask(4, text="why is it green?", event_id="Ev-e4", **edit)) == "r4"
    assert ledger.claim("r3") is None, "an edit of an edit"


def test_words_typed_before_the_question_is_recorded_answer_it_as_well(ledger: Ledger) -> None:
    ledger.accept(ask())
    ledger.mark_sent(ledger.checkpoint(claim(ledger), "deliver", asks_back(ask())), "0.0")
    assert ledger.accept_reply(say()) == "r1"


def test_no_answer_is_continued_by_a_reply_while_it_is_posted(ledger: Ledger) -> None:
    ledger.accept(ask())
    ledger.mark_sent(ledger.checkpoint(claim(ledger), "deliver", log_of(ask())), "0.0")
    assert ledger.accept_reply(say()) is None
    assert ledger.accept_reply(say(request_id="r1", ts="")) is None


def test_an_edit_of_a_message_that_asked_nothing_is_a_question_once(ledger: Ledger) -> None:
    edit = {"edits": "100.7", "ts": "", "thread_ts": "100.7"}
    assert ledger.accept(ask(1, **edit)) == "r1"
    assert ledger.accept(ask(2, text="and now?", **edit)) == "r2"
    assert ledger.claim("r1") is None


def test_an_edit_of_a_reply_is_none_of_a_question(ledger: Ledger) -> None:
    ledger.accept(ask())
    ledger.finish(ledger.checkpoint(claim(ledger), "deliver", asks_back(ask())), "waiting")
    assert ledger.accept_reply(say("/api/seach")) == "r1"
    assert ledger.accept(ask(2, text="/api/search", edits="101.1", ts="", thread_ts="100.1")) is None
    assert claim(ledger).turn == 1, "it goes on"


def test_an_edit_of_what_was_answered_is_asked_anew_and_the_answer_stays(ledger: Ledger) -> None:
    ledger.accept(ask(1))
    ledger.finish(ledger.checkpoint(claim(ledger), "deliver", log_of(ask(1))), "done")
    assert ledger.accept(ask(2, text="and now?", edits="100.1", ts="", thread_ts="100.1", event_id="Ev-e")) == "r2"
    assert [a.stage for a in ledger.recent("T1", "U1", 5)] == ["plan", "done"]


# --- limits ---------------------------------------------------------------------------------------------------


def test_a_person_over_the_limit_is_told_when_to_ask_again(ledger: Ledger) -> None:
    ledger.asking = Limit(user_per_hour=2, channel_per_hour=3)
    assert ledger.accept(ask(1)) == "r1"
    assert ledger.accept(ask(2)) == "r2"
    assert ledger.accept(ask(2)) is None, "a repeated event is no question"
    with pytest.raises(AskedTooOften, match=r"2 questions within an hour.* again in 60 minutes") as told:
        ledger.accept(ask(3))
    assert 3_590 < told.value.wait_s <= 3_600
    assert ledger.accept(ask(4, asker="U2")) == "r4"
    with pytest.raises(AskedTooOften, match="3 questions were asked here"):
        ledger.accept(ask(5, asker="U3"))
    assert ledger.accept(ask(6, asker="U3", channel="C2", ts="100.66")) == "r6"
    shift(ledger, accepted_at=1.0)
    assert ledger.accept(ask(3)) == "r3", "an hour later; the refused event was not noted"


# --- looking --------------------------------------------------------------------------------------------------


def test_who_may_answer_a_clarifying_question_is_configured(ledger: Ledger) -> None:
    ledger.accept(ask())
    ledger.finish(ledger.checkpoint(claim(ledger), "deliver", log_of(ask())), "waiting")
    assert ledger.accept_reply(say(request_id="r1", asker="U2")) is None
    assert ledger.asker_of("r1", "T1", "C1") == "U1"
    assert ledger.asker_of("r1", "T1", "C2") == ledger.asker_of("r1", "T2", "C1") == ""
    ledger.anyone = True
    assert ledger.accept_reply(say(request_id="r1", asker="U2", channel="C2")) is None
    assert ledger.accept_reply(say(request_id="r1", asker="U2")) == "r1"


def test_the_queue_is_counted_once_every_worker_is_busy(ledger: Ledger) -> None:
    for n in range(1, 5):
        ledger.accept(ask(n))
    assert [ledger.ahead(f"r{n}") for n in range(1, 5)] == [None, None, None, None], "two workers are free"
    claim(ledger, "r1")
    assert ledger.queue(5) == ()
    claim(ledger, "r2")
    assert [ledger.ahead(f"r{n}") for n in range(1, 5)] == [None, None, 0, 1]
    assert [(q.request_id, ahead) for q, ahead in ledger.queue(5)] == [("r3", 0), ("r4", 1)]


def test_answers_that_wait_for_their_channel_are_queued_by_it(ledger: Ledger) -> None:
    for n, channel in enumerate(("C1", "C2", "C1"), 1):
        ledger.accept(ask(n, channel=channel))
        REQUESTS.postpone(ledger.database, ledger.checkpoint(claim(ledger, f"r{n}"), "deliver", log_of(ask(n))), 30)
    assert [(q.request_id, ahead) for q, ahead in ledger.queue(5)] == [("r1", 0), ("r2", 0), ("r3", 1)]
    assert ledger.ahead("r3") == 1


def test_lists_show_what_was_asked_and_said(ledger: Ledger) -> None:
    ledger.accept(ask(1))
    ledger.finish(ledger.checkpoint(claim(ledger), "deliver", log_of(ask(1))), "done")
    ledger.accept(ask(2, thread_ts="100.1"))
    ledger.accept(ask(3, asker="U2"))
    last = ledger.last_of("T1", "C1", "U1")
    assert last is not None
    assert (last.request_id, last.headline, last.answered) == ("r1", "it was the deploy", True)
    assert [a.request_id for a in ledger.open_of("T1", "U1")] == ["r2"]
    assert [a.request_id for a in ledger.recent("T1", "U1", 5)] == ["r2", "r1"]
    assert [a.request_id for a in ledger.asked_in("T1", "C1", datetime(2020, 1, 1, tzinfo=UTC), 5)] == [
        "r1",
        "r2",
        "r3",
    ]
    assert ledger.asked_in("T1", "C1", datetime(2100, 1, 1, tzinfo=UTC), 5) == ()
    assert ledger.is_ours("T1", "C1", "100.1")
    assert not ledger.is_ours("T1", "C1", "100.2")


def test_something_that_may_happen_once_is_noted_once(ledger: Ledger) -> None:
    assert ledger.note_event("T1", "share:r1", "r1")
    assert not ledger.note_event("T1", "share:r1", "r1")
    assert ledger.note_event("T2", "share:r1", "r1")
    ledger.forget_event("T1", "share:r1")
    assert ledger.note_event("T1", "share:r1", "r1")
    assert not ledger.note_event("T2", "share:r1", "r1")


def test_a_run_again_is_known_while_it_is_open(ledger: Ledger) -> None:
    ledger.accept(ask(1))
    ledger.accept(ask(2, again="r1", ts=""))
    assert ledger.is_running_again("r1", "U1")
    assert not ledger.is_running_again("r1", "U2")
    ledger.finish(claim(ledger, "r2"), "done")
    assert not ledger.is_running_again("r1", "U1")


def test_whoever_lost_a_request_to_a_person_is_told_apart(ledger: Ledger) -> None:
    ledger.accept(ask(1))
    job = claim(ledger)
    assert not ledger.taken_by_person(job)
    shift(ledger, lease_until=1.0)
    claim(ledger)
    assert not ledger.taken_by_person(job), "another worker has it"
    with pytest.raises(LeaseLost):
        REQUESTS.current(ledger.database, job)
    ledger.stop("r1", "U1")
    assert ledger.taken_by_person(job)


def test_the_row_is_read_again_under_its_token(ledger: Ledger) -> None:
    ledger.accept(ask())
    job = claim(ledger)
    ledger.mark_sent(job, "0.0", "300.1")
    assert REQUESTS.current(ledger.database, job).sent == {"0.0": "300.1"}


def test_a_workspace_that_removed_the_app_is_left_alone(ledger: Ledger) -> None:
    ledger.accept(ask(1))
    ledger.accept(ask(2, team="T2", channel="C2", ts="100.2"))
    assert ledger.end_team("T1") == 1
    assert ledger.counts() == {"plan": 1}, "what was said there is gone"
