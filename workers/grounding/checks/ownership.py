"""Rules for whose value it is: the endpoint, service, metric or commit that a claim gives a specific to.

Each rule takes a `Reading` and returns the reason it fails, or "".
"""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from collections.abc import Iterator

from workers.contracts import Evidence
from workers.grounding.evidence_binding import NARROW, named
from workers.grounding.fact_match import Mention
from workers.grounding.lexicon import NOT_SERVICES
from workers.grounding.neutral_words import KNOWN, PLAIN
from workers.grounding.parsed_claim import Doubt, Reading, Span, sentence_around, span_around
from workers.grounding.quantities import PART
from workers.grounding.template_slots import Ref
from workers.grounding.value_match import dimension, numbers
from workers.language.stems import stem

RUN = re.compile(r"\s?(?:,|→|->|and|versus|vs\.?|against|then|to|or|,? then|,? and)\s?")
LENGTH_BEFORE = re.compile(
    r"\b(?:by|for|took|takes|lasted|within|(?:lag|delay|gap|span) (?:of|was|is)|spanned|past|last|only|separates?)\s"
    r"(?:(?:about|roughly|some|only|just|the|last|over|under|nearly|almost|more than|less than|a little|another)\s)*$",
    re.IGNORECASE,
)
LENGTH_AFTER = re.compile(
    r"^\)?\s*(?:\(|(?:or so |right |just )?(?:before|after|later|earlier|sooner|ahead|prior|into|from|between|until|"
    r"on\b|following|behind|apart|long|younger|older|newer|ago|since|passed|elapsed|window|lag|delay|gap|to reach|separat|when|went by|"
    r"lie\b|lay\b|pass\b))",
    re.IGNORECASE,
)
SUMS = re.compile(
    r"\b(?:altogether|in total|total(?:s|led)?|all told|overall|sum|combined|on average)\b", re.IGNORECASE
)
DENIED = re.compile(r"(?:\bnot|n[’']t) (?:an? |the |by )?$", re.IGNORECASE)
NUMBERED = frozenset({"metric", "row", "incident", "alert"})


def universe_of(mention: Mention, reading: Reading) -> frozenset[str]:
    """The cited measurements that hold values of a mention's dimension."""
    wanted = mention.specific.dimension
    return frozenset(
        e.id
        for e in reading.cited
        if e.kind in NUMBERED
        and any(wanted in {"ratio", "factor", "points", "plain"} or dimension(r.fact) == wanted for r in numbers([e]))
    )


def both_named(refs: tuple[Ref, ...], mention: Mention, reading: Reading) -> bool:
    """Whether the sentence names both of the things that a slot compares."""
    start, end = sentence_around(reading.text, mention.specific.start)
    near = [x.ids for x in reading.labels if start <= x.start < end]
    return all(any(r.evidence in ids for ids in near) for r in refs)


def singled(at: int, universe: frozenset[str], reading: Reading) -> bool:
    """Whether the clause itself names the one piece of evidence that a place speaks of."""
    start, end = span_around(NARROW, reading.text, at)
    near = [x.ids & universe for x in reading.labels if start <= x.start < end and x.ids & universe]
    return bool(near) and bool(frozenset.intersection(*near)) and len(named(reading, at, universe)) == 1


def in_text(refs: tuple[Ref, ...]) -> bool:
    """Whether a reading rests on a line of text."""
    return any(r.name.startswith("excerpt") for r in refs)


def bound_refs(mention: Mention, reading: Reading) -> list[tuple[Ref, ...]]:
    """The readings of a value that belong to what the claim speaks of beside it."""
    universe = universe_of(mention, reading)
    meant = named(reading, mention.specific.start, universe)
    return [
        refs
        for refs in mention.refs
        if in_text(refs)
        or (refs[0].fact.unit == "time" and (mention.slot or says_duration(mention, reading)))
        or mention.derived == "worked"
        or (len({r.evidence for r in refs}) > 1 and both_named(refs, mention, reading))
        or (refs[0].fact.unit != "time" and all(r.evidence in meant or r.evidence not in universe for r in refs))
        or (
            mention.specific.kind == "factor"
            and len({r.evidence for r in refs}) > 1
            and compared(refs, mention, reading)
        )
    ]


def says_duration(mention: Mention, reading: Reading) -> bool:
    """Whether a length of time is said to lie between two events."""
    lead, tail = reading.text[: mention.specific.start], reading.text[mention.specific.end :]
    took = re.search(r"\b(?:took|takes?|needed|needs)\b", lead[-60:]) and re.match(r"\sto\s", tail)
    return bool(took or LENGTH_BEFORE.search(lead[-40:]) or LENGTH_AFTER.match(tail))


def compared(refs: tuple[Ref, ...], mention: Mention, reading: Reading) -> bool:
    """``14 times slower than /v1/rides``: the two values are those of what is compared, the larger one first."""
    start, end = sentence_around(reading.text, mention.specific.start)
    tail = reading.text[mention.specific.end : end]
    than = re.search(r"\b(?:than|as|that of|compared (?:to|with))\s(?=\S)", tail)
    if not than:
        return False
    universe = frozenset(r.evidence for r in refs)
    at = mention.specific.end + than.end()
    right = named(reading, at, universe, (at, end))
    left = named(reading, mention.specific.start, universe - right, (start, at))
    if len(left) != 1 or len(right) != 1 or left == right:
        return False
    value = {r.evidence: float(r.fact.value) for r in refs}
    more = value[next(iter(left))] > value[next(iter(right))]
    return more != bool(re.match(r"\s*(?:faster|quicker|lower|less|fewer|smaller|shorter)\b", tail))


