"""Which deals a question is about: what it says of sector, region, status, years, platforms and add-ons.

Names are those of the records and of `places.yaml`. What is chosen in a menu stands in the question as a form,
``[sector: Payments]``, and counts before anything else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from workers.language.durations import COUNTS
from workers.language.negation import is_negated
from workers.language.stems import stem
from workers.sources.deals.places import places_in, regions_named
from workers.sources.deals.records import DealBook

Years = tuple[int | None, int | None]
"""The first and the last year; None: no bound."""
Status = Literal["", "current", "realized"]
OPEN: Years = (None, None)
NONE = ""
"""An id that no record has."""
FORM = re.compile(r"\[(sector|region|status|years|platform|add-ons): ([^\[\]]{1,80})\]")
YEAR = r"(?:19|20)\d\d"
SPAN = re.compile(rf"\b({YEAR})\s*(?:-|–|to|and|until|till|bis|und|à|et)\s*({YEAR})\b", re.IGNORECASE)
BOUND = re.compile(
    rf"\b(?:(since|from|after|post|ab|seit|nach|depuis|après)|(before|until|till|by|pre|vor|bis|avant))[\s-]({YEAR})\b",
    re.IGNORECASE,
)
AFTER = frozenset("after post nach après".split())
BEFORE = frozenset("before pre vor avant".split())
LAST = re.compile(
    r"\b(?:last|past|letzten|vergangenen|dernières)\s+(\d{1,2}|[a-z]+)\s+(?:years?|yrs?|jahren?|années)\b",
    re.IGNORECASE,
)
GERMAN = {"zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "zehn": 10}
REALIZED_WORDS = "exit exited realized realised divested sold verkauft veräußert realisiert cédé cédée".split()
CURRENT_WORDS = "current unrealized unrealised held holding aktuell gehalten".split()
STATUS_STEMS: Mapping[str, Status] = {
    **{stem(word): "realized" for word in REALIZED_WORDS},
    **{stem(word): "current" for word in CURRENT_WORDS},
}
PLATFORM_STEMS = frozenset(map(stem, "platform plattform plateforme".split()))
REQUEST_STEMS = frozenset(
    stem(word)
    for word in (
        "deal precedent comparable comps similar lookalike investment transaction portfolio company business firm "
        "closest nearest match find show list count history earlier previous past backed target add-on "
        "beteiligung vergleichbar ähnlich firma unternehmen dossier société"
    ).split()
)
"""What questions about deals are made of, whatever they are about."""
ADDONS = re.compile(r"\b(?:add[- ]?ons?|bolt[- ]?ons?|buy[- ]and[- ]build|roll[- ]?ups?|zuk[aä]uf\w*)\b", re.IGNORECASE)
DENIED_CHARS = 24
"""So far before a word it may be denied: "not yet sold", "without add-ons"."""


@dataclass(frozen=True)
class Conditions:
    """What deals have to be. ``sectors``, ``regions``: ids, any of them; empty: any.

    ``invested``, ``exited``: years, bounds included. ``platform``, ``addons``: None: either. ``words``: how the
    question puts each, for people. ``unknown``: places that the question names and no deal lies in. ``chosen``: the
    kinds that were chosen in a menu.
    """

    sectors: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()
    status: Status = ""
    invested: Years = OPEN
    exited: Years = OPEN
    platform: bool | None = None
    addons: bool | None = None
    words: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    chosen: tuple[str, ...] = ()


def read_conditions(text: str, book: DealBook, year: int) -> Conditions:
    """What a question says of the deals that it is about.

    Args:
        text: the question, with the forms that menus add.
        book: the records, whose sectors and regions can be named.
        year: the present one, for "the last five years".
    """
    forms = {kind: value.strip() for kind, value in FORM.findall(text)}
    plain = FORM.sub(" ", text)
    read = read_plain(plain, book, year)
    return with_forms(read, forms, book, year) if forms else read


def read_plain(text: str, book: DealBook, year: int) -> Conditions:
    """What the words say."""
    sectors = sectors_named(text, [s.name for s in book.sectors])
    regions, places, unknown = regions_named(text, [r.name for r in book.regions])
    status, platform, addons = status_of(text), platform_of(text), addons_of(text)
    span, span_words = years_of(text, year)
    words = [book.sectors[i].name for i in sectors] + places
    words += [status] * bool(status) + ["platforms"] * bool(platform) + ["with add-ons"] * bool(addons)
    words += [span_words] * bool(span_words)
    ended = status == "realized"
    return Conditions(
        sectors=tuple(book.sectors[i].id for i in sectors),
        regions=tuple(book.regions[i].id for i in regions),
        status=status,
        invested=OPEN if ended else span,
        exited=span if ended else OPEN,
        platform=platform,
        addons=addons,
        words=tuple(words),
        unknown=tuple(unknown),
    )


def with_forms(read: Conditions, forms: Mapping[str, str], book: DealBook, year: int) -> Conditions:
    """The conditions with what was chosen in menus in place of what was read."""
    changed: dict[str, object] = {}
    for kind, value in forms.items():
        if kind == "sector":
            changed["sectors"] = ids_called(value, book.sector_names)
        elif kind == "region":
            changed["regions"] = ids_called(value, book.region_names)
            changed["unknown"] = ()
        elif kind == "status":
            changed["status"] = value if value in {"current", "realized"} else ""
        elif kind == "years":
            changed["invested"], _ = years_of(value, year)
            changed["exited"] = OPEN
        else:
            changed["platform" if kind == "platform" else "addons"] = {"yes": True, "no": False}.get(value)
    said = [f"{kind}: {value}" for kind, value in forms.items()]
    others = [word for word in read.words if not replaced(word, read, forms, book)]
    return replace(read, **changed, words=(*others, *said), chosen=tuple(forms))  # type: ignore[arg-type]


def ids_called(name: str, names: Mapping[str, str]) -> tuple[str, ...]:
    """The ids of what is called so, all for ``any``; an id that nothing has where nothing is called so."""
    if name.lower() == "any":
        return ()
    return tuple(i for i, known in names.items() if known.lower() == name.lower()) or (NONE,)


def replaced(word: str, read: Conditions, forms: Mapping[str, str], book: DealBook) -> bool:
    """Whether a menu says something else of what a word of the question says."""
    if word in {"current", "realized"}:
        return "status" in forms
    if word == "platforms":
        return "platform" in forms
    if word == "with add-ons":
        return "add-ons" in forms
    if any(word == book.sector_names[s] for s in read.sectors):
        return "sector" in forms
    return "years" in forms if re.search(YEAR, word) else "region" in forms


def topic_of(text: str) -> str:
    """What a question is about beside its conditions: without forms, years, places, status, platform and add-ons."""
    plain = FORM.sub(" ", text)
    for pattern in (ADDONS, SPAN, BOUND, LAST):
        plain = pattern.sub(" ", plain)
    for _, word in places_in(plain):
        plain = plain.replace(word, " ")
    dropped = PLATFORM_STEMS | STATUS_STEMS.keys() | REQUEST_STEMS
    return " ".join(w for w in re.findall(r"[\w&'’-]+", plain) if stem(w.lower()) not in dropped)


def sectors_named(text: str, names: Sequence[str]) -> list[int]:
    """The numbers of the sectors whose whole name stands in a text; of several at one place the longest."""
    said = [stem(w) for w in re.findall(r"\w+", text.lower())]
    found: list[tuple[int, int, int]] = []
    for i, name in enumerate(names):
        wanted = [stem(w) for w in re.findall(r"\w+", name.lower())]
        spans = [k for k in range(len(said) - len(wanted) + 1) if wanted and said[k : k + len(wanted)] == wanted]
        found.extend((k, k + len(wanted), i) for k in spans)
    kept = [f for f in found if not any(o[0] <= f[0] and f[1] <= o[1] and o[:2] != f[:2] for o in found)]
    return sorted({i for _, _, i in kept})


def status_of(text: str) -> Status:
    """Whether it is about deals that have ended, or those that are held; empty when both or neither are spoken of."""
    found = {
        STATUS_STEMS[stem(m.group().lower())]
        for m in re.finditer(r"\w+", text)
        if stem(m.group().lower()) in STATUS_STEMS and not denied(text, m.start())
    }
    return found.pop() if len(found) == 1 else ""


def platform_of(text: str) -> bool | None:
    """Whether it is about platforms."""
    found = [m for m in re.finditer(r"\w+", text) if stem(m.group().lower()) in PLATFORM_STEMS]
    return True if any(not denied(text, m.start()) for m in found) else None


def addons_of(text: str) -> bool | None:
    """Whether it is about deals with add-ons, or (denied) without."""
    found = ADDONS.search(text)
    return None if found is None else not denied(text, found.start())


def denied(text: str, at: int) -> bool:
    """Whether what stands at a place is denied shortly before."""
    return is_negated(text, max(0, at - DENIED_CHARS), at)


def years_of(text: str, year: int) -> tuple[Years, str]:
    """The years that a text names, and how it names them."""
    if found := SPAN.search(text):
        first, last = sorted((int(found.group(1)), int(found.group(2))))
        return (first, last), f"{first}–{last}"
    if found := BOUND.search(text):
        word = (found.group(1) or found.group(2)).lower()
        named = int(found.group(3))
        if found.group(1):
            first = named + (word in AFTER)
            return (first, None), f"{first} or later"
        last = named - (word in BEFORE)
        return (None, last), f"{last} or earlier"
    if found := LAST.search(text):
        count = int(found.group(1)) if found.group(1).isdecimal() else (COUNTS | GERMAN).get(found.group(1).lower(), 0)
        return ((year - count, year), f"{year - count}–{year}") if count else (OPEN, "")
    named_years = {int(y) for y in re.findall(rf"\b{YEAR}\b", text)}
    if len(named_years) == 1:
        named = named_years.pop()
        return (named, named), str(named)
    return OPEN, ""
