"""The way of one question: plan -> execute -> synthesize. Each stage takes and returns a `RequestLog`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from workers.contracts import (
    Ambiguity,
    Answer,
    Draft,
    Evidence,
    Intent,
    Plan,
    Question,
    RequestLog,
    ToolCall,
    Verdict,
    Window,
    used_by,
)
from workers.engine.anomaly import find_suspect
from workers.engine.assemble import CHARS_PER_TOKEN
from workers.engine.brief import asks_for_knowledge, brief_of, brief_over, nameable
from workers.engine.clarify import ask_back, refuse, reject
from workers.engine.execute import Run, StepResult, name_gaps, number_evidence, run_plan, take_notes
from workers.engine.investigation import LOOP, Bench, checked_claims, without
from workers.engine.replan import caution, look_again
from workers.engine.rewording import reword
from workers.engine.route import Agent, agent_of, choose_route
from workers.engine.validate import check_plan
from workers.errors import PlanRejected, StoreUnavailable
from workers.grounding.ground import check_grounding
from workers.grounding.value_format import Voice
from workers.ports import (
    ALL_TEAMS,
    Asked,
    Brief,
    Clock,
    Reasoner,
    Reasoners,
    ReasoningContext,
    Store,
    Toolbox,
    ToolContext,
    ToolSession,
    not_interrupted,
)

CONTEXT_TOKENS = 2_000
MOST_CLARIFIED = 2
"""After so many questions back, one is answered as it is understood."""
FEWEST_OPTIONS = 2
"""Of a question back: a single one is what is meant."""
Progress = Callable[[str, object], None]


def no_progress(event: str, detail: object) -> None:
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
    progress: Progress = no_progress
    check: Callable[[], None] = not_interrupted

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
    lost = f"This answer could not be stored ({error}); it cannot be shown again or continued."
    banner = " ".join(line for line in (lost, log.answer.banner) if line)
    return log.model_copy(update={"answer": log.answer.model_copy(update={"banner": banner})})


def timed(log: RequestLog, stage: str, spent_ms: float) -> RequestLog:
    """Note how long a stage took."""
    return log.model_copy(update={"timings_ms": {**log.timings_ms, stage: round(spent_ms, 2)}})


def thinking_of(engine: Engine, log: RequestLog) -> ReasoningContext:
    """What one stage works with: the agent that answers, what exists for it, what earlier stages used."""
    agent = agent_of(log.question, log.route, engine.agents, engine.default_agent)
    return ReasoningContext(
        question=log.question,
        agent=agent.name,
        limits=agent.limits,
        toolbox=engine.toolbox,
        landscape=engine.toolbox.landscape(context_of(engine, log.question, agent.name)),
        module=agent.module,
        calls=log.model_calls,
        check=engine.check,
    )


def context_of(engine: Engine, question: Question, agent: str) -> ToolContext:
    """For whom the tools run."""
    team = ALL_TEAMS if question.source == "cli" else question.team
    return ToolContext(question.request_id, agent, engine.clock.now(), question.timezone, team)


def open_tools(engine: Engine, thinking: ReasoningContext) -> ToolSession:
    """The agent's tools, within its limits."""
    return engine.toolbox.open(context_of(engine, thinking.question, thinking.agent), thinking.limits)


def thought(log: RequestLog, reasoner: Reasoner) -> RequestLog:
    """With what a stage asked of a language model."""
    return log.model_copy(update={"model_calls": reasoner.calls, "usage": used_by(reasoner.calls)})


# --- plan -----------------------------------------------------------------------------------------------------


def plan_stage(engine: Engine, log: RequestLog) -> RequestLog:
    """Route, read the intent, ask back when it has two meanings, plan, validate."""
    began = engine.clock.monotonic_ms()
    engine.check()
    thinking = thinking_of(engine, log)
    reasoner = engine.reasoners(thinking)
    route = choose_route(log.question, engine.agents, engine.default_agent, reasoner.choose_agent)
    log = thought(log.model_copy(update={"route": route, "reasoner": reasoner.name}), reasoner)
    if route.task == "none":
        return log.model_copy(update={"answer": refuse(route)})
    if agent_of(log.question, route, engine.agents, engine.default_agent).name != thinking.agent:
        thinking = thinking_of(engine, log)
        reasoner = engine.reasoners(thinking)
    log = log.model_copy(update={"question": shortened(log.question, reasoner)})
    log = read_stage(engine, log, thinking, reasoner)
    intent = log.intent
    if intent and log.answer is None:
        log = make_plan(engine, log, intent, thinking, reasoner)
    return timed(thought(log, reasoner), "plan", engine.clock.monotonic_ms() - began)


