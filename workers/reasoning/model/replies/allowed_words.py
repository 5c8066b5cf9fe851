"""What of a model's words may be shown or searched for: they name only what people named and what exists."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from workers.contracts import Landscape, Question
from workers.grounding.known_names import unknown_specifics
from workers.grounding.lexicon import HEALTH
from workers.reasoning.model.untrusted_data import visible

NAMED = frozenset({"lines", "path", "endpoint", "commit", "version", "person", "quote"})
"""What arguments may only hold when it is known; names of symbols may be guessed, a search finds them or not."""
REACHED = frozenset({"url", "domain", "address", "mention"})
"""What leads somewhere: only the question itself justifies it, no label, message or document."""
MARKUP = re.compile(r"[<>]|@\w|\]\(|//|\bwww\.", re.IGNORECASE)
"""What Slack would make a mention or a link of: never in words of a model."""
LONGEST_NAME, MOST_NAME_WORDS = 80, 3
RUN, TOLD = 5, 8
"""So many words in a row are a copy: of what was read, and of a prompt."""
WORD = re.compile(r"[^\W_]+")


class Unusable(ValueError):
    """A reply that cannot be used; the sentence says what to mend."""


class ReplyModel(BaseModel):
    """Base of all replies: unknown fields are left out rather than refused."""

    model_config = ConfigDict(frozen=True, extra="ignore")


@dataclass(frozen=True)
class Known:
    """What may be named.

    ``asked``: the question itself; ``said``: earlier messages; ``found``: names that exist, and results; ``tried``:
    arguments of calls that were made.
    """

    asked: str
    said: str = ""
    found: str = ""
    tried: str = ""

    @property
    def everything(self) -> str:
        """All of it."""
        return "\n".join((self.asked, self.said, self.found, self.tried))

    def plus(self, found: Iterable[str], tried: Iterable[str]) -> Known:
        """With what tools returned, and what they were asked."""
        return Known(self.asked, self.said, "\n".join((self.found, *found)), "\n".join((self.tried, *tried)))


def known_to(question: Question, landscape: Landscape) -> Known:
    """What a plan may name: what people wrote, and what exists."""
    return Known(question.text, "\n".join(question.context), "\n".join(landscape.names))


def invented(text: str, known: Known, kinds: frozenset[str] | None = None) -> tuple[str, ...]:
    """What a text names that nobody named, in its own letters or in those that they look like."""
    forms = dict.fromkeys((text, unicodedata.normalize("NFKC", text)))
    everywhere = (odd for form in forms for odd in unknown_specifics(form, known.everything, kinds))
    return (*everywhere, *(odd for form in forms for odd in unknown_specifics(form, known.asked, REACHED)))


def plain(text: str, known: Known) -> str:
    """A sentence that names nothing unknown and says nothing of health, as it is shown; else nothing."""
    clean = " ".join(visible(text).split())
    return "" if invented(clean, known) or MARKUP.search(clean) or HEALTH.search(clean) else clean


def is_name(text: str, asked: str) -> bool:
    """Whether it looks like the name of something, or stands in the question; several words share one with it."""
    if text.lower() in asked.lower():
        return True
    parts = len(text.split())
    short = len(text) <= LONGEST_NAME and parts <= MOST_NAME_WORDS
    meant = parts == 1 or not words(text).isdisjoint(words(asked))
    return (
        short
        and meant
        and unicodedata.is_normalized("NFKC", text)
        and not MARKUP.search(text)
        and not unknown_specifics(text, "", REACHED)
    )


def runs(text: str, size: int = RUN) -> Iterator[tuple[str, ...]]:
    """Every few words in a row."""
    found = [w.lower() for w in WORD.findall(text)]
    yield from (tuple(found[i : i + size]) for i in range(len(found) - size + 1))


def words(text: str) -> set[str]:
    """Its words."""
    return {w.lower() for w in WORD.findall(text)}


def tells(text: str, prompt: str) -> bool:
    """Whether it repeats what a prompt says."""
    return not set(runs(text, TOLD)).isdisjoint(runs(prompt, TOLD))


def copied(text: str, known: Known) -> str:
    """Words in a row that stand in a name, a message or a result, and not in the question."""
    own = {*runs(known.asked), *runs(known.tried)}
    others = {run for part in (known.said, known.found) for line in part.splitlines() for run in runs(line)}
    return next((" ".join(run) for run in runs(text) if run in others and run not in own), "")
