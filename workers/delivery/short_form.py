"""What of an answer a reader needs first: its headline, the few lines that decide, and in one line what is missing.

Everything else is one press away. Pure: it reads an answer, and the one that its thread was given before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from workers.contracts import Answer, Claim, Evidence, Gap, RequestLog
from workers.delivery.cited_evidence import SECTIONS, charted, ranked_section
from workers.delivery.plan_progress import MOMENT, readable
from workers.delivery.rich_text import clip, safe, unmarked
from workers.language.action_words import ACT, NOUN, WEAK
from workers.language.stop_words import content_words

MOST_SENTENCES, HEADLINE_CHARS = 3, 600
MOST_LINES, LINES_CHARS = 4, 700
BESIDE_CHART_LINES, BESIDE_CHART_CHARS = 3, 380
"""A chart shows what the metrics say, and takes half a phone's screen; a ranked list takes as much."""
MOST_RANKED, RANKED_CHARS = 5, 1_500
STEP_SHARE = 0.6
"""Of the room for lines, what the next step takes at most."""
GAPS_CHARS, SOURCE_CHARS = 150, 80
NEW_SHARE = 0.2
"""A line of which less than this share of words is new says the headline again."""
SENTENCE_END = re.compile(r"(?<=[.!?])[ \t]{1,3}(?=[A-Z0-9`*\"“(/])|\n+")
WORD = re.compile(r"[^\W_][\w./%:-]*")
SET_VALUE = re.compile(r"`[^`\n]*\w[\"']?\s?[:=]\s?[\"']?-?\d[^`\n]*`")
"""A line of code that gives something a value: a cause that can be read."""
REMEDY = re.compile(rf"^\W*(?:{ACT}|{WEAK}){NOUN}\b", re.IGNORECASE)
"""A step that does something, rather than looks at something."""
UNVERIFIED = re.compile(r"could not verify\b[:\s]*", re.IGNORECASE)
Line = tuple[str, Claim]
"""The key of a section, and a claim of it."""


@dataclass(frozen=True)
class ShortForm:
    """What a reader sees first.

    ``ranked``: the first claims of a ranked list; ``below``: how many more it has. ``lines``: the others that decide.
    ``whole``: nothing of the answer is left out of it.
    """

    headline: Claim
    ranked: tuple[Claim, ...]
    below: int
    lines: tuple[Line, ...]
    gaps: str
    whole: bool


def shorten(log: RequestLog, before: RequestLog | None = None, *, chart: bool = False) -> ShortForm:
    """The short form of an answer.

    Args:
        log: the request, answered.
        before: the last answer of its thread: what stands there is not said again.
        chart: whether a picture stands beside it.
    """
    answer = log.answer or Answer(headline=Claim(template=""))
    known = said_before(log, before)
    headline = answer.headline.model_copy(update={"text": first_sentences(answer.headline.text)})
    key = ranked_section(log)
    listed = [claim for claim in getattr(answer, key, ()) if claim.text.strip()]
    first = best_claims(listed)
    others = answer.model_copy(update={key: ()}) if listed else answer
    drawn = (charted(log) or ()) if chart else ()
    without = frozenset(item.id for item in drawn if item)
    lines = deciding_lines(others, known, without, crowded=chart or bool(first))
    gaps = tuple(gap for gap in answer.missing if gap.text.strip() and gap.text not in known.gaps)
    told = gap_line(answer, gaps)
    everything = [claim for key, _ in SECTIONS for claim in getattr(answer, key) if claim.text.strip()]
    shown = [*first, *(claim for _, claim in lines)]
    whole = headline == answer.headline and all(claim in shown for claim in everything)
    whole = whole and told.exact and len(gaps) == len(answer.missing)
    return ShortForm(headline, first, len(listed) - len(first), lines, told.text, whole)


def best_claims(listed: Sequence[Claim]) -> tuple[Claim, ...]:
    """The first claims of a ranked list, each whole, whether or not its thread knows them; one that is endless begins.

    None is left out between others, so that the numbers stay.
    """
    found: list[Claim] = []
    for claim in listed[:MOST_RANKED]:
        if found and sum(len(c.text) for c in found) + len(claim.text) > RANKED_CHARS:
            break
        fits = len(claim.text) <= RANKED_CHARS
        found.append(claim if fits else claim.model_copy(update={"text": clip(safe(claim.text), RANKED_CHARS)}))
    return tuple(found)


