"""How network triage reads a question and plans it."""

from __future__ import annotations

import re
from datetime import datetime
from itertools import product

from workers.agents.network import answer_writers
from workers.agents.network.inquiry import (
    ALERTS,
    DIMENSIONS,
    FILTERS,
    GROUPS,
    HOSTS,
    MODEL,
    OBJECTS,
    PER,
    STATUSES,
    SURE,
    Inquiry,
    Name,
    mark_denied,
    noun_in,
    read_inquiry,
)
from workers.contracts import (
    Ambiguity,
    Draft,
    Intent,
    Landscape,
    Option,
    PatternStep,
    Plan,
    Question,
    Step,
    Window,
    rfc3339,
)
from workers.language.question_kinds import load_model
from workers.ports import Brief, Playbook
from workers.reasoning.known_plans import fill_step

MOST_OPTIONS = 8
OWN = 0.95
"""How sure it is of what names its own things, or is of one of its kinds where nothing else is connected."""
OURS = ("netbox_", "ids_")
"""How the labels of its sources begin."""


def claim(question: Question, landscape: Landscape) -> float:
    """Sure, when something is named that only the network's sources have, or nobody else has anything to alert."""
    ours = [label.startswith(OURS) for label in landscape.labels]
    if not any(ours):
        return 0.0
    asked = read_inquiry(question, landscape, question.received_at)
    if asked.is_of_network:
        return OWN
    if asked.kind == "other":
        return 0.0
    if asked.of("site", "tenant", "own") and asked.kind != "order" and ALERTS.search(asked.plain):
        return OWN
    others = (landscape.metrics, landscape.alerts, landscape.repositories, landscape.documents, landscape.entities)
    if any(others) or not all(ours):
        return 0.0
    told = asked.speaks_of_alerts or asked.words or asked.domains
    return OWN if told or max(load_model(MODEL).scores(asked.plain).values()) >= SURE else 0.0


def read_intent(question: Question, landscape: Landscape, now: datetime, playbook: Playbook) -> Intent:
    """The kind of question, what it names, and when; a question back when a part of a name fits several hosts."""
    del playbook
    asked = read_inquiry(question, landscape, now)
    names = (n.value for n in asked.found if n.kind != "own")
    subjects = tuple(dict.fromkeys((*asked.addresses, *asked.macs, *asked.unknown, *names, *asked.domains)))
    return Intent(
        question_type=asked.kind,
        subjects=subjects[:8],
        time_hints=asked.hints,
        window=asked.window,
        ambiguity=ambiguity_of(asked),
    )


def ambiguity_of(asked: Inquiry) -> Ambiguity | None:
    """Which host is meant, when a word is a part of the names of several and nothing else says which."""
    if not asked.several or asked.kind in {"inventory", "order", "other"}:
        return None
    options = tuple(Option(value=name, label=name, reason="in NetBox") for name in asked.several[:MOST_OPTIONS])
    return Ambiguity(question="Several hosts have that in their name. Which one?", options=options)


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
    said, known = asked.conditions, asked.of(*FILTERS)
    per = PER.search(asked.plain)
    bounded = said.keys() & {"objects_least", "objects_most"}
    dimension = noun_in(per["noun"] if per else asked.plain if bounded else "", DIMENSIONS, "")
    nouns = {kind: words for kind, words in OBJECTS.items() if kind != dimension}
    object_ = noun_in(asked.plain, nouns, "vlan" if asked.of("vlan") else "device")
    one = kind == "host_identity"  # which is looked up by itself; alerts are counted of all that are named
    address = next(iter(asked.addresses), "") if one else ", ".join(asked.addresses)
    if one and address:
        object_ = "prefix" if "/" in address else "address"
    sides = {side: ends_of(asked, side) for side in ("", "source", "target")}
    spoken = object_ in {"prefix", "vlan", "address"}  # their roles are others: a device's is a word there
    groups = noun_in(asked.plain, GROUPS, "")
    if asked.days:
        groups = "day"
    elif len(asked.of("sensor")) > 1:
        groups = "sensor"
    elif any(name.startswith(("events_", "targets_")) for name in said):
        groups = groups if groups not in {"", "target"} else "source"
    aimed = any(n.kind == "own" and n.side != "source" for n in asked.found) or asked.addresses
    default = {"top_hosts": "target" if aimed else "source", "top_signatures": "signature"}.get(
        kind, "source" if asked.event != "alert" else ""
    )
    return {
        "address": address,
        "ends": ", ".join(filter(None, (address, sides[""]))),
        "source": sides["source"],
        "target": sides["target"],
        "device": ""
        if address
        else next((n.value for n in asked.of(*HOSTS, "sensor")), "") or next(iter(asked.unknown), ""),
        "mac": next(iter(asked.macs), ""),
        "domain": next(iter(asked.domains), ""),
        "signature": signature_of(asked),
        "severity": said.get("severity", "") or said.get("high", ""),
        "worst": said.get("worst", "") or said.get("beyond", ""),
        "vlan": said.get("vlan", "") or next((n.value for n in asked.of("vlan")), ""),
        "action": said.get("action", ""),
        "hours": said.get("hours", ""),
        "least": said.get("events_least", ""),
        "most": said.get("events_most", ""),
        "targets": said.get("targets_least", ""),
        "limit": said.get("limit", ""),
        "event": "" if asked.event == "alert" else asked.event,
        "reason": ("other" if said["rule"][0] == "!" else "rules") if "rule" in said and asked.event == "drop" else "",
        "days": ",".join(asked.days),
        "sensor": sensor_of(asked),
        "object": object_,
        "per": dimension,
        "count_least": said.get("objects_least", "") if dimension else "",
        "count_most": said.get("objects_most", "") if dimension else "",
        "words": " ".join((*asked.unread, *(n.value.lower() for n in asked.of("role") if spoken))),
        "status": ", ".join(
            mark_denied(w, asked.plain) for w in STATUSES if re.search(rf"\b{w}\b", asked.plain.lower())
        ),
        "group_by": groups or default,
        "since": rfc3339(window.start),
        "until": rfc3339(window.end),
        **{k: ", ".join(mark(n, n.value) for n in known if n.kind == k) for k in FILTERS - {"vlan"}},
        **({"role": ""} if spoken else {}),
    }


