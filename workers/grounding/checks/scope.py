"""Rules for how much is claimed: "all", "only", counts of things, states of alerts, and what evidence covers."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from workers.contracts import Evidence, Scalar
from workers.grounding.checks.directions import agrees, move_of, said_ways
from workers.grounding.evidence_binding import named
from workers.grounding.fact_match import squeeze
from workers.grounding.lexicon import BEFORE_ALL, NOT_SCOPE, SCOPE
from workers.grounding.parsed_claim import Doubt, Reading, clause_around, sentence_around, span_around, words_of
from workers.grounding.quantities import WORD
from workers.grounding.value_match import numbers_in
from workers.language.durations import NUMBER_WORDS
from workers.language.negation import NEGATION, NOBODY
from workers.language.stems import stem
from workers.language.stop_words import COMMONEST
from workers.language.tokens import stems_in

COUNTED = re.compile(
    rf"(?<![\d.,-])\b({WORD}|\d+|a single) (?:[a-z]+ )?((?<=(?<!\w)one )[a-z]{{3,}}|(?<=single )[a-z]{{3,}}|[a-z]{{3,}}s)\b",
    re.IGNORECASE,
)
STATES = re.compile(
    r"\b(?:(?P<firing>(?:is|are|still|now|currently|keeps?|been) (?:both |all |also |still |now |currently ){0,4}firing|still (?:active|open|on)|"
    r"has been (?:active|paging)|(?:is|are) (?:active|paging)|firing)|"
    r"(?P<fired>(?:has |have )?(?:fired|went off|paged|triggered)|fires)|"
    r"(?P<pending>pending)|"
    r"(?P<resolved>resolv(?:ed|es)|cleared|clears|inactive|stopped firing|went (?:silent|quiet)|silent|silenced|is over|closed))\b",
    re.IGNORECASE,
)
ALLOWED = {
    "firing": {"firing"},
    "fired": {"firing", "resolved"},
    "pending": {"pending"},
    "resolved": {"resolved", "inactive"},
}
NOT_BEFORE = re.compile(
    rf"(?:{NEGATION}|{NOBODY}|\bno (?:longer|one)\b)(?!\sfurther)(?!\smore)(?:\s\w+){{0,2}}\s*$", re.IGNORECASE
)
BEYOND = re.compile(r"\b(?:beyond|past|further than|more than|other than|but|only)\s*$", re.IGNORECASE)
WAS_BEFORE = re.compile(r"\b(?:had been|was|were) (?:both |all |also |still )?firing$", re.IGNORECASE)
SEVERITY = re.compile(
    r"\b(page|paging|warning|critical|info|ticket)[- ]severity\b|\bseverity (?:is |of )?[`“\"]?(\w+)", re.IGNORECASE
)
OTHERS = re.compile(
    r"\ball (?:the )?others?\b|\b(?:only|just) one of\b|\bin both\b|\b(?:has|have|had)(?: not|n[’']t) got\b|\bin every\b",
    re.IGNORECASE,
)
ONE = re.compile(r"\b(?:one|a single)\b", re.IGNORECASE)
ANY_OF = re.compile(r"\bthe other\b|\bthe (?:firing|pending|resolved|still firing)\b", re.IGNORECASE)
STATE_CLAUSE = re.compile(r"[;:]\s|\.\s|,\s|\s(?:while|whereas|but)\s", re.IGNORECASE)
OF_ALL = re.compile(r"(?<![\d.,])(\d{1,9}) of (?:the |its |all )?(\d{1,9})\b(?![:.,]\d)")


def shown_text(evidence: Iterable[Evidence]) -> str:
    """Everything that evidence says, in lower case."""
    return " ".join(
        squeeze(f"{e.title} {e.excerpt} {' '.join(str(f.value) for f in e.facts.values())}").lower() for e in evidence
    )


def check_scope(reading: Reading) -> str:
    """ "all", "only", "no errors": the very phrase must stand in the evidence, or a count must show it."""
    prose = reading.unquoted()
    shown = shown_text(reading.cited)
    counts = {
        int(f.value) for e in reading.cited for f in e.facts.values() if f.unit == "count" and isinstance(f.value, int)
    }
    for match in SCOPE.finditer(prose):
        word = match.group().lower()
        if any(m.specific.start <= match.start() < m.specific.end for m in reading.of_kind("quote")):
            continue
        if covers_all(match, reading) or (word in {"both", "all"} and told_of_each(match, reading)):
            continue
        rest = reading.text[match.start() : match.start() + 40]
        if NOT_SCOPE.match(rest) or BEFORE_ALL.search(prose[: match.start()]) or sums_up(word, match.start(), reading):
            continue
        phrase = " ".join(squeeze(rest).lower().split()[:2]).strip('.,;:"”“')
        if " " in phrase and phrase in shown:
            continue
        if word == "each" and any(re.search(r"\bper\b", e.title) for e in reading.cited if e.kind == "metric"):
            continue
        if word == "each" and all(e.kind in {"code", "doc"} for e in reading.cited):
            continue
        if word in {"only", "sole"} and 1 in counts:
            continue
        return Doubt(f"“{phrase}” is more than the evidence shows")
    if (found := OTHERS.search(prose)) and found.group().lower() not in shown:
        return Doubt(f"“{found.group()}” is more than the evidence shows")
    return ""


def covers_all(match: re.Match[str], reading: Reading) -> bool:
    """``across all endpoints``: a metric of everything is cited."""
    tail = reading.text[match.end() : match.end() + 20]
    everything = any(e.kind == "metric" and any(f.entity == "all" for f in e.facts.values()) for e in reading.cited)
    over = match.group().lower() == "everything" and re.search(r"\b(?:over|across)\s$", reading.text[: match.start()])
    return everything and bool(over or re.match(r" (?:the )?(?:end ?points|routes)", tail))


def told_of_each(match: re.Match[str], reading: Reading) -> bool:
    """``both rose``, ``both firing``: the rules for directions and states hold it to each that is cited."""
    start, end = sentence_around(reading.text, match.start())
    said = re.match(r"all (\w+)", match.group() + reading.text[match.end() : match.end() + 8], re.IGNORECASE)
    if said and NUMBER_WORDS.get(said[1].lower(), 0) != len(reading.cited):
        return False
    metrics = [e for e in reading.cited if move_of(e)]
    ways = [w for w in said_ways(reading) if start <= w[0] < end]
    if len(metrics) > 1 and len(ways) == 1:
        at, _, word, way = ways[0]
        return all(agrees(word, way, e, at, reading) for e in metrics)
    alerts = [e for e in reading.cited if e.kind == "alert"]
    states = [m for m in state_words(reading) if start <= m.start() < end]
    more = re.search(r"severit|team|page|ticket|belong|point|same", reading.text[start:end], re.IGNORECASE)
    return 1 < len(alerts) == len(reading.cited) and bool(states) and not more and not check_states(reading)


def sums_up(word: str, at: int, reading: Reading) -> bool:
    """``p95, p50 and errors all rose``: "all" of what the sentence has just listed, each of it cited."""
    before = reading.text[:at]
    return word == "all" and bool(re.search(r",.{1,60}\band\b[^,.;]{1,40}$", before)) and not before.endswith("on ")


def check_counts(reading: Reading) -> str:
    """``three files``: a count that the evidence named in the clause holds under that noun."""
    prose = reading.prose()
    for match in OF_ALL.finditer(prose):
        if int(match[1]) > int(match[2]):
            return f"“{match.group()}” cannot be"
    for match in COUNTED.finditer(prose):
        noun = match[2].lower()
        said = NUMBER_WORDS.get(match[1].lower(), int(match[1]) if match[1].isdigit() else 1)
        noun = noun if noun.endswith("s") else f"{noun}s"
        if reason := other_setting(match.group(), said, noun, reading):
            return reason
        holders = steps_of(reading) if noun == "steps" else counts_of(noun, reading)
        if not holders:
            continue
        meant = named(reading, match.start(), frozenset(holders), clause_around(reading.text, match.start()))
        if meant and said not in {holders[i] for i in meant} and said != sum_of(holders):
            return f"“{match.group()}” is not the count in the evidence"
    return ""


def sum_of(holders: Mapping[str, Scalar]) -> float:
    """What the counts of several pieces of evidence come to."""
    return sum(float(v) for v in holders.values()) if len(holders) > 1 else -1.0


def other_setting(text: str, said: int, noun: str, reading: Reading) -> str:
    """Why code does not count so many: the lines that name the noun hold other numbers."""
    root = stem(noun)
    rows = [r for e in reading.cited if e.kind in {"code", "change"} for r in e.excerpt.splitlines()]
    held = {v for r in rows if root in stems_in(r) for v, dim, _ in numbers_in(r) if dim == "plain"}
    return Doubt(f"“{text}” is not the count in the code") if held and said not in held else ""


def steps_of(reading: Reading) -> dict[str, Scalar]:
    """How many steps each cited document has."""
    docs = (e for e in reading.cited if "step_1" in e.facts)
    return {e.id: sum(bool(re.fullmatch(r"step_\d+", n)) for n in e.facts) for e in docs}


def counts_of(noun: str, reading: Reading) -> dict[str, Scalar]:
    """The counts that cited evidence holds under a noun."""
    return {
        e.id: e.facts[n].value
        for e in reading.cited
        for n in (noun, f"{noun}_count")
        if n in e.facts and e.facts[n].unit == "count"
    }


def check_states(reading: Reading) -> str:
    """An alert must be in the state, and of the severity, that the claim gives it."""
    prose = reading.prose()
    alerts = [e for e in reading.cited if e.kind == "alert"]
    for match in SEVERITY.finditer(prose):
        said = (match[1] or match[2]).lower().replace("paging", "page")
        known = {str(e.facts["severity"].value).lower() for e in alerts if "severity" in e.facts}
        if known and said not in known | {"of", "is", "and", "the"}:
            return f"“{match.group()}” is not the severity in the evidence"
    for match in state_words(reading):
        if reason := other_state(match, reading):
            return reason
    return ""


def state_words(reading: Reading) -> list[re.Match[str]]:
    """Words for the state of an alert, where alerts are cited."""
    if not any(e.kind == "alert" and "state" in e.facts for e in reading.cited):
        return []
    return list(STATES.finditer(reading.text))


def by_severity(said: str, alerts: frozenset[str], reading: Reading) -> frozenset[str]:
    """The alerts that a clause means by their severity: "the page", "the ticket"."""
    severity = {e.id: str(e.facts["severity"].value).lower() for e in reading.cited if "severity" in e.facts}
    words = said.lower()
    meant = frozenset(i for i in alerts if severity.get(i) and re.search(rf"\b{re.escape(severity[i])}\b", words))
    return meant or alerts


def other_state(match: re.Match[str], reading: Reading) -> str:
    """Why alerts that a word of state speaks of are in another state."""
    alerts = {
        e.id: str(e.facts["state"].value).lower() for e in reading.cited if e.kind == "alert" and "state" in e.facts
    }
    clause = span_around(STATE_CLAUSE, reading.text, match.start())
    names = [x.ids & alerts.keys() for x in reading.labels if x.kind == "name" and clause[0] <= x.start < clause[1]]
    meant = frozenset().union(*names) or frozenset(alerts)
    lead = reading.text[max(0, match.start() - 30) : match.start()]
    denied = bool(NOT_BEFORE.search(lead)) and not BEYOND.search(lead)
    if not any(names):
        meant = by_severity(reading.text[slice(*clause)], meant, reading)
    kind = str(match.lastgroup)
    if kind == "firing" and WAS_BEFORE.search(reading.text[: match.end()]):
        kind = "fired"
    fits = [(alerts[i] in ALLOWED[kind]) is not denied for i in meant]
    if kind == "pending" and alerts and was_pending(meant, reading):
        return ""
    said = reading.text[clause[0] : match.end() + 10]
    counted = (ONE.search(said) and fits.count(True) == 1) or (ANY_OF.search(said) and any(fits))
    if all(fits) or (len(alerts) > 1 and counted):
        return ""
    reason = f"“{match.group()}” is not the state in the evidence"
    asked = re.match(r"[^.!;?]*\?", reading.text[match.end() :])
    return Doubt(reason) if any(fits) or asked or (len(alerts) > 1 and not any(names)) else reason


def was_pending(meant: frozenset[str], reading: Reading) -> bool:
    """Whether alerts are dated before they fired: ``had been pending since 16:09``."""
    return bool(meant) and all("active_at" in e.facts for e in reading.cited if e.id in meant)


def coverage(prose: str, reading: Reading) -> float:
    """Share of the content words that the cited evidence holds, or that belong to checked specifics."""
    words = {w[:6] for w in words_of(prose) if len(w) > 2} - COMMONEST
    shown = " ".join(
        f"{e.title} {e.excerpt} {e.locator} {e.kind} {' '.join(e.facts)} "
        f"{' '.join(f'{f.value} {f.entity}' for f in e.facts.values())}"
        for e in reading.cited
    )
    known = {w[:6] for w in words_of(f"{shown} {re.sub(r'(?<=[a-z])(?=[A-Z])', ' ', shown)}")}
    return len(words & known) / len(words) if words else 0.0
