"""What a question names -> the values of a pattern's slots: models, backends, users, requests, tiers, states."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from workers.agents.operations.question_words import (
    BARE_TIER,
    DAILY,
    GROUP,
    HOURLY,
    INCIDENT_ID,
    KIND,
    NAMED,
    NO_TASK,
    REQUEST_ID,
    STATUS,
    TASK,
    TIER,
    names_in,
    singular,
)
from workers.contracts import Intent, Landscape, rfc3339
from workers.reasoning.claim_phrases import join
from workers.reasoning.deployment_parts import SERVED
from workers.reasoning.name_spelling import is_common, near_word, only_near
from workers.reasoning.question_words import STOP

KINDS = (*SERVED, "user", "task_type")
GROUPS = frozenset({"tier", "model", "backend", "deployment"})
HOURS_OF_DAYS = timedelta(days=3)
"""A longer span is told by day, a shorter one by hour."""
MARKED = re.compile(r"[\d_@./-]")
"""Stands in names and not in words."""
NAMELESS = re.compile(
    r"\b(?:which|what|whose|an?|any|each|every|no|our|my|their|this|that|by|per|some|another|all|top|most|more|other)"
    r"(?: (?:\w+est|most \w+|least \w+|only|one|single|first|last|new|same|top|paying|premium|standard|\d+))*\s+$",
    re.IGNORECASE,
)
"""Before a noun that stands for some of its kind, as in "which user made"; "user ann" stands alone."""
LOOKS_NAMED = re.compile(r"(?<![\w.])(?:[A-Za-z][\w.]*(?:[-_/][\w.]+)+|[A-Za-z]{2,}\d[\w.]*)")


@dataclass(frozen=True)
class Parameters:
    """``names``: what is named, by kind. ``values``: slot -> value. ``notes``: names that were read as others.

    ``ambiguous``: a name stands for several things. ``excluded``: what is to be left out, by kind.
    """

    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    ambiguous: bool = False
    excluded: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def get(self, slot: str) -> str:
        """A slot's value; empty when it has none."""
        return self.values.get(slot, "")

    @property
    def subjects(self) -> tuple[str, ...]:
        """Everything named, the most telling first."""
        order = ("request", "incident", *SERVED, "user", "tier", "task_type")
        return tuple(name for kind in order for name in self.names.get(kind, ()))


def read_parameters(text: str, landscape: Landscape) -> Parameters:
    """Everything that a question names of the operations data, and what it leaves out by name."""
    rest, excluded = left_out_of(text, lambda said: read_plain(said, landscape).names)
    return replace(read_plain(rest, landscape), excluded=excluded) if excluded else read_plain(text, landscape)


def read_plain(text: str, landscape: Landscape) -> Parameters:
    """Everything that a text names.

    A name that nobody knows is read as the one it is close to; else it stays, so that the tool can say what exists. Of
    several names of one kind none is a filter.
    """
    found = {match[match.lastgroup] if match.lastgroup else match.group() for match in REQUEST_ID.finditer(text)}
    requests = tuple(sorted(found, key=text.find))
    rest = text
    for request in requests:
        rest = rest.replace(request, " ")
    names: dict[str, tuple[str, ...]] = {"request": requests} if requests else {}
    if incidents := tuple(dict.fromkeys(match.group() for match in INCIDENT_ID.finditer(rest))):
        names["incident"] = incidents
        rest = INCIDENT_ID.sub(" ", rest)
    for kind in KINDS:
        own, rest = names_in(rest, landscape.labels.get(kind, ()))
        names |= {kind: own} if own else {}
    read, notes = read_slips(rest, landscape)
    cut, more = ((), ()) if set(names) & set(SERVED) else read_short(rest, landscape)
    for kind, name in (*read, *cut):
        names[kind] = tuple(dict.fromkeys((*names.get(kind, ()), name)))
    if tiers := tiers_in(rest):
        names["tier"] = tiers
    if "task_type" not in names and (tasks := tasks_in(rest)):
        names["task_type"] = tasks
    names = with_pair(names, landscape)
    several = len({name for _, name in cut}) > 1
    return Parameters(names, {**group_of(names), **values_of(names), **words_of(text)}, (*notes, *more), several)


