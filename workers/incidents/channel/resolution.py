"""What follows when an incident is over: it ends when its channel says so, and a postmortem is drafted once."""

from __future__ import annotations

import logging
import os
import tempfile
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from workers.contracts import Question, RequestLog, moment_of
from workers.engine.engine import Engine
from workers.errors import ChatRefused, RequestNotFound, StoreUnavailable
from workers.incidents.channel.alert_triage import id_of, name_of
from workers.incidents.channel.impact_metrics import measure
from workers.incidents.channel.summary_blocks import address_of
from workers.incidents.summary.postmortem_draft import EndNote, file_name, write_postmortem
from workers.incidents.summary.snapshot import Snapshot, read_snapshot
from workers.incidents.summary.summary_types import NO_DRAFT, OVER, Line, Summary
from workers.ports import Chat, Document, Place
from workers.requests.lease_heartbeat import Lease
from workers.requests.worker_context import WorkerContext, engine_for
from workers.sources.connections.open_sources import drafts_folder
from workers.store.channel_leases import write_channel
from workers.store.channel_messages import known_names, threads_of
from workers.store.followed_channels import FollowedChannel
from workers.store.incidents import Incident, incident_of, key_of, reopen_incident, resolve_incident
from workers.store.unprompted_posts import is_paused, take_turn, turn_in_s

logger = logging.getLogger(__name__)
SAID = (
    "The incident is over. This is a draft of its postmortem: impact as measured and as told, timeline, what was tried "
    "and what is left, each line with the messages it is taken from. Please correct it and fill in what is marked."
)


def settle(worker: WorkerContext, held: FollowedChannel) -> float | None:
    """End an incident whose channel said that it is over, when nothing more was said of it for a while.

    One that ended so goes on when its channel says that it is back; what people ended stays ended.

    Returns: seconds until it may end, 0 when its message no longer says how it stands; None when neither is to be
        expected.

    Raises:
        StoreUnavailable: the database cannot be reached.
    """
    last, database = read_snapshot(held.summary), worker.ledger.database
    incident = incident_of(database, held.incident_id)
    if last is None or incident is None:
        return None
    state = last.summary.status.state
    if incident.resolved_at:
        back = not incident.resolved_by and state not in {*OVER, "none"}
        return 0.0 if back and reopen_incident(database, incident.id) else None
    if state not in OVER or (incident.opened_by and said_before(last, incident)):
        return None
    wait_s = (
        worker.oracle.settings.core.incidents.settled_min * 60 - (datetime.now(UTC) - said_at(last)).total_seconds()
    )
    if wait_s > 0:
        return wait_s
    ended_at = last.summary.until or said_at(last)
    resolve_incident(database, held.team, held.channel, "", at=ended_at, incident_id=incident.id)
    return 0.0


def said_before(last: Snapshot, incident: Incident) -> bool:
    """Whether how it stands was said before it was declared: then it was said of something else."""
    return any(moment_of(ts) < incident.opened_at for ts in last.summary.status.ts[:1])


def said_at(last: Snapshot) -> datetime:
    """When the newest message of a summary was written."""
    seconds = last.summary.as_of.partition(".")[0]
    return datetime.fromtimestamp(int(seconds), UTC) if seconds.isdecimal() else last.at


def draft(
    worker: WorkerContext, chat: Chat, held: FollowedChannel, lease: Lease
) -> tuple[FollowedChannel, float | None]:
    """Write the postmortem of an incident that is over and share it in its thread, once.

    One that is not over, a false alarm and a channel that said nothing get none; a paused channel gets its own when it
    goes on. Where Slack refuses the file, it is kept all the same. What was written is held until it is shared: nothing
    is measured twice. After an end by itself nobody asked for it: it waits until something unasked may be said there.

    Returns: the channel as it is then, and seconds until its draft may be shared; None when it is, or is none.

    Raises: ChatBusy, ChatUnavailable, LeaseLost, StoreUnavailable.
    """
    last, incident = read_snapshot(held.summary), incident_of(worker.ledger.database, held.incident_id)
    if last is None or last.drafted or incident is None or incident.resolved_at is None or not incident.ts:
        return held, None
    if is_paused(worker.ledger.database, held.team, held.channel):
        return held, None
    if last.summary.status.state not in NO_DRAFT:
        try:
            if not last.draft:
                here, per_hour = (held.team, held.channel), worker.oracle.settings.core.incidents.unprompted_per_hour
                if not incident.resolved_by and not take_turn(
                    worker.ledger.database, *here, per_hour, f"postmortem:{incident.id}"
                ):
                    return held, turn_in_s(worker.ledger.database, *here, per_hour)
                last = last.model_copy(update={"draft": written(worker, chat, held, incident, last.summary)})
                held = write_channel(worker.ledger.database, held, summary=last.model_dump_json())
            share_draft(worker, chat, held, incident, document_of(incident, last), lease)
        except ChatRefused as error:
            logger.error("channel %s: no postmortem draft: %s", held.channel, error)  # noqa: TRY400 - it says it all
    done = last.model_copy(update={"drafted": True, "draft": ""}).model_dump_json()
    return write_channel(worker.ledger.database, held, summary=done), None


