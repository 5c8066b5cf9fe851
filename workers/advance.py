"""One request, from its claim to its reply: each stage reads the job, does its work and checkpoints."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

from workers.bootstrap import Oracle
from workers.contracts import Answer, Claim, Question, RequestLog
from workers.delivery.blocks import render_answer, render_chosen, render_root
from workers.delivery.charts import draw_chart
from workers.delivery.limits import check_post
from workers.delivery.progress import ProgressBoard
from workers.engine.clarify import choose, continue_question
from workers.engine.run import Engine, execute_stage, plan_stage, synthesize_stage, timed
from workers.errors import ChatBusy, ChatError, ChatRefused, ChatUnavailable, LeaseLost, StoreUnavailable
from workers.inbox import POSTING, Inbox, Job, Stage
from workers.ports import Chat, Place, Post
from workers.telemetry.service import ServiceMetrics

logger = logging.getLogger(__name__)
LONGEST_JOB_S = 300.0
"""A stage that still runs after this is stuck: its lease is no longer renewed."""
PICTURE, PICTURE_TRIES = "picture", 3
UNSHOWABLE = frozenset({"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long"})


@dataclass(frozen=True)
class Desk:
    """What a worker works with."""

    oracle: Oracle
    inbox: Inbox
    chat: Chat
    board: ProgressBoard
    metrics: ServiceMetrics


def work(desk: Desk, job: Job) -> None:
    """Run the stages of a claimed job until it is done or waits for someone.

    Raises:
        LeaseLost: another worker has it now.
        ChatError, StoreUnavailable: as far as the last checkpoint, it stands.
    """
    limits = desk.inbox.limits
    if job.failures >= limits.max_failures or job.lost_leases >= limits.max_lost_leases:
        job = give_up(desk, job)
    while job.stage in STAGES:
        stage, began = job.stage, time.perf_counter()
        with beating(desk.inbox, job):
            job = STAGES[stage](desk, job)
        desk.metrics.stage_done(stage, time.perf_counter() - began)


@contextmanager
def beating(inbox: Inbox, job: Job) -> Iterator[None]:
    """Renew the lease while the block runs."""
    stop = threading.Event()

    def beat() -> None:
        end = time.monotonic() + LONGEST_JOB_S
        while not stop.wait(inbox.limits.heartbeat_s) and time.monotonic() < end:
            try:
                inbox.renew(job)
            except LeaseLost:
                return
            except StoreUnavailable as error:
                logger.warning("heartbeat of %s failed: %s", job.request_id, error)

    thread = threading.Thread(target=beat, name=f"lease-{job.request_id}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()


def give_up(desk: Desk, job: Job) -> Job:
    """It failed too often. Saying so failed as well: it ends without a word in the thread, but not in the log."""
    logger.error(
        "request %s gave up at %s: %s failures, %s leases lost",
        job.request_id,
        job.stage,
        job.failures,
        job.lost_leases,
    )
    if job.stage == "apologize":
        desk.metrics.finished("dead")
        return desk.inbox.finish(job, "dead", "neither the answer nor the apology could be posted")
    log = job.log or RequestLog(request_id=job.request_id, question=job.question)
    text = (
        f"I could not finish this: the stage “{job.stage}” failed {max(job.failures, job.lost_leases)} times. "
        f"The reason stands in the log under request {job.request_id}. Asking again starts anew."
    )
    answer = Answer(kind="refusal", headline=Claim(template=text, text=text))
    return desk.inbox.give_up(job, log.model_copy(update={"answer": answer, "grounded": False}))


# --- stages ---------------------------------------------------------------------------------------------------


def open_thread(desk: Desk, job: Job) -> Job:
    """A command has no message of its own: post one, and answer in its thread."""
    job = post_once(desk, job, "root", Place(job.question.channel, team=job.question.team), render_root(job.question))
    return desk.inbox.open_thread(job, job.sent["root"])


def plan(desk: Desk, job: Job) -> Job:
    """Read the question in its thread, route, plan."""
    question = complete(desk, job)
    log = plan_stage(engine_of(desk), RequestLog(request_id=job.request_id, question=question))
    return checkpoint(desk, job, "deliver" if log.answer else "execute", log)


def execute(desk: Desk, job: Job) -> Job:
    """Run the plan's steps; the thread sees each."""
    log = read_log(job)
    show_progress(desk, job, log)

    def progress(event: str, detail: object) -> None:
        if event == "step" and isinstance(detail, tuple):
            step, status, summary = detail
            desk.board.step(job.request_id, step.id, status, summary)

    return checkpoint(desk, job, "synthesize", execute_stage(engine_of(desk, progress), log))