def tiers_in(text: str) -> tuple[str, ...]:
    """The tiers that are named; beside one of them a bare word is another: "premium and standard users"."""
    sure = [(match.start(), str(match[str(match.lastgroup)])) for match in TIER.finditer(text)]
    if sure:
        sure += [(match.start(), match.group()) for match in BARE_TIER.finditer(text)]
    return tuple(dict.fromkeys(name.lower() for _, name in sorted(sure)))


def tasks_in(text: str) -> tuple[str, ...]:
    """The types of task that are named, which no source lists: "code tasks", "task_type=chat"."""
    found = (str(match[str(match.lastgroup)]).lower() for match in TASK.finditer(text))
    return tuple(dict.fromkeys(name for name in found if name not in NO_TASK))


def read_slips(text: str, landscape: Landscape) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Names that nobody knows, as they were probably meant: kind and name, and a sentence for each reading."""
    read: list[tuple[str, str]] = []
    notes: list[str] = []
    called = called_in(text)
    loose = [m.group() for m in LOOKS_NAMED.finditer(text) if m.group() not in called]
    for name in [n for n in (*called, *loose) if n.lower() not in STOP]:
        kinds = (called[name],) if name in called else KINDS
        near = [(kind, right) for kind in kinds if (right := nearest(name, landscape.labels.get(kind, ())))]
        if len(near) == 1:
            read.append(near[0])
            notes.append(f"No {near[0][0].replace('_', ' ')} {name} is known; read as {near[0][1]}.")
        elif name in called and (MARKED.search(name) or called[name] == "user"):
            read.append((called[name], name))
        elif name.count("/") == 1 and "-" in name:
            read.append(("deployment", name))
        elif name not in called and re.search(r"-\w*\d|\d\w*-", name):
            notes.append(f"{name} is no model, backend, deployment or user that is known.")
    return tuple(read), tuple(notes)


def called_in(text: str) -> dict[str, str]:
    """What a kind stands before, and the kind: "model gpt-9", "user ann".

    A word without a mark of names is one of a user only in quotation marks, or where nothing says that the noun stands
    for some user, and the word is none that questions are made of.
    """
    found: dict[str, str] = {}
    for match in NAMED.finditer(text):
        name, kind = match["name"].strip(".-"), KIND.get(match["kind"].lower(), match["kind"].lower())
        quoted = text[match.start("name") - 1] in '`"“'
        word = is_common(name) or name.endswith("ing") or NAMELESS.search(text[: match.start()])
        if kind != "user" or quoted or MARKED.search(name) or not word:
            found[name] = kind
    return found


def read_short(text: str, landscape: Landscape) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Names cut short to their first word, "kestrel" for kestrel-8b: all that begin so, and a sentence that says so."""
    read: list[tuple[str, str]] = []
    notes: list[str] = []
    for word in dict.fromkeys(re.findall(r"(?<![\w./-])[a-z]{4,}(?![\w./-]*\d|[-/])", text.lower())):
        for kind in ("model", "backend"):
            long = [name for name in landscape.labels.get(kind, ()) if re.split(r"[-_./]", name.lower())[0] == word]
            if long and word not in STOP and not is_common(word):
                read.extend((kind, name) for name in long)
                notes.append(f"{word} is read as {join(long)}.")
    return tuple(read), tuple(notes)


def nearest(name: str, known: Sequence[str]) -> str:
    """The one known name that is misspelt or cut short as this; nothing when there are several."""
    if slip := only_near(name, known, near_word):
        return slip
    longer = [k for k in known if k.lower().startswith(f"{name.lower()}-") or k.lower().startswith(f"{name.lower()}/")]
    return longer[0] if len(longer) == 1 else ""


def with_pair(names: Mapping[str, tuple[str, ...]], landscape: Landscape) -> dict[str, tuple[str, ...]]:
    """A model and a backend are the deployment of both, when it exists."""
    out = dict(names)
    if len(names.get("model", ())) == len(names.get("backend", ())) == 1:
        both = f"{names['model'][0]}/{names['backend'][0]}"
        if both in landscape.labels.get("deployment", ()):
            out = {k: v for k, v in out.items() if k not in {"model", "backend"}}
            out["deployment"] = (both,)
    return out


