"""Which settings a question asks for: every place that gives them a value, by environment."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from workers.language.environment_labels import KINDS, PRODUCTION
from workers.language.stems import stem
from workers.language.stop_words import WEAK_WORDS
from workers.language.tokens import WORD, joined, split_identifier
from workers.sources.code.file_kinds import KINDS as FILE_KINDS
from workers.sources.code.index import CodeIndex
from workers.sources.code.setting_values import SECTION, Setting, read_configuration, read_constants
from workers.sources.terms.query_terms import read_query

MOST_FILES, MOST_LINES, SEARCHED = 400, 3_000, 8
MOST_SETTINGS = 3
ABOVE, BELOW = 6, 2
"""So many lines of its block stand with a setting."""
OWN, AROUND, BESIDE = 1.0, 0.8, 0.5
"""What a word of the question counts in the name of a setting, in what it stands in, and in its path and the lines
beside it."""
INNER = 0.7
"""So much as another place counts one in the body of a function."""
UNASKED = 0.05
"""What a word of its name that nobody asked for takes away."""
TIED = 0.97
AMOUNTS = "many much long large big high low often groß hoch viele lange".split()
LEFT_OUT = frozenset({*KINDS, *AMOUNTS, "prod's", "production's"})
"""Words of a question that ask for an amount, or name an environment: no key is called so."""
TIMES = frozenset(stem(w) for w in "s ms sec secs seconds millis minutes min hours h days ttl".split())
TIMED = re.compile(r"^-?[\d.]+ ?(?:ms|s|m|h|d)$|seconds?\b|millis|minutes?\b|hours?\b|days?\b", re.IGNORECASE)
COUNTED = re.compile(r"\b(?:how (?:many|often)|wie (?:viele|oft))\b", re.IGNORECASE)
MEASURED = re.compile(
    r"\bhow (?:many|often|long|big|large|high|low|much)\b|\bwie (?:viele|oft|lange|groß|hoch)\b|"
    r"\bwhat(?:'s| is| are)(?: the)? .*\b(?:timeouts?|ttl|intervals?|deadline|sizes?|limits?)\b",
    re.IGNORECASE,
)
SWITCHES = frozenset({"true", "false", "on", "off", "yes", "no"})
LASTING = re.compile(r"\b(?:how long|wie lange)\b", re.IGNORECASE)
UNITS = TIMES | frozenset(stem(w) for w in ("max", "default", "count"))


@dataclass(frozen=True)
class Place:
    """A setting where it is set. ``span``: its lines with those that stand with it, from 1, both ends included."""

    setting: Setting
    span: tuple[int, int]
    words: frozenset[str]


NO_VALUES = re.compile(
    r"(?:^|[/._-])(?:examples?|samples?|dist|seeds?|fixtures?|locales?|i18n|l10n|lang|languages?|translations?)"
    r"(?:[/._-]|$)|[._-]templates?(?:\.|$)",
    re.IGNORECASE,
)
"""Files that show how a setting is written, fill a database to try things with, or are translations: what they hold is
in force nowhere."""


def find_settings(index: CodeIndex, question: str) -> list[tuple[Place, ...]]:
    """The settings that fit a question best, at most three of equals; of each the places that set it.

    Production comes first, then other environments, then what holds for all; configuration before constants.
    """
    wanted = wanted_words(question)
    places = [p for p in (*configured(index), *constants(index, question)) if is_measure(p.setting, question)]
    if not wanted or not places:
        return []
    common = Counter(word for place in places for word in place.words)
    users = stems(" ".join(index.routes())) & wanted  # who uses a setting stands seldom in it
    worth = {w: math.log1p(len(places) / common[w]) * (BESIDE if w in users else 1.0) for w in wanted if common[w]}
    naming = wanted - users or wanted
    scores = {id(place): score(place, worth, naming) for place in places}
    best = max(scores.values())
    leading = sorted((p for p in places if scores[id(p)] >= TIED * best), key=lambda p: -scores[id(p)])
    leading = [p for p in leading if is_amount(p.setting, question)]
    if best <= 0:
        return []
    groups: list[tuple[Place, ...]] = []
    for head in leading:
        if not any(is_same(group[0].setting, head.setting) for group in groups):
            same = [p for p in (*places, *defaults(index, head.setting)) if is_same(p.setting, head.setting)]
            same = [p for p in same if p is head or not p.setting.inner]  # a function's own names are no defaults
            by_line = {(p.setting.path, p.setting.line): p for p in same}
            groups.append(tuple(sorted(by_line.values(), key=order)))
    apart = users - stems(" ".join(p.setting.key for p in groups[0])) if groups else users
    return [] if apart and groups and is_contested(groups[0], places, naming) else groups[:MOST_SETTINGS]


def is_measure(setting: Setting, question: str) -> bool:
    """Whether a setting may be what a question asks how large it is: a switch has no size."""
    return setting.value.lower() not in SWITCHES or not MEASURED.search(question)


def is_amount(setting: Setting, question: str) -> bool:
    """Whether a setting is a count where the question asks how many, and a span of time where it asks how long."""
    timed = bool(stems(setting.name) & TIMES) or TIMED.search(setting.value) is not None
    if COUNTED.search(question):
        return setting.value.replace("_", "").isdigit() and not timed
    return timed or not LASTING.search(question)


def is_contested(group: Sequence[Place], places: Sequence[Place], naming: Set[str]) -> bool:
    """Whether keys elsewhere hold the same words of the question: which of them its user reads is not known."""
    said = naming & stems(group[0].setting.key)
    homes = {joined(".".join(place.setting.parents)) for place in group}
    owners = {joined(place.setting.parents[0]) for place in group if place.setting.parents}
    rivals = (place.setting for place in places if said <= stems(place.setting.key))
    return any(
        joined(".".join(s.parents)) not in homes and not (s.parents and joined(s.parents[0]) in owners) for s in rivals
    )


def defaults(index: CodeIndex, setting: Setting) -> Iterator[Place]:
    """The constants of code that have the name of a setting, where that name has several parts."""
    columns = index.columns
    for chunk in columns.words.get(f"={joined(setting.name)}")[0].tolist():
        file, first, last = columns.chunks[chunk].tolist()
        if FILE_KINDS[int(columns.kinds[file])] == "code" and not NO_VALUES.search(columns.paths[file]):
            lines, outline = columns.lines_of(file), columns.definitions_of(file)
            yield from placed(list(read_constants(columns.paths[file], lines, (first, last), outline)), lines)


def wanted_words(question: str) -> frozenset[str]:
    """The stems of what a question asks for, without its environment and the words that say little of code."""
    plain = " ".join(word for word in re.split(r"\s+", question) if word.lower().strip("?!.,()") not in LEFT_OUT)
    return frozenset(read_query(plain).terms) - {stem(word) for word in WEAK_WORDS}


def score(place: Place, worth: Mapping[str, float], naming: Set[str]) -> float:
    """How much of what is asked for a place holds; nothing where no word that names the setting stands in its key."""
    own, around = stems(place.setting.name), stems(" ".join(place.setting.parents))
    if not naming & (own | around | stems(place.setting.path)):
        return 0.0
    held = sum(
        value * (OWN if word in own else AROUND if word in around else BESIDE)
        for word, value in worth.items()
        if word in place.words
    )
    return (held - UNASKED * len(own - worth.keys() - UNITS)) * (INNER if place.setting.inner else 1.0)


def is_same(one: Setting, other: Setting) -> bool:
    """Whether two places set the same thing: by the whole key, or as a constant and the configuration over it."""
    if joined(one.key) == joined(other.key):
        return not (one.constant and other.constant) or one.path == other.path
    if joined(one.name) != joined(other.name) or one.constant == other.constant:
        return False
    constant, configured_ = (one, other) if one.constant else (other, one)
    near = stems(" ".join((*constant.parents, constant.path)))
    return not configured_.parents or bool(near & stems(" ".join(configured_.parents)))


def order(place: Place) -> tuple[bool, bool, bool, str, int]:
    """Production, other environments, all; configuration before constants."""
    setting = place.setting
    return (
        not setting.environment,
        setting.environment != PRODUCTION,
        setting.constant,
        setting.path,
        setting.line,
    )


def configured(index: CodeIndex) -> Iterator[Place]:
    """Every key of the configuration."""
    columns = index.columns
    files = [
        n
        for n, path in enumerate(columns.paths)
        if path and FILE_KINDS[int(columns.kinds[n])] == "config" and not NO_VALUES.search(path)
    ]
    for file in files[:MOST_FILES]:
        lines = columns.lines_of(file)[:MOST_LINES]
        yield from placed(list(read_configuration(columns.paths[file], lines)), lines)


def constants(index: CodeIndex, question: str) -> Iterator[Place]:
    """The constants of the code that a question is about."""
    columns = index.columns
    for hit in index.find(question, SEARCHED).likely_hits:
        if hit.kind == "code" and not NO_VALUES.search(hit.path):
            file = index.numbers[hit.path]
            lines = columns.lines_of(file)
            span = (hit.start_line, hit.end_line)
            yield from placed(list(read_constants(hit.path, lines, span, columns.definitions_of(file))), lines)


def placed(settings: Sequence[Setting], lines: Sequence[str]) -> Iterator[Place]:
    """Settings with the lines around them that stand in the same block, and the one that opens it."""
    for setting in settings:
        own = depth(lines[setting.line - 1])
        first = last = setting.line
        while first > 1 and setting.line - first < ABOVE and lines[first - 2].strip():
            first -= 1
            if depth(lines[first - 1]) < own or SECTION.fullmatch(lines[first - 1].strip()):
                break
        while last < len(lines) and last - setting.line < BELOW and lines[last].strip():
            if depth(lines[last]) < own or SECTION.fullmatch(lines[last].strip()):
                break
            last += 1
        beside = " ".join(lines[first - 1 : last])
        words = stems(" ".join((*setting.parents, setting.name, setting.path, beside)))
        yield Place(setting, (first, last), words)


def depth(line: str) -> int:
    """How far a line is indented."""
    return len(line) - len(line.lstrip())


def stems(text: str) -> frozenset[str]:
    """The stems of the words of a text; names of code are taken apart."""
    return frozenset(stem(part) for word in WORD.findall(text) for part in split_identifier(word))
