"""The words in which people ask about operations: states, spans, groups; and how a name stands in a text."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from workers.grounding.lexicon import words

REQUEST_ID = re.compile(
    r"\breq(?:uest)?[-_](?=\w*\d)\w+(?:-\w+)*|"
    r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|"
    r"(?<=\brequest )(?:id )?[`\"#]?(?P<id>(?=[a-z_-]*\d)[\w-]{6,}|\d{2,5}\b(?!\s?(?:ms|s|sec|min|h|hour|day|%|per)))",
    re.IGNORECASE,
)
NAMED = re.compile(
    r"\b(?P<kind>model|backend|deployment|user|tenant|customer|account)(?: id)?[ :#]+[`\"“]?"
    r"(?P<name>[A-Za-z0-9][\w@.-]*(?:/[\w.-]+)?)"
)
KIND = {"tenant": "user", "customer": "user", "account": "user"}
TIER = re.compile(
    r"\b(?P<first>premium|standard|budget)(?:[- ]tier|[ -](?:users?|customers?|requests?|traffic|accounts?|tenants?))\b|"
    r"\btier[ :=]+[`\"]?(?P<last>premium|standard|budget)\b|\b(?P<alone>premium)\b",
    re.IGNORECASE,
)
BARE_TIER = words(r"premium|standard")
STATUS: Mapping[str, re.Pattern[str]] = {
    "timeout": words(r"time ?outs?|tim(?:ed|ing|es?) out|timeouts?"),
    "error": words(r"errors?|erroring|fail(?:s|ed|ing|ures?)?|5xx|50\d|exceptions?|rejected|broken"),
    "success": words(r"success\w*|succeed\w*|ok requests"),
}
NOUN = r"(?P<noun>error codes?|task types?|router versions?|users?|customers?|tiers?|models?|backends?|deployments?|tasks?|statuses|status|experiments?|regions?|providers?|days?|hours?(?: of (?:the )?day)?)"
"""What is told apart."""
GROUP = re.compile(
    rf"\b(?:by|per|for each|for every|of each|each|across|between|which|what)\s+(?:the |all |our )?{NOUN}\b",
    re.IGNORECASE,
)
NOW = re.compile(r"(?:right )?now|currently|at the moment|recently|lately|these days", re.IGNORECASE)
INCIDENT_ID = re.compile(
    r"\binc(?:ident)?(?:[-_]|\s?#|\s(?=\d{2}))?(?P<number>\d+)\b(?!\s?(?:[:%]|h\b|hours?|hrs?|d\b|days?|m\b|min|w\b|weeks?|months?|times))",
    re.IGNORECASE,
)
TASK = re.compile(
    r"\btask(?:[ _]type)?\s?(?:[:=]\s?[`\"“]?|[`\"“])(?P<last>[a-z]\w+)|"
    r"\b(?:on|for|of|in) (?:the )?task(?: type)? (?P<named>[a-z]\w{2,})|\b(?P<first>[a-z][\w-]{2,}?)[ -]tasks?\b",
    re.IGNORECASE,
)
NO_TASK = frozenset(
    """which what all the our any per by each every these those such other different most many some few for and long
    short slow slower slowest fast fastest failed failing successful big small same background batch single more less
    busiest top bottom worst best cheapest new old premium standard budget user compare between across task with are
    of in on to from type types is was were has have had does did do can will""".split()
)
"""Words before "tasks" that name none of them."""
PERCENTILE = re.compile(
    r"\bp(?P<short>\d{2}(?:\.?9)?)\b|\b(?P<long>\d{2}(?:\.9)?)(?:st|nd|rd|th) percentile\b|\bmedian\b", re.IGNORECASE
)
TABLES = r"(?:models|backends|deployments|tiers|users|deployment_state_current|requests|incidents|quality_scores)\b"
SQL_START = re.compile(r"(?:^|[`:\n])[ \t]*(?P<sql>(?P<with>with\s+\w+\s+as\s*\()[^`]*|select\b[^`]*)", re.IGNORECASE)
FROM_TABLE = re.compile(rf"\bfrom\s+[\"`]?(?:{TABLES}|\()", re.IGNORECASE)
FROM_ANY = re.compile(r"\bfrom\s+\w", re.IGNORECASE)
CALLED = re.compile(r"[*(]")
HOURLY = words(r"hourly|(?:by|per|each|every) hour|hour by hour")
DAILY = words(r"daily(?! (?:budget|limit))|(?:by|per|each|every) day|day by day")


def singular(noun: str) -> str:
    """A `NOUN` as one: ``Models`` -> ``model``."""
    low = noun.lower()
    if low.endswith("day") and " of " in low:
        return "hour of day"
    return "status" if low.startswith("status") else low.removesuffix("s")


def percentiles_of(text: str) -> tuple[str, ...]:
    """The percentiles that a question speaks of, as ``99`` or ``99.9``."""
    found = []
    for match in PERCENTILE.finditer(text):
        number = match["long"] or match["short"] or "50"
        found.append(f"{number[:2]}.9" if len(number) > 2 else number)
    return tuple(dict.fromkeys(found))


def typed_sql(text: str) -> str:
    """The query that stands in a question, as it is written; empty when it holds none.

    "select the best of …" is none: a query names a table that is there, or calls a function, or selects everything.
    """
    for match in SQL_START.finditer(text):
        sql = match["sql"]
        called = CALLED.search(sql)
        if match["with"] or FROM_TABLE.search(sql) or (called and FROM_ANY.search(sql, called.end())):
            return sql.strip().rstrip(";?").strip()
    return ""


def stands_in(name: str, text: str) -> re.Match[str] | None:
    """A name as a whole word of a text: "heron" is no part of "heron-mini"."""
    return re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w-]|[./]\w)", text, re.IGNORECASE)


def names_in(text: str, known: Iterable[str]) -> tuple[tuple[str, ...], str]:
    """The known names of a text in the order they stand there, and the text without them."""
    found: list[tuple[int, str]] = []
    for name in sorted(known, key=len, reverse=True):
        while match := stands_in(name, text):
            found.append((match.start(), name))
            text = text[: match.start()] + " " * len(match.group()) + text[match.end() :]
    return tuple(dict.fromkeys(name for _, name in sorted(found))), text
