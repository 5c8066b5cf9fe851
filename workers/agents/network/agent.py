"""How network triage reads a question and plans it."""

from __future__ import annotations

from datetime import datetime

from workers.agents.network import answer_writers
from workers.agents.network.inquiry import GROUPS, OBJECTS, Inquiry, noun_in, read_inquiry
from workers.contracts import Draft, Intent, Landscape, PatternStep, Plan, Question, Step, Window, rfc3339
from workers.ports import Brief, Playbook
from workers.reasoning.known_plans import fill_step


def read_intent(question: Question, landscape: Landscape, now: datetime, playbook: Playbook) -> Intent:
    """The kind of question, what it names, and when."""
    del playbook
    asked = read_inquiry(question, landscape, now)
    names = (n for kind in ("device", "site", "signature", "domain") for n in asked.names.get(kind, ()))
    subjects = tuple(dict.fromkeys((*asked.addresses, *asked.macs, *names)))
    return Intent(question_type=asked.kind, subjects=subjects[:8], time_hints=asked.hints, window=asked.window)


def make_plan(question: Question, intent: Intent, landscape: Landscape, playbook: Playbook) -> Plan:
    """The first known plan of this kind whose slots can be filled."""
    window = intent.window or Window(start=question.received_at, end=question.received_at, why="")
    asked = read_inquiry(question, landscape, window.end)
    values = slots_of(asked, intent.question_type, window)
    for name, pattern in playbook.patterns.items():
        if intent.question_type in pattern.question_types and all(values.get(slot) for slot in pattern.requires):
            kept = tuple(step.id for step in pattern.steps)
            steps = tuple(without_empty(fill_step(step, values, kept), step) for step in pattern.steps)
            return Plan(pattern=name, query_intent=pattern.query_intent, steps=steps)
    return Plan(pattern="NOVEL", query_intent="other", steps=())


def slots_of(asked: Inquiry, kind: str, window: Window) -> dict[str, str]:
    """What fills the slots of plans; empty when the question names no such thing."""
    one = kind == "host_identity"  # which is looked up by itself; alerts are counted of all that are named
    address = next(iter(asked.addresses), "") if one else ", ".join(asked.addresses)
    found = noun_in(asked.plain, OBJECTS, "device")
    if one:
        found = "prefix" if "/" in address else "address"
    return {
        "address": address,
        "device": "" if address else asked.first("device"),
        "site": asked.first("site"),
        "mac": next(iter(asked.macs), ""),
        "domain": asked.first("domain"),
        "signature": asked.first("signature") or asked.sid or asked.quoted,
        "severity": asked.severity,
        "sensor": asked.first("sensor"),
        "object": found,
        "group_by": noun_in(asked.plain, GROUPS, "source" if kind == "top_hosts" else "signature"),
        "since": rfc3339(window.start),
        "until": rfc3339(window.end),
    }


def without_empty(step: Step, known: PatternStep) -> Step:
    """A step without arguments that the question says nothing of."""
    args = {name: value for name, value in step.args.items() if value != "" or known.args.get(name) == ""}
    return step.model_copy(update={"args": args})


def write_answer(brief: Brief, playbook: Playbook) -> Draft:
    """What was found, in the order that a person on call needs it."""
    del playbook
    return answer_writers.write_answer(brief)
