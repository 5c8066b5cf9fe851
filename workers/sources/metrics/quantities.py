"""What a family of series measures - time, bytes, a share, a number of things - as its unit, its name's suffix, its
help and its buckets tell it. Words for what it belongs to, such as ``db`` or ``pool``, say nothing of that."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workers.sources.metrics.inventory import Family
from workers.sources.metrics.name_words import CAMEL, LATENCY, PERCENTS, TIME_UNITS, TRAFFIC, has, tokens

UNIT_LABEL = "unit"
"""The label in which some exporters write a unit."""
AGGREGATES = frozenset("total sum count avg mean average max min bucket".split())
ALWAYS_UNITS = frozenset(
    "seconds secs milliseconds millis ms msec microseconds micros usec nanoseconds nanos nsec".split()
)
"""Units of time wherever they stand in a name; others may be an ordinal (``second_level``) or a place (``us_east``)."""
NUMBERS = frozenset("count cnt num number".split())
SPAN_OR_RANK = re.compile(r"[pq]?\d+[a-z]*")
HELP_UNIT = re.compile(r"(?:^|\b(?:in|of|is)\s+|[(\[]\s*)([a-z]+)(?=\s|[)\].,;:]|$)")
NUMBER_OF = re.compile(r"^(?:the |total |current )*(?:number|count|amount) of (\w+)|^how many (\w+)")
WORD = re.compile(r"[a-z]+|\d+")
NOT_ITS_UNIT = frozenset("per every each last past next over few".split())
"""Before a unit of time in a help text: a span that is looked at, not what is measured."""


def time_factor_of(family: Family) -> float | None:
    """Seconds in a family's unit of time, as its unit, unit label, name or help says; None when none does."""
    if "per" in family.words or counts_things(family):
        return None
    for text in (family.unit, *label_units(family)):
        found = next((TIME_UNITS[w] for w in tokens(text) if w in TIME_UNITS), None)
        if found is not None:
            return found
    named = factor_in_name(family)
    return named if named is not None else factor_in_help(family.help.lower())


def label_units(family: Family) -> tuple[str, ...]:
    """What a label says of the unit, where all series have the same one."""
    values = family.labels.get(UNIT_LABEL, ())
    return values if len(values) == 1 else ()


def factor_in_name(family: Family) -> float | None:
    """The unit of time at the end of a name, before aggregates, quantiles and spans; or one that is nothing else."""
    raw = [w.lower() for w in CAMEL.findall(family.name.replace("_", " "))]
    words = list(family.words)
    while words and (words[-1] in AGGREGATES or SPAN_OR_RANK.fullmatch(words[-1])):
        words.pop()
    if words and words[-1] in TIME_UNITS:
        return TIME_UNITS[words[-1]]
    if words and words[-1] == "s" and has(family.words, LATENCY):
        return 1.0
    return next((TIME_UNITS[tokens(w)[0]] for w in reversed(raw) if w in ALWAYS_UNITS), None)


def factor_in_help(text: str) -> float | None:
    """The unit of time that a help text gives: "… in seconds", "(ms)", or beside a word such as duration."""
    forms = [m[1] for m in HELP_UNIT.finditer(text)]
    words = WORD.findall(text)
    if has(tokens(text), LATENCY - TRAFFIC):
        pairs = zip(["", *words], words, strict=False)
        forms += [w for before, w in pairs if not before.isdigit() and before not in NOT_ITS_UNIT]
    found = (tokens(word)[0] for word in forms if word)
    return next((TIME_UNITS[word] for word in found if word in TIME_UNITS), None)


def counts_things(family: Family) -> bool:
    """Whether a gauge tells how many of something there are, as its unit, name or help says."""
    if family.kind != "gauge":
        return False
    if {w for text in (family.unit, *label_units(family)) for w in tokens(text)} & set(TIME_UNITS):
        return False
    if family.words and family.words[-1] in NUMBERS:
        return True
    if factor_in_name(family) is not None or "byte" in family.words:
        return False
    found = NUMBER_OF.match(family.help.lower())
    return found is not None and not {*tokens(found[1] or found[2])} & {*TIME_UNITS, "byte"}


def is_bytes(family: Family) -> bool:
    """Whether it is measured in bytes."""
    said = {w for text in (family.unit, *label_units(family)) for w in tokens(text)}
    return "byte" in said or ("byte" in family.words and not counts_things(family))


def is_percent(family: Family) -> bool:
    """Whether a share is told in hundredths: its unit or name says so, or its values do."""
    said = {w for text in (family.unit, *label_units(family)) for w in tokens(text)}
    return bool(said & PERCENTS) or bool(has(family.words, PERCENTS)) or family.top > MOST_SHARE


MOST_SHARE = 1.5
"""What a share of one reaches is less, bursts included; beyond it is percent."""


def bounds_in_seconds(bounds: Sequence[str]) -> bool:
    """Whether the bounds of buckets are those of times in seconds: fractions of one among them."""
    finite = [float(b) for b in bounds if re.fullmatch(r"[\d.]+(e[-+]?\d+)?", b)]
    return any(0 < b < 1 for b in finite)
