"""Templates over facts: ``{E2.peak}``, ``{move(E2.baseline,E2.current)}``. Code fills them, so that numbers,
units, directions and orders in time are right by construction.

Functions: ``move(a,b)`` rose or fell from a to b · ``change(a,b)`` percent or factor · ``ratio(a,b)`` b as a multiple
of a · ``diff(a,b)`` b − a · ``lag(event,anchor)`` "2 minutes after" · ``span(a,b)`` the time between · ``clock(t)``
hours and minutes only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from workers.contracts import Evidence, Fact
from workers.grounding.literals import LEADS, SEGMENT
from workers.grounding.value_format import (
    Voice,
    change_text,
    round_off,
    say,
    say_duration,
    say_lag,
    say_move,
    say_number,
)
from workers.language.normalization import normalise

LEADING = re.compile(r"[@:/]|<[#!]|\w\.\w")
SLOT = re.compile(r"\{(?:(?P<fn>[a-z]+)\((?P<args>[^{}()]*)\)|(?P<ref>[A-Za-z]\w*\.\w+))\}")
REF = re.compile(r"([A-Za-z]\w*)\.(\w+)")
CODE_SPAN = re.compile(r"(`[^`\n]*`)")
NAMES = re.compile(rf"`[^`\n]*`|/(?:{SEGMENT}|/)*")
"""Code and paths, in which braces may be part of a name: ``/api/{user.id}``."""


class SlotError(ValueError):
    """A slot that cannot be filled: no such evidence, fact or function, or values that don't go together."""


@dataclass(frozen=True)
class Ref:
    """One fact of one evidence."""

    evidence: str
    name: str
    fact: Fact


@dataclass(frozen=True)
class Piece:
    """A stretch of the filled text: literal when ``refs`` is empty, else what a slot was filled from."""

    text: str
    start: int
    refs: tuple[Ref, ...] = ()
    function: str = ""


def read_ref(text: str, evidence: Mapping[str, Evidence]) -> Ref:
    """``E2.peak`` -> the fact. Raises: SlotError."""
    match = REF.fullmatch(text.strip())
    if not match:
        raise SlotError(f"{text!r} is not a slot")
    key, name = match.groups()
    if key not in evidence:
        raise SlotError(f"no evidence {key}")
    fact = evidence[key].facts.get(name)
    if fact is None:
        raise SlotError(f"{key} has no fact {name!r}")
    return Ref(key, name, fact)


def slots_in(template: str, evidence: Mapping[str, Evidence]) -> Iterator[re.Match[str]]:
    """The slots of a template, without the braces of names that only look like one."""
    names = [match.span() for match in NAMES.finditer(template)]
    for match in SLOT.finditer(template):
        named = any(start <= match.start() and match.end() <= end for start, end in names)
        if match["fn"] or not named or match["ref"].partition(".")[0] in evidence:
            yield match


def fill(template: str, evidence: Mapping[str, Evidence], voice: Voice) -> tuple[Piece, ...]:
    """Fill every slot. Raises: SlotError."""
    pieces: list[Piece] = []
    text_at = last = 0
    for match in slots_in(template, evidence):
        literal = template[last : match.start()]
        if literal:
            pieces.append(Piece(literal, text_at))
            text_at += len(literal)
        refs, function, text = fill_one(match, evidence, voice)
        pieces.append(Piece(text, text_at, refs, function))
        text_at += len(text)
        last = match.end()
    if template[last:]:
        pieces.append(Piece(template[last:], text_at))
    return tuple(pieces)


def fill_one(match: re.Match[str], evidence: Mapping[str, Evidence], voice: Voice) -> tuple[tuple[Ref, ...], str, str]:
    """One slot's facts, function and text."""
    if match["ref"]:
        ref = read_ref(match["ref"], evidence)
        text = normalise(say(ref.fact, voice))
        return (ref,), "", quoted(text, evidence[ref.evidence], ref.name) if ref.fact.unit == "text" else text
    refs = tuple(read_ref(part, evidence) for part in match["args"].split(","))
    return refs, match["fn"], apply(match["fn"], refs, voice)


def quoted(text: str, item: Evidence, name: str) -> str:
    """Words of evidence as they are shown: without what leads elsewhere. The evidence itself is one click away.

    Code stands as it is: it is shown as code, which nobody clicks. ``name``: of the fact that holds the words.
    """
    if item.kind == "code" or not LEADING.search(text):
        return text
    own = {item.url or "", *(str(f.value) for f in item.facts.values() if f.unit == "url")}
    step = item.kind == "doc" and name.startswith("step")

    def shown(match: re.Match[str]) -> str:
        found = match.group()
        if found in own:
            return found
        # A step is of no use without its address; as code nobody clicks on it unawares.
        return f"`{found}`" if step and "://" in found and not found.startswith("<") else "[…]"

    for pattern in LEADS:
        text = outside_code(pattern, shown, text) if step else pattern.sub(shown, text)
    return text


def outside_code(pattern: re.Pattern[str], shown: Callable[[re.Match[str]], str], text: str) -> str:
    """A text with what a pattern finds outside of code shown otherwise."""
    return "".join(p if p[:1] == "`" else pattern.sub(shown, p) for p in CODE_SPAN.split(text))


def apply(function: str, refs: tuple[Ref, ...], voice: Voice) -> str:
    """Compute a function of one or two facts. Raises: SlotError."""
    facts = [r.fact for r in refs]
    if function == "clock" and len(facts) == 1:
        return f"{as_time(facts[0]).astimezone(UTC):%H:%M}"
    if len(facts) != 2:
        raise SlotError(f"{function} takes two facts")
    first, second = facts
    if function == "lag":
        return say_lag(as_time(first), as_time(second))
    if function == "span":
        return say_duration((as_time(second) - as_time(first)).total_seconds())
    if function == "move" and "text" in {first.unit, second.unit}:  # a bound is told in words
        return f"went from {normalise(say(first, voice))} to {normalise(say(second, voice))}"
    before, after = as_number(first), as_number(second)
    if first.unit != second.unit:
        raise SlotError(f"{function} of {first.unit} and {second.unit}")
    if function == "move":
        return say_move(first, second, voice)
    if function == "change":
        return change_text(before, after)
    if function == "diff":
        return say_number(after - before, first.unit)
    if function == "ratio":
        if before == 0:
            raise SlotError("ratio to zero")
        return f"×{round_off(after / before, 2)}"
    raise SlotError(f"no function {function!r}")


def as_time(fact: Fact) -> datetime:
    """A fact of unit ``time``. Raises: SlotError."""
    if fact.unit != "time":
        raise SlotError(f"{fact.value!r} is not a time")
    try:
        return datetime.fromisoformat(str(fact.value))
    except ValueError as error:
        raise SlotError(f"{fact.value!r} is not a time") from error


def as_number(fact: Fact) -> float:
    """A fact with a numeric value. Raises: SlotError."""
    if isinstance(fact.value, bool) or not isinstance(fact.value, int | float):
        raise SlotError(f"{fact.value!r} is not a number")
    return float(fact.value)
