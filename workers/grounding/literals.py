"""Finds what is specific in plain text: quantities with units, times, paths, lines, URLs, commits, names.

Everything found here must be shown by the cited evidence; everything not found here is prose.
"""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from workers.grounding.quantities import NUMBER, WORD, Quantity, find_quantities, unit_of
from workers.grounding.written_times import find_times
from workers.language.clock_times import MONTHS
from workers.language.zones import PLACES

Kind = Literal[
    "quantity", "factor", "time", "date", "mention", "url", "domain", "address", "lines", "path", "endpoint", "commit", "version", "name", "quote",
    "person",
]  # fmt: skip

EXT = (
    "py|pyi|go|rs|js|jsx|ts|tsx|mjs|java|kt|rb|php|c|h|cc|cpp|hpp|cs|swift|scala|sh|sql|ya?ml|toml|json|ini|cfg|conf|md|"
    "rst|txt|proto|tf|hcl|xml|html|css|lock|env|ex|exs|lua|pl|dart|vue|gradle|properties|graphql|ipynb|adoc"
)
TLD = (
    "com|net|org|edu|gov|io|dev|app|ai|co|uk|de|fr|ch|at|nl|eu|us|ca|au|in|jp|cn|ru|br|cloud|info|biz|xyz|site|online|tech|"
    "store|link|click|top|live|icu|me|tv|ly|gg|to|page|example|internal|intranet|local|localhost|corp|lan|test|invalid|onion"
)
PART_OF_SYSTEM = (
    "db|database|cache|service|svc|api|pool|queue|worker|proxy|gateway|server|cluster|broker|redis|postgres|mysql|kafka"
)
CAPITALISED = r"[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]+(?:[’'][A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]+)?"
PATH = rf"(?:[\w.@-]+/)*[\w.@-]*[\w-]\.(?:{EXT})"
NUMBERS = r"\d+(?:(?:\s?[-–]\s?|\s(?:to|through|and)\s)\d+)?"
SEGMENT = r"(?:[\w{}:.*%@+~$-]|<[\w:.-]+>)+"
"""Of an endpoint what stands between slashes, placeholders in any brackets included."""
FIRST: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("mention", re.compile(r"<[@#!][^>\n]{0,120}>|(?<![\w.@])@(?:channel|here|everyone|all)\b", re.IGNORECASE)),
    ("quote", re.compile(r"[\"“][^\"”\n]{3,}[\"”]")),
    ("url", re.compile(r"(?<=\]\()[^)\s]+(?=[^)\n]{0,80}\))")),
    ("url", re.compile(r"\b[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s)\]>|\"'`]*[^\s)\]>|\"'`.,;:!?]")),
    ("url", re.compile(r"\b(?:javascript|data|mailto|tel|vbscript|slack|sms):[^\s)\]>|]+", re.IGNORECASE)),
    ("time", re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?\s?(?:Z|UTC|[+-]\d\d:\d\d)?")),
    ("name", re.compile(r"(?<![\w/.-])(?!\d+-[A-Za-z]+\b|UTC|GMT|top-|p\d+-|\d{4}-\d\d)(?=[\w.-]*\d)(?=[\w.-]*[A-Za-z])\w+(?:[-.]\w+)*-(?!based|style|only|free)\w+(?![\w/-])(?!\.\w)")),
    ("name", re.compile(r"(?<![\w/.@-])[\w-]+@\d[\w.]*\w|(?<![\w#])#\d{2,}\b")),
    ("address", re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+(?![\w-])")),
    ("domain", re.compile(
        rf"(?<![\w@./-])(?:www\.[\w-]+(?:\.[\w-]+)+|(?:[a-z0-9-]+\.)+(?:{TLD}))(?::\d+)?(?![\w-])(?!\.\w)(?:/[^\s)\]>|\"'`]*[^\s)\]>|\"'`.,;:!?])?", re.IGNORECASE)),
    ("lines", re.compile(rf"(?<![\w./@-]){PATH}:\d+(?:[-–]\d+)?(?!\w)")),
    ("lines", re.compile(rf"\b[Ll]ines?\s{NUMBERS}(?![\w.]*\w)")),
    ("path", re.compile(rf"(?<![\w./@-]){PATH}(?![\w/])(?!\.\w)")),
    ("path", re.compile(r"(?<![\w./@-])(?:[\w.@-]+/)+[\w-]+\.[a-z]{2,5}(?![\w/(])(?!\.\w)|(?<![\w/])(?:Dockerfile|Makefile|Procfile)(?!\w)")),
    ("lines", re.compile(r"(?<=\()\d+[-–]\d+(?=\))|(?<=[Hh]unk )\d+[-–]\d+(?!\w)|(?:(?<=\.\w\w, )|(?<=\.\w\w\w, ))\d+[-–]\d+(?=[).,;]|$)")),
)  # fmt: skip
SECOND: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("address", re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?:/\d+)?(?![\w.]*\w)")),
    ("version", re.compile(r"\bv\d+(?:\.\d+)+[\w.+-]*\b|(?<![\w.])\d+\.\d+\.\d+(?:[-+.]\w+)*\b")),
    ("commit", re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b")),
    (
        "endpoint",
        re.compile(rf"(?<![\w./:])(?<!\d )/(?=[A-Za-z_{{:@%<]|\*+/){SEGMENT}(?:/{SEGMENT})*(?<![.:%])(?<![^/*]\*)"),
    ),
)
LAST: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("name", re.compile(r"`[^`\n]+`")),
    ("name", re.compile(r"\b(?:[a-z0-9]+_[A-Za-z0-9_]+|_[a-z]\w+|[A-Z][A-Z0-9]*_[A-Z0-9_]+)\b(?:\(\))?")),
    ("name", re.compile(r"\b(?:[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+|[A-Z]{2,}[a-z]+[A-Z]\w*)\b(?:\(\))?")),
    ("name", re.compile(rf"(?<![\w/.-])[a-z][a-z0-9]*(?:-[a-z0-9]+)*-(?:{PART_OF_SYSTEM})(?![\w/.-]*\w)")),
    ("name", re.compile(r"(?<![\w/.-])[a-z_]\w*(?:\.[a-z_]\w+)+(?![\w/-])(?:\(\))?")),
    ("person", re.compile(rf"(?<![\w/.-]){CAPITALISED}(?: {CAPITALISED})*(?![-\w’']|\.\w)(?:(?<!’s)(?<!'s))")),
)
LEADS = tuple(pattern for kind, pattern in FIRST if kind in {"mention", "url", "address", "domain"})
ORDINARY = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october "
    "november december step python english ruby rust java kotlin scala go elixir swift php typescript javascript perl dart lua "
    "bash yaml toml json git kubernetes linux docker".split()
)
"""Capitalised words that are nobody's and nothing's own name here."""


