"""The one message of an incident's channel: posted once, pinned, and changed when what it says has changed."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

from workers.contracts import ChannelMessage
from workers.errors import ChatBusy, ChatRefused
from workers.grounding.value_format import Voice
from workers.incidents.channel.alert_triage import first_look
from workers.incidents.channel.model_summary import open_summarizer
from workers.incidents.channel.summary_blocks import Shown, render_incident
from workers.incidents.channel.summary_inputs import inputs_of
from workers.incidents.channel.user_names import named_messages
from workers.incidents.summary.incident_detection import title_of
from workers.incidents.summary.model import OVER, Summary
from workers.incidents.summary.snapshot import Last, read_last, says
from workers.incidents.summary.summarizer import Kept, sum_up
from workers.incidents.summary.summary_views import changed
from workers.ports import Chat, Place
from workers.requests.outbox import keep_post
from workers.requests.worker_context import Desk, Lease
from workers.store.channel_leases import write_channel
from workers.store.channel_messages import threads_of
from workers.store.database_clock import now_s
from workers.store.followed_channels import Followed
from workers.store.incidents import Incident, active_incident, incident_of, key_of, open_incident, place_incident
from workers.store.unprompted_posts import is_paused

logger = logging.getLogger(__name__)
NAMES_A_TURN = 40
GROWN = 1.25
"""So much more is read before earlier messages are summed up again: all of them together cost what a few times do."""
BEING_POSTED = timedelta(seconds=30)


def show(desk: Desk, chat: Chat, held: Followed, lease: Lease) -> tuple[Followed, float]:
    """Sum up what is known of a channel, and let its message say so.

    Returns: the channel as it is then, and how many seconds Slack wants to be left alone before names are known.
    """
    incident = incident_in(desk, held, chat)
    if incident.id != held.incident_id:
        if not incident.ts and incident.opened_by and datetime.now(UTC) - incident.opened_at < BEING_POSTED:
            raise ChatBusy("whoever declared it is posting its message", 5.0)
        fresh = {"incident_id": incident.id, "summary": "", "pinned": False, "shown_at": None}
        held = write_channel(desk.inbox.database, held, **fresh)
    before, now = read_last(held.summary), datetime.now(UTC)
    paused = is_paused(desk.inbox.database, held.team, held.channel)
    if paused and not incident.ts:
        return held, 0.0
    if before and (paused or stands(held, before)):
        last, wait_s = before, 0.0
    else:
        messages, wait_s = named_messages(desk.inbox.database, held, incident, chat, NAMES_A_TURN)
        last = summed(desk, held, incident, messages, before, now)
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
    if incident.ts and held.pinned and before is not None and says(before) == says(last):
        same = last.model_copy(update={"at": before.at})
        if same != before:  # what people do not see, such as the newest message, is kept all the same
            held = write_channel(desk.inbox.database, held, summary=same.model_dump_json())
        look(desk, held, incident, summary)
        return held, wait_s
    lease.check()
    place = Place(held.channel, team=held.team)
    newest = incident.ts or summary.as_of
    shown = Shown(
        summary=summary,
        incident=incident,
        address=chat.permalink(place, newest) if newest else "",
        threads=threads_of(desk.inbox.database, held.team, held.channel),
        changes=changed(before.summary if before and incident.ts else None, summary),
        before=before.at if before else None,
        now=now,
        reading=last.reading,
        paused=last.paused,
        command=desk.oracle.settings.core.slack.command,
    )
    note = partial(place_incident, desk.inbox.database, incident.id)
    begun = last.model_dump_json()
    if before is None:  # whoever comes after a crash or an unclear answer sees by it that a post was begun, and looks
        held = write_channel(desk.inbox.database, held, summary=begun)
    try:
        key = key_of(incident.id, "root")
        begun_before = before is not None or bool(incident.opened_by)  # whoever declared it may have posted it
        ts = keep_post(chat, place, incident.ts, render_incident(shown), key, note, look=begun_before)
    except ChatBusy:
        if before is None:
            write_channel(desk.inbox.database, held, summary="")  # it never left here
        raise
    if not held.pinned or ts != incident.ts:
        held = pin(desk, chat, held, place, ts)
    held = write_channel(desk.inbox.database, held, summary=begun, shown_at=now_s())
    look(desk, held, replace(incident, ts=ts), summary)
    return held, wait_s


def still_reading(held: Followed, before: Last | None, *, paused: bool) -> int | None:
    """How many earlier messages were read; None when all were, once: what is read over again later is not told of, and
    a paused channel is told nothing.
    """
    if before and (paused or before.reading is None):
        return before.reading
    return None if held.read_done else held.read_count


def stands(held: Followed, before: Last) -> bool:
    """Whether a summary stays while earlier messages are read: until there is news, or a good part more is read."""
    return not held.read_done and held.dirty == before.heard and held.read_count < before.read * GROWN


def look(desk: Desk, held: Followed, incident: Incident, summary: Summary) -> None:
    """Have the incident looked into, once all that was said before is read and unless it is over by then."""
    if held.read_done and summary.status.state not in OVER:
        first_look(desk, incident, summary.since or incident.opened_at)


def summed(
    desk: Desk,
    held: Followed,
    incident: Incident,
    messages: tuple[ChannelMessage, ...],
    before: Last | None,
    now: datetime,
) -> Last:
    """The summary of what is known. As long as the rules see nothing new, the words of the one before stand a while."""
    core = desk.oracle.settings.core
    worded_at = before.worded_at if before else None
    fresh = worded_at is not None and now - worded_at < timedelta(minutes=core.incidents.every_min)
    kept = Kept(before.summary, before.basis) if before and fresh else None
    found = sum_up(
        messages,
        Voice(now=now, zone=core.timezone if core.timezone != "auto" else "UTC"),
        open_summarizer(desk.oracle.thinkers),
        name=f"incident:{held.channel}",
        kept=kept,
        **inputs_of(desk.inbox.database, core, incident, held.why, messages),
    )
    same = kept is not None and kept.basis == found.basis
    return Last(
        summary=found.summary,
        at=now,
        basis=found.basis,
        worded_at=worded_at if same else now,
        read=held.read_count,
        heard=held.dirty,
    )


def incident_in(desk: Desk, held: Followed, chat: Chat) -> Incident:
    """The incident of a channel: the active one, else the one that was shown, else a new one."""
    database = desk.inbox.database
    while True:
        found = active_incident(database, held.team, held.channel) or incident_of(database, held.incident_id)
        if found is not None:
            return found
        about = chat.about(held.channel)
        title = title_of(about.name, about.topic, desk.oracle.settings.core.incidents.channels)
        open_incident(database, held.team, held.channel, desk.inbox.clean(title), "")


def pin(desk: Desk, chat: Chat, held: Followed, place: Place, ts: str) -> Followed:
    """Pin the message once; where Slack refuses that, it stands unpinned."""
    try:
        chat.pin(place, ts)
    except ChatRefused as error:
        logger.warning("channel %s: no pin: %s", held.channel, error)
    return write_channel(desk.inbox.database, held, pinned=True)
