"""One request, from its claim to its reply: each stage reads the job, does its work and checkpoints."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from workers.contracts import Answer, Claim, Plan, Question, RequestLog
from workers.delivery.answer_blocks import render_answer, render_apology, render_chosen, render_root, render_stopped
from workers.delivery.slack_calls import TIMEOUT_S
from workers.engine.clarify import choose, continue_question
from workers.engine.run import Engine, Progress, execute_stage, plan_stage, silent, synthesize_stage, timed
from workers.errors import ChatBusy, ChatError, RequestNotFound
from workers.ports import Place, Recipient
from workers.requests.ledger import POSTING
from workers.requests.newsworthiness import found_something
from workers.requests.outbox import PICTURE, add_picture, post_once, stands
from workers.requests.worker_context import Desk, Lease, beating, chat_of, place_of
from workers.store.channels import channel_settings
from workers.store.incidents import has_ended
from workers.store.request_jobs import REQUESTS, Job, Stage
from workers.store.unprompted_posts import give_back, take_turn

logger = logging.getLogger(__name__)
LONG_READING_S = 2.0
"""A question that is read for so long is shown to be read."""


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
        with beating(desk, REQUESTS, job) as lease:
            job = STAGES[stage](desk, job, lease)
        desk.metrics.stage_done(stage, time.perf_counter() - began)


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


def open_thread(desk: Desk, job: Job, _: Lease) -> Job:
    """A command has no message of its own: post one, and answer in its thread."""
    job = post_once(desk, job, "root", Place(job.question.channel, team=job.question.team), render_root(job.question))
    return desk.inbox.open_thread(job, job.sent["root"])


def plan(desk: Desk, job: Job, lease: Lease) -> Job:
    """Read the question in its thread, route, plan. The thread sees when that takes long, as it does with a model."""
    log = RequestLog(request_id=job.request_id, question=complete(desk, job))
    if not log.question.unasked:
        show_progress(desk, job, log, after_s=0.0 if desk.oracle.settings.tree.models.thinks else LONG_READING_S)
    log = plan_stage(engine_of(desk, lease), log)
    return checkpoint(desk, job, "deliver" if log.answer else "execute", log)


def execute(desk: Desk, job: Job, lease: Lease) -> Job:
    """Run the plan's steps; the thread sees each. None begins after the request was taken away."""
    log = read_log(job)
    if not log.question.unasked:
        show_progress(desk, job, log)

    def progress(event: str, detail: object) -> None:
        lease.check()
        if event == "step" and isinstance(detail, tuple):
            step, status, summary, sources = detail
            desk.board.step(job.request_id, step.id, status, summary, sources)
        if isinstance(detail, Plan) and not log.question.unasked:  # a loop's plan grows while it runs
            show_progress(desk, job, log.model_copy(update={"plan": detail}))

    return checkpoint(desk, job, "synthesize", execute_stage(engine_of(desk, lease, progress), log))


def synthesize(desk: Desk, job: Job, lease: Lease) -> Job:
    """Write and ground."""
    log = synthesize_stage(engine_of(desk, lease), read_log(job))
    return checkpoint(desk, job, "deliver", log)


def deliver(desk: Desk, job: Job, _: Lease) -> Job:
    """Render, look whether it stands there already, post, mark."""
    log, place = read_log(job), place_of(job)
    if log.question.unasked and (why := why_silent(desk, log)):
        return say_nothing(desk, job, why)
    job, alt = add_picture(desk, job, log)
    here = channel_settings(desk.oracle.store.database, place.team, place.channel)
    picture, before = job.sent.get(PICTURE, ""), earlier_run(desk, job)
    waits_for = "" if desk.inbox.anyone else "the asker"
    posts = render_answer(log, picture, alt, job.turn, verbosity=here.verbosity, earlier=before, waits_for=waits_for)
    end_progress(desk, job, log)
    desk.oracle.store.save(log)  # whoever sees the answer may press its buttons
    for number, post in enumerate(posts):
        job = post_once(desk, job, f"{job.turn}.{number}", place, post)
    return finish(desk, job, "waiting" if log.asks_back else "done")


