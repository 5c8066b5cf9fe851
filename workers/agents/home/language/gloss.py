"""Sentences of other languages, and other words for rooms, in the English that `reading` reads, word by word.

What the words mean stands in ``words.json``, by language; of several meanings between "|" the first that the home has a
name for. Inflected forms and compounds are found here. Names of the home are left as they are.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from workers.agents.home.language.conditions import FORMS
from workers.agents.home.language.phrases import Phrases, bases_of, marks_in, tokens_of
from workers.agents.home.language.vocabulary import FILLERS, NOUNS, SETTING, STATE_WORDS, SWITCHING, VERBS
from workers.language.stop_words import GERMAN, STOP_WORDS

WORDS = Path(__file__).with_name("words.json")
OWN = "en"
UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "’": "'"})
ENDINGS = ("en", "es", "er", "em", "e", "n", "s")
LINKS = ("", "n", "s", "en", "es")
LONGEST = 6
FEWEST = 4
"""Letters of each part of a compound, and of a word without its ending."""
PARTICLES = {
    "an": ("turn on", "on"),
    "ein": ("turn on", "on"),
    "aus": ("turn off", "off"),
    "auf": ("open", "open"),
    "hoch": ("open", "open"),
    "zu": ("close", "closed"),
    "ab": ("lock", "locked"),
    "runter": ("close", "closed"),
    "herunter": ("close", "closed"),
    "ueber": ("above", "above"),
}
"""What ends a German clause -> the verb that it makes of an order's, and the state in a question."""
ENGLISH = (
    (STOP_WORDS - GERMAN)
    | FILLERS
    | VERBS.keys()
    | SETTING
    | SWITCHING
    | STATE_WORDS.keys()
    | {word for noun in NOUNS for word in noun.split()}
    | FORMS.keys()
)
CLAUSE = re.compile(r"(\s?[,;]\s*|\s(?=(?:außer|ausser|bis auf|aber|und)\b)|[.?!]{1,8}\s{0,8}$)", re.IGNORECASE)


@lru_cache(maxsize=1)
def word_books() -> dict[str, dict[tuple[str, ...], str]]:
    """Language -> words, folded -> their English."""
    read: dict[str, dict[str, str]] = json.loads(WORDS.read_text(encoding="utf-8"))
    return {code: {fold(words): str(said) for words, said in book.items()} for code, book in read.items()}


def fold(text: str) -> tuple[str, ...]:
    """The words of a text in lower case without accents; umlauts written out."""
    lower = unicodedata.normalize("NFC", str(text)).lower().translate(UMLAUTS)
    plain = "".join(c for c in unicodedata.normalize("NFKD", lower) if not unicodedata.combining(c))
    return tuple(re.findall(r"[\w']+|[^\w\s]", plain))


def gloss(text: str, phrases: Phrases, languages: Sequence[str]) -> str:
    """A sentence with every word that a language's book knows in English; the language that knows most words of it."""
    books = word_books()
    words = fold(text)
    codes = [code for code in dict.fromkeys(languages) if code in books and code != OWN]
    known = {code: sum(meaning_of(word, books[code]) is not None for word in words) for code in codes}
    best = max(known, key=lambda code: known[code], default="")
    if best and known[best] > sum(word in ENGLISH or (word,) in phrases.known for word in words):
        text = replaced(text, phrases, books[best], clauses=best == "de")
    return replaced(text, phrases, books[OWN])


def replaced(text: str, phrases: Phrases, book: Mapping[tuple[str, ...], str], *, clauses: bool = False) -> str:
    """A sentence with the words of a book in English."""
    if clauses:
        asks = text.rstrip().endswith("?") or fold(text)[:1] in QUESTIONS or "welche" in text.lower()
        return "".join(
            part if CLAUSE.fullmatch(part) else replaced(end_moved(part, asks=asks), phrases, book)
            for part in CLAUSE.split(text)
        )
    tokens = tokens_of(text)
    marks = [m for m in marks_in(tokens, phrases) if not m.meaning.noun]
    named = {place for mark in marks for place in range(mark.start, mark.end)}
    said, at, last = [], 0, 0
    while at < len(tokens):
        size, meaning = 1, None
        for size in range(min(LONGEST, len(tokens) - at), 0, -1):
            within = range(at, at + size)
            if named.isdisjoint(within):
                words = tuple(w for t in tokens[at : at + size] for w in fold(text[t.start : t.end]))
                own = phrases.known.get(bases_of(" ".join(words)))
                if own is not None and not own.noun:  # a name of the home, spelled without its accents
                    meaning = " ".join(words)
                    break
                meaning = book.get(words) if size > 1 else meaning_of(words[0] if len(words) == 1 else "", book)
                meaning = meaning or book.get(words)
            if meaning is not None:
                break
        said.append(text[last : tokens[at].start])
        end = tokens[at + size - 1].end
        said.append(text[tokens[at].start : end] if meaning is None else chosen(meaning, phrases))
        at, last = at + size, end
    return "".join((*said, text[last:]))


def chosen(meaning: str, phrases: Phrases) -> str:
    """Of several meanings the first that is a name of the home, else the first."""
    several = meaning.split("|")
    return next((one for one in several if bases_of(one) in phrases.known), several[0])


def meaning_of(word: str, book: Mapping[tuple[str, ...], str]) -> str | None:
    """What one folded word means: as it stands, without an ending, or as a compound of two."""
    if (word,) in book:
        return book[(word,)]
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= FEWEST and (found := book.get((word[: -len(ending)],))):
            return found
    for at in range(FEWEST, len(word) - FEWEST + 2):
        left, right = word[:at], word[at:]
        second = book.get((right,)) or next(
            (book[(right[: -len(e)],)] for e in ENDINGS if right.endswith(e) and (right[: -len(e)],) in book), None
        )
        if second is None:
            continue
        stems = [left.removesuffix(link) for link in LINKS if left.endswith(link)]
        first = next((book[(s,)] for stem in stems for s in (stem, f"{stem}e") if len(s) > 2 and (s,) in book), None)
        if first is not None:
            return f"{first.split('|')[0]} {second.split('|')[0]}"
    return None


def end_moved(clause: str, *, asks: bool) -> str:
    """A German clause whose last word belongs to its verb, with the verb that both make at its beginning."""
    words = clause.split()
    last = fold(words[-1])[0] if words and fold(words[-1]) else ""
    if len(words) < 2 or last not in PARTICLES:
        return clause
    verb, state = PARTICLES[last]
    if asks:
        return " ".join((*words[:-1], state))
    lead = next((i for i, w in enumerate(words) if fold(w)[:1] and fold(w)[0] in LIGHT_VERBS), None)
    return clause if lead is None else " ".join((*words[:lead], verb, *words[lead + 1 : -1]))


QUESTIONS = {("ist",), ("sind",)}
LIGHT_VERBS = frozenset("mach mache schalte schalt dreh drehe fahr fahre stell stelle sperr schliess schliesse".split())
"""What means something together with the end of its clause."""
