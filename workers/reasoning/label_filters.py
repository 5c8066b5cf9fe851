"""Labels that a question names literally - a cluster, region, version, pod, environment - as filters of metrics."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from workers.contracts import Landscape
from workers.language.environment_labels import KINDS, LABELS, kind_of
from workers.reasoning.question_words import STOP

PLACE = "metric_"
"""Before a server's own label in a landscape."""
DISTINCT = re.compile(r"[\d._/-]")
NAMED = re.compile(r"(?<![\w/.-])[a-z][a-z0-9]*(?:[-_][a-z0-9]+)+(?![\w/])")
REGION = re.compile(r"[a-z]{2,}-(?:[a-z]+-)*[a-z]+-?\d[a-z]?")
PLAIN = frozenset("cluster region zone az datacenter dc env environment namespace version stage tenant site".split())
"""Words of label names whose values may be plain words."""
MOST = 3
"""Several values of one label are asked for one by one, at most so many."""


def label_filters(text: str, landscape: Landscape) -> tuple[str, ...]:
    """`` cluster=prod-eu-west region=eu``: the label values that stand in a text, one filter for each combination.

    A name of an environment or region that no label has is asked for under the label whose values are built alike;
    where none is, it stands under ``unfiltered``.
    """
    places = {k.removeprefix(PLACE): v for k, v in landscape.labels.items() if k.startswith(PLACE)}
    found: dict[str, list[str]] = {}
    rest = text
    said = text.lower()
    pairs = [(x, v) for x, values in places.items() for v in values if v.lower() in said and tellable(x, v)]
    for label, value in sorted(pairs, key=lambda p: (-len(p[1]), p[0])):
        if re.search(bounded(value), rest, re.IGNORECASE):
            found.setdefault(label, []).append(value)
            rest = re.sub(bounded(value), " ", rest, flags=re.IGNORECASE)
    for label in (x for x in LABELS if x in places and x not in found):
        if word := next((w for w in re.findall(r"[a-z]+", rest.lower()) if known_kind(w, places[label])), ""):
            found[label] = [word]
            break
    unknown: list[str] = []
    for name in strangers(rest, landscape):
        label = akin(name, places)
        if label and label not in found:
            found[label] = [name]
        elif not label:
            unknown.append(name)
    told = f' unfiltered="{"; ".join(unknown)}"' if unknown else ""
    some = [[f" {label}={quoted(v)}" for v in values[:MOST]] for label, values in found.items()]
    return tuple("".join(parts) + told for parts in product(*some))[:MOST]


def bounded(value: str) -> str:
    """A regular expression for a value that stands by itself; the v before a number may be left out."""
    return rf"(?<![\w/.-])v?{re.escape(value)}(?![\w/-]|\.\w)"


def tellable(label: str, value: str) -> bool:
    """Whether a value in a text can only be meant as such: a name of its own, or a place's."""
    if len(value) < 2 or value.lower() in STOP or value.isdigit():
        return False
    return DISTINCT.search(value) is not None or bool(PLAIN & set(label.lower().split("_")))


def known_kind(word: str, values: tuple[str, ...]) -> bool:
    """Whether a word such as prod names the kind of environment of one of some values."""
    return word in KINDS and word not in {"live", "test", "testing", "stage"} and KINDS[word] in map(kind_of, values)


def strangers(text: str, landscape: Landscape) -> Iterator[str]:
    """Names in a text that look like an environment or a region, and are nothing else that is known."""
    known = {n.lower() for n in landscape.names}
    for match in NAMED.finditer(text):
        name = match.group()
        if name not in known and (kind_of(name) or REGION.fullmatch(name)):
            yield name


def akin(name: str, places: dict[str, tuple[str, ...]]) -> str:
    """The label that has values built like a name: of as many parts, the first the same, or regions too."""
    parts = re.split(r"[-_]", name)
    for label, values in sorted(places.items()):
        shapes = [re.split(r"[-_]", v) for v in values]
        same = any(len(s) == len(parts) > 1 and s[0] == parts[0] for s in shapes)
        if same or (REGION.fullmatch(name) and any(REGION.fullmatch(v) for v in values)):
            return label
    return ""


def quoted(value: str) -> str:
    """Quotes around a value with blanks."""
    return f'"{value}"' if re.search(r"\s", value) else value
