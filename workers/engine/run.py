"""The way of one question: plan -> execute -> synthesize. Each stage takes and returns a `RequestLog`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta

from workers.contracts import (
    Ambiguity,
    Answer,
    Question,
    RequestLog,
    ToolCall,
    Verdict,
    Window,
)
from workers.engine.anomaly import find_suspect
from workers.engine.assemble import assemble
from workers.engine.clarify import ask_back, refuse, reject, weigh_options
from workers.engine.execute import Run, name_gaps, number_evidence, run_plan, take_notes
from workers.engine.ground import check_grounding
from workers.engine.route import Agent, choose_route
from workers.engine.style import Voice
from workers.engine.validate import check_plan
from workers.errors import PlanRejected, StoreUnavailable
from workers.ports import Brief, Clock, Reasoner, Store, Toolbox, ToolContext

EVIDENCE_TOKENS = 6_000
Progress = Callable[[str, object], None]


def silent(event: str, detail: object) -> None:
    """Progress that nobody watches."""
    del event, detail


def unheard(log: RequestLog) -> None:
    """A finished request that nobody counts."""
    del log


@dataclass(frozen=True)
class Engine:
    """Everything a question passes through. Built by `workers.bootstrap.build_engine` alone."""

    agents: Mapping[str, Agent]
    default_agent: str
    toolbox: Toolbox
    reasoner: Reasoner
    store: Store
    clock: Clock
    on_done: Callable[[RequestLog], None] = unheard
    progress: Progress = silent

    def ask(self, question: Question) -> RequestLog:
        """Answer one question and store its log; an answer that cannot be stored is still given, and says so."""
        started = self.clock.monotonic_ms()
        log = plan_stage(self, RequestLog(request_id=question.request_id, question=question))
        if log.answer is None:
            log = execute_stage(self, log)
            log = synthesize_stage(self, log)
        log = timed(log, "total", self.clock.monotonic_ms() - started)
        try:
            self.store.save(log)
        except StoreUnavailable as error:
            log = unstored(log, error)
        self.on_done(log)
        return log

    def plan_only(self, question: Question) -> RequestLog:
        """Route, intent and plan; nothing is executed."""
        return plan_stage(self, RequestLog(request_id=question.request_id, question=question))


def unstored(log: RequestLog, error: StoreUnavailable) -> RequestLog:
    """The answer with a line above it: it cannot be shown again."""
    if log.answer is None:
        return log
    banner = f"This answer could not be stored ({error}); it cannot be shown again or continued."
    return log.model_copy(update={"answer": log.answer.model_copy(update={"banner": banner})})


def timed(log: RequestLog, stage: str, spent_ms: float) -> RequestLog:
    """Note how long a stage took."""
    return log.model_copy(update={"timings_ms": {**log.timings_ms, stage: round(spent_ms, 2)}})


def context_of(engine: Engine, question: Question) -> ToolContext:
    """For whom the tools run."""
    name = question.agent or engine.default_agent
    return ToolContext(question.request_id, name, engine.clock.now(), question.timezone)


# --- plan -----------------------------------------------------------------------------------------------------


def plan_stage(engine: Engine, log: RequestLog) -> RequestLog:
    """Route, read the intent, ask back when it has two meanings, plan, validate."""
    question, began = log.question, engine.clock.monotonic_ms()
    route = choose_route(question, engine.agents, engine.default_agent)
    log = log.model_copy(update={"route": route, "reasoner": engine.reasoner.name})
    if route.task == "none":
        return log.model_copy(update={"answer": refuse(route)})
    agent = engine.agents[question.agent or engine.default_agent]
    landscape = engine.toolbox.landscape(context_of(engine, question))
    read_at = engine.clock.monotonic_ms()
    intent = engine.reasoner.read_intent(question, landscape, engine.clock.now())
    log = timed(log, "intent", engine.clock.monotonic_ms() - read_at)
    intent = intent if intent.window else intent.model_copy(update={"window": last_day(engine)})
    log = log.model_copy(update={"intent": intent})
    if intent.ambiguity and intent.ambiguity.options:
        ambiguity, calls = weigh(engine, agent, question, intent.ambiguity)
        clear = intent.model_copy(update={"ambiguity": ambiguity})
        log = log.model_copy(update={"intent": clear, "tool_calls": calls})
        asked = ask_back(ambiguity).model_copy(update={"tools_used": tools_used(log)})
        log = log.model_copy(update={"answer": asked})
        return timed(log, "plan", engine.clock.monotonic_ms() - began)
    plan = engine.reasoner.make_plan(question, intent, landscape)
    try:
        check_plan(plan, intent, landscape, agent.limits)
    except PlanRejected as error:
        log = log.model_copy(update={"answer": reject(error)})
    else:
        engine.progress("plan", plan)
        log = log.model_copy(update={"plan": plan})
    return timed(log, "plan", engine.clock.monotonic_ms() - began)


def weigh(
    engine: Engine, agent: Agent, question: Question, ambiguity: Ambiguity
) -> tuple[Ambiguity, tuple[ToolCall, ...]]:
    """Order the candidates by what they did in the last day; with the call that told."""
    if "metrics_query" not in agent.limits.tools:
        return ambiguity, ()
    session = engine.toolbox.open(context_of(engine, question), agent.limits)
    call, output = session.call("options", "metrics_query", {"query": "metric=latency_p95 window=24h"})
    return weigh_options(ambiguity, output, Voice(engine.clock.now(), question.timezone)), (call,)


# --- execute --------------------------------------------------------------------------------------------------


def execute_stage(engine: Engine, log: RequestLog) -> RequestLog:
    """Run the plan's steps through the wrapped tools."""
    began = engine.clock.monotonic_ms()
    question, plan, intent = log.question, log.plan, log.intent
    if plan is None or intent is None:
        raise ValueError("a plan comes before its execution")
    agent = engine.agents[question.agent or engine.default_agent]
    context = context_of(engine, question)
    landscape = engine.toolbox.landscape(context)
    run = Run(
        session=engine.toolbox.open(context, agent.limits),
        reasoner=engine.reasoner,
        intent=intent,
        landscape=landscape,
        limits=agent.limits,
        window=intent.window or last_day(engine),
        question=question.text,
        report=lambda *detail: engine.progress("step", detail),
    )
    results = run_plan(check_plan(plan, intent, landscape, agent.limits), run)
    log = log.model_copy(
        update={
            "tool_calls": tuple(c for r in results for c in r.calls),
            "evidence": number_evidence(results),
            "gaps": name_gaps(results),
            "suspect": find_suspect(run.evidence(), landscape, run.window),
            "notes": take_notes(results),
        }
    )
    return timed(log, "execute", engine.clock.monotonic_ms() - began)