@dataclass(frozen=True)
class Specific:
    """One specific in a text. ``value`` and ``tolerance`` are in the dimension's base unit.

    ``bound`` is ``over``, ``under``, ``near`` or ``about`` when the words before the number make it a bound; ``target`` is
    the ``path:start-end`` that words such as "line 33 of cache.py" stand for, or the date of a day that shares a month.
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


LISTED = re.compile(
    r"(?P<path>[\w./@-]*[\w-]\.\w{1,6}):\d+(?:[-–]\d+)?(?P<rest>(?:, \d+(?:[-–]\d+)?)*(?:,? and \d+(?:[-–]\d+)?)?)(?![\w%:]|\.\d| \w)"
)


def find_specifics(text: str) -> list[Specific]:
    """All specifics, left to right, without overlaps; an earlier sort wins."""
    taken = [False] * len(text)
    out: list[Specific] = []
    for found in candidates(text):
        if found.start < found.end and not any(taken[found.start : found.end]):
            taken[found.start : found.end] = [True] * (found.end - found.start)
            if found.text and found.text.lower() not in ORDINARY | PLACES.keys():
                out.append(found)
    out.sort(key=lambda s: s.start)
    return [
        share_unit(s, out[i + 1 :], text) if s.dimension == "plain" else aim(s, out, text) for i, s in enumerate(out)
    ]


def listed_lines(text: str) -> Iterator[Specific]:
    """The further lines of a list: ``charge.js:19, 45 and 65``."""
    for match in LISTED.finditer(text):
        path = match["path"]
        for number in re.finditer(r"\d+(?:[-–]\d+)?", match["rest"]):
            start = match.start("rest") + number.start()
            yield Specific(
                "lines", number.group(), start, start + len(number.group()), target=f"{path}:{number.group()}"
            )


def candidates(text: str) -> Iterator[Specific]:
    """Everything that may be specific, in the order in which it wins."""
    quantities = [specific_of(q, text) for q in find_quantities(text)]
    yield from (q for q in quantities if q.text.endswith("fold"))
    yield from listed_lines(text)
    yield from matches(FIRST, text)
    for time in find_times(text):
        said, month = text[time.start : time.end], MONTHS.split("|")[(time.month or 1) - 1]
        shares = time.month and re.fullmatch(r"\d+[a-z]*", said)  # the month stands after a later day
        target = f"{time.day} {month}" if shares else ""
        yield Specific("time" if time.clocked else "date", said, time.start, time.end, target=target)
    yield from matches(SECOND, text)
    yield from quantities
    yield from matches(LAST, text)


def specific_of(q: Quantity, text: str) -> Specific:
    """A quantity as a specific."""
    kind: Kind = "factor" if q.kind == "factor" else "quantity"
    return Specific(kind, text[q.start : q.end], q.start, q.end, q.value, q.tolerance, q.dimension, q.bound)


def matches(patterns: tuple[tuple[Kind, re.Pattern[str]], ...], text: str) -> Iterator[Specific]:
    """What patterns find; a name or quotation without its marks, a person without the word that starts a sentence."""
    for kind, pattern in patterns:
        for match in pattern.finditer(text):
            start, end, said = match.start(), match.end(), match.group()
            if kind == "person":
                yield read_person(said, start, text)
            elif kind in {"name", "quote"}:
                inner = said.strip('`"“”').removesuffix("()")
                inside = [s for s in find_specifics(inner) if s.text == inner] if "`" in said else []
                if inside and inside[0].kind not in {"name", "quote", "person"}:
                    yield replace(inside[0], start=start, end=end)
                else:
                    yield Specific(kind, inner, start, end)
            else:
                yield Specific(kind, said, start, end)


def read_person(said: str, start: int, text: str) -> Specific:
    """A name of capitalised words inside a sentence; at its start, the first word may be any, and stands for nothing."""
    words = said.split(" ")
    inside = bool(re.search(r"[a-zß-ÿ\d,)] $|\bby $", text[:start]))
    while words and (not inside or words[0].lower() in ORDINARY):
        start, inside = start + len(words.pop(0)) + 1, True
    name = " ".join(words)
    short = len(words) == 1 and len(name) < 3
    return Specific("person", "" if short else name, start, start + max(len(name), 0))


def share_unit(plain: Specific, following: list[Specific], text: str) -> Specific:
    """``412 → 418 req/s``: a bare number right before one with a unit, as its counterpart, has that unit."""
    for other in following[:3]:
        between = text[plain.end : other.start]
        if other.kind != "quantity" or not re.fullmatch(
            r"\s?(?:→|->|–|-)\s?|\s(?:to|and|or|vs\.?|versus|against)\s(?:about |just |only )?", between
        ):
            break
        if other.dimension != "plain":
            return with_unit_of(other, plain)
    return plain


def with_unit_of(other: Specific, plain: Specific) -> Specific:
    """A bare number with the unit of another one."""
    word = re.sub(rf"^(?:{NUMBER}|{WORD}\b)", "", other.text, flags=re.IGNORECASE)
    dimension, scale = unit_of(word) or ("plain", 1.0)
    return replace(plain, value=plain.value * scale, tolerance=plain.tolerance * scale, dimension=dimension)


def aim(found: Specific, others: list[Specific], text: str) -> Specific:
    """``line 33``: the lines of the path that stands right beside them, or of any."""
    if found.kind != "lines" or found.text[:4].lower() != "line":
        return found
    path = ""
    for other in (o for o in others if o.kind == "path"):
        left, right = sorted((found, other), key=lambda s: s.start)
        between = text[left.end : right.start]
        if re.fullmatch(r"`?(?:,? ?(?:of|in|at|on)? (?:the )?(?:file )?|\s?\(|: )`?", between):
            path = other.text
    first, *last = re.findall(r"\d+", found.text)
    return replace(found, target=f"{path}:{first}-{last[0] if last else first}")
