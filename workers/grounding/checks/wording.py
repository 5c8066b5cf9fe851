"""Rules for the wording as a whole: every word is either checked, neutral, or shown by the evidence."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from workers.contracts import Evidence
from workers.grounding.checks.directions import WAYS
from workers.grounding.lexicon import (
    BACKWARD_CAUSE,
    BEFORE_LEAD,
    EVENTS,
    FORWARD_CAUSE,
    HEDGE,
    LOW,
    NOW_LEAD,
    PEAK,
    SLIGHTLY,
    TRANSITIVE,
)
from workers.grounding.neutral_words import IN_TEXTS, KNOWN, WORD
from workers.grounding.parsed_claim import Doubt, Reading
from workers.language.stems import stem
from workers.language.tokens import stems_in

CHECKED = (
    *WAYS, PEAK, LOW, HEDGE, SLIGHTLY, BACKWARD_CAUSE, FORWARD_CAUSE, TRANSITIVE, BEFORE_LEAD, NOW_LEAD,
    *(p for _, p in EVENTS),
)  # fmt: skip
TECHNICAL = frozenset({"code", "doc", "change"})
CONTRACTED = frozenset("s t d m re ve ll".split())


def check_words(reading: Reading) -> str:
    """A word that no rule knows and no cited evidence shows asserts something that was not checked."""
    unknown = [w for w in free_words(reading) if not is_known(w, reading)]
    if not unknown:
        return ""
    shown = frozenset().union(*(stems_of(texts(e)) for e in reading.cited))
    for word in unknown:
        if not shows(shown, stem(bare(word))):
            return Doubt(f"“{word}” is not in the cited evidence")
    return ""


def bare(word: str) -> str:
    """Lower case, without ``'s`` and ``n't``."""
    first, _, rest = word.lower().replace("’", "'").strip("'").partition("'")
    return first if rest in CONTRACTED | {""} else first + rest


def is_known(word: str, reading: Reading) -> bool:
    """Whether a word asserts nothing, or is a word of code or documents where such are cited."""
    plain = bare(word)
    if len(plain) < 2 or plain in KNOWN or stem(plain) in KNOWN:
        return True
    return (plain in IN_TEXTS or stem(plain) in IN_TEXTS) and any(e.kind in TECHNICAL for e in reading.cited)


def shows(shown: frozenset[str], root: str) -> bool:
    """Whether evidence has a word, or one that begins alike: "caller" and "calls", "authorisation" and "authorize"."""
    if root in shown:
        return True
    head = root[: max(4, (len(root) * 3 + 4) // 5)]
    return len(root) >= 4 and any(s.startswith(head) for s in shown)


def free_words(reading: Reading) -> Iterator[str]:
    """The words of a claim that belong to no specific, name none of the evidence, and that no rule reads."""
    chars = list(reading.text)
    spans = [(m.specific.start, m.specific.end) for m in reading.mentions]
    spans += [(x.start, x.end) for x in reading.labels]
    spans += [m.span() for p in CHECKED for m in p.finditer(reading.text)]
    for start, end in spans:
        chars[start:end] = " " * (end - start)
    yield from WORD.findall("".join(chars))


def texts(evidence: Evidence) -> str:
    """Everything that a piece of evidence shows, as one text."""
    facts = " ".join(f"{n} {f.value} {f.entity}" for n, f in evidence.facts.items())
    return f"{evidence.kind} {evidence.title} {evidence.locator} {evidence.url or ''} {evidence.excerpt} {facts}"


@lru_cache(maxsize=512)
def stems_of(text: str) -> frozenset[str]:
    """Stems of the words of a text, names of code taken apart."""
    return frozenset(stems_in(text))
