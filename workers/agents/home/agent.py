"""How the home agent reads a question, plans, and which orders it takes at once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache

from workers.agents.home.language.reading import POLITE, read_request
from workers.agents.home.language.request import Found, HomeRequest
from workers.agents.home.language.targets import find_targets
from workers.agents.home.language.templates import LANGUAGE
from workers.agents.home.language.vocabulary import ACTION_DOMAINS, RUN, UNREAD
from workers.agents.home.write_home import write_home
from workers.contracts import (
    Ambiguity,
    Draft,
    EntityInfo,
    Intent,
    Landscape,
    Option,
    Plan,
    Proposal,
    Question,
    Step,
)
from workers.ports import Brief, Playbook
from workers.reasoning.known_plans import fill_step

CHOSEN = re.compile(r"\((?P<entity>[a-z_]+\.[a-z0-9_]+)\)\?$")
"""What the engine adds to a question that was asked back: the value of the chosen option."""
RUNNING = re.compile(
    r"^(?:run|start|activate|execute|trigger|begin|do|time for) (?:the |my |our )?(?:routine |script )?"
    r"| (?:routine|script|mode|please|now)$"
)
"""What stands around the name of a routine that is to be run."""
MOST_OPTIONS = 8
MOST_BEFORE = 4
"""Messages of the thread in which what "those" are is looked for."""
OPENINGS = frozenset({"locked", "unlocked"})
"""States that things of a home alone have."""
FULLY = 0.9
"""The claim of a request of which every word is bound to the home."""
NO_NAMES = "home_unread"
"""The plan when no name of the home is known."""


def owns_phrase(question: Question, landscape: Landscape) -> bool:
    """Whether it is the name or a phrase of a routine, or the name of a scene, and nothing else."""
    return bool(routine_of(question, landscape, exact=True)) or names_scene(question, landscape)


def claim(question: Question, landscape: Landscape) -> float:
    """How sure it is of the home: by a phrase of its own, or when every word names something of the home, says what is
    to be done with it or what is asked of it."""
    if owns_phrase(question, landscape):
        return 1.0
    if not landscape.entities:
        return 0.0
    request, found = understood(question, landscape)
    there = any(t.areas or t.floors for t in request.targets)
    says = bool(request.action) if request.kind == "change" else bool(request.state)
    named = any(t.names or t.nouns for t in request.targets) or (says and (there or request.state in OPENINGS))
    placed_only = all(not t.words and (t.areas or t.floors) for t in request.targets)  # a kind that is not in the room
    meant = bool(request.lacks or ((found.ids or found.ambiguous) and not found.unknown)) or placed_only
    return FULLY if request.kind != "unclear" and named and meant else 0.0


def names_scene(question: Question, landscape: Landscape) -> bool:
    """Whether it is the name of a scene or script that the home has, and nothing else."""
    name = bare_order(question.text)
    return any(e.domain in RUN and name in {n.lower() for n in (e.name, *e.aliases)} for e in landscape.entities)


def read_order(question: Question, landscape: Landscape) -> Proposal | None:
    """A routine that the configuration approved, ordered by its name or a phrase and by nothing else.

    One that touches a lock, a cover or the like is no such order: it is proposed.
    """
    name = bare_order(question.text)
    approved = {routine.lower(): routine for routine in landscape.labels.get("home_routine", ())}
    if name not in approved:
        return None
    return Proposal(
        tool="home_assistant_routine", args={"name": approved[name]}, title=f"Run the routine {approved[name]}"
    )


def bare_order(text: str) -> str:
    """An order in lower case without "please" and what stands at its end."""
    return POLITE.sub("", " ".join(text.split()), count=1).strip(" .!").lower()


def understood(question: Question, landscape: Landscape) -> tuple[HomeRequest, Found]:
    """What is asked, and of which things."""
    languages = landscape.labels.get("home_language", ()) or (LANGUAGE,)
    return read_once(question.text, landscape.entities, languages, question.context[-MOST_BEFORE:])


@lru_cache(maxsize=64)
def read_once(
    text: str, entities: tuple[EntityInfo, ...], languages: tuple[str, ...], thread: tuple[str, ...]
) -> tuple[HomeRequest, Found]:
    """See `understood`; a question is read for its intent, its plan and its answer."""
    chosen = CHOSEN.search(text)
    request = read_request(CHOSEN.sub("", text), entities, languages, thread=thread)
    return request, find_targets(request, entities, chosen["entity"] if chosen else "")


def read_intent(question: Question, landscape: Landscape, now: datetime, playbook: Playbook) -> Intent:
    """The kind of question and the things it is about; a question back when a name fits several."""
    del now, playbook
    if routine := routine_of(question, landscape):
        return Intent(question_type="routine", subjects=(routine,))
    request, found = understood(question, landscape)
    kind = "other" if request.kind == "unclear" else request.kind
    return Intent(
        question_type=kind,
        subjects=found.ids[:20] or found.unknown[:5],
        ambiguity=ambiguity_of(request, found, landscape.entities),
    )


def routine_of(question: Question, landscape: Landscape, *, exact: bool = False) -> str:
    """The routine that is ordered by its name, after "run" or the like unless ``exact``; empty when there is none."""
    labels = landscape.labels
    known = (*labels.get("home_guarded_routine", ()), *labels.get("home_routine", ()))
    name = bare_order(question.text)
    names = {name} if exact else {name, RUNNING.sub("", name)}
    return next((one for one in known if one.lower() in names), "")


def ambiguity_of(request: HomeRequest, found: Found, entities: tuple[EntityInfo, ...]) -> Ambiguity | None:
    """The question back for the first name that fits several things, with where each of them is."""
    if not found.ambiguous or request.lacks:
        return None
    name, candidates = next(iter(found.ambiguous.items()))
    by_id = {e.id: e for e in entities}
    options = tuple(
        Option(value=i, label=label_of(by_id[i]), reason=f"{by_id[i].domain.replace('_', ' ')}, {i}")
        for i in candidates[:MOST_OPTIONS]
    )
    return Ambiguity(question=f"“{name}” could be several things in the home. Which one?", options=options)


def label_of(entity: EntityInfo) -> str:
    """``Floor lamp · Lab, Upstairs``."""
    place = ", ".join(filter(None, (entity.area, entity.floor)))
    return f"{entity.name} · {place}" if place else entity.name


def make_plan(question: Question, intent: Intent, landscape: Landscape, playbook: Playbook) -> Plan:
    """The known plan of this kind; none when what is asked fits nothing, or a change leaves something open."""
    values: dict[str, str] = {}
    if not landscape.entities and NO_NAMES in playbook.patterns:
        pattern = playbook.patterns[NO_NAMES]
        steps = tuple(fill_step(step, values, ()) for step in pattern.steps)
        return Plan(pattern=NO_NAMES, query_intent=pattern.query_intent, steps=steps)
    if intent.question_type == "routine":
        values = {"routine": routine_of(question, landscape)}
    else:
        request, found = understood(question, landscape)
        if not blocked(request, found):
            values = values_of(request, found, landscape.entities)
    for name, pattern in playbook.patterns.items():
        fits = name != NO_NAMES and intent.question_type in pattern.question_types
        if fits and all(values.get(slot) for slot in pattern.requires):
            steps = tuple(without_empty(fill_step(step, values, ())) for step in pattern.steps)
            return Plan(pattern=name, query_intent=pattern.query_intent, steps=steps)
    return Plan(pattern="NOVEL", query_intent="say what cannot be done", steps=())


def values_of(request: HomeRequest, found: Found, entities: tuple[EntityInfo, ...]) -> dict[str, str]:
    """The slots of known plans: of a change, too, which of the things, and what has to hold before."""
    conditions = request.conditions
    order = conditions.order if request.kind == "state" else ""
    values = {
        "entities": ", ".join(found.ids),
        "action": request.action,
        "value": request.value,
        "order": order,
        **selection_of(request, ""),
    }
    holds = request.holds or HomeRequest("unclear")
    needed = find_targets(holds, entities)
    values["if_none"] = "true" if holds.every else ""
    return {**values, "if_entities": ", ".join(needed.ids), **selection_of(holds, "if_")}


def selection_of(request: HomeRequest, prefix: str) -> dict[str, str]:
    """Which of the things: their state, a number, how long; empty where nothing is said."""
    c = request.conditions
    numbers = {"above": c.least, "below": c.most, "longer_s": c.longer_s or None, "shorter_s": c.shorter_s or None}
    told = {key: "" if number is None else f"{number:g}" for key, number in numbers.items()}
    told["inclusive"] = "true" if c.inclusive else ""
    return {f"{prefix}{key}": value for key, value in {"state": request.state, **told}.items()}


def blocked(request: HomeRequest, found: Found) -> bool:
    """Whether nothing is done: a change is never guessed, and nothing is counted or listed by half of a question."""
    if request.kind == "change":
        return bool(request.lacks or found.unknown or found.ambiguous or request.action not in ACTION_DOMAINS)
    half = len(request.targets) > 1 and any(t.words for t in request.targets)
    return not found.ids or bool(
        found.unknown and (len(found.ids) > 1 or half or UNREAD.intersection(" ".join(found.unknown).split()))
    )


def without_empty(step: Step) -> Step:
    """A step without arguments that are empty."""
    args: Mapping[str, object] = step.args
    return step.model_copy(update={"args": {key: value for key, value in args.items() if value != ""}})


def write_answer(brief: Brief, playbook: Playbook) -> Draft:
    """States, since when, or what is proposed; what was not understood, with the nearest names."""
    del playbook
    request, found = understood(brief.question, brief.landscape)
    return write_home(brief, request, found, brief.landscape.entities)
