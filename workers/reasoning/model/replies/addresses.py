"""Addresses in a model's claims: what leads elsewhere stands only where people asked for it, or where a system uses it.

A link in a document, a message, a label or a comment is somebody's word: the claim cites where it stands, and that is
one click away. A host in a setting, a log or a row is a fact, and is said; so is the number of a machine anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from workers.contracts import Evidence
from workers.grounding.known_names import unknown_specifics
from workers.language.normalization import normalise

LEADS = frozenset({"url", "domain", "address"})
RECORDS = frozenset({"log", "trace", "event", "flag", "row"})
"""Kinds of evidence whose texts are values that systems wrote."""
COMMENT = re.compile(r"(?:^|\s)(?:#|//|--|/\*|\*|<!--|;).*|^[+ \t-]{0,60}(?:\"\"\"|''').*", re.MULTILINE)
HUNK = re.compile(r"hunk_\d+_text")
NUMBER = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}\b")
BEFORE = r"(?:[a-z][a-z0-9+.-]*://)?(?:[^\s@\"']*@)?"
"""What may stand before a host in a setting: a scheme, and who is let in."""
LEFT_OUT = "[…]"


def without_leads(text: str, evidence: Sequence[Evidence], asked: str) -> str:
    """A claim's text without the addresses that evidence only tells of; what no evidence holds is struck later."""
    plain = normalise(text)
    odd = [address for address in unknown_specifics(plain, asked, LEADS) if not NUMBER.match(address)]
    if not odd:
        return text
    told = normalise("\n".join(text for item in evidence for text in texts_of(item))).lower()
    left_out = {a for a in odd if a.lower() in told and not any(uses(item, a) for item in evidence)}
    for address in sorted(left_out, key=len, reverse=True):
        plain = plain.replace(address, LEFT_OUT)
    return plain if left_out else text


def uses(item: Evidence, address: str) -> bool:
    """Whether a piece of evidence is from there, or shows a system that uses an address."""
    if address in {item.url, *(str(fact.value) for fact in item.facts.values() if fact.unit == "url")}:
        return True
    word = rf"{re.escape(address)}(?![\w-])"
    if item.kind in RECORDS:
        return any(re.search(rf"(?<![\w.@-]){word}", text, re.IGNORECASE) for text in texts_of(item))
    value = rf"(?:^[\s+-]*|[\"'`=]\s*|[:=]\s+){BEFORE}{word}(?!\s+\w)"
    return any(re.search(value, COMMENT.sub(" ", text), re.IGNORECASE | re.MULTILINE) for text in code_of(item))


def texts_of(item: Evidence) -> tuple[str, ...]:
    """All that it says."""
    return (item.title, item.locator, item.excerpt, *(str(fact.value) for fact in item.facts.values()))


def code_of(item: Evidence) -> Iterator[str]:
    """Its lines of code, of a change those that were changed."""
    if item.kind == "code":
        yield item.excerpt
    if item.kind == "change":
        yield from (str(fact.value) for name, fact in item.facts.items() if HUNK.fullmatch(name))
