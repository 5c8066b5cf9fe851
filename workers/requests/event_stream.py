"""A request that was asked over HTTP is told as events: what is looked at, then the answer, claim by claim."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workers.contracts import SECTIONS, Answer, Evidence, Plan, RequestLog, name_proposal
from workers.requests.worker_context import WorkerContext
from workers.store.request_events import EventName, add_events
from workers.store.request_jobs import Job

Event = tuple[EventName, dict[str, Any]]
EXCERPT_CHARS = 2_000


def is_streamed(job: Job) -> bool:
    """Whether it was asked over HTTP: nobody in Slack sees anything of it."""
    return job.question.source == "http"


def tell(worker: WorkerContext, job: Job, *events: Event) -> None:
    """Write events for whoever reads the stream. Raises: StoreUnavailable."""
    add_events(worker.ledger.database, job.request_id, events)


def tell_plan(worker: WorkerContext, job: Job, plan: Plan | None) -> None:
    """What will be looked at."""
    steps = [{"tool": s.tool, "purpose": s.purpose} for s in plan.steps] if plan else []
    if steps:
        tell(worker, job, ("thinking", {"plan": steps}))


def tell_progress(worker: WorkerContext, job: Job, event: str, detail: object) -> None:
    """A step that began or ended, a to-do list, a plan."""
    if isinstance(detail, Plan):
        tell_plan(worker, job, detail)
    elif event == "step" and isinstance(detail, tuple):
        step, status, summary, sources = detail
        if status == "running":
            call = {"step": step.id, "tool": step.tool, "purpose": step.purpose}
            tell(worker, job, ("tool_call", call))
        else:
            found = [{"title": title, "url": url} for title, url in sources]
            result = {"step": step.id, "tool": step.tool, "status": status, "summary": summary, "sources": found}
            tell(worker, job, ("tool_result", result))
    elif event == "todo" and isinstance(detail, tuple):
        tell(worker, job, ("thinking", {"todo": [{"text": text, "state": state} for text, state in detail]}))


def tell_answer(worker: WorkerContext, job: Job, log: RequestLog) -> None:
    """The checked answer, claim by claim, then what it rests on, then the end."""
    tell(worker, job, *answer_events(log))


def answer_events(log: RequestLog) -> Iterator[Event]:
    """The events of an answer, in the order they are told."""
    answer = log.answer
    if answer is None:
        yield "error", {"message": "there is no answer"}
        return
    if answer.banner:
        yield "content", {"section": "banner", "text": answer.banner, "evidence": [], "status": "supported"}
    for section, claims in (("headline", (answer.headline,)), *((s, getattr(answer, s)) for s in SECTIONS)):
        for claim in claims:
            said = {"section": section, "text": claim.text, "evidence": list(claim.evidence), "status": claim.status}
            yield "content", said
    cited = {i for claim in answer.claims for i in claim.evidence}
    for item in log.evidence:
        if item.id in cited:
            yield "source", source_of(item)
    yield "done", end_of(log, answer)


def source_of(item: Evidence) -> dict[str, Any]:
    """A piece of evidence as a reader opens it."""
    shown = item.model_dump(mode="json", include={"id", "kind", "title", "locator", "url", "observed_at"})
    return {**shown, "excerpt": item.excerpt[:EXCERPT_CHARS]}


def end_of(log: RequestLog, answer: Answer) -> dict[str, Any]:
    """How it ended: what is missing, what may be chosen or confirmed next."""
    return {
        "request_id": log.request_id,
        "kind": answer.kind,
        "grounded": log.grounded,
        "confidence": answer.confidence,
        "missing": [gap.text for gap in answer.missing],
        "options": [option.model_dump() for option in answer.options],
        "proposals": [
            {"confirms": name_proposal(log.request_id, i), "title": p.title, "preview": p.preview}
            for i, p in enumerate(log.proposals)
        ],
        "tools_used": list(answer.tools_used),
        "reasoner": log.reasoner,
    }
