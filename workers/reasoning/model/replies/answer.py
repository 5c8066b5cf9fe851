"""Claims, their wording, and summaries, as a model writes them."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field

from workers.contracts import SECTIONS, Claim, Draft, Gap
from workers.grounding.known_names import veil
from workers.grounding.lexicon import HEALTH
from workers.ports import Brief
from workers.reasoning.model.replies.allowed_words import ReplyModel, Unusable, tells, words
from workers.reasoning.model.replies.plan import LACKS, SLOT
from workers.reasoning.model.untrusted_data import visible

MOST_CLAIMS = 8


class ClaimReply(ReplyModel):
    """One claim."""

    template: str = Field(max_length=2_000)
    evidence: list[str]
    status: Literal["supported", "hypothesis"]


class DraftReply(ReplyModel):
    """An answer."""

    headline: ClaimReply
    what_changed: list[ClaimReply] = Field(default_factory=list)
    metrics: list[ClaimReply] = Field(default_factory=list)
    code: list[ClaimReply] = Field(default_factory=list)
    docs: list[ClaimReply] = Field(default_factory=list)
    next_steps: list[ClaimReply] = Field(default_factory=list)
    missing: list[str] = Field(default_factory=list)
    confidence: Literal["high", "medium", "low"] = "low"


def draft_from(reply: DraftReply, brief: Brief, prompt: str = "") -> Draft:
    """A draft; whatever it claims is checked by grounding.

    Args:
        reply: what the model wrote.
        brief: what it wrote from.
        prompt: what it was told, which it may not repeat.

    Raises:
        Unusable: it cites what does not exist, or says nothing.
    """
    ids = {e.id for e in brief.evidence}
    sections = {name: getattr(reply, name) for name in SECTIONS}
    for claim in (reply.headline, *(c for claims in sections.values() for c in claims)):
        if odd := [i for i in claim.evidence if i not in ids]:
            raise Unusable(f"there is no evidence {odd[0]}")
        if tells(SLOT.sub(" ", claim.template), prompt):  # the templates of the prompt may be followed
            raise Unusable("a claim repeats what you were told instead of what the evidence says")
    if not visible(reply.headline.template).strip():
        raise Unusable("the headline is empty")
    if not SLOT.search(reply.headline.template) and words(reply.headline.template) <= words(brief.question.text):
        raise Unusable("the headline only repeats the question; it must answer it")
    said = (" ".join(visible(m).split())[:400] for m in reply.missing[:6])
    gaps = (
        *brief.gaps,
        *(Gap(text=m) for m in said if LACKS.search(m) and not HEALTH.search(m) and not tells(m, prompt)),
    )
    return Draft(
        headline=claim_from(reply.headline),
        **{name: tuple(map(claim_from, claims[:MOST_CLAIMS])) for name, claims in sections.items()},
        missing=tuple(dict.fromkeys(gaps)),
        confidence=reply.confidence,
    )


def claim_from(reply: ClaimReply) -> Claim:
    """A claim with what can be seen of its template."""
    template = " ".join(visible(reply.template).split())
    return Claim(template=template, evidence=tuple(dict.fromkeys(reply.evidence)), status=reply.status)


# --- style, compression ---------------------------------------------------------------------------------------


class StyledClaim(ReplyModel):
    """Better words for one claim."""

    id: int
    template: str


class StyleReply(ReplyModel):
    """Better words for some claims."""

    claims: list[StyledClaim]


def templates_from(reply: StyleReply, claims: Sequence[Claim]) -> tuple[str, ...]:
    """The new template of each claim, the old one where there is none."""
    new: Mapping[int, str] = {c.id: " ".join(visible(c.template).split()) for c in reply.claims}
    better = {i: template for i, template in new.items() if not set("{}") & set(SLOT.sub("", template))}
    return tuple(better.get(i) or claim.template for i, claim in enumerate(claims))


class CompressReply(ReplyModel):
    """Earlier messages in fewer words."""

    summary: str = Field(max_length=6_000)


def summary_from(reply: CompressReply, said: str) -> str:
    """A summary that names only what stood in the messages: later stages take it for what people wrote."""
    clean = unicodedata.normalize("NFKC", visible(reply.summary))
    return veil(clean, said)
