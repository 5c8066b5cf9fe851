"""Rules for words that reassure or order: that all is well must be measured, and an order needs a source."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re

from workers.grounding.health import active, all_clear, find_trouble, no_incident
from workers.grounding.lexicon import HEALTH
from workers.grounding.parsed_claim import Reading, sentence_around
from workers.language.unsafe_requests import ACT, NOUN, WEAK

ALL_WELL = re.compile(
    r"\b(?:(?:all|every ?thing|it all|all systems?|the (?:whole )?system) (?:is |are |looks? |seems? |appears? )+(?:to be )?(?:all |perfectly )?"
    r"(?:good|well|fine|ok(?:ay)?|clear|green|normal|healthy|quiet|safe|stable|nominal|in order)|"
    r"nothing (?:is |looks |seems |was )?(?:wrong|broken|amiss|to worry about|to do)(?! with)|"
    r"there (?:is|are|was|were) no (?:\w+ )?(?:problems?|issues?|incidents?|trouble|outages?|cause for (?:concern|alarm))|"
    r"no (?:further )?action (?:is |was )?(?:needed|required|necessary)|no need to (?:worry|act|do anything)|"
    r"(?:is|are|was|were) (?:only |just |pure |mere )*(?:noise|a false alarm|false alarms)|(?:can|may|should) (?:be )?(?:safely )?(?:be )?(?:ignored?|disregarded?)|"
    r"nothing (?:needs|has) to be done|all[- ]clear|no problems?|every ?thing works|nothing (?:is|was|seems|looks) down)\b",
    re.IGNORECASE,
)
ORDERS = re.compile(
    r"(?:^\W*|[.!?;:,–—-]\s+|\b(?:please|then|and|so|now|also|just|kindly|you (?:should|must|can|need to|have to)|should|must|let[’']?s)\s+)"
    rf"(?:{ACT}|{WEAK}|turn|switch|shut|ignore|skip|click|open|visit|go to|call|contact|install|download|paste|type|enter|employ|append|"
    rf"write|tell|reply|post|log ?in|sign in|use|copy|put|forward|upload|pull|unplug|unlock|allow|bypass){NOUN}\b(?=\s+\S)"
    r"(?!(?:[^.!?;]|\.\d)*\b(?:is|was|were|are|has|have|had|could|did|does|not|no|un\w+)\b)",
    re.IGNORECASE,
)
NO_INCIDENT = re.compile(r"there (?:is|are) no (?:\w+ )?incidents?", re.IGNORECASE)
STATED = frozenset({"alert", "incident", "row", "message"})
RETOLD = frozenset({"doc", "code", "change"})


def check_assurance(reading: Reading) -> str:
    """That something is well needs a value beside it, the state of an alert, or a text that says so of its own."""
    prose = reading.unquoted()
    if (found := ALL_WELL.search(prose)) and not is_checked(found.group(), reading):
        return f"“{found.group()}” is more than any evidence shows"
    shown = " ".join(f"{e.title} {e.excerpt}" for e in reading.cited if e.kind in RETOLD).lower()
    for match in HEALTH.finditer(prose):
        word = match.group().lower()
        start, end = sentence_around(reading.text, match.start())
        valued = any(m.refs and start <= m.specific.start < end for m in reading.values())
        settled = any(e.kind in STATED for e in reading.cited) and ("resolved" in word or word.startswith("no "))
        if not valued and not settled and word not in shown:
            return f"“{match.group()}” is not shown by a value"
    return ""


def is_checked(said: str, reading: Reading) -> bool:
    """Whether incidents and health were both looked at and are well; incidents alone for "there are no incidents".

    Both are cited, and nothing else that the request's tools returned speaks against it.
    """
    if NO_INCIDENT.fullmatch(said):
        return no_incident(reading.cited) and not any(active(reading.request))
    return all_clear(reading.cited) and not find_trouble(reading.request)


def orders(text: str) -> int:
    """How often a text tells its reader to do something."""
    return sum(1 for _ in ORDERS.finditer(text))
