"""The agent of a parking garage. Its functions are pure: the engine runs the tools. See `workers.ports.AgentModule`."""

from __future__ import annotations

import re
from datetime import datetime

from oracle_garage.settings import GarageSection
from workers.contracts import Claim, Draft, Intent, Landscape, Plan, Question, Step
from workers.ports import Brief, Need, Playbook

QUESTION_TYPES = {
    "garage_spaces": "how many parking spaces are free, and on which level",
    "garage_chargers": "where in the garage an electric car can be charged",
}
NEEDS = {
    "garage": Need(
        met=lambda settings: bool(settings.section(GarageSection).source),
        lacks="I know nothing of a garage: name a file or an address in `garage.source` of oracle.yaml.",
    )
}
PLAN_SLOTS = frozenset({"level"})
OURS = re.compile(r"\b(?:garage|park|parking|car park)\b", re.IGNORECASE)
CHARGERS = re.compile(r"\bcharg(?:e|er|ers|ing)\b", re.IGNORECASE)
SUBJECTS = {"garage_spaces": ("free", "spaces"), "garage_chargers": ("free_chargers", "chargers")}
"""Type of question -> the fact that answers it, and what it counts."""


def named_level(question: Question, landscape: Landscape) -> str:
    """The level that a question names, empty when it names none."""
    words = {word.casefold() for word in re.findall(r"\w+", question.text)}
    return next((name for name in landscape.labels.get("garage_level", ()) if name.casefold() in words), "")


def claim(question: Question, landscape: Landscape) -> float:
    """How sure it is that the question is about the garage."""
    return 0.95 if OURS.search(question.text) else 0.6 if named_level(question, landscape) else 0.0


def read_intent(question: Question, landscape: Landscape, now: datetime, playbook: Playbook) -> Intent:
    """Spaces, unless charging is spoken of; the subject is a level."""
    del now, playbook
    level = named_level(question, landscape)
    kind = "garage_chargers" if CHARGERS.search(question.text) else "garage_spaces"
    return Intent(question_type=kind, subjects=(level,) if level else ())


def make_plan(question: Question, intent: Intent, landscape: Landscape, playbook: Playbook) -> Plan:
    """The known plan of ``patterns.yaml``, its slot filled with the level."""
    del question, landscape
    name, pattern = next((n, p) for n, p in playbook.patterns.items() if intent.question_type in p.question_types)
    level = next(iter(intent.subjects), "")
    steps = tuple(
        Step(id=s.id, tool=s.tool, args={k: str(v).format(level=level) for k, v in s.args.items()}, purpose=s.purpose)
        for s in pattern.steps
    )
    return Plan(pattern=name, query_intent=pattern.query_intent, steps=steps)


def write_answer(brief: Brief, playbook: Playbook) -> Draft:
    """Claims with slots; the engine fills them from the evidence, and holds every value against it."""
    del playbook
    if not brief.evidence:
        return Draft(headline=Claim(template="I could not read the garage's counters."), missing=brief.gaps)
    fact, things = SUBJECTS[brief.intent.question_type]
    told = [
        Claim(template=f"{{{e.id}.{fact}}} {things} are free on level {{{e.id}.level}}.", evidence=(e.id,))
        for e in sorted(brief.evidence, key=lambda e: -int(str(e.facts[fact].value)))
    ]
    since = Claim(template=f"Counted at {{{brief.evidence[0].id}.updated}}.", evidence=(brief.evidence[0].id,))
    return Draft(headline=told[0], metrics=(*told[1:], since), missing=brief.gaps)
