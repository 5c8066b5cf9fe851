"""A request as tokens: what each of them means, and which are left over."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from workers.agents.deals.language.deal_names import spans_of_names
from workers.agents.deals.language.places import Named, places_in
from workers.agents.deals.language.sectors import SectorName, sectors_in
from workers.agents.deals.language.terms import Mention, Token, mentions_in, number_of, tokens_of
from workers.language.negation import is_negated
from workers.language.stop_words import ASKED_VERBS, CHANGE_VERBS, MORE_VERBS, STOP_WORDS

FORM = re.compile(r"\[(sector|region|status|years|platform|add-ons): ([^\[\]]{1,80})\]")
YEAR = r"(?:19|20)\d\d"
YEARS = re.compile(
    rf"\b(?:(?:from|between|von|zwischen|desde|entre|de)\s+)?(?P<first>{YEAR})\s*"
    rf"(?:-|–|to|and|until|till|through|thru|bis|und|hasta|al?|y|à|et)\s*(?P<last>{YEAR})\b"
    rf"|\b(?:(?P<since>since|from|after|post|ab|seit|nach|desde|después de|depuis|après)"
    rf"|(?P<until>before|until|till|by|pre|vor|bis|hasta|antes de|avant))[\s-](?P<bound>{YEAR})\b"
    r"|\b(?:last|past|letzten|vergangenen|últimos|dernières)\s+(?P<count>\d{1,2}|[^\W\d_]+)\s+(?:years?|yrs?|jahren?|años|années)\b"
    r"|\b(?P<one>this|last|dieses|letztes|este)\s+(?:year|jahr|año)\b"
    rf"|\b(?P<decade>(?:19|20)\d0)s\b|\b(?P<single>{YEAR})\b",
    re.IGNORECASE,
)
"""A span of years, a bound, "the last five years", this year or the last, a year alone."""
RANGES = frozenset("- – to and bis und a y à et".split())
"""What stands between the two numbers of a range."""
PAUSE = re.compile(r"[,;:]")
NEAR_TOKENS = 3
"""So far before a word it may be denied: "not yet sold", "in no case outside"."""
PLAIN = STOP_WORDS | ASKED_VERBS | CHANGE_VERBS | MORE_VERBS
SAID = frozenset({"request", "courtesy", "nothing", "firm", "deal", "like"})
"""What terms mean that say nothing of which deals."""
ALWAYS = SAID | {"realized", "current", "invested", "platform", "addons", "denied", "outside", "best", "worst"}
"""Terms that are no topic, also of a deal that precedents are sought for."""


@dataclass
class Reading:
    """A text as tokens, what terms mean on them, and which are bound; years are from the start."""

    text: str
    bound: set[int] = field(default_factory=set)
    deal_tokens: set[int] = field(default_factory=set)
    sectors: list[SectorName] = field(default_factory=list)
    parts: list[SectorName] = field(default_factory=list)
    places: list[Named] = field(default_factory=list)
    told: list[int] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        for m in self.years:
            self.bound |= self.between(m.start(), m.end())

    def between(self, start: int, end: int) -> set[int]:
        """The tokens between two characters."""
        return {i for i, t in enumerate(self.tokens) if start <= t.start < end}

    def bind_names(self, deals: Sequence[str]) -> None:
        """The whole names of deals are read."""
        for start, end in spans_of_names(self.text, deals):
            self.deal_tokens |= self.between(start, end)
        self.bound |= self.deal_tokens

    @cached_property
    def tokens(self) -> list[Token]:
        """The words and numbers."""
        return tokens_of(self.text)

    @cached_property
    def mentions(self) -> list[Mention]:
        """What they mean."""
        return mentions_in(self.tokens)

    @cached_property
    def years(self) -> list[re.Match[str]]:
        """Years and spans of them."""
        return list(YEARS.finditer(self.text))

    def of(self, *concepts: str) -> list[Mention]:
        """The mentions of some concepts."""
        return [m for m in self.mentions if m.concept in concepts]

    def meant(self, at: int) -> bool:
        """Whether a term stands on a token."""
        return any(m.first <= at < m.last for m in self.mentions)

    def bind(self, first: int, last: int, words: str = "") -> None:
        """These tokens are read."""
        self.bound.update(range(first, last))
        self.words += [words] * bool(words)

    def said(self, first: int, last: int) -> str:
        """Tokens as they are written."""
        return self.text[self.tokens[first].start : self.tokens[last - 1].end]

    def reach(self, first: int) -> int:
        """Where what is said of the word at a token begins: shortly before, behind a pause, behind what is bound."""
        start = max(0, first - NEAR_TOKENS)
        read = self.bound - {i for m in self.of("denied", "outside") for i in range(m.first, m.last)}
        for i in range(start, first):
            pause = PAUSE.search(self.text, self.tokens[i].end, self.tokens[i + 1].start)
            start = i + 1 if pause or i in read else start
        return start

    def denied(self, first: int) -> bool:
        """Whether what begins at a token is denied shortly before."""
        start = self.reach(first)
        near = any(start <= m.first and m.last <= first for m in self.of("denied"))
        return near or (start < first and is_negated(self.text, self.tokens[start].start, self.tokens[first].start))

    def shut_out(self, first: int) -> bool:
        """Whether what begins at a token is denied, or named as what lies outside."""
        start = self.reach(first)
        return self.denied(first) or any(start <= m.first and m.last <= first for m in self.of("outside"))

    def ranges(self, units: Sequence[Mention]) -> dict[int, int]:
        """The numbers that ranges end with -> those that they begin with: “2 to 4”, “1.5x and 3x”."""
        numbers = [i for i, t in enumerate(self.tokens) if i not in self.bound and number_of(t.word) is not None]
        unit_at = {m.first: m for m in units}
        out = {}
        for first, last in pairwise(numbers):
            unit, same = unit_at.get(first + 1), unit_at.get(last + 1)
            end = first + 1 if unit is None or last == first + 1 else unit.last
            joint = self.text[self.tokens[end - 1].end : self.tokens[last].start].strip().lower()
            if joint in RANGES and (unit is None or (same and same.concept == unit.concept)):
                out[last] = first
        return out

    def left(self) -> list[int]:
        """The tokens that are not bound and are no words that everybody uses."""
        return [i for i, t in enumerate(self.tokens) if i not in self.bound and t.word not in PLAIN]


def topic_of(text: str) -> str:
    """What a question is about beside its conditions: without forms, years, places, status, platform and add-ons."""
    reading = Reading(FORM.sub(" ", text))
    drop = {i for m in reading.of(*ALWAYS - {"nothing"}) for i in range(m.first, m.last)}
    drop |= {i for n in places_in(reading.text, reading.tokens) for i in range(n.first, n.last)}
    drop |= reading.bound
    kept = list(reading.text)
    for i in drop:
        kept[reading.tokens[i].start : reading.tokens[i].end] = " " * (reading.tokens[i].end - reading.tokens[i].start)
    return " ".join(filter(None, (w.strip("-,.?!:;()") for w in "".join(kept).split())))


def read_names(
    text: str, deals: Sequence[str], sectors: Sequence[str], regions: Sequence[str], told: Collection[str] = ()
) -> Reading:
    """A request with everything bound that terms, years, numbers, names of records and places say.

    ``told``: names in descriptions, in lower case.
    """
    reading = Reading(FORM.sub(" ", text))
    reading.bind_names(deals)
    for m in reading.mentions:
        if m.concept not in {"loose", "figure"}:
            reading.bind(m.first, m.last)
    reading.bound |= {i for i, t in enumerate(reading.tokens) if number_of(t.word) is not None}
    named = sectors_in(reading.text, reading.tokens, sectors)
    reading.sectors, reading.parts = [n for n in named if not n.part], [n for n in named if n.part]
    reading.places = [
        n
        for n in places_in(reading.text, reading.tokens, regions)
        if not reading.deal_tokens & {*range(n.first, n.last)}
    ]
    for sector in named:
        reading.bind(sector.first, sector.last)
    for place in reading.places:
        reading.bind(place.first, place.last)
    known = {*told}
    for i, token in enumerate(reading.tokens):
        free = i not in reading.bound and reading.text[token.start].isupper()
        if free and {token.word, token.word.removesuffix("n")} & known:
            reading.told.append(i)
    reading.bound |= {*reading.told}
    return reading
