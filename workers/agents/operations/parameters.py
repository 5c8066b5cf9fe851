"""What a question names -> the values of a pattern's slots: models, backends, users, requests, tiers, states."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from workers.agents.operations.question_words import (
    BARE_TIER,
    GROUP,
    INCIDENT_ID,
    KIND,
    NAMED,
    REQUEST_ID,
    STATUS,
    TIER,
    names_in,
    singular,
)
from workers.contracts import Intent, Landscape, rfc3339
from workers.language.bounds import EXCEPT
from workers.reasoning.deployment_parts import SERVED
from workers.reasoning.name_spelling import is_common, near_word, only_near
from workers.reasoning.question_words import STOP

KINDS = (*SERVED, "user")
GROUPS = frozenset({"tier", "model", "backend", "deployment"})
HOURS_OF_DAYS = timedelta(days=3)
"""A longer span is told by day, a shorter one by hour."""
MARKED = re.compile(r"[\d_@./-]")
"""Stands in names and not in words."""
LOOKS_NAMED = re.compile(r"(?<![\w.])(?:[A-Za-z][\w.]*(?:[-_/][\w.]+)+|[A-Za-z]{2,}\d[\w.]*)")
NAMELESS = re.compile(r"\b(?:which|what|any|each|every|by|per|no|our|the|most|\w+est) \w+$", re.IGNORECASE)
WITHOUT = re.compile(rf"\b(?:not|{EXCEPT})\b", re.IGNORECASE)


@dataclass(frozen=True)
class Parameters:
    """``names``: what is named, by kind. ``values``: slot -> value. ``notes``: names that were read as others.

    ``unknown``: names that the data do not hold, by kind; ``written``: how names that were read as others stand there.
    ``unclear``: a name stands for several, or is left out.
    """

    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    unknown: tuple[tuple[str, str], ...] = ()
    written: tuple[tuple[str, str], ...] = ()
    unclear: bool = False

    def get(self, slot: str) -> str:
        """A slot's value; empty when it has none."""
        return self.values.get(slot, "")

    @property
    def subjects(self) -> tuple[str, ...]:
        """Everything named, the most telling first."""
        order = ("request", "incident", *SERVED, "user", "tier")
        return tuple(name for kind in order for name in self.names.get(kind, ()))


def read_parameters(text: str, landscape: Landscape) -> Parameters:
    """Everything that a question names; a name that nobody knows is read as the one it is close to, else told."""
    found = {match[match.lastgroup] if match.lastgroup else match.group() for match in REQUEST_ID.finditer(text)}
    rest = text
    for request in found:
        rest = rest.replace(request, " ")
    names: dict[str, tuple[str, ...]] = {"request": tuple(sorted(found, key=text.find))} if found else {}
    if incidents := tuple(dict.fromkeys(match.group() for match in INCIDENT_ID.finditer(rest))):
        names["incident"] = incidents
        rest = INCIDENT_ID.sub(" ", rest)
    for kind in KINDS:
        own, rest = names_in(rest, landscape.labels.get(kind, ()))
        names |= {kind: own} if own else {}
    slips, unknown = read_slips(rest, landscape)
    short = () if set(names) & set(SERVED) else read_short(rest, landscape)
    for kind, name in (*((kind, right) for kind, right, _ in slips), *unknown, *short):
        names[kind] = tuple(dict.fromkeys((*names.get(kind, ()), name)))
    if tiers := tiers_in(rest):
        names["tier"] = tiers
    names = with_pair(names, landscape)
    unclear = len({name for _, name in short}) > 1 or bool(names and WITHOUT.search(text))
    notes = tuple(f"No {kind} {said} is known; read as {right}." for kind, right, said in slips)
    written = tuple((kind, said) for kind, _, said in slips)
    return Parameters(names, {**values_of(names), **words_of(text, names)}, notes, unknown, written, unclear)


