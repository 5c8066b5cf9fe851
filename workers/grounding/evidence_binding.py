"""Which cited evidence a place in a claim speaks of: by the names and the words of measurement nearest to it.

Every name in the claim stands for a set of evidence. From the nearest name outwards the sets are intersected; a name
that contradicts nearer ones speaks of something else and is passed over.
"""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from workers.contracts import Evidence
from workers.grounding.fact_match import Mention
from workers.grounding.lexicon import CLAUSE, COMMON, MEDIAN, PERCENTILE, PHRASE, SIGNALS
from workers.grounding.parsed_claim import Label, Reading, Span, sentence_around, span_around
from workers.language.stems import stem

MEASURED = frozenset({"metric", "row", "incident"})
NAMED_KINDS = frozenset({"endpoint", "commit", "version", "name", "path", "lines", "person"})
NAME_FACTS = ("service", "name", "endpoint", "route", "database", "cache", "pool", "symbol", "alertname")
STATED = frozenset({"direction", "state", "severity", "role", "culprit_value", "culprit_label"})
NARROW = re.compile(f"{CLAUSE.pattern}|{PHRASE.pattern}", re.IGNORECASE)


def label(text: str, mentions: Sequence[Mention], cited: Sequence[Evidence]) -> tuple[Label, ...]:
    """Everything in a claim that names cited evidence, left to right."""
    out = [
        Label(m.specific.start, m.specific.end, owners(m), "name")
        for m in mentions
        if m.specific.kind in NAMED_KINDS and m.refs and not (m.slot and m.refs[0][0].name in STATED)
    ]
    out.extend(percentiles(text, cited))
    for name, ids in sorted(names(cited).items(), key=lambda item: -len(item[0])):
        pattern = re.compile(rf"(?<![\w/.-]){re.escape(name)}(?![\w/])(?!-\w)", re.IGNORECASE)
        found = [m for m in pattern.finditer(text) if free(m.span(), out)]
        out.extend(Label(m.start(), m.end(), ids, "name") for m in found)
    out.extend(one for one in overall(text, cited) if free((one.start, one.end), out))
    taken = list(out)
    for start, end, ids in signals(text, cited):
        if free((start, end), taken):
            out.append(Label(start, end, ids, "signal"))
    return tuple(sorted(out, key=lambda x: x.start))


def owners(mention: Mention) -> frozenset[str]:
    """The evidence that a name stands for: what is about it, rather than what merely states it."""
    refs = [r for refs in mention.refs for r in refs]
    return frozenset(r.evidence for r in refs if r.name not in STATED) or frozenset(r.evidence for r in refs)


def free(span: Span, labels: Iterable[Label]) -> bool:
    """Whether no label covers a place yet."""
    return not any(x.start < span[1] and span[0] < x.end for x in labels)


def names(cited: Sequence[Evidence]) -> dict[str, frozenset[str]]:
    """Names of what evidence is about -> the evidence."""
    out: dict[str, set[str]] = {}
    for evidence in cited:
        found = {str(evidence.facts[n].value) for n in NAME_FACTS if n in evidence.facts}
        if evidence.kind not in {"code", "doc"}:
            found |= {f.entity for f in evidence.facts.values()}
        if " " not in evidence.title:
            found.add(evidence.title)
        for name in found - {"", "all"}:
            if len(name) > 2:
                out.setdefault(name, set()).add(evidence.id)
    return {name: frozenset(ids) for name, ids in out.items()}


def about(evidence: Evidence) -> str:
    """Title and metric name of evidence."""
    facts = evidence.facts
    return " ".join([evidence.title, *(str(facts[n].value) for n in ("metric", "metric_name") if n in facts)])


OVERALL = re.compile(
    r"\b(?:overall|total|site-?wide|system-?wide|fleet-?wide|global(?:ly)?|(?:across|over) (?:all|every)(?:thing| (?:the )?(?:end ?points?|routes?))?|"
    r"all (?:the )?(?:end ?points|routes)|in total|as a whole|aggregate[d]?|the whole (?:site|system|service))\b",
    re.IGNORECASE,
)


def overall(text: str, cited: Sequence[Evidence]) -> Iterator[Label]:
    """``overall``, ``across all endpoints``: what is measured over everything."""
    ids = frozenset(
        e.id for e in cited if e.kind in MEASURED and e.facts and any(f.entity == "all" for f in e.facts.values())
    )
    if ids and ids != {e.id for e in cited if e.kind in MEASURED}:
        yield from (Label(*m.span(), ids, "name") for m in OVERALL.finditer(text))