def read_stage(engine: Engine, log: RequestLog, thinking: ReasoningContext, reasoner: Reasoner) -> RequestLog:
    """The intent; with a clarifying question as the answer when there are two."""
    began = engine.clock.monotonic_ms()
    question = log.question
    intent = reasoner.read_intent(question, thinking.landscape, engine.clock.now())
    log = timed(log, "intent", engine.clock.monotonic_ms() - began)
    intent = intent if intent.window else intent.model_copy(update={"window": last_day(engine)})
    asks = intent.ambiguity and intent.ambiguity.options and question.clarified < MOST_CLARIFIED
    ambiguity = intent.ambiguity if asks else None
    log = log.model_copy(update={"intent": intent.model_copy(update={"ambiguity": ambiguity})})
    return log if ambiguity is None or reasoner.drives else ask_first(engine, log, intent, ambiguity, thinking)


def ask_first(
    engine: Engine, log: RequestLog, intent: Intent, ambiguity: Ambiguity, thinking: ReasoningContext
) -> RequestLog:
    """With a clarifying question as the answer, when there are two candidates or more."""
    ambiguity, calls, evidence = weigh(engine, ambiguity, thinking)
    if len(ambiguity.options) < FEWEST_OPTIONS:
        only = tuple(o.value for o in ambiguity.options)
        return log.model_copy(
            update={"intent": intent.model_copy(update={"ambiguity": None, "subjects": intent.subjects or only})}
        )
    clear = intent.model_copy(update={"ambiguity": ambiguity})
    log = log.model_copy(update={"intent": clear, "tool_calls": calls, "evidence": evidence})
    return log.model_copy(update={"answer": ask_back(ambiguity).model_copy(update={"tools_used": tools_used(log)})})


def shortened(question: Question, reasoner: Reasoner) -> Question:
    """A long thread in fewer words."""
    if sum(map(len, question.context)) <= CONTEXT_TOKENS * CHARS_PER_TOKEN:
        return question
    return question.model_copy(update={"context": reasoner.compress(question.context, CONTEXT_TOKENS)})


def make_plan(
    engine: Engine, log: RequestLog, intent: Intent, thinking: ReasoningContext, reasoner: Reasoner
) -> RequestLog:
    """The plan, or a refusal when the agent's rules allow none; a model that drives makes its plan while it works."""
    if reasoner.drives:
        plan = Plan(pattern=LOOP, query_intent="look until it can be answered", steps=())
        return log.model_copy(update={"plan": plan})
    plan = reasoner.make_plan(log.question, intent, thinking.landscape)
    try:
        check_plan(plan, asked_of(log, intent, thinking))
    except PlanRejected as error:
        return log.model_copy(update={"answer": reject(error)})
    engine.progress("plan", plan)
    return log.model_copy(update={"plan": plan})


def asked_of(log: RequestLog, intent: Intent, thinking: ReasoningContext) -> Asked:
    """What a plan has to serve."""
    return thinking.asked(log.question.text, intent)


def weigh(
    engine: Engine, ambiguity: Ambiguity, thinking: ReasoningContext
) -> tuple[Ambiguity, tuple[ToolCall, ...], tuple[Evidence, ...]]:
    """Order the candidates as the agent weighs them; with the call that told, and what it returned."""
    step = thinking.module.options_step(ambiguity)
    if step is None or step.tool not in thinking.limits.tools:
        return ambiguity, (), ()
    call, output = open_tools(engine, thinking).call(step.id, step.tool, step.args)
    weighed, why = thinking.module.weigh_options(ambiguity, output, engine.clock.now(), thinking.question.timezone)
    told = output.model_copy(update={"evidence": (*output.evidence, *why)})
    return weighed, (call,), number_evidence((StepResult(step, (call,), told, ()),))


# --- execute --------------------------------------------------------------------------------------------------