def why_silent(desk: Desk, log: RequestLog) -> str:
    """Why an answer that nobody asked for is not posted; empty when it is. People may have opted out since it began."""
    question, database = log.question, desk.inbox.database
    if not found_something(log):
        return "nothing was found"
    if channel_settings(database, question.team, question.channel).mode == "off":
        return "the app was turned off there"
    if question.source != "alert":
        return ""  # someone's question, though not put to the app
    if has_ended(database, question.team, question.channel, question.thread_ts):
        return "its incident is over"
    per_hour = desk.oracle.settings.core.incidents.unprompted_per_hour
    mine = take_turn(database, question.team, question.channel, per_hour, question.request_id)
    return "" if mine else "the channel is paused, or it is another's turn there"


def say_nothing(desk: Desk, job: Job, why: str) -> Job:
    """End what nobody asked for without a word; its turn in the channel goes to others."""
    if job.question.source == "alert":
        give_back(desk.inbox.database, job.question.team, job.question.channel, job.request_id)
    return finish(desk, job, "done", f"unasked, and {why}")


def apologize(desk: Desk, job: Job, _: Lease) -> Job:
    """Say that there will be no answer."""
    log, place = read_log(job), place_of(job)
    if log.question.unasked:
        return say_nothing(desk, job, "it failed")
    end_progress(desk, job, log)
    if stands(desk, job, f"{job.turn}.0", place):
        return finish(desk, job, "done")
    desk.oracle.store.save(log)
    for number, post in enumerate(render_apology(log)):
        job = post_once(desk, job, f"{job.turn}.failed.{number}", place, post)
    return finish(desk, job, "done", "gave up")


def stop(desk: Desk, job: Job, _: Lease) -> Job:
    """Say that a person stopped it, unless the answer was there first.

    Raises:
        ChatBusy: the worker that lost it may have a post under way; look again when that can no longer arrive.
    """
    place, part = place_of(job), f"{job.turn}.0"
    asked_back = job.log is not None and job.log.asks_back
    answered = stands(desk, job, part, place)
    if job.sent.get(part) == POSTING and not answered and not job.delays:
        raise ChatBusy("a post may still be under way", TIMEOUT_S + 1)
    if job.log is not None:
        end_progress(desk, job, job.log)
    if answered and asked_back:
        show_choice(desk, job, "stopped", job.turn)
    if place.thread_ts and (asked_back or not answered):
        desk.oracle.store.save(job.log or RequestLog(request_id=job.request_id, question=job.question))
        job = post_once(desk, job, f"{job.turn}.stopped", place, render_stopped(job.stopped_by, job.request_id))
    try:
        chat_of(desk, job).set_session(place, "active")  # Slack shows its Stop button until it is told
    except ChatError as error:
        logger.debug("the session of %s is left as it is: %s", job.request_id, error)
    job = desk.inbox.finish(job, "stopped")
    desk.metrics.finished("stopped")
    return job


def finish(desk: Desk, job: Job, stage: Stage, error: str = "") -> Job:
    """Write down that the reply stands, then count it."""
    job = desk.inbox.finish(job, stage, error)
    desk.metrics.finished(stage)
    desk.oracle.engine.on_done(read_log(job))
    return job


STAGES: Mapping[Stage, Callable[[Desk, Job, Lease], Job]] = {
    "open": open_thread,
    "plan": plan,
    "execute": execute,
    "synthesize": synthesize,
    "deliver": deliver,
    "apologize": apologize,
    "stop": stop,
}


# --- parts ----------------------------------------------------------------------------------------------------


def engine_of(desk: Desk, lease: Lease, progress: Progress = silent) -> Engine:
    """The engine, with someone who watches, and as long as the request is this worker's."""
    return replace(desk.oracle.engine, progress=progress, check=lease.check)


