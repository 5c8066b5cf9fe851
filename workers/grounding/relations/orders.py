"""What came first: "before", "after" against the evidence's times; and causes, which need both ends and their order."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workers.grounding.evidence_values import Instant, stems_of
from workers.grounding.lexicon import CAUSE, words
from workers.grounding.relations.reading import SENTENCE, Reading, span_around
from workers.language.negation import is_negated

LATER = r"after|following|follow(?:s|ed)(?! by| with| at|[.,])|later than"
ORDER = words(rf"(?P<earlier>before|prior to|ahead of|preced(?:es|ed|ing)|earlier than)|(?P<later>{LATER})")
STARTS = r"onset|start\w*|beg[aiu]n\w*|climb\w*|jump\w*|fell|falling|dropp?\w*|slow(?:ed|er|ing)|increas\w+|spik\w+"
KINDS = (
    ("deploy", words(r"deploy\w*|releas\w+|roll-?out|rolled out|shipped|went (?:out|live)|live")),
    ("alert", words(r"alert\w*|fir(?:e|ing|ed|es)|page[ds]?|went off")),
    ("change", words(r"commit(?:s|ted)?|merged|authored|wrote")),
    ("peak", words(r"peak\w*|maximum|worst|highest|lowest|busiest|slowest|topped out")),
    ("onset", words(rf"{STARTS}|r[io]se|risen|rising|grow\w*|grew|went up|shrink\w*|mov(?:ed|ing)")),
)  # fmt: skip
FIELD_KINDS = {"peak": "peak", "lowest": "peak", "highest": "peak", "onset": "onset", "began": "onset"}
OTHER_FIELDS = ("window", "newest", "observed", "recover", "resolved", "active", "span", "last")
FRONTED = re.compile(r"(?:^|[.;]\s)[^,;.]{0,30}$")
BACKWARD = re.compile(r"because|due|owing|thanks|as a result|\w+ by$|result(?:ed|s)? from|stem", re.IGNORECASE)
MEASURED = frozenset({"metric", "alert", "row", "deploy"})
"""What a cause is asked of; why code does something stands in the code itself."""
RETOLD = frozenset({"doc", "web", "message", "incident", "note", "log", "tool", "event", "trace"})
SHORTLY_S = 15 * 60
UNSHOWN = "a cause needs evidence of both ends and their order"


def events(reading: Reading) -> list[tuple[str, Instant]]:
    """The dated events of the cited facts, each with its kind: by the name of its field, else that of its evidence."""
    out = []
    for index in reading.scope.indexes:
        for moment in (m for m in index.facts.values() if isinstance(m, Instant)):
            kind = next((k for key, k in FIELD_KINDS.items() if key in moment.field.lower()), "")
            if not kind and index.kind in {"deploy", "alert", "change"} and not moment.field.startswith(OTHER_FIELDS):
                kind = index.kind
            if kind:
                out.append((kind, moment))
    return out


def meant(part: str, known: Sequence[tuple[str, Instant]], reading: Reading) -> Instant | None:
    """The one event that a part of a sentence names, by the word of its kind and the words of its title."""
    kinds = [k for k, p in KINDS if p.search(part)]
    pool = [m for k, m in known if k in kinds]
    said = stems_of(part)
    titles = {i.id: i.title for i in reading.scope.indexes}
    scores = [len(said & m.row.words) - 0.5 * len(titles[m.row.evidence] - said) for m in pool]
    best = [m for m, score in zip(pool, scores, strict=True) if score == max(scores)]
    return best[0] if len(best) == 1 else None


def written(part: str, other: str, reading: Reading) -> Instant | None:
    """The one moment of a text or JSON whose line fits the words of a part, and none that fits as well."""
    said = (stems_of(part) - stems_of(other)) & reading.scope.words
    every = [i for x in reading.scope.indexes for i in x.instants if i.clocked and not i.row.table.endswith("facts")]
    most = max((len(said & i.row.words) for i in every), default=0)
    best = [i for i in every if most and len(said & i.row.words) == most]
    return best[0] if len(best) == 1 else None


def check_order(reading: Reading) -> str:
    """ "A before B": the event that the first part names must be the earlier one."""
    text, known = reading.text, events(reading)
    for match in ORDER.finditer(text):
        start, end = span_around(SENTENCE, text, match.start())
        left, right = text[start : match.start()], text[match.end() : end]
        if FRONTED.search(left) and "," in right and not any(p.search(left) for _, p in KINDS):
            right, _, left = right.partition(",")
        alone = not right.partition(",")[0].strip()  # "0.2 %, 0.3 % before, but …" names no second event
        if alone or is_negated(left):
            continue
        a, b = meant(left, known, reading), meant(right.partition(",")[0], known, reading)
        if a is None or b is None:
            a, b = written(left, right, reading), written(right, left, reading)
        if a is None or b is None or a is b:
            continue
        if (b.at - a.at).total_seconds() * (1 if match.lastgroup == "earlier" else -1) < -30:
            return f"“{match.group()}” does not agree with the times"
    return ""


def cause_status(reading: Reading) -> tuple[str, str]:
    """supported, hypothesis or struck, with the reason, for a claim that may give a cause."""
    text = reading.unquoted()
    match = CAUSE.search(text)
    measured = any(i.kind in MEASURED for i in reading.scope.indexes)
    if match is None or not measured or any(i.kind in RETOLD for i in reading.scope.indexes):
        return "supported", ""
    start, end = span_around(SENTENCE, text, match.start())
    left, right = text[start : match.start()], text[match.end() : end]
    if BACKWARD.match(match.group()):
        if not left.strip():
            right, _, left = right.partition(", ")
        left, right = right, left
    known = events(reading)
    cause, effect = meant(left, known, reading), meant(right, known, reading)
    if cause is None or effect is None or cause.row is effect.row:
        return "hypothesis", UNSHOWN
    lead = (effect.at - cause.at).total_seconds()
    if lead < -30:
        return "struck", "the cause comes after the effect"
    near = lead <= SHORTLY_S and re.match("deploy|change", cause.row.table)
    return ("supported", "") if near else ("hypothesis", UNSHOWN)
