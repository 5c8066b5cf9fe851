"""Rules for "no", "not", "never", "nothing else": a denial must be shown, by values, states or the very text."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from collections.abc import Iterator

from workers.grounding.checks.directions import is_steady, move_of, moving_near, said_ways
from workers.grounding.checks.lines import SENTENCE_END, weight
from workers.grounding.checks.scope import check_states, shown_text, state_words
from workers.grounding.lexicon import COMMON, DENIAL, FLAT, NOT_DENIAL, words
from workers.grounding.parsed_claim import TEXTS, Doubt, Reading, clause_around, sentence_around
from workers.grounding.value_match import base_value, numbers, rows_of
from workers.language.negation import NEGATION
from workers.language.stems import stem
from workers.language.stop_words import NEGATED_VERBS
from workers.language.tokens import stems_in, words_in

DENIES = re.compile(
    rf"{NEGATION}|\b(?:avoid\w*|instead of|rather than|unless|refus\w+|forbid\w*|false|null|nil|only)\b|!=|\bif err\b|!(?=\w)",
    re.IGNORECASE,
)
PROHIBITS = re.compile(r"\b(?:not|never|don[’']t|avoid|without)\b", re.IGNORECASE)
NEGATES = re.compile(rf"(?!none\b){NEGATION}|\b(?:instead of|rather than)\b", re.IGNORECASE)
ALONE = words(
    r"(?:left|leaves?|leaving|let|lets) [^.;,]{0,40}?\balone|untouched|spar(?:ed|es)|stay(?:s|ed) (?:out|away)|kept (?:out|away)"
)


def check_denials(reading: Reading) -> str:
    """A denial must be one that the values, the alerts' states or a line of text show."""
    prose = reading.unquoted()
    for match in DENIAL.finditer(prose):
        if (
            NOT_DENIAL.match(prose, match.start())
            or prose[: match.start()].endswith("next to ")
            or shown_by_values(match, reading)
            or shown_by_state(match, reading)
            or shown_by_gap(match, reading)
        ):
            continue
        if nothing_else(match, reading):
            continue
        if not shown_by_text(match.start(), reading) and not counts_none(match.group(), reading):
            return Doubt(f"“{prose[match.start() : match.start() + 24].strip()}” is not shown by the evidence")
    return left_out(reading) or left_alone(reading) or denied_there(reading)


def shown_by_values(match: re.Match[str], reading: Reading) -> bool:
    """``did not change``, ``has not recovered``: a word of direction that the rule for directions holds to values."""
    if any(m.start() <= match.start() < m.end() for m in FLAT.finditer(reading.text)):
        return bool(moving_near(match.start(), reading))
    if match.group().lower() in {"neither", "nor", "nothing", "none", "nobody", "no"}:
        return unmoved(match.start(), reading)
    if match.group().lower() in {"never", "not"} and (bound := NO_MORE.match(reading.text, match.end())):
        return stays_below(bound.end(), reading)
    near = (at for at, _, _, _ in said_ways(reading) if 0 <= at - match.end() <= 24)
    return any(moving_near(at, reading) for at in near)


NO_MORE = re.compile(
    r"(?: (?:went|gone|rose|risen|got|gotten|was|been|climbed|ran|reached))? (?:above|past|over|beyond|more than|higher than|"
    r"exceed(?:s|ed)?)\s?(?:about |around )?"
)
NO_VALUE = re.compile(r"no (?:recent|newer|current|fresh) (?:values?|samples?)\b", re.IGNORECASE)
MOVES = re.compile(
    r"\b(?:mov|chang|budg|r[io]se|risen|increas|affect|grew|grow|fell|f[ae]ll|drop|spik|jump)\w*", re.IGNORECASE
)


def unmoved(at: int, reading: Reading) -> bool:
    """``neither A nor B moved``: every cited metric is steady."""
    start, end = sentence_around(reading.text, at)
    metrics = [e for e in reading.cited if e.kind == "metric"]
    return bool(metrics and MOVES.search(reading.text[start:end])) and all(
        (moves := move_of(e)) and is_steady(e, moves[0][0], moves[0][1]) for e in metrics
    )


def stays_below(at: int, reading: Reading) -> bool:
    """``never above 32 %``: no value of the metric is higher."""
    value = next((m for m in reading.values() if 0 <= m.specific.start - at <= 2), None)
    if value is None or not value.refs:
        return False
    ids = {r.evidence for refs in value.refs for r in refs}
    held = [
        base_value(r.fact)
        for r in numbers(reading.cited)
        if r.evidence in ids and r.name in {"baseline", "current", "peak"}
    ]
    return bool(held) and max(held) <= value.specific.value * 1.005 + value.specific.tolerance


def nothing_else(match: re.Match[str], reading: Reading) -> bool:
    """``touches A and B, nothing else``: as many files as the commit has."""
    if not re.match(r"nothing (?:else|more)|no other files?", reading.text[match.start() :], re.IGNORECASE):
        return False
    start, end = sentence_around(reading.text, match.start())
    paths = {m.specific.text for m in reading.of_kind("path") if start <= m.specific.start < end and m.refs}
    counts = [e.facts["files"].value for e in reading.cited if e.kind == "change" and "files" in e.facts]
    return len(counts) == 1 and counts[0] == len(paths)