def checkpoint(desk: Desk, job: Job, stage: Stage, log: RequestLog) -> Job:
    """Keep what a stage found. It holds no secrets: what people wrote and what tools returned came without them."""
    spent = sum(ms for name, ms in log.timings_ms.items() if name in {"plan", "execute", "synthesize"})
    return desk.inbox.checkpoint(job, stage, timed(log, "total", spent))


def read_log(job: Job) -> RequestLog:
    """What the stages before found."""
    if job.log is None:
        raise ValueError(f"request {job.request_id} is at {job.stage} without a log")
    return job.log


def earlier_run(desk: Desk, job: Job) -> RequestLog | None:
    """The log of the request that this one runs again."""
    try:
        return desk.oracle.store.load(job.question.again) if job.question.again else None
    except RequestNotFound:
        return None


def complete(desk: Desk, job: Job) -> Question:
    """The question with its thread's earlier messages, the asker's zone, and what was said when it asked back."""
    settings = desk.oracle.settings.core
    zone = chat_of(desk, job).timezone(job.question.asker)
    zone = zone or (settings.timezone if settings.timezone != "auto" else "UTC")
    question = job.question.model_copy(update={"timezone": zone})
    if job.reply is None or job.log is None:
        return desk.rephrase(desk, question.model_copy(update={"context": read_context(desk, job)}))
    choice = choose(job.log, job.reply.text) or job.reply.text
    show_choice(desk, job, choice, job.turn - 1)
    continued = continue_question(job.log, choice)
    return continued.model_copy(update={"timezone": zone, "received_at": job.reply.received_at})


def read_context(desk: Desk, job: Job) -> tuple[str, ...]:
    """What was said before in the thread; where Slack does not tell, what was asked and answered there."""
    question, most = job.question, desk.oracle.settings.core.limits.context_messages
    if question.source == "alert":
        return question.context  # what stands above is the app's own message
    before = earlier_run(desk, job)
    if before:
        return before.question.context
    ts = question.edits or question.ts or str(question.received_at.timestamp())
    if not most or ts == question.thread_ts or "root" in job.sent:
        return question.context
    try:
        said = chat_of(desk, job).thread(place_of(job), ts, most)
    except ChatError as error:
        logger.warning("the thread of %s cannot be read: %s", job.request_id, error)
        return (*question.context, *desk.inbox.earlier(question, most))[-most:]
    clean = desk.oracle.rack.redactor.text
    texts = tuple(clean(message.text) for message in said if message.text)
    return (*question.context, *(texts or desk.inbox.earlier(question, most)))[-most:]


def show_choice(desk: Desk, job: Job, choice: str, turn: int) -> None:
    """A clarifying question loses its buttons; nothing depends on it."""
    part = f"{turn}.0"
    try:
        ts = stands(desk, job, part, place_of(job))
        if not ts or job.log is None:
            return
        chat_of(desk, job).update(place_of(job), ts, render_chosen(job.log, choice), key=f"{job.request_id}:{part}")
    except ChatError as error:
        logger.warning("the choice of %s is not shown: %s", job.request_id, error)


def show_progress(desk: Desk, job: Job, log: RequestLog, after_s: float = 0.0) -> None:
    """Show the plan, in the message of the worker before if there is one; what stands nowhere yet after ``after_s``."""
    states = {call.step: (call.status, call.summary) for call in log.tool_calls}
    recipient = Recipient(job.question.asker, job.question.asker_team or job.question.team)
    desk.board.plan(
        job.request_id,
        place_of(job),
        log.question.text,
        log.plan,
        ts=job.progress_ts,
        states=states,
        recipient=recipient,
        after_s=after_s,
    )


def end_progress(desk: Desk, job: Job, log: RequestLog) -> None:
    """The answer comes: what a dead worker left as running ends too."""
    if job.progress_ts:
        show_progress(desk, job, log)
    desk.board.finish(job.request_id)
