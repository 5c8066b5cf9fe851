"""How the agent of deals reads a question and plans it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from workers.agents.deals import answer_writers
from workers.agents.deals.language.deal_names import named, spans_of_names
from workers.agents.deals.language.reading import Reading, read_names
from workers.contracts import Draft, Intent, Landscape, Plan, Question
from workers.language.question_kinds import load_model
from workers.language.stop_words import GERMAN
from workers.ports import Brief, Playbook
from workers.reasoning.known_plans import fill_step, find_pattern

MODEL = "deal_kinds"
NAMED = 0.95
SURE = 0.1
"""Below this score of the best kind, the nearest deals are shown. See ``bench/README.md``."""
GROUPS = {
    "sector": re.compile(r"\b(?:by|per|je|nach|par|por) (?:sectors?|sektor|branchen?|secteur)\b", re.IGNORECASE),
    "region": re.compile(
        r"\b(?:by|per|je|nach|par|por) (?:regions?|countr(?:y|ies)|land|región|région|país)\b", re.IGNORECASE
    ),
    "status": re.compile(r"\b(?:by|per|je|nach|por) (?:status|estado)\b", re.IGNORECASE),
    "year": re.compile(r"\b(?:by|per|je|nach|par|por) (?:years?|vintages?|jahr|año|année)\b", re.IGNORECASE),
}
BINDING = frozenset(
    "realized current platform addons loss total_loss gain doubled tripled founder family corporate fund own_added"
    " best worst more less least most exactly".split()
)
"""What terms say of which deals."""
STATUS = frozenset({"realized", "current"})
TELLING = frozenset("deal addons loss total_loss founder family corporate fund own_added invested".split())
"""What is hardly said of anything but deals."""
OF_A_NAME = frozenset({"deal_profile", "deal_events", "deal_change"})
"""Kinds of question that are about a deal by its name."""
SURE_ORDER = 0.3
"""Below this score nothing is taken for an order to change a record."""
DEAL = frozenset({"deal", "deals"})
TELLS = {"deal_levers": "lever", "deal_risks": "risk", "deal_lessons": "both"}


def read_intent(question: Question, landscape: Landscape, now: datetime, playbook: Playbook) -> Intent:
    """The kind of question, and the deals, sectors and regions that it names.

    What says nothing but conditions, and does not ask for what is alike, is a list.
    """
    del now, playbook
    reading, names = read_question(question, landscape), landscape.labels.get("deal", ())
    subjects = [names[k] for k in named(question.text, names)]
    scores = load_model(MODEL).scores(masked(question.text, names))
    if not subjects and not unknown_names(reading):
        scores = {kind: score for kind, score in scores.items() if kind not in OF_A_NAME}
    best = max(scores, key=lambda kind: scores[kind])
    kind = best if scores[best] >= (SURE_ORDER if best == "deal_change" else SURE) else "deal_precedents"
    concepts, left = {m.concept for m in reading.mentions}, reading.left()
    bound = concepts & BINDING or reading.sectors or reading.places or reading.told
    if kind == "deal_precedents" and not left and subjects:
        kind = "deal_profile"
    elif (
        kind in {"deal_precedents", *TELLS}
        and not subjects
        and not concepts & {"like", "lesson"}
        and ((bound and not left) or (kind == "deal_precedents" and is_set(reading, concepts)))
    ):
        kind = "deal_list"
    elif kind == "deal_precedents" and left and not bound and "like" not in concepts and is_name_alone(reading):
        kind = "deal_profile"
    places = [n.name for n in reading.places if n.name in landscape.labels.get("deal_region", ())]
    sectors = landscape.labels.get("deal_sector", ())
    subjects += [sectors[i] for n in reading.sectors for i in sorted(n.sectors)] + places
    return Intent(question_type=kind, subjects=tuple(dict.fromkeys(subjects))[:8])


def is_set(reading: Reading, concepts: set[str]) -> bool:
    """Whether the words say what, where and how it ended, or shut something out: that is no deal to find others for."""
    said = concepts & STATUS and reading.places and (reading.sectors or reading.parts)
    return bool(said) or any(map(reading.shut_out, reading.left()))


def read_question(question: Question, landscape: Landscape) -> Reading:
    """What its words name and mean."""
    kinds = ("deal", "deal_sector", "deal_region", "deal_told")
    return read_names(question.text, *(landscape.labels.get(kind, ()) for kind in kinds))


def unknown_names(reading: Reading) -> list[str]:
    """Words with a capital within a sentence that nothing binds: they may be the name of a firm."""
    tokens, text = reading.tokens, reading.text
    return [reading.said(i, i + 1) for i in reading.left() if i and text[tokens[i].start].isupper()]


def is_name_alone(reading: Reading) -> bool:
    """Whether all that is left is one name; in German other nouns have a capital too."""
    at = reading.left()
    named_one = len(unknown_names(reading)) == len(at) == at[-1] - at[0] + 1
    return named_one and not any(t.word in GERMAN for t in reading.tokens)


def masked(text: str, deals: Sequence[str]) -> str:
    """A question with the names of deals as what they are, as it is learned."""
    for start, end in reversed(spans_of_names(text, deals)):
        text = f"{text[:start]}somedeal{text[end:]}"
    return text


def claim(question: Question, landscape: Landscape) -> float:
    """Sure of a question that names a recorded deal, firms of a recorded sector, or nothing but conditions of deals."""
    names = landscape.labels.get("deal", ())
    others = {n.lower() for kind, known in landscape.labels.items() if not kind.startswith("deal") for n in known}
    if not names or others & {*question.text.lower().split()}:
        return 0.0
    if named(question.text, names, inside=True):
        return NAMED
    reading = read_question(question, landscape)
    concepts = {m.concept for m in reading.mentions}
    places = len(reading.places) + len(reading.told)
    several = len(reading.of(*BINDING | TELLING)) + len(reading.sectors) + len(reading.parts) + places > 1
    whole = any(n.last - n.first > 1 for n in reading.sectors)
    if reading.sectors and ("deal" in concepts or (whole and "lesson" in concepts)):
        return NAMED
    sectors = reading.sectors or reading.parts
    sides = (sectors, places, concepts & TELLING, concepts & STATUS, reading.years)
    if len(reading.left()) < (2 if sectors else 1) and sum(map(bool, sides)) > 2:
        return NAMED
    kind = concepts & TELLING or sectors or (reading.told and concepts & STATUS)
    only = (several and kind) or any(t.word in DEAL for t in reading.tokens)
    return NAMED if only and not reading.left() else 0.0


def disclaim(question: Question, landscape: Landscape) -> bool:
    """Whether a question names no deal, sector, place or firm, and says nothing that is said of them."""
    reading = read_question(question, landscape)
    concepts = {m.concept for m in reading.mentions}
    names = landscape.labels.get("deal", ())
    some = concepts & (
        TELLING | BINDING | {"firm", "like", "figure", "lesson"} - {"more", "less", "least", "most", "exactly"}
    )
    return not (some or reading.sectors or reading.places or unknown_names(reading) or named(question.text, names))


def make_plan(question: Question, intent: Intent, landscape: Landscape, playbook: Playbook) -> Plan:
    """The known plan of this kind."""
    del landscape
    group = next((name for name, form in GROUPS.items() if form.search(question.text)), "")
    values = {"query": question.text, "group_by": group, "tells": TELLS.get(intent.question_type, "")}
    name, pattern = find_pattern(playbook.patterns, intent.question_type)
    steps = tuple(fill_step(step, values, tuple(s.id for s in pattern.steps)) for step in pattern.steps)
    return Plan(pattern=name, query_intent=pattern.query_intent, steps=steps)


def write_answer(brief: Brief, playbook: Playbook) -> Draft:
    """What was found, by the kind of question."""
    del playbook
    return answer_writers.write_answer(brief)
