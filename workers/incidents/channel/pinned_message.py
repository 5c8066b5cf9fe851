"""The one message of an incident's channel: posted once, pinned, and changed when what it says has changed."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

from workers.contracts import ChannelMessage
from workers.errors import ChatBusy, ChatRefused
from workers.grounding.value_format import Voice
from workers.incidents.channel.alert_triage import triage_incident
from workers.incidents.channel.model_summary import open_summarizer
from workers.incidents.channel.summary_blocks import Shown, render_incident
from workers.incidents.channel.summary_inputs import inputs_of
from workers.incidents.channel.user_names import named_messages
from workers.incidents.summary.incident_detection import title_of
from workers.incidents.summary.snapshot import Snapshot, read_snapshot, shown_content
from workers.incidents.summary.summarizer import EarlierSummary, summarize_channel
from workers.incidents.summary.summary_types import OVER, Summary
from workers.incidents.summary.summary_views import changed
from workers.ports import Chat, Place
from workers.requests.lease_heartbeat import Lease
from workers.requests.outbox import keep_post
from workers.requests.worker_context import WorkerContext, doors_of
from workers.store.channel_leases import write_channel
from workers.store.channel_messages import threads_of
from workers.store.database_clock import now_s
from workers.store.followed_channels import FollowedChannel
from workers.store.incidents import Incident, active_incident, incident_of, key_of, open_incident, place_incident
from workers.store.unprompted_posts import is_paused

logger = logging.getLogger(__name__)
NAMES_A_TURN = 40
GROWN = 1.25
"""So much more is read before earlier messages are summed up again: all of them together cost what a few times do."""
BEING_POSTED = timedelta(seconds=30)


def show(worker: WorkerContext, chat: Chat, held: FollowedChannel, lease: Lease) -> tuple[FollowedChannel, float]:
    """Sum up what is known of a channel, and let its message say so.

    Returns: the channel as it is then, and how many seconds Slack wants to be left alone before names are known.
    """
    incident = incident_in(worker, held, chat)
    if incident.id != held.incident_id:
        if not incident.ts and incident.opened_by and datetime.now(UTC) - incident.opened_at < BEING_POSTED:
            raise ChatBusy("whoever declared it is posting its message", 5.0)
        fresh = {"incident_id": incident.id, "summary": "", "pinned": False, "shown_at": None}
        held = write_channel(worker.ledger.database, held, **fresh)
    before, now = read_snapshot(held.summary), datetime.now(UTC)
    paused = is_paused(worker.ledger.database, held.team, held.channel)
    if paused and not incident.ts:
        return held, 0.0
    if before and (paused or stands(held, before)):
        last, wait_s = before, 0.0
    else:
        messages, wait_s = named_messages(worker.ledger.database, held, incident, chat, NAMES_A_TURN)
        last = summed(worker, held, incident, messages, before, now)
    summary = last.summary
    last = last.model_copy(
        update={
            "reading": still_reading(held, before, paused=paused),
            "resolved": incident.resolved_at is not None,
            "paused": paused,
            "drafted": before is not None and before.drafted,
            "draft": before.draft if before and incident.resolved_at else "",  # one that goes on gets another
            "at": now,
        }
    )
    if incident.ts and held.pinned and before is not None and shown_content(before) == shown_content(last):
        same = last.model_copy(update={"at": before.at})
        if same != before:  # what people do not see, such as the newest message, is kept all the same
            held = write_channel(worker.ledger.database, held, summary=same.model_dump_json())
        look(worker, held, incident, summary)
        return held, wait_s
    lease.check()
    place = Place(held.channel, team=held.team)
    newest = incident.ts or summary.as_of
    shown = Shown(
        summary=summary,
        incident=incident,
        address=chat.permalink(place, newest) if newest else "",
        threads=threads_of(worker.ledger.database, held.team, held.channel),
        changes=changed(before.summary if before and incident.ts else None, summary),
        before=before.at if before else None,
        now=now,
        reading=last.reading,
        paused=last.paused,
        command=worker.oracle.settings.core.slack.command,
    )
    note = partial(place_incident, worker.ledger.database, incident.id)
    begun = last.model_dump_json()
    if before is None:  # whoever comes after a crash or an unclear answer sees by it that a post was begun, and looks
        held = write_channel(worker.ledger.database, held, summary=begun)
    try:
        key = key_of(incident.id, "root")
        begun_before = before is not None or bool(incident.opened_by)  # whoever declared it may have posted it
        ts = keep_post(chat, place, incident.ts, render_incident(shown), key, note, look=begun_before)
    except ChatBusy:
        if before is None:
            write_channel(worker.ledger.database, held, summary="")  # it never left here
        raise
    if not held.pinned or ts != incident.ts:
        held = pin(worker, chat, held, place, ts)
    held = write_channel(worker.ledger.database, held, summary=begun, shown_at=now_s())
    look(worker, held, replace(incident, ts=ts), summary)
    return held, wait_s


def still_reading(held: FollowedChannel, before: Snapshot | None, *, paused: bool) -> int | None:
    """How many earlier messages were read; None when all were, once: what is read over again later is not told of, and
    a paused channel is told nothing.
    """
    if before and (paused or before.reading is None):
        return before.reading
    return None if held.read_done else held.read_count


def stands(held: FollowedChannel, before: Snapshot) -> bool:
    """Whether a summary stays while earlier messages are read: until there is news, or a good part more is read."""
    return not held.read_done and held.dirty == before.heard and held.read_count < before.read * GROWN


def look(worker: WorkerContext, held: FollowedChannel, incident: Incident, summary: Summary) -> None:
    """Have the incident looked into, once all that was said before is read and unless it is over by then."""
    if held.read_done and summary.status.state not in OVER:
        triage_incident(worker, incident, summary.since or incident.opened_at)


def summed(
    worker: WorkerContext,
    held: FollowedChannel,
    incident: Incident,
    messages: tuple[ChannelMessage, ...],
    before: Snapshot | None,
    now: datetime,
) -> Snapshot:
    """The summary of what is known. As long as the rules see nothing new, the words of the one before stand a while."""
    core = worker.oracle.settings.core
    worded_at = before.worded_at if before else None
    fresh = worded_at is not None and now - worded_at < timedelta(minutes=core.incidents.every_min)
    kept = EarlierSummary(before.summary, before.basis) if before and fresh else None
    shows = doors_of(worker).shows_told(held.team, held.channel)
    found = summarize_channel(
        messages,
        Voice(now=now, zone=core.timezone if core.timezone != "auto" else "UTC"),
        open_summarizer(worker.oracle.reasoner_access),
        name=f"incident:{held.channel}",
        kept=kept,
        **inputs_of(worker.ledger.database, core, incident, held.why, messages, shows),
    )
    same = kept is not None and kept.basis == found.basis
    return Snapshot(
        summary=found.summary,
        at=now,
        basis=found.basis,
        worded_at=worded_at if same else now,
        read=held.read_count,
        heard=held.dirty,
    )


def incident_in(worker: WorkerContext, held: FollowedChannel, chat: Chat) -> Incident:
    """The incident of a channel: the active one, else the one that was shown, else a new one."""
    database = worker.ledger.database
    while True:
        found = active_incident(database, held.team, held.channel) or incident_of(database, held.incident_id)
        if found is not None:
            return found
        about = chat.about(held.channel)
        title = title_of(about.name, about.topic, worker.oracle.settings.core.incidents.channels)
        open_incident(database, held.team, held.channel, worker.ledger.clean(title), "")


def pin(worker: WorkerContext, chat: Chat, held: FollowedChannel, place: Place, ts: str) -> FollowedChannel:
    """Pin the message once; where Slack refuses that, it stands unpinned."""
    try:
        chat.pin(place, ts)
    except ChatRefused as error:
        logger.warning("channel %s: no pin: %s", held.channel, error)
    return write_channel(worker.ledger.database, held, pinned=True)