def percentiles(text: str, cited: Sequence[Evidence]) -> Iterator[Label]:
    """``p95``, ``95th percentile``, ``median``: the metrics of that percentile, or of none when they state theirs."""
    measured = [e for e in cited if e.kind in MEASURED]
    shown = {e.id: set(re.findall(r"p\d\d+", f"{about(e)} {' '.join(e.facts)}".lower())) for e in measured}
    if not any(shown.values()):
        return
    for match in PERCENTILE.finditer(text):
        wanted = f"p{(match[1] or match[2]).replace('.', '')}"
        yield Label(*match.span(), frozenset(k for k, v in shown.items() if wanted in v), "percentile")
    for match in MEDIAN.finditer(text):
        if ids := frozenset(k for k, v in shown.items() if "p50" in v):
            yield Label(*match.span(), ids, "percentile")


def signals(text: str, cited: Sequence[Evidence]) -> Iterator[tuple[int, int, frozenset[str]]]:
    """Words of what is measured, and parts of entities' names: "errors", "database", "fare" of /v1/fares."""
    measured = [e for e in cited if e.kind in MEASURED]
    for said, titled in SIGNALS:
        ids = frozenset(e.id for e in measured if titled.search(about(e).replace("_", " ")))
        for match in said.finditer(text) if ids else ():
            yield (*match.span(), ids)
    known: dict[str, set[str]] = {}
    for evidence in cited:
        if evidence.kind in MEASURED | {"deploy", "alert"}:
            for word in title_words(evidence):
                known.setdefault(word, set()).add(evidence.id)
    for match in re.finditer(r"(?<![\w/.-])[A-Za-z]{3,}(?!\w)", text):
        if match.group().lower() not in COMMON and (found := known.get(stem(match.group().lower()))):
            yield (*match.span(), frozenset(found))


def title_words(evidence: Evidence) -> set[str]:
    """Stems of the words that say whose value it is, and which."""
    entities = " ".join(f.entity for f in evidence.facts.values())
    if evidence.kind == "alert":
        entities = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", evidence.title)
    found = re.findall(r"[a-z]{3,}", f"{about(evidence)} {entities}".lower().replace("_", " "))
    return {stem(w) for w in found if w not in COMMON}


def named(reading: Reading, at: int, universe: frozenset[str], within: Span | None = None) -> frozenset[str]:
    """The evidence that a place in a claim speaks of.

    Args:
        reading: the claim.
        at: the place.
        universe: the evidence that could be meant.
        within: the stretch to read first; the clause around the place when it is not given.

    Returns:
        Ids out of the universe: all of it when nothing is named, none when it names a percentile nobody measured.
    """
    inner = within or span_around(NARROW, reading.text, at)
    sentence = sentence_around(reading.text, at)
    found = universe
    reach: list[Label] = []
    for rank, one in ranked(reading, at, inner, sentence):
        if rank > 0 and {"name", "signal"} <= {x.kind for x in reach}:
            break
        if not one.ids and rank == 0:
            return frozenset()
        if rank > 0 and one.kind != "name" and any(x.kind == "signal" for x in reach):
            continue
        both = found & one.ids
        if both:
            found = both
        if rank == 0 and one.ids & universe:
            reach.append(one if one.kind == "name" else Label(one.start, one.end, one.ids, "signal"))
    return plainest(found, reading, reach or [x for x in reading.labels if sentence[0] <= x.start < sentence[1]])


def ranked(reading: Reading, at: int, inner: Span, sentence: Span) -> list[tuple[int, Label]]:
    """Labels by nearness: in the clause, before it in the sentence, after it, earlier, later."""

    def rank(one: Label) -> int:
        if inner[0] <= one.start < inner[1]:
            return 0
        if sentence[0] <= one.start < sentence[1]:
            return 1 if one.start < at else 2
        return 3 if one.start < at else 4

    def gap(one: Label) -> int:
        return at - one.end if one.end <= at else one.start - at

    return sorted(((rank(x), x) for x in reading.labels), key=lambda item: (item[0], gap(item[1])))


def plainest(found: frozenset[str], reading: Reading, reach: Sequence[Label]) -> frozenset[str]:
    """Drop what is named by a qualifier that the claim does not use: "p95 latency" is not the database's."""
    if len(found) < 2 or not reach:
        return found
    words = {e.id: title_words(e) for e in reading.cited if e.id in found}
    kinds = {e.id: e.kind for e in reading.cited}
    dropped = {
        more
        for more in found
        for less in found
        if kinds[more] == kinds[less]
        and words[less] < words[more]
        and not any(more in x.ids and less not in x.ids for x in reach)
    }
    return found - dropped
