"""``/oracle catchup``: what went on in a channel or thread, for one person; and what was asked of Oracle there."""

from __future__ import annotations

import logging
import re
from dataclasses import replace
from datetime import datetime, timedelta

from bot.listeners.subcommands import Called
from bot.middleware.request_record import without_hidden
from bot.views.catchup import MOST_ASKED, Caught, catchup_post
from bot.views.moment import FORMS, read_since
from workers.contracts import ChannelMessage, Written
from workers.delivery.rich_text import words
from workers.delivery.rich_text_blocks import Words, moment, sentence
from workers.errors import ChatError
from workers.incidents.channel.summary_blocks import Shown, render_told, render_unchanged
from workers.incidents.channel.summary_inputs import inputs_of
from workers.incidents.channel.user_names import learn_names, named_messages
from workers.incidents.summary.catchup import caught_up, in_thread, says_nothing_new
from workers.language.people_names import with_names
from workers.ports import Chat, Place, Post
from workers.store.channel_messages import known_names
from workers.store.feedback import feedback_of
from workers.store.followed_channels import FollowedChannel, followed
from workers.store.incidents import Incident, active_incident, incident_of, incidents_since
from workers.store.timeline_corrections import note_look

LINKS = 5
PAGE, PAGES, NAMES = 200, 5, 30
LOOK_BACK = timedelta(hours=24)
STAKEHOLDERS = re.compile(
    r"(?:(?<!\s)\s+)?\b(?:for )?(?:(?:the|my|our|your) )?stakeholders?\b\s*"
    r"|(?:(?<!\s)\s+)?\bfor (?:(?:the|my|our|your) )?(?:boss(?:es)?|manage(?:ment|rs?)|leadership|exec(?:utive)?s?"
    r"|directors?|c[eiot]o|vp|customers?|clients?|support|business)\b\s*",
    re.IGNORECASE,
)
"""Whom someone wants to tell of it who is no engineer."""
THREAD = re.compile(r"(?<!\S)\S*/archives/([A-Z0-9]{2,32})/p(\d{10})(\d{6})(?:\S*?[?&;]thread_ts=(\d{10}\.\d{6}))?\S*")
"""A link to a message; Slack's own to a reply names the thread that it is in."""
ELSEWHERE = "That thread is in another channel. Ask me there."

log = logging.getLogger(__name__)


def catchup(called: Called) -> Post:
    """What happened here since a moment, since someone last looked, or in a thread. Raises: StoreUnavailable.

    Stakeholders have seen nothing before: unless a moment is named they are told all of it.
    """
    stakeholders, rest = bool(STAKEHOLDERS.search(called.rest)), STAKEHOLDERS.sub(" ", called.rest).strip()
    person = called.attention.directory.person(called.client, called.team, called.user)
    here = followed(called.database, called.team, called.channel)
    if thread := THREAD.search(rest):
        if thread[1] != called.channel:
            return sentence(ELSEWHERE)
        place = Place(called.channel, thread[4] or f"{thread[2]}.{thread[3]}", called.team)
        intro, messages = [words("This thread")], read_messages(called, place)
        return told(called, messages, person.zone, None, intro, here=here, stakeholders=stakeholders, thread=True)
    since = read_since(rest, called.now, person.zone)
    if since is None:
        return sentence(FORMS)
    last = None if stakeholders else note_look(called.database, called.team, called.channel, called.user, called.now)
    after = since if rest else last
    intro = [words("Since "), moment(after)] if after else [words("So far")]
    looked = bool(last and not rest)
    if looked:
        intro.append(words(", when you last looked"))
    if stakeholders:
        intro.append(words(", for stakeholders, in plain words"))
    if here is not None and here.state == "following":
        messages = kept_messages(called, here, incident_here(called, here))
        return told(called, messages, person.zone, after, intro, here=here, stakeholders=stakeholders, looked=looked)
    messages = read_messages(called, Place(called.channel, team=called.team), after or called.now - LOOK_BACK)
    return (
        told(called, messages, person.zone, after, intro, stakeholders=stakeholders)
        if messages
        else ledger(called, after or since, None)
    )