def values_of(names: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Slots of names: one that is alone of its kind is a filter."""
    one = {kind: own[0] for kind, own in names.items() if len(own) == 1}
    model, _, backend = one.get("deployment", "").partition("/")
    slots = {
        "request_id": one.get("request", ""),
        "incident_id": one.get("incident", ""),
        "deployment_id": one.get("deployment", ""),
        "model_id": one.get("model", ""),
        "backend_id": one.get("backend", ""),
        "of_model": one.get("model", "") or model,
        "of_backend": one.get("backend", "") or backend,
        "user_id": one.get("user", ""),
        "user_tier": one.get("tier", ""),
        "task_type": one.get("task_type", ""),
    }
    return {slot: value for slot, value in slots.items() if value}


def group_of(names: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """What is named tells what to group by, so that its own share is seen."""
    kind = next((kind for kind in (*SERVED, "tier") if kind in names), "")
    return {"group_by": kind} if kind else {}


def words_of(text: str) -> dict[str, str]:
    """Slots of plain words: the state of requests, what to group by, how fine."""
    states = [state for state, pattern in STATUS.items() if pattern.search(text)]
    group = next((noun for m in GROUP.finditer(text) if (noun := singular(m["noun"])) in GROUPS), "")
    fine = "hour" if HOURLY.search(text) else "day" if DAILY.search(text) else ""
    slots = {
        "status": states[0] if len(states) == 1 else "",
        "failing": "timeout" if states[:1] == ["timeout"] and "error" not in states else "error",
        "group_by": group,
        "granularity": fine,
    }
    return {slot: value for slot, value in slots.items() if value}


def with_span(values: Mapping[str, str], intent: Intent) -> dict[str, str]:
    """Slots with the time that was named; without one the tools' own spans hold."""
    if not intent.time_hints or intent.window is None:
        return dict(values)
    window = intent.window
    fine = "day" if window.end - window.start > HOURS_OF_DAYS else "hour"
    return {
        "granularity": fine,
        **values,
        "since": rfc3339(window.start),
        "until": rfc3339(window.end),
    }


Names = Mapping[str, tuple[str, ...]]
NEGATION = re.compile(
    r"\b(?P<lead>except(?:ing)?(?: for)?|excluding|exclude|without|other than|apart from|aside from|besides|ignoring|"
    r"ignore|leaving out|leave out|minus|but not|not|isn[’']t|aren[’']t)\b[\s:]*",
    re.IGNORECASE,
)
BETWEEN = re.compile(
    r"the|any|for|on|of|in|from|at|by|and|or|nor|users?|customers?|tiers?|models?|backends?|deployments?|tasks?|"
    r"requests?|traffic|[,&]",
    re.IGNORECASE,
)
"""What may stand between a negation and a name, and between names."""
CLOSES = re.compile(r"users?|customers?|tiers?|requests?|traffic|tasks?", re.IGNORECASE)
TIERS = frozenset({"premium", "standard", "budget"})


def left_out_of(text: str, read: Callable[[str], Names]) -> tuple[str, dict[str, tuple[str, ...]]]:
    """A text without what it leaves out, and the names of that, by kind."""
    excluded: dict[str, tuple[str, ...]] = {}
    for match in reversed(list(NEGATION.finditer(text))):
        said = names_after(text[match.end() :], match["lead"].lower(), read)
        if said:
            for kind, names in {**tiers_of(said), **read(said)}.items():
                excluded[kind] = tuple(dict.fromkeys((*names, *excluded.get(kind, ()))))
            text = f"{text[: match.start()]} {text[match.end() + len(said) :]}"
    return text, excluded


def names_after(text: str, lead: str, read: Callable[[str], Names]) -> str:
    """How much of a text behind a negation is names and what stands between them; empty when it names nothing."""
    last = end = 0
    for word in re.finditer(r"[\w@./-]*\w|[,&]", text):
        said = word.group()
        if text[end : word.start()].strip(' `"“”'):
            break
        named = bool(read(said)) or (said.lower() in TIERS and (said.lower() != "budget" or lead != "without"))
        if not named and not BETWEEN.fullmatch(said):
            break
        end = word.end()
        last = end if named or (last and CLOSES.fullmatch(said)) else last
    return text[:last]


def tiers_of(said: str) -> dict[str, tuple[str, ...]]:
    """The tiers among words that are left out."""
    found = tuple(word.lower() for word in re.findall(r"[a-z]+", said, re.IGNORECASE) if word.lower() in TIERS)
    return {"tier": found} if found else {}
