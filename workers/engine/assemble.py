"""PURE. Chooses the evidence a writer gets: ranked, within a token budget, each with its most telling sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import Stemmer

from workers.contracts import Evidence, Fact, Intent, Question

STEMMER = Stemmer.Stemmer("english")
STOP = frozenset(
    "the and for with that this from has have was were are its not you our but can all any per over".split()
)
CHARS_PER_TOKEN = 4
QUOTE_CHARS = 280
WEIGHT = {"metric": 6, "deploy": 5, "change": 5, "alert": 5, "incident": 5, "code": 4, "doc": 4, "row": 4}
ALERT_RULE = re.compile(r"\s*-\s*alert:\s*[\"']?(\w+)")
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*\"(])|\n\s*\n|\n(?=\s*(?:[-*+]|\d+[.)])\s)")
NOT_TELLING = re.compile(
    r"#|//|/\*|\*|--|[rbf]?[\"']{3}|import\b|from\b|use\b|package\b|[A-Za-z',]+( [A-Za-z',]+){3,}[.\"]*$"
)
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
        extra |= alert_rules(item)
    if item.kind == "change":
        for name, fact in item.facts.items():
            line = telling_line(str(fact.value), shared) if re.fullmatch(r"hunk_\d+_text", name) else ""
            if line:
                extra[name.replace("_text", "_line")] = Fact(value=line, entity=fact.entity)
    return item.model_copy(update={"facts": {**item.facts, **extra}}) if extra else item


def alert_rules(item: Evidence) -> dict[str, Fact]:
    """Alert rules in an excerpt (Prometheus' rule files): name, lines, how long they wait, labels."""
    start = int(item.facts["start_line"].value) if "start_line" in item.facts else 0
    path = str(item.facts["path"].value) if "path" in item.facts else ""
    rows = item.excerpt.splitlines()
    heads = [i for i, row in enumerate(rows) if ALERT_RULE.match(row)]
    facts: dict[str, Fact] = {}
    for n, (first, end) in enumerate(pairwise([*heads, len(rows)]), 1):
        match = ALERT_RULE.match(rows[first])
        name = match[1] if match else ""
        block = "\n".join(rows[first:end]).rstrip()
        last = start + first + len(block.splitlines()) - 1
        facts[f"alert_{n}"] = Fact(value=name, entity=path)
        facts[f"alert_{n}_lines"] = Fact(value=f"{path}:{start + first}-{last}", unit="lines", entity=path)
        facts[f"alert_{n}_rule"] = Fact(value=block, entity=name)
        for key, pattern in (("for", r"^\s*for:\s*(\S+)"), ("labels", r"^\s*labels:\s*\{(.+)\}")):
            if found := re.search(pattern, block, re.MULTILINE):
                facts[f"alert_{n}_{key}"] = Fact(value=found[1], entity=name)
    return facts


def telling_line(text: str, wanted: set[str]) -> str:
    """The line of code that shares most words with what is wanted; assignments before the rest, comments last."""
    best, best_score, parent = "", -30.0, 0
    for raw in text.splitlines():
        line = raw.strip().removeprefix("+").strip()
        if not 4 <= len(line) <= 160 or not re.search(r"[A-Za-z]{2}", line):
            continue
        words = stems(re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", line))
        own = len(words & wanted)
        score = own + parent + (0.6 if re.search(r"[\w\]]\s*(?::?=(?!=)|:)\s*\S", line) else 0.0)
        score += 0.3 if re.search(r"\d", line) else 0.0
        score -= (
            2.0 if re.match(r"(async )?(def|class|func|fn|function|public|private|interface|impl)\b", line) else 0.0
        )
        score -= 2.0 if line.endswith(("(", "{", "[", ":")) else 0.0
        score -= 20.0 if NOT_TELLING.match(line) else 0.0
        if line.endswith(":"):
            parent = own + (parent if raw[:1].isspace() else 0)
        elif not raw[:1].isspace():
            parent = 0
        if score > best_score:
            best, best_score = line, score
    return best.rstrip(",").replace("`", "'")


def with_quote(item: Evidence, wanted: set[str]) -> Evidence:
    """Add the sentence of the excerpt that shares most with the question, and the next when both are short."""
    sentences = prose_sentences(item.excerpt)
    if not sentences:
        return item
    place = max(
        range(len(sentences)),
        key=lambda i: (len(stems(sentences[i]) & wanted) + (0.5 if i == 0 else 0.0), -len(sentences[i])),
    )
    best = " ".join(sentences[place : place + 2])
    text = best if len(best) <= QUOTE_CHARS else sentences[place]
    quote = Fact(value=text, unit="text", entity=str(item.facts["path"].value) if "path" in item.facts else "")
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
    """Stems of words of three letters or more, for overlap."""
    return set(STEMMER.stemWords([w for w in re.findall(r"[a-z0-9]{3,}", text.lower()) if w not in STOP]))
