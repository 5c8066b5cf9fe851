"""What files give settings: the keys of configuration and the constants of code, each with its value and its line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workers.language.environment_labels import KINDS, PRODUCTION, kind_of
from workers.sources.code.syntax_tree import Definition

SECTION = re.compile(r"\[+\s*([\w.:\" -]+?)\s*\]+")
LINE = re.compile(
    r"(?P<indent>\s*)(?:- +|export +)?[\"':]{0,2}(?P<key>[A-Za-z_][\w.-]*)[\"']?\s*(?P<sign>=>|[:={])\s*(?P<value>.*)"
)
COMMENT = re.compile(r"^\s*(?:#|//|;|/\*|\*|--)")
TRAILING = re.compile(r"\s(?:#|//).*$")
NUMBER = r"-?\d[\w.]*(?:\s*\*\s*[\w.]+)*"
LITERAL = rf"{NUMBER}|[\w:.]+\(\s*-?\d[\d_.]*\s*\)|[\"']\d+\s?\w{{0,7}}[\"']|true|false|True|False"
CONSTANT = re.compile(
    rf"(?<![\w.$])(?P<key>[A-Za-z_]\w*)\s*(?::\s*[A-Za-z_][\w<>\[\]|. ]*)?\s*(?::=|=(?![=>])|:(?!:))\s*"
    rf"(?P<value>{LITERAL})(?=\s*(?:[,;)}}\]]|$|#|//))"
)
LOCAL = re.compile(
    r"\s*(?:(?:let|mut|var|const|int|auto|final|val)\s+)*\w+(?::\s*\w+)?\s*:?=\s*(?:[01]|true|false)\b", re.IGNORECASE
)
SECTIONS = frozenset({PRODUCTION, "staging", "development", "testing", "preproduction"})
"""Kinds of environment that a section of a file may be of: other words of theirs name anything in a key."""
MOST_VALUE_CHARS = 80


@dataclass(frozen=True)
class Setting:
    """One key with its value. ``parents``: what it stands in, outermost first, without the environment.

    ``environment``: the one that its file or section is for, empty for all; ``line`` counts from 1; ``constant``: of
    code, not of configuration; ``inner``: of the body of a function.
    """

    path: str
    line: int
    parents: tuple[str, ...]
    name: str
    value: str
    environment: str = ""
    constant: bool = False
    inner: bool = False

    @property
    def key(self) -> str:
        """The name with what it stands in, joined by dots."""
        return ".".join((*self.parents, self.name))


def read_configuration(path: str, lines: Sequence[str]) -> Iterator[Setting]:
    """The keys with a value of one line, of a file of YAML, TOML, JSON, INI, properties or environment variables."""
    section: tuple[str, ...] = ()
    levels: list[tuple[int, str]] = []
    listed, named = -1, ""  # where the items of a list begin, and how the item is called
    for number, raw in enumerate(lines, 1):
        if head := SECTION.fullmatch(TRAILING.sub("", raw).strip()):
            section, levels = tuple(re.split(r"[.:]", head[1].replace('"', ""))), []
            continue
        match = LINE.match(raw)
        if match is None or COMMENT.match(raw):
            continue
        indent, item = len(match["indent"]), raw.lstrip().startswith("- ")
        value = plain_value(match["value"])
        if item or indent > listed >= 0:  # keys of a list's items say nothing alone, but for a container's variables
            listed = indent if item else listed
            named = (value if match["key"] == "name" else "") if item else named
            if named and match["key"] == "value":
                yield Setting(path, number, (), named, value, environment_of_path(path))
            continue
        listed = -1
        while levels and levels[-1][0] >= indent:
            levels.pop()
        if match["sign"] == "{" or value in {"", "{", "|", ">", "["}:
            levels.append((indent, match["key"]))
        elif not value.startswith("{") and len(value) <= MOST_VALUE_CHARS:
            *outer, name = match["key"].split(".")
            parents, environment = without_environment((*section, *(key for _, key in levels), *outer))
            yield Setting(path, number, parents, name, value, environment or environment_of_path(path))


def read_constants(
    path: str, lines: Sequence[str], span: tuple[int, int], definitions: Sequence[Definition]
) -> Iterator[Setting]:
    """The names that code gives a number, a span of time or a switch; a local variable's first value is none.

    Args:
        path: of the file.
        lines: all of it.
        span: first and last line to read, from 1.
        definitions: those of the file.
    """
    for number in range(span[0], min(span[1], len(lines)) + 1):
        raw = lines[number - 1]
        around = [d for d in definitions if d.start <= number <= d.end]
        inside = any(d.kind in {"function", "method"} and d.start < number for d in around)
        if COMMENT.match(raw) or (inside and LOCAL.match(raw)):
            continue
        scope = min(around, key=lambda d: d.end - d.start).qualified.split(".") if around else []
        for match in CONSTANT.finditer(raw):
            parents = scope[:-1] if scope[-1:] == [match["key"]] else scope
            value = plain_value(match["value"])
            yield Setting(path, number, tuple(parents), match["key"], value, constant=True, inner=inside)


def plain_value(text: str) -> str:
    """A value without the comment behind it, its comma and its quotation marks."""
    return TRAILING.sub("", text).strip().rstrip(",;").strip().strip("\"'")


def without_environment(parents: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """The parents of a key but for the one that is an environment, and that one."""
    found = [part for part in parents if KINDS.get(part.lower()) in SECTIONS]
    kept = tuple(part for part in parents if part not in found)
    return kept, KINDS[found[0].lower()] if found else ""


def environment_of_path(path: str) -> str:
    """The environment that a file or one of its folders is named after, the nearest to the file; empty for none."""
    for part in reversed(path.split("/")):
        kind = kind_of(part.partition(".")[0] or part.rpartition(".")[2]) or kind_of(part)
        if kind == "trial":  # of these each has a name of its own
            words: list[str] = re.findall(r"[a-z]+", part.lower())
            return next(w for w in words if KINDS.get(w) == kind)
        if kind:
            return kind
    return ""
