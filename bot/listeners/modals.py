"""Windows that were sent: questions, which were committed before the acknowledgement, and what was wrong."""

from __future__ import annotations

import logging
from functools import partial

from slack_bolt import Ack, App, BoltContext
from slack_sdk import WebClient

from bot.listeners.actions import THANKS
from bot.listeners.ephemeral import post_ephemeral_in, post_in, refused_or
from bot.listeners.mentions import ListenerContext
from bot.parse import Window, received_in
from bot.views.feedback import REASON, TEXT
from workers.contracts import Question
from workers.delivery import action_ids
from workers.delivery.answer_blocks import render_root
from workers.ports import Place
from workers.store.feedback import save_feedback
from workers.store.request_jobs import with_words

EMPTY = "Please write what you would like to know."
NOWHERE = "Please choose a channel."

log = logging.getLogger(__name__)


def register(app: App, attention: ListenerContext) -> None:
    """Listen to the windows of questions and of feedback."""

    def ask(ack: Ack, context: BoltContext) -> None:
        sent = received_in(context).window
        if sent and not (context.get("request_id") or context.get("repeated")):
            ack(response_action="errors", errors=missing(sent))
            return
        ack()
        if attention.accepted(context):
            attention.later(partial(show_question, attention, context["question"]))

    def judge(ack: Ack, context: BoltContext, client: WebClient) -> None:
        wrong: dict[str, str] = {}
        if (sent := received_in(context).window) is None:
            return
        with refused_or(lambda post: wrong.update({TEXT: post.text})):
            keep_feedback(attention, sent)
        if wrong:
            ack(response_action="errors", errors=wrong)
            return
        ack()
        if channel := sent.kept.get("channel"):
            place = channel, sent.user, sent.kept.get("thread_ts", "")
            attention.later(partial(post_ephemeral_in, client, *place, THANKS))

    app.view(action_ids.ASK_VIEW)(ask)
    app.view(action_ids.FEEDBACK_VIEW)(judge)


def missing(sent: Window) -> dict[str, str]:
    """What keeps a window from being a question: spaces, which Slack takes for words, or no channel."""
    return (
        {action_ids.ASK_WHERE: NOWHERE} if sent.field(action_ids.ASK_WORDS).strip() else {action_ids.ASK_WORDS: EMPTY}
    )


def show_question(attention: ListenerContext, question: Question) -> None:
    """Show in a thread who asked what, as the window does not; a new thread is opened so by whoever answers."""
    if not question.thread_ts:
        return
    question = with_words(question, attention.ledger.clean)
    place, key = Place(question.channel, question.thread_ts, question.team), f"{question.request_id}:root"
    with refused_or(lambda post: log.warning("%s is not shown: %s", key, post.text)):
        post_in(attention.chats, place, render_root(question), key)


def keep_feedback(attention: ListenerContext, sent: Window) -> None:
    """Store what was wrong with an answer, in place of the press that opened the window. Raises: StoreUnavailable."""
    save_feedback(
        attention.store.database,
        sent.kept.get("request_id", ""),
        sent.team,
        sent.user,
        "bad",
        sent.field(REASON),
        attention.ledger.clean(sent.field(TEXT).strip()),
    )
