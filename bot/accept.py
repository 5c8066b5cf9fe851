"""Before the acknowledgement: what was asked is committed, or why not is noted for whoever listens."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from slack_bolt import BoltContext, BoltRequest, BoltResponse
from slack_bolt.middleware import Middleware

from bot.parse import Kind, ask_again, is_readable, kind_of, overheard, read_again, read_stop, to_question
from bot.views.ask import WORDS
from workers.contracts import Question, Reply
from workers.delivery.blocks import render_declined
from workers.errors import AskedTooOften, RequestNotFound, StoreUnavailable
from workers.inbox import Inbox
from workers.store.channels import channel_settings
from workers.store.requests import SqlStore
from workers.telemetry.service import ServiceMetrics

CLOSED = "I can't take questions right now: my database does not answer. Please ask again in a minute."
TOO_LONG = (
    "Your question has {chars:,} characters, and I read at most {most:,}. "
    "Please ask it shorter, with only the lines that matter."
)
OFF = render_declined().text
GONE = "I no longer have the record of that request. Please ask it anew."

log = logging.getLogger(__name__)


class Refused(Exception):
    """A question that is not taken, with the sentence for its asker. ``reason`` is the counter's label."""

    def __init__(self, sentence: str, reason: str) -> None:
        super().__init__(sentence)
        self.reason = reason


@dataclass(frozen=True)
class Entrance:
    """The middleware that commits questions and replies.

    The context then says how it went: ``request_id`` and ``question`` of what was accepted, ``repeated`` when it was
    before, ``refusal`` for its asker, ``stopped`` ids of requests that a person stopped.
    """

    inbox: Inbox
    store: SqlStore
    limit: int
    metrics: ServiceMetrics

    def accept(self, body: dict[str, Any], context: BoltContext, next_: Callable[[], Any]) -> BoltResponse | None:
        """Commit what is in a payload.

        An error ends in 503 (over Socket Mode: in no acknowledgement), so that Slack sends the event again. It never
        sends a command or a window again, so that those are answered with a sentence.
        """
        kind = kind_of(body)
        self.metrics.received(kind)
        try:
            self.take(kind, body, context)
        except StoreUnavailable as error:
            log.error("%s was not accepted: %s", kind, error)  # noqa: TRY400 - the sentence says it all
            self.metrics.refused("store_unavailable")
            return closed(kind)
        except Refused as refused:
            self.metrics.refused(refused.reason)
            context["refusal"] = str(refused)
            if kind == "submission":
                return window_error(str(refused))
        next_()
        return None

    def take(self, kind: Kind, body: Mapping[str, Any], context: BoltContext) -> None:
        """One payload. Raises: Refused, StoreUnavailable."""
        now = datetime.now(UTC)
        if kind == "stop":
            place = read_stop(body)
            context["stopped"] = self.inbox.stop_thread(*place) if place else ()
            return
        found = to_question(body, now)
        if isinstance(found, Reply):
            request_id = self.answer(found)
            if request_id:
                self.metrics.accepted(kind)
                context["request_id"] = request_id
                return
            found = None
        if found is None and kind == "message":
            found = self.listen(overheard(body, now))
        if found is None and kind == "action":
            found = self.again(body, now)
        if found is not None:
            self.ask(found, kind, context)

    def answer(self, reply: Reply) -> str | None:
        """Commit what was said to a clarifying question. Returns: the request that goes on. Raises: Refused."""
        if len(reply.text) <= self.limit:
            return self.inbox.accept_reply(reply)
        if self.inbox.is_awaited(reply):
            raise Refused(self.too_long(reply.text), "too_long")
        return None

    def ask(self, question: Question, kind: Kind, context: BoltContext) -> None:
        """Commit a question. Raises: Refused."""
        settings = channel_settings(self.store.database, question.team, question.channel)
        if settings.mode == "off":
            raise Refused(OFF, "off")
        if len(question.text) > self.limit:
            raise Refused(self.too_long(question.text), "too_long")
        context_kept = tuple(self.inbox.clean(text) for text in question.context)
        question = question.model_copy(
            update={"agent": question.agent or settings.agent or None, "context": context_kept}
        )
        try:
            request_id = self.inbox.accept(question)
        except AskedTooOften as error:
            raise Refused(str(error), "too_often") from error
        if request_id:
            self.metrics.accepted(kind)
            context.update(request_id=request_id, question=question)
        else:
            self.metrics.repeated()
            context["repeated"] = True

    def listen(self, question: Question | None) -> Question | None:
        """A message without a mention, where its channel wants such messages answered."""
        if question is None:
            return None
        mode = channel_settings(self.store.database, question.team, question.channel).mode
        if mode not in {"threads", "questions"}:
            return None
        if question.thread_ts == question.ts:
            return question if mode == "questions" and question.text.endswith("?") else None
        return question if self.inbox.is_ours(question.team, question.channel, question.thread_ts) else None

    def again(self, body: Mapping[str, Any], now: datetime) -> Question | None:
        """A pressed Re-run as the question that it repeats. Raises: Refused: nobody knows it any more."""
        found = read_again(body)
        if found is None:
            return None
        press, request_id = found
        try:
            asked = self.store.load(request_id).question
        except RequestNotFound as error:
            raise Refused(GONE, "gone") from error
        return ask_again(press, asked, now)

    def too_long(self, text: str) -> str:
        """Why a question was not taken."""
        return TOO_LONG.format(chars=len(text), most=self.limit)


class TurnAway(Middleware):
    """Refuses a body that is none of Slack's payloads, before Bolt reads it and raises."""

    def process(self, *, req: BoltRequest, resp: BoltResponse, next: Callable[[], BoltResponse]) -> BoltResponse:  # noqa: A002, ARG002 - Bolt's names
        """Before the installation is looked for."""
        return next() if is_readable(req.body) else BoltResponse(status=400, body={"error": "not a Slack request"})


def closed(kind: Kind) -> BoltResponse:
    """What Slack hears when the database does not answer."""
    if kind == "command":
        return BoltResponse(status=200, body={"response_type": "ephemeral", "text": CLOSED})
    if kind == "submission":
        return window_error(CLOSED)
    return BoltResponse(status=503, body={"error": "store_unavailable"})


def window_error(sentence: str) -> BoltResponse:
    """The window stays open, with the sentence below the question."""
    return BoltResponse(status=200, body={"response_action": "errors", "errors": {WORDS: sentence}})
