"""What a question leaves out by its name: "errors by model except heron-mini", "users who are not on premium"."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

Names = Mapping[str, tuple[str, ...]]
NEGATION = re.compile(
    r"\b(?P<lead>except(?:ing)?(?: for)?|excluding|exclude|without|other than|apart from|aside from|besides|ignoring|"
    r"ignore|leaving out|leave out|minus|but not|not|isn[’']t|aren[’']t)\b[\s:]*",
    re.IGNORECASE,
)
BETWEEN = re.compile(
    r"the|any|for|on|of|in|from|at|by|and|or|nor|users?|customers?|tiers?|models?|backends?|deployments?|tasks?|"
    r"requests?|traffic|[,&]",
    re.IGNORECASE,
)
"""What may stand between a negation and a name, and between names."""
CLOSES = re.compile(r"users?|customers?|tiers?|requests?|traffic|tasks?", re.IGNORECASE)
TIERS = frozenset({"premium", "standard", "budget"})


def left_out_of(text: str, read: Callable[[str], Names]) -> tuple[str, dict[str, tuple[str, ...]]]:
    """A text without what it leaves out, and the names of that, by kind."""
    excluded: dict[str, tuple[str, ...]] = {}
    for match in reversed(list(NEGATION.finditer(text))):
        said = names_after(text[match.end() :], match["lead"].lower(), read)
        if said:
            for kind, names in {**tiers_of(said), **read(said)}.items():
                excluded[kind] = tuple(dict.fromkeys((*names, *excluded.get(kind, ()))))
            text = f"{text[: match.start()]} {text[match.end() + len(said) :]}"
    return text, excluded


def names_after(text: str, lead: str, read: Callable[[str], Names]) -> str:
    """How much of a text behind a negation is names and what stands between them; empty when it names nothing."""
    last = end = 0
    for word in re.finditer(r"[\w@./-]*\w|[,&]", text):
        said = word.group()
        if text[end : word.start()].strip(' `"“”'):
            break
        named = bool(read(said)) or (said.lower() in TIERS and (said.lower() != "budget" or lead != "without"))
        if not named and not BETWEEN.fullmatch(said):
            break
        end = word.end()
        last = end if named or (last and CLOSES.fullmatch(said)) else last
    return text[:last]


def tiers_of(said: str) -> dict[str, tuple[str, ...]]:
    """The tiers among words that are left out."""
    found = tuple(word.lower() for word in re.findall(r"[a-z]+", said, re.IGNORECASE) if word.lower() in TIERS)
    return {"tier": found} if found else {}
