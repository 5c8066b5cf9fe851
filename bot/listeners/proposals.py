"""The buttons of a change that waits for its asker: Confirm was committed before, Decline is noted here."""

from __future__ import annotations

from functools import partial

from slack_bolt import Ack, App, BoltContext
from slack_sdk import WebClient

from bot.listeners.ephemeral import post_ephemeral, refused_or, tried
from bot.listeners.mentions import ListenerContext
from bot.middleware.request_record import NotYours, load_decided
from bot.parse import Origin, Press, decision_event, read_decision, received_in
from workers.contracts import RequestLog
from workers.delivery import action_ids
from workers.delivery.proposal_blocks import render_decided
from workers.ports import Place, Post

DECIDED = Post("That change has been decided already.")


def register(app: App, attention: ListenerContext) -> None:
    """Listen to Confirm and Decline."""

    def confirm(ack: Ack, context: BoltContext, client: WebClient) -> None:
        ack()
        received = received_in(context)
        say = partial(post_ephemeral, client, received.origin)
        if attention.accepted(context) and received.press:
            attention.later(partial(show_decision, attention, client, received.origin, received.press, confirmed=True))
        elif context.get("refusal"):
            attention.later(partial(say, Post(context["refusal"])))
        elif context.get("repeated"):
            attention.later(partial(say, DECIDED))

    def decline(ack: Ack, context: BoltContext, client: WebClient) -> None:
        ack()
        received = received_in(context)
        if received.press:
            attention.later(partial(take_no, attention, client, received.origin, received.press))

    app.action(action_ids.CONFIRM)(confirm)
    app.action(action_ids.DECLINE)(decline)


def take_no(attention: ListenerContext, client: WebClient, origin: Origin, press: Press) -> None:
    """Note that a change is not to be made, and take its buttons away."""
    found = read_decision(press)
    say = partial(post_ephemeral, client, origin)
    if found is None:
        return
    with refused_or(say):
        try:
            load_decided(attention.store, press, *found)
        except NotYours as error:
            say(Post(str(error)))
            return
        undecided = attention.ledger.note_event(press.team, decision_event(press.value), found[0])
        if undecided and attention.ledger.begin_change(press.value, found[0]):
            show_decision(attention, client, origin, press, confirmed=False)
        else:
            say(DECIDED)


def show_decision(
    attention: ListenerContext, client: WebClient, origin: Origin, press: Press, *, confirmed: bool
) -> None:
    """The message of a change without its buttons; nothing depends on it."""
    found = read_decision(press)
    if found is None:
        return
    with refused_or(partial(post_ephemeral, client, origin)):
        try:
            log = load_decided(attention.store, press, *found)
        except NotYours:
            return
        tried("a decision is not shown", partial(update, attention, press, log, found[1], confirmed=confirmed))


def update(attention: ListenerContext, press: Press, log: RequestLog, number: int, *, confirmed: bool) -> None:
    """Change the message. Raises: ChatError."""
    post = render_decided(log, number, press.user, confirmed=confirmed)
    place = Place(press.channel, press.thread_ts, press.team)
    attention.chats(press.team).update(place, press.message_ts, post, key=f"{log.request_id}:proposal.{number}")
