"""The second stage of a question: a model investigates, or the plan's steps are run."""

from __future__ import annotations

from functools import partial

from workers.contracts import Gap, Intent, Proposal, RequestLog, ToolCall
from workers.engine.anomaly import find_suspect
from workers.engine.clarify import ask_back, reject
from workers.engine.confirmation import carry_out, is_change
from workers.engine.engine import Engine
from workers.engine.execute import (
    Run,
    name_gaps,
    number_evidence,
    orders_left_out,
    proposals_of,
    run_plan,
    take_notes,
)
from workers.engine.investigation import LOOP, Bench
from workers.engine.plan_stage import ask_first
from workers.engine.replan import look_again
from workers.engine.stage_context import (
    as_seen,
    asked_of,
    intent_of,
    last_day,
    open_tools,
    thinking_of,
    thought,
    timed,
    tools_used,
)
from workers.engine.synthesize_stage import ground_draft
from workers.engine.validate import check_plan
from workers.errors import PlanRejected
from workers.ports import Brief, Reasoner, ReasoningContext


def execute_stage(engine: Engine, log: RequestLog) -> RequestLog:
    """Let a model investigate, or run the plan's steps through the wrapped tools; the plan too when the model fails."""
    return as_seen(engine, log, lambda seen, request: with_readers(seen, execute_request(seen, request)))


def with_readers(engine: Engine, log: RequestLog) -> RequestLog:
    """The request whose proposals say who will read what they write; one that would tell too much is a gap."""
    if is_change(log):
        return log
    log = engine.seen(log)
    kept, gaps = list[Proposal](), list(log.gaps)
    for proposal in log.proposals:
        why, readers = engine.visibility.check_readers(log, proposal)
        if why:
            gaps.append(Gap(text=f"Not proposed ({proposal.title}): {why}", tool=proposal.tool))
        else:
            said = "" if proposal.preview.startswith(readers) else readers
            preview = "\n\n".join(filter(None, (said, proposal.preview)))
            kept.append(proposal.model_copy(update={"preview": preview}))
    return log.model_copy(update={"proposals": tuple(kept), "gaps": tuple(gaps)})


def execute_request(engine: Engine, log: RequestLog) -> RequestLog:
    """The request with what was found."""
    began = engine.clock.monotonic_ms()
    if log.plan is None or log.intent is None:
        raise ValueError("a plan comes before its execution")
    if is_change(log):
        engine.check()
        return timed(carry_out(engine, log), "execute", engine.clock.monotonic_ms() - began)
    thinking = thinking_of(engine, log)
    reasoner = engine.reasoners(thinking)
    if log.plan.pattern == LOOP:
        log = investigate(engine, log, thinking, reasoner)
    if log.draft is None and log.answer is None:
        log = execute_plan(engine, log, thinking, reasoner)
    return timed(thought(log, reasoner), "execute", engine.clock.monotonic_ms() - began)


def open_run(engine: Engine, log: RequestLog, intent: Intent, thinking: ReasoningContext, reasoner: Reasoner) -> Run:
    """What tool calls need."""
    return Run(
        session=open_tools(engine, thinking),
        reasoner=reasoner,
        asked=asked_of(log, intent, thinking),
        window=intent.window or last_day(engine),
        report=lambda *detail: engine.progress("step", detail),
    )


def investigate(engine: Engine, log: RequestLog, thinking: ReasoningContext, reasoner: Reasoner) -> RequestLog:
    """With what a model found and wrote; without a draft, and with the rules' plan, when none could.

    The rules ask back first when a question has two meanings for them.
    """
    intent = intent_of(log)
    advice = reasoner.make_plan(log.question, intent, thinking.landscape)
    brief = Brief(log.question, intent, advice, thinking.landscape, (), ())
    run = open_run(engine, log, intent, thinking, reasoner)
    bench = Bench(run, partial(ground_draft, engine, log, thinking), lambda todo: engine.progress("todo", tuple(todo)))
    finding = reasoner.investigate(brief, bench)
    if finding is None:
        log = log.model_copy(update={"plan": advice})
        if intent.ambiguity:
            return ask_first(engine, log, intent, intent.ambiguity, thinking)
        engine.progress("plan", advice)
        return log
    calls = tuple(c for r in bench.results() for c in r.calls)
    told = {"question_type": finding.question_type or intent.question_type, "ambiguity": finding.ambiguity}
    log = log.model_copy(
        update={
            "intent": intent.model_copy(update=told),
            "plan": bench.plan(advice),
            "proposals": proposals_of(bench.results()),
            "tool_calls": calls,
            "gaps": bench.gaps(),
            "left_out": orders_left_out(bench.results()),
            "notes": take_notes(bench.results()),
            "reasoner": reasoner.name,
        }
    )
    if finding.ambiguity:
        answer = ask_back(finding.ambiguity).model_copy(update={"tools_used": tools_used(log)})
        return log.model_copy(update={"answer": answer})
    if finding.draft is None:
        raise ValueError("an investigation comes to a draft or a question")
    evidence = bench.kept(finding.draft)
    suspect = find_suspect(evidence, thinking.landscape, run.window)
    return log.model_copy(
        update={"draft": finding.draft, "refuted": finding.refuted, "evidence": evidence, "suspect": suspect}
    )


def execute_plan(engine: Engine, log: RequestLog, thinking: ReasoningContext, reasoner: Reasoner) -> RequestLog:
    """With what the plan's steps found; with a refusal when the agent's rules do not allow it."""
    intent, plan = intent_of(log), log.plan
    if plan is None:
        raise ValueError("a plan comes before its execution")
    run = open_run(engine, log, intent, thinking, reasoner)
    brief = Brief(log.question, intent, plan, thinking.landscape, (), ())
    try:
        valid = check_plan(plan, run.asked)
    except PlanRejected as error:
        return log.model_copy(update={"answer": reject(error)})
    plan, results = look_again(brief, run_plan(valid, run), run, partial(engine.progress, "plan"))
    return log.model_copy(
        update={
            "plan": plan,
            "proposals": proposals_of(results),
            "tool_calls": (*late_names(thinking), *(c for r in results for c in r.calls)),
            "evidence": number_evidence(results),
            "gaps": name_gaps(results),
            "left_out": orders_left_out(results),
            "suspect": find_suspect(run.evidence(), thinking.landscape, run.window),
            "notes": take_notes(results),
        }
    )


def late_names(thinking: ReasoningContext) -> tuple[ToolCall, ...]:
    """The reading of names that did not end in time, as calls: what they would have bound is not known."""
    return tuple(
        ToolCall(
            name=tool,
            args={},
            start_ms=0,
            end_ms=0,
            status="timeout",
            summary="its names did not come in time",
            step="names",
        )
        for tool in thinking.landscape.late
    )