def last_day(engine: Engine) -> Window:
    """No time was named."""
    now = engine.clock.now()
    return Window(start=now - timedelta(hours=24), end=now, why="no time was named; last 24 h")


# --- synthesize -----------------------------------------------------------------------------------------------


def synthesize_stage(engine: Engine, log: RequestLog) -> RequestLog:
    """Assemble, write, ground; what is struck is written once more, then listed."""
    began = engine.clock.monotonic_ms()
    if log.plan is None or log.intent is None:
        raise ValueError("a plan comes before its answer")
    voice = Voice(engine.clock.now(), log.question.timezone)
    evidence = assemble(log.evidence, log.question, log.intent, EVIDENCE_TOKENS)
    brief = Brief(
        question=log.question,
        intent=log.intent,
        plan=log.plan,
        evidence=tuple(evidence),
        calls=log.tool_calls,
        gaps=log.gaps,
        suspect=log.suspect,
        notes=log.notes,
    )
    tools = tools_used(log)
    answer, struck = check_grounding(engine.reasoner.write_answer(brief), evidence, voice, tools)
    if struck:
        again = engine.reasoner.write_answer(replace(brief, struck=struck))
        answer, struck = check_grounding(again, evidence, voice, tools)
    log = log.model_copy(
        update={
            "evidence": tuple(evidence),
            "answer": answer,
            "struck": struck,
            "grounded": is_grounded(answer, struck),
        }
    )
    return timed(log, "synthesize", engine.clock.monotonic_ms() - began)


def tools_used(log: RequestLog) -> tuple[str, ...]:
    """``metrics_query ×2``."""
    counts: dict[str, int] = {}
    for call in log.tool_calls:
        counts[call.name] = counts.get(call.name, 0) + 1
    return tuple(f"{name} ×{n}" for name, n in counts.items())


def is_grounded(answer: Answer, struck: tuple[Verdict, ...]) -> bool:
    """Every statement of the answer passed: it rests on evidence, or says what is missing."""
    return not struck and bool(answer.headline.evidence or answer.missing)