def told(
    called: Called,
    messages: tuple[ChannelMessage, ...],
    zone: str,
    after: datetime | None,
    intro: list[Words],
    *,
    here: FollowedChannel | None = None,
    stakeholders: bool = False,
    looked: bool = False,
    thread: bool = False,
) -> Post:
    """The summary for one person, a line when nothing is new; where there is no incident, what was asked of Oracle.

    ``thread``: the messages are those of one thread, which has a title and an end of its own.
    """
    incident = incident_here(called, here)
    shows = called.attention.doors.shows_told(called.team, called.channel)
    inputs = inputs_of(called.database, called.core, incident, here.why if here else "", messages, shows)
    if thread:
        incident, inputs = None, in_thread(inputs, messages)
    summary = caught_up(messages, called.now, zone, after=after, stakeholders=stakeholders, **inputs)
    if summary.status.state == "none":
        return ledger(called, after or called.now - LOOK_BACK, len(messages))
    place = Place(called.channel, team=called.team)
    newest = messages[-1].ts
    shown = Shown(
        summary=summary,
        incident=incident,
        now=called.now,
        address=called.attention.directory.permalink(called.client, place.channel, newest),
        threads={message.ts: message.thread_ts for message in messages if message.thread_ts},
    )
    if after and says_nothing_new(summary, messages, after) and not ended_after(incident, after):
        return render_unchanged(shown, after, looked=looked)
    return render_told(shown, [element for part in intro for element in part])


def ended_after(incident: Incident | None, after: datetime) -> bool:
    """Whether people ended an incident after a moment."""
    ended = incident.resolved_at if incident else None
    return ended is not None and ended > after


def incident_here(called: Called, here: FollowedChannel | None) -> Incident | None:
    """The incident of a channel."""
    found = active_incident(called.database, called.team, called.channel)
    return found or (incident_of(called.database, here.incident_id) if here else None)


def ledger(called: Called, since: datetime, read: int | None) -> Post:
    """What was asked and declared here. ``read``: how many messages were looked through; None: none could be."""
    found = called.attention.ledger.asked_in(called.team, called.channel, since, MOST_ASKED + 1)
    store, doors = called.attention.store, called.attention.doors
    asked = tuple(
        without_hidden(store, doors, one, called.team, called.user, lambda _: called.channel)
        for one in found[-MOST_ASKED:]
    )
    threads = [(one.channel, one.thread_ts) for one in asked if one.thread_ts]
    links = called.attention.directory.permalinks(called.client, threads, LINKS)
    caught = Caught(
        since=since,
        asked=asked,
        more=len(found) > len(asked),
        incidents=incidents_since(called.database, called.team, called.channel, since),
        said=feedback_of(called.database, [one.request_id for one in asked]),
        links={one.request_id: links[one.thread_ts] for one in asked if one.thread_ts in links},
        read=read,
    )
    return catchup_post(caught)


def kept_messages(called: Called, here: FollowedChannel, incident: Incident | None) -> tuple[ChannelMessage, ...]:
    """The messages of a followed channel's incident with the names that Slack tells. Raises: StoreUnavailable."""
    chat = called.attention.chats(called.team)
    return named_messages(called.database, here, incident, chat, NAMES)[0]


# --- channels that are not followed -------------------------------------------------------------------------------


def read_messages(called: Called, place: Place, since: datetime | None = None) -> tuple[ChannelMessage, ...]:
    """The messages of a channel since a moment, or of a thread, as far as a few calls reach; none where the app may not
    read. Threads that hang on a channel's messages are left out. Raises: StoreUnavailable.
    """
    found: dict[str, ChannelMessage] = {}
    try:
        chat = called.attention.chats(called.team)
        if place.thread_ts:
            read_root(chat, place, found)
        read_pages(chat, place, f"{since.timestamp():.6f}" if since else "", found)
        learn_names(called.database, called.team, chat, found.values(), NAMES)
    except ChatError as error:
        log.warning("channel %s is not read: %s", place.channel, error)
    names, clean = known_names(called.database, called.team), called.attention.ledger.clean
    ordered = [found[ts] for ts in sorted(found)]
    return tuple(with_names(replace(m, text=clean(m.text)), names) for m in ordered)


def read_root(chat: Chat, place: Place, found: dict[str, ChannelMessage]) -> None:
    """The message that a thread hangs on, into what is found. Raises: ChatError."""
    seconds, _, micros = place.thread_ts.partition(".")
    at = int(seconds) * 1_000_000 + int(micros)
    after_ts, before_ts = (f"{t // 1_000_000}.{t % 1_000_000:06d}" for t in (at - 1, at + 1))
    channel = Place(place.channel, team=place.team)
    page = chat.page(channel, after_ts=after_ts, before_ts=before_ts, most=1)
    found.update({change.message.ts: change.message for change in page.changes if isinstance(change, Written)})


def read_pages(chat: Chat, place: Place, since_ts: str, found: dict[str, ChannelMessage]) -> None:
    """Some pages, into what is found. Raises: ChatError."""
    after_ts, before_ts = since_ts, ""
    for _ in range(PAGES):
        page = chat.page(place, after_ts=after_ts, before_ts=before_ts, most=PAGE)
        found.update({change.message.ts: change.message for change in page.changes if isinstance(change, Written)})
        if not page.more:
            return
        after_ts, before_ts = (page.newest, "") if place.thread_ts else (since_ts, page.oldest)
