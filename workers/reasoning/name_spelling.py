"""Misspelt names: one that nobody knows is read as the one known name that differs from it by a slip."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from rapidfuzz.distance import OSA

from workers.contracts import Landscape
from workers.language.question_kinds import load_model
from workers.language.route_notation import same_routes
from workers.language.stems import stem
from workers.language.stop_words import content_words
from workers.language.tokens import split_names
from workers.language.word_spelling import slips_of_words
from workers.reasoning.question_subjects import ENDPOINT
from workers.reasoning.question_words import STOP, SYMPTOM

SHORT, LONG, LONGER = 4, 6, 10  # letters: what is shorter has no slips; one slip, two slips, three
RARE = 6.1  # inverse document frequency of a word that stands in one or two of the examples
NAME = re.compile(r"\b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+\b|\b[a-z][a-z0-9]+(?:[-_][a-z0-9]+)+\b")


def correct(text: str, landscape: Landscape) -> tuple[str, tuple[str, ...]]:
    """A text with its misspelt names put right, and a sentence for each that says so.

    Endpoints are held against endpoints, names in CamelCase, kebab-case or snake_case against services, alerts and
    metrics; other words against those of names, then against common ones."""
    notes: list[str] = []
    for wrong, right in slips(text, landscape):
        if wrong in text:
            text = re.sub(rf"(?<![\w/-]){re.escape(wrong)}(?![\w-])", right, text)
            notes.append(f"No {wrong} is known; read as {right}.")
    places = (*landscape.labels.get("service", ()), *landscape.labels.get("endpoint", ()), *landscape.repositories)
    read = list(slips_of_words(text, re.findall(r"[a-z]+", split_names(" ".join(places)).lower())))
    for wrong, right in read:
        text = re.sub(rf"(?<![\w/-]){wrong}(?![\w-])", right, text)
    told = ", ".join(f"“{wrong}” as “{right}”" for wrong, right in read if right not in STOP)
    return text, (*notes, *((f"Read {told}.",) if told else ()))


def slips(text: str, landscape: Landscape) -> Iterator[tuple[str, str]]:
    """Pairs of a name as written and as it was probably meant."""
    endpoints = landscape.labels.get("endpoint", ())
    for match in ENDPOINT.finditer(text):
        name = match.group().rstrip(".:")
        if not same_routes(name, endpoints) and (right := only_near(name, endpoints, near_endpoint)):
            yield name, right
    rest = ENDPOINT.sub(" ", text)
    services = landscape.labels.get("service", ())
    names = (*services, *landscape.alerts, *(m.name for m in landscape.metrics), *landscape.repositories)
    found = [m.group() for m in NAME.finditer(rest)]
    yield from ((name, right) for name in found if (right := only_near(name, names, near_word)))


def only_near(name: str, known: Iterable[str], near: Callable[[str, str], bool]) -> str:
    """The one known name that is near; nothing when the name is known itself, or when there are several."""
    names = list(dict.fromkeys(known))
    if any(
        name.lower() == k.lower() or content_words(name) == content_words(k) != set() for k in names if "/" not in name
    ):
        return ""
    if name in names:
        return ""
    close = [k for k in names if near(name, k)]
    return close[0] if len(close) == 1 else ""


def near_endpoint(name: str, known: str) -> bool:
    """The same path but for one segment, and that one misspelt."""
    ours, theirs = name.split("/"), known.split("/")
    differing = [(a, b) for a, b in zip(ours, theirs, strict=False) if a != b]
    return len(ours) == len(theirs) and len(differing) == 1 and near_word(*differing[0])


def near_word(name: str, known: str) -> bool:
    """A slip or two, more in a long name; another number is another name."""
    if re.findall(r"\d+", name) != re.findall(r"\d+", known) or min(len(name), len(known)) < SHORT:
        return False
    allowed = 1 + (len(known) >= LONG) + (len(known) >= LONGER)
    return OSA.distance(name.lower(), known.lower()) <= allowed


def is_common(word: str) -> bool:
    """A word that several of the questions it learnt from have: no name, as one of a single question may be."""
    plain, model = word.lower(), load_model()
    place = model.vocabulary.get(stem(plain))
    told = place is not None and model.idf[place] < RARE
    return plain in STOP or plain in SYMPTOM or told
