"""PURE. A question about operations as it is meant: whole, with its pattern and its parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from workers.contracts import Intent, Landscape, Question, Window
from workers.engine.style import read_zone
from workers.engine.validate import NOVEL
from workers.reasoning.cues import FOLLOW_UP
from workers.reasoning.operations.parameters import Parameters, read_parameters, values_of
from workers.reasoning.operations.words import REQUEST_ID
from workers.reasoning.said import questions_in
from workers.reasoning.time_hints import Moment, read_hints
from workers.sections import PatternEntry

NOW_ONLY = re.compile(r"(?:right )?now|currently|at the moment|recently|lately|these days", re.IGNORECASE)
OWNERS = ("deployment", "model", "backend")
NO_PATTERN = PatternEntry(query_intent="other", question_types=("other",), steps=())


@dataclass(frozen=True)
class Inquiry:
    """``text``: the question. ``earlier``: the one that it follows up, where it leans on one."""

    text: str
    pattern: str
    entry: PatternEntry
    parameters: Parameters
    earlier: str = ""

    @property
    def words(self) -> str:
        """All of its words, those of the earlier question last."""
        return f"{self.text} {self.earlier}".strip()


def read_inquiry(question: Question, landscape: Landscape, patterns: Mapping[str, PatternEntry], agent: str) -> Inquiry:
    """Find the pattern by its cues. One that lacks a parameter it requires is a novel question."""
    text = question.text.strip()
    parameters = read_parameters(text, landscape)
    own = first_cue(text, patterns, agent)
    earlier = leans_on(question, own)
    if earlier:
        before = read_parameters(earlier, landscape)
        parameters = joined(before, parameters)
        own = own if own not in {"", NOVEL} else first_cue(earlier, patterns, agent) or own
    if own == "REQUEST_LOOKUP" and not parameters.get("request_id"):
        parameters = with_request(parameters, question)
    name = (
        own
        if own and not parameters.ambiguous and all(parameters.get(slot) for slot in patterns[own].requires)
        else NOVEL
    )
    return Inquiry(text, name, patterns.get(name, NO_PATTERN), parameters, earlier)


def first_cue(text: str, patterns: Mapping[str, PatternEntry], agent: str) -> str:
    """The agent's first pattern of which a cue stands in the text; empty when none does."""
    own = ((name, entry) for name, entry in patterns.items() if entry.agent == agent)
    fits = (name for name, entry in own if any(re.search(cue, text, re.IGNORECASE) for cue in entry.cues))
    return next(fits, "")


def leans_on(question: Question, own: str) -> str:
    """The earlier question that this one leaves something to; empty when it stands by itself."""
    asked = questions_in(question.context)
    return asked[-1] if asked and (not own or FOLLOW_UP.search(question.text)) else ""


def joined(before: Parameters, now: Parameters) -> Parameters:
    """What is named now in place of what was named before; a model takes the place of a deployment."""
    replaced = set(now.names) | (set(OWNERS) if any(kind in now.names for kind in OWNERS) else set())
    names = {**{kind: own for kind, own in before.names.items() if kind not in replaced}, **now.names}
    plain = {slot: value for p in (before, now) for slot, value in p.values.items() if slot not in values_of(p.names)}
    return Parameters(names, {**plain, **values_of(names)}, now.notes)


def with_request(parameters: Parameters, question: Question) -> Parameters:
    """ "That request": the last one that its thread names."""
    found = [m for message in question.context for m in REQUEST_ID.finditer(message)]
    if not found:
        return parameters
    names = {**parameters.names, "request": (found[-1].group(),)}
    return replace(parameters, names=names, values={**parameters.values, **values_of(names)})


def read_intent(question: Question, inquiry: Inquiry, landscape: Landscape, now: datetime) -> Intent:
    """The kind that the pattern stands for, what is named, and the time named here or in the question before."""
    moment = Moment(now, read_zone(question.timezone), landscape.deploys)
    hints, window = read_hints(inquiry.text, moment)
    if not hints and inquiry.earlier:
        hints, window = read_hints(inquiry.earlier, moment)
    if window and all(NOW_ONLY.fullmatch(hint.strip()) for hint in hints):
        window = Window(start=now - timedelta(days=1), end=now, why=f"{window.why}; with the last 24 h to compare")
    return Intent(
        question_type=inquiry.entry.question_types[0],
        subjects=inquiry.parameters.subjects[:4],
        time_hints=hints,
        window=window,
    )
