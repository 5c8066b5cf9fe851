"""The ledger of requests: accept each once, let one worker go on with it, stop it, forget it.

The queue only rings; what has to be done stands here. Who may write is said in `workers.store.leases`. All times are
the database's own, seconds since the epoch.

A request goes ``open`` (a command opens its thread) → ``plan`` → ``execute`` → ``synthesize`` → ``deliver`` → ``done``;
or ``waiting`` when it asked something back. One that failed too often goes to ``apologize``, which says so; one that a
person stopped goes to ``stop``, which says so and ends ``stopped``; one whose reply cannot be posted ends ``dead``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, case, delete, func, or_, select, update

from workers.contracts import Question, Reply, RequestLog
from workers.errors import AskedTooOften
from workers.settings.load import Settings
from workers.settings.schema import KeepSection, Limit, WorkerSection
from workers.store.database import Database
from workers.store.database_clock import now_s
from workers.store.request_jobs import (
    ENDING,
    REQUESTS,
    Asked,
    Job,
    Stage,
    accept_event,
    as_reply,
    continue_job,
    in_thread,
    list_asked,
    new_job,
    replace_edited,
    unanswered,
    waiting_for,
    with_words,
)
from workers.store.request_logs import insert, storable
from workers.store.retention import forget_conversations, forget_followed, forget_team
from workers.store.tables import (
    alert_groups,
    alerts,
    deploys,
    events,
    feedback,
    flag_changes,
    incident_channels,
    jobs,
    pacing,
    refusals,
    request_events,
    requests,
    spending,
)

MOST_QUEUED = 200
HOUR_S = 3_600.0
SHOWN_CHARS = 500
NOT_READ = "(a long question that no worker has read yet)"
POSTING = ""
"""In `Job.sent`: a post was begun, and nobody knows whether it stands."""


class Ledger:
    """Every method raises StoreUnavailable; those that write under a lease raise LeaseLost.

    Args:
        database: with tables of today's version.
        limits: lease, failures and lost leases allowed.
        clean: takes the secrets out of what people write. Questions and replies are kept as they came, until a worker
            has taken them out: nobody waits for that before an acknowledgement.
        asking: how many questions a person and a channel may ask in an hour.
        anyone: whether others than the asker may answer a clarifying question.
    """

    def __init__(
        self,
        database: Database,
        limits: WorkerSection,
        clean: Callable[[str], str] = str,
        *,
        asking: Limit | None = None,
        anyone: bool = False,
    ) -> None:
        self.database = database
        self.limits = limits
        self.clean = clean
        self.asking = asking or Limit()
        self.anyone = anyone

    # --- accepting --------------------------------------------------------------------------------------------

    def accept(self, question: Question) -> str | None:
        """Commit a question once.

        A mention in a thread that waits for its asker's answer is that answer, what a button asks there is not; an
        edited question takes the place of what its message asked before.

        Returns: the id of the request that goes on; None when this event or message was accepted before, or an edit
            left the text as it was, or was one of a reply.

        Raises:
            AskedTooOften: the asker or the channel is over its limit.
        """
        question = with_words(question, storable)
        with self.database.begin(exclusive=True) as connection:
            fresh = question.edits or not question.ts or question.source == "alert"
            waiting = None if fresh else waiting_for(connection, question, anyone=self.anyone, lock=True)
            request_id = waiting or question.request_id
            if not accept_event(connection, question, request_id):
                return None
            if waiting:
                continue_job(connection, waiting, as_reply(question, waiting))
                return waiting
            asks, progress_ts = replace_edited(connection, question) if question.edits else (True, "")
            if not asks:
                return None
            if not question.confirms:
                self.check_limits(connection, question)
            connection.execute(jobs.insert().values({**new_job(question), "progress_ts": progress_ts}))
            return request_id

    def check_limits(self, connection: Connection, question: Question) -> None:
        """Raises: AskedTooOften."""
        person = and_(jobs.c.asker == question.asker, jobs.c.team == question.team)
        channel = and_(jobs.c.channel == question.channel, jobs.c.team == question.team)
        limits = (
            (person, self.asking.user_per_hour, "You have asked {most} questions within an hour, as many as I take."),
            (channel, self.asking.channel_per_hour, "{most} questions were asked here within an hour, all I take."),
        )
        for who, most, words in limits[: 1 if question.source == "http" else 2]:  # over HTTP nobody shares a channel
            since = jobs.c.accepted_at > now_s() - HOUR_S
            over = select(jobs.c.accepted_at - now_s() + HOUR_S).where(who, since)
            wait_s = connection.execute(over.order_by(jobs.c.accepted_at.desc()).offset(most - 1).limit(1)).scalar()
            if wait_s is not None:
                minutes = max(1, math.ceil(wait_s / 60))
                text = f"{words.format(most=most)} Please ask again in {minutes} minute{'s' if minutes > 1 else ''}."
                raise AskedTooOften(text, float(wait_s))

    def accept_reply(self, reply: Reply) -> str | None:
        """Commit what was said to a clarifying question.

        Returns: the id of the request that goes on; None when none waits there, or this was accepted before.
        """
        with self.database.begin() as connection:
            if waiting_for(connection, reply, anyone=self.anyone, lock=False) is None:
                return None  # most messages in threads are not for us: they must not wait for the lock
        with self.database.begin(exclusive=True) as connection:
            waiting = waiting_for(connection, reply, anyone=self.anyone, lock=True)
            if waiting is None or not accept_event(connection, reply, waiting):
                return None
            said = {"request_id": waiting, "text": storable(reply.text)}
            continue_job(connection, waiting, reply.model_copy(update=said))
            return waiting

    def is_awaited(self, reply: Reply) -> bool:
        """Whether a request waits for this reply."""
        with self.database.begin() as connection:
            return waiting_for(connection, reply, anyone=self.anyone, lock=False) is not None

    def note_event(self, team: str, event_id: str, request_id: str) -> bool:
        """Something that may happen only once, such as sharing an answer. Returns: whether this is the first time."""
        row = {"team": team, "event_id": event_id, "request_id": request_id, "accepted_at": now_s()}
        with self.database.begin(exclusive=True) as connection:
            added = insert(connection, events).values(row).on_conflict_do_nothing().returning(events.c.id)
            return connection.execute(added).first() is not None

    def begin_change(self, name: str, request_id: str) -> bool:
        """A change is made or declined by this request, in every workspace and at every door the only one to do so.

        Returns: whether nobody did before.
        """
        return self.note_event("", f"begun:{name}", request_id)

    def forget_event(self, team: str, event_id: str) -> None:
        """What `note_event` noted did not happen after all."""
        with self.database.begin(exclusive=True) as connection:
            connection.execute(delete(events).where(events.c.team == team, events.c.event_id == event_id))

    # --- stopping ---------------------------------------------------------------------------------------------

    def stop(self, request_id: str, by: str) -> bool:
        """Nobody goes on with a request; a worker says so in its thread. Returns: whether there was one to stop."""
        return bool(self.stop_where(jobs.c.request_id == request_id, by))

    def stop_thread(self, team: str, channel: str, thread_ts: str, by: str) -> tuple[str, ...]:
        """Stop whatever is worked on, or waits for someone, in a thread. Returns: the ids of what was stopped."""
        return self.stop_where(in_thread(team, channel, thread_ts), by)

    def stop_where(self, which: ColumnElement[bool], by: str) -> tuple[str, ...]:
        """Whoever holds a lease loses it, so that nothing more is written, and a worker is called to say so."""
        ending = jobs.c.stage.in_(ENDING)
        again = {**REQUESTS.released(), "stage": "stop", "open": True, "stopped_by": by}
        counts = {"failures": 0, "delays": 0, "lost_leases": 0, "waiting_since": now_s(), "finished_at": None}
        statement = update(jobs).where(which, unanswered(), ~ending).values(**again, **counts)
        with self.database.begin(exclusive=True) as connection:
            return tuple(connection.execute(statement.returning(jobs.c.request_id)).scalars())

    def end_team(self, team: str) -> int:
        """The app was removed from a workspace: nothing there can be answered, and what was said there is forgotten.

        Returns: how many requests were open.
        """
        ours = select(jobs.c.request_id).where(jobs.c.team == team)
        with self.database.begin(exclusive=True) as connection:
            open_ones = select(func.count()).select_from(jobs).where(jobs.c.team == team, unanswered())
            ended = int(connection.execute(open_ones).scalar() or 0)
            connection.execute(delete(requests).where(requests.c.request_id.in_(ours)))
            for table in (feedback, incident_channels, jobs):
                connection.execute(delete(table).where(table.c.team == team))
            forget_team(connection, team)
        return ended

    # --- working ----------------------------------------------------------------------------------------------

    def claim(self, request_id: str) -> Job | None:
        """Take the lease of a request; None when there is nothing to do, or someone else does it."""
        return REQUESTS.claim(self.database, (request_id,), self.limits.lease_s)

    def taken_by_person(self, job: Job) -> bool:
        """Whether a lease was lost because someone stopped, edited or went on with the request."""
        columns = (jobs.c.stopped_by, jobs.c.turn, jobs.c.error)
        with self.database.begin() as connection:
            row = connection.execute(select(*columns).where(jobs.c.request_id == job.request_id)).first()
        return row is None or bool(row.stopped_by) or row.turn != job.turn or row.error == "edited"

    def keep_clean(self, job: Job, clean: Callable[[str], str]) -> Job:
        """Take secrets out of what people wrote: the first thing that a worker does. It may take seconds."""
        question, reply = with_words(job.question, clean), job.reply
        reply = reply and reply.model_copy(update={"text": clean(reply.text)})
        written = {"question": question.model_dump(mode="json"), "reply": reply and reply.model_dump(mode="json")}
        self.write(job, raw=False, **written)
        if (question, reply) != (job.question, job.reply):
            self.database.wipe()
        return replace(job, question=question, reply=reply, raw=False)

    def checkpoint(self, job: Job, stage: Stage, log: RequestLog) -> Job:
        """A stage is done: keep what it found; failures and delays count anew. The lease is renewed."""
        self.write(
            job,
            stage=stage,
            log=log.model_dump_json(),
            headline=log.answer.headline.text if log.answer else "",
            asks_back=log.asks_back,
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
        self.write(job, **REQUESTS.released(), **place, stage=stage, sent={}, progress_ts="")

    def finish(self, job: Job, stage: Stage, error: str = "") -> Job:
        """Nothing more to do: ``done``, ``waiting`` for a reply, or ``dead``."""
        self.write(job, stage=stage, open=False, lease_until=None, finished_at=now_s(), error=error)
        return replace(job, stage=stage)

    def note_progress(self, request_id: str, ts: str) -> None:
        """Where the progress of a request is shown; not under a lease, as progress may be lost."""
        with self.database.begin(exclusive=True) as connection:
            connection.execute(update(jobs).where(jobs.c.request_id == request_id).values(progress_ts=ts))

    def write(self, job: Job, **values: Any) -> None:
        """Write columns under the fencing token. Raises: LeaseLost."""
        REQUESTS.write(self.database, job, **values)

    def forget(self, days: float, keep: KeepSection | None = None) -> int:
        """Remove what ended so many days ago; what waits for someone stays. Returns: how many requests that were.

        ``keep``: other numbers of days, by kind.
        """
        known = keep or KeepSection()

        def begin_of(kind: float) -> datetime:
            return datetime.now(UTC) - timedelta(days=kind or days)

        moment, told, counted = map(begin_of, (known.requests, known.events, known.counts))
        end = now_s() - (known.requests or days) * 86_400
        with self.database.begin(exclusive=True) as connection:
            ended = and_(~jobs.c.open, jobs.c.stage != "waiting", jobs.c.finished_at < end)
            gone = connection.execute(delete(jobs).where(ended)).rowcount
            connection.execute(delete(events).where(events.c.accepted_at < end))
            asked = select(jobs.c.request_id)
            connection.execute(delete(request_events).where(request_events.c.request_id.not_in(asked)))
            connection.execute(delete(pacing).where(pacing.c.at < end))
            waiting = select(jobs.c.request_id).where(jobs.c.stage == "waiting")
            connection.execute(
                delete(requests).where(requests.c.updated_at < moment, ~requests.c.request_id.in_(waiting))
            )
            connection.execute(delete(feedback).where(feedback.c.at < moment))
            connection.execute(delete(spending).where(spending.c.day < f"{counted:%Y-%m-%d}"))
            connection.execute(delete(refusals).where(refusals.c.day < f"{counted:%Y-%m-%d}"))
            connection.execute(delete(deploys).where(deploys.c.at < told))
            connection.execute(delete(flag_changes).where(flag_changes.c.at < told))
            connection.execute(delete(alerts).where(alerts.c.last_told < told))
            connection.execute(delete(alert_groups).where(alert_groups.c.told_at < told))
            over = begin_of(known.channels)
            connection.execute(delete(incident_channels).where(incident_channels.c.resolved_at < over))
            forget_followed(connection, over)
            forget_conversations(connection, begin_of(known.threads), begin_of(known.contexts))
        return gone

    # --- looking ----------------------------------------------------------------------------------------------

    def earlier(self, question: Question, most: int) -> tuple[str, ...]:
        """What was asked and answered before in the same thread, oldest first, at most so many texts."""
        logs = reversed(self.logs_before(question, (most + 1) // 2))
        said = [(log.question.text, log.answer.headline.text if log.answer else "") for log in logs]
        return tuple(text for pair in said for text in pair if text)[-most:] if most else ()

    def last_answer(self, question: Question) -> RequestLog | None:
        """The request that was answered last in a question's thread; None when none was."""
        return next(iter(self.logs_before(question, 1, jobs.c.stage == "done")), None)

    def asked_before(self, question: Question, most: int) -> frozenset[str]:
        """The ts of the last messages of a thread that were put to the app, answered or not."""
        here = in_thread(question.team, question.channel, question.thread_ts)
        query = select(jobs.c.question).where(here).order_by(jobs.c.accepted_at.desc()).limit(most)
        with self.database.begin() as connection:
            return frozenset(Question.model_validate(q).ts for q in connection.execute(query).scalars())

    def logs_before(self, question: Question, most: int, *which: ColumnElement[bool]) -> list[RequestLog]:
        """The logs of other requests of the same thread, newest first."""
        here = in_thread(question.team, question.channel, question.thread_ts)
        other = and_(here, jobs.c.request_id != question.request_id, jobs.c.log.is_not(None), *which)
        query = select(jobs.c.log).where(other).order_by(jobs.c.accepted_at.desc()).limit(most)
        with self.database.begin() as connection:
            return [RequestLog.model_validate_json(text) for text in connection.execute(query).scalars()]

    def queue(self, most: int) -> tuple[tuple[Question, int], ...]:
        """The questions that wait, oldest first, each with how many are before it.

        They wait for a worker while every one is busy, or with their answer for their channel, which takes about one
        message a second.
        """
        begun = and_(jobs.c.stage.in_(("open", "plan")), REQUESTS.is_due())
        ready = and_(jobs.c.stage == "deliver", jobs.c.delays > 0)
        free = and_(jobs.c.open, jobs.c.lease_until.is_(None), or_(begun, ready))
        query = select(jobs.c.question, jobs.c.stage).where(free).order_by(jobs.c.accepted_at).limit(most)
        busy = select(func.count()).select_from(jobs).where(jobs.c.open, jobs.c.lease_until >= now_s())
        with self.database.begin() as connection:
            workers_busy = int(connection.execute(busy).scalar() or 0) >= self.limits.concurrency
            rows = connection.execute(query).all()
        lines: dict[str, int] = {}
        out = []
        for found, stage in rows:
            question = Question.model_validate(found)
            line = question.channel if stage == "deliver" else ""
            if line or workers_busy:
                out.append((question, lines.get(line, 0)))
                lines[line] = lines.get(line, 0) + 1
        return tuple(out)

    def ahead(self, request_id: str) -> int | None:
        """How many questions are before one that waits; None when it is worked on, or a worker is free."""
        waiting = {question.request_id: ahead for question, ahead in self.queue(MOST_QUEUED)}
        return waiting.get(request_id)

    def is_running_again(self, request_id: str, asker: str) -> bool:
        """Whether a person's re-run of a request is still open."""
        with self.database.begin() as connection:
            mine = select(jobs.c.question).where(jobs.c.asker == asker, jobs.c.open)
            return any(found.get("again") == request_id for found in connection.execute(mine).scalars())

    def is_known(self, request_id: str) -> bool:
        """Whether a request was accepted, and is not forgotten."""
        with self.database.begin() as connection:
            query = select(jobs.c.request_id).where(jobs.c.request_id == request_id)
            return connection.execute(query).first() is not None

    def asker_of(self, request_id: str, team: str, channel: str) -> str:
        """The user id of who asked in a channel; empty when there is no such request there."""
        here = and_(jobs.c.request_id == request_id, jobs.c.team == team, jobs.c.channel == channel)
        with self.database.begin() as connection:
            query = select(jobs.c.asker).where(here)
            return str(connection.execute(query).scalar() or "")

    def is_ours(self, team: str, channel: str, thread_ts: str) -> bool:
        """Whether something was asked in a thread."""
        query = select(jobs.c.request_id).where(in_thread(team, channel, thread_ts)).limit(1)
        with self.database.begin() as connection:
            return connection.execute(query).first() is not None

    def threads_in(self, team: str, channel: str, most: int) -> tuple[str, ...]:
        """The threads of a channel in which something was asked last, newest first."""
        here = and_(jobs.c.team == team, jobs.c.channel == channel, jobs.c.thread_ts != "")
        newest = func.max(jobs.c.accepted_at)
        query = select(jobs.c.thread_ts).where(here).group_by(jobs.c.thread_ts).order_by(newest.desc()).limit(most)
        with self.database.begin() as connection:
            return tuple(connection.execute(query).scalars())

    def recent(self, team: str, asker: str, most: int) -> tuple[Asked, ...]:
        """What a person asked, newest first."""
        with self.database.begin() as connection:
            found = list_asked(connection, and_(jobs.c.team == team, jobs.c.asker == asker), most)
        return self.shown(found)

    def open_of(self, team: str, asker: str, most: int = 100) -> tuple[Asked, ...]:
        """What a person asked and nobody has answered, newest first."""
        mine = and_(jobs.c.team == team, jobs.c.asker == asker, unanswered())
        with self.database.begin() as connection:
            found = list_asked(connection, mine, most)
        return self.shown(found)

    def last_of(self, team: str, channel: str, asker: str) -> Asked | None:
        """The newest request of a person in a channel that has an answer."""
        mine = and_(jobs.c.team == team, jobs.c.channel == channel, jobs.c.asker == asker, jobs.c.stage == "done")
        with self.database.begin() as connection:
            found = list_asked(connection, mine, 1)
        return next(iter(self.shown(found)), None)

    def asked_in(self, team: str, channel: str, since: datetime, most: int) -> tuple[Asked, ...]:
        """What people asked in a channel since a moment, the newest so many, oldest first."""
        here = and_(jobs.c.team == team, jobs.c.channel == channel, jobs.c.accepted_at >= since.timestamp())
        here = and_(here, jobs.c.asker != "")  # nobody asked for a first look
        with self.database.begin() as connection:
            found = list_asked(connection, here, most)
        return tuple(reversed(self.shown(found)))

    def shown(self, found: tuple[Asked, ...]) -> tuple[Asked, ...]:
        """Requests as people may see them: what no worker has cleaned yet is cleaned here, or not shown when it is
        long. No transaction waits for that.
        """
        return tuple(
            replace(one, text=self.clean(one.text) if len(one.text) <= SHOWN_CHARS else NOT_READ, raw=False)
            if one.raw
            else one
            for one in found
        )

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


def open_ledger(settings: Settings, database: Database, clean: Callable[[str], str]) -> Ledger:
    """The ledger as it is configured."""
    core = settings.core
    anyone = core.slack.clarified_by == "anyone"
    return Ledger(database, core.worker, clean, asking=core.limits, anyone=anyone)
