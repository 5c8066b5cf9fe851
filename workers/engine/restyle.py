"""PURE. Whether a reworded template says the same: its slots, specifics, and words of weight are those of before."""

from __future__ import annotations

import re
from collections import Counter

from workers.contracts import Claim
from workers.engine.directions import WAYS
from workers.engine.lexicon import (
    BACKWARD_CAUSE,
    DENIAL,
    FORWARD_CAUSE,
    HEDGE,
    LOW,
    PEAK,
    SCOPE,
    TRANSITIVE,
)
from workers.engine.literals import find_specifics
from workers.engine.normal import normalise
from workers.engine.order import ORDER
from workers.engine.quantities import NUMBER_WORDS
from workers.engine.scope import STATES
from workers.engine.slots import SLOT

CAUSES = (BACKWARD_CAUSE, FORWARD_CAUSE, TRANSITIVE)
COUNTS = re.compile(rf"\b(?:{'|'.join(NUMBER_WORDS)}|half|both|several|many|few|most|some)\b", re.IGNORECASE)
LINK = re.compile(r"[<>\[\]|@]|://")
WORDS = (SCOPE, DENIAL, HEDGE, COUNTS, ORDER)  # each word of these must stay; of the others, how many there are


def same_facts(before: Claim, after_template: str) -> bool:
    """Whether only the wording differs. The caller checks the new template as a claim once more."""
    after = normalise(after_template)
    if Counter(LINK.findall(after)) != Counter(LINK.findall(normalise(before.template))):
        return False
    return fingerprint(normalise(before.template)) == fingerprint(after)


def fingerprint(template: str) -> tuple[object, ...]:
    """What rewording may not touch: slots in their order, specifics, words of weight, ways, causes, states."""
    slots = tuple(m.group().replace(" ", "") for m in SLOT.finditer(template))
    prose = SLOT.sub(" ", template)
    specifics = Counter((s.kind, s.text) for s in find_specifics(prose))
    words = tuple(Counter(m.group().lower().strip(" ,") for m in p.finditer(prose)) for p in WORDS)
    ways = tuple(sum(1 for _ in p.finditer(prose)) for p in (*WAYS, PEAK, LOW))
    states = Counter(str(m.lastgroup) for m in STATES.finditer(prose))
    caused = any(p.search(prose) for p in CAUSES)
    return Counter(slots), slots if ORDER.search(prose) else (), specifics, words, ways, states, caused
