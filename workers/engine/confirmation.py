"""What a person confirmed is carried out: a request of one step, whose change was proposed by an earlier request.

It is tried once. What it expects to find stands in its arguments, so that nothing is overwritten that changed since.
"""

from __future__ import annotations

from workers.contracts import (
    Answer,
    Claim,
    Draft,
    Evidence,
    Fact,
    Gap,
    Intent,
    Plan,
    Proposal,
    RequestLog,
    Route,
    Step,
    ToolOutput,
    Window,
    name_proposal,
    split_name,
)
from workers.engine.engine import Engine
from workers.engine.stage_context import last_day, open_tools, thinking_of
from workers.errors import RequestNotFound
from workers.grounding.value_format import say_duration

CONFIRMED = "CONFIRMED"
"""The pattern of a plan that carries out what a person confirmed."""
STEP = "change"


def plan_confirmed(engine: Engine, log: RequestLog) -> RequestLog:
    """With the one step that a person confirmed; with a refusal when there is no such proposal, or it is another's."""
    request_id, number = split_name(log.question.confirms)
    try:
        before = engine.store.load(request_id)
    except RequestNotFound:
        return refused(log, "I no longer have the record of that change; ask for it again.")
    if before.question.user != log.question.user:
        return refused(log, "Only the person who asked for a change can confirm it.")
    if not 0 <= number < len(before.proposals):
        return refused(log, "That request has no such change to confirm.")
    age = log.question.received_at - before.question.received_at
    if age > engine.confirm_within:
        waited = say_duration(age.total_seconds())
        return refused(log, f"That plan is {waited} old, so nothing was changed. Ask again, and I look how things are.")
    if why := engine.visibility.check_readers(before, before.proposals[number])[0]:
        return refused(log, f"This was not done: {why}.")
    name = name_proposal(before.request_id, number)
    question = log.question.model_copy(update={"agent": before.question.agent, "confirms": name})
    log = log.model_copy(update={"question": question, "route": before.route})
    return ordered(log, before.proposals[number], last_day(engine))


def ordered(log: RequestLog, proposal: Proposal, window: Window) -> RequestLog:
    """With the one step that a person ordered or confirmed."""
    step = Step(id=STEP, tool=proposal.tool, args={}, purpose=proposal.title)
    return log.model_copy(
        update={
            "intent": Intent(question_type="other", window=window),
            "plan": Plan(pattern=CONFIRMED, query_intent="do what was confirmed", steps=(step,)),
            "proposals": (proposal,),
        }
    )


def refused(log: RequestLog, sentence: str) -> RequestLog:
    """With a refusal as the answer."""
    answer = Answer(kind="refusal", headline=Claim(template=sentence, text=sentence))
    return log.model_copy(update={"route": log.route or Route(task="none", confidence=1.0), "answer": answer})


def carry_out(engine: Engine, log: RequestLog) -> RequestLog:
    """Make the change, and write what came of it."""
    proposal, thinking = log.proposals[0], thinking_of(engine, log)
    for step in log.plan.steps if log.plan else ():
        engine.progress("step", (step, "running", "", ()))
    call, output = open_tools(engine, thinking).carry_out(STEP, proposal)
    for step in log.plan.steps if log.plan else ():
        engine.progress("step", (step, output.status, output.summary or output.reason, ()))
    evidence = (outcome_of(proposal, output), *output.evidence)
    numbered = tuple(e.model_copy(update={"id": f"E{i}", "step": STEP}) for i, e in enumerate(evidence, 1))
    return log.model_copy(
        update={
            "tool_calls": (call,),
            "evidence": numbered,
            "proposals": output.proposals,
            "draft": write_outcome(proposal, output),
        }
    )


def is_change(log: RequestLog) -> bool:
    """Whether a request makes a change that a person ordered or confirmed."""
    return log.plan is not None and log.plan.pattern == CONFIRMED


def change_of(log: RequestLog) -> str:
    """What the change of a request is called, whoever makes it: it is begun once by this name."""
    return log.question.confirms or log.request_id


def interrupted(log: RequestLog) -> RequestLog:
    """The change was begun before, by a worker that died or by another request: nothing is tried a second time."""
    what = log.question.text
    why = "I was interrupted while doing this, or it was decided elsewhere"
    text = f"{why}, so look whether it was done before you ask again: {what}"
    return refused(log.model_copy(update={"proposals": ()}), text)


def outcome_of(proposal: Proposal, output: ToolOutput) -> Evidence:
    """What the tool said of the change, as evidence."""
    said = output.summary if output.status == "ok" else output.reason
    facts = {"change": Fact(value=proposal.title), "outcome": Fact(value=said or output.status)}
    return Evidence(kind="tool", title=proposal.tool, locator=proposal.tool, excerpt=said, facts=facts)


def write_outcome(proposal: Proposal, output: ToolOutput) -> Draft:
    """One sentence: what was done, or that it failed or was not tried, and why."""
    if output.status == "ok":
        return Draft(headline=Claim(template="Done: {E1.outcome}", evidence=("E1",)), confidence="high")
    if output.status == "timeout":
        unknown = "Whether this was done is not known, look before you ask again: {E1.change}"
        missing = Gap(text=output.reason, tool=proposal.tool)
        return Draft(headline=Claim(template=unknown, evidence=("E1",)), missing=(missing,))
    lead = "This failed" if output.status == "error" else "Nothing was changed"
    head = Claim(template=f"{lead}: {{E1.outcome}}", evidence=("E1",))
    return Draft(headline=head, missing=(Gap(text=f"Not done: {proposal.title}", tool=proposal.tool),))
