"""PURE. Whether a reworded template says the same: its slots, specifics, and words of weight are those of before."""

from __future__ import annotations

import re
from collections import Counter

from workers.contracts import Claim
from workers.engine.lexicon import BACKWARD_CAUSE, FORWARD_CAUSE, SCOPE
from workers.engine.literals import find_specifics
from workers.engine.slots import SLOT

WEIGHTY = re.compile(
    r"\b(?:not|never|no|none|without|may|might|could|probably|likely|perhaps|possibly|before|after|until|since|above|below|"
    r"more|less|rose|fell|rise\w*|fall\w*|up|down|higher|lower|unchanged|steady|flat|stable)\b|n['’]t\b",
    re.IGNORECASE,
)


def same_facts(before: Claim, after: str) -> bool:
    """Whether only the wording differs. What it says is checked again by the caller."""
    return fingerprint(before.template) == fingerprint(after)


def fingerprint(template: str) -> tuple[Counter[str], ...]:
    """Slots, specifics and words of weight, each counted."""
    slots = Counter(m.group().replace(" ", "") for m in SLOT.finditer(template))
    prose = SLOT.sub(" ", template)
    specifics = Counter(s.text for s in find_specifics(prose))
    patterns = (WEIGHTY, SCOPE, BACKWARD_CAUSE, FORWARD_CAUSE)
    weight = Counter(m.group().lower() for p in patterns for m in p.finditer(prose))
    return slots, specifics, weight
