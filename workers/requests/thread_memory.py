"""What is said in threads that Oracle takes part in is kept as threads, so that a decision is found again and linked.

The threads of a channel are kept for the channel: they are found again by whoever asks there. Those of a direct message
are the person's own.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable
from datetime import datetime

from workers.contracts import Question, RequestLog, moment_of
from workers.conversations.decisions import is_decision
from workers.engine.confirmation import is_change
from workers.errors import ChatError, StoreUnavailable
from workers.ports import Place, ThreadMessage
from workers.requests.worker_context import WorkerContext
from workers.store.channel_messages import known_names, save_name, unknown_names
from workers.store.threads import Entry, Thread, merge, message_entry_id

logger = logging.getLogger(__name__)
NAME_CHARS = 120
MOST_ASKED, MOST_NAMES = 50, 5
ENTRY_CHARS = 20_000


def thread_id(channel: str, thread_ts: str) -> str:
    """The id of a Slack thread among threads."""
    return f"slack-{channel}-{thread_ts.replace('.', '-')}".lower()[:64]


def keep_thread(worker: WorkerContext, question: Question, said: Iterable[ThreadMessage]) -> None:
    """Keep what people said to each other before in the thread of a question; nothing depends on it.

    What they asked the app is kept with its answer, see `keep_answer`.
    """
    if not question.thread_ts or question.unasked:
        return
    place = Place(question.channel, question.thread_ts, question.team)
    try:
        asked = worker.ledger.asked_before(question, MOST_ASKED)
        people = (m for m in said if not (m.ours or m.app) and (m.text or m.quoted))
        messages = [m for m in people if is_ts(m.ts) and m.ts not in asked]
        names = names_of(worker, question.team, {m.user for m in messages})
    except StoreUnavailable as error:
        logger.warning("a thread is not kept: %s", error)
        return
    if not messages:
        return
    known_ts, clean = messages[-1].ts, worker.oracle.toolbox.redactor.talk
    address = address_of(worker, place, known_ts)
    keep(
        worker,
        question,
        [
            entry_of(
                place,
                m.ts,
                clean("\n".join(filter(None, (m.text, m.quoted))))[:ENTRY_CHARS],
                names.get(m.user, ""),
                link_to(address, known_ts, m.ts),
                kind="decision" if is_decision(m.text) else "thought",
            )
            for m in messages
        ],
    )


def names_of(worker: WorkerContext, team: str, users: Collection[str]) -> dict[str, str]:
    """What people are called; Slack is asked for a few that are not known. Raises: StoreUnavailable."""
    database = worker.ledger.database
    for user in unknown_names(database, team, users)[:MOST_NAMES]:
        try:
            save_name(database, team, user, *worker.chats(team).called(user))
        except ChatError as error:
            logger.info("the name of %s is not known: %s", user, error)
            break
    known = known_names(database, team)
    return {user: known[user] for user in users if user in known}


def address_of(worker: WorkerContext, place: Place, ts: str) -> str:
    """The address of a message; empty when Slack does not tell it."""
    try:
        return worker.chats(place.team).permalink(place, ts)
    except ChatError as error:
        logger.info("what is kept has no link: %s", error)
        return ""


def keep_answer(worker: WorkerContext, log: RequestLog, ts: str) -> None:
    """Keep a question with its answer in its thread; nothing depends on it."""
    question, answer = log.question, log.answer
    if answer is None or answer.kind != "answer" or not question.thread_ts or not is_ts(ts) or question.unasked:
        return
    if is_change(log) or any(item.locator.startswith("memory:") for item in log.evidence):
        return  # what a person has remembered is theirs alone
    said = "\n".join(claim.text for claim in answer.claims if claim.text)
    text = f"Asked: {question.text}\nAnswered: {said}"[:ENTRY_CHARS]
    place = Place(question.channel, question.thread_ts, question.team)
    url = address_of(worker, place, ts)
    keep(worker, question, [entry_of(place, ts, text, "Oracle", url, author="oracle", kind="research")])


def keep(worker: WorkerContext, question: Question, entries: list[Entry]) -> None:
    """Merge entries into the thread, which is named by its first message."""
    if not entries:
        return
    root = message_entry_id(question.channel, question.thread_ts)
    named = [name_thread(entry) for entry in entries if entry.entry_id == root]
    try:
        merge(worker.ledger.database, question.space, named, entries)
    except StoreUnavailable as error:
        logger.warning("a thread is not kept: %s", error)


def name_thread(root: Entry) -> Thread:
    """A thread by its first message."""
    name = " ".join(root.content.split())[:NAME_CHARS] or root.thread_id
    return Thread(root.thread_id, name, root.timestamp, root.timestamp, root.timestamp)


def entry_of(place: Place, ts: str, text: str, speaker: str, url: str, *, author: str = "user", kind: str) -> Entry:
    """One message as an entry of its thread."""
    at: datetime = moment_of(ts)
    return Entry(
        entry_id=message_entry_id(place.channel, ts),
        thread_id=thread_id(place.channel, place.thread_ts),
        content=text,
        author=author,
        type=kind,
        timestamp=at,
        edited_at=at,
        speaker=speaker,
        url=url,
    )


def link_to(address: str, known_ts: str, ts: str) -> str:
    """The address of a message, from that of another one of its thread; empty when it does not follow from it."""
    known = f"p{known_ts.replace('.', '')}"
    return address.replace(known, f"p{ts.replace('.', '')}", 1) if known in address else ""


def is_ts(ts: str) -> bool:
    """Whether this is the ts of a message."""
    try:
        moment_of(ts)
    except ValueError:
        return False
    return True