def first_sentences(text: str) -> str:
    """The first sentences as they are written; an ellipsis where there are more, or where one is endless."""
    ends = [match.start() for match in SENTENCE_END.finditer(text)]
    if len(ends) >= MOST_SENTENCES and text[ends[MOST_SENTENCES - 1] :].strip():
        text = f"{text[: ends[MOST_SENTENCES - 1]]} …"
    return text if len(text) <= HEADLINE_CHARS else clip(safe(text), HEADLINE_CHARS)


# --- the lines that decide ------------------------------------------------------------------------------------


def deciding_lines(
    answer: Answer, known: Earlier, without: Set[str] = frozenset(), *, crowded: bool = False
) -> tuple[Line, ...]:
    """The claims that decide, in the order of the sections: one of each section before a second of any.

    Of a section those come first that rest on what the headline rests on, else in their own order; lines of code that
    give a value come before others, and of metrics those that the next step speaks of. Of the next steps there is one:
    the first, or where the cause can be read, the first that does something about it; room is kept for it. Where all
    are too long, the first one's beginning stands.

    Args:
        answer: with all its sections.
        known: what the thread knows.
        without: the evidence that a chart shows.
        crowded: whether something stands beside them.
    """
    most, room = (BESIDE_CHART_LINES, BESIDE_CHART_CHARS) if crowded else (MOST_LINES, LINES_CHARS)
    steps = [("next_steps", claim) for claim in next_step(answer, known)]
    others = list(best_first(answer, known, without, " ".join(claim.text for _, claim in steps)))
    found: list[Line] = [line for line in steps if len(line[1].text) <= STEP_SHARE * room or not others]
    for line in others:
        used = sum(len(claim.text) for _, claim in found)
        fits = len(found) < most and used + len(line[1].text) <= room
        if fits and not any(repeats(line[1].text, claim.text) for _, claim in found):
            found.append(line)
    if not found and others and not crowded:
        key, claim = others[0]
        return ((key, claim.model_copy(update={"text": clip(safe(claim.text), room)})),)
    order = [(key, claim) for key, _ in SECTIONS for claim in getattr(answer, key)]
    return tuple(sorted(found, key=order.index))


def next_step(answer: Answer, known: Earlier) -> Sequence[Claim]:
    """The step that is told, or none: the first; where a line of code tells the cause, the first that mends."""
    steps = candidates(answer, "next_steps", known)
    read = any(SET_VALUE.search(claim.text) for claim in candidates(answer, "code", known))
    remedies = [claim for claim in steps if REMEDY.match(claim.text)] if read and answer.what_changed else []
    return (remedies or steps)[:1]


def step_lead(claim: Claim, known: Mapping[str, Evidence]) -> str:
    """What stands before the next step: whose step it is, where a document says so."""
    source = next((known[key] for key in claim.evidence[:1] if key in known and known[key].kind == "doc"), None)
    return f"Next, by {clip(safe(source.title), SOURCE_CHARS)}: " if source else "Next: "


def best_first(answer: Answer, known: Earlier, without: Set[str], step: str) -> Iterator[Line]:
    """Claims, best first: each section's best, then each one's second, and so on; no next steps.

    A change comes after the lines of code that it brought: they name it.
    """
    cited, told = set(answer.headline.evidence), content_words(answer.headline.text)
    wanted = content_words(step) - told

    def order(claim: Claim) -> tuple[bool, int, bool]:
        spoken = len(wanted & content_words(claim.text)) if claim in answer.metrics else 0
        return claim in answer.code and not SET_VALUE.search(claim.text), -spoken, cited.isdisjoint(claim.evidence)

    groups: dict[str, list[Claim]] = {}
    for key, _ in SECTIONS:
        if key != "next_steps":
            groups[key] = sorted(candidates(answer, key, known), key=order)
    groups["metrics"] = [claim for claim in groups["metrics"] if not without or not without >= set(claim.evidence)]
    brought = {key for claim in groups["code"] for key in claim.evidence}
    if groups["what_changed"] and not brought.isdisjoint(groups["what_changed"][0].evidence):
        groups["what_changed"] = groups.pop("what_changed")
    for turn in range(max(map(len, groups.values()), default=0)):
        yield from ((key, claims[turn]) for key, claims in groups.items() if turn < len(claims))


