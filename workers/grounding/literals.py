"""Finds what is specific in plain text: quantities with units, times, paths, lines, URLs, commits, names.

Everything found here must be shown by the cited evidence; everything not found here is prose.
"""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from workers.grounding import quantities, written_times
from workers.grounding.lexicon import NOT_PEOPLE
from workers.language.zones import PLACES

Kind = Literal[
    "quantity", "factor", "time", "date", "mention", "url", "domain", "address", "lines", "path", "endpoint", "commit", "version", "name", "quote",
    "person",
]  # fmt: skip

EXT = (
    "py|pyi|go|rs|js|jsx|ts|tsx|mjs|java|kt|rb|php|c|h|cc|cpp|hpp|cs|swift|scala|sh|sql|ya?ml|toml|json|ini|cfg|conf|md|"
    "rst|txt|proto|tf|hcl|xml|html|css|lock|env|ex|exs|lua|pl|dart|vue|gradle|properties|graphql|ipynb|adoc"
)
CITIES = tuple(PLACES)
TLD = (
    "com|net|org|edu|gov|io|dev|app|ai|co|uk|de|fr|ch|at|nl|eu|us|ca|au|in|jp|cn|ru|br|cloud|info|biz|xyz|site|online|tech|"
    "store|link|click|top|live|icu|me|tv|ly|gg|to|page|example|internal|intranet|local|localhost|corp|lan|test|invalid|onion"
)
PART_OF_SYSTEM = (
    "db|database|cache|service|svc|api|pool|queue|worker|proxy|gateway|server|cluster|broker|redis|postgres|mysql|kafka"
)
CAPITALISED = r"[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]+(?:[-’'][A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]+)?"
PATTERNS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("mention", re.compile(r"<[@#!][^>\n]{0,120}>|(?<![\w.@])@(?:channel|here|everyone|all)\b", re.IGNORECASE)),
    ("quote", re.compile(r"[\"“][^\"”\n]{3,}[\"”]")),
    ("url", re.compile(r"(?<=\]\()[^)\s]+(?=[^)\n]{0,80}\))")),
    ("url", re.compile(r"\b[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s)\]>|\"'`]*[^\s)\]>|\"'`.,;:!?]")),
    ("url", re.compile(r"\b(?:javascript|data|mailto|tel|vbscript|slack|sms):[^\s)\]>|]+", re.IGNORECASE)),
    ("time", re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?\s?(?:Z|UTC|[+-]\d\d:\d\d)?")),
    (
        "name",
        re.compile(
            r"(?<![\w/.-])(?!\d+-[A-Za-z]+\b|UTC|GMT|top-|p\d+-)(?=[\w.-]*\d)(?=[\w.-]*[A-Za-z])\w+(?:[-.]\w+)*-(?!based|style|only|free)\w+(?![\w/-])(?!\.\w)"
        ),
    ),
    ("name", re.compile(r"(?<![\w/.@-])[\w-]+@\d[\w.]*\w|(?<![\w#])#\d{2,}\b")),
    ("address", re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+(?![\w-])")),
    (
        "domain",
        re.compile(
            rf"(?<![\w@./-])(?:www\.[\w-]+(?:\.[\w-]+)+|(?:[a-z0-9-]+\.)+(?:{TLD}))(?::\d+)?(?![\w-])(?!\.\w)(?:/[^\s)\]>|\"'`]*[^\s)\]>|\"'`.,;:!?])?",
            re.IGNORECASE,
        ),
    ),
    ("lines", re.compile(rf"(?<![\w./@-])[\w./@-]*[\w-]\.(?:{EXT}):\d+(?:[-–]\d+)?(?!\w)")),
    ("lines", re.compile(r"\b[Ll]ines?\s\d+(?:(?:\s?[-–]\s?|\s(?:to|through|and)\s)\d+)?(?![\w.]*\w)")),
    ("path", re.compile(rf"(?<![\w./@-])(?:[\w.@-]+/)*[\w.@-]*[\w-]\.(?:{EXT})(?![\w/])(?!\.\w)")),
    ("path", re.compile(r"(?<![\w./@-])(?:[\w.@-]+/)+[\w-]+\.[a-z]{2,5}(?![\w/(])(?!\.\w)")),
    ("path", re.compile(r"(?<![\w/])(?:Dockerfile|Makefile|Procfile)(?!\w)")),
    ("lines", re.compile(r"(?<=\()\d+[-–]\d+(?=\))|(?<=[Hh]unk )\d+[-–]\d+(?!\w)")),
    ("lines", re.compile(r"(?:(?<=\.\w, )|(?<=\.\w\w, )|(?<=\.\w\w\w, )|(?<=\.\w\w\w\w, ))\d+[-–]\d+(?=[).,;]|$)")),
    ("time", written_times.CLOCK),
    ("date", written_times.DATE),
    ("address", re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?:/\d+)?(?![\w.]*\w)")),
    ("version", re.compile(r"\bv\d+(?:\.\d+)+[\w.+-]*\b|(?<![\w.])\d+\.\d+\.\d+(?:[-+.]\w+)*\b")),
    ("commit", re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b")),
    ("endpoint", re.compile(r"(?<![\w./:])(?<!\d )/[A-Za-z_{][\w{}:.-]*(?:/[\w{}:.*-]+)*(?<![.:])")),
    ("quantity", quantities.OFTEN),
    ("quantity", quantities.SHARE),
    ("quantity", quantities.HALVES),
    ("factor", quantities.FACTOR),
    ("quantity", quantities.PART_OF_TIME),
    ("quantity", quantities.PART),
    ("quantity", quantities.COMPOUND),
    ("quantity", quantities.RANGE),
    ("quantity", quantities.WRITTEN),
    ("quantity", quantities.IN_WORDS),
    ("quantity", quantities.A_PART),
    ("quantity", quantities.COUNT_WORDS),
    ("name", re.compile(r"`[^`\n]+`")),
    ("name", re.compile(r"\b(?:[a-z0-9]+_[A-Za-z0-9_]+|_[a-z]\w+|[A-Z][A-Z0-9]*_[A-Z0-9_]+)\b(?:\(\))?")),
    ("name", re.compile(r"\b(?:[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+|[A-Z]{2,}[a-z]+[A-Z]\w*)\b(?:\(\))?")),
    ("name", re.compile(rf"(?<![\w/.-])[a-z][a-z0-9]*(?:-[a-z0-9]+)*-(?:{PART_OF_SYSTEM})(?![\w/.-]*\w)")),
    ("name", re.compile(r"(?<![\w/.-])[a-z_]\w*(?:\.[a-z_]\w+)+(?![\w/-])(?:\(\))?")),
    ("person", re.compile(rf"(?<![\w/.-]){CAPITALISED}(?: {CAPITALISED})+\b")),
    (
        "person",
        re.compile(rf"(?:(?<=\bby )|(?<=\bauthor is )){CAPITALISED}\b|\b{CAPITALISED}(?= (?:wrote|authored)\b)"),
    ),
    ("person", re.compile(r"(?<=[a-z,] )[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]{2,}\b(?![-’'\w](?!s\b))")),
)


@dataclass(frozen=True)
class Specific:
    """One specific in a text. ``value`` and ``tolerance`` are in the dimension's base unit.

    ``bound`` is ``over``, ``under`` or ``near`` when the words before the number make it a bound; ``target`` is the
    ``path:start-end`` that words such as "line 33 of cache.py" stand for.
    """

    kind: Kind
    text: str
    start: int
    end: int
    value: float = 0.0
    tolerance: float = 0.0
    dimension: str = ""
    bound: str = ""
    target: str = ""


def find_specifics(text: str) -> list[Specific]:
    """All specifics, left to right, without overlaps; an earlier pattern of the list wins."""
    taken = [False] * len(text)
    out: list[Specific] = []
    for kind, pattern in PATTERNS:
        for match in pattern.finditer(text):
            start, end = match.span()
            if any(taken[start:end]) or start == end:
                continue
            if pattern is quantities.SHARE and quantities.read_share(match.group()) is None:
                continue
            found = read_one(kind, match.group(), start)
            if found is None:
                if match.group().lower().endswith(CITIES):
                    taken[start:end] = [True] * (end - start)
                continue
            taken[start:end] = [True] * (end - start)
            out.append(replace(found, bound=bound_of(text, found)) if found.dimension else found)
    out.sort(key=lambda s: s.start)
    return [share_unit(s, out[i + 1 :], text) if s.dimension == "plain" else aim(s, out) for i, s in enumerate(out)]


def bound_of(text: str, found: Specific) -> str:
    """The bound that the words before a number make it, or those within "a factor of almost 14"."""
    inner = quantities.bound_before(re.sub(r"\S+$", "", found.text)) if found.kind == "factor" else ""
    return inner or quantities.bound_before(text[: found.start])


def read_one(kind: Kind, text: str, start: int) -> Specific | None:
    """Give a match its value; None when it is prose after all."""
    end = start + len(text)
    if kind == "factor":
        value, tolerance = quantities.read_factor(text)
        return Specific(kind, text, start, end, value, tolerance, "factor")
    if kind == "quantity":
        return Specific(kind, text, start, end, *quantities.read_quantity(text))
    if kind == "person":
        return read_person(text, start)
    if kind in {"name", "quote"}:
        inner = text.strip('`"“”').removesuffix("()")
        inside = [s for s in find_specifics(inner) if s.text == inner] if kind == "name" and "`" in text else []
        if inside and inside[0].kind not in {"name", "quote", "person"}:
            return replace(inside[0], start=start, end=end)
        return Specific(kind, inner, start, end)
    return Specific(kind, text, start, end)


def read_person(text: str, start: int) -> Specific | None:
    """A name of capitalised words, without the ordinary words that a sentence may start with."""
    words = text.split(" ")
    while words and words[0].lower() in NOT_PEOPLE:
        start += len(words.pop(0)) + 1
    if (
        not words
        or " ".join(words).lower() in PLACES
        or any(w.lower() in NOT_PEOPLE for w in words)
        or (len(words) == 1 and " " in text)
    ):
        return None
    name = " ".join(words)
    return Specific("person", name, start, start + len(name))


def share_unit(plain: Specific, following: list[Specific], text: str) -> Specific:
    """``412 → 418 req/s``: a bare number right before one with a unit, as its counterpart, has that unit."""
    for other in following[:3]:
        between = text[plain.end : other.start]
        if other.kind != "quantity" or not re.fullmatch(
            r"\s?(?:→|->|–|-)\s?|\s(?:to|and|or|vs\.?|versus|against)\s", between
        ):
            break
        if other.dimension != "plain":
            return with_unit_of(other, plain)
    return plain


def with_unit_of(other: Specific, plain: Specific) -> Specific:
    """A bare number with the unit of another one."""
    word = (
        re.sub(rf"^(?:{quantities.NUMBER}|(?:{quantities.WORD})\b)", "", other.text, flags=re.IGNORECASE)
        .strip()
        .lower()
    )
    dimension, scale = quantities.unit_of(word) or ("plain", 1.0)
    return replace(
        plain,
        value=plain.value * scale,
        tolerance=plain.tolerance * scale,
        dimension=dimension,
    )


def aim(found: Specific, others: list[Specific]) -> Specific:
    """``line 33``: the lines of the path that is named closest."""
    if found.kind != "lines" or found.text[:4].lower() != "line":
        return found
    paths = [o for o in others if o.kind == "path" or (o.kind == "lines" and o.text[:4].lower() != "line")]
    nearest = min(paths, key=lambda o: abs(o.start - found.end), default=None)
    path = re.sub(r":\d+(?:[-–]\d+)?$", "", nearest.text) if nearest else ""
    first, *last = re.findall(r"\d+", found.text)
    return replace(found, target=f"{path}:{first}-{last[0] if last else first}")
