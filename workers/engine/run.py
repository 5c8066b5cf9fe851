"""The way of one question: plan -> execute -> synthesize. Each stage takes and returns a `RequestLog`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial

from workers.contracts import (
    Ambiguity,
    Answer,
    Draft,
    Gap,
    Intent,
    Landscape,
    Plan,
    Question,
    RequestLog,
    ToolCall,
    Usage,
    Verdict,
    Window,
)
from workers.engine.anomaly import find_suspect
from workers.engine.assemble import assemble
from workers.engine.clarify import ask_back, refuse, reject, weigh_options
from workers.engine.execute import Run, name_gaps, number_evidence, run_plan, take_notes
from workers.engine.ground import check_grounding
from workers.engine.known import unknown_specifics
from workers.engine.loop import LOOP, run_loop
from workers.engine.polish import polish
from workers.engine.route import Agent, agent_of, choose_route
from workers.engine.style import Voice
from workers.engine.validate import check_plan
from workers.errors import PlanRejected, StoreUnavailable
from workers.ports import (
    Brief,
    Clock,
    Reasoner,
    Reasoners,
    Store,
    Thinking,
    Toolbox,
    ToolContext,
    undisturbed,
)

CONTEXT_TOKENS, CHARS_PER_TOKEN = 2_000, 4
MOST_CLARIFIED = 2
"""After so many questions back, one is answered as it is understood."""
Progress = Callable[[str, object], None]
Ground = Callable[[Draft], tuple[Answer, tuple[Verdict, ...]]]


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
    reasoners: Reasoners
    store: Store
    clock: Clock
    on_done: Callable[[RequestLog], None] = unheard
    progress: Progress = silent
    check: Callable[[], None] = undisturbed

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


def agent_for(engine: Engine, log: RequestLog) -> Agent:
    """Which agent answers."""
    return agent_of(log.question, log.route, engine.agents, engine.default_agent)


def context_of(engine: Engine, log: RequestLog) -> ToolContext:
    """For whom the tools run."""
    question = log.question
    return ToolContext(question.request_id, agent_for(engine, log).name, engine.clock.now(), question.timezone)


def think(engine: Engine, log: RequestLog) -> Reasoner:
    """Who thinks about this request, with what its earlier stages used."""
    agent, landscape = agent_for(engine, log), engine.toolbox.landscape(context_of(engine, log))
    return engine.reasoners(
        Thinking(
            question=log.question,
            agent=agent.name,
            limits=agent.limits,
            toolbox=engine.toolbox,
            landscape=landscape,
            calls=log.model_calls,
            check=engine.check,
        )
    )


def thought(log: RequestLog, reasoner: Reasoner) -> RequestLog:
    """With what a stage asked of a language model."""
    usage = sum((c.usage for c in reasoner.calls), Usage())
    return log.model_copy(update={"model_calls": reasoner.calls, "usage": usage})


# --- plan -----------------------------------------------------------------------------------------------------


def plan_stage(engine: Engine, log: RequestLog) -> RequestLog:
    """Route, read the intent, ask back when it has two meanings, plan, validate."""
    began = engine.clock.monotonic_ms()
    engine.check()
    router = think(engine, log)
    route = choose_route(log.question, engine.agents, engine.default_agent, router.choose_agent)
    log = thought(log.model_copy(update={"route": route, "reasoner": router.name}), router)
    if route.task == "none":
        return log.model_copy(update={"answer": refuse(route)})
    reasoner = think(engine, log)
    log = log.model_copy(update={"question": shortened(log.question, reasoner)})
    log = read_stage(engine, log, reasoner)
    intent = log.intent
    if intent and not intent.ambiguity:
        log = make_plan(engine, log, intent, reasoner)
    return timed(thought(log, reasoner), "plan", engine.clock.monotonic_ms() - began)


def read_stage(engine: Engine, log: RequestLog, reasoner: Reasoner) -> RequestLog:
    """The intent; with a clarifying question as the answer when there are two."""
    began = engine.clock.monotonic_ms()
    question = log.question
    intent = reasoner.read_intent(question, engine.toolbox.landscape(context_of(engine, log)), engine.clock.now())
    log = timed(log, "intent", engine.clock.monotonic_ms() - began)
    intent = intent if intent.window else intent.model_copy(update={"window": last_day(engine)})
    asks = intent.ambiguity and intent.ambiguity.options and question.clarified < MOST_CLARIFIED
    ambiguity = intent.ambiguity if asks else None
    log = log.model_copy(update={"intent": intent.model_copy(update={"ambiguity": ambiguity})})
    if ambiguity is None:
        return log
    ambiguity, calls = weigh(engine, log, ambiguity)
    clear = intent.model_copy(update={"ambiguity": ambiguity})
    log = log.model_copy(update={"intent": clear, "tool_calls": calls})
    return log.model_copy(update={"answer": ask_back(ambiguity).model_copy(update={"tools_used": tools_used(log)})})


def shortened(question: Question, reasoner: Reasoner) -> Question:
    """A long thread in fewer words."""
    if sum(map(len, question.context)) <= CONTEXT_TOKENS * CHARS_PER_TOKEN:
        return question
    return question.model_copy(update={"context": reasoner.compress(question.context, CONTEXT_TOKENS)})


def make_plan(engine: Engine, log: RequestLog, intent: Intent, reasoner: Reasoner) -> RequestLog:
    """The plan, or a refusal when the agent's rules allow none; a loop makes its plan while it runs."""
    limits, landscape = agent_for(engine, log).limits, engine.toolbox.landscape(context_of(engine, log))
    if limits.work == "loop":
        return log.model_copy(
            update={"plan": Plan(pattern=LOOP, query_intent="look until it can be answered", steps=())}
        )
    plan = reasoner.make_plan(log.question, intent, landscape)
    try:
        check_plan(plan, intent, landscape, limits)
    except PlanRejected as error:
        return log.model_copy(update={"answer": reject(error)})
    engine.progress("plan", plan)
    return log.model_copy(update={"plan": plan})


