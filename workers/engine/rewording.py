"""The wording of checked claims: a better template is taken only when it says the same, and holds as before."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from workers.contracts import SECTIONS, Answer, Claim, Evidence
from workers.grounding.checks.assurance import ALL_WELL, orders
from workers.grounding.checks.directions import WAYS
from workers.grounding.checks.scope import STATES
from workers.grounding.checks.time_order import ORDER
from workers.grounding.ground import check_claim
from workers.grounding.lexicon import (
    BACKWARD_CAUSE,
    DENIAL,
    FORWARD_CAUSE,
    HEALTH,
    HEDGE,
    LOW,
    PEAK,
    SCOPE,
    TRANSITIVE,
)
from workers.grounding.literals import find_specifics
from workers.grounding.neutral_words import FUNCTION, KNOWN, WORD
from workers.grounding.template_slots import SLOT
from workers.grounding.value_format import Voice
from workers.language.durations import NUMBER_WORDS
from workers.language.normalization import normalise
from workers.language.stems import stem

Restyle = Callable[[Sequence[Claim]], tuple[str, ...]]
"""The templates of claims in better words, in order."""


def reword(answer: Answer, restyle: Restyle, evidence: Sequence[Evidence], voice: Voice) -> Answer:
    """An answer in better words, fact for fact the same."""
    templates = restyle(answer.claims)
    known = {e.id: e for e in evidence}
    better = iter(reword_claim(c, t, known, voice) for c, t in zip(answer.claims, templates, strict=True))
    headline = next(better)
    sections = {s: tuple(next(better) for _ in getattr(answer, s)) for s in SECTIONS}
    return answer.model_copy(update={"headline": headline, **sections})


def reword_claim(claim: Claim, template: str, known: Mapping[str, Evidence], voice: Voice) -> Claim:
    """One claim with a new template, if that says the same."""
    if template == claim.template or not claim.evidence or not same_facts(claim, template):
        return claim
    checked = check_claim(claim.model_copy(update={"template": template}), known, voice)
    same = checked.verdict.verdict == claim.status and set(checked.claim.evidence) == set(claim.evidence)
    return checked.claim if same else claim


CAUSES = (BACKWARD_CAUSE, FORWARD_CAUSE, TRANSITIVE)
MOST_ADDED, MOST_UNKNOWN = 5, 2  # new words of a rewording; those of them that the rules do not know
COUNTS = re.compile(rf"\b(?:{'|'.join(NUMBER_WORDS)}|half|both|several|many|few|most|some)\b", re.IGNORECASE)
LINK = re.compile(r"[<>\[\]|@]|://")
WORDS = (SCOPE, DENIAL, HEDGE, COUNTS, ORDER)  # each word of these must stay; of the others, how many there are


def same_facts(before: Claim, after_template: str) -> bool:
    """Whether only the wording differs. The caller checks the new template as a claim once more."""
    after = normalise(after_template)
    if Counter(LINK.findall(after)) != Counter(LINK.findall(normalise(before.template))):
        return False
    return fingerprint(normalise(before.template)) == fingerprint(after) and adds_little(
        normalise(before.template), after
    )


def adds_little(before: str, after: str) -> bool:
    """Whether a rewording has few words of its own, and none that reassures or orders."""
    calm = (HEALTH, ALL_WELL)
    if any(len(p.findall(after)) > len(p.findall(before)) for p in calm) or orders(after) > orders(before):
        return False
    own = content(before)
    added = {w for w in content(after) - own if not any(w[:4] == o[:4] for o in own)}
    if len(added) > MOST_ADDED or len(added - KNOWN) > MOST_UNKNOWN:
        return False
    sentences = [s for s in re.split(r"(?<=[.!?;])\s+", after) if content(s)]
    return all(SLOT.search(s) or content(s) & own or len(content(s)) <= 1 for s in sentences)


def content(template: str) -> set[str]:
    """Stems of the words outside slots that are more than grammar."""
    return {stem(w) for w in WORD.findall(SLOT.sub(" ", template).lower()) if w not in FUNCTION}


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
