"""Followed channels as people steer them: pause, resume, renew, and be brought up to date."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from slack_bolt import Ack, App, BoltContext
from slack_sdk import WebClient

from bot.listeners.catchup import catchup, incident_here, kept_messages
from bot.listeners.ephemeral import post_ephemeral, refused_or
from bot.listeners.mentions import ListenerContext
from bot.listeners.subcommands import Called
from bot.parse import Origin, Press, received_in
from workers.delivery import action_ids
from workers.delivery.rich_text_blocks import sentence
from workers.incidents.channel.summary_inputs import inputs_of
from workers.incidents.summary.catchup import meanwhile
from workers.incidents.summary.snapshot import read_snapshot
from workers.ports import Post
from workers.store.followed_channels import FollowedChannel, followed, make_due, pause_channel
from workers.store.unprompted_posts import is_paused

PAUSED = "Paused: I go on listening here, and change nothing until someone resumes."
SILENT = "Paused: I say nothing here that nobody asked for until someone resumes. Whoever asks is answered."
GO_ON = "I go on."
RESUMED = "I go on. Meanwhile: {changes}."
UNCHANGED = "I go on. Nothing that was said meanwhile changes how it stands."
ALREADY = {True: "I am paused here already.", False: "I am not paused here."}
NOT_FOLLOWED = (
    "I follow no incident in this channel. I do where its name or topic says that there is one, and after {command} "
    'incident "TITLE".'
)
RENEWED = "I am looking at it again; the pinned message changes if there is anything new."


def register(app: App, attention: ListenerContext) -> None:
    """Listen to the buttons of an incident's message."""

    def listen(does: Callable[[Called, Press], Post]) -> Callable[..., None]:
        def pressed(ack: Ack, context: BoltContext, client: WebClient) -> None:
            ack()
            received = received_in(context)
            if (press := received.press) and press.channel:
                attention.later(partial(answer, attention, client, received.origin, press, does))

        return pressed

    app.action(action_ids.INCIDENT_UPDATE)(listen(lambda called, _: renew(called)))
    app.action(action_ids.INCIDENT_CATCHUP)(listen(lambda called, _: catchup(called)))
    app.action(action_ids.INCIDENT_PAUSE)(
        listen(lambda called, press: set_paused(called, paused=press.value == "pause"))
    )


def answer(
    attention: ListenerContext,
    client: WebClient,
    origin: Origin,
    press: Press,
    does: Callable[[Called, Press], Post],
) -> None:
    """Do what a button does, and tell whoever pressed it."""
    say = partial(post_ephemeral, client, replace(origin, channel=press.channel, thread_ts=""))
    with refused_or(say):
        say(does(called_by_press(attention, client, press), press))


def called_by_press(attention: ListenerContext, client: WebClient, press: Press) -> Called:
    """Who pressed, as if they had typed it."""
    command = attention.settings.core.slack.command
    place = {"team": press.team, "channel": press.channel, "user": press.user}
    return Called(attention=attention, client=client, **place, command=command, rest="", now=datetime.now(UTC))


def pause(called: Called) -> Post:
    """``/oracle pause``. Raises: StoreUnavailable."""
    return set_paused(called, paused=True)


def resume(called: Called) -> Post:
    """``/oracle resume``. Raises: StoreUnavailable."""
    return set_paused(called, paused=False)


def set_paused(called: Called, *, paused: bool) -> Post:
    """Say nothing unasked in this channel until further notice, or go on."""
    if not pause_channel(called.database, called.team, called.channel, paused=paused):
        return sentence(ALREADY[paused])
    here = followed(called.database, called.team, called.channel)
    if here is None or here.state != "following":
        return sentence(SILENT if paused else GO_ON)
    called.attention.wake_channel(called.team, called.channel)
    return sentence(PAUSED if paused else resumed(called, here))


def resumed(called: Called, here: FollowedChannel) -> str:
    """That it goes on, and what changed while it was paused. Raises: StoreUnavailable."""
    last = read_snapshot(here.summary)
    incident = incident_here(called, here)
    messages = kept_messages(called, here, incident)
    zone = called.attention.directory.person(called.client, called.team, called.user).zone
    shows = called.attention.doors.shows_told(called.team, called.channel)
    inputs = inputs_of(called.database, called.core, incident, here.why, messages, shows)
    changes = meanwhile(messages, last.summary.as_of if last else "", called.now, zone, **inputs)
    return RESUMED.format(changes="; ".join(change.rstrip(".") for change in changes)) if changes else UNCHANGED


def renew(called: Called) -> Post:
    """Have the summary renewed now."""
    if not make_due(called.database, called.team, called.channel):
        paused = is_paused(called.database, called.team, called.channel)
        return sentence(ALREADY[True] if paused else NOT_FOLLOWED.format(command=called.command))
    called.attention.wake_channel(called.team, called.channel)
    return sentence(RENEWED)
