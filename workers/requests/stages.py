"""One request, from its claim to its reply: each stage reads the job, does its work and checkpoints."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from workers.access.sources import sources_read
from workers.contracts import Answer, Claim, Plan, Question, RequestLog
from workers.delivery.answer_blocks import render_answer, render_apology, render_root, render_stopped
from workers.delivery.cited_evidence import pictured_again
from workers.delivery.clarify_blocks import render_chosen
from workers.delivery.proposal_blocks import render_proposals
from workers.delivery.slack_calls import TIMEOUT_S
from workers.engine.clarify import choose, continue_question
from workers.engine.confirmation import change_of, interrupted, is_change
from workers.engine.engine import Engine, Progress, no_progress
from workers.engine.execute_stage import execute_stage
from workers.engine.plan_stage import plan_stage
from workers.engine.stage_context import timed
from workers.engine.synthesize_stage import synthesize_stage
from workers.errors import ChatBusy, ChatError, RequestNotFound
from workers.ports import Place, Post, Recipient
from workers.requests.conversations import keep_conversation, with_conversation
from workers.requests.event_stream import is_streamed, tell, tell_answer, tell_plan, tell_progress
from workers.requests.lease_heartbeat import Lease, lease_heartbeat
from workers.requests.ledger import POSTING
from workers.requests.newsworthiness import found_something
from workers.requests.outbox import PICTURE, add_picture, post_once, stands
from workers.requests.thread_memory import keep_answer, keep_thread
from workers.requests.worker_context import WorkerContext, chat_of, doors_of, engine_for, place_of
from workers.store.channels import channel_settings
from workers.store.incidents import has_ended
from workers.store.memories import list_memories
from workers.store.request_jobs import REQUESTS, Job, Stage
from workers.store.unprompted_posts import give_back, take_turn

logger = logging.getLogger(__name__)
MOST_MEMORIES = 20
MORE_ALONE = (
    "This answer shows what everyone in this channel may see. You may see more: ask me the same in a direct message."
)
LONG_READING_S = 2.0
"""A question that is read for so long is shown to be read."""


def work(worker: WorkerContext, job: Job) -> None:
    """Run the stages of a claimed job until it is done or waits for someone.

    Raises:
        LeaseLost: another worker has it now.
        ChatError, StoreUnavailable: as far as the last checkpoint, it stands.
    """
    limits = worker.ledger.limits
    if job.failures >= limits.max_failures or job.lost_leases >= limits.max_lost_leases:
        if job.raw:  # what nobody could clean is not told
            job = worker.ledger.keep_clean(job, lambda _: "")
        job = give_up(worker, job)
    if job.raw:
        with lease_heartbeat(worker, REQUESTS, job):
            job = worker.ledger.keep_clean(job, worker.ledger.clean)
    while job.stage in STAGES:
        stage, began = job.stage, time.perf_counter()
        with lease_heartbeat(worker, REQUESTS, job) as lease:
            job = STAGES[stage](worker, job, lease)
        worker.metrics.stage_done(stage, time.perf_counter() - began)


def give_up(worker: WorkerContext, job: Job) -> Job:
    """It failed too often. Saying so failed as well: it ends without a word in the thread, but not in the log."""
    logger.error(
        "request %s gave up at %s: %s failures, %s leases lost",
        job.request_id,
        job.stage,
        job.failures,
        job.lost_leases,
    )
    if job.stage == "apologize":
        worker.metrics.finished("dead")
        return worker.ledger.finish(job, "dead", "neither the answer nor the apology could be posted")
    log = job.log or RequestLog(request_id=job.request_id, question=job.question)
    text = (
        f"I could not finish this: the stage “{job.stage}” failed {max(job.failures, job.lost_leases)} times. "
        f"The reason stands in the log under request {job.request_id}. Asking again starts anew."
    )
    answer = Answer(kind="refusal", headline=Claim(template=text, text=text))
    log = interrupted(log) if is_change(log) else log.model_copy(update={"answer": answer})
    return worker.ledger.give_up(job, log.model_copy(update={"grounded": False}))


# --- stages ---------------------------------------------------------------------------------------------------


def open_thread(worker: WorkerContext, job: Job, _: Lease) -> Job:
    """A command has no message of its own: post one, and answer in its thread."""
    job = post_once(worker, job, "root", Place(job.question.channel, team=job.question.team), render_root(job.question))
    return worker.ledger.open_thread(job, job.sent["root"])


def plan(worker: WorkerContext, job: Job, lease: Lease) -> Job:
    """Read the question in its thread, route, plan. The thread sees when that takes long, as it does with a model."""
    log = RequestLog(request_id=job.request_id, question=with_memories(worker, complete(worker, job)))
    asked = job.reply is None and not log.question.confirms
    engine = engine_of(worker, lease)
    seen = engine.view(engine, log.question)
    known = worker.answer_known(worker, log.question) if asked and seen.agents else None
    if known is not None:
        return checkpoint(worker, job, "deliver", seen.seen(known))
    if not log.question.unasked:
        show_progress(worker, job, log, after_s=0.0 if worker.oracle.settings.tree.models.thinks else LONG_READING_S)
    log = plan_stage(engine, log)
    return checkpoint(worker, job, "deliver" if log.answer else "execute", log)


def execute(worker: WorkerContext, job: Job, lease: Lease) -> Job:
    """Run the plan's steps; the thread sees each. None begins after the request was taken away."""
    log = read_log(job)
    if not log.question.unasked:
        show_progress(worker, job, log)
    if is_change(log) and not worker.ledger.begin_change(change_of(log), job.request_id):
        return checkpoint(worker, job, "deliver", interrupted(log))

    def progress(event: str, detail: object) -> None:
        lease.check()
        if is_streamed(job):
            tell_progress(worker, job, event, detail)
            return
        if event == "step" and isinstance(detail, tuple):
            step, status, summary, sources = detail
            worker.board.step(job.request_id, step.id, status, summary, sources)
        if event == "todo" and isinstance(detail, tuple):
            worker.board.todo(job.request_id, detail)
        if isinstance(detail, Plan) and not log.question.unasked:  # a loop's plan grows while it runs
            show_progress(worker, job, log.model_copy(update={"plan": detail}))

    return checkpoint(worker, job, "synthesize", execute_stage(engine_of(worker, lease, progress), log))