def candidates(answer: Answer, key: str, known: Earlier) -> list[Claim]:
    """The proven claims of a section that are neither the headline again nor known to the thread."""
    claims: Sequence[Claim] = getattr(answer, key)
    return [
        claim
        for claim in claims
        if claim.status == "supported"
        and claim.text.strip()
        and not known.holds(claim)
        and not repeats(claim.text, answer.headline.text)
    ]


def repeats(text: str, said: str) -> bool:
    """Whether a text says hardly more than another one, or says it again whole. A new number or name is news."""
    mine, theirs = (WORD.findall(unmarked(t).casefold()) for t in (text, said))
    if not mine or not theirs:
        return False
    new = [word for word in mine if word not in theirs]
    hardly = len(new) < NEW_SHARE * len(mine) and all(word.isalpha() for word in new)
    return hardly or " ".join(theirs) in " ".join(mine)


# --- what the thread knows ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Earlier:
    """What the last answer of a thread said: claims by their text and evidence, and gaps by their text."""

    claims: frozenset[tuple[str, tuple[tuple[str, str], ...]]] = frozenset()
    gaps: frozenset[str] = frozenset()
    evidence: Mapping[str, tuple[str, str]] | None = None

    def holds(self, claim: Claim) -> bool:
        """Whether a claim of the new answer was made there, of the same evidence."""
        return (claim.text, identities(claim, self.evidence or {})) in self.claims


def said_before(log: RequestLog, before: RequestLog | None) -> Earlier:
    """What the last answer of its thread said, to be compared with a new one."""
    if before is None or before.answer is None or before.answer.kind != "answer":
        return Earlier()
    there = by_key(before.evidence)
    claims = frozenset((claim.text, identities(claim, there)) for claim in before.answer.claims)
    return Earlier(claims, frozenset(gap.text for gap in before.answer.missing), by_key(log.evidence))


def by_key(evidence: Sequence[Evidence]) -> dict[str, tuple[str, str]]:
    """What evidence is, whatever number an answer gave it."""
    return {item.id: (item.kind, item.locator or item.title) for item in evidence}


def identities(claim: Claim, evidence: Mapping[str, tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """What a claim rests on, in a fixed order."""
    return tuple(sorted(evidence.get(key, ("", key)) for key in set(claim.evidence)))


# --- what is missing ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class GapLine:
    """What could not be checked, in one line. ``exact``: it says all of it."""

    text: str
    exact: bool


def is_unverified(gap: Gap) -> bool:
    """Whether a gap is a statement that was written and could not be verified."""
    return UNVERIFIED.match(gap.text) is not None


def gap_text(gap: Gap) -> str:
    """What a gap says to people: without the name of a tool, and with times as a person writes them."""
    text = UNVERIFIED.sub("", gap.text, count=1)
    if gap.tool:
        text = text.removeprefix(f"{gap.tool}: ").replace(gap.tool, gap.tool.replace("_", " "))
    return MOMENT.sub(readable, text)


def gap_line(answer: Answer, gaps: Sequence[Gap]) -> GapLine:
    """What could not be checked, as far as a line holds it, and how many statements could not be verified."""
    texts = [" ".join(unmarked(gap_text(gap)).split()).rstrip(".") for gap in gaps if not is_unverified(gap)]
    open_ones = [text for text in dict.fromkeys(texts) if not repeats(text, answer.headline.text)]
    told: list[str] = []
    for text in open_ones:
        if sum(map(len, told)) + len(text) <= GAPS_CHARS:
            told.append(text)
    told = told or [clip(text, GAPS_CHARS) for text in open_ones[:1]]
    left = len(open_ones) - len(told)
    parts = [f"Could not check: {'; '.join(told)}{f'; and {left} more' if left else ''}."] if told else []
    struck = sum(map(is_unverified, gaps))
    if struck:
        parts.append(f"Could not verify {struck} statement{'s' if struck > 1 else ''}.")
    return GapLine(" ".join(parts), not struck and all(text in told for text in open_ones))