def shown_by_state(match: re.Match[str], reading: Reading) -> bool:
    """``is not firing``: the rule for states holds it to the alert."""
    start, end = match.start(), match.end() + 24
    return any(start <= m.start() < end for m in state_words(reading)) and not check_states(reading)


def shown_by_gap(match: re.Match[str], reading: Reading) -> bool:
    """``has no recent value``: the metric that the clause names, else each cited one, has a last value and none now."""
    if not NO_VALUE.match(reading.text, match.start()):
        return False
    start, _ = clause_around(reading.text, match.start())
    named = frozenset().union(*(x.ids for x in reading.labels if start <= x.start < match.start()))
    metrics = [e for e in reading.cited if e.kind == "metric"]
    meant = [e for e in metrics if e.id in named] or metrics
    return bool(meant) and all("last_known" in e.facts and "current" not in e.facts for e in meant)


def counts_none(word: str, reading: Reading) -> bool:
    """``no rows``: a count of zero is cited."""
    return word.lower() in {"no", "none", "nothing"} and any(
        f.unit == "count" and f.value == 0 for e in reading.cited for f in e.facts.values()
    )


def shown_by_text(at: int, reading: Reading) -> bool:
    """Whether the line of cited text that shares most words with the sentence, apart from its denial, denies too."""
    start, end = sentence_around(reading.text, at)
    said = weighty(reading.text[start:end])
    after = weighty(" ".join(words_in(reading.text[at : at + 40])[:4]))
    rows = [(row, weighty(row)) for row in lines_of(reading, "")]
    most = max((len(said & own) for _, own in rows), default=0)
    return any(
        DENIES.search(row) and len(said & own) == most and most >= (1 if after & own else 2) for row, own in rows
    )


def weighty(text: str) -> frozenset[str]:
    """Stems of the words of a text that are neither common nor a denial."""
    return frozenset(stem(w) for w in words_in(text) if w not in COMMON | NEGATED_VERBS and not DENIES.fullmatch(w))


def left_out(reading: Reading) -> str:
    """Why a claim about a document turns it round: the line it retells forbids what the claim does not forbid."""
    if not any(e.kind == "doc" for e in reading.cited):
        return ""
    start = 0
    while start < len(reading.text):
        begin, end = sentence_around(reading.text, start)
        best = best_line(reading, begin, end, "doc")
        if (
            best
            and best[0] >= 3
            and PROHIBITS.search(best[1])
            and not DENIES.search(reading.text[begin:end])
            and not re.search(
                r"\b(?:forbid|warn|against|stop|prevent|avoid|out of|leave)\w*\b", reading.text[begin:end]
            )
        ):
            return Doubt(f"leaves out what the document denies: “{best[1].strip()[:60]}”")
        start = max(end, start + 1) + 1
    return ""


def best_line(reading: Reading, start: int, end: int, kind: str = "") -> tuple[int, str] | None:
    """The sentence of cited text that shares most words with a stretch of the claim, and how many."""
    said = {stem(w) for w in words_in(reading.text[start:end]) if w not in COMMON}
    found = ((len(said & stems_in(row)), row) for row in lines_of(reading, kind))
    return max(found, key=lambda item: (item[0], -len(item[1])), default=None)


def lines_of(reading: Reading, kind: str) -> Iterator[str]:
    """Sentences and rows of the cited texts, each once."""
    for evidence in reading.cited:
        if evidence.kind in ({kind} if kind else {*TEXTS, "row"}):
            for row in dict.fromkeys(rows_of(evidence)):
                yield from SENTENCE_END.split(row) if len(row) < 2_000 else ()


def left_alone(reading: Reading) -> str:
    """``leaves X alone``, ``untouched``: a change does not show what it did not change, unless its text says so."""
    found = ALONE.search(reading.unquoted())
    if (
        found
        and any(e.kind == "change" for e in reading.cited)
        and found.group().lower() not in shown_text(reading.cited)
    ):
        return Doubt(f"“{found.group()}” is not shown by the change")
    return ""


RIGHT_AFTER = 200
"""Characters in which the words after a denial are looked for."""


def denies_any(row: str, said: set[str]) -> bool:
    """Whether a row denies, right after its word of denial, what is said."""
    after = (words_in(row[m.end() : m.end() + RIGHT_AFTER])[:3] for m in NEGATES.finditer(row))
    return any(stem(w) in said for words_ in after for w in words_)


def denied_there(reading: Reading) -> str:
    """Why a text says the opposite: the sentence of it that a claim retells denies, and the claim does not."""
    rows = [
        s
        for e in reading.cited
        if e.kind in TEXTS
        for r in re.split(r"\n(?![ \t]*[a-z])", e.excerpt)
        for s in re.split(r"(?<=[.;!?)])\s", r)
        if s.strip()
    ]
    rows += [str(f.value) for e in reading.cited for n, f in e.facts.items() if n.startswith("step_")]
    if (
        not rows
        or any(e.kind not in TEXTS for e in reading.cited)
        or NEGATES.search(reading.text)
        or ALONE.search(reading.text)
    ):
        return ""
    said = {stem(w) for w in words_in(reading.text) if len(w) > 2}
    fit = [(weight(row, said, []), denies_any(row, said)) for row in rows]
    best = max(w for w, _ in fit)
    if best >= 2 and all(denies for w, denies in fit if w == best):
        return Doubt("the text that it retells denies something")
    return ""
