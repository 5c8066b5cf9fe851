"""The wording of checked claims: a better template is taken only when it says the same, and holds as before."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from workers.contracts import SECTIONS, Answer, Claim, Evidence
from workers.grounding.ground import check_claim
from workers.grounding.lexicon import HEALTH
from workers.grounding.literals import Kind, find_specifics
from workers.grounding.template_slots import SLOT
from workers.grounding.uncited_text import orders
from workers.grounding.value_format import Voice
from workers.language.negation import NEGATED
from workers.language.normalization import normalise
from workers.language.stems import stem

Restyle = Callable[[Sequence[Claim]], tuple[str, ...]]
"""The templates of claims in better words, in order."""
MOST_ADDED = 8
"""Words of a rewording that the claim does not have, those of grammar included."""
WORD = re.compile(r"[^\W\d_]{2,}")
LINK = re.compile(r"[<>\[\]|@]|://")


def reword(answer: Answer, restyle: Restyle, evidence: Sequence[Evidence], voice: Voice) -> Answer:
    """An answer in better words, fact for fact the same."""
    templates = restyle(answer.claims)
    known = {e.id: e for e in evidence}
    better = iter(reword_claim(c, t, known, voice) for c, t in zip(answer.claims, templates, strict=True))
    headline = next(better)
    sections = {s: tuple(next(better) for _ in getattr(answer, s)) for s in SECTIONS}
    return answer.model_copy(update={"headline": headline, **sections})


def reword_claim(claim: Claim, template: str, known: Mapping[str, Evidence], voice: Voice) -> Claim:
    """One claim with a new template, if that has the same slots and specifics and holds as the old one does."""
    if template == claim.template or not claim.evidence or specifics(template) != specifics(claim.template):
        return claim
    if not adds_little(normalise(claim.template), normalise(template)):
        return claim
    checked = check_claim(claim.model_copy(update={"template": template}), known, voice)
    same = checked.verdict.verdict == claim.status and set(checked.claim.evidence) == set(claim.evidence)
    return checked.claim if same else claim


def specifics(template: str) -> tuple[Counter[str], Counter[tuple[Kind, str]], Counter[str]]:
    """What rewording may not touch: slots, specifics, denials and what makes a link, each as often as it stands."""
    text = normalise(template)
    slots = Counter(m.group().replace(" ", "") for m in SLOT.finditer(text))
    written = Counter((s.kind, s.text) for s in find_specifics(SLOT.sub(" ", text)))
    return slots, written, Counter([*LINK.findall(text), *NEGATED.findall(text)])


def adds_little(before: str, after: str) -> bool:
    """Whether a rewording has few words of its own, and none that reassures or orders."""
    added = words(after) - words(before)
    calm = len(HEALTH.findall(after)) <= len(HEALTH.findall(before))
    return len(added) <= MOST_ADDED and calm and (not orders(after) or orders(before))


def words(template: str) -> set[str]:
    """The words outside slots, without their endings."""
    return {stem(word) for word in WORD.findall(SLOT.sub(" ", template).lower())}