def synthesize(desk: Desk, job: Job) -> Job:
    """Write and ground."""
    log = synthesize_stage(engine_of(desk), read_log(job))
    return checkpoint(desk, job, "deliver", log)


def deliver(desk: Desk, job: Job) -> Job:
    """Render, look whether it stands there already, post, mark."""
    log, place = read_log(job), place_of(job)
    job, alt = add_picture(desk, job, log)
    posts = render_answer(log, job.sent.get(PICTURE, ""), alt, job.turn)
    end_progress(desk, job, log)
    for number, post in enumerate(posts):
        job = post_once(desk, job, f"{job.turn}.{number}", place, post)
    desk.oracle.store.save(log)
    asked = log.answer is not None and log.answer.kind == "clarify"
    return finish(desk, job, "waiting" if asked else "done")


def apologize(desk: Desk, job: Job) -> Job:
    """Say that there will be no answer."""
    log, place = read_log(job), place_of(job)
    end_progress(desk, job, log)
    if stands(desk, job, f"{job.turn}.0", place):
        return finish(desk, job, "done")
    desk.oracle.store.save(log)
    for number, post in enumerate(render_answer(log)):
        job = post_once(desk, job, f"{job.turn}.failed.{number}", place, post)
    return finish(desk, job, "done", "gave up")


def finish(desk: Desk, job: Job, stage: Stage, error: str = "") -> Job:
    """Write down that the reply stands, then count it."""
    job = desk.inbox.finish(job, stage, error)
    desk.metrics.finished(stage)
    desk.oracle.engine.on_done(read_log(job))
    return job


STAGES: Mapping[Stage, Callable[[Desk, Job], Job]] = {
    "open": open_thread,
    "plan": plan,
    "execute": execute,
    "synthesize": synthesize,
    "deliver": deliver,
    "apologize": apologize,
}


# --- parts ----------------------------------------------------------------------------------------------------


def engine_of(desk: Desk, progress: Callable[[str, object], None] | None = None) -> Engine:
    """The engine, with someone who watches."""
    engine = desk.oracle.engine
    return replace(engine, progress=progress) if progress else engine


def checkpoint(desk: Desk, job: Job, stage: Stage, log: RequestLog) -> Job:
    """Keep what a stage found. It holds no secrets: what people wrote and what tools returned came without them."""
    spent = sum(ms for name, ms in log.timings_ms.items() if name in {"plan", "execute", "synthesize"})
    return desk.inbox.checkpoint(job, stage, timed(log, "total", spent))


def read_log(job: Job) -> RequestLog:
    """What the stages before found."""
    if job.log is None:
        raise ValueError(f"request {job.request_id} is at {job.stage} without a log")
    return job.log


def place_of(job: Job) -> Place:
    """The thread that is answered in."""
    question = job.question
    return Place(question.channel, question.thread_ts, question.team)


def complete(desk: Desk, job: Job) -> Question:
    """The question with its thread's earlier messages, the asker's zone, and what was said when it asked back."""
    settings = desk.oracle.settings.core
    zone = desk.chat.timezone(job.question.asker) or (settings.timezone if settings.timezone != "auto" else "UTC")
    question = job.question.model_copy(update={"timezone": zone})
    if job.reply is None or job.log is None:
        earlier = desk.inbox.earlier(question, settings.limits.context_messages)
        return question.model_copy(update={"context": earlier})
    choice = choose(job.log, job.reply.text) or job.reply.text
    show_choice(desk, job, choice)
    continued = continue_question(job.log, choice)
    return continued.model_copy(update={"timezone": zone, "received_at": job.reply.received_at})