def check_owners(reading: Reading) -> str:
    """A value must belong to the endpoint, service and metric that the claim gives it to."""
    for mention in reading.values():
        if not mention.refs or bound_refs(mention, reading) or in_parallel(mention, reading):
            continue
        wanted = named(reading, mention.specific.start, universe_of(mention, reading))
        titles = " or ".join(e.title for e in reading.cited if e.id in wanted) or "what the claim names"
        reason = f"{mention.specific.text} is no value of {titles}"
        total = any(e.kind == "row" for e in reading.cited) and SUMS.search(reading.text)
        return (
            reason
            if not PART.fullmatch(mention.specific.text)
            and not total
            and singled(mention.specific.start, universe_of(mention, reading), reading)
            else Doubt(reason)
        )
    return ""


# --- values told in parallel ----------------------------------------------------------------------------------


def in_parallel(mention: Mention, reading: Reading) -> bool:
    """``A … than B (x versus y)``: two values without names of their own belong to A and B, in that order."""
    run = run_of(mention, reading)
    if len(run) != 2:
        return False
    start = sentence_around(reading.text, mention.specific.start)[0]
    for first in run[0].refs:
        for second in run[1].refs:
            a, b = {r.evidence for r in first}, {r.evidence for r in second}
            if len(a) == len(b) == 1 and a != b:
                one, two = (first_name(next(iter(x)), next(iter(y)), start, reading) for x, y in ((a, b), (b, a)))
                if 0 <= one < two:
                    return True
    return False


def run_of(mention: Mention, reading: Reading) -> list[Mention]:
    """The values that stand side by side with this one, joined by connecting words only."""
    same = [m for m in reading.mentions if m.specific.kind == mention.specific.kind]
    run: list[Mention] = []
    for one in same:
        if run and not RUN.fullmatch(reading.text[run[-1].specific.end : one.specific.start]):
            if mention in run:
                break
            run = []
        run.append(one)
    return run if mention in run else []


def first_name(evidence: str, other: str, start: int, reading: Reading) -> int:
    """Where the sentence first names the one evidence and not the other; -1 when nowhere."""
    return next(
        (x.start for x in reading.labels if x.start >= start and evidence in x.ids and other not in x.ids),
        -1,
    )


EDITS = re.compile(r"\b(?:touch|chang|edit|modif|alter|rewr|add|updat)\w*|\bfiles\b")
SHIPS = re.compile(r"\b(?:ship|carr|contain|includ|built|brought|deliver|deploy|roll|with commit)\w*")


# --- names that belong together -------------------------------------------------------------------------------


def check_identities(reading: Reading) -> str:
    """Author, title, version, commit and files must be those of the commit, deploy or alert named beside them."""
    for mention in reading.of_kind("person", "quote", "version", "commit", "path"):
        if not mention.refs:
            continue
        span = span_around(NARROW, reading.text, mention.specific.start)
        held = {r.evidence for refs in mention.refs for r in refs}
        for kind in ("change", "deploy", "alert"):
            group = singled_out(kind, mention, reading, span)
            clause = reading.text[span[0] : span[1]]
            strict = (kind == "change" and mention.specific.kind == "path" and bool(EDITS.search(clause))) or (
                kind == "deploy" and mention.specific.kind == "commit" and bool(SHIPS.search(clause))
            )
            rivals = {e.id for e in reading.cited if e.kind == kind}
            if group and not held & group and (held <= rivals or strict):
                titles = " or ".join(e.title for e in reading.cited if e.id in group)
                return Doubt(f"{mention.specific.text} does not belong to {titles}")
    return ""


def singled_out(kind: str, mention: Mention, reading: Reading, span: Span) -> frozenset[str]:
    """The evidence of one kind that the other names in a clause stand for, when they stand for some of it only."""
    found = everything = frozenset(e.id for e in reading.cited if e.kind == kind)
    for one in reading.labels:
        if one.kind == "name" and span[0] <= one.start < span[1] and one.start != mention.specific.start:
            found = found & one.ids or found
    return (
        found
        if found != everything
        or (
            len(everything) == 1
            and any(
                everything & x.ids for x in reading.labels if x.kind == "name" and x.start != mention.specific.start
            )
        )
        else frozenset()
    )


def check_services(reading: Reading) -> str:
    """The word before a version or a deploy names the service, and must be one that the evidence shows."""
    shown = " ".join(f"{e.title} {e.excerpt} {e.locator} {fact_text(e)}" for e in reading.cited).lower()
    for word in services_named(reading):
        if word.lower() not in NOT_SERVICES | PLAIN and not re.search(
            rf"(?<![\w]){re.escape(word.lower())}(?![\w])", shown
        ):
            denied = any(DENIED.search(reading.text[: m.start()]) for m in re.finditer(re.escape(word), reading.text))
            reason = f"“{word}” is in no cited evidence"
            return Doubt(reason) if denied or word.lower() in KNOWN or stem(word.lower()) in KNOWN else reason
    return ""


def services_named(reading: Reading) -> Iterator[str]:
    """Words that stand where a service's name stands."""
    deploys = [e for e in reading.cited if e.kind == "deploy"]
    prose = reading.prose()
    for mention in reading.of_kind("version"):
        if before := re.search(r"\b([a-z][\w-]+)[\s`]+$", prose[: mention.specific.start]):
            yield before[1]
    if deploys:
        found = re.finditer(
            r"\b([a-z][\w-]+) (?:deploy(?:ment)?|rollout|release)\b|\bdeploy(?:ment)? of ([a-z][\w-]+)", prose
        )
        yield from (m[1] or m[2] for m in found)


def fact_text(evidence: Evidence) -> str:
    """All text facts of evidence."""
    return " ".join(f"{f.value} {f.entity}" for f in evidence.facts.values() if isinstance(f.value, str))
