"""A question about operations as it is meant: whole, with its pattern and its parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from workers.agents.operations.parameters import Parameters, read_parameters, values_of
from workers.agents.operations.question_words import NOW, REQUEST_ID, typed_sql
from workers.agents.operations.thread_context import whole_of
from workers.agents.operations.tool_coverage import goes_beyond
from workers.contracts import Intent, Landscape, PatternEntry, Question, Window
from workers.engine.validate import NOVEL
from workers.grounding.lexicon import words
from workers.language.phrase_to_window import read_hints
from workers.language.reference_moment import Moment
from workers.language.zones import read_zone

AT_THIS_MOMENT = re.compile(r"(?:right )?now|currently|at the moment", re.IGNORECASE)
SOON = timedelta(minutes=15)
"""What ended so long ago is past."""
OF_NOW = frozenset({"SYSTEM_STATUS", "ACTIVE_INCIDENTS", ""})
"""Patterns whose tools know the present alone."""
BESIDE_NOW = frozenset({"LATENCY_INVESTIGATION", "QUALITY_INVESTIGATION", "ERROR_INVESTIGATION"})
"""Patterns that tell the present beside a span."""
WAS = words(r"was|were|wasn[’']t|weren[’']t|did|didn[’']t|had|has been|have been|been|happened|went|got|failed|broke")
COMPARED = r"\b(?:than|compared? (?:to|with)|vs\.?|versus|against) (?:[a-z]\w* ){{0,2}}{}"
"""What a time stands behind that something is compared with."""
STILL = words(r"active|open|ongoing|current(?:ly)?|still")
USER_LOOKUP = "USER_LOOKUP"
NO_PATTERN = PatternEntry(query_intent="other", question_types=("other",), steps=())


@dataclass(frozen=True)
class Inquiry:
    """``text``: the question, with what it leaves to its thread put in.

    ``cue``: the pattern whose cue it has, also when it asks for more than that one tells; empty when it has none.
    ``then``: the span of which it asks how things stood; none when it asks of now. ``at``: what times are read against.
    """

    text: str
    pattern: str
    entry: PatternEntry
    parameters: Parameters
    at: Moment
    cue: str = ""
    then: Window | None = None


def read_inquiry(question: Question, landscape: Landscape, patterns: Mapping[str, PatternEntry]) -> Inquiry:
    """Find the pattern by its cues.

    One that lacks a parameter it requires is a novel question; so is one of more, or of another time, than it tells.
    """
    whole = whole_of(question.text, question.context, landscape)
    text, parameters = whole.text, read_parameters(whole.text, landscape)
    if whole.leans:
        parameters = with_notes(parameters, read_parameters(question.text, landscape))
    cue = first_cue(text, patterns)
    if cue == "REQUEST_LOOKUP" and not parameters.get("request_id"):
        parameters = with_request(parameters, question)
    cue = USER_LOOKUP if cue in {"", "SYSTEM_STATUS"} and is_of_user(parameters) and USER_LOOKUP in patterns else cue
    at = Moment(question.received_at, read_zone(question.timezone), landscape.deploys)
    then = read_then(cue, text, times_of(text, at), at.now)
    plain = cue and not parameters.ambiguous and all(parameters.get(slot) for slot in patterns[cue].requires)
    known = plain and not (then or typed_sql(text) or is_of_incident(cue, parameters))
    name = cue if known and not goes_beyond(cue, text, parameters, patterns[cue].steps) else NOVEL
    return Inquiry(text, name, patterns.get(name, NO_PATTERN), parameters, at, cue, then)


def is_of_user(parameters: Parameters) -> bool:
    """Whether one user is all that is named: whatever is asked, it is asked about that one."""
    return set(parameters.names) == {"user"} and bool(parameters.get("user_id"))


def is_of_incident(cue: str, parameters: Parameters) -> bool:
    """Whether an incident is named by its id; a request that is named too is what is asked for."""
    return "incident" in parameters.names and cue != "REQUEST_LOOKUP"


def times_of(text: str, at: Moment) -> tuple[tuple[str, ...], Window | None]:
    """The time that is named; one that now is compared with lasts until now."""
    hints, window = read_hints(text, at)
    compared = any(re.search(COMPARED.format(re.escape(hint.strip())), text, re.IGNORECASE) for hint in hints)
    if window and compared and window.end < at.now and not WAS.search(text):
        end = at.now.replace(microsecond=0)
        window = Window(start=window.start, end=end, why=f"{window.why}, until now to compare")
    return hints, window


def read_then(cue: str, text: str, named: tuple[tuple[str, ...], Window | None], now: datetime) -> Window | None:
    """The span that a question is about, when the pattern of its cue would tell how things stand now."""
    hints, window = named
    if window is None or any(AT_THIS_MOMENT.fullmatch(hint.strip()) for hint in hints):
        return None
    ended = window.end < now - SOON
    if cue in OF_NOW:
        reaches_now = bool(WAS.search(text)) or cue == "ACTIVE_INCIDENTS"
        return window if ended or (reaches_now and not STILL.search(text)) else None
    return window if ended and cue in BESIDE_NOW else None


def first_cue(text: str, patterns: Mapping[str, PatternEntry]) -> str:
    """The first pattern of which a cue stands in the text; empty when none does."""
    fits = (name for name, entry in patterns.items() if any(re.search(cue, text, re.IGNORECASE) for cue in entry.cues))
    return next(fits, "")


def with_notes(whole: Parameters, own: Parameters) -> Parameters:
    """What a question names as a whole, with how its own names were read, which are spelt out in the whole."""
    notes = tuple(dict.fromkeys((*whole.notes, *own.notes)))
    return replace(whole, notes=notes, ambiguous=whole.ambiguous or own.ambiguous)


def with_request(parameters: Parameters, question: Question) -> Parameters:
    """ "That request": the last one that its thread names."""
    found = [m for message in question.context for m in REQUEST_ID.finditer(message)]
    if not found:
        return parameters
    names = {**parameters.names, "request": (found[-1].group(),)}
    return replace(parameters, names=names, values={**parameters.values, **values_of(names)})


def read_intent(question: Question, inquiry: Inquiry, landscape: Landscape, now: datetime) -> Intent:
    """The kind that the pattern stands for, what is named, and the time."""
    moment = Moment(now, read_zone(question.timezone), landscape.deploys)
    hints, window = times_of(inquiry.text, moment)
    if window and all(NOW.fullmatch(hint.strip()) for hint in hints):
        window = Window(start=now - timedelta(days=1), end=now, why=f"{window.why}; with the last 24 h to compare")
    return Intent(
        question_type=inquiry.entry.question_types[0],
        subjects=inquiry.parameters.subjects[:4],
        time_hints=hints,
        window=window,
    )
