"""Posts each part of a reply once, whatever happens between Slack and the ledger; messages that are changed too."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace

from workers.contracts import RequestLog
from workers.delivery.block_limits import check_post
from workers.delivery.charts import draw_chart
from workers.delivery.graph_pictures import draw_graph
from workers.errors import ChatBusy, ChatRefused, ChatUnavailable
from workers.ports import Chat, Place, Post
from workers.requests.ledger import POSTING
from workers.requests.worker_context import WorkerContext, chat_of
from workers.store.request_jobs import Job

logger = logging.getLogger(__name__)
PICTURE, PICTURE_TRIES = "picture", 3
UNSHOWABLE = frozenset({"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long"})
LOST = frozenset({"message_not_found", "cant_update_message"})


def add_picture(worker: WorkerContext, job: Job, log: RequestLog) -> tuple[Job, str]:
    """Draw the chart, or the graph where there is no chart, and store it once.

    Returns: the job, with the file's id under `PICTURE` unless there is none to show, or Slack refuses it or has failed
        to take it several times; and the words that stand for it.
    """
    picture = draw_chart(log) or draw_graph(log)
    if picture is None:
        return job, ""
    if job.sent.get(PICTURE):
        return job, picture.alt
    try:
        return worker.ledger.mark_sent(job, PICTURE, chat_of(worker, job).upload(picture)), picture.alt
    except (ChatRefused, ChatUnavailable) as error:
        if isinstance(error, ChatUnavailable) and job.delays < PICTURE_TRIES:
            raise
        logger.warning("the picture of %s cannot be stored: %s", log.request_id, error)
        return job, ""


def post_once(worker: WorkerContext, job: Job, part: str, place: Place, post: Post) -> Job:
    """Post one part of a reply, unless it stands there already.

    That a post begins is written down first: whoever comes after a crash or an unclear answer looks before posting.
    """
    if job.sent.get(part):
        return job
    ts = stands(worker, job, part, place)
    if ts:
        worker.metrics.posted("found")
    else:
        ts = post_showable(worker, job, part, place, post)
        worker.metrics.posted("ok")
    return worker.ledger.mark_sent(job, part, ts)


def stands(worker: WorkerContext, job: Job, part: str, place: Place) -> str | None:
    """The ts of a part of the reply when it is in the thread; looked for when a post was begun and not recorded."""
    known = job.sent.get(part)
    return chat_of(worker, job).find(place, f"{job.request_id}:{part}") if known == POSTING else known


def post_showable(worker: WorkerContext, job: Job, part: str, place: Place, post: Post) -> str:
    """Post; where Slack would not show the blocks, without the picture, and then as text. Returns: its ts."""
    key = f"{job.request_id}:{part}"
    no_picture = tuple(b for b in post.blocks if b["type"] != "image")
    plain = Post(f"{post.text}\nAll of it: oracle show {job.request_id}")
    for candidate in (post, replace(post, blocks=no_picture)):
        wrong = check_post(candidate)
        if wrong:
            logger.error("%s breaks Slack's limits: %s", key, "; ".join(wrong))
            continue
        worker.ledger.mark_sent(job, part)
        try:
            return chat_of(worker, job).post(place, candidate, key)
        except ChatBusy:
            worker.ledger.mark_sent(job, part, None)  # it never left here: the next try need not look
            raise
        except ChatRefused as error:
            if error.code not in UNSHOWABLE:
                raise
            logger.warning("%s is not shown: %s", key, error)
    worker.ledger.mark_sent(job, part)
    return chat_of(worker, job).post(place, plain, key)


def keep_post(
    chat: Chat, place: Place, ts: str, post: Post, key: str, note: Callable[[str], None], *, look: bool = True
) -> str:
    """Change the one message with this key, or post it where there is none.

    Args:
        chat: of the place's workspace.
        place: where it stands.
        ts: of the message; empty when it is not known to stand, so that it is looked for.
        post: what it says; its text alone where Slack would not show the blocks.
        key: its mark.
        note: writes down its ts, empty when it was deleted.
        look: whether it may stand although its ``ts`` is not known; looking takes calls that reading needs too.

    Returns: its ts.

    Raises: ChatError, and what ``note`` raises.
    """
    wrong = check_post(post)
    if wrong:
        logger.error("%s breaks Slack's limits: %s", key, "; ".join(wrong))
        post = Post(post.text)
    found = ts or (chat.find(place, key) if look else None) or ""
    try:
        if found:
            chat.update(place, found, post, key)
    except ChatRefused as error:
        if error.code not in LOST:
            raise
        note("")
        ts = found = ""
    if not found:
        found = chat.post(place, post, key)
    if found != ts:
        note(found)
    return found