def show_choice(desk: Desk, job: Job, choice: str) -> None:
    """The clarifying question loses its buttons; nothing depends on it."""
    part = f"{job.turn - 1}.0"
    try:
        ts = stands(desk, job, part, place_of(job))
        if not ts or job.log is None:
            return
        desk.chat.update(place_of(job), ts, render_chosen(job.log, choice), key=f"{job.request_id}:{part}")
    except ChatError as error:
        logger.warning("the choice of %s is not shown: %s", job.request_id, error)


def show_progress(desk: Desk, job: Job, log: RequestLog) -> None:
    """Show the plan, in the message of the worker before if there is one."""
    states = {call.step: (call.status, call.summary) for call in log.tool_calls}
    desk.board.plan(job.request_id, place_of(job), log.question.text, log.plan, ts=job.progress_ts, states=states)


def end_progress(desk: Desk, job: Job, log: RequestLog) -> None:
    """The answer comes: what a dead worker left as running ends too."""
    if job.progress_ts:
        show_progress(desk, job, log)
    desk.board.finish(job.request_id)


def add_picture(desk: Desk, job: Job, log: RequestLog) -> tuple[Job, str]:
    """Draw the chart and store it once.

    Returns: the job, with the file's id under `PICTURE` unless there is none to show, or Slack refuses it or has failed
        to take it several times; and the words that stand for it.
    """
    picture = draw_chart(log)
    if picture is None:
        return job, ""
    if job.sent.get(PICTURE):
        return job, picture.alt
    try:
        return desk.inbox.mark_sent(job, PICTURE, desk.chat.upload(picture)), picture.alt
    except (ChatRefused, ChatUnavailable) as error:
        if isinstance(error, ChatUnavailable) and job.delays < PICTURE_TRIES:
            raise
        logger.warning("the chart of %s cannot be stored: %s", log.request_id, error)
        return job, ""


def post_once(desk: Desk, job: Job, part: str, place: Place, post: Post) -> Job:
    """Post one part of a reply, unless it stands there already.

    That a post begins is written down first: whoever comes after a crash or an unclear answer looks before posting.
    """
    if job.sent.get(part):
        return job
    ts = stands(desk, job, part, place)
    if ts:
        desk.metrics.posted("found")
    else:
        ts = post_showable(desk, job, part, place, post)
        desk.metrics.posted("ok")
    return desk.inbox.mark_sent(job, part, ts)


def stands(desk: Desk, job: Job, part: str, place: Place) -> str | None:
    """The ts of a part of the reply when it is in the thread; looked for when a post was begun and not recorded."""
    known = job.sent.get(part)
    return desk.chat.find(place, f"{job.request_id}:{part}") if known == POSTING else known


def post_showable(desk: Desk, job: Job, part: str, place: Place, post: Post) -> str:
    """Post; where Slack would not show the blocks, without the picture, and then as text. Returns: its ts."""
    key = f"{job.request_id}:{part}"
    no_picture = tuple(b for b in post.blocks if b["type"] != "image")
    plain = Post(f"{post.text}\nAll of it: oracle show {job.request_id}")
    for candidate in (post, replace(post, blocks=no_picture)):
        wrong = check_post(candidate)
        if wrong:
            logger.error("%s breaks Slack's limits: %s", key, "; ".join(wrong))
            continue
        desk.inbox.mark_sent(job, part)
        try:
            return desk.chat.post(place, candidate, key)
        except ChatBusy:
            desk.inbox.mark_sent(job, part, None)  # it never left here: the next try need not look
            raise
        except ChatRefused as error:
            if error.code not in UNSHOWABLE:
                raise
            logger.warning("%s is not shown: %s", key, error)
    desk.inbox.mark_sent(job, part)
    return desk.chat.post(place, plain, key)
