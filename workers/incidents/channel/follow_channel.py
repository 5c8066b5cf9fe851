"""One followed channel, from its claim to its pinned message: look at it, read earlier messages, show how it stands.

A turn ends after some pages, so that people see it go on; what is left is due again at once. Whatever fails, nothing is
lost: the messages lie in the store, and the next turn goes on from the last page.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

from workers.contracts import Page, Why
from workers.delivery.slack_calls import TIMEOUT_S
from workers.errors import ChatBusy, ChatRefused
from workers.incidents.channel.pinned_message import show
from workers.incidents.channel.resolution import draft, settle
from workers.incidents.summary.incident_detection import has_marker, is_incident_name
from workers.ports import ChannelInfo, Chat, Place
from workers.requests.lease_heartbeat import Lease, lease_heartbeat
from workers.requests.lease_runner import Work
from workers.requests.worker_context import WorkerContext
from workers.store.channel_leases import CHANNELS, keep_page, release_channel, write_channel
from workers.store.channel_messages import unread_thread
from workers.store.channels import channel_settings
from workers.store.followed_channels import FollowedChannel, stop_following
from workers.store.incidents import active_incident, incident_of
from workers.store.unprompted_posts import is_paused

PAGE = 200
TURN_S = 10.0
MOST_READ = 10_000
ALL_READ = "0"
"""In `FollowedChannel.before_ts`: nothing stands before."""
LOOK_BACK = timedelta(days=1)
"""How much of what was said before counts where a channel is not made for the incident."""
COMES_BACK = timedelta(days=1)
"""So long after its end by itself an incident that people declared goes on when its channel says that it is back."""
GONE = frozenset(
    {
        "account_inactive",
        "channel_not_found",
        "invalid_auth",
        "is_archived",
        "not_in_channel",
        "not_installed",
        "token_revoked",
    }
)


def follow_channel(worker: WorkerContext, held: FollowedChannel) -> None:
    """One turn at a claimed channel. Raises: ChatError, LeaseLost, StoreUnavailable."""
    with lease_heartbeat(worker, CHANNELS, held) as lease:
        look_after(worker, held, lease)


def leave_gone(worker: WorkerContext, held: FollowedChannel, refused: ChatRefused) -> None:
    """A channel that is gone is followed no more; another one is tried again later. Raises: StoreUnavailable."""
    if refused.code in GONE:
        stop_following(worker.ledger.database, held.team, held.channel, "left")
    else:
        CHANNELS.fail(worker.ledger.database, held, str(refused))


CHANNEL_WORK = Work(CHANNELS, follow_channel, leave_gone, TIMEOUT_S + 1)


def look_after(worker: WorkerContext, held: FollowedChannel, lease: Lease) -> None:
    """One turn. Raises: ChatError, LeaseLost, StoreUnavailable."""
    database = worker.ledger.database
    if channel_settings(database, held.team, held.channel).mode == "off":
        stop_following(database, held.team, held.channel, "off")
        return
    chat = worker.chats(held.team)
    if held.state == "found":
        found = look(worker, chat, held)
        if found is None:
            stop_following(database, held.team, held.channel, "left")
            return
        held = found
    held, wait_s = read_earlier(worker, chat, held, lease)
    held, missing_s = show(worker, chat, held, lease)
    known = held.read_done and not wait_s and not missing_s and not is_paused(database, held.team, held.channel)
    settles_s = settle(worker, held) if known else None
    heard_s = heard_for_s(worker, held) if known else None
    turn_s = None
    if held.read_done and settles_s != 0:
        held, turn_s = draft(worker, chat, held, lease)
    if wait_s or missing_s:
        CHANNELS.postpone(database, held, max(wait_s, missing_s))
    elif settles_s == 0:
        release_channel(database, held, again_s=0)  # its message says so first
    elif heard_s is not None and heard_s <= 0 and turn_s is None:
        stop_following(database, held.team, held.channel, "left")
    else:
        again_s = min((s for s in (settles_s, heard_s, turn_s) if s is not None and s >= 0), default=None)
        release_channel(database, held, again_s=again_s if held.read_done else 0)


def heard_for_s(worker: WorkerContext, held: FollowedChannel) -> float | None:
    """Seconds until a channel is left that was followed because people declared an incident which is over.

    What people ended is over; one that ended by itself goes on when its channel says soon that it is back. None: it is
    not to be left. Raises: StoreUnavailable.
    """
    incident = incident_of(worker.ledger.database, held.incident_id)
    if held.why != "declared" or incident is None or incident.resolved_at is None:
        return None
    if incident.resolved_by:
        return 0.0
    return (incident.resolved_at + COMES_BACK - datetime.now(UTC)).total_seconds()


# --- what kind of channel it is -----------------------------------------------------------------------------------


def look(worker: WorkerContext, chat: Chat, held: FollowedChannel) -> FollowedChannel | None:
    """Look at a channel that may hold an incident. Returns: it as followed; None when there is nothing to follow."""
    info = chat.about(held.channel)
    why = why_followed(worker, held, info)
    if not why or info.is_archived:
        return None
    if not info.is_member:
        if not worker.oracle.settings.core.incidents.join or info.is_private:
            return None
        chat.join(held.channel)
    since = datetime.now(UTC) - LOOK_BACK
    since_ts = "" if why == "name" else f"{since.timestamp():.6f}"
    values = {"state": "following", "why": why, "name": info.name[:200], "since_ts": since_ts}
    return write_channel(worker.ledger.database, held, **values)


def why_followed(worker: WorkerContext, held: FollowedChannel, info: ChannelInfo) -> Why:
    """Why a channel is followed; empty when it is not."""
    rules = worker.oracle.settings.core.incidents
    if is_incident_name(info.name, rules.channels):
        return "name"
    if has_marker(info.topic, rules.markers) or has_marker(info.purpose, rules.markers):
        return "topic"
    return "declared" if active_incident(worker.ledger.database, held.team, held.channel) else ""


# --- what was said before -------------------------------------------------------------------------------------------


def read_earlier(
    worker: WorkerContext, chat: Chat, held: FollowedChannel, lease: Lease
) -> tuple[FollowedChannel, float]:
    """Read earlier messages for some seconds, newest first, each thread after the page it stands in.

    Returns: the channel as it is then, and how many seconds Slack wants to be left alone.
    """
    end = time.monotonic() + TURN_S
    while not held.read_done and time.monotonic() < end:
        lease.check()
        try:
            held = read_one_page(worker, chat, held)
        except ChatBusy as error:
            return held, max(error.retry_after_s, 1.0)
    return held, 0.0


def read_one_page(worker: WorkerContext, chat: Chat, held: FollowedChannel) -> FollowedChannel:
    """One call to Slack, and one transaction with all that it brought."""
    database, clean = worker.ledger.database, worker.ledger.clean
    thread = unread_thread(database, held.team, held.channel)
    if thread is None and held.before_ts == ALL_READ:
        return write_channel(database, held, read_done=True)
    if thread is None:
        here = Place(held.channel, team=held.team)
        page = chat.page(here, after_ts=held.since_ts, before_ts=held.before_ts, most=PAGE)
        ended = not page.more or held.read_count + len(page.changes) >= MOST_READ
        before_ts = ALL_READ if ended else page.oldest
        span = (page.oldest, held.before_ts) if page.oldest else None
        return keep_page(database, held, page, clean, dict.fromkeys(page.roots, ""), span=span, before_ts=before_ts)
    root, after_ts = thread
    try:
        page = chat.page(Place(held.channel, root, held.team), after_ts=after_ts, most=PAGE)
    except ChatRefused as error:
        if error.code not in {"thread_not_found", "message_not_found"}:
            raise
        return keep_page(database, held, Page(()), clean, {root: None})
    last = page.newest if page.more else ""
    return keep_page(database, held, page, clean, {root: last or None}, span=(after_ts or root, last), thread_ts=root)
