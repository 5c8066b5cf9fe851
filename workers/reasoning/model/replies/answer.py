"""Claims, mended claims, verdicts, wording and summaries, as a model writes them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from workers.contracts import SECTIONS, Claim, Draft, Evidence, Gap
from workers.grounding.known_names import veil
from workers.reasoning.model.replies.addresses import without_leads
from workers.reasoning.model.replies.allowed_words import ReplyModel, Unusable, steers, tells, words
from workers.reasoning.model.untrusted_data import visible

SLOT = re.compile(r"\{([^{}]*)\}")
OBJECT = re.compile(r"\s*(?:\{\s*\"|\[\s*[{\"])")
CITED = re.compile(r"[\[(](E\d{1,4}(?:[,; ]{1,2}E\d{1,4}){0,20})[\])]")
"""The ids of evidence at the end of a sentence."""
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z*`#-])|(?<=[\])])[.]?\s+(?=[A-Z*`#-])|\n+")
SECTION_OF = {
    **dict.fromkeys(("metric", "alert", "log", "trace", "row"), "metrics"),
    **dict.fromkeys(("change", "deploy", "flag", "event"), "what_changed"),
    "code": "code",
}
"""Where a claim stands, by the kind of what it cites first; else among the documents."""
LONGEST_CLAIM = 2_000
MOST_CLAIMS, MOST_GAPS, LONGEST_GAP = 20, 10, 400


class ClaimReply(ReplyModel):
    """One claim: a sentence or two."""

    text: str = Field(
        max_length=LONGEST_CLAIM, description="One sentence, two at most; slots such as {E2.peak} may stand in it."
    )
    evidence: list[str] = Field(default_factory=list, description="Ids of the evidence it rests on: E1, E2.")
    hypothesis: bool = Field(False, description="True when the evidence only suggests it.")


class AnswerReply(ReplyModel):
    """An answer."""

    question_type: str = Field("", description="What the question is about; one of the types you were given.")
    headline: ClaimReply = Field(description="The answer itself, in at most three short sentences.")
    what_changed: list[ClaimReply] = Field(default_factory=list)
    metrics: list[ClaimReply] = Field(default_factory=list)
    code: list[ClaimReply] = Field(default_factory=list)
    docs: list[ClaimReply] = Field(default_factory=list)
    next_steps: list[ClaimReply] = Field(default_factory=list)
    missing: list[str] = Field(default_factory=list, description="What could not be checked, in plain words.")
    confidence: Literal["high", "medium", "low"] = "low"


class MendedClaim(ClaimReply):
    """A claim in place of one that failed; an empty text leaves it out."""

    id: str = Field(description="The id of the claim that failed: headline, metrics.1")


class MendReply(ReplyModel):
    """Claims in place of those that failed."""

    claims: list[MendedClaim]


def draft_from(reply: AnswerReply, evidence: Sequence[Evidence], asked: str, prompt: str) -> Draft:
    """A draft; whatever it claims is checked by grounding.

    Args:
        reply: what the model wrote.
        evidence: what it was shown.
        asked: the question.
        prompt: what it was told, which it may not repeat.

    Raises:
        Unusable: it cites what does not exist, says nothing, or repeats its prompt.
    """
    known = {e.id: e for e in evidence}
    sections = {name: getattr(reply, name)[:MOST_CLAIMS] for name in SECTIONS}
    for claim in (reply.headline, *(c for claims in sections.values() for c in claims)):
        refuse_claim(claim, known, prompt)
    if not visible(reply.headline.text).strip():
        raise Unusable("the headline is empty")
    if not SLOT.search(reply.headline.text) and words(reply.headline.text) <= words(asked):
        raise Unusable("the headline only repeats the question; it must answer it")
    gaps = (" ".join(visible(m).split())[:LONGEST_GAP] for m in reply.missing[:MOST_GAPS])
    return Draft(
        headline=claim_from(reply.headline, known, asked),
        **{name: tuple(claim_from(c, known, asked) for c in claims) for name, claims in sections.items()},
        missing=tuple(Gap(text=m) for m in dict.fromkeys(gaps) if m and not steers(m) and not tells(m, prompt)),
        confidence=reply.confidence,
    )


def reply_from_prose(text: str, evidence: Sequence[Evidence]) -> AnswerReply:
    """An answer from sentences with the ids of their evidence: ``It peaked at 1.9 s [E2, E3].``

    The first one leads; the others stand in the section of what they cite. Raises: Unusable: no sentence cites any.
    """
    kinds = {e.id: e.kind for e in evidence}
    claims = []
    for sentence in SENTENCE_END.split(visible(text)):
        ids = [i for cited in CITED.findall(sentence) for i in re.findall(r"E\d+", cited) if i in kinds]
        if ids:
            said = CITED.sub("", sentence).strip(" -*#.\n")
            claims.append(ClaimReply(text=f"{said[: LONGEST_CLAIM - 1]}.", evidence=ids))
    if not claims:
        raise Unusable("it is no answer")
    sections: dict[str, list[ClaimReply]] = {}
    for claim in claims[1:]:
        sections.setdefault(SECTION_OF.get(kinds[claim.evidence[0]], "docs"), []).append(claim)
    return AnswerReply(headline=claims[0], **sections)


def refuse_claim(claim: ClaimReply, ids: Collection[str], prompt: str) -> None:
    """Raises: Unusable: it cites what does not exist, is no sentence, or repeats the prompt."""
    if odd := [i for i in claim.evidence if i not in ids]:
        raise Unusable(f"there is no evidence {odd[0]}")
    if OBJECT.match(claim.text):
        raise Unusable("a claim is a sentence, no object")
    if tells(SLOT.sub(" ", claim.text), prompt):
        raise Unusable("a claim repeats what you were told instead of what the evidence says")


def claim_from(reply: ClaimReply, known: Mapping[str, Evidence], asked: str) -> Claim:
    """A claim with what can be seen of its text, and no address that leads elsewhere."""
    ids = tuple(dict.fromkeys(reply.evidence))
    return Claim(
        template=without_leads(" ".join(visible(reply.text).split()), tuple(known.values()), asked),
        evidence=ids,
        status="hypothesis" if reply.hypothesis else "supported",
    )


@dataclass(frozen=True)
class Mended:
    """A draft with claims in place of those that failed. ``origin``: the id of each claim -> the one it had before;
    ``changed``: the ids, as they are now, of those that are new.
    """

    draft: Draft
    origin: Mapping[str, str]
    changed: frozenset[str]


def mended(
    draft: Draft, reply: MendReply, failed: Sequence[str], evidence: Sequence[Evidence], asked: str, prompt: str
) -> Mended:
    """Take the mended claims of a reply for those that failed. Raises: Unusable: as for a draft."""
    known = {e.id: e for e in evidence}
    new = {c.id: c for c in reply.claims if c.id in failed}
    for claim in new.values():
        refuse_claim(claim, known, prompt)
    better = bool(new.get("headline") and new["headline"].text.strip())
    fields: dict[str, Any] = {"headline": claim_from(new["headline"], known, asked)} if better else {}
    origin, changed = {"headline": "headline"}, {"headline"} if better else set()
    for section in SECTIONS:
        kept: list[Claim] = []
        for i, claim in enumerate(getattr(draft, section)):
            was, now = f"{section}.{i}", f"{section}.{len(kept)}"
            if was in new and not new[was].text.strip():
                continue
            origin[now] = was
            changed |= {now} if was in new else set()
            kept.append(claim_from(new[was], known, asked) if was in new else claim)
        fields[section] = tuple(kept)
    return Mended(draft.model_copy(update=fields), origin, frozenset(changed))


# --- verdicts of a verifier -----------------------------------------------------------------------------------


class VerdictReply(ReplyModel):
    """What the evidence says to one claim."""

    id: str
    verdict: Literal["entailed", "partly", "not"]
    line: str = Field("", max_length=600)


class VerdictsReply(ReplyModel):
    """What the evidence says to each claim."""

    verdicts: list[VerdictReply]


# --- routing, style, compression ------------------------------------------------------------------------------


class RouteReply(ReplyModel):
    """Which agent answers, and how sure that is."""

    agent: str
    confidence: float = Field(ge=0, le=1)


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
