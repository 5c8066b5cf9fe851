"""The wording of checked claims: a better template is taken only when it says the same, and holds as before."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from workers.contracts import SECTIONS, Answer, Claim, Evidence
from workers.engine.restyle import same_facts
from workers.grounding.ground import check_claim
from workers.grounding.value_format import Voice

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
