"""How the agent of deals reads a question and plans it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from workers.agents.deals import answer_writers
from workers.contracts import Draft, Intent, Landscape, Plan, Question
from workers.language.question_kinds import load_model
from workers.ports import Brief, Playbook
from workers.reasoning.known_plans import fill_step, find_pattern

MODEL = "deal_kinds"
NAMED = 0.95
SURE = 0.1
"""Below this score of the best kind, the nearest deals are shown. See ``bench/README.md``."""
GROUPS = {
    "sector": re.compile(r"\b(?:by|per|je|nach|par) (?:sectors?|sektor|branchen?|secteur)\b", re.IGNORECASE),
    "region": re.compile(r"\b(?:by|per|je|nach|par) (?:regions?|countr(?:y|ies)|land|région)\b", re.IGNORECASE),
    "status": re.compile(r"\b(?:by|per|je|nach) status\b", re.IGNORECASE),
    "year": re.compile(r"\b(?:by|per|je|nach|par) (?:years?|vintages?|jahr|année)\b", re.IGNORECASE),
}


def read_intent(question: Question, landscape: Landscape, now: datetime, playbook: Playbook) -> Intent:
    """The kind of question, and the deals, sectors and regions that it names."""
    del now, playbook
    names = {label: landscape.labels.get(label, ()) for label in ("deal", "deal_sector", "deal_region")}
    lower = question.text.lower()
    subjects = [n for known in names.values() for n in known if n.lower() in lower and whole(n).search(question.text)]
    scores = load_model(MODEL).scores(masked(question.text, names["deal"]))
    best = max(scores, key=lambda kind: scores[kind])
    kind = best if scores[best] >= SURE else "deal_precedents"
    return Intent(question_type=kind, subjects=tuple(subjects[:8]))


def whole(name: str) -> re.Pattern[str]:
    """Finds a name in a text as whole words."""
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)


def masked(text: str, deals: Sequence[str]) -> str:
    """A question with the names of deals as what they are, as it is learned."""
    lower = text.lower()
    for name in sorted((n for n in deals if n.lower() in lower), key=len, reverse=True):
        text = whole(name).sub("somedeal", text)
    return text


def claim(question: Question, landscape: Landscape) -> float:
    """Sure of a question that names a recorded deal by a name of several words."""
    names = [name for name in landscape.labels.get("deal", ()) if " " in name]
    return NAMED if masked(question.text, names) != question.text else 0.0


def make_plan(question: Question, intent: Intent, landscape: Landscape, playbook: Playbook) -> Plan:
    """The known plan of this kind."""
    del landscape
    group = next((name for name, form in GROUPS.items() if form.search(question.text)), "")
    values = {"query": question.text, "group_by": group}
    name, pattern = find_pattern(playbook.patterns, intent.question_type)
    steps = tuple(fill_step(step, values, tuple(s.id for s in pattern.steps)) for step in pattern.steps)
    return Plan(pattern=name, query_intent=pattern.query_intent, steps=steps)


def write_answer(brief: Brief, playbook: Playbook) -> Draft:
    """What was found, by the kind of question."""
    del playbook
    return answer_writers.write_answer(brief)
