"""Which deals a question is about: what it says of sector, place, status, years, sellers, and of what is counted.

Every word of a question is bound to a condition, or is left: as a word that records may speak of, or as unread. Names
are those of the records, of ``places.yaml`` and ``trades.yaml``; what other words mean stands in ``terms.yaml``. What
is chosen in a menu stands in the question as a form, ``[sector: Payments]``, and counts before anything else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from workers.agents.deals.language.places import lies_in, place_of, places, places_in, within
from workers.agents.deals.language.reading import ALWAYS, FORM, NEAR_TOKENS, PLAIN, YEAR, Reading
from workers.agents.deals.language.sectors import SectorName, sectors_in
from workers.agents.deals.language.terms import number_of
from workers.agents.deals.source.records import DealBook
from workers.agents.deals.source.told_facts import SELLERS
from workers.language.question_forms import ANY, in_form

Years = tuple[int | None, int | None]
"""The first and the last year; None: no bound."""
Status = Literal["", "current", "realized"]
Event = Literal["invested", "exited"]
Sign = Literal[">", "≥", "<", "≤", "="]
NONE = ""
"""An id that no record has."""
AFTER = frozenset("after post nach después après".split())
BEFORE = frozenset("before pre vor antes avant".split())
SIGNS: Mapping[str, Sign] = {"more": ">", "least": "≥", "less": "<", "most": "≤", "exactly": "="}
SIGN_WORDS = {">": "more than", "≥": "at least", "<": "less than", "≤": "at most", "=": "exactly"}
INVERSE: Mapping[Sign, Sign] = {">": "≤", "≥": "<", "<": "≥", "≤": ">", "=": ">"}
UNITS = {"addons": "add_ons", "times": "multiple", "years": "held_years"}
UNIT_WORDS = {"add_ons": "add-ons", "multiple": "x money back", "held_years": "years held"}
OUTCOMES: Mapping[str, tuple[Sign, float]] = {
    "loss": ("<", 1), "total_loss": ("=", 0), "gain": (">", 1),
    "doubled": ("≥", 2), "tripled": ("≥", 3),
}  # fmt: skip
JOINTS = frozenset("and or und oder y o et ou the in of".split())
HELD = frozenset("held hold holding halten gehalten".split())
BEFORE_NAMES = frozenset("in near from around to by with at aus nach bei von en de a por dans à of".split())
MOST_NAME_WORDS = 5


@dataclass(frozen=True)
class Measure:
    """What is counted of a deal (``add_ons``, ``held_years``, ``multiple``: how often the money came back)."""

    name: str
    sign: Sign
    value: float

    @property
    def words(self) -> str:
        """``more than 2 add-ons``."""
        if self.name == "add_ons" and (self.sign, self.value) in {(">", 0), ("=", 0)}:
            return "with add-ons" if self.sign == ">" else "without add-ons"
        if self.name == "multiple" and (self.sign, self.value) in {("<", 1), ("=", 0), (">", 1)}:
            return {"<": "less than the money back", "=": "nothing back", ">": "more than the money back"}[self.sign]
        return f"{SIGN_WORDS[self.sign]} {self.value:g} {UNIT_WORDS[self.name]}".replace(" x ", "x ")


@dataclass(frozen=True)
class Conditions:
    """What deals have to be. ``sectors``, ``regions``: ids, any of them; empty: any.

    ``no_sectors``, ``no_regions``: ids of what they must not be of. ``invested``, ``exited``: spans of years, bounds
    included, any of them; empty: any year.
    ``platform``: None: either. ``measures``: all of them. ``sellers``: any of them. ``told``: sets of deals by id, of
    which each has to be of every one, as descriptions name a place or a firm; ``not_told``: of which it must not be.
    ``merged``: they added another deal of the records. ``words``: how the question puts each, for people. ``unknown``:
    places that the question names and no deal lies in. ``unread``: what binds nothing that it could. ``chosen``: the
    kinds that were chosen in a menu. ``topic``: words that are left, for records to speak of; ``no_topic``: of
    which they must not.
    ``near_sectors``: that a word only may mean: they weigh, and do not bind.
    """

    sectors: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()
    no_sectors: tuple[str, ...] = ()
    no_regions: tuple[str, ...] = ()
    status: Status = ""
    invested: tuple[Years, ...] = ()
    exited: tuple[Years, ...] = ()
    platform: bool | None = None
    measures: tuple[Measure, ...] = ()
    sellers: tuple[str, ...] = ()
    told: tuple[frozenset[str], ...] = ()
    not_told: frozenset[str] = frozenset()
    merged: bool = False
    words: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    chosen: tuple[str, ...] = ()
    topic: tuple[str, ...] = ()
    no_topic: tuple[str, ...] = ()
    near_sectors: tuple[str, ...] = ()

    @property
    def addons(self) -> bool | None:
        """Whether they have to have add-ons; None: either."""
        said = [m.sign == ">" or m.value > 0 for m in self.measures if m.name == "add_ons"]
        return said[0] if said else None


def read_conditions(text: str, book: DealBook, year: int) -> Conditions:
    """What a question says of the deals that it is about.

    Args:
        text: the question, with the forms that menus add.
        book: the records, whose sectors and regions can be named.
        year: the present one, for "the last five years".
    """
    forms = {kind: value.strip() for kind, value in FORM.findall(text)}
    read = read_plain(FORM.sub(" ", text), book, year)
    return with_forms(read, forms, book, year) if forms else read


def read_plain(text: str, book: DealBook, year: int) -> Conditions:
    """What the words say."""
    reading = Reading(text)
    found: dict[str, object] = {}
    reading.bind_names(book.names)
    spans = read_sectors(reading, book, found)
    spans |= read_places(reading, book, found, spans)
    found["status"] = read_status(reading)
    found["platform"] = read_platform(reading)
    found["measures"] = read_measures(reading)
    if not found["status"] and any(m.name == "multiple" for m in found["measures"]):  # type: ignore[attr-defined]
        found["status"] = "realized"
    read_sellers(reading, found)
    found["merged"] = bool(reading.of("own_added"))
    reading.words += ["added a deal of these records"] * bool(found["merged"])
    years, unread = years_of(reading, year)
    reading.words += [f"{event} {' or '.join(map(bounds_words, spans))}" for event, spans in years.items()]
    for m in reading.of(*ALWAYS, "own_added"):
        reading.bind(m.first, m.last)
    left = [i for i in reading.left() if not reading.tokens[i].word.isdecimal()]
    denied = [i for i in left if reading.shut_out(i)]
    reading.words += [f"not “{reading.said(i, i + 1)}”" for i in denied]
    return Conditions(
        **found,  # type: ignore[arg-type]
        invested=years.get("invested", ()),
        exited=years.get("exited", ()),
        words=tuple(dict.fromkeys(reading.words)),
        unread=(*unread, *(u for u in reading.unread if not any(u != o and u in o for o in reading.unread))),
        topic=tuple(dict.fromkeys(reading.said(i, i + 1) for i in left if i not in denied)),
        no_topic=tuple(dict.fromkeys(reading.said(i, i + 1) for i in denied)),
    )


# --- what is named --------------------------------------------------------------------------------------------


def read_sectors(reading: Reading, book: DealBook, found: dict[str, object]) -> set[int]:
    """The sectors that are named, and those that are shut out; the tokens that may join two that are shut out."""
    named = sectors_in(reading.text, reading.tokens, [s.name for s in book.sectors])
    taken = {i for n in named for i in range(n.first, n.last)}
    known = taken | {i for m in reading.mentions for i in range(m.first, m.last)} | reading.bound
    known |= {i for n in places_in(reading.text, reading.tokens) for i in range(n.first, n.last)}
    known |= {i for first, last, _ in names_said(reading, book) for i in range(first, last)}

    def describes(n: SectorName) -> bool:
        """Whether a word is part of what a company does: the cars of a car wash, the clinics of dental clinics."""
        if reading.shut_out(n.first):
            return False
        beside = range(len(reading.tokens)) if n.part else range(n.last, min(n.last + 1, len(reading.tokens)))
        return any(i not in known and reading.tokens[i].word not in PLAIN for i in beside)

    whole = {i for n in named if not n.part for i in n.sectors}
    kept = [n for n in named if (n.own and not n.part) or n.sectors & whole or not describes(n)]
    inside, outside, shut = set[int](), set[int](), set[int]()
    for n in kept:
        if n.part and n.sectors & whole and not reading.shut_out(n.first):  # the dealers of car dealers
            reading.bind(n.first, n.last)
            continue
        if out := reading.shut_out(n.first) or joined_to(reading, n.first, shut):
            shut |= {n.last}
        (outside if out else inside).update(n.sectors)
        reading.bind(n.first, n.last)
    inside -= outside
    reading.words += [book.sectors[i].name for i in sorted(inside)]
    reading.words += [f"not {book.sectors[i].name}" for i in sorted(outside)]
    found["sectors"] = tuple(book.sectors[i].id for i in sorted(inside))
    near = {i for n in named if n not in kept for i in n.sectors}
    found["near_sectors"] = tuple(book.sectors[i].id for i in sorted(near))
    found["no_sectors"] = tuple(book.sectors[i].id for i in sorted(outside))
    return shut


def joined_to(reading: Reading, first: int, ends: Iterable[int]) -> bool:
    """Whether only "and", "or" and the like stand between what begins at a token and one of some ends."""
    return any(
        end <= first <= end + 2 and all(t.word in JOINTS for t in reading.tokens[end:first]) and end != first
        for end in ends
    )


def read_places(reading: Reading, book: DealBook, found: dict[str, object], shut: set[int]) -> set[int]:
    """The regions that are named, by their own names or by what lies in them, and names that descriptions tell.

    Of a place that is smaller than a region of the records those deals are meant whose descriptions name it, where
    descriptions name such places; else the region, and it is told: "DACH (for German)".
    """
    known = {r.id: place_of(r.name) for r in book.regions}
    inside, outside, unknown = dict[str, None](), dict[str, None](), list[str]()
    told, not_told = set[str](), set[str]()
    by_text = False
    for n in places_in(reading.text, reading.tokens, [r.name for r in book.regions]):
        if {*range(n.first, n.last)} & reading.bound:
            continue
        reading.bind(n.first, n.last)
        word, place = reading.said(n.first, n.last), places().get(n.name) or place_of(n.name)
        out = reading.shut_out(n.first) or joined_to(reading, n.first, shut)
        shut |= {n.last} if out else set()
        own = [r.id for r in book.regions if r.name == n.name]
        ids = own or [i for i, other in known.items() if place and lies_in(other, place)]
        around = [i for i, other in known.items() if place and other and lies_in(place, other)] if not ids else []
        texts = names_of(place.name, book) if place and around else set()
        reading.words.append(f"outside {word}" if out else word)
        if ids:
            (outside if out else inside).update(dict.fromkeys(ids))
        elif texts or (around and names_places(around, known, book)):
            (not_told if out else told).update(texts)
            inside |= {} if out else dict.fromkeys(around)
            by_text = by_text or not out
        elif around:
            (outside if out else inside).update(dict.fromkeys(around))
            names = ", ".join(r.name for r in book.regions if r.id in around)
            reading.words[-1] = f"outside {names} (for {word})" if out else f"{names} (for {word})"
        else:
            reading.words.pop()
            unknown.append(word)
    sets, ends = [frozenset(told)] if by_text else [], 0
    for first, last, named in names_said(reading, book):
        out = reading.shut_out(first)
        either = ends and not out and all(t.word in JOINTS for t in reading.tokens[ends:first])  # "Kansas or Ohio"
        ends = last
        reading.bind(first, last, f"{'not ' * out}“{reading.said(first, last)}”")
        if out:
            not_told |= named
        elif either:
            sets[-1] |= named
        else:
            sets.append(frozenset(named))
    found["regions"], found["no_regions"] = tuple(i for i in inside if i not in outside), tuple(outside)
    found["told"], found["not_told"], found["unknown"] = tuple(sets), frozenset(not_told), tuple(dict.fromkeys(unknown))
    return shut


def names_of(place: str, book: DealBook) -> set[str]:
    """The ids of deals whose descriptions name a place or what lies in it."""
    return {i for name in within(places()[place]) for i in book.names_told.get(name.lower(), ())}


def names_places(regions: Sequence[str], known: Mapping[str, object], book: DealBook) -> bool:
    """Whether most descriptions of the deals in some regions name a smaller place there."""
    inner = {i for r in regions for name in getattr(known[r], "holds", ()) for i in names_of(name, book)}
    deals = [d.id for d in book.deals if d.region_id in regions]
    return 2 * len(inner & {*deals}) > len(deals)


def names_said(reading: Reading, book: DealBook) -> Iterator[tuple[int, int, set[str]]]:
    """Names that descriptions hold and the question writes with a capital, or behind a word such as “in”."""
    at = 0
    while at < len(reading.tokens):
        for size in range(min(MOST_NAME_WORDS, len(reading.tokens) - at), 0, -1):
            said = reading.said(at, at + size)
            ids = book.names_told.get(said.lower()) or book.names_told.get(said.lower().removesuffix("n"))  # Georgian
            before = reading.tokens[at - 1].word if at else ""
            fits = (said[:1].isupper() and (size > 1 or not reading.meant(at))) or before in BEFORE_NAMES
            if ids and fits and not {*range(at, at + size)} & reading.bound and said.lower() not in PLAIN:
                yield at, at + size, ids
                at += size
                break
        else:
            at += 1


def read_sellers(reading: Reading, found: dict[str, object]) -> None:
    """What kind of owner sold."""
    said = reading.of(*SELLERS)
    inside = {m.concept for m in said if not reading.shut_out(m.first)}
    outside = {m.concept for m in said} - inside
    found["sellers"] = tuple(s for s in SELLERS if s in inside or (outside and not inside and s not in outside))
    reading.words += [f"bought from {s}" for s in sorted(inside)] + [f"not from {s}" for s in sorted(outside)]
    for m in said:
        reading.bind(m.first, m.last)


# --- what is said of each deal ---------------------------------------------------------------------------------


def read_status(reading: Reading) -> Status:
    """Whether it is about deals that have ended, or those that are held; empty when both or neither are spoken of.

    What is denied is the other: "not yet sold" is held.
    """
    other: Mapping[str, Status] = {"realized": "current", "current": "realized"}
    said = reading.of("realized", "current")
    timed = bool(reading.of("years")) and any(number_of(t.word) is not None for t in reading.tokens)
    found = set[Status]()
    for m in said:
        if timed and {t.word for t in reading.tokens[m.first : m.last]} & HELD:  # for how long, and not whether
            continue
        found.add(other[m.concept] if reading.denied(m.first) else m.concept)  # type: ignore[arg-type]
    status: Status = found.pop() if len(found) == 1 else ""
    reading.words += [status] * bool(status)
    return status


def read_platform(reading: Reading) -> bool | None:
    """Whether it is about platforms, or (denied) about what is none; None when it says neither or both."""
    said = {not reading.denied(m.first) for m in reading.of("platform")}
    found = said.pop() if len(said) == 1 else None
    reading.words += {None: [], True: ["platforms"], False: ["no platforms"]}[found]
    return found


def read_measures(reading: Reading) -> tuple[Measure, ...]:
    """What is said of numbers: of add-ons, of years held, of how often the money came back.

    A comparison with a number of something else binds nothing, and is left as unread.
    """
    found, counted = list[Measure](), set[int]()
    signs = reading.of(*SIGNS)
    units = reading.of(*UNITS)
    ranges = reading.ranges(units)
    for i, token in enumerate(reading.tokens):
        value = number_of(token.word) if i not in reading.bound else None
        if value is None or i in ranges.values():
            continue
        before = next((m for m in signs if m.last == i), None)
        behind = next((m for m in signs if m.first == i + 1), None)
        start, end = (before.first if before else i), (behind.last if behind else i + 1)
        unit = next((m for m in units if end <= m.first <= end + 1), None)
        if unit is None and before:  # "add-ons: more than 2"
            unit = next((m for m in units if start - NEAR_TOKENS <= m.last <= start), None)
        behind = behind or next(
            (m for m in signs if unit and m.first == unit.last and m.concept in {"least", "most"}), None
        )
        price = (
            unit
            and unit.concept == "times"
            and any(t.word == "ebitda" for t in reading.tokens[unit.last : unit.last + 1])
        )
        if unit and not price:
            counted.add(unit.first)
            name = UNITS[unit.concept]
            if i in ranges:  # "2 to 4 add-ons"
                low = number_of(reading.tokens[ranges[i]].word)
                found += [Measure(name, "≥", low or 0), Measure(name, "≤", value)]
                reading.bind(ranges[i], unit.last)
                continue
            sign = SIGNS[(before or behind).concept] if before or behind else "≥" if name == "multiple" else "="  # type: ignore[union-attr]
            found.append(Measure(name, INVERSE[sign] if before and reading.denied(before.first) else sign, value))
            for m in (before, behind, unit):
                if m:
                    reading.bind(m.first, m.last)
            reading.bind(i, i + 1)
        elif before or behind or price:
            last = min(end + 1, len(reading.tokens))
            reading.unread.append(reading.said(start, last))
            reading.bind(start, last)
    for m in reading.of("figure"):
        reading.unread.append(reading.said(m.first, m.last))
        reading.bind(m.first, m.last)
    for m in reading.of("addons"):
        if m.first not in counted and not any(f.name == "add_ons" for f in found):
            found.append(Measure("add_ons", "=" if reading.denied(m.first) else ">", 0))
    found = list(dict.fromkeys((*found, *read_outcomes(reading))))
    reading.words += [m.words for m in found]
    return tuple(found)


def read_outcomes(reading: Reading) -> Iterator[Measure]:
    """What is said of how often the money came back in words alone: a loss, everything lost, doubled."""
    said = reading.of(*OUTCOMES)
    kinds = {m.concept for m in said}
    for m in said:
        reading.bind(m.first, m.last)
        sign, value = OUTCOMES[m.concept]
        if m.concept != "total_loss" or "loss" not in kinds:
            yield Measure("multiple", INVERSE[sign] if reading.denied(m.first) else sign, value)


def years_of(reading: Reading, year: int) -> tuple[dict[Event, tuple[Years, ...]], list[str]]:
    """The spans of years that a text names of each event, and what it names beside them, which binds nothing.

    Years are of the event that is named nearest before them, else of the first that is named, else of the investment.
    An event that is denied for some years only says neither whether nor when.
    """
    named = events_in(reading)
    said: dict[Event, list[tuple[Years, bool, str]]] = {}
    unread = list[str]()
    for m in reading.years:
        before = [one for one in named if one[0] < m.start()]
        at, event = before[-1] if before else named[0] if named else (-1, "invested")
        first = min(reading.between(m.start(), m.end()))
        mention = next((i for i, t in enumerate(reading.tokens) if t.start == at), first)
        if mention < first and reading.denied(mention):
            unread.append(m.group())
        elif bounds_of(m, year) != (None, None):
            said.setdefault(event, []).append((bounds_of(m, year), reading.shut_out(first), m.group()))
    found = dict[Event, tuple[Years, ...]]()
    for event, spans in said.items():
        if joined := join_spans(spans):
            found[event] = joined
        else:
            unread += [words for _, _, words in spans]
    return found, unread


def join_spans(said: Sequence[tuple[Years, bool, str]]) -> tuple[Years, ...]:
    """Spans of years, each with whether it is shut out, as those that may be; empty: it cannot be told how.

    Several closed ones are any of them; one that begins and one that ends are one.
    """
    spans = [span for span, _, _ in said]
    if any(out for _, out, _ in said):
        (first, last), *others = spans
        outer: list[Years] = [(None, first - 1)] if first else []
        outer += [(last + 1, None)] if last else []
        return () if others else tuple(outer)
    if all(None not in span for span in spans):
        return tuple(dict.fromkeys(spans))
    firsts, lasts = ([y for y in bounds if y is not None] for bounds in zip(*spans, strict=True))
    return ((next(iter(firsts), None), next(iter(lasts), None)),) if len(firsts) < 2 > len(lasts) else ()


def events_in(reading: Reading) -> list[tuple[int, Event]]:
    """The events that a text names, and where."""
    kinds: Mapping[str, Event] = {"realized": "exited", "invested": "invested"}
    return [(reading.tokens[m.first].start, kinds[m.concept]) for m in reading.of(*kinds)]


def event_of(text: str) -> Event:
    """The event that a text names last; the investment where it names none."""
    named = events_in(Reading(text))
    return named[-1][1] if named else "invested"


def bounds_of(found: re.Match[str], year: int) -> Years:
    """The years that a phrase means: the first and the last."""
    said = {name: value.lower() for name, value in found.groupdict().items() if value}
    if "first" in said:
        first, last = sorted((int(said["first"]), int(said["last"])))
        return first, last
    if "since" in said:
        return int(said["bound"]) + (said["since"].split()[0] in AFTER), None
    if "until" in said:
        return None, int(said["bound"]) - (said["until"].split()[0] in BEFORE)
    if "count" in said:
        count = number_of(said["count"])
        return (year - int(count), year) if count else (None, None)
    if "decade" in said:
        return int(said["decade"]), int(said["decade"]) + 9
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


# --- what is chosen in menus ----------------------------------------------------------------------------------


def with_forms(read: Conditions, forms: Mapping[str, str], book: DealBook, year: int) -> Conditions:
    """The conditions with what was chosen in menus in place of what was read."""
    changed: dict[str, object] = {}
    for kind, value in forms.items():
        if kind == "sector":
            changed["sectors"] = ids_called(value, book.sector_names)
        elif kind == "region":
            changed |= {"regions": ids_called(value, book.region_names), "unknown": (), "told": ()}
        elif kind == "status":
            changed["status"] = value if value in {"current", "realized"} else ""
        elif kind == "years":
            years, unread = years_of(Reading(value), year)
            changed |= {"invested": years.get("invested", ()), "exited": years.get("exited", ())}
            changed["unread"] = tuple(unread)
        elif kind == "platform":
            changed["platform"] = {"yes": True, "no": False}.get(value)
        else:
            some = {"yes": (Measure("add_ons", ">", 0),), "no": (Measure("add_ons", "=", 0),)}.get(value, ())
            changed["measures"] = (*(m for m in read.measures if m.name != "add_ons"), *some)
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
    if "add-ons" in word:
        return "add-ons" in forms
    if any(word == book.sector_names[s] for s in read.sectors):
        return "sector" in forms
    if word.startswith(("not ", "outside ", "bought from ", "“")):
        return False
    return "years" in forms if re.search(YEAR, word) else "region" in forms
