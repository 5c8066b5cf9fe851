"""The rows of the ledger: how a request is written, found and read; statements only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, cast

from sqlalchemy import ColumnElement, Connection, RowMapping, and_, or_, select, update

from workers.contracts import Question, Reply, RequestLog
from workers.store.database_clock import now_s
from workers.store.leases import Leases, fresh_lease
from workers.store.request_logs import insert
from workers.store.tables import events, jobs

Stage = Literal[
    "open", "plan", "execute", "synthesize", "deliver", "apologize", "stop", "waiting", "done", "stopped", "dead"
]
AT_REST: frozenset[Stage] = frozenset({"waiting", "done", "stopped", "dead"})
"""Nobody waits for Oracle."""
ENDING: frozenset[Stage] = frozenset({"apologize", "stop"})
"""All that is left is to say so."""


@dataclass(frozen=True)
class Job:
    """One request as its lease holder sees it. ``sent`` maps a part of the reply to the ts of its message; ``raw``: no
    secret has been taken out of what people wrote yet.
    """

    question: Question
    reply: Reply | None
    log: RequestLog | None
    stage: Stage
    turn: int
    fence: int
    failures: int
    delays: int
    lost_leases: int
    sent: Mapping[str, str]
    progress_ts: str
    stopped_by: str
    waited_s: float
    raw: bool = False

    @property
    def request_id(self) -> str:
        """Its name everywhere."""
        return self.question.request_id


@dataclass(frozen=True)
class Asked:
    """One request as people see it in a list. ``headline`` is empty until there is an answer; ``raw``: secrets may
    stand in its text still.
    """

    request_id: str
    asker: str
    text: str
    headline: str
    stage: Stage
    channel: str
    thread_ts: str
    accepted_at: datetime
    raw: bool = False

    @property
    def answered(self) -> bool:
        """Whether an answer stands in the thread."""
        return self.stage == "done" and bool(self.headline)


def new_job(question: Question) -> dict[str, Any]:
    """The row of a new request."""
    return {
        "request_id": question.request_id,
        "team": question.team,
        "channel": question.channel,
        "thread_ts": question.thread_ts,
        "asker": question.asker,
        "question": question.model_dump(mode="json"),
        "raw": question.source != "alert",  # nobody wrote that
        "stage": "plan" if question.thread_ts else "open",
        "open": True,
        "turn": 0,
        **fresh_lease(),
        "sent": {},
        "progress_ts": "",
        "stopped_by": "",
        "asks_back": False,
        "headline": "",
        "accepted_at": now_s(),
        "waiting_since": now_s(),
        **({"published_at": 0.0} if question.source == "alert" else {}),  # nobody rings for it: the clock shall, soon
    }


def with_words(question: Question, change: Callable[[str], str]) -> Question:
    """A question with everything that people wrote in it changed."""
    quoted = {name: tuple(map(change, getattr(question, name))) for name in ("context", "unread")}
    return question.model_copy(update={"text": change(question.text), **quoted})


def accept_event(connection: Connection, event: Question | Reply, request_id: str) -> bool:
    """Note an event; False when it, or the message it is about, was noted before."""
    row = {
        "team": event.team,
        "event_id": event.event_id,
        "channel": event.channel if event.ts else None,
        "ts": event.ts or None,
        "request_id": request_id,
        "accepted_at": now_s(),
    }
    statement = insert(connection, events).values(row).on_conflict_do_nothing().returning(events.c.id)
    return connection.execute(statement).first() is not None


def waiting_for(connection: Connection, said: Question | Reply, *, anyone: bool, lock: bool) -> str | None:
    """The request that goes on with this: the one a button names, or the newest of the thread that waits.

    Args:
        connection: of the transaction that will write.
        said: a reply, or a mention.
        anyone: whether others than the asker may answer.
        lock: keep everyone else from answering the same request; whoever comes second finds none that waits.
    """
    posting = and_(jobs.c.asks_back, jobs.c.stage == "deliver")  # whoever answers has seen it, recorded or not
    asks = or_(jobs.c.stage == "waiting", posting)
    query = select(jobs.c.request_id).where(asks)
    if isinstance(said, Reply) and said.request_id:
        named = and_(jobs.c.request_id == said.request_id, jobs.c.turn == said.turn)
        query = query.where(named, jobs.c.team == said.team, jobs.c.channel == said.channel)
    elif said.thread_ts:
        query = (
            query.where(in_thread(said.team, said.channel, said.thread_ts)).order_by(jobs.c.accepted_at.desc()).limit(1)
        )
    else:
        return None
    if not anyone:
        query = query.where(jobs.c.asker == said.asker)
    return connection.execute(query.with_for_update() if lock else query).scalar()


def continue_job(connection: Connection, request_id: str, reply: Reply) -> None:
    """A request that waited goes on with what was said; whoever is still recording its question has lost it."""
    connection.execute(
        update(jobs)
        .where(jobs.c.request_id == request_id)
        .values(
            stage="plan",
            open=True,
            reply=reply.model_dump(mode="json"),
            raw=True,
            turn=jobs.c.turn + 1,
            fence=jobs.c.fence + 1,
            lease_until=None,
            due_at=now_s(),
            wait_until=0.0,
            published_at=now_s(),
            waiting_since=now_s(),
            finished_at=None,
            lost_leases=0,
            progress_ts="",
            asks_back=False,
        )
    )


def as_reply(question: Question, request_id: str) -> Reply:
    """A mention in a thread that waits, as the answer it is."""
    shared = question.model_dump(include={"text", "asker", "team", "channel", "thread_ts", "event_id", "ts"})
    return Reply(**shared, received_at=question.received_at, request_id=request_id)


def to_job(row: RowMapping) -> Job:
    """A row as its lease holder sees it."""
    return Job(
        question=Question.model_validate(row["question"]),
        reply=Reply.model_validate(row["reply"]) if row["reply"] else None,
        log=RequestLog.model_validate_json(row["log"]) if row["log"] else None,
        stage=cast("Stage", row["stage"]),
        turn=row["turn"],
        fence=row["fence"],
        failures=row["failures"],
        delays=row["delays"],
        lost_leases=row["lost_leases"],
        sent=row["sent"],
        progress_ts=row["progress_ts"],
        stopped_by=row["stopped_by"],
        waited_s=max(float(row["clock_s"] - row["waiting_since"]), 0.0),
        raw=row["raw"],
    )


REQUESTS = Leases(jobs, ("request_id",), to_job, "request", jobs.c.open)


# --- lists ----------------------------------------------------------------------------------------------------


def list_asked(connection: Connection, where: ColumnElement[bool], most: int) -> tuple[Asked, ...]:
    """The newest requests that a condition holds for, newest first."""
    names = ("request_id", "asker", "question", "headline", "stage", "channel", "thread_ts", "accepted_at", "raw")
    query = select(*(jobs.c[name] for name in names)).where(where).order_by(jobs.c.accepted_at.desc()).limit(most)
    return tuple(to_asked(row) for row in connection.execute(query).mappings())


def to_asked(row: RowMapping) -> Asked:
    """A row as people see it."""
    return Asked(
        request_id=row["request_id"],
        asker=row["asker"],
        text=row["question"]["text"],
        headline=row["headline"],
        stage=cast("Stage", row["stage"]),
        channel=row["channel"],
        thread_ts=row["thread_ts"],
        accepted_at=datetime.fromtimestamp(row["accepted_at"], UTC),
        raw=row["raw"],
    )


def in_thread(team: str, channel: str, thread_ts: str) -> ColumnElement[bool]:
    """Asked in one thread of a workspace."""
    return and_(jobs.c.team == team, jobs.c.channel == channel, jobs.c.thread_ts == thread_ts)


def unanswered() -> ColumnElement[bool]:
    """Someone waits for Oracle, or Oracle for someone."""
    return or_(jobs.c.open, jobs.c.stage == "waiting")


# --- people change their mind ---------------------------------------------------------------------------------


def replace_edited(connection: Connection, question: Question) -> tuple[bool, str]:
    """End what a message asked before its text was edited, and let the message stand for the new request.

    Returns: whether there is something to ask (not when the text is the same, nor when the message was a reply), and
        the ts of the progress to go on with.
    """
    here = and_(events.c.channel == question.channel, events.c.ts == question.edits)
    request_id = connection.execute(select(events.c.request_id).where(here).with_for_update()).scalar()
    if request_id is None:
        said = {"event_id": f"edited:{question.channel}:{question.edits}", "channel": question.channel}
        row = {**said, "team": question.team, "ts": question.edits, "request_id": question.request_id}
        connection.execute(insert(connection, events).values({**row, "accepted_at": now_s()}))
        return True, ""
    columns = (jobs.c.question, jobs.c.progress_ts)
    found = connection.execute(select(*columns).where(jobs.c.request_id == request_id)).mappings().first()
    if found:
        before = Question.model_validate(found["question"])
        if before.text == question.text or question.edits not in {before.ts, before.edits}:
            return False, ""
    connection.execute(update(events).where(here).values(request_id=question.request_id))
    mine = and_(jobs.c.request_id == request_id, unanswered())
    ended = {**REQUESTS.released(0, "edited"), "stage": "done", "open": False, "finished_at": now_s()}
    was_open = connection.execute(update(jobs).where(mine).values(**ended)).rowcount
    return True, found["progress_ts"] if found and was_open else ""
