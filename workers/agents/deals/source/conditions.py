"""Which deals a question is about: what it says of sector, region, status, years, platforms and add-ons.

Names are those of the records and of `places.yaml`. What is chosen in a menu stands in the question as a form,
``[sector: Payments]``, and counts before anything else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from workers.agents.deals.source.places import places_in, regions_named
from workers.agents.deals.source.records import DealBook
from workers.language.durations import COUNTS
from workers.language.negation import is_negated
from workers.language.question_forms import ANY, in_form
from workers.language.stems import stem

Years = tuple[int | None, int | None]
"""The first and the last year; None: no bound."""
Status = Literal["", "current", "realized"]
Event = Literal["invested", "exited"]
OPEN: Years = (None, None)
NONE = ""
"""An id that no record has."""
FORM = re.compile(r"\[(sector|region|status|years|platform|add-ons): ([^\[\]]{1,80})\]")
YEAR = r"(?:19|20)\d\d"
YEARS = re.compile(
    rf"\b(?:(?:from|between|von|zwischen)\s+)?(?P<first>{YEAR})\s*(?:-|–|to|and|until|till|bis|und|à|et)\s*(?P<last>{YEAR})\b"
    rf"|\b(?:(?P<since>since|from|after|post|ab|seit|nach|depuis|après)"
    rf"|(?P<until>before|until|till|by|pre|vor|bis|avant))[\s-](?P<bound>{YEAR})\b"
    r"|\b(?:last|past|letzten|vergangenen|dernières)\s+(?P<count>\d{1,2}|[^\W\d_]+)\s+(?:years?|yrs?|jahren?|années)\b"
    r"|\b(?P<one>this|last|dieses|letztes)\s+(?:year|jahr)\b"
    rf"|\b(?P<single>{YEAR})\b",
    re.IGNORECASE,
)
"""A span of years, a bound, "the last five years", this year or the last, a year alone."""
AFTER = frozenset("after post nach après".split())
BEFORE = frozenset("before pre vor avant".split())
GERMAN = {"zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "zehn": 10}
REALIZED_WORDS = "exit exited realized realised divested sold verkauft veräußert realisiert cédé cédée".split()
CURRENT_WORDS = "current unrealized unrealised unsold held holding aktuell gehalten".split()
INVESTED_WORDS = "invest invested investing investment bought acquired entered backed gekauft investiert acquis".split()
STATUS_STEMS: Mapping[str, Status] = {
    **{stem(word): "realized" for word in REALIZED_WORDS},
    **{stem(word): "current" for word in CURRENT_WORDS},
}
EVENT_STEMS: Mapping[str, Event] = {
    **{stem(word): "exited" for word in REALIZED_WORDS},
    **{stem(word): "invested" for word in INVESTED_WORDS},
}
PLATFORM_STEMS = frozenset(map(stem, "platform plattform plateforme".split()))
REQUEST_STEMS = frozenset(
    stem(word)
    for word in (
        "deal precedent comparable comps similar lookalike investment transaction portfolio company business firm "
        "closest nearest match find show list count history earlier previous past backed target add-on "
        "bought acquired invested year vintage per group total overall number "
        "beteiligung vergleichbar ähnlich firma unternehmen dossier société jahr"
    ).split()
)
"""What questions about deals are made of, whatever they are about."""
ADDONS = re.compile(r"\b(?:add[- ]?ons?|bolt[- ]?ons?|buy[- ]and[- ]build|roll[- ]?ups?|zuk[aä]uf\w*)\b", re.IGNORECASE)
DENIED_CHARS = 24
"""So far before a word it may be denied: "not yet sold", "without add-ons"."""
OUTSIDE = re.compile(
    r"\b(?:outside|except|excluding|other than|apart from|besides|außerhalb|außer|hors)\b", re.IGNORECASE
)


@dataclass(frozen=True)
class Conditions:
    """What deals have to be. ``sectors``, ``regions``: ids, any of them; empty: any.

    ``no_sectors``, ``no_regions``: ids of what they must not be of. ``invested``, ``exited``: years, bounds included.
    ``platform``, ``addons``: None: either. ``words``: how the question puts each, for people. ``unknown``: places that
    the question names and no deal lies in. ``unread``: years that it names and that bind nothing. ``chosen``: the kinds
    that were chosen in a menu.
    """

    sectors: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()
    no_sectors: tuple[str, ...] = ()
    no_regions: tuple[str, ...] = ()
    status: Status = ""
    invested: Years = OPEN
    exited: Years = OPEN
    platform: bool | None = None
    addons: bool | None = None
    words: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
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
    no_sectors = [i for i, at in sectors if shut_out(text, at)]
    no_regions = [i for i, at in regions if shut_out(text, at)]
    in_sectors = [i for i, _ in sectors if i not in no_sectors]
    in_regions = [i for i, _ in regions if i not in no_regions]
    status, platform, addons = status_of(text), platform_of(text), addons_of(text)
    years, unread = years_of(text, year)
    words = [book.sectors[i].name for i in in_sectors] + [f"not {book.sectors[i].name}" for i in no_sectors]
    words += [f"outside {word}" if shut_out(text, at) else word for word, at in places]
    words += [status] * bool(status)
    words += {None: [], True: ["platforms"], False: ["no platforms"]}[platform]
    words += {None: [], True: ["with add-ons"], False: ["without add-ons"]}[addons]
    words += [f"{event} {bounds_words(bounds)}" for event, bounds in years.items()]
    return Conditions(
        sectors=tuple(book.sectors[i].id for i in in_sectors),
        regions=tuple(book.regions[i].id for i in in_regions),
        no_sectors=tuple(book.sectors[i].id for i in no_sectors),
        no_regions=tuple(book.regions[i].id for i in no_regions),
        status=status,
        invested=years.get("invested", OPEN),
        exited=years.get("exited", OPEN),
        platform=platform,
        addons=addons,
        words=tuple(dict.fromkeys(words)),
        unknown=tuple(unknown),
        unread=tuple(unread),
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
            years, unread = years_of(value, year)
            changed |= {"invested": years.get("invested", OPEN), "exited": years.get("exited", OPEN)}
            changed["unread"] = tuple(unread)
        else:
            changed["platform" if kind == "platform" else "addons"] = {"yes": True, "no": False}.get(value)
    said = [f"{kind}: {value}" for kind, value in forms.items() if value.lower() != ANY]
    others = [word for word in read.words if not replaced(word, read, forms, book)]
    return replace(read, **changed, words=(*others, *said), chosen=tuple(forms))  # type: ignore[arg-type]


def ids_called(name: str, names: Mapping[str, str]) -> tuple[str, ...]:
    """The ids of what is called so, all for ``any``; an id that nothing has where nothing is called so."""
    if name.lower() == ANY:
        return ()
    return tuple(i for i, known in names.items() if in_form(known).lower() == name.lower()) or (NONE,)


def replaced(word: str, read: Conditions, forms: Mapping[str, str], book: DealBook) -> bool:
    """Whether a menu says something else of what a word of the question says."""
    if word in {"current", "realized"}:
        return "status" in forms
    if word in {"platforms", "no platforms"}:
        return "platform" in forms
    if word in {"with add-ons", "without add-ons"}:
        return "add-ons" in forms
    if any(word == book.sector_names[s] for s in read.sectors):
        return "sector" in forms
    if word.startswith(("not ", "outside ")):
        return False
    return "years" in forms if re.search(YEAR, word) else "region" in forms


def topic_of(text: str) -> str:
    """What a question is about beside its conditions: without forms, years, places, status, platform and add-ons."""
    plain = FORM.sub(" ", text)
    for pattern in (ADDONS, YEARS):
        plain = pattern.sub(" ", plain)
    for _, word, at in reversed(places_in(plain)):
        plain = f"{plain[:at]} {plain[at + len(word) :]}"
    dropped = PLATFORM_STEMS | STATUS_STEMS.keys() | REQUEST_STEMS
    return " ".join(w for w in re.findall(r"[\w&'’-]+", plain) if stem(w.lower()) not in dropped)


def sectors_named(text: str, names: Sequence[str]) -> list[tuple[int, int]]:
    """The numbers of the sectors whose whole name stands in a text, and where; of several at one place the longest."""
    places = [m.start() for m in re.finditer(r"\w+", text)]
    said = [stem(w) for w in re.findall(r"\w+", text.lower())]
    found: list[tuple[int, int, int]] = []
    for i, name in enumerate(names):
        wanted = [stem(w) for w in re.findall(r"\w+", name.lower())]
        spans = [k for k in range(len(said) - len(wanted) + 1) if wanted and said[k : k + len(wanted)] == wanted]
        found.extend((k, k + len(wanted), i) for k in spans)
    kept = [f for f in found if not any(o[0] <= f[0] and f[1] <= o[1] and o[:2] != f[:2] for o in found)]
    return sorted({i: places[k] for k, _, i in reversed(kept)}.items())


def status_of(text: str) -> Status:
    """Whether it is about deals that have ended, or those that are held; empty when both or neither are spoken of.

    What is denied is the other: "not yet sold" is held.
    """
    other: Mapping[Status, Status] = {"realized": "current", "current": "realized"}
    found = set[Status]()
    for m in re.finditer(r"\w+", text):
        if status := STATUS_STEMS.get(stem(m.group().lower())):
            found.add(other[status] if denied(text, m.start()) else status)
    return found.pop() if len(found) == 1 else ""


def platform_of(text: str) -> bool | None:
    """Whether it is about platforms, or (denied) about what is none; None when it says neither or both."""
    found = [m for m in re.finditer(r"\w+", text) if stem(m.group().lower()) in PLATFORM_STEMS]
    said = {not denied(text, m.start()) for m in found}
    return said.pop() if len(said) == 1 else None


def addons_of(text: str) -> bool | None:
    """Whether it is about deals with add-ons, or (denied) without."""
    found = ADDONS.search(text)
    return None if found is None else not denied(text, found.start())


def denied(text: str, at: int) -> bool:
    """Whether what stands at a place is denied shortly before."""
    return is_negated(text, max(0, at - DENIED_CHARS), at)


def shut_out(text: str, at: int) -> bool:
    """Whether what stands at a place is denied, or named as what lies outside."""
    return denied(text, at) or OUTSIDE.search(text[max(0, at - DENIED_CHARS) : at]) is not None


def years_of(text: str, year: int) -> tuple[dict[Event, Years], list[str]]:
    """The years that a text names of each event, and what it names beside them, which binds nothing.

    Years are of the event that is named nearest before them, else of the first that is named, else of the investment.
    """
    named = events_in(text)
    said: dict[Event, list[re.Match[str]]] = {}
    for m in YEARS.finditer(text):
        before = [event for at, event in named if at < m.start()]
        said.setdefault(before[-1] if before else named[0][1] if named else "invested", []).append(m)
    found, unread = dict[Event, Years](), list[str]()
    for event, matches in said.items():
        firsts, lasts = zip(*(bounds_of(m, year) for m in matches), strict=True)
        first, last = ([y for y in bounds if y is not None] for bounds in (firsts, lasts))
        if len(first) > 1 or len(last) > 1:  # "in 2012 or 2014"
            unread += [m.group() for m in matches]
        elif first or last:
            found[event] = (next(iter(first), None), next(iter(last), None))
    return found, unread


def events_in(text: str) -> list[tuple[int, Event]]:
    """The events that a text names, and where."""
    said = [(m.start(), EVENT_STEMS.get(stem(m.group().lower()))) for m in re.finditer(r"[^\W\d_]+", text)]
    return [(at, event) for at, event in said if event]


def event_of(text: str) -> Event:
    """The event that a text names last; the investment where it names none."""
    named = events_in(text)
    return named[-1][1] if named else "invested"


def bounds_of(found: re.Match[str], year: int) -> Years:
    """The years that a phrase means: the first and the last."""
    said = {name: value.lower() for name, value in found.groupdict().items() if value}
    if "first" in said:
        first, last = sorted((int(said["first"]), int(said["last"])))
        return first, last
    if "since" in said:
        return int(said["bound"]) + (said["since"] in AFTER), None
    if "until" in said:
        return None, int(said["bound"]) - (said["until"] in BEFORE)
    if "count" in said:
        counted = said["count"]
        count = int(counted) if counted.isdecimal() else (COUNTS | GERMAN).get(counted, 0)
        return (year - count, year) if count else OPEN
    if "one" in said:
        one = year - (said["one"] in {"last", "letztes"})
        return one, one
    return int(said["single"]), int(said["single"])


def bounds_words(bounds: Years) -> str:
    """``2015–2019``, ``2015 or later``."""
    first, last = bounds
    if first is None or last is None:
        return f"{first} or later" if first else f"{last} or earlier"
    return str(first) if first == last else f"{first}–{last}"
