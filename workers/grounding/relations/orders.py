"""What came first: "before", "after", "since", against the evidence's times."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from collections.abc import Sequence

from workers.grounding.evidence_values import Instant, stems_of
from workers.grounding.lexicon import words
from workers.grounding.relations.reading import Reading, sentence_around
from workers.language.negation import is_negated

ORDER = re.compile(
    r"\b(?:(?P<earlier>before|prior to|ahead of|preced(?:es|ed|ing)|earlier than)|(?P<later>after|following|follow(?:s|ed)(?! by| with| at|[.,])|later than))\b",
    re.IGNORECASE,
)
KINDS = (
    (
        "deploy",
        words(r"deploy\w*|releas\w+|roll-?out|rolled out|shipped|went (?:out|live)|go(?:es)? live|gone live|live"),
    ),
    ("alert", words(r"alert\w*|fir(?:e|ing|ed|es)|page[ds]?|went off")),
    ("change", words(r"commit(?:s|ted)?|merged|authored|wrote")),
    ("peak", words(r"peak\w*|maximum|worst|highest|lowest|busiest|slowest|topped out")),
    (
        "onset",
        words(
            r"onset|start\w*|beg[aiu]n\w*|ros?e|risen|rising|climb\w*|jump\w*|fell|falling|dropp?\w*|slow(?:ed|er|ing)|increas\w+|grow\w*|grew|spik\w+|went up|shrink\w*|mov(?:ed|ing)"
        ),
    ),
)
FIELD_KINDS = (("peak", "peak"), ("peak", "lowest"), ("peak", "highest"), ("onset", "onset"), ("onset", "began"))
FRONTED = re.compile(r"(?:^|[.;]\s)[^,;.]{0,30}$")


def kind_of(moment: Instant, kind: str) -> str:
    """What kind of event a moment is, by the name of its field and the kind of its evidence."""
    found = next((k for k, key in FIELD_KINDS if key in moment.field.lower()), "")
    if found or moment.field.startswith(
        ("window", "newest", "observed", "recover", "resolved", "active", "span", "last")
    ):
        return found
    return kind if kind in {"deploy", "alert", "change"} else ""


def events(reading: Reading) -> list[tuple[str, Instant]]:
    """The dated events of the cited facts, each with its kind."""
    out = []
    for index in reading.scope.indexes:
        for moment in index.facts.values():
            if isinstance(moment, Instant) and (kind := kind_of(moment, index.kind)):
                out.append((kind, moment))
    return out


def meant(part: str, known: Sequence[tuple[str, Instant]], reading: Reading) -> Instant | None:
    """The one event that a part of a sentence names, by the word of its kind and the words of its title."""
    kinds = [k for k, p in KINDS if p.search(part)]
    pool = [(k, m) for k, m in known if k in kinds] if kinds else []
    if not pool:
        return None
    said = stems_of(part)
    titles = {i.id: i.title for i in reading.scope.indexes}
    scores = [len(said & m.row.words) - 0.5 * len(titles[m.row.evidence] - said) for _, m in pool]
    best = [m for (_, m), score in zip(pool, scores, strict=True) if score == max(scores)]
    return best[0] if len(best) == 1 else None


def written(part: str, other: str, reading: Reading) -> Instant | None:
    """The one moment of a text or JSON whose line fits the words of a part, and none that fits as well."""
    said = (stems_of(part) - stems_of(other)) & reading.scope.words
    every = [i for x in reading.scope.indexes for i in x.instants if i.clocked and not i.row.table.endswith("facts")]
    scores = [(len(said & i.row.words), i) for i in every]
    most = max((score for score, _ in scores), default=0)
    best = [i for score, i in scores if score == most]
    return best[0] if most >= 1 and len({i.row for i in best}) == 1 and len(best) == 1 else None


def check_order(reading: Reading) -> str:
    """ "A before B": the event that the first part names must be the earlier one."""
    text, known = reading.text, events(reading)
    for match in ORDER.finditer(text):
        start, end = sentence_around(text, match.start())
        left, right = text[start : match.start()], text[match.end() : end]
        if FRONTED.search(left) and "," in right and not any(p.search(left) for _, p in KINDS):
            right, _, left = right.partition(",")
        if is_negated(left):
            continue
        a, b = meant(left, known, reading), meant(right.partition(",")[0], known, reading)
        if a is None or b is None:
            a, b = written(left, right, reading), written(right, left, reading)
        if a is None or b is None or a is b:
            continue
        gap = (b.at - a.at).total_seconds() * (1 if match.lastgroup == "earlier" else -1)
        if gap < -30:
            return f"“{match.group()}” does not agree with the times"
    return ""
