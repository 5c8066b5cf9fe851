"""A question about operations as it is meant: whole, with the known plan that covers it, or the figures it counts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from workers.agents.operations.counting_query import read_query, unnamed
from workers.agents.operations.field_query import read_fields
from workers.agents.operations.incident_query import SPOKEN
from workers.agents.operations.parameters import WITHOUT, Parameters, read_parameters
from workers.agents.operations.question_words import NOW, REQUEST_ID, names_in, typed_sql
from workers.agents.operations.sql_text import Query
from workers.contracts import Intent, Landscape, PatternEntry, Question, Window
from workers.engine.validate import NOVEL
from workers.language.message_parts import read_parts
from workers.language.phrase_to_window import phrases_in, read_hints
from workers.language.question_kinds import load_model, plain_words
from workers.language.reference_moment import Moment
from workers.language.stems import stem
from workers.language.stop_words import content_words
from workers.language.zones import read_zone
from workers.reasoning.ambiguity import is_unclear, which_one
from workers.reasoning.deployment_parts import SERVED
from workers.reasoning.question_features import AMOUNT, questions_in
from workers.reasoning.question_subjects import close_names, strip, with_hints
from workers.reasoning.question_words import FOLLOW_UP, OF_CODE, STOP
from workers.reasoning.wish import likeliest_kind

MODEL = "operations_kinds"
ELSEWHERE, COUNTED, SCHEMA, PAST = "ELSEWHERE", "COUNTED", "SCHEMA", "INCIDENTS_PAST"
"""What a question is that has no known pattern: of something else, of figures, of the data, of incidents before."""
TAKES: Mapping[str, frozenset[str]] = {
    "SYSTEM_STATUS": frozenset(SERVED),
    "ACTIVE_INCIDENTS": frozenset(SERVED),
    "LATENCY_INVESTIGATION": frozenset(SERVED),
    "QUALITY_INVESTIGATION": frozenset({"model"}),
    "ERROR_INVESTIGATION": frozenset({*SERVED, "tier"}),
    "TRAFFIC_ANALYSIS": frozenset({*SERVED, "tier"}),
    "REQUEST_LOOKUP": frozenset({"request", "user", *SERVED}),
    "USER_LOOKUP": frozenset({"user"}),
}
"""The kinds of names that the tools of a pattern can be narrowed to."""
KINDS = frozenset({"debug_incident", "operations_status", "traffic", "request_lookup", "user_lookup"})
"""The types of question of what no known pattern covers."""
COUNTING = frozenset({"TRAFFIC_ANALYSIS"})
"""Patterns that count: a word that is not read may be a condition."""
OF_NOW = frozenset({"SYSTEM_STATUS", "ACTIVE_INCIDENTS"})
SHORT = 5
"""Words of a question that leans on its thread."""
SOON = timedelta(minutes=15)
"""What ended so long ago is past."""
WAS = re.compile(r"\b(?:was|were|did|had|been|happened|went|there)\b", re.IGNORECASE)
COMPARED = r"\b(?:than|compared? (?:to|with)|vs\.?|versus|against) (?:[a-z]\w* ){0,2}"
"""What a time stands behind that something is compared with."""
NUMBER = re.compile(r"(?<![\w./-])(?:p(?!50|95)\d\d\S*|\d[\d.,]*)")
"""A number that is neither a name nor of a time; a percentile that the domain tools do not return."""
SHAPE = re.compile(r"x\w+x|some\w+")
"""What stands for a name or a number."""
LISTS = re.compile(
    rf"{AMOUNT.pattern}|\b(?:which|list|number of|count)\b|\bwhat \w+s (?:are|were|did|do|have|had)\b", re.IGNORECASE
)
"""Asks for a count or a list, of which a condition that is not read would change every row."""
NO_PATTERN = PatternEntry(query_intent="other", question_types=("other",), steps=())


@dataclass(frozen=True)
class Inquiry:
    """``pattern``: the known one, else NOVEL; ``kind``: what it is most like.

    ``query``: what is counted or looked up. ``left``: words that nothing accounts for.
    """

    text: str
    kind: str
    pattern: str
    entry: PatternEntry
    parameters: Parameters
    window: Window | None = None
    query: Query | None = None
    left: tuple[str, ...] = ()

    @property
    def is_past(self) -> bool:
        """Whether incidents before are looked up, of names that are clear."""
        return self.pattern == NOVEL and self.kind == PAST and not self.parameters.unclear

    @property
    def unread(self) -> tuple[str, ...]:
        """The words left; where a name is left out, what follows the word that says so."""
        words = tuple(word for word in self.left if word != self.kind)
        denied = WITHOUT.search(self.text) if self.left and self.parameters.unclear and not words else None
        return (self.text[denied.start() :].strip(" ?.!"),) if denied else words

    @property
    def is_conditional(self) -> bool:
        """Whether it counts or lists, and something of it that may be a condition is not read."""
        return bool(self.unread) and (self.is_past or LISTS.search(self.text) is not None)


def read_inquiry(question: Question, landscape: Landscape, patterns: Mapping[str, PatternEntry]) -> Inquiry:
    """The pattern that covers the question, else the figures that it counts."""
    text = whole_of(question, landscape)
    parameters = read_parameters(text, landscape)
    if "request" not in parameters.names and re.search(r"\bthat request\b", text, re.IGNORECASE):
        ids = [m.group() for message in question.context for m in REQUEST_ID.finditer(message)]
        parameters = read_parameters(f"{text} {ids[-1]}", landscape) if ids else parameters
    hints, window = times_of(text, Moment(question.received_at, read_zone(question.timezone), landscape.deploys))
    named = window if hints and not all(NOW.fullmatch(h.strip()) for h in hints) else None
    scores = kind_scores(text, parameters, landscape)
    if set(parameters.names) & {*SERVED, "user"}:
        scores.pop(ELSEWHERE, None)  # what is named is held here
    kind = named_kind(parameters) or max(scores, key=lambda k: scores[k])
    if kind in OF_NOW and named:
        over = named.end < question.received_at - SOON
        kind = PAST if over or (kind == "ACTIVE_INCIDENTS" and WAS.search(text)) else kind
    left = () if kind == "REQUEST_LOOKUP" else left_over(text, kind, parameters, landscape)
    entry = patterns.get(kind)
    if entry and is_taken(kind, parameters, entry) and not left:
        return Inquiry(text, kind, kind, entry, parameters, named)
    aside = parameters.unclear or kind == ELSEWHERE
    query = None if aside else read_query(text, parameters, named, question.received_at)
    query = query or (None if parameters.unclear or typed_sql(text) else read_fields(text, parameters))
    if not query and entry and kind not in COUNTING and is_taken(kind, parameters, entry):
        return Inquiry(text, kind, kind, entry, parameters, named, None, left)
    novel = patterns.get(NOVEL, NO_PATTERN)
    if kind == PAST:
        left = tuple(word for word in left if not SPOKEN.fullmatch(word))
    read = (kind == PAST and not parameters.unclear) or kind == SCHEMA
    told = query or (read and not left) or typed_sql(text)
    return Inquiry(text, kind, NOVEL, novel, parameters, named, query, () if told else left or (kind,))


def named_kind(parameters: Parameters) -> str:
    """What a question is by the id that it names; empty when it names none."""
    return "REQUEST_LOOKUP" if "request" in parameters.names else PAST if "incident" in parameters.names else ""


def times_of(text: str, at: Moment) -> tuple[tuple[str, ...], Window | None]:
    """The time that is named; one that now is compared with lasts until now."""
    hints, window = read_hints(text, at)
    compared = any(re.search(rf"{COMPARED}{re.escape(h.strip())}", text, re.IGNORECASE) for h in hints)
    if window and compared and window.end < at.now and not WAS.search(text):
        window = Window(start=window.start, end=at.now.replace(microsecond=0), why=f"{window.why}, until now")
    return hints, window


def is_taken(kind: str, parameters: Parameters, entry: PatternEntry) -> bool:
    """Whether the tools of a pattern can be narrowed to all that is named."""
    several = any(len(own) > 1 for own in parameters.names.values())
    groups = parameters.get("group_by")
    own = set(parameters.names) - {groups} if kind == "TRAFFIC_ANALYSIS" else set(parameters.names)
    if kind == "TRAFFIC_ANALYSIS" and own:
        return False
    required = all(parameters.get(slot) for slot in entry.requires)
    return required and not (several or parameters.unclear) and set(parameters.names) <= TAKES.get(kind, frozenset())


def kind_scores(text: str, parameters: Parameters, landscape: Landscape) -> dict[str, float]:
    """How much a question is like each kind, its names masked; a look-up has something to look up."""
    scores = load_model(MODEL).scores(masked(text, parameters, landscape))
    for kind, need in (("REQUEST_LOOKUP", "request"), ("USER_LOOKUP", "user")):
        if need not in parameters.names:
            scores.pop(kind, None)
    return scores


def masked(text: str, parameters: Parameters, landscape: Landscape) -> str:
    """A question with each name as what it is, as in the examples: ``why is somemodel slow?``."""
    for hint in phrases_in(text):
        text = text.replace(hint, " today ")
    for kind, said in parameters.written:
        text = text.replace(said, f"some{kind}")
    for kind, own in parameters.names.items():
        for name in sorted(own, key=len, reverse=True) if kind != "tier" else ():
            parts = "|".join(map(re.escape, (name, *name.split("/"), re.split(r"[-_./]", name)[0])))
            spelt = rf"(?<![\w-])(?:{parts})(?![\w-])"
            text = re.sub(spelt, f"some{kind}", text, flags=re.IGNORECASE)
    others = (*landscape.labels.get("service", ()), *landscape.labels.get("endpoint", ()), *landscape.alerts)
    for name in names_in(text, others)[0]:
        text = re.sub(re.escape(name), "someplace", text, flags=re.IGNORECASE)
    return re.sub(r"(?<![\w.])/[a-z][\w/{}-]*", "someplace", text)


def left_over(text: str, kind: str, parameters: Parameters, landscape: Landscape) -> tuple[str, ...]:
    """Words with a meaning that questions of this kind are not made of, and that name nothing."""
    usual = load_model(MODEL).words.get(kind, frozenset())
    names = {*parameters.names.get("tier", ()), "today", "list", *parameters.names}
    names |= {"users", "customers", "user"} if "tier" in names else set()
    said = plain_words(masked(text, parameters, landscape))
    words = [w for w in said if len(w) > 2 and w not in STOP and content_words(w) and not SHAPE.fullmatch(w)]
    numbers = NUMBER.findall(unnamed(text, parameters))
    odd = [w for w in words if stem(w) not in usual | names and w not in names]
    if odd:  # beside a condition that is not read, a short word is a name: "excluding eu"
        odd = [w for w in said if w in odd or (len(w) == 2 and w.isalpha() and w not in STOP)]
    return tuple(dict.fromkeys([*odd, *numbers]))


# --- with its thread ------------------------------------------------------------------------------------------


def whole_of(question: Question, landscape: Landscape) -> str:
    """A question with what it leaves to its thread put in: "and on west-edge?", "why?", "and its errors?"."""
    text = question.text.strip() if typed_sql(question.text) else read_parts(question.text).own
    asked = questions_in(question.context)
    if not asked or REQUEST_ID.search(text):
        return text
    earlier = question.model_copy(update={"text": asked[-1], "context": tuple(asked[:-1])})
    base = whole_of(earlier, landscape)
    hints, own, old = phrases_in(text), read_parameters(text, landscape).names, read_parameters(base, landscape).names
    said = strip(text, hints)
    for names in own.values():
        for name in names:
            said = said.replace(name, " ")
    if not [w for w in plain_words(said) if w in OF_CODE or (w not in STOP and len(w) > 2 and content_words(w))]:
        told = () if own or hints else subjects_of(question.context[-1], landscape)
        return f"what is wrong with {told[0]}?" if told and not old else instead(with_hints(base, hints), own, old)
    leans = (bool(FOLLOW_UP.search(text)) or len(text.split()) <= SHORT) and not own
    frame = [f"for {names[0]}" for kind, names in old.items() if kind in {*SERVED, "user"}][:1] if leans else []
    when = phrases_in(base) if leans and not hints else ()
    return f"{text.rstrip('?., ')} {' '.join((*frame, *when))}?" if frame or when else text


def subjects_of(message: str, landscape: Landscape) -> tuple[str, ...]:
    """The deployments, models and backends that a message names."""
    names = read_parameters(message, landscape).names
    return tuple(name for kind in SERVED for name in names.get(kind, ()))


def instead(base: str, own: Mapping[str, tuple[str, ...]], old: Mapping[str, tuple[str, ...]]) -> str:
    """The earlier question, asked of something else."""
    for kind, names in own.items():
        group = {"user", "tier"} if kind in {"user", "tier"} else {kind, "deployment"}
        before = [name for k in old if k in group for name in old[k] if name in base]
        model = before[0].partition("/")[0] if before and kind == "backend" and "/" in before[0] else ""
        new = f"{model}/{names[0]}" if model else names[0]
        base = base.replace(before[0], new, 1) if before else f"{base.rstrip('?., ')} on {new}?"
    return base


# --- intent and side ------------------------------------------------------------------------------------------


def read_intent(question: Question, inquiry: Inquiry, landscape: Landscape, now: datetime) -> Intent:
    """The kind that the pattern stands for, what is named, and the time."""
    moment = Moment(now, read_zone(question.timezone), landscape.deploys)
    hints, window = times_of(inquiry.text, moment)
    if window and all(NOW.fullmatch(hint.strip()) for hint in hints):
        window = Window(start=now - timedelta(days=1), end=now, why=f"{window.why}; with the last 24 h to compare")
    novel, subjects = inquiry.pattern == NOVEL, inquiry.parameters.subjects[:4]
    kind = likeliest_kind(inquiry.text, KINDS) if novel else inquiry.entry.question_types[0]
    alone = bool(inquiry.left) and not (inquiry.parameters.names or question.context)
    asks = alone and is_unclear(inquiry.text)
    ambiguity = which_one(inquiry.text, landscape.labels.get("deployment", ())) if asks else None
    return Intent(question_type=kind, subjects=subjects, time_hints=hints, window=window, ambiguity=ambiguity)


SURE, LIKELY, HARDLY, LEAD, FAR = 0.9, 0.7, 0.0, 0.1, 0.3
OWN = re.compile(
    r"\b(?:models?|llms?|deployments?|backends?|tiers?|tokens?|ttft|incidents?|budgets?|users?|costs?|spen\w+|quality|"
    r"answers?|providers?|(?:which|failed) requests|rate limits?)\b",
    re.IGNORECASE,
)
"""Words of what the operations data hold and the metrics of services do not."""
OWN_ALONE = re.compile(r"\b(?:models?|llms?|backends?|tiers?|tokens?|ttft|budgets?|providers?)\b", re.IGNORECASE)
"""Those of them that nobody says of a service."""


@dataclass(frozen=True)
class Naming:
    """What a question names. ``held``: something in the operations data; ``served``: such that is no user.

    ``foreign``: something of the team's own systems; ``known``: whether the operations data hold anything at all.
    """

    text: str
    parameters: Parameters
    known: bool
    served: bool
    held: bool
    foreign: bool


def read_naming(question: Question, landscape: Landscape) -> Naming:
    """What is named, of the operations data and of others: endpoints, services, alerts."""
    text = whole_of(question, landscape)
    parameters = read_parameters(text, landscape)
    others = (*landscape.labels.get("service", ()), *landscape.alerts)
    deployed = {name for kind in SERVED for name in landscape.labels.get(kind, ())}
    users = {*landscape.labels.get("user", ())} - {*others}
    served = bool({"request", "incident"} & set(parameters.names)) or any(n in deployed for n in parameters.subjects)
    held = served or any(n in users for n in parameters.subjects)
    return Naming(
        text=text,
        parameters=parameters,
        known=bool(deployed | users),
        served=served,
        held=held,
        foreign="someplace" in masked(text, parameters, landscape)
        or bool(names_in(text, others)[0] or (not held and any(close_names(text, landscape)))),
    )


def is_foreign(question: Question, landscape: Landscape) -> bool:
    """Whether it is about the team's own systems: it names an endpoint, service or alert, or nothing of the operations
    data, and uses no word for what they hold."""
    naming = read_naming(question, landscape)
    if naming.held or typed_sql(question.text):
        return naming.foreign and not naming.served
    measured = bool(landscape.metrics or landscape.alerts or landscape.labels.get("endpoint"))
    return naming.foreign or (measured and not OWN.search(naming.text)) or leans_on_foreign(question, naming, landscape)


def leans_on_foreign(question: Question, naming: Naming, landscape: Landscape) -> bool:
    """Whether it names nothing, in a thread that was about the team's own systems last."""
    if naming.held or OWN_ALONE.search(naming.text):
        return False
    earlier = (question.model_copy(update={"text": said, "context": ()}) for said in reversed(question.context))
    last = next((one for one in (read_naming(q, landscape) for q in earlier) if one.held or one.foreign), None)
    return last is not None and not last.held