def signature_of(asked: Inquiry) -> str:
    """The rule that is named: its text, its id, a quotation, or words of its text; a word that no rule has is asked
    for as well, as it is not there then.
    """
    named = [n.value for n in asked.of("signature")]
    named += [asked.conditions[name] for name in ("sid", "number", "quoted") if name in asked.conditions]
    bare = asked.kind == "ids_alerts" and not (asked.speaks_of_alerts or asked.found or asked.addresses)
    return named[0] if named else " ".join(asked.words or (asked.unread if bare else ()))


def sensor_of(asked: Inquiry) -> str:
    """The sensor that is named; ``site:PLACE`` for the one that stands there."""
    named = ", ".join(mark(n, n.value) for n in asked.of("sensor"))
    place = next((n.value for n in asked.of("site")), "") if is_sensor_at_site(asked) else ""
    return named or (f"site:{place}" if place else "")


def is_sensor_at_site(asked: Inquiry) -> bool:
    """Whether the site is that of a sensor."""
    return any(said in asked.plain for said in ("somesite sensor", "sensor in somesite", "sensor at somesite"))


def ends_of(asked: Inquiry, side: str) -> str:
    """The hosts on a side, as `netbox.listing.networks_of` reads them: what is left out with a ``!``."""
    names = [n for n in asked.found if n.side == side]
    hosts = [
        mark(n, n.value)
        for n in names
        if n.kind in {*HOSTS, "own", "network"} or (n.kind == "prefix" and (side or n.denied))
    ]
    for denied in (False, True):
        held = [n for n in names if n.kind in FILTERS - {"vlan"} and n.denied == denied]
        held = [n for n in held if n.kind != "site" or not is_sensor_at_site(asked)]
        by_kind = [
            [f"{n.kind}:{n.value}" for n in held if n.kind == kind] for kind in dict.fromkeys(n.kind for n in held)
        ]
        hosts += [("!" if denied else "") + "+".join(parts) for parts in product(*by_kind) if parts]
    return ", ".join(hosts)


def mark(name: Name, value: str) -> str:
    """A value, with a ``!`` when it is left out."""
    return f"!{value}" if name.denied else value


def without_empty(step: Step, known: PatternStep) -> Step:
    """A step without arguments that the question says nothing of."""
    args = {name: value for name, value in step.args.items() if value != "" or known.args.get(name) == ""}
    return step.model_copy(update={"args": args})


def write_answer(brief: Brief, playbook: Playbook) -> Draft:
    """What was found, in the order that a person on call needs it."""
    del playbook
    moment = brief.intent.window.end if brief.intent.window else brief.question.received_at
    return answer_writers.write_answer(brief, read_inquiry(brief.question, brief.landscape, moment))