def synthesize(worker: WorkerContext, job: Job, lease: Lease) -> Job:
    """Write and ground."""
    log = synthesize_stage(engine_of(worker, lease), read_log(job))
    return checkpoint(worker, job, "deliver", log)


def deliver(worker: WorkerContext, job: Job, _: Lease) -> Job:
    """Render, look whether it stands there already, post, mark."""
    log, place = read_log(job), place_of(job)
    if is_streamed(job):
        return end_stream(worker, job, log)
    if log.question.unasked and (why := why_silent(worker, log)):
        return say_nothing(worker, job, why)
    before = answered_before(worker, job)
    here = channel_settings(worker.oracle.store.database, place.team, place.channel)
    again = here.verbosity == "short" and pictured_again(log, before)
    job, alt = (job, "") if again else add_picture(worker, job, log)
    posts = render_answer(
        log,
        job.sent.get(PICTURE, ""),
        alt,
        job.turn,
        verbosity=here.verbosity,
        earlier=earlier_run(worker, job),
        before=before,
        waits_for="" if worker.ledger.anyone else "the asker",
    )
    end_progress(worker, job, log)
    worker.oracle.store.save(log)  # whoever sees the answer may press its buttons
    for number, post in enumerate(posts):
        job = post_once(worker, job, f"{job.turn}.{number}", place, post)
    keep_answer(worker, log, job.sent[f"{job.turn}.0"])
    for number, post in enumerate(render_proposals(log)):
        job = post_once(worker, job, f"proposal.{number}", place, post)
    offer_more(worker, log, place)
    return finish(worker, job, "waiting" if log.asks_back else "done")


