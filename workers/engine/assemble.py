"""PURE. Chooses the evidence a writer gets: ranked, within a token budget, each with its most telling sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workers.contracts import Evidence, Fact, Intent, Question

CHARS_PER_TOKEN = 4
WEIGHT = {"metric": 6, "deploy": 5, "change": 5, "alert": 5, "incident": 5, "code": 4, "doc": 4, "row": 4}
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*\"(])|\n\s*\n|\n(?=\s*(?:[-*+]|\d+[.)])\s)")
FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)


def assemble(evidence: Sequence[Evidence], question: Question, intent: Intent, budget_tokens: int) -> list[Evidence]:
    """Drop the least telling evidence until the rest fits, and mark the line or sentence of each that says most."""
    wanted = stems(" ".join((question.text, *intent.subjects)))
    shared = wanted | stems(" ".join(f"{e.title} {e.excerpt}" for e in evidence if e.kind in {"metric", "doc"})[:8000])
    marked = [mark(e, wanted, shared) for e in evidence]
    room = budget_tokens * CHARS_PER_TOKEN
    kept: set[int] = set()
    for i in sorted(range(len(marked)), key=lambda i: (-WEIGHT.get(marked[i].kind, 1), i)):
        size = len(marked[i].excerpt) + 40 * len(marked[i].facts)
        if room - size >= 0 or not kept:
            kept.add(i)
            room -= size
    return [e for i, e in enumerate(marked) if i in kept]


def mark(item: Evidence, wanted: set[str], shared: set[str]) -> Evidence:
    """Add ``quote``, ``telling`` or ``hunk_N_line``: words of the evidence itself, never new ones."""
    if item.kind in {"doc", "note", "web"}:
        return with_quote(item, wanted)
    extra: dict[str, Fact] = {}
    if item.kind == "code":
        line = telling_line(item.excerpt, wanted)
        if line:
            extra["telling"] = Fact(value=line, entity=item.locator)
    if item.kind == "change":
        for name, fact in item.facts.items():
            line = telling_line(str(fact.value), shared) if re.fullmatch(r"hunk_\d+_text", name) else ""
            if line:
                extra[name.replace("_text", "_line")] = Fact(value=line, entity=fact.entity)
    return item.model_copy(update={"facts": {**item.facts, **extra}}) if extra else item


def telling_line(text: str, wanted: set[str]) -> str:
    """The line of code that shares most words with what is wanted; assignments before the rest, comments last."""
    best, best_score = "", -1.0
    for raw in text.splitlines():
        line = raw.strip().removeprefix("+").strip()
        if not 4 <= len(line) <= 160 or not re.search(r"[A-Za-z]{2}", line):
            continue
        words = stems(re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", line))
        score = len(words & wanted) + (0.6 if re.search(r"[\w\]]\s*(?::?=(?!=)|:)\s*\S", line) else 0.0)
        score += 0.3 if re.search(r"\d", line) else 0.0
        score -= 1.5 if re.match(r"(#|//|/\*|\*|--|\"\"\"|import\b|from\b|use\b|package\b)", line) else 0.0
        if score > best_score:
            best, best_score = line, score
    return best.replace("`", "'")


def with_quote(item: Evidence, wanted: set[str]) -> Evidence:
    """Add the sentence of the excerpt that shares most with the question, word for word."""
    sentences = prose_sentences(item.excerpt)
    if not sentences:
        return item
    best = max(sentences, key=lambda s: (len(stems(s) & wanted) + (0.5 if s is sentences[0] else 0.0), -len(s)))
    quote = Fact(value=best, unit="text", entity=str(item.facts["path"].value) if "path" in item.facts else "")
    return item.model_copy(update={"facts": {**item.facts, "quote": quote}})


def prose_sentences(excerpt: str) -> list[str]:
    """Sentences outside code, tables and headings, without Markdown's marks, of readable length."""
    text = FENCE.sub("\n\n", excerpt)
    lines = [ln for ln in text.splitlines() if not re.match(r"\s*(#|\||<!--|---|===)", ln)]
    out = []
    for sentence in SENTENCE.split("\n".join(lines)):
        clean = plain_markdown(sentence)
        if 25 <= len(clean) <= 400 and re.search(r"[a-z]{3,} [a-z]", clean):
            out.append(clean)
    return out


def plain_markdown(text: str) -> str:
    """Text as read: links by their words, no list marks, no emphasis; code marks stay."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ x]\]\s+)?", "", text)
    text = re.sub(r"(?<!\w)[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?!\w)", "", text)
    return re.sub(r"\s+", " ", text).strip()


def stems(text: str) -> set[str]:
    """Crude stems for overlap: the first six letters of words of three or more."""
    return {w[:6] for w in re.findall(r"[a-z0-9]{3,}", text.lower())}
