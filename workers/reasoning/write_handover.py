"""What no known plan covers: the passages nearest to the question, each with its place, and no verdict."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from workers.contracts import Claim, Draft, Evidence
from workers.grounding.health import text_of
from workers.language.stems import stem
from workers.language.stop_words import content_words
from workers.language.tokens import split_names
from workers.ports import Brief
from workers.reasoning.claim_phrases import DOC_FILE, doc_name, has, join, of_kind, passage_claim, said_claim
from workers.reasoning.empty_answer import CONNECT_MODEL, lead_handover, write_nothing
from workers.reasoning.question_features import asks_yes_no
from workers.reasoning.relevance import asked_words, names_subject, share_of, shown_words

MOST, MOST_OF_KIND, MOST_LINES = 5, 2, 5
KINDS = ("doc", "note", "message", "code", "change", "web")
LIKE = 0.2
"""Of the question's words, so many must stand in a passage that is shown."""


def write_handover(brief: Brief) -> Draft:
    """The nearest passages of documents, notes, threads, code and changes, best first; or that nothing was found."""
    hits = nearest(brief)
    if not hits:
        return write_nothing(brief, "I found nothing that speaks of this.")
    connect = () if brief.without_model else (CONNECT_MODEL,)
    claims = {item.id: hit_claim(item) for item in hits}
    return Draft(
        headline=undecided(brief, hits) or Claim(template=lead_handover(brief.without_model)),
        what_changed=tuple(claims[e.id] for e in hits if e.kind == "change"),
        code=tuple(claims[e.id] for e in hits if e.kind == "code"),
        docs=tuple(claims[e.id] for e in hits if e.kind in {"doc", "note", "message", "web"}),
        missing=(*connect, *(g for g in brief.gaps if g.tool != "metrics_query")),
        confidence="low",
    )


def undecided(brief: Brief, hits: Sequence[Evidence]) -> Claim | None:
    """Of a question for yes or no: that it is not decided, and what comes nearest; None for other questions.

    That is the sentence or line which holds most of what is asked for; else, of a route, where it stands and that
    nothing which was found speaks of the rest.
    """
    if not asks_yes_no(brief.question.text):
        return None
    route = next((s for s in brief.intent.subjects if s.startswith("/")), "")
    own = content_words(route.replace("/", " ")) | {"api"}
    rest = [w for w in re.findall(r"[A-Za-z]{3,}", brief.question.text) if stem(w.lower()) in asked_words(brief) - own]
    wanted = {stem(word.lower()) for word in rest}
    told = [e for e in hits if e.kind in {"doc", "code", "note"} and not has(e, "alert_1")]
    held = {e.id: len(wanted & content_words(split_names(saying(e)))) for e in told}
    best = max(told, key=lambda e: held[e.id], default=None)
    if best and held[best.id] * 2 > len(wanted) and (not route or names_subject(best, route)):
        return Claim(template=f"I can't tell for sure; nearest is {nearest_phrase(best)}", evidence=(best.id,))
    spoken = any(wanted <= shown_words(e) for e in of_kind(brief.evidence, "code", "doc"))
    if not route or not rest or spoken:
        return Claim(template=f"I can't tell: {lead_handover(brief.without_model, begins=False)}")
    code = [e for e in of_kind(brief.evidence, "code") if text_of(e, "file_kind") == "code" and has(e, "lines")]
    at = next((e for e in code if names_subject(e, route)), None)
    stands = f"{route} is in {{{at.id}.lines}}, and " if at else ""
    nothing = f"nothing that I found in code and documents speaks of {' '.join(rest).lower()}"
    cited = (at.id,) if at else ()
    return Claim(template=f"I can't tell: {stands}{nothing} {'there' if at else f'of {route}'}.", evidence=cited)


def saying(item: Evidence) -> str:
    """What of a passage is quoted."""
    return " ".join(text_of(item, name) for name in ("quote", "telling", "comment", "subject", "text"))


def nearest_phrase(item: Evidence) -> str:
    """A passage with its place, as it stands in a headline."""
    k = item.id
    if item.kind == "doc" and text_of(item, "quote"):
        return f"{doc_name(item)}: {{{k}.quote}}"
    return hit_claim(item).template


def nearest(brief: Brief) -> list[Evidence]:
    """At most five passages, by the share of the question's words that they hold; a source's first before seconds."""
    share = partial(share_of, brief=brief)
    found: list[tuple[int, float, Evidence]] = []
    for kind in KINDS:
        items = [e for e in distinct(of_kind(brief.evidence, kind)) if share(e) >= LIKE]  # type: ignore[arg-type]
        items.sort(key=lambda e: (not has(e, "key"), -share(e)))
        found += [(place, -share(e), e) for place, e in enumerate(items[:MOST_OF_KIND])]
    found.sort(key=lambda row: row[:2])
    return [item for _, _, item in found[:MOST]]


def distinct(items: Sequence[Evidence]) -> list[Evidence]:
    """Each place once; a document's lines are no code."""
    shown = (e for e in reversed(items) if not has(e, "setting") and (e.kind != "code" or not is_document(e)))
    return list({e.locator: e for e in shown}.values())[::-1]


def is_document(item: Evidence) -> bool:
    """Whether lines are of a document."""
    return DOC_FILE.search(text_of(item, "path")) is not None


def hit_claim(item: Evidence) -> Claim:
    """One passage in a line: its place, and what it says that is nearest."""
    k = item.id
    if item.kind in {"note", "message", "web"}:
        return said_claim(item)
    if item.kind == "doc":
        return passage_claim(item)
    if item.kind == "code":
        return lines_claim(item)
    file = f", {{{k}.file_1}}" if has(item, "file_1") else f"; {{{k}.cut}}" if has(item, "cut") else ""
    author = f" by {{{k}.author}}" if text_of(item, "author") else ""
    return Claim(template=f"{{{k}.short}} “{{{k}.subject}}”{author}, {{{k}.at}}{file}.", evidence=(k,))


def lines_claim(item: Evidence) -> Claim:
    """Lines of code: what they say of themselves, those that say most, and what they give a value."""
    k = item.id
    names = ("telling", *(f"telling_{n}" for n in range(2, 9)), *(f"setting_{n}" for n in range(1, 9)))
    texts = {text_of(item, name): name for name in reversed(names) if text_of(item, name)}
    shown = sorted(texts.values(), key=names.index)[:MOST_LINES]
    symbol = f" (`{{{k}.symbol}}`)" if text_of(item, "symbol") else ""
    says = f" says “{{{k}.comment}}”" if has(item, "comment") else ""
    quoted = join([f"`{{{k}.{name}}}`" for name in shown]) if shown else ""
    return Claim(template=f"{{{k}.lines}}{symbol}{says}{': ' if quoted else ''}{quoted}", evidence=(k,))