def how_operational(question: Question, landscape: Landscape) -> float:
    """How sure it is that the operations data answer, 0 to 1."""
    if typed_sql(question.text):
        return SURE
    naming = read_naming(question, landscape)
    if not naming.known:
        return HARDLY
    scores = kind_scores(naming.text, naming.parameters, landscape)
    lead = max(v for k, v in scores.items() if k != ELSEWHERE) - scores[ELSEWHERE]
    if naming.held and not naming.foreign:
        said = read_parameters(question.text, landscape)
        named = bool(set(said.names) & {*SERVED, "user"})
        field = named and read_fields(naming.text, said) is not None
        return SURE if field or lead > (-FAR if named else -LEAD) else HARDLY
    if naming.foreign:
        return SURE if naming.served and lead > -LEAD else HARDLY
    measured = bool(landscape.metrics or landscape.alerts or landscape.labels.get("endpoint"))
    asked = questions_in(question.context)
    earlier = question.model_copy(update={"text": asked[-1], "context": tuple(asked[:-1])}) if asked else None
    columns = max(scores, key=lambda k: scores[k]) == SCHEMA
    own = bool(OWN.search(naming.text)) or not measured or columns
    own = own or (earlier is not None and how_operational(earlier, landscape) >= LIKELY)
    return LIKELY if lead >= LEAD and own and not leans_on_foreign(question, naming, landscape) else HARDLY