def weigh(engine: Engine, log: RequestLog, ambiguity: Ambiguity) -> tuple[Ambiguity, tuple[ToolCall, ...]]:
    """Order the candidates by what they did in the last day; with the call that told."""
    limits = agent_for(engine, log).limits
    if "metrics_query" not in limits.tools:
        return ambiguity, ()
    session = engine.toolbox.open(context_of(engine, log), limits)
    call, output = session.call("options", "metrics_query", {"query": "metric=latency_p95 window=24h"})
    return weigh_options(ambiguity, output, Voice(engine.clock.now(), log.question.timezone)), (call,)


# --- execute --------------------------------------------------------------------------------------------------


def execute_stage(engine: Engine, log: RequestLog) -> RequestLog:
    """Run the plan's steps through the wrapped tools, or let the reasoner choose them turn by turn."""
    began = engine.clock.monotonic_ms()
    plan, intent = log.plan, log.intent
    if plan is None or intent is None:
        raise ValueError("a plan comes before its execution")
    context, limits, reasoner = context_of(engine, log), agent_for(engine, log).limits, think(engine, log)
    landscape = engine.toolbox.landscape(context)
    run = Run(
        session=engine.toolbox.open(context, limits),
        reasoner=reasoner,
        intent=intent,
        landscape=landscape,
        limits=limits,
        window=intent.window or last_day(engine),
        question=log.question.text,
        report=lambda *detail: engine.progress("step", detail),
    )
    if plan.pattern == LOOP:
        brief = Brief(log.question, intent, plan, landscape, (), ())
        plan, results, missed = run_loop(brief, run, lambda grown: engine.progress("plan", grown))
    else:
        results, missed = run_plan(check_plan(plan, intent, landscape, limits), run), ""
    gaps = (Gap(text=f"Not everything was looked at: {missed}."),) if missed else ()
    log = log.model_copy(
        update={
            "plan": plan,
            "tool_calls": tuple(c for r in results for c in r.calls),
            "evidence": number_evidence(results),
            "gaps": (*name_gaps(results), *gaps),
            "suspect": find_suspect(run.evidence(), landscape, run.window),
            "notes": take_notes(results),
        }
    )
    return timed(thought(log, reasoner), "execute", engine.clock.monotonic_ms() - began)


def last_day(engine: Engine) -> Window:
    """No time was named."""
    now = engine.clock.now()
    return Window(start=now - timedelta(hours=24), end=now, why="no time was named; last 24 h")


# --- synthesize -----------------------------------------------------------------------------------------------


