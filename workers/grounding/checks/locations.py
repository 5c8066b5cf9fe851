"""Rules for where something stands: a symbol and its lines, a document and its address, who says a number."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workers.contracts import Evidence
from workers.grounding.checks.lines import DEFINES
from workers.grounding.checks.scope import shown_text
from workers.grounding.fact_match import Mention, same_path, split_lines
from workers.grounding.lexicon import COMMON
from workers.grounding.parsed_claim import Doubt, Reading, clause_around, sentence_around
from workers.language.tokens import stems_in

USED = re.compile(
    r"\b(?:call|us|invok|reach|refer|go through|goes through|via|from|import)(?:s|ed|es|e)?\b", re.IGNORECASE
)
SAYS = re.compile(
    r"\b(?:runbook|playbook|guide|doc(?:ument|s)?|documentation|ADR|page|section|handbook|wiki)\b[^.;]{0,40}?"
    r"\b(?:says?|puts?|gives?|lists?|asks?|recommends?|wants?|names?|states?|calls?|tells?|advises|suggests|expects?|"
    r"mentions?|sets?|requires?)\b",
    re.IGNORECASE,
)
ANCHOR = re.compile(r"\.\w{1,5}#([\w-]+)")


def check_sources(reading: Reading) -> str:
    """Symbols stand at their own lines, addresses lead to the document named, and documents say their own numbers."""
    return misplaced(reading) or misdirected(reading) or misquoted(reading) or other_section(reading)


def misplaced(reading: Reading) -> str:
    """Why cited lines are not those of the symbol that the clause names."""
    places = [p for e in reading.cited if e.kind == "code" for p in places_of(e)]
    for mention in reading.of_kind("lines"):
        start, end = clause_around(reading.text, mention.specific.start)
        if USED.search(reading.text[start:end]):
            continue
        names = [m for m in reading.of_kind("name") if start <= m.specific.start < end]
        for name in names:
            own = [lines for symbol, lines in places if is_symbol(name.specific.text, symbol)]
            strict = DEFINES.search(reading.text[start:end])
            if own and not any(lies_in(mention, x) or (not strict and shown_at(mention, name, reading)) for x in own):
                return Doubt(f"{mention.specific.text} is not where {name.specific.text} stands")
    return ""


def symbol_of(evidence: Evidence) -> str:
    """The symbol that an excerpt of code is about."""
    fact = evidence.facts.get("symbol")
    return str(fact.value) if fact else ""


def places_of(evidence: Evidence) -> Iterator[tuple[str, str]]:
    """Symbols of an excerpt with their lines: its own, and those of what it lists."""
    if "lines" in evidence.facts and symbol_of(evidence):
        yield symbol_of(evidence), str(evidence.facts["lines"].value)
    for name, fact in evidence.facts.items():
        if f"{name}_lines" in evidence.facts:
            yield str(fact.value), str(evidence.facts[f"{name}_lines"].value)


def is_symbol(name: str, symbol: str) -> bool:
    """The symbol, or its last part."""
    return name == symbol or re.split(r"\.|::|#", symbol)[-1] == name


def lies_in(mention: Mention, lines: str) -> bool:
    """Whether cited lines lie within others."""
    path, first, last = split_lines(mention.specific.target or mention.specific.text)
    known, low, high = split_lines(lines)
    return (not path or same_path(path, known)) and low <= first and last <= high


def shown_at(mention: Mention, name: Mention, reading: Reading) -> bool:
    """Whether the text of the evidence that holds the lines shows the name as well."""
    holders = {r.evidence for refs in mention.refs for r in refs}
    word = re.split(r"\.|::|#", name.specific.text)[-1].lower()
    return any(word in shown_text([e]) for e in reading.cited if e.id in holders and symbol_of(e) != name.specific.text)


def misdirected(reading: Reading) -> str:
    """Why an address is not that of the document which the sentence names or retells."""
    for mention in reading.of_kind("url"):
        owners = {r.evidence for refs in mention.refs for r in refs}
        others = [e for e in reading.cited if e.kind in {"doc", "code"} and e.id not in owners]
        if not owners or not others:
            continue
        start, end = sentence_around(reading.text, mention.specific.start)
        said = stems_in(reading.text[start : mention.specific.start]) - COMMON
        said |= stems_in(reading.text[mention.specific.end : end]) - COMMON
        own = max(retells(said, e) for e in reading.cited if e.id in owners)
        if any(retells(said, e) > own for e in others):
            return Doubt(f"{mention.specific.text} is the address of something else")
    return ""


def retells(said: set[str], evidence: Evidence) -> float:
    """How many words of a sentence a document shows; those of its title and heading count double."""
    head = " ".join(str(evidence.facts[n].value) for n in ("title", "heading", "symbol", "path") if n in evidence.facts)
    titles = stems_in(f"{evidence.title} {head}")
    return len(said & titles) * 2.0 + len(said & stems_in(evidence.excerpt))


def misquoted(reading: Reading) -> str:
    """Why a document does not say a number: only a metric shows it."""
    if not any(e.kind == "doc" for e in reading.cited):
        return ""
    kinds = {e.id: e.kind for e in reading.cited}
    for match in SAYS.finditer(reading.text):
        _, end = clause_around(reading.text, match.end() - 1)
        for value in reading.values():
            held = {kinds[r.evidence] for refs in value.refs for r in refs}
            if match.end() <= value.specific.start < end and held and held <= {"metric", "deploy", "alert"}:
                return Doubt(f"{value.specific.text} is not what the document says")
    return ""


def other_section(reading: Reading) -> str:
    """Why an address leads to another section than the one cited."""
    anchors = {str(e.facts["anchor"].value) for e in reading.cited if "anchor" in e.facts}
    if anchors and (link := ANCHOR.search(reading.text)) and link[1] not in anchors:
        return Doubt(f"“{link[1]}” is not the section that is cited")
    return ""
