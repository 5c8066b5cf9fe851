"""PURE. The words in which people ask about operations: states, spans, groups; and how a name stands in a text."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from collections.abc import Iterable, Mapping


def words(pattern: str) -> re.Pattern[str]:
    """Whole words, in any case."""
    return re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)


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
STATUS: Mapping[str, re.Pattern[str]] = {
    "timeout": words(r"time ?outs?|tim(?:ed|ing|es?) out|timeouts?"),
    "error": words(r"errors?|erroring|fail(?:s|ed|ing|ures?)?|5xx|50\d|exceptions?|rejected|broken"),
    "success": words(r"success\w*|succeed\w*|ok requests"),
}
GROUP = re.compile(
    r"\b(?:by|per|for each|for every|of each|each|across|between|which|what)\s+(?:the |all |our )?"
    r"(?P<group>tier|model|backend|deployment|user|task type|task|error code|status|experiment|router version|hour|day)s?\b",
    re.IGNORECASE,
)
HOURLY = words(r"hourly|(?:by|per|each|every) hour|hour by hour")
DAILY = words(r"daily(?! (?:budget|limit))|(?:by|per|each|every) day|day by day")


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
