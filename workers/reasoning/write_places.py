"""PURE. locate_code and explain_code: the lines, what overrides them, who uses them, when they last changed."""

from __future__ import annotations

import re

from workers.contracts import Claim, Draft, Evidence
from workers.ports import Brief
from workers.reasoning.phrases import capital, code_claim, doc_claim, has, is_config, join, of_kind, text_of
from workers.reasoning.relevance import covers

QUESTION_HEAD = re.compile(
    r"^\W*(?:hey|hi|hello|so|ok|please|pls)?[, ]*(?:(?:can|could|would) (?:you|someone|anyone) (?:please )?)?"
    r"(?:tell me |show me |point me to |find |explain |walk me through |do (?:you|we) know )?"
    r"(?:where(?:['’]?s| is| are| do we| does| did| can i find| in the code is)?|what(?:['’]s| is| are)|"
    r"which (?:file|module|place)|how(?: is| are| does| do| did)?)?\s*",
    re.IGNORECASE,
)
QUESTION_TAIL = re.compile(
    r"\s*(?:\b(?:is|are|gets?|being)\b\s*)?\b(?:configured|defined|implemented|set(?: up)?|located|declared|live|lives|"
    r"handled|stored|done|work|works|here|please|pls|again|in (?:the|our) (?:code|repo|codebase))\b[\s?.!]*$|[\s?.!]+$",
    re.IGNORECASE,
)


def write_places(brief: Brief) -> Draft:
    """The best match first; when it covers too little of the question, it is offered as the closest instead."""
    code, docs = of_kind(brief.evidence, "code"), of_kind(brief.evidence, "doc")
    if not code and not docs:
        return Draft(headline=nothing(brief), missing=brief.gaps)
    sure = bool(code) and covers(code[0], brief)
    head = place_headline(code[0], brief, sure=sure) if code else doc_headline(docs[0])
    return Draft(
        headline=head,
        code=tuple(c for item in code[:1] for c in around(item)) + tuple(others(code)),
        docs=tuple(doc_claim(d) for d in docs[:2] if covers(d, brief)),
        next_steps=tuple(Claim(template=f"Open {{{c.id}.lines}}.", evidence=(c.id,)) for c in code[:1] if not sure),
        missing=tuple(g for g in brief.gaps if g.tool != "metrics_query"),
        confidence="high" if sure else "low",
    )


def subject_phrase(text: str) -> str:
    """ "Where is the retry policy configured for our payment client?" -> "the retry policy for our payment client"."""
    core = QUESTION_TAIL.sub("", QUESTION_HEAD.sub("", text.strip(), count=1))
    core = re.sub(r"\b(?:configured|defined|implemented|set|located|declared) (?=for|of|in|on|by)", "", core)
    core = re.split(r"[.?!]\s", core)[0]
    return re.sub(r"\s+", " ", QUESTION_TAIL.sub("", core)).strip()[:120]


def place_headline(item: Evidence, brief: Brief, *, sure: bool) -> Claim:
    """Where it is, with the line that says most."""
    what = capital(subject_phrase(brief.question.text)) or "What you asked for"
    line = f", `{{{item.id}.telling}}`" if text_of(item, "telling") else ""
    if sure:
        return Claim(template=f"{what}: {{{item.id}.lines}}{line}", evidence=(item.id,))
    return Claim(
        template=f"No clear place found for that; the closest is {{{item.id}.lines}}{line}", evidence=(item.id,)
    )


def doc_headline(item: Evidence) -> Claim:
    """No code, but a document speaks of it."""
    return doc_claim(item)


def around(item: Evidence) -> list[Claim]:
    """When the lines last changed and who uses them."""
    k, out = item.id, []
    if has(item, "last_commit", "last_subject", "last_at"):
        out.append(
            Claim(
                template=f"{{{k}.lines}} last changed {{{k}.last_at}} in {{{k}.last_commit}} “{{{k}.last_subject}}”.",
                evidence=(k,),
            )
        )
    users = [f"{{{k}.reference_{i}}}" for i in range(1, 4) if has(item, f"reference_{i}")]
    if users:
        name = f"`{{{k}.symbol}}`" if text_of(item, "symbol") else "it"
        out.append(Claim(template=f"Used ({name}) by {join(users)}.", evidence=(k,)))
    return out


def others(code: list[Evidence]) -> list[Claim]:
    """Further places: configuration that overrides, then code."""
    rest = sorted(code[1:5], key=lambda c: not is_config(c))
    return [code_claim(c, "Also set in " if is_config(c) and not is_config(code[0]) else "See also ") for c in rest]


def nothing(brief: Brief) -> Claim:
    """Nothing found."""
    subject = brief.intent.subjects[0] if brief.intent.subjects else subject_phrase(brief.question.text)
    return Claim(template=f"I found nothing about {subject}.")