def synthesize_stage(engine: Engine, log: RequestLog) -> RequestLog:
    """Assemble, write, ground; what is struck is written once more, then listed; then the wording."""
    began = engine.clock.monotonic_ms()
    if log.plan is None or log.intent is None:
        raise ValueError("a plan comes before its answer")
    engine.check()
    landscape = engine.toolbox.landscape(context_of(engine, log))
    evidence = tuple(assemble(log.evidence, log.question, log.intent, agent_for(engine, log).limits.evidence_tokens))
    brief = Brief(
        question=log.question,
        intent=log.intent,
        plan=log.plan,
        landscape=landscape,
        evidence=evidence,
        calls=log.tool_calls,
        gaps=log.gaps,
        suspect=log.suspect,
        notes=log.notes,
    )
    reasoner, voice = think(engine, log), Voice(engine.clock.now(), log.question.timezone)
    ground = partial(
        check_grounding,
        evidence=evidence,
        voice=voice,
        tools_used=tools_used(log),
        known=known_to(log, landscape),
        asked=log.question.text,
        knowledge=log.intent.question_type == "conceptual"
        and not unknown_specifics(log.question.text, "")
        and not names_ours(log.question.text, landscape),
    )
    written = write(reasoner, brief, ground)
    answer = written.answer if written.by == "rules" else polish(written.answer, reasoner.restyle, evidence, voice)
    log = log.model_copy(
        update={
            "evidence": evidence,
            "answer": answer,
            "struck": written.struck,
            "grounded": is_grounded(answer, written.struck),
            "reasoner": written.by,
            "notes": (*log.notes, *written.notes),
        }
    )
    return timed(thought(log, reasoner), "synthesize", engine.clock.monotonic_ms() - began)


@dataclass(frozen=True)
class Written:
    """An answer, what of it was struck, who wrote it, and what was struck on the way."""

    answer: Answer
    struck: tuple[Verdict, ...]
    by: str
    notes: tuple[str, ...]


def write(reasoner: Reasoner, brief: Brief, ground: Ground) -> Written:
    """A draft that holds: written once more when claims of it do not, by the rules when that does not help."""
    draft = reasoner.write_answer(brief)
    answer, struck = ground(draft)
    by, notes = reasoner.name, tuple(f"struck and rewritten: {v.id}: {v.reason}" for v in struck)
    if struck:
        again = reasoner.write_answer(replace(brief, draft=draft, struck=struck))
        better, left = ground(again)
        if len(left) <= len(struck) and (reasoner.name == by or not holds(draft, struck)):
            draft, answer, struck, by = again, better, left, reasoner.name
    if by != "rules" and not holds(draft, struck):
        notes = (*notes, *(f"struck again: {v.id}: {v.reason}" for v in struck))
        answer, struck = ground(reasoner.write_plainly(brief, "what it wrote could not be verified"))
        by = reasoner.name
    return Written(answer, struck, by, notes)


def holds(draft: Draft, struck: Sequence[Verdict]) -> bool:
    """Whether its headline and most of its claims stand."""
    return 2 * len(struck) <= len(draft.claims) and not any(v.id == "headline" for v in struck)


def known_to(log: RequestLog, landscape: Landscape) -> str:
    """What may be named without evidence: what people named, what exists, and what was tried."""
    said = (log.question.text, *log.question.context)
    returned = (*(c.summary for c in log.tool_calls), *(g.text for g in log.gaps))
    return "\n".join((*said, *landscape.names, *returned))


def names_ours(text: str, landscape: Landscape) -> bool:
    """Whether a question speaks of this team's systems, so that general knowledge is no answer to it."""
    lowered = text.lower()
    return any(
        re.search(rf"(?<!\w){re.escape(name.lower())}(?!\w)", lowered) for name in landscape.names if len(name) > 2
    )


def tools_used(log: RequestLog) -> tuple[str, ...]:
    """``metrics_query ×2``."""
    counts: dict[str, int] = {}
    for call in log.tool_calls:
        counts[call.name] = counts.get(call.name, 0) + 1
    return tuple(f"{name} ×{n}" for name, n in counts.items())


def is_grounded(answer: Answer, struck: tuple[Verdict, ...]) -> bool:
    """Every statement of the answer passed: it rests on evidence, or says what is missing."""
    return not struck and bool(answer.headline.evidence or answer.missing)
