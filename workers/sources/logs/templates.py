"""Templates of messages: what changes from line to line is masked, then words that vary become ``<*>``.

The result does not depend on the order of the lines.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from operator import eq
from typing import NamedTuple

WILDCARD = "<*>"
MOST_CHARS, MOST_WORDS = 500, 60
MOST_KEPT = 65_536
QUOTED = re.compile(r'"(?:[^"\\]|\\.){0,400}"')
APOSTROPHES = re.compile(r"(?<!\w)'[^']{1,100}'")
HEX = re.compile(r"[0-9a-fA-F]{8,64}")
MASKS = (
    ("://", re.compile(r"\b[A-Za-z][A-Za-z0-9+.-]{1,15}://[^\s\"'<>)\]]+"), "<url>"),
    ("-", re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b"), "<id>"),
    ("-", re.compile(r"\b\d{4}-\d\d-\d\d(?:T[\d:.,]{5,20}(?:Z|[+-]\d\d:?\d\d)?)?", re.ASCII), "<time>"),
    (".", re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?(?![\w.])", re.ASCII), "<ip>"),
    ("/", re.compile(r"(?<![\w<>/])(?:/[\w.@%+~:-]+)+/?"), "<path>"),
    ("", re.compile(r"\b0x[0-9a-fA-F]{1,64}\b"), "<hex>"),
    (
        "",
        re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:ns|us|µs|ms|s|sec|m|min|h)(?:\d+(?:\.\d+)?(?:ms|s|m))*\b"),
        "<duration>",
    ),
    ("", re.compile(r"\b(?=[a-fA-F]*\d)(?=\d*[a-fA-F])[0-9a-fA-F]{8,64}\b"), "<hex>"),
    ("", re.compile(r"\b(?=[A-Za-z_]*\d[A-Za-z_]*\d[A-Za-z_]*\d)(?=\d*[A-Za-z_])\w{8,}"), "<id>"),
    ("", re.compile(r"[+-]?\d+(?:[.,:]\d+)*%?", re.ASCII), "<num>"),
)
"""What a word has to hold, what is looked for, and what it becomes; in this order."""
CODE = re.compile(r"<(?:num|hex|id)>(?:[._-]<(?:num|hex|id)>)*")
"""What codes become: the same one may look like a number in one line and like a hash in the next."""
VARIETY = 12
"""So many different words in one place are values, not part of the sentence; fewer may be what matters."""
LIKENESS = 0.5
MARK = re.compile(r"<[a-z]{2,8}>")
MOST_LEADERS = 32
MOST_TEXTS = 20_000


class Text(NamedTuple):
    """A masked message, and whose it is."""

    service: str
    level: str
    masked: str


def mask_message(message: str) -> str:
    """A message's first line with marks in place of quoted values, addresses, ids, times, paths and numbers."""
    line = message.partition("\n")[0][:MOST_CHARS]
    if '"' in line:
        line = QUOTED.sub('"<text>"', line)
    if "'" in line:
        line = APOSTROPHES.sub("'<text>'", line)
    return " ".join([mask_word(word) for word in line.split()[:MOST_WORDS]])


@lru_cache(MOST_KEPT)
def mask_word(word: str) -> str:
    """A word without blanks, masked."""
    if word.isalpha():  # a hash may happen to have no digit
        return "<hex>" if len(word) >= 8 and HEX.fullmatch(word) else word
    if word.isdecimal():
        return "<num>"
    for held, pattern, mark in MASKS:
        if held in word:
            word = pattern.sub(mark, word)
    return word


def find_templates(counts: Mapping[Text, float]) -> dict[Text, str]:
    """The template of each masked message.

    Args:
        counts: how many lines each stands for.

    Returns: a template for each of ``counts``. Messages of one service, level and number of words that are alike in
        half of their words, marks apart, are looked at together; where these have `VARIETY` different words in one
        place, that place is `WILDCARD`. Beyond `MOST_TEXTS` different messages, the rarest are told by their first
        words.
    """
    ordered = sorted(counts, key=lambda text: (-counts[text], text))
    groups: dict[tuple[str, str, int], list[Text]] = defaultdict(list)
    found: dict[Text, str] = {}
    for text in ordered[:MOST_TEXTS]:
        groups[text.service, text.level, text.masked.count(" ")].append(text)
    for text in ordered[MOST_TEXTS:]:
        found[text] = " ".join((*text.masked.split(" ")[:3], WILDCARD))
    for group in groups.values():
        for alike in gather(group):
            found.update(generalise(alike))
    return found


def gather(texts: Iterable[Text]) -> list[list[tuple[Text, list[str]]]]:
    """Texts of equal length in clusters, each led by its most frequent one; what is like no leader leads the next."""
    clusters: list[list[tuple[Text, list[str]]]] = []
    leaders: list[list[str | None]] = []
    for text in texts:
        words = text.masked.split(" ")
        plain = [None if MARK.fullmatch(word) else word for word in words]  # None is like no word
        alike = [sum(map(eq, words, leader)) for leader in leaders]
        most = max(alike, default=0)
        said = len(words) - plain.count(None)
        if alike and (most >= LIKENESS * said or len(clusters) >= MOST_LEADERS):
            clusters[alike.index(most)].append((text, words))
        else:
            clusters.append([(text, words)])
            leaders.append(plain)
    return clusters


def generalise(cluster: list[tuple[Text, list[str]]]) -> dict[Text, str]:
    """Templates of texts that are alike: in places with many different words these become wildcards, in places where
    only marks of codes differ the marks do, and the others stay.
    """
    if len(cluster) == 1:
        return {text: text.masked for text, _ in cluster}
    columns = [general_words(set(column)) for column in zip(*(words for _, words in cluster), strict=True)]
    return {
        text: " ".join([known.get(word, word) for word, known in zip(words, columns, strict=True)])
        for text, words in cluster
    }


def general_words(words: set[str]) -> dict[str, str]:
    """The words of one place -> what stands in their stead; those that stay are left out."""
    if len(words) >= VARIETY:
        return dict.fromkeys(words, WILDCARD)
    kinds: dict[str, list[str]] = defaultdict(list)
    for word in words:
        kinds[CODE.sub(WILDCARD, word)].append(word)
    return {word: kind for kind, alike in kinds.items() if len(alike) > 1 for word in alike}
