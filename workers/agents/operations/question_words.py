"""The words in which people ask about operations: ids, states, groups, SQL; and how a name stands in a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import islice

from workers.grounding.lexicon import words

REQUEST_ID = re.compile(
    r"\breq(?:uest)?[-_](?=\w*\d)\w+(?:-\w+)*|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|"
    r"(?<=\brequest )(?:id )?[`\"#]?(?P<id>(?=[a-z_-]*\d)[\w-]{6,})",
    re.IGNORECASE,
)
INCIDENT_ID = re.compile(
    r"\binc(?:ident)?[-_ #]?(?P<number>\d+)\b(?!\s?(?:[:%]|h\b|hours?|d\b|days?|m\b|min|weeks?|months?|times))",
    re.IGNORECASE,
)
NAMED = re.compile(
    r"\b(?P<kind>model|backend|deployment|user|tenant|customer|account)(?: id)?[ :#]+[`\"“]?"
    r"(?P<name>[A-Za-z0-9][\w@.-]*(?:/[\w.-]+)?)"
)
KIND = {"tenant": "user", "customer": "user", "account": "user"}
TIER = re.compile(
    r"\b(?P<first>premium|standard|budget)[ -](?:tier|users?|customers?|requests?|traffic)\b|"
    r"\btier[ :=]+(?P<last>premium|standard|budget)\b|\b(?P<alone>premium)\b",
    re.IGNORECASE,
)
BARE_TIER = words(r"premium|standard")
STATUS: Mapping[str, re.Pattern[str]] = {
    "timeout": words(r"time ?outs?|tim(?:ed|ing|es?) out"),
    "error": words(r"errors?|erroring|fail(?:s|ed|ing|ures?)?|5xx|50\d|exceptions?|rejected"),
}
NOUN = (
    r"(?P<noun>error codes?|tasks?|users?|tiers?|models?|backends?|deployments?|regions?|providers?|days?|"
    r"hours?(?: of day)?)"
)
"""What is told apart."""
GROUP = re.compile(rf"\b(?:by|per|each|and|which|what|top \d+)\s+(?:the |all )?{NOUN}\b", re.IGNORECASE)
NOW = re.compile(r"(?:right )?now|currently|at the moment|recently|lately|these days", re.IGNORECASE)
TABLES = r"(?:models|backends|deployments|tiers|users|deployment_state_current|requests|incidents|quality_scores)\b"
SQL_START = re.compile(r"(?:^|[`:\n])[ \t]*(?P<sql>(?:with\s+\w+\s+as\s*\(|select\b)[^`]*)", re.IGNORECASE)
FROM_TABLE = re.compile(rf"\bfrom\s+[\"`]?(?:{TABLES}|\()", re.IGNORECASE)
FROM_ANY, CALLED = re.compile(r"\bfrom\s+\w", re.IGNORECASE), re.compile(r"[*(]")
MOST_STARTS = 20


def singular(noun: str) -> str:
    """A `NOUN` as one: ``Models`` -> ``model``."""
    low = noun.lower()
    if " of " in low:
        return "hour of day"
    low = "status" if low == "status" else low.removesuffix("s")
    return {"task type": "task", "customer": "user"}.get(low, low)


def typed_sql(text: str) -> str:
    """The query that stands in a question, as it is written; empty when it holds none."""
    for match in islice(SQL_START.finditer(text), MOST_STARTS):
        sql = match["sql"]
        called = CALLED.search(sql)
        if FROM_TABLE.search(sql) or (called and FROM_ANY.search(sql, called.end())):
            return sql.strip().rstrip(";?").strip()
    return ""


def names_in(text: str, known: Iterable[str]) -> tuple[tuple[str, ...], str]:
    """The known names of a text in the order they stand there, and the text without them."""
    found: list[tuple[int, str]] = []
    for name in sorted(known, key=len, reverse=True):
        whole = re.compile(rf"(?<![\w./-]){re.escape(name)}(?![\w-]|[./]\w)", re.IGNORECASE)
        while match := whole.search(text):
            found.append((match.start(), name))
            text = text[: match.start()] + " " * len(match.group()) + text[match.end() :]
    return tuple(dict.fromkeys(name for _, name in sorted(found))), text
