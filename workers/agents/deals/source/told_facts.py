"""What descriptions tell of deals that no field holds: who sold, how often the money came back, places and firms."""

from __future__ import annotations

import re
from functools import lru_cache

SELLERS = ("founder", "family", "corporate", "fund")
MULTIPLE = re.compile(
    r"(\d+(?:[.,]\d+)?)\s?(?:x\b|-?times\b|-?fold\b)(?!\s*(?:entry\s+)?(?:ebitda|sales|revenue))",
    re.IGNORECASE,
)
LOST = re.compile(
    r"\b(?:nothing came back|equity (?:was|is) (?:lost|wiped out)|lost (?:all|everything)|total loss|"
    r"wr(?:itten|ote) off|insolven|bankrupt)",
    re.IGNORECASE,
)
WORD = r"(?:[A-ZÀ-ÞĀ-Ž][\w'’-]{0,2}\.(?=\s+[A-ZÀ-Þ])|[A-ZÀ-ÞĀ-Ž][\w'’-]*)"
NAME = re.compile(rf"{WORD}(?:\s+(?:(?:&|of|the)\s+)?{WORD})*")
SENTENCE = re.compile(r"(?:^|[.;:!?]\s+)$")


@lru_cache(maxsize=100_000)
def multiple_in(text: str) -> float | None:
    """How often the money came back by the description of an exit; 0: all was lost; None: it does not say."""
    found = MULTIPLE.search(text)
    return float(found[1].replace(",", ".")) if found else 0.0 if LOST.search(text) else None


CORPORATE = re.compile(
    r"\bcarved? out|carve-out|\bspun? ?(?:out|off)|spin-off|"
    r"\b(?:unit|division|subsidiary|arm)\b.{0,60}\b(?:no longer|disposed|sold|hived|non-core)",
    re.IGNORECASE,
)
FUND = re.compile(
    r"\b(?:second(?:ary)?|tertiary|third) buyout|\bbuyout fund|private equity|financial sponsor", re.IGNORECASE
)
FAMILY = re.compile(
    r"\bfamily\b|\bheirs?\b|\bgrand(?:children|sons?|daughters?)|\b(?:sons?|daughters?|widow|cousins|brothers|siblings)\b",
    re.IGNORECASE,
)
FOUNDER = re.compile(r"\bfound(?:er|ers|ed)\b", re.IGNORECASE)


@lru_cache(maxsize=100_000)
def seller_in(text: str) -> str:
    """Who sold a company to us by its description, one of `SELLERS`; empty: it does not say."""
    for kind, form in (("corporate", CORPORATE), ("fund", FUND), ("founder", FOUNDER), ("family", FAMILY)):
        if form.search(text):
            return kind
    return ""


def names_in(text: str) -> list[str]:
    """The names in a description, in lower case: all words with a capital that stand together.

    “Kansas City” tells nothing of Kansas. A single word that begins a sentence is none.
    """
    found = [(m.group().strip().rstrip("."), text[: m.start()]) for m in NAME.finditer(text)]
    return [
        name.lower().removeprefix("the ")
        for name, before in found
        if len(name) > 1 and (" " in name or not SENTENCE.search(before))
    ]
