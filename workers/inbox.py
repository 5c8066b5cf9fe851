"""The ledger of requests: accept each once, lease it to one worker, sweep what a dead worker left.

The queue only rings; what has to be done stands here. A lease carries a fencing token: a worker that lost its lease can
write nothing more. All times are the database's own, seconds since the epoch.

A request goes ``open`` (a command opens its thread) → ``plan`` → ``execute`` → ``synthesize`` → ``deliver`` → ``done``;
or ``waiting`` when it asked something back. One that failed too often goes to ``apologize``, which says so; one whose
reply cannot be posted at all ends ``dead``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from sqlalchemy import Connection, RowMapping, and_, case, delete, func, or_, select, update

from workers.contracts import Question, Reply, RequestLog
from workers.errors import LeaseLost
from workers.settings import WorkerSection
from workers.store.clock import now_s
from workers.store.database import Database
from workers.store.requests import insert, storable
from workers.store.tables import events, jobs, pacing

Stage = Literal["open", "plan", "execute", "synthesize", "deliver", "apologize", "waiting", "done", "dead"]
REPUBLISH_S = 10.0
SWEEP_ROWS = 200
LONGEST_BACKOFF_S = 30.0
POSTING = ""
"""In `Job.sent`: a post was begun, and nobody knows whether it stands."""


@dataclass(frozen=True)
class Job:
    """One request as its lease holder sees it. ``sent`` maps a part of the reply to the ts of its message."""

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
    waited_s: float

    @property
    def request_id(self) -> str:
        """Its name everywhere."""
        return self.question.request_id


class Inbox:
    """Every method raises StoreUnavailable; those that write under a lease raise LeaseLost.

    Args:
        database: with tables of today's version.
        limits: lease, failures and lost leases allowed.
        clean: takes the secrets out of what people write, before it is kept.
    """

    def __init__(self, database: Database, limits: WorkerSection, clean: Callable[[str], str] = str) -> None:
        self.database = database
        self.limits = limits
        self.clean = clean

    # --- accepting --------------------------------------------------------------------------------------------

    def accept(self, question: Question) -> str | None:
        """Commit a question once; a mention in a thread that waits for its asker's answer is that answer.

        Returns: the id of the request that goes on; None when this event or message was accepted before.
        """
        question = question.model_copy(update={"text": storable(self.clean(question.text))})
        with self.database.begin(exclusive=True) as connection:
            waiting = waiting_for(connection, question, lock=True)
            request_id = waiting or question.request_id
            if not accept_event(connection, question, request_id):
                return None
            if waiting:
                continue_job(connection, waiting, as_reply(question, waiting))
            else:
                connection.execute(jobs.insert().values(new_job(question)))
            return request_id

    def accept_reply(self, reply: Reply) -> str | None:
        """Commit what was said to a clarifying question.

        Returns: the id of the request that goes on; None when none waits there, or this was accepted before.
        """
        with self.database.begin() as connection:
            if waiting_for(connection, reply, lock=False) is None:
                return None  # most messages in threads are not for us: they must not wait for the lock
        with self.database.begin(exclusive=True) as connection:
            waiting = waiting_for(connection, reply, lock=True)
            if waiting is None or not accept_event(connection, reply, waiting):
                return None
            said = {"request_id": waiting, "text": storable(self.clean(reply.text))}
            continue_job(connection, waiting, reply.model_copy(update=said))
            return waiting

    def is_awaited(self, reply: Reply) -> bool:
        """Whether a request waits for this reply."""
        with self.database.begin() as connection:
            return waiting_for(connection, reply, lock=False) is not None

    # --- working ----------------------------------------------------------------------------------------------

    def claim(self, request_id: str) -> Job | None:
        """Take the lease of a request that is due and free.

        Returns: the job with its fencing token; None when there is nothing to do, or someone else does it.
        """
        free = or_(jobs.c.lease_until.is_(None), jobs.c.lease_until < now_s())
        statement = (
            update(jobs)
            .where(jobs.c.request_id == request_id, jobs.c.open, jobs.c.due_at <= now_s(), free)
            .values(
                fence=jobs.c.fence + 1,
                lease_until=now_s() + self.limits.lease_s,
                lost_leases=jobs.c.lost_leases + case((jobs.c.lease_until.is_(None), 0), else_=1),
            )
            .returning(jobs, (now_s() - jobs.c.waiting_since).label("waited_s"))
        )
        with self.database.begin(exclusive=True) as connection:
            row = connection.execute(statement).mappings().first()
        return to_job(row) if row else None

    def renew(self, job: Job) -> None:
        """The heartbeat: this worker still lives."""
        self.write(job, lease_until=now_s() + self.limits.lease_s)

    def checkpoint(self, job: Job, stage: Stage, log: RequestLog) -> Job:
        """A stage is done: keep what it found; failures and delays count anew. The lease is renewed."""
        self.write(
            job,
            stage=stage,
            log=log.model_dump_json(),
            failures=0,
            delays=0,
            lease_until=now_s() + self.limits.lease_s,
        )
        return replace(job, stage=stage, log=log, failures=0, delays=0)

    def open_thread(self, job: Job, thread_ts: str) -> Job:
        """A command has its thread now."""
        question = job.question.model_copy(update={"thread_ts": thread_ts})
        self.write(job, stage="plan", thread_ts=thread_ts, question=question.model_dump(mode="json"), failures=0)
        return replace(job, stage="plan", question=question)

    def mark_sent(self, job: Job, part: str, ts: str | None = POSTING) -> Job:
        """Before a post: that it begins (`POSTING`), the lease renewed. After it: its ts; None: it never left here."""
        sent = {name: known for name, known in {**job.sent, part: ts}.items() if known is not None}
        self.write(job, sent=sent, lease_until=now_s() + self.limits.lease_s)
        return replace(job, sent=sent)

    def give_up(self, job: Job, log: RequestLog) -> Job:
        """Nobody tries again; all that is left is to say so."""
        values: dict[str, Any] = {"stage": "apologize", "failures": 0, "delays": 0, "lost_leases": 0}
        self.write(job, **values, log=log.model_dump_json())
        return replace(job, **values, log=log)

    def move(self, job: Job, channel: str, thread_ts: str) -> None:
        """Go on in another place; what was sent before was sent elsewhere. The lease is given back."""
        question = job.question.model_copy(update={"channel": channel, "thread_ts": thread_ts})
        place = {"channel": channel, "thread_ts": thread_ts, "question": question.model_dump(mode="json")}
        stage = case((jobs.c.stage == "open", "plan"), else_=jobs.c.stage)
        self.write(job, **released(0, ""), **place, stage=stage, sent={}, progress_ts="")

    def finish(self, job: Job, stage: Stage, error: str = "") -> Job:
        """Nothing more to do: ``done``, ``waiting`` for a reply, or ``dead``."""
        self.write(job, stage=stage, open=False, lease_until=None, finished_at=now_s(), error=error)
        return replace(job, stage=stage)

    def postpone(self, job: Job, delay_s: float, error: str = "") -> None:
        """Give the lease back and try again later; nobody's fault."""
        self.write(job, **released(delay_s, error), delays=jobs.c.delays + 1)

    def fail(self, job: Job, error: str) -> None:
        """Count a failure of this stage, give the lease back, and try again later."""
        self.write(job, **released(backoff(job.failures + 1), error), failures=jobs.c.failures + 1)

    def note_progress(self, request_id: str, ts: str) -> None:
        """Where the progress of a request is shown; not under a lease, as progress may be lost."""
        with self.database.begin(exclusive=True) as connection:
            connection.execute(update(jobs).where(jobs.c.request_id == request_id).values(progress_ts=ts))

    def write(self, job: Job, **values: Any) -> None:
        """Write under the fencing token. Raises: LeaseLost."""
        mine = and_(jobs.c.request_id == job.request_id, jobs.c.fence == job.fence, jobs.c.open)
        with self.database.begin(exclusive=True) as connection:
            if connection.execute(update(jobs).where(mine).values(**values)).rowcount == 0:
                raise LeaseLost(f"request {job.request_id} is held by another worker")

    # --- sweeping ---------------------------------------------------------------------------------------------

    def sweep(self) -> tuple[str, ...]:
        """Free the leases of workers that died, later each time, and find what must be published again.

        Returns: ids of requests that are due and that nobody was told of for `REPUBLISH_S`, oldest first.
        """
        with self.database.begin(exclusive=True) as connection:
            expired = and_(jobs.c.open, jobs.c.lease_until < now_s())
            connection.execute(
                update(jobs)
                .where(expired)
                .values(
                    lease_until=None,
                    published_at=0,
                    lost_leases=jobs.c.lost_leases + 1,
                    due_at=now_s() + lost_backoff(),
                )
            )
            due = (  # skipping what another sweeper has locked: it tells of those
                select(jobs.c.request_id)
                .where(
                    jobs.c.open,
                    jobs.c.lease_until.is_(None),
                    jobs.c.due_at <= now_s(),
                    jobs.c.published_at < now_s() - REPUBLISH_S,
                )
                .order_by(jobs.c.due_at)
                .limit(SWEEP_ROWS)
                .with_for_update(skip_locked=True)
                .cte("due")
            )
            statement = (
                update(jobs)
                .where(jobs.c.request_id.in_(select(due.c.request_id)))
                .values(published_at=now_s())
                .returning(jobs.c.request_id, jobs.c.due_at)
            )
            rows = connection.execute(statement).all()
        return tuple(row.request_id for row in sorted(rows, key=lambda row: row.due_at))

    def forget(self, days: float) -> int:
        """Remove what ended so many days ago; what waits for someone stays. Returns: how many requests that were."""
        end = now_s() - days * 86_400
        with self.database.begin(exclusive=True) as connection:
            ended = and_(~jobs.c.open, jobs.c.stage != "waiting", jobs.c.finished_at < end)
            gone = connection.execute(delete(jobs).where(ended)).rowcount
            connection.execute(delete(events).where(events.c.accepted_at < end))
            connection.execute(delete(pacing).where(pacing.c.at < end))
        return gone

    # --- looking ----------------------------------------------------------------------------------------------

    def earlier(self, question: Question, most: int) -> tuple[str, ...]:
        """What was asked and answered before in the same thread, oldest first, at most so many texts."""
        query = (
            select(jobs.c.log)
            .where(
                jobs.c.channel == question.channel,
                jobs.c.thread_ts == question.thread_ts,
                jobs.c.request_id != question.request_id,
                jobs.c.log.is_not(None),
            )
            .order_by(jobs.c.accepted_at.desc())
            .limit((most + 1) // 2)
        )
        with self.database.begin() as connection:
            logs = [RequestLog.model_validate_json(text) for text in connection.execute(query).scalars()]
        said = [(log.question.text, log.answer.headline.text if log.answer else "") for log in reversed(logs)]
        return tuple(text for pair in said for text in pair if text)[-most:] if most else ()

    def oldest_open_s(self) -> float:
        """The age of the oldest question without a reply, in seconds; 0 when there is none."""
        with self.database.begin() as connection:
            since = connection.execute(select(now_s() - func.min(jobs.c.waiting_since)).where(jobs.c.open)).scalar()
        return max(float(since or 0.0), 0.0)

    def counts(self) -> dict[str, int]:
        """How many requests are at each stage."""
        with self.database.begin() as connection:
            rows = connection.execute(select(jobs.c.stage, func.count()).group_by(jobs.c.stage)).all()
        return {str(stage): int(number) for stage, number in rows}


# --- rows -----------------------------------------------------------------------------------------------------


def released(delay_s: float, error: str) -> dict[str, Any]:
    """A lease given back. The token moves on: a heartbeat that is still under way can take nothing again."""
    return {
        "fence": jobs.c.fence + 1,
        "lease_until": None,
        "due_at": now_s() + delay_s,
        "published_at": 0,
        "error": error,
    }


def new_job(question: Question) -> dict[str, Any]:
    """The row of a new request."""
    return {
        "request_id": question.request_id,
        "team": question.team,
        "channel": question.channel,
        "thread_ts": question.thread_ts,
        "asker": question.asker,
        "question": question.model_dump(mode="json"),
        "stage": "plan" if question.thread_ts else "open",
        "open": True,
        "turn": 0,
        "fence": 0,
        "due_at": now_s(),
        "published_at": now_s(),
        "failures": 0,
        "delays": 0,
        "lost_leases": 0,
        "error": "",
        "sent": {},
        "progress_ts": "",
        "accepted_at": now_s(),
        "waiting_since": now_s(),
    }


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


def waiting_for(connection: Connection, said: Question | Reply, *, lock: bool) -> str | None:
    """The request that goes on with this: the one a button names, or the newest of the thread that waits for its asker.

    Args:
        connection: of the transaction that will write.
        said: a reply, or a mention.
        lock: keep everyone else from answering the same request; whoever comes second finds none that waits.
    """
    query = select(jobs.c.request_id)
    if isinstance(said, Reply) and said.request_id:
        asks = jobs.c.stage.in_(("waiting", "deliver"))  # who presses it has seen it, whether that is recorded or not
        named = and_(jobs.c.request_id == said.request_id, jobs.c.team == said.team, jobs.c.turn == said.turn)
        query = query.where(named, asks)
    elif said.thread_ts:
        thread = and_(jobs.c.channel == said.channel, jobs.c.thread_ts == said.thread_ts, jobs.c.stage == "waiting")
        query = query.where(thread, jobs.c.asker == said.asker).order_by(jobs.c.accepted_at.desc()).limit(1)
    else:
        return None
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
            turn=jobs.c.turn + 1,
            fence=jobs.c.fence + 1,
            lease_until=None,
            due_at=now_s(),
            published_at=now_s(),
            waiting_since=now_s(),
            finished_at=None,
            lost_leases=0,
            progress_ts="",
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
        waited_s=max(float(row["waited_s"]), 0.0),
    )


def backoff(tries: int) -> float:
    """Seconds to wait after the n-th failure in a row: 1, 2, 4 … 30."""
    return min(2.0 ** (tries - 1), LONGEST_BACKOFF_S)


def lost_backoff() -> Any:
    """Seconds to wait after a lost lease, in SQL: none after the first two, then 2, 4, 8 … 30."""
    later = [(jobs.c.lost_leases == n, min(2.0 ** (n - 1), LONGEST_BACKOFF_S)) for n in range(2, 6)]
    return case((jobs.c.lost_leases < 2, 0.0), *later, else_=LONGEST_BACKOFF_S)
