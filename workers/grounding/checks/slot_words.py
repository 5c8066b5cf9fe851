"""Rules for templates: the words around a function must name what its slots were filled from, in its order."""

from __future__ import annotations

from workers.grounding.checks.time_order import said_orders
from workers.grounding.fact_match import Mention
from workers.grounding.lexicon import AFTER_ROLE, BEFORE_ROLE
from workers.grounding.parsed_claim import Doubt, Reading, sentence_around
from workers.grounding.template_slots import MEASURES


def check_slots(reading: Reading) -> str:
    """``move(a,b)`` goes from before to after; ``lag(event,anchor)`` stands between the event and its anchor."""
    for mention in reading.mentions:
        if mention.derived in MEASURES and (reason := turned_round(mention)):
            return reason
        if mention.derived == "lag" and (reason := other_lag(mention, reading)):
            return reason
        if mention.derived == "span" and (reason := other_span(mention, reading)):
            return reason
    return turned_lag(reading)


def turned_round(mention: Mention) -> str:
    """Why two values of one evidence cannot be told in this order: the later one stands first."""
    first, last = mention.refs[0]
    if first.evidence != last.evidence or not BEFORE_ROLE.search(last.name) or not AFTER_ROLE.search(first.name):
        return ""
    reason = f"{mention.derived}({first.name},{last.name}) tells what was before as what came after"
    return reason if mention.derived == "move" else Doubt(reason)


def other_lag(mention: Mention, reading: Reading) -> str:
    """Why the words around a lag speak of other events than its slots."""
    event, anchor = mention.refs[0]
    for order in said_orders(reading):
        if order.distance is not mention.specific:
            continue
        first, second = ({e.evidence for e in side} for side in (order.first, order.second))
        if {event.evidence, anchor.evidence} <= first | second:
            return ""
        return Doubt(f"{mention.specific.text} is not the time between what the claim names")
    return ""


def other_span(mention: Mention, reading: Reading) -> str:
    """Why a time between two events is not that of what its sentence names."""
    ids = {r.evidence for r in mention.refs[0]}
    start, end = sentence_around(reading.text, mention.specific.start)
    named = [x for x in reading.labels if start <= x.start < end and x.ids]
    if named and not any(x.ids & ids for x in named):
        return Doubt(f"{mention.specific.text} is not the time between what the claim names")
    return ""


def turned_lag(reading: Reading) -> str:
    """Why a lag stands before its own event: what follows "N minutes after" is what it is counted from."""
    for mention in reading.mentions:
        if mention.derived != "lag":
            continue
        event, anchor = mention.refs[0]
        end = sentence_around(reading.text, mention.specific.start)[1]
        after = [x for x in reading.labels if mention.specific.end <= x.start < end and x.ids]
        if after and anchor.evidence not in after[0].ids and event.evidence in after[0].ids:
            return Doubt(f"{mention.specific.text} is counted from another event")
    return ""
