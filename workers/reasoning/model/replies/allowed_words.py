"""What of a model's words may be shown unchecked: they name only what people named, what exists, and what was found."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from workers.contracts import Landscape, Question
from workers.grounding.known_names import unknown_specifics
from workers.grounding.lexicon import HEALTH
from workers.grounding.uncited_text import orders
from workers.language.injected_instructions import instructs_reader
from workers.reasoning.model.untrusted_data import visible

REACHED = frozenset({"url", "domain", "address", "mention"})
"""What leads somewhere: only the question itself justifies it, no label, message or document."""
MARKUP = re.compile(r"[<>]|@\w|\]\(|//|\bwww\.", re.IGNORECASE)
"""What Slack would make a mention or a link of: never in words of a model."""
TOLD = 8
"""So many words in a row of a prompt are a copy of it."""
WORD = re.compile(r"[^\W_]+")


class Unusable(ValueError):
    """A reply that cannot be used; the sentence says what to mend."""


class ReplyModel(BaseModel):
    """Base of all replies: unknown fields are left out rather than refused."""

    model_config = ConfigDict(frozen=True, extra="ignore")


@dataclass(frozen=True)
class Known:
    """What may be named. ``asked``: the question itself; ``told``: earlier messages, names that exist, results."""

    asked: str
    told: str = ""

    def plus(self, found: Iterable[str]) -> Known:
        """With what tools returned."""
        return Known(self.asked, "\n".join((self.told, *found)))


def known_to(question: Question, landscape: Landscape) -> Known:
    """What people wrote, and what exists."""
    return Known(question.text, "\n".join((*question.context, *landscape.names)))


def invented(text: str, known: Known) -> tuple[str, ...]:
    """What a text names that nobody named, in its own letters or in those that they look like."""
    everything = f"{known.asked}\n{known.told}"
    forms = dict.fromkeys((text, unicodedata.normalize("NFKC", text)))
    everywhere = (odd for form in forms for odd in unknown_specifics(form, everything))
    return (*everywhere, *(odd for form in forms for odd in unknown_specifics(form, known.asked, REACHED)))


def plain(text: str, known: Known) -> str:
    """A sentence that names nothing unknown, says nothing of health and obeys nobody, as it is shown; else nothing."""
    clean = " ".join(visible(text).split())
    odd = invented(clean, known) or MARKUP.search(clean) or HEALTH.search(clean) or instructs_reader(clean)
    return "" if odd else clean


def steers(text: str) -> bool:
    """Whether a text reassures its reader, or tells them what to do."""
    return bool(HEALTH.search(text)) or orders(text)


def words(text: str) -> set[str]:
    """Its words."""
    return {w.lower() for w in WORD.findall(text)}


def runs(text: str) -> Iterator[tuple[str, ...]]:
    """Every few words in a row."""
    found = [w.lower() for w in WORD.findall(text)]
    yield from (tuple(found[i : i + TOLD]) for i in range(len(found) - TOLD + 1))


def tells(text: str, prompt: str) -> bool:
    """Whether it repeats what a prompt says."""
    return not told_runs(prompt).isdisjoint(runs(text))


@lru_cache(4)
def told_runs(prompt: str) -> frozenset[tuple[str, ...]]:
    """Every few words in a row of a prompt, which all claims of an answer are held to."""
    return frozenset(runs(prompt))
