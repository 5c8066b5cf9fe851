"""A person's conversation about a project: its context is kept within the budget, its every word in a thread."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta

from workers.conversations.compress import add_exchange
from workers.conversations.entries import LONGEST_CONTENT, NewEntry, push, thread_id_of
from workers.errors import MemoryConflict
from workers.ports import Compressor
from workers.store.contexts import Context, Exchange, load_context, save_context
from workers.store.database import Database
from workers.store.request_logs import storable

TOKEN_BUDGET, MOST_TRIES = 16_000, 20


def keep_exchange(
    database: Database,
    user_id: str,
    project_id: str,
    exchange: Exchange,
    *,
    now: datetime,
    decisions: Sequence[str] = (),
    model: str = "",
    compressor: Compressor | None = None,
) -> Context:
    """Add an exchange to a conversation.

    Args:
        database: with tables of today's version.
        user_id: whose conversation it is.
        project_id: about what, such as a channel or a repository.
        exchange: what was asked and answered.
        now: aware.
        decisions: sentences to keep word for word.
        model: who answers.
        compressor: a language model's.

    Returns: the context as it is then.

    Raises:
        MemoryConflict: the person keeps as much as is allowed, or others write the same conversation all the time.
        StoreUnavailable: the database cannot be reached.
    """
    thread = thread_id_of(project_id or "conversation")
    said = [("user", "thought", exchange.asked), ("oracle", "research", exchange.answered)]
    said += [("oracle", "decision", text) for text in decisions]
    for number, (author, kind, content) in enumerate(said):
        if content:
            at = now + timedelta(microseconds=number)
            values = {"content": storable(content)[:LONGEST_CONTENT], "author": author, "type": kind, "timestamp": at}
            push(database, user_id, thread, NewEntry.model_validate(values), now=now)
    for _ in range(MOST_TRIES):
        known = load_context(database, user_id, project_id)
        before = known or new_context(user_id, project_id, now)
        after = add_exchange(before, exchange, decisions=decisions, now=now, model=model, compressor=compressor)
        if save_context(database, after, known):
            return after
    raise MemoryConflict(f"too much is said about {project_id} at once; the thread {thread} has all of it")


def new_context(user_id: str, project_id: str, now: datetime, token_budget: int = TOKEN_BUDGET) -> Context:
    """An empty one."""
    return Context(str(uuid.uuid4()), user_id, project_id, now, now, token_budget=token_budget)
