"""Past incidents like this one: what caused the nearest of them and what ended it, then what else is told."""

from __future__ import annotations

import re
from dataclasses import replace

from workers.agents.research.write_documents import write_documents
from workers.contracts import Claim, Draft, Evidence
from workers.grounding.health import text_of
from workers.ports import Brief
from workers.reasoning.claim_phrases import of_kind

TELLING = (
    re.compile(r"(?<!\W)\W*(?:summary|overview|tl;?dr|(?:root[- ])?causes?|what happened)\b", re.IGNORECASE),
    re.compile(
        r"(?<!\W)\W*(?:resolution|fix(?:es)?|mitigation|recovery|remediation|what (?:ended|fixed|was tried|we))",
        re.IGNORECASE,
    ),
    re.compile(r"(?<!\W)\W*(?:contributing|factors|impact|trigger|detection)\b", re.IGNORECASE),
)
LAST = re.compile(
    r"(?<!\W)(?<!\W)\W*(?:open questions?|actions?|action items|timeline|measured|follow[- ]?ups?|what went)\b",
    re.IGNORECASE,
)
"""Sections that say least of what an incident was."""


def is_past(brief: Brief) -> bool:
    """Whether past incidents were found."""
    return any(text_of(doc, "doc_kind") == "postmortem" for doc in of_kind(brief.evidence, "doc"))


def write_past(brief: Brief) -> Draft:
    """The nearest incident by its cause and what ended it; its sections by how much they say of that."""
    docs = of_kind(brief.evidence, "doc")
    paths = list(dict.fromkeys(text_of(doc, "path") for doc in docs))
    docs = sorted(docs, key=lambda doc: (paths.index(text_of(doc, "path")), rank(doc)))
    others = [item for item in brief.evidence if item.kind != "doc"]
    draft = write_documents(replace(brief, evidence=(*docs, *others)))
    first = next((doc for doc in docs if doc.id in draft.headline.evidence), None)
    told = in_short([doc for doc in docs if first and text_of(doc, "path") == text_of(first, "path")])
    return draft.model_copy(update={"headline": told}) if told else draft


def rank(doc: Evidence) -> int:
    """How little a section says of what an incident was."""
    heading = text_of(doc, "heading")
    if LAST.match(heading):
        return len(TELLING) + 1
    return next((number for number, pattern in enumerate(TELLING) if pattern.match(heading)), len(TELLING))


def in_short(sections: list[Evidence]) -> Claim | None:
    """What caused an incident and what ended it, in its own words; None when its sections do not say."""
    found = [(doc.id, name) for name in ("cause", "fix") for doc in sections if text_of(doc, name)]
    kept = [next((one for one in found if one[1] == name), None) for name in ("cause", "fix")]
    slots = [one for one in kept if one]
    if not slots:
        return None
    said = " ".join(f"{{{key}.{name}}}" for key, name in slots)
    return Claim(template=f"*{{{slots[0][0]}.title}}*: {said}", evidence=tuple(dict.fromkeys(key for key, _ in slots)))
