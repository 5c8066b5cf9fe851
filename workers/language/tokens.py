"""Words of source code and of questions -> search terms.

A term is the Snowball stem of one part of an identifier (``retryPolicy`` -> ``retri``, ``polici``). An identifier of
several parts is also one term of its own, ``=retrypolicy``, whichever way it is written. A route is one term that
starts with a slash, ``/api/orders/*``.
"""

from __future__ import annotations

import re
from functools import lru_cache

from workers.language.route_notation import ROUTE, route_form, with_values_open
from workers.language.stems import stem

WORD = re.compile(r"\w+")
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
NAME_PARTS = re.compile(r"\.|::|->|#")
MAX_WORD = 64


def split_names(text: str) -> str:
    """``maxPoolSize`` and ``max_pool_size`` in a text as words of their own."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", " ", text)


def words_in(text: str) -> list[str]:
    """The words of two letters or more, and the numbers, in lower case; names of code are taken apart."""
    return [w.lower() for w in re.findall(r"[A-Za-z]{2,}|\d+(?:\.\d+)?", split_names(text))]


def stems_in(text: str) -> set[str]:
    """The stems of all `words_in` a text."""
    return {stem(w) for w in words_in(text)}


def split_identifier(word: str) -> list[str]:
    """Split ``HTTPServer_v2`` into lower-case parts: ``http server v 2``."""
    return [part.lower() for part in PART.findall(word)]


@lru_cache(maxsize=400_000)
def terms_of(word: str) -> tuple[str, ...]:
    """All terms of one word, route or identifier of the source."""
    if word.startswith("/"):
        return (word,)
    if len(word) > MAX_WORD:
        return ()
    parts = split_identifier(word)
    if len(parts) == 1:
        part = parts[0]
        if part.isdigit():
            return (part,) if len(part) <= 5 else ()
        return (stem(part),)
    kept = [stem(p) for p in parts if len(p) > 1 and not (p.isdigit() and len(p) > 5)]
    return (*kept, "=" + "".join(parts)) if parts else ()


def joined(name: str) -> str:
    """The spelling-free form of an identifier: ``retry_policy``, ``RetryPolicy`` -> ``retrypolicy``."""
    return re.sub(r"[\W_]+", "", name).lower()


def routes_in(text: str) -> list[str]:
    """Every path that looks like a route, normalised (see `route_term`)."""
    return [route_term(m) for m in ROUTE.findall(text)]


def route_term(route: str) -> str:
    """Write a route with every parameter as ``*``, in lower case, without query string or closing slash."""
    return with_values_open(route_form(route.rstrip("/.,;:")))
