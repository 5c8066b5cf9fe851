"""What a question names: endpoints, services, alerts and features, held against the names that exist."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from workers.contracts import Landscape
from workers.language.phrase_to_window import without_phrases
from workers.language.route_notation import ROUTE, same_routes
from workers.language.stems import stem
from workers.language.stop_words import NEGATED_VERBS, content_words
from workers.language.tokens import split_names
from workers.reasoning.kind_groups import BEHAVIOUR_KINDS
from workers.reasoning.metric_selection import close_value
from workers.reasoning.question_features import quoted_phrases
from workers.reasoning.question_words import STOP, SYMPTOM

ENDPOINT = ROUTE
FILE_PATH = re.compile(r"/(?:[^/]+/)+[\w-]+\.[a-z]\w{0,5}(?::\d+)*")
"""A file of a folder, by its ending; an endpoint that sources know may be written so too."""
NAMED = re.compile(r"`([^`\n]{2,80})`|\b([a-z][a-z0-9]+(?:[-_][a-z0-9]+)+)\b|\b([A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+)\b")
IDENTIFIER = re.compile(r"(?=[\w-]*\d)[\w-]{6,}|[0-9a-f-]{32,}")
MEASURED = re.compile(
    r"\b([a-z][\w-]+) (?:latenc|errors?\b|error rate|p9\d|slow|traffic|requests?\b|response)", re.IGNORECASE
)
SHORT = 3
WORD = re.compile(r"[A-Za-z][\w'’-]*")


def is_small(word: str) -> bool:
    """A word that carries no meaning of its own, or stands for a number or an id."""
    shape = re.fullmatch(r"x[a-z]+x", word) is not None
    little = word in STOP or word.removesuffix("t") in NEGATED_VERBS or not content_words(word)
    return len(word) < SHORT or shape or little


def name_stems(landscape: Landscape) -> frozenset[str]:
    """Stems of the words that names in the sources are made of, those of documents left out."""
    documents = frozenset(landscape.documents)
    names = " ".join(split_names(name) for name in landscape.names if name not in documents)
    return frozenset(stem(w.lower()) for w in re.findall(r"[A-Za-z]+|\d+(?:\.\d+)+", names))


def strip(text: str, hints: Sequence[str]) -> str:
    """The question without its phrases of time."""
    for hint in hints:
        text = text.replace(hint, " , ")
    return text


def names_in(text: str, landscape: Landscape, kind: str = "") -> Iterator[str]:
    """Endpoints, known names, and things written as names; what is close to a known name in
    questions of behaviour, and where nothing else is named and the kind is not known yet."""
    endpoints = list(endpoints_in(text, landscape))
    rest = ENDPOINT.sub(" ", text)
    for phrase in quoted_phrases(rest):
        rest = rest.replace(phrase, " ")
    known = [*endpoints, *known_names(rest, landscape)]
    if kind in BEHAVIOUR_KINDS and not endpoints:
        measured = [n for m in MEASURED.finditer(rest) for n in close_names(m[1], landscape)]
        known = [*(n for n in measured if n not in known), *known] or list(close_names(rest, landscape))[:2]
    yield from known
    things = [n for n in named_things(rest) if not any(n.lower() in k.lower() for k in known)]
    yield from things
    if not (known or things or kind):
        yield from list(close_names(rest, landscape))[:2]


def endpoints_in(text: str, landscape: Landscape) -> Iterator[str]:
    """Endpoints that a text writes, each route once, spelled as the sources do where they know it in any notation.

    The path of a file is none.
    """
    known = landscape.labels.get("endpoint", ())
    for written in (m.group().rstrip(".:?") for m in ENDPOINT.finditer(text)):
        if FILE_PATH.fullmatch(written) and written not in known:
            continue
        same = same_routes(written, known)
        yield written if written in known or not same else same[0]


def close_names(text: str, landscape: Landscape) -> Iterator[str]:
    """Services, else endpoints, else what is called, that a word names in another grammatical number: "charge" for
    "charges"."""
    places = [landscape.labels.get(label, ()) for label in ("service", "endpoint", "target")]
    for word in WORD.findall(text):
        plain = len(word) > 3 and word.lower() not in STOP and word.lower() not in SYMPTOM
        if plain and (name := next(filter(None, (close_value(word, values) for values in places)), "")):
            yield name


def find_subjects(text: str, landscape: Landscape, kind: str = "") -> tuple[str, ...]:
    """Endpoints, services and features that the text names, most specific first."""
    found = list(names_in(text, landscape, kind))
    if not found and (phrase := best_phrase(ENDPOINT.sub(" ", text))):
        found.append(phrase)
    return tuple(dict.fromkeys(found))[:4]


def known_names(text: str, landscape: Landscape) -> Iterator[str]:
    """Label values, alerts and repositories that stand in the text, a blank in place of a hyphen or underscore too."""
    lowered = text.lower()
    values = [v for key in ("service", "endpoint", "target") for v in landscape.labels.get(key, ())]
    for name in dict.fromkeys((*values, *landscape.alerts, *landscape.repositories)):
        if (
            len(name) > 2
            and name.lower() not in STOP
            and re.search(rf"(?<![\w/-]){spaced(name.lower())}(?![\w/-])", lowered)
        ):
            yield name


def spaced(name: str) -> str:
    """A regular expression for a name whose parts people part by blanks."""
    return "[-_ ]".join(map(re.escape, re.split(r"[-_]", name)))


def named_things(text: str) -> Iterator[str]:
    """Things in backticks, kebab-case, snake_case or CamelCase; ids of requests and users are not subjects."""
    for match in NAMED.finditer(text):
        name = next(g for g in match.groups() if g)
        if (
            not IDENTIFIER.fullmatch(name)
            and name.lower() not in STOP
            and not re.match(r"(?:re|non|pre|multi|on|co)-", name)
        ):
            yield name


def best_phrase(text: str) -> str:
    """The longest unbroken run of words that carry meaning, of several the last: mostly what it is about."""
    runs: list[list[str]] = [[]]
    for token in re.findall(r"[\w'’-]+|[^\w\s]", text):
        plain = token.lower().replace("’", "'")
        if plain in STOP or plain in SYMPTOM or plain.endswith(("n't", "ed")) or not re.match(r"[a-z][\w'-]+$", plain):
            runs.append([])
        else:
            runs[-1].append(token)
    return " ".join(max(reversed(runs), key=len)[-3:])


def with_hints(base: str, hints: Sequence[str]) -> str:
    """The question at another time."""
    if not hints:
        return base
    text = re.sub(r"\s{2,}", " ", without_phrases(base)).strip().rstrip("?., ")
    return f"{text} {' '.join(hints)}?"
