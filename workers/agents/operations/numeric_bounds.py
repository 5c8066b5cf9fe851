"""Bounds that a question sets: "at least 5 errors", "error rate above 2 %", "requests over 3 s", "no timeouts"."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from workers.agents.operations.measures import ERRORS, FAILED, GROUPED, LATENCY, TIMEOUTS, Measure
from workers.agents.operations.sql_text import percentile
from workers.grounding.lexicon import words
from workers.language.phrase_to_window import phrases_in

SIGNS = {
    ">=": r"at least|no (?:less|fewer) than|not (?:less|fewer) than|a minimum of|>=|≥",
    "<=": r"at most|no more than|not more than|up to|a maximum of|<=|≤",
    ">": r"(?:more|greater|higher|larger|longer|slower|worse|bigger) than|over|above|exceed(?:s|ed|ing)?|beyond|>",
    "<": r"(?:less|fewer|lower|smaller|shorter|faster|better) than|under|below|<",
    "=": r"exactly|precisely",
}
BOUND = re.compile(
    rf"(?<![\w-])(?:{'|'.join(f'(?P<s{i}>{said})' for i, said in enumerate(SIGNS.values()))})\s?\$?(?P<n>\d[\d,]*(?:\.\d+)?)(?P<k>k\b)?"
    r"\s?(?P<unit>%|percent\b|ms\b|milliseconds?\b|s\b|sec(?:ond)?s?\b|usd\b|dollars?\b)?(?:\s?(?P<noun>[a-z]+))?",
    re.IGNORECASE,
)
OR_MORE = re.compile(r"(?<![\w.-])(?P<n>\d[\d,]*) or (?P<way>more|fewer|less) (?P<noun>[a-z]+)", re.IGNORECASE)
NONE_OF = re.compile(
    r"\b(?:no|zero|without(?: any)?|not (?:a single|any)) (?P<noun>errors?|timeouts?|failures?|failed requests?)\b",
    re.IGNORECASE,
)
OF_TIME = words(r"hours?|hrs?|days?|weeks?|minutes?|mins?|months?")
COLUMN = (
    (words(r"errors?"), "error_count", ERRORS),
    (words(r"time ?outs?"), "timeout_count", TIMEOUTS),
    (words(r"fail\w+"), "failed_count", FAILED),
    (words(r"requests?|calls?"), "request_count", "count(*)"),
    (words(r"tokens?"), "token_count", "sum(requests.input_tokens + requests.output_tokens)"),
)
EACH = words(
    r"(?:requests?|calls?|ones)(?: (?:that|which|who))?(?: (?:took|take|taking|cost|costing|with|had|have|were|are|was|a|latency|of|used|using))*"
)
PICKS = words(r"which|who|whose|how many|list|show|any|number of|count|only|those")


@dataclass(frozen=True)
class Bound:
    """``said``: as the question says it. ``sign``: SQL. ``unit``: ``%``, ``ms``, ``s``, ``usd`` or empty.

    ``each``: of single requests, not of what is told apart.
    """

    said: str
    sign: str
    number: float
    unit: str = ""
    noun: str = ""
    each: bool = False


def picks(text: str) -> bool:
    """Whether some of many are asked for, not a figure."""
    return bool(PICKS.search(text) or GROUPED.search(text))


def bounds_in(text: str) -> tuple[Bound, ...]:
    """Those of a question, but for its phrases of time."""
    for phrase in phrases_in(text):
        text = text.replace(phrase, " " * len(phrase))
    found = [bound for match in BOUND.finditer(text) if (bound := bound_of(match, text))]
    for match in OR_MORE.finditer(text):
        if not OF_TIME.match(match["noun"]):
            sign = ">=" if match["way"].lower() == "more" else "<="
            found.append(Bound(match.group(), sign, amount(match["n"]), noun=match["noun"].lower()))
    if GROUPED.search(text):
        found += [Bound(m.group(), "=", 0, noun=m["noun"].lower()) for m in NONE_OF.finditer(text)]
    return tuple(found)


def bound_of(match: re.Match[str], text: str) -> Bound | None:
    """One of them; none when it is a length of time that something lasts."""
    noun = (match["noun"] or "").lower()
    if OF_TIME.match(noun) or OF_TIME.match(text[match.end("n") :].lstrip()):
        return None
    sign = next(sign for i, sign in enumerate(SIGNS) if match[f"s{i}"])
    low = (match["unit"] or "").lower()
    money = "$" in match.group() or low == "usd" or low.startswith("dollar") or noun in {"usd", "dollar", "dollars"}
    unit = (
        "usd"
        if money
        else "%"
        if low in {"%", "percent"}
        else "ms"
        if low.startswith(("ms", "milli"))
        else "s"
        if low
        else ""
    )
    each = any(m.end() >= match.start() - 1 > m.start() for m in EACH.finditer(text[: match.start()]))
    known = noun if any(pattern.match(noun) for pattern, _, _ in COLUMN) else ""
    said = match.group() if known or not noun else match.group()[: match.start("noun") - match.start()]
    return Bound(said.strip(), sign, amount(match["n"]) * (1000 if match["k"] else 1), unit, known, each)


def amount(text: str) -> float:
    """``1,000`` -> 1000."""
    return float(text.replace(",", ""))


def plain(number: float) -> str:
    """A number as SQL text."""
    return f"{number:.10f}".rstrip("0").rstrip(".")


def of_requests(bound: Bound) -> str:
    """A bound on single requests; empty when it is none."""
    if not bound.each:
        return ""
    if bound.unit in {"ms", "s"}:
        return f"requests.latency_ms {bound.sign} {plain(bound.number * (1000 if bound.unit == 's' else 1))}"
    if bound.unit == "usd":
        return f"requests.cost_usd {bound.sign} {plain(bound.number)}"
    if bound.noun.startswith("token"):
        return f"requests.input_tokens + requests.output_tokens {bound.sign} {plain(bound.number)}"
    return ""


def of_groups(bound: Bound, measure: Measure) -> str:
    """A bound on what a measure comes to; empty when it does not say that."""
    number = bound.number
    if bound.unit in {"ms", "s"} or (not bound.unit and not bound.noun and measure.of.endswith("_ms")):
        number *= 1000 if bound.unit == "s" else 1
        expression = time_of(measure)
        return (
            f"{expression} {bound.sign} {plain(number)}" if expression and (bound.unit or number >= SURELY_MS) else ""
        )
    if bound.unit == "%":
        rate = next((e for e, name in measure.columns if name.endswith(("_rate", "_share"))), "")
        return f"{rate} {bound.sign} {plain(number / 100)}" if rate else ""
    if bound.unit == "usd":
        cost = next((e for e, name in measure.columns if name.endswith("_usd")), "")
        return f"{cost} {bound.sign} {plain(number)}" if cost else ""
    for pattern, name, expression in COLUMN:
        if bound.noun and pattern.match(bound.noun):
            own = next(
                (e for e, n in measure.columns if n == name or (name == "token_count" and n.endswith(name))), expression
            )
            return "" if measure.percentiles and name != "request_count" else f"{own} {bound.sign} {plain(number)}"
    if measure.percentiles or not measure.columns:
        return ""
    first, name = measure.columns[0]
    number /= 100 if name.endswith("_rate") and number > 1 else 1
    return f"{first} {bound.sign} {plain(number)}"


SURELY_MS = 20
"""A latency without a unit is of milliseconds, when it is not so few of them that seconds may be meant."""


def time_of(measure: Measure) -> str:
    """What a measure of time is told by, as SQL."""
    if measure.percentiles and measure.of.endswith("_ms"):
        return percentile(measure.percentiles[-1])
    return next((e for e, name in measure.columns if name.endswith("_ms")), "")


def with_latency(measure: Measure, bounds: Sequence[Bound]) -> Measure:
    """Latency where the bound is one of time and nothing else says what is counted."""
    timed = any(b.unit in {"ms", "s"} and not b.each for b in bounds)
    return LATENCY if timed and measure.names == ("request_count",) else measure
