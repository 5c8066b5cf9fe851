"""The first stage of a question: its agent, what it is about, a question back when it has two meanings, the plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workers.contracts import Ambiguity, Evidence, Intent, Plan, Proposal, Question, RequestLog, Scalar, Step, ToolCall
from workers.engine.clarify import ask_back, refuse, reject
from workers.engine.confirmation import ordered, plan_confirmed, refused
from workers.engine.engine import Engine
from workers.engine.execute import StepResult, number_evidence
from workers.engine.follow_ups import follow_up
from workers.engine.investigation import LOOP
from workers.engine.kept_answers import find_kept
from workers.engine.policy import Policy, choose_route
from workers.engine.route import agent_of
from workers.engine.stage_context import (
    as_seen,
    asked_of,
    last_day,
    open_tools,
    thinking_of,
    thought,
    timed,
    tools_used,
)
from workers.engine.two_requests import two_requests
from workers.engine.validate import check_plan
from workers.errors import PlanRejected
from workers.language.token_count import CHARS_PER_TOKEN
from workers.ports import Reasoner, ReasoningContext

CONTEXT_TOKENS = 2_000
MOST_CLARIFIED = 2
"""After so many questions back, one is answered as it is understood."""
PROPOSED = "PROPOSED"
"""The pattern of a plan that proposes what was ordered, as others will read it."""
FEWEST_OPTIONS = 2
"""Of a question back: a single one is what is meant."""


def plan_stage(engine: Engine, log: RequestLog) -> RequestLog:
    """Route, read the intent, ask back when it has two meanings, plan, validate: with what its asker may see."""
    return as_seen(engine, log, plan_request)


def plan_request(engine: Engine, log: RequestLog) -> RequestLog:
    """The request with its plan, or with the answer that needs none."""
    if log.question.agent and log.question.agent not in engine.agents:
        log = log.model_copy(update={"question": log.question.model_copy(update={"agent": None})})
    began = engine.clock.monotonic_ms()
    engine.check()
    if log.question.confirms:
        return timed(plan_confirmed(engine, log), "plan", engine.clock.monotonic_ms() - began)
    log = follow_up(engine, log)
    if log.answer is not None:
        return timed(log, "plan", engine.clock.monotonic_ms() - began)
    thinking = thinking_of(engine, log)
    reasoner = engine.reasoners(thinking)
    whole = log.question
    both = two_requests(whole, engine.likely, thinking.everywhere) if not whole.agent else None
    if both:
        log = log.model_copy(update={"question": log.question.model_copy(update={"text": both[0]})})
    policy = Policy(
        engine.agents,
        engine.default_agent,
        engine.fallback_agent,
        engine.likely,
        names=thinking.landscape,
        everywhere=thinking.everywhere,
        drives=reasoner.drives,
    )
    route = choose_route(log.question, policy, reasoner.choose_agent)
    route = route.model_copy(update={"also": both[1]}) if both and route.task != "none" else route
    log = timed(log, "route", engine.clock.monotonic_ms() - began)
    log = thought(log.model_copy(update={"route": route, "reasoner": reasoner.name}), reasoner)
    if route.task == "none":
        return log.model_copy(update={"answer": refuse(route)})
    if agent_of(log.question, route, engine.agents, engine.default_agent).name != thinking.agent:
        thinking = thinking_of(engine, log)
        reasoner = engine.reasoners(thinking)
    question = log.question
    at_once = not (question.unasked or question.relayed or question.edits)
    order = thinking.module.read_order(whole, thinking.landscape) if at_once else None  # a part says less than all
    if order:
        log = order_made(engine, log, order)
        return timed(log, "plan", engine.clock.monotonic_ms() - began)
    if kept := find_kept(engine, log, agent_of(question, route, engine.agents, engine.default_agent)):
        return timed(kept, "plan", engine.clock.monotonic_ms() - began)
    log = log.model_copy(update={"question": shortened(log.question, reasoner)})
    log = read_stage(engine, log, thinking, reasoner)
    intent = log.intent
    if intent and log.answer is None:
        log = make_plan(engine, log, intent, thinking, reasoner)
    return timed(thought(log, reasoner), "plan", engine.clock.monotonic_ms() - began)


def order_made(engine: Engine, log: RequestLog, order: Proposal) -> RequestLog:
    """With what was ordered, done at once; proposed first where others will read it, and refused where they may not."""
    why, readers = engine.visibility.check_readers(log, order)
    if why:
        return refused(log, f"This was not done: {why}.")
    if not readers:
        return ordered(log, order, last_day(engine))
    step = Step(id="order", tool=order.tool, args=plain_arguments(order.args), purpose=order.title)
    plan = Plan(pattern=PROPOSED, query_intent="propose what was ordered", steps=(step,))
    return log.model_copy(update={"intent": Intent(question_type="other", window=last_day(engine)), "plan": plan})


def plain_arguments(args: Mapping[str, Any]) -> dict[str, Scalar]:
    """The arguments of an order as a step has them."""
    return {name: value for name, value in args.items() if isinstance(value, str | int | float | bool)}


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
            update={"intent": intent.model_copy(update={"ambiguity": None, "subjects": only or intent.subjects})}
        )
    clear = intent.model_copy(update={"ambiguity": ambiguity})
    log = log.model_copy(update={"intent": clear, "tool_calls": calls, "evidence": evidence})
    return log.model_copy(update={"answer": ask_back(ambiguity).model_copy(update={"tools_used": tools_used(log)})})


def shortened(question: Question, reasoner: Reasoner) -> Question:
    """A long thread in fewer words; a conversation is kept within its own budget already."""
    if question.project or sum(map(len, question.context)) <= CONTEXT_TOKENS * CHARS_PER_TOKEN:
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