def document_of(incident: Incident, last: Snapshot) -> Document:
    """The draft as a file. Its name stays the same whatever becomes known of the incident later."""
    name = file_name(incident.title, incident.opened_at, incident.id)
    title = incident.title or last.summary.title
    return Document(name=name, title=f"Postmortem draft: {title}"[:200], text=last.draft)


def share_draft(
    worker: WorkerContext, chat: Chat, held: FollowedChannel, incident: Incident, document: Document, lease: Lease
) -> None:
    """Keep the draft among the documents that its workspace searches, and share it unless its thread holds it.

    What was said in a private channel is for its members: its draft stands in its thread alone. Where it cannot be
    kept, as on a full disk, it is shared all the same.

    Raises: ChatError, LeaseLost.
    """
    if not chat.about(held.channel).is_private:
        try:
            folder = drafts_folder(worker.oracle.settings, held.team)
            keep(folder / document.name, document.text)
            if not worker.oracle.settings.core.slack.client_id:
                adopt(folder)
        except OSError as error:
            logger.error("channel %s: the postmortem draft cannot be searched: %s", held.channel, error)  # noqa: TRY400
    thread = Place(held.channel, incident.ts, held.team)
    if not chat.holds(thread, document.name):
        lease.check()
        chat.share(thread, document, SAID)


def seen_in(worker: WorkerContext, held: FollowedChannel) -> Engine:
    """The engine as everyone in a channel may see it. Raises: ChatError."""
    engine = engine_for(worker)
    shown = Question(
        request_id="postmortem",
        text="",
        team=held.team,
        channel=held.channel,
        source="alert",
        received_at=datetime.now(UTC),
    )
    return engine.view(engine, shown)


def written(worker: WorkerContext, chat: Chat, held: FollowedChannel, incident: Incident, summary: Summary) -> str:
    """The text of the draft. Raises: ChatError, StoreUnavailable."""
    here = Place(held.channel, team=held.team)
    some = chat.permalink(here, incident.ts)
    threads = threads_of(worker.ledger.database, held.team, held.channel)
    until = incident.resolved_at or datetime.now(UTC)
    since = incident.began(summary.since)
    title = incident.title or summary.title
    engine = seen_in(worker, held)
    looked = looked_into(worker, Place(held.channel, incident.ts, held.team), incident.id)
    looked = looked if looked is not None and engine.visibility.shows(looked) else None
    time = worker.oracle.settings.core.incidents.postmortem
    measured = measure(engine, time, f"postmortem-{incident.id}", summary, looked, since, until)
    note = note_of(worker, chat, incident)
    if note:
        threads |= {ts: incident.ts for ts in note.line.ts if ts != incident.ts}
    return write_postmortem(
        summary,
        title,
        since,
        until,
        lambda ts: address_of(some, ts, threads.get(ts, "")),
        measured,
        note,
    )


def note_of(worker: WorkerContext, chat: Chat, incident: Incident) -> EndNote | None:
    """What whoever ended it said of that, and where. Raises: ChatBusy, ChatUnavailable, StoreUnavailable."""
    if not incident.note:
        return None
    ts = ""
    with suppress(ChatRefused):
        ts = chat.find(Place(incident.channel, incident.ts, incident.team), key_of(incident.id, "end")) or ""
    by = known_names(worker.ledger.database, incident.team).get(incident.resolved_by, "")
    if not by:
        with suppress(ChatRefused):
            by, _ = chat.called(incident.resolved_by)
    return EndNote(by=by, line=Line(text=incident.note, ts=(ts or incident.ts,)))


def looked_into(worker: WorkerContext, place: Place, incident_id: int) -> RequestLog | None:
    """The log of the incident's first look; None when it was not looked into, or the log was not kept."""
    try:
        return worker.oracle.store.load(id_of(place, name_of(incident_id)))
    except (RequestNotFound, StoreUnavailable):  # of another version of Oracle, too: the draft does without it
        return None


def adopt(folder: Path) -> None:
    """Take over what an earlier version kept, of the one workspace there was, for all. Raises: OSError."""
    for path in folder.parent.glob("*.md"):
        path.rename(folder / path.name)


def keep(path: Path, text: str) -> None:
    """Write a file whole or not at all; one that people have changed since stays as it is. Raises: OSError."""
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".draft-")
    unfinished = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