def execute_stage(engine: Engine, log: RequestLog) -> RequestLog:
    """Let a model investigate, or run the plan's steps through the wrapped tools; the plan too when the model fails."""
    began = engine.clock.monotonic_ms()
    if log.plan is None or log.intent is None:
        raise ValueError("a plan comes before its execution")
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
        return ask_first(engine, log, intent, intent.ambiguity, thinking) if intent.ambiguity else log
    calls = tuple(c for r in bench.results() for c in r.calls)
    told = {"question_type": finding.question_type or intent.question_type, "ambiguity": finding.ambiguity}
    log = log.model_copy(
        update={
            "intent": intent.model_copy(update=told),
            "plan": bench.plan(advice),
            "tool_calls": calls,
            "gaps": bench.gaps(),
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
            "tool_calls": tuple(c for r in results for c in r.calls),
            "evidence": number_evidence(results),
            "gaps": name_gaps(results),
            "suspect": find_suspect(run.evidence(), thinking.landscape, run.window),
            "notes": take_notes(results),
        }
    )


def intent_of(log: RequestLog) -> Intent:
    """What was read in the question."""
    if log.intent is None:
        raise ValueError("an intent comes before what is done about it")
    return log.intent


def last_day(engine: Engine) -> Window:
    """No time was named."""
    now = engine.clock.now()
    return Window(start=now - timedelta(hours=24), end=now, why="no time was named; last 24 h")


# --- synthesize -----------------------------------------------------------------------------------------------


def synthesize_stage(engine: Engine, log: RequestLog) -> RequestLog:
    """Write, where no model has, and ground; then the wording."""
    if log.answer is not None:
        return log
    began = engine.clock.monotonic_ms()
    engine.check()
    thinking = thinking_of(engine, log)
    reasoner, voice = engine.reasoners(thinking), Voice(engine.clock.now(), log.question.timezone)
    if log.draft is None:
        brief = brief_of(log, thinking)
        log = log.model_copy(update={"evidence": brief.evidence})
        answer, struck = ground_draft(engine, log, thinking, reasoner.write_answer(brief), "", brief.evidence)
        answer = caution(answer, brief.plan) if thinking.limits.replan else answer
    else:
        answer, struck = ground_draft(engine, log, thinking, upheld(engine, log, thinking), "", log.evidence)
        answer, struck = reword(answer, reasoner.restyle, log.evidence, voice), (*log.refuted, *struck)
    log = log.model_copy(
        update={
            "answer": answer,
            "struck": struck,
            "grounded": is_grounded(answer, struck),
            "reasoner": log.reasoner if log.draft else reasoner.name,
        }
    )
    return timed(thought(log, reasoner), "synthesize", engine.clock.monotonic_ms() - began)


def upheld(engine: Engine, log: RequestLog, thinking: ReasoningContext) -> Draft:
    """A model's draft without what its verifier refuted, and with the sources that failed."""
    if log.draft is None:
        raise ValueError("there is no draft")
    draft = log.draft.model_copy(update={"missing": (*log.draft.missing, *log.gaps)})
    if not log.refuted:
        return draft
    answer, verdicts = ground_draft(engine, log, thinking, draft, "", log.evidence)
    texts = {c.id: c.text for c in checked_claims(draft, answer, {v.id: v.reason for v in verdicts}) if not c.failure}
    return without(draft, log.refuted, texts)


def ground_draft(
    engine: Engine,
    log: RequestLog,
    thinking: ReasoningContext,
    draft: Draft,
    question_type: str,
    evidence: Sequence[Evidence],
) -> tuple[Answer, tuple[Verdict, ...]]:
    """A draft held against the evidence. ``question_type``: the one to go by, when it is not the intent's."""
    intent = intent_of(log)
    intent = intent.model_copy(update={"question_type": question_type}) if question_type else intent
    brief = brief_over(log.model_copy(update={"intent": intent}), thinking, evidence)
    return check_grounding(
        draft,
        evidence=evidence,
        voice=Voice(engine.clock.now(), log.question.timezone),
        tools_used=tools_used(log),
        known=nameable(brief),
        asked=log.question.text,
        knowledge=asks_for_knowledge(brief, thinking.module.KNOWLEDGE_TYPES),
    )


def tools_used(log: RequestLog) -> tuple[str, ...]:
    """``NAME ×2``: each tool, and how often it was called."""
    counts: dict[str, int] = {}
    for call in log.tool_calls:
        counts[call.name] = counts.get(call.name, 0) + 1
    return tuple(f"{name} ×{n}" for name, n in counts.items())


def is_grounded(answer: Answer, struck: tuple[Verdict, ...]) -> bool:
    """Every statement of the answer passed: it rests on evidence, or says what is missing."""
    return not struck and bool(answer.headline.evidence or answer.missing)
