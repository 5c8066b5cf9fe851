"""``/oracle incident`` and ``/oracle resolve``: incidents that people declare in a channel."""

from __future__ import annotations

import re

from bot.listeners.catchup import kept_messages
from bot.listeners.ephemeral import post_in, refusal, showable, tried
from bot.listeners.subcommands import Called
from bot.views.incident import (
    Known,
    already_post,
    ended_post,
    no_incident_post,
    note_post,
    opening_post,
    resolved_post,
    state_post,
)
from workers.delivery.rich_text_blocks import sentence
from workers.errors import ChatError, ChatUnavailable
from workers.incidents.channel.summary_inputs import LOOK_BACK, inputs_of
from workers.incidents.summary.catchup import caught_up
from workers.incidents.summary.snapshot import read_snapshot
from workers.incidents.summary.summary_types import Summary
from workers.ports import Place, Post
from workers.store.channel_messages import threads_of
from workers.store.followed_channels import follow_declared, followed, make_due
from workers.store.incidents import (
    Incident,
    active_incident,
    key_of,
    newest_incident,
    open_incident,
    place_incident,
    resolve_incident,
    withdraw_incident,
)
from workers.store.unprompted_posts import is_paused

QUOTED = re.compile(r"[\"“„«'‘].+[\"”“»'’]", re.DOTALL)
AROUND = " \t\n\"“”„«»'‘’"
NOT_HERE = "An incident is declared in a channel, where others see it; this is a direct message."
NOT_A_MEMBER = "I am not a member of this channel. Invite me with /invite, then declare it again."
MEMBER = frozenset({"not_in_channel", "channel_not_found", "not_allowed_token_type"})


def incident(called: Called) -> Post:
    """Declare one, end it, or say how it stands. Raises: StoreUnavailable."""
    if called.channel.startswith("D"):
        return sentence(NOT_HERE)
    first, _, rest = called.rest.strip().partition(" ")
    match first.casefold():
        case "" | "status":
            return state(called)
        case "resolve":
            return end(called, rest)
        case "start":
            return declare(called, rest.strip(AROUND))
        case _ if QUOTED.fullmatch(called.rest.strip()):
            return declare(called, called.rest.strip(AROUND))
        case _:
            return ask_which(called)


def ask_which(called: Called) -> Post:
    """A declaration is seen by everyone: words that may as well be a question do not make one."""
    words = called.rest.strip()
    return sentence(
        f"Is that a new incident or a question? To declare it: {called.command} incident start {words}\n"
        f"To ask: {called.command} ask incident {words}?"
    )


def resolve(called: Called) -> Post:
    """End what is open here. Raises: StoreUnavailable."""
    return end(called, called.rest)


def state(called: Called) -> Post:
    """What is open here; its message is renewed if anything changed."""
    if make_due(called.database, called.team, called.channel):
        called.attention.wake_channel(called.team, called.channel)
    here = active_incident(called.database, called.team, called.channel)
    if here is None:
        return none_open(called)
    threads = threads_of(called.database, called.team, called.channel)
    paused = is_paused(called.database, called.team, called.channel)
    return state_post(
        known_of(called, here), summed_now(called, here), threads, called.now, called.command, paused=paused
    )


def none_open(called: Called) -> Post:
    """That nothing is open here, and what was last. Raises: StoreUnavailable."""
    ended = newest_incident(called.database, called.team, called.channel)
    return no_incident_post(called.command, known_of(called, ended) if ended else None)


def summed_now(called: Called, here: Incident) -> Summary | None:
    """How it stands after what was said a moment ago; None where the channel is not followed.

    Raises: StoreUnavailable.
    """
    channel = followed(called.database, called.team, called.channel)
    if channel is None:
        return None
    messages = kept_messages(called, channel, here)
    zone = called.attention.directory.person(called.client, called.team, called.user).zone
    shows = called.attention.doors.shows_told(called.team, called.channel)
    inputs = inputs_of(called.database, called.core, here, channel.why, messages, shows)
    return caught_up(messages, called.now, zone, **inputs)


def known_of(called: Called, incident: Incident) -> Known:
    """An incident with its summary and the address of its message. Raises: StoreUnavailable."""
    url = called.attention.directory.permalink(called.client, incident.channel, incident.ts) if incident.ts else ""
    channel = followed(called.database, called.team, called.channel)
    last = read_snapshot(channel.summary) if channel and channel.incident_id == incident.id else None
    return Known(incident, last, url)


def declare(called: Called, title: str) -> Post:
    """Tell the channel, pin it, and remember it; of two at the same moment the first counts."""
    if not title:
        return sentence(f'What happens? For example: {called.command} incident "Checkout fails with 502"')
    title = called.attention.ledger.clean(title)
    opened = open_incident(called.database, called.team, called.channel, title, called.user, at=called.now)
    if opened is None:
        return already(called)
    post = opening_post(title, called.user, called.now, called.command)
    try:
        ts = post_in(called.attention.chats, place_of(called), post, key_of(opened, "root"))
    except ChatUnavailable:
        follow(called)
        return sentence("It is declared, but Slack did not confirm my message to the channel.")
    except ChatError as error:
        withdraw_incident(called.database, opened)
        code = refusal(error)
        return sentence(NOT_A_MEMBER if code in MEMBER else f"Slack refused the message ({code}): nothing is declared.")
    place_incident(called.database, opened, ts)
    follow(called)
    pinned = tried("no pin", lambda: called.client.pins_add(channel=called.channel, timestamp=ts))
    return sentence("Declared." if not pinned else f"Declared; I could not pin the message ({pinned}).")


def follow(called: Called) -> None:
    """From now on the message says how it stands."""
    since = called.now - LOOK_BACK
    follow_declared(called.database, called.team, called.channel, f"{since.timestamp():.6f}")
    called.attention.wake_channel(called.team, called.channel)


def already(called: Called) -> Post:
    """Why not a second one."""
    here = active_incident(called.database, called.team, called.channel)
    if here is None:  # it ended this moment
        return sentence("The incident that was open here ended just now. Please declare yours again.")
    return already_post(
        here, called.attention.directory.permalink(called.client, here.channel, here.ts), called.command
    )


def end(called: Called, note: str) -> Post:
    """Remember the end, say so in the thread, and show it in the message that opened it."""
    note = called.attention.ledger.clean(note.strip(AROUND))
    ended = resolve_incident(called.database, called.team, called.channel, called.user, at=called.now, note=note)
    if ended is None:
        return none_open(called)
    chats, place = called.attention.chats, place_of(called, ended.ts)
    said = note_post(ended)
    missed = tried("no end is told", lambda: post_in(chats, place, said, key_of(ended.id, "end")))
    known = known_of(called, ended)
    if ended.ts:
        missed = tried("the opening is as it was", lambda: show_end(called, known)) or missed
        tried("the pin stays", lambda: called.client.pins_remove(channel=called.channel, timestamp=ended.ts))
    make_due(called.database, called.team, called.channel)
    called.attention.wake_channel(called.team, called.channel)
    paused = is_paused(called.database, called.team, called.channel)
    return ended_post(known, missed, paused=paused)


def show_end(called: Called, known: Known) -> None:
    """The opening message says that it is over. Raises: ChatError, StoreUnavailable."""
    ts, key = known.incident.ts, key_of(known.incident.id, "root")
    called.attention.chats(called.team).update(place_of(called), ts, showable(resolved_post(known), key), key)


def place_of(called: Called, thread_ts: str = "") -> Place:
    """The channel, or a thread in it."""
    return Place(called.channel, thread_ts, called.team)
