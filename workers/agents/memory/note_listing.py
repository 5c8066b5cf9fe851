"""Requests that list or count notes: when they are dated, and the words that they or their authors' names hold."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime

from workers.language.clock_times import MONTHS
from workers.language.german_times import GERMAN
from workers.language.phrase_to_window import READERS, find_phrases
from workers.language.reference_moment import Moment
from workers.language.stop_words import STOP_WORDS
from workers.language.zones import read_zone

NOTE = r"(?:notes?|notizen?|notas?)\b"
NOTES = re.compile(rf"\b{NOTE}", re.IGNORECASE)
ASKED_FOR = (
    "which|what|how many|list|show|are there|any|welche|wie viele|zeig|liste|gibt es|qué|cuáles|cuántas|muestra|hay"
)
LISTS = re.compile(rf"\W{{0,8}}(?:{ASKED_FOR})(?:\s(?!d(?:o|id|oes)\b)\w+){{0,3}}?\s{NOTE}", re.IGNORECASE)
"""Notes are asked for, or counted; not what they say."""
FROM = re.compile(
    r"\b(?:from|von|vom|del?)(?: la| el| der| dem)? (?!.{0,30}\b(?:to|until|till|bis|hasta|al)\b)", re.IGNORECASE
)
"""What a note is from is when it is dated; what happened from then on has an end or "since"."""
WORD = re.compile(r"\w[\w-]*")
WRITING = frozenset(
    "take taken took write wrote written make made date dated created added keep kept exist list show mention mentions"
    " speak speaks many any vault by geschrieben schrieb gemacht erstellt viele gibt zeig mir alle liste von vom den"
    " cuántas qué cuáles hay escribió escritas muestra las los la el del de en es".split()
)
"""What is said of notes themselves, in their listing."""
SPANISH = {
    "enero": "january", "febrero": "february", "marzo": "march", "abril": "april", "mayo": "may", "junio": "june",
    "julio": "july", "agosto": "august", "septiembre": "september", "octubre": "october", "noviembre": "november",
    "diciembre": "december", "hoy": "today", "ayer": "yesterday", "desde": "since", "en": "in",
}  # fmt: skip
ENGLISH = {**GERMAN, **SPANISH, "letzte": "last", "letzter": "last", "letzten": "last", "im": "in"}
LAST_OF = re.compile(r"\b(semana|mes|año) pasad[ao]\b")
SPANS = {"semana": "last week", "mes": "last month", "año": "last year"}
OF_TIME = re.compile(
    rf"(?:{MONTHS})[a-z]*|\d+|days?|weeks?|months?|years?|quarters?|before|after|until|between|during|last|next|since"
    r"|wochen?|monat\w*|jahr\w*|semanas?|mes(?:es)?|años?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Listing:
    """Notes dated from ``since`` to before ``until``, with ``words`` in them or in their authors' names."""

    since: date
    until: date
    words: tuple[str, ...]


def read_listing(text: str, now: datetime, timezone: str) -> Listing | None:
    """What notes a request lists or counts by their dates; None for another one, or a time that is not understood."""
    if not LISTS.match(text):
        return None
    low = LAST_OF.sub(lambda m: SPANS[m[1]], text.lower())
    worded = " ".join(ENGLISH.get(word, word) for word in re.findall(r"\w+|[^\w\s]", FROM.sub("of ", low)))
    spoken = (FROM.sub("of ", low), FROM.sub("in ", low), worded, worded.replace(" of ", " in "))
    own = next((one for one in spoken if find_phrases(one)), "")
    if not own:
        return None
    found = find_phrases(own)
    kind, match = found[0]
    zone = read_zone(timezone)
    if kind == "range":
        return None
    start, end, _ = READERS[kind](match, Moment(now, zone))
    left = own.replace(match.group().lower(), " ")
    words = [word for word in WORD.findall(NOTES.sub(" ", left)) if word not in STOP_WORDS | WRITING]
    since, until = start.astimezone(zone).date(), end.astimezone(zone)
    last = until.date() if (until.hour, until.minute) == (0, 0) else date.fromordinal(until.toordinal() + 1)
    if len(found) > 1 or any(OF_TIME.fullmatch(word) for word in words) or kind in {"clock", "deploy"}:
        return None
    return Listing(since, last, tuple(dict.fromkeys(words)))