def tiers_in(text: str) -> tuple[str, ...]:
    """The tiers that are named; beside one of them a bare word is another: "premium and standard users"."""
    sure = [(match.start(), str(match[str(match.lastgroup)])) for match in TIER.finditer(text)]
    if sure:
        sure += [(match.start(), match.group()) for match in BARE_TIER.finditer(text)]
    return tuple(dict.fromkeys(name.lower() for _, name in sorted(sure)))


def read_slips(text: str, landscape: Landscape) -> tuple[list[tuple[str, str, str]], tuple[tuple[str, str], ...]]:
    """Names that nobody knows: kind, name as it was probably meant and as it is written; and those of nothing."""
    read: list[tuple[str, str, str]] = []
    unknown: list[tuple[str, str]] = []
    families = {re.split(r"[-_./]", n.lower())[0] for kind in SERVED for n in landscape.labels.get(kind, ())}
    called = {m["name"].strip(".-"): KIND.get(m["kind"].lower(), m["kind"].lower()) for m in NAMED.finditer(text)}
    called = {n: k for n, k in called.items() if MARKED.search(n) or (k == "user" and is_user(n, text))}
    loose = [m.group() for m in LOOKS_NAMED.finditer(text) if m.group() not in called]
    for name in [n for n in (*called, *loose) if n.lower() not in STOP]:
        kinds = (called[name],) if name in called else KINDS
        near = [(kind, right, name) for kind in kinds if (right := nearest(name, landscape.labels.get(kind, ())))]
        family = re.split(r"[-_./]", name.lower())[0] in families
        if len(near) == 1:
            read.append(near[0])
        elif name in called or family or re.search(r"-\w*\d|\d\w*-", name):
            unknown.append((called.get(name, "deployment" if "/" in name else "model"), name))
    return read, tuple(unknown)


def is_user(word: str, text: str) -> bool:
    """Whether a plain word after "user" is a name: none that questions are made of, and not "which user made"."""
    before = text[: text.find(word)].rstrip()
    return not (is_common(word) or word.endswith(("ing", "ed")) or NAMELESS.search(before))


def read_short(text: str, landscape: Landscape) -> tuple[tuple[str, str], ...]:
    """Names cut short to their first word, "kestrel" for kestrel-8b: all that begin so."""
    plain = [w for w in re.findall(r"(?<![\w./-])[a-z]{4,}(?![\w/-])", text.lower()) if w not in STOP]
    kinds = [(kind, name) for kind in ("model", "backend") for name in landscape.labels.get(kind, ())]
    return tuple(
        (kind, name)
        for word in dict.fromkeys(plain)
        for kind, name in kinds
        if re.split(r"[-_./]", name.lower())[0] == word
    )


def nearest(name: str, known: Sequence[str]) -> str:
    """The one known name that is misspelt or cut short as this; nothing when there are several."""
    if slip := only_near(name, known, near_word):
        return slip
    longer = [k for k in known if k.lower().startswith((f"{name.lower()}-", f"{name.lower()}/"))]
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
        "deployment_id": one.get("deployment", ""),
        "model_id": one.get("model", ""),
        "backend_id": one.get("backend", ""),
        "of_model": one.get("model", "") or model,
        "of_backend": one.get("backend", "") or backend,
        "user_id": one.get("user", ""),
        "user_tier": one.get("tier", ""),
    }
    return {slot: value for slot, value in slots.items() if value}


def words_of(text: str, names: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Slots of plain words: the state of requests, what to group by, how fine; what is named tells the group too."""
    states = [state for state, pattern in STATUS.items() if pattern.search(text)]
    nouns = [singular(m["noun"]) for m in GROUP.finditer(text)]
    group = next((n for n in nouns if n in GROUPS), next((k for k in (*SERVED, "tier") if k in names), ""))
    fine = next((n for n in nouns if n in {"hour", "day"}), "hour" if "hourly" in text.lower() else "")
    slots = {
        "status": states[0] if len(states) == 1 else "",
        "failing": "timeout" if states == ["timeout"] else "error",
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
    return {"granularity": fine, **values, "since": rfc3339(window.start), "until": rfc3339(window.end)}
