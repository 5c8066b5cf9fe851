"""Conversations about a project, over HTTP and MCP: each question brings along what was said before."""

from __future__ import annotations

import logging

from workers.bootstrap import Oracle
from workers.contracts import Question, RequestLog
from workers.conversations.compress import messages_of
from workers.conversations.conversation import keep_exchange
from workers.conversations.decisions import decisions_in
from workers.errors import OracleError
from workers.reasoning.reasoner_access import compressor_of
from workers.store.contexts import Exchange, load_context

logger = logging.getLogger(__name__)


def with_conversation(oracle: Oracle, question: Question) -> Question:
    """The question with what was said before about its project; as it is when it names none, or nothing is known."""
    if not question.project:
        return question
    try:
        known = load_context(oracle.store.database, question.user, question.project)
    except OracleError as error:
        logger.warning("the conversation about %s is not read: %s", question.project, error)
        return question
    said = messages_of(known) if known else ()
    return question.model_copy(update={"context": (*said, *question.context)})


def keep_conversation(oracle: Oracle, log: RequestLog) -> None:
    """Keep what was asked and answered; nothing depends on it."""
    question, answer = log.question, log.answer
    if not question.project or answer is None or answer.kind != "answer":
        return
    said = "\n".join(claim.text for claim in answer.claims if claim.text)
    try:
        keep_exchange(
            oracle.store.database,
            question.user,
            question.project,
            Exchange(question.text, said),
            now=question.received_at,
            decisions=decisions_in(question.text),
            model=log.reasoner,
            compressor=compressor_of(oracle.reasoner_access, question.user),
        )
    except OracleError as error:
        logger.warning("the conversation about %s is not kept: %s", question.project, error)
