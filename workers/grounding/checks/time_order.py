"""Rules for order in time: "before", "N minutes after", "by the time", "followed", "then", and distances."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from workers.grounding.checks.scope import shown_text
from workers.grounding.event_times import Event, all_events, events_in, kinds_said
from workers.grounding.lexicon import CLAUSE, HEDGE
from workers.grounding.literals import Specific
from workers.grounding.parsed_claim import Doubt, Reading, Span, sentence_around

SLACK_S = 45.0
ORDER = re.compile(
    r"\b(?P<earlier>(?:earlier|sooner) than|before|prior to|ahead of|preced(?:es|ed|ing)|predat(?:es|ed|ing)|until)\b|"
    r"\b(?P<later>later than|after|following|follow(?:s|ed)(?! by)|since|trail(?:s|ed)|lag(?:s|ged)(?: behind)?|"
    r"into)\b|"
    r"\b(?P<next>followed by|(?:and |, )?then\b|later\b(?! than)|afterwards)",
    re.IGNORECASE,
)
ALREADY = re.compile(r"\balready\b(?P<first>.{0,60}?)\b(?:when|by the time|before)\b", re.IGNORECASE)
BY_THE_TIME = re.compile(r"\bby the time\b", re.IGNORECASE)
FOR_WHEN = re.compile(r"\b(?:had|has) (?:already )?been\b.{1,40}?\bfor\b", re.IGNORECASE)
WHEN = re.compile(r"\b(?:when|by the time|as)\b", re.IGNORECASE)
FRONTED = re.compile(
    r"(?:^|[.;]\s|\bthen,?\s)(?:it (?:was|is|took)\s)?(?:only|just|about|some|roughly|exactly)?\s*$", re.IGNORECASE
)
LATER_SAID = re.compile(
    r"\bby\s*$|\bdelay of\s*(?:about\s|some\s)?$|\blag of\s*$|\blater,?\s*$|^\s*(?:later|on|behind)\b", re.IGNORECASE
)
NOT_BUT = re.compile(r"\bnot (?:after|before|since|until)\b.*\bbut\b", re.IGNORECASE)
RANKED = re.compile(
    r"\b(?:(?:came|comes|was|is|went|shipped|landed|arrived|deployed|happened|began|started|moved|fell|rose) (?:out )?(?:the )?(?:very )?(?:first|second|last|earlier|later)\b(?! (?:than|\d|step|line))|"
    r"(?:first|second|earlier|later|former|latter|last) of the (?:two|three|four|both|pair)|(?:younger|older|newer) than|first\b[^.;]{1,40}\bsecond\b|"
    r"(?:the )?(?:first|second|earlier|later) (?:one )?(?:was|came|is)\b)|\b\w+ first, (?:and |then )?\w+(?: \w+)? (?:second|later|next|then)\b|\bfollowed(?=\s*[.;]|$)",
    re.IGNORECASE,
)
PRONOUN = re.compile(r"\b(?:it|its|they|their|that|this|did|does|do)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Order:
    """``first`` was said to lie ``distance`` seconds (None: not said) before ``second``."""

    word: str
    first: list[Event]
    second: list[Event]
    distance: Specific | None = None


def check_order(reading: Reading) -> str:
    """Events said to come one before the other must have done so, and so far apart."""
    hedged = HEDGE.search(reading.text)
    for order in said_orders(reading):
        gaps = [
            (b.at - a.at).total_seconds()
            for a in order.first
            for b in order.second
            if (a.evidence, a.name) != (b.evidence, b.name)
        ]
        if not gaps:
            continue
        right = [gap for gap in gaps if gap > -30]
        if not right:
            reason = f"“{order.word}” does not agree with the times"
            return Doubt(reason) if hedged or NOT_BUT.search(reading.text) else reason
        if order.distance and not any(fits(gap, order.distance) for gap in right):
            reason = f"{order.distance.text} is not the time between them"
            return reason if len(order.first) == len(order.second) == 1 and not hedged else Doubt(reason)
    return still_anchor(reading) or check_durations(reading) or ranked(reading)


def still_anchor(reading: Reading) -> str:
    """Why nothing can come before or after what did not move."""
    dated = {e.evidence for e in all_events(reading)}
    metrics = {e.id for e in reading.cited if e.kind == "metric"}
    for match in ORDER.finditer(reading.text):
        end = clause_end(reading.text, match.end(), sentence_around(reading.text, match.start())[1], long=False)
        if match.lastgroup == "next" or reading.in_slot(match.start()):
            continue
        near = [x.ids for x in reading.labels if match.end() <= x.start < end]
        valued = any(match.end() <= m.specific.start < end for m in reading.mentions if m.specific.kind != "name")
        bare = near and not valued and not kinds_said(reading.text, (match.end(), end), end)
        if bare and all(ids and ids <= metrics and ids.isdisjoint(dated_onsets(reading, dated)) for ids in near):
            return Doubt(f"what “{match.group()}” names has no time in the evidence")
    return ""


def dated_onsets(reading: Reading, dated: set[str]) -> set[str]:
    """The metrics that began to move."""
    return {e.evidence for e in all_events(reading) if e.evidence in dated and e.kind == "onset"}


def fits(gap: float, said: Specific) -> bool:
    """Whether a distance in seconds is the one said."""
    if said.bound == "over":
        return said.value - SLACK_S <= gap <= said.value * 1.3
    if said.bound in {"under", "near"}:
        return said.value * 0.7 <= gap <= said.value + SLACK_S
    return abs(gap - said.value) <= max(said.tolerance, SLACK_S)


def said_orders(reading: Reading) -> Iterator[Order]:
    """Every order in time that the claim states about events it names."""
    for match in ORDER.finditer(reading.text):
        if not reading.in_slot(match.start()) and not in_title(match.start(), reading):
            yield from read_order(match, reading)
    for match in ALREADY.finditer(reading.text):
        start, end = sentence_around(reading.text, match.start())
        left, right = (start, match.end("first")), (match.end(), end)
        first = events_in(reading, left, left[1], "onset")
        second = events_in(reading, right, right[0], "onset")
        first = first or (events_in(reading, left, left[1], second[0].kind) if second else [])
        if first and second:
            yield Order("already", first, second)
    for match in FOR_WHEN.finditer(reading.text):
        yield from read_duration(match, reading)


def in_title(at: int, reading: Reading) -> bool:
    """Whether a place lies in the title of cited evidence, such as ``time until playable``."""
    for evidence in reading.cited:
        start = reading.text.find(evidence.title) if evidence.title else -1
        if 0 <= start <= at < start + len(evidence.title):
            return True
    return False


def read_order(match: re.Match[str], reading: Reading) -> Iterator[Order]:
    """``A [distance] before B``, ``[distance] after B, A``, ``A followed B by distance``, ``A, distance on, B``."""
    text, way = reading.text, str(match.lastgroup)
    start, end = sentence_around(text, match.start())
    near = distance_at(match.start(), reading)
    if (way == "next" or match.group().lower().startswith(("follow", "trail", "lag"))) and not text[
        match.end() : end
    ].strip(" .!"):
        yield from told_last(match, near, (start, end), reading)
        return
    if way == "later" and match.group().lower() == "into" and not near:
        return
    lead_end = near.start if near else match.start()
    right_end = clause_end(text, match.end(), end, long=way == "next")
    far = None if near else distance_within((match.end(), right_end), reading)
    if FRONTED.search(text[start:lead_end]) and way != "next":
        left_span, right_span = fronted(text, match.end(), end)
    else:
        left_span, right_span = (start, lead_end), (match.end(), right_end)
    if left_span is None:
        return
    left = events_in(reading, left_span, left_span[1] if left_span[0] == start else left_span[0])
    if not left and way != "next" and left_span[0] == start:
        other, span = fronted(text, match.end(), end)
        if other and text[start:lead_end].rstrip().endswith(","):
            left_span, right_span, left = other, span, events_in(reading, other, other[0])
    default = left[0].kind if left else ""
    right = events_in(reading, right_span, right_span[0], default or "onset")
    if not left and right and any(left_span[0] <= x.start < left_span[1] for x in reading.labels):
        left = events_in(reading, left_span, left_span[1], right[0].kind)
    if left and right:
        first, second = (right, left) if way == "later" else (left, right)
        yield Order(match.group().strip(" ,"), first, second, near or far)


def told_last(match: re.Match[str], near: Specific | None, within: Span, reading: Reading) -> Iterator[Order]:
    """``A, and B a minute later``: the clause that ends so tells of the later one."""
    cuts = list(re.finditer(r"[,;:]\s(?:and\s)?|\sand\s|\.\s", reading.text[within[0] : match.start()]))
    for cut in reversed(cuts):
        left, right = (within[0], within[0] + cut.start()), (within[0] + cut.end(), match.start())
        second = events_in(reading, right, right[0], "onset")
        first = events_in(reading, left, left[1], second[0].kind if second else "onset")
        if first and second and first != second:
            yield Order(match.group().strip(" ,"), first, second, near)
            return


def fronted(text: str, at: int, end: int) -> tuple[Span | None, Span]:
    """``Three minutes after B, A`` and ``It was … after B that A``: A, then B."""
    cut = re.search(r",\s|\sthat\s", text[at:end])
    if not cut:
        return None, (at, end)
    return (at + cut.end(), end), (at, at + cut.start())


def clause_end(text: str, at: int, end: int, *, long: bool) -> int:
    """Where the clause after a word of order ends; "then" and "later" reach to the end of the sentence."""
    if long:
        return end
    cut = CLAUSE.search(text, at + 1, end)
    return cut.start() if cut else end


def distance_at(at: int, reading: Reading) -> Specific | None:
    """The duration written right before a word of order."""
    for mention in reading.of_kind("quantity"):
        said = mention.specific
        if said.dimension == "s" and re.fullmatch(
            r"[\s,]{1,2}(?:or so |right |just )?(?:earlier |later )?", reading.text[said.end : at]
        ):
            return said
    return None


def distance_within(span: Span, reading: Reading) -> Specific | None:
    """``by 57 minutes``, ``with a delay of ten minutes``, ``six minutes on``: the distance after a word of order."""
    for mention in reading.of_kind("quantity"):
        said = mention.specific
        if said.dimension == "s" and span[0] <= said.start < span[1]:
            before, after = reading.text[span[0] : said.start], reading.text[said.end : said.end + 12]
            if LATER_SAID.search(before) or LATER_SAID.match(after):
                return said
    return None


def read_duration(match: re.Match[str], reading: Reading) -> Iterator[Order]:
    """``A had been rising for D when B`` and ``By the time B, A had been rising for D``."""
    text = reading.text
    said = next((m.specific for m in reading.of_kind("quantity") if 0 <= m.specific.start - match.end() <= 12), None)
    start, end = sentence_around(text, match.start())
    if said is None or said.dimension != "s":
        return
    before = BY_THE_TIME.search(text, start, match.start())
    after = WHEN.search(text, said.end, end)
    if before:
        cut = text.find(", ", before.end(), match.start())
        other, own = (before.end(), cut if cut > 0 else match.start()), (cut if cut > 0 else before.end(), match.end())
    elif after:
        other, own = (after.end(), end), (start, match.end())
    else:
        return
    first, second = events_in(reading, own, own[1]), events_in(reading, other, other[0])
    if first and second:
        yield Order("for", first, second, said)


def check_durations(reading: Reading) -> str:
    """A duration that only two dated events show must lie between events that the claim names."""
    for mention in reading.of_kind("quantity"):
        if mention.specific.dimension != "s" or not mention.refs:
            continue
        if any(len(refs) == 1 or refs[0].fact.unit != "time" for refs in mention.refs):
            continue
        start, end = sentence_around(reading.text, mention.specific.start)
        ids = {i for x in reading.labels if start <= x.start < end for i in x.ids}
        dated = all_events(reading)
        for kind in kinds_said(reading.text, (start, end), start):
            own = {e.evidence for e in dated if e.kind == kind}
            ids |= own if len(own) == 1 else set()
        kinds = events_in(reading, (start, end), mention.specific.start)
        if ids and kinds and not any(ids >= {r.evidence for r in refs} for refs in mention.refs):
            return Doubt(f"{mention.specific.text} is not the time between what the claim names")
    return ""


def ranked(reading: Reading) -> str:
    """``A came first``, ``B was the second``: no rule holds this against the times, unless the text itself says it."""
    found = RANKED.search(reading.unquoted())
    dated = {e.id for e in reading.cited if any(n in {"at", "onset_at", "since", "authored_at"} for n in e.facts)}
    if found and len(dated) > 1 and found.group().lower() not in shown_text(reading.cited):
        return Doubt(f"“{found.group()}” is not checked against the times")
    return ""
