"""What a question says besides its subject: words it quotes, a value, what to do, that it is one at all."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workers.contracts import Intent, Landscape

QUOTED = re.compile(r"[\"“”„]([^\"“”„\n]{4,100})[\"“”]|(?<![\w])['‘]([^'’\n]{4,100})['’](?![\w])")
AMOUNT = re.compile(
    r"\bhow (?:long|many|much|often|big|large|high|low)\b|\bwie (?:lange|viele|oft|hoch|groß)\b", re.IGNORECASE
)
VALUE = re.compile(
    r"\b(?:values?|limits?|max\w*|min\w*|ttl|timeouts?|thresholds?|"
    r"retries|attempts|interval|default|port|slos?|slas?|objectives?|werte?|grenze)\b",
    re.IGNORECASE,
)
TO_DO = re.compile(
    r"\b(?:what|how) (?:do|should|can|must) (?:i|we)\b|\b(?:mean\w*|next|react|respond|handle)\b",
    re.IGNORECASE,
)
OVERVIEW = re.compile(
    r"\b(?:overview|big picture|architecture|put together|fits? together|(?:main|which|what) (?:parts|components))\b",
    re.IGNORECASE,
)
ASIDE = re.compile(r"\b(?:tests?|tested|testing|specs?|examples?|samples?|demos?|fixtures?|mock\w*)\b", re.IGNORECASE)
"""Speaks of what stands beside the code."""
ALERT_NAME = re.compile(r"[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+")
ASKING = re.compile(
    r"^\W*(?:(?:hey|so|and|but|ok|also|now)\W+)*(?:why|what|how|who|when|where|which|is|are|was|were|do|"
    r"does|did|can|has|have|should|show|tell|list|give|compare)\b",
    re.IGNORECASE,
)
YES_NO = re.compile(
    r"^\W*(?:(?:hey|so|and|but|ok|also|now|pls|please)\W+)*(?:is|are|was|were|do|does|did|can|could|has|have|"
    r"ist|sind|hat|haben|kann|können|wird|gibt es)\b(?! (?:you|someone|anyone)\b)",
    re.IGNORECASE,
)
FRAGMENT = re.compile(
    r"\W*(?:(?:and |but )?(?:only|just|without|by|per)|(?:and|same|but) (?:for|on|in|of|by|per|with))"
    r"(?: [^\s.]\S*(?<![.:;])){1,4}",
    re.IGNORECASE,
)
"""What somebody adds to a question before: "only premium", "and on west-edge"."""
LONGEST_ASKED = 300  # letters: a longer message that does not end with a question mark tells something


def questions_in(messages: Sequence[str]) -> list[str]:
    """Those messages of a thread that ask: by their question mark, by how they begin, or as a rest of a question."""
    return [
        m
        for m in messages
        if m.rstrip().endswith("?") or (len(m) < LONGEST_ASKED and ASKING.match(m)) or FRAGMENT.fullmatch(m)
    ]


def asks_overview(text: str) -> bool:
    """Whether it asks how the whole is made up."""
    return OVERVIEW.search(text) is not None


def asks_yes_no(text: str) -> bool:
    """Whether it is a question that yes or no answers, by how it begins; what asks for something else too is none."""
    first = re.split(r"(?<=[?!])\s|\n", text.strip())[0]
    return YES_NO.match(first) is not None and re.search(r"\b(?:why|where|or)\b", first, re.IGNORECASE) is None


def quoted_phrases(text: str) -> tuple[str, ...]:
    """Words in quotation marks, two at least: what somebody wrote or said."""
    found = (next(g for g in m.groups() if g).strip() for m in QUOTED.finditer(text))
    return tuple(dict.fromkeys(p for p in found if " " in p))[:2]


def asks_to_do(text: str) -> bool:
    """Whether it asks what to do about something, or what it means."""
    return TO_DO.search(text) is not None


def asks_value(text: str) -> bool:
    """Whether it asks for a value: a limit, a duration, a threshold."""
    return (AMOUNT.search(text) or VALUE.search(text)) is not None


def asks_aside(text: str) -> bool:
    """Whether it asks for tests or examples."""
    return ASIDE.search(text) is not None


def alert_in(intent: Intent, landscape: Landscape) -> str:
    """The alert that is asked about: a known one, else a name as alerts have; one that never fired is not known."""
    known = {a.lower(): a for a in landscape.alerts}
    named = [known[s.lower()] for s in intent.subjects if s.lower() in known]
    return next(iter([*named, *(s for s in intent.subjects if ALERT_NAME.fullmatch(s))]), "")