def offer_more(worker: WorkerContext, log: RequestLog, place: Place) -> None:
    """Tell who asked in a channel, alone, that they may see more than everyone there; nothing depends on it."""
    question, doors = log.question, doors_of(worker)
    if not doors.closed or question.unasked or question.source != "slack" or question.space == question.user:
        return
    try:
        alone = doors.allowed(question.team, question.asker)
        here = doors.allowed(question.team, question.asker, question.channel)
        if alone is None or here is None:
            return
        tools = log.route.tools_allowed if log.route and log.route.tools_allowed else tuple(alone.tools)
        if sources_read(worker.oracle.settings, tools, alone.sources - here.sources):
            worker.chats(question.team).whisper(place, question.asker, Post(MORE_ALONE))
    except ChatError as error:
        logger.info("nobody was told that there may be more on %s: %s", log.request_id, error)


def end_stream(worker: WorkerContext, job: Job, log: RequestLog) -> Job:
    """Tell the answer to whoever reads the stream."""
    worker.oracle.store.save(log)
    if not job.sent.get(f"{job.turn}.0"):
        tell_answer(worker, job, log)
        keep_conversation(worker.oracle, log)
        job = worker.ledger.mark_sent(job, f"{job.turn}.0", "told")
    return finish(worker, job, "waiting" if log.asks_back else "done")


def why_silent(worker: WorkerContext, log: RequestLog) -> str:
    """Why an answer that nobody asked for is not posted; empty when it is. People may have opted out since it began."""
    question, database = log.question, worker.ledger.database
    if not found_something(log):
        return "nothing was found"
    if channel_settings(database, question.team, question.channel).mode == "off":
        return "the app was turned off there"
    if question.source != "alert":
        return ""  # someone's question, though not put to the app
    if has_ended(database, question.team, question.channel, question.thread_ts):
        return "its incident is over"
    per_hour = worker.oracle.settings.core.incidents.unprompted_per_hour
    mine = take_turn(database, question.team, question.channel, per_hour, question.request_id)
    return "" if mine else "the channel is paused, or it is another's turn there"


def say_nothing(worker: WorkerContext, job: Job, why: str) -> Job:
    """End what nobody asked for without a word; its turn in the channel goes to others."""
    if job.question.source == "alert":
        give_back(worker.ledger.database, job.question.team, job.question.channel, job.request_id)
    return finish(worker, job, "done", f"unasked, and {why}")


def apologize(worker: WorkerContext, job: Job, _: Lease) -> Job:
    """Say that there will be no answer."""
    log, place = read_log(job), place_of(job)
    if log.question.unasked:
        return say_nothing(worker, job, "it failed")
    if is_streamed(job):
        tell(worker, job, ("error", {"message": log.answer.headline.text if log.answer else "it failed"}))
        return finish(worker, job, "done", "gave up")
    end_progress(worker, job, log)
    if stands(worker, job, f"{job.turn}.0", place):
        return finish(worker, job, "done")
    worker.oracle.store.save(log)
    for number, post in enumerate(render_apology(log)):
        job = post_once(worker, job, f"{job.turn}.failed.{number}", place, post)
    return finish(worker, job, "done", "gave up")


