"""What follows when an incident is over: it ends when its channel says so, and a postmortem is drafted once."""

from __future__ import annotations

import logging
import os
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from workers.delivery.incident_blocks import address_of
from workers.desk import Desk
from workers.incidents.last import Last, read_last
from workers.incidents.model import Summary
from workers.incidents.postmortem import file_name, write_postmortem
from workers.ports import Chat, Document, Place
from workers.search.sources.sources import POSTMORTEMS
from workers.store.channel_messages import load_messages
from workers.store.channels import channel_settings
from workers.store.following import Followed
from workers.store.incidents import Incident, incident_of, resolve_incident
from workers.store.tending import write_channel

logger = logging.getLogger(__name__)
OVER = frozenset({"resolved", "false_alarm"})
SAID = (
    "The incident is over. This is a draft of its postmortem: timeline, impact, what was tried and what is left, "
    "each line with the messages it is taken from. Please correct it and fill in what is marked."
)


def settle(desk: Desk, held: Followed) -> float | None:
    """End an incident whose channel said that it is over, when nothing more was said of it for a while.

    Returns: seconds until that may be so; None when it is not to be expected. Raises: StoreUnavailable.
    """
    last, database = read_last(held.summary), desk.inbox.database
    incident = incident_of(database, held.incident_id)
    if last is None or incident is None or incident.resolved_at or last.summary.status.state not in OVER:
        return None
    wait_s = desk.oracle.settings.core.incidents.settled_min * 60 - (datetime.now(UTC) - said_at(last)).total_seconds()
    if wait_s > 0:
        return wait_s
    resolve_incident(database, held.team, held.channel, "", at=last.summary.until or said_at(last))
    return 0.0


def said_at(last: Last) -> datetime:
    """When the newest message of a summary was written."""
    seconds = last.summary.as_of.partition(".")[0]
    return datetime.fromtimestamp(int(seconds), UTC) if seconds.isdecimal() else last.at


def draft(desk: Desk, chat: Chat, held: Followed) -> Followed:
    """Write the postmortem of an incident that is over and share it in its thread, once.

    A false alarm and a channel that said nothing get none.

    Raises: ChatError, LeaseLost, StoreUnavailable.
    """
    last, incident = read_last(held.summary), incident_of(desk.inbox.database, held.incident_id)
    if last is None or last.drafted or incident is None or incident.resolved_at is None or not incident.ts:
        return held
    quiet = held.state == "paused" or channel_settings(desk.inbox.database, held.team, held.channel).mode == "off"
    if last.summary.status.state not in {"none", "false_alarm"} and not quiet:
        document = written(desk, chat, held, incident, last.summary)
        thread = Place(held.channel, incident.ts, held.team)
        if not chat.holds(thread, document.name):
            chat.share(thread, document, SAID)
    done = last.model_copy(update={"drafted": True}).model_dump_json()
    return write_channel(desk.inbox.database, held, summary=done)


def written(desk: Desk, chat: Chat, held: Followed, incident: Incident, summary: Summary) -> Document:
    """The draft, kept among the documents that are searched."""
    here = Place(held.channel, team=held.team)
    some = chat.permalink(here, incident.ts)
    threads = {m.ts: m.thread_ts for m in load_messages(desk.inbox.database, held.team, held.channel, held.since_ts)}
    until = incident.resolved_at or datetime.now(UTC)
    since = min(summary.since or incident.opened_at, until - timedelta(0))
    title = incident.title or summary.title
    text = write_postmortem(summary, title, since, until, lambda ts: address_of(some, ts, threads.get(ts, "")))
    name = file_name(title, since, incident.id)
    keep(desk.oracle.settings.home / POSTMORTEMS / name, text)
    return Document(name=name, title=f"Postmortem draft: {title}"[:200], text=text)


def keep(path: Path, text: str) -> None:
    """Write a file whole or not at all; one that people have changed since stays as it is."""
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, unfinished = tempfile.mkstemp(dir=path.parent, prefix=".draft-")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    Path(unfinished).replace(path)