def stop(worker: WorkerContext, job: Job, _: Lease) -> Job:
    """Say that a person stopped it, unless the answer was there first.

    Raises:
        ChatBusy: the worker that lost it may have a post under way; look again when that can no longer arrive.
    """
    place, part = place_of(job), f"{job.turn}.0"
    if is_streamed(job):
        tell(worker, job, ("error", {"message": "it was stopped"}))
        return worker.ledger.finish(job, "stopped")
    asked_back = job.log is not None and job.log.asks_back
    answered = stands(worker, job, part, place)
    if job.sent.get(part) == POSTING and not answered and not job.delays:
        raise ChatBusy("a post may still be under way", TIMEOUT_S + 1)
    if job.log is not None:
        end_progress(worker, job, job.log)
    if answered and asked_back:
        show_choice(worker, job, "stopped", job.turn)
    if place.thread_ts and (asked_back or not answered):
        worker.oracle.store.save(job.log or RequestLog(request_id=job.request_id, question=job.question))
        job = post_once(worker, job, f"{job.turn}.stopped", place, render_stopped(job.stopped_by, job.request_id))
    try:
        chat_of(worker, job).set_session(place, "active")  # Slack shows its Stop button until it is told
    except ChatError as error:
        logger.debug("the session of %s is left as it is: %s", job.request_id, error)
    job = worker.ledger.finish(job, "stopped")
    worker.metrics.finished("stopped")
    return job


def finish(worker: WorkerContext, job: Job, stage: Stage, error: str = "") -> Job:
    """Write down that the reply stands, then count it."""
    job = worker.ledger.finish(job, stage, error)
    worker.metrics.finished(stage)
    worker.oracle.engine.on_done(read_log(job))
    return job


STAGES: Mapping[Stage, Callable[[WorkerContext, Job, Lease], Job]] = {
    "open": open_thread,
    "plan": plan,
    "execute": execute,
    "synthesize": synthesize,
    "deliver": deliver,
    "apologize": apologize,
    "stop": stop,
}


# --- parts ----------------------------------------------------------------------------------------------------


def engine_of(worker: WorkerContext, lease: Lease, progress: Progress = no_progress) -> Engine:
    """The engine, with someone who watches, and as long as the request is this worker's."""
    return replace(engine_for(worker), progress=progress, check=lease.check)


def checkpoint(worker: WorkerContext, job: Job, stage: Stage, log: RequestLog) -> Job:
    """Keep what a stage found. It holds no secrets: what people wrote and what tools returned came without them."""
    spent = sum(ms for name, ms in log.timings_ms.items() if name in {"plan", "execute", "synthesize"})
    return worker.ledger.checkpoint(job, stage, timed(log, "total", spent))


def read_log(job: Job) -> RequestLog:
    """What the stages before found."""
    if job.log is None:
        raise ValueError(f"request {job.request_id} is at {job.stage} without a log")
    return job.log


def earlier_run(worker: WorkerContext, job: Job) -> RequestLog | None:
    """The log of the request that this one runs again."""
    try:
        found = worker.oracle.store.load(job.question.again) if job.question.again else None
    except RequestNotFound:
        return None
    return found if found is not None and may_show(worker, job, found) else None


def answered_before(worker: WorkerContext, job: Job) -> RequestLog | None:
    """What a follow-up need not repeat: the last answer of its thread. One that is asked anew stands by itself."""
    question = job.question
    before = None if question.again or question.edits else worker.ledger.last_answer(question)
    return before if before is not None and may_show(worker, job, before) else None


def may_show(worker: WorkerContext, job: Job, log: RequestLog) -> bool:
    """Whether what another request found may be shown where this one is answered. Raises: ChatError."""
    engine = engine_for(worker)
    return engine.view(engine, job.question).visibility.shows(log)


def with_memories(worker: WorkerContext, question: Question) -> Question:
    """The question with what its asker wanted remembered, for the language model that reads it."""
    if not worker.oracle.settings.tree.models.thinks or question.space != question.user:
        return question  # in a channel others read the answer too
    found = list_memories(worker.ledger.database, question.user, MOST_MEMORIES)
    return question.model_copy(update={"remembered": tuple(one.text for one in found)})


def complete(worker: WorkerContext, job: Job) -> Question:
    """The question with its thread's earlier messages, the asker's zone, and what was said when it asked back."""
    settings = worker.oracle.settings.core
    if is_streamed(job):
        return continued_by(job) if job.reply and job.log else with_conversation(worker.oracle, job.question)
    zone = chat_of(worker, job).timezone(job.question.asker)
    zone = zone or (settings.timezone if settings.timezone != "auto" else "UTC")
    question = job.question.model_copy(update={"timezone": zone})
    if question.confirms:
        return question
    if job.reply is None or job.log is None:
        return worker.rephrase(worker, in_thread(worker, job, question))
    show_choice(worker, job, choose(job.log, job.reply.text) or job.reply.text, job.turn - 1)
    return continued_by(job).model_copy(update={"timezone": zone})


def continued_by(job: Job) -> Question:
    """The question that asked back, with what was said to it."""
    if job.reply is None or job.log is None:
        raise ValueError("nothing was asked back")
    continued = continue_question(job.log, choose(job.log, job.reply.text) or job.reply.text)
    return continued.model_copy(update={"received_at": job.reply.received_at})


def in_thread(worker: WorkerContext, job: Job, question: Question) -> Question:
    """The question with what was said before in its thread; where Slack does not tell, what was asked there before.

    What it quotes itself comes last: it is nearest to it.
    """
    most = worker.oracle.settings.core.limits.context_messages
    if question.source == "alert":
        return question  # what stands above is the app's own message
    before = earlier_run(worker, job)
    if before:
        return question.model_copy(update={"context": before.question.context, "unread": before.question.unread})
    ts = question.edits or question.ts or str(question.received_at.timestamp())
    if not most or ts == question.thread_ts or "root" in job.sent:
        keep_thread(worker, question, ())
        return question
    try:
        said = chat_of(worker, job).thread(place_of(job), ts, most)
    except ChatError as error:
        logger.warning("the thread of %s cannot be read: %s", job.request_id, error)
        said = ()
    else:
        keep_thread(worker, question, said)
    clean = worker.oracle.toolbox.redactor.talk
    texts = [clean(text) for message in said for text in (message.text, message.quoted) if text]
    context = tuple(dict.fromkeys((*(texts or worker.ledger.earlier(question, most)), *question.context)))[-most:]
    unread = dict.fromkeys((*question.unread, *(clean(name) for message in said for name in message.unread)))
    last = worker.ledger.last_answer(question) if question.thread_ts else None
    follows = last.request_id if last else ""
    return question.model_copy(update={"context": context, "unread": tuple(unread), "follows": follows})


def show_choice(worker: WorkerContext, job: Job, choice: str, turn: int) -> None:
    """A clarifying question loses its buttons; nothing depends on it."""
    part = f"{turn}.0"
    try:
        ts = stands(worker, job, part, place_of(job))
        if not ts or job.log is None:
            return
        chat_of(worker, job).update(place_of(job), ts, render_chosen(job.log, choice), key=f"{job.request_id}:{part}")
    except ChatError as error:
        logger.warning("the choice of %s is not shown: %s", job.request_id, error)


def show_progress(worker: WorkerContext, job: Job, log: RequestLog, after_s: float = 0.0) -> None:
    """Show the plan, in the message of the worker before if there is one; what stands nowhere yet after ``after_s``."""
    if is_streamed(job):
        tell_plan(worker, job, log.plan)
        return
    states = {call.step: (call.status, call.summary) for call in log.tool_calls}
    recipient = Recipient(job.question.asker, job.question.asker_team or job.question.team)
    worker.board.plan(
        job.request_id,
        place_of(job),
        log.question.text,
        log.plan,
        ts=job.progress_ts,
        states=states,
        recipient=recipient,
        after_s=after_s,
    )


def end_progress(worker: WorkerContext, job: Job, log: RequestLog) -> None:
    """The answer comes: what a dead worker left as running ends too."""
    if job.progress_ts:
        show_progress(worker, job, log)
    worker.board.finish(job.request_id)
