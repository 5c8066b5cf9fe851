"""A summary of texts in their own sentences: those that hold names, numbers and decisions, as many as fit. PURE."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from workers.language.stop_words import STOP_WORDS
from workers.language.token_count import count_tokens
from workers.language.tokens import stems_in

SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"'(“]?[A-Z0-9])|\n+")
NUMBER = re.compile(r"\d")
NAME = re.compile(r"(?<!^)(?<![.!?] )\b[A-Z][\w-]{1,40}|[\w-]{1,60}[._/][\w./-]{2,60}|`[^`\n]{1,80}`")
DECIDED = frozenset(
    stem for word in ("decide", "agree", "choose", "approve", "deadline", "must") for stem in stems_in(word)
)
SHORTEST, LONGEST = 12, 600
ALIKE = 0.7
"""Two sentences that share so much of their words say the same."""
FIRST_SHARE = 0.4
"""So much of the room is for what an earlier summary kept, so that the oldest facts are not the first to go."""


@dataclass(frozen=True)
class Sentence:
    """One sentence, and the text that it stands in."""

    text: str
    place: int
    stems: frozenset[str]

    @property
    def tokens(self) -> int:
        """Its length."""
        return count_tokens(self.text) + 1


def extract(texts: Sequence[str], most_tokens: int, earlier: str = "") -> str:
    """The sentences that say most, in their order, within so many tokens.

    Args:
        texts: oldest first.
        most_tokens: room for the summary.
        earlier: a summary of what came before the texts; a part of the room is kept for it.
    """
    kept = best_sentences([earlier], int(most_tokens * FIRST_SHARE)) if earlier else []
    room = most_tokens - sum(sentence.tokens for sentence in kept)
    fresh = best_sentences(texts, room, kept)
    return "\n".join(sentence.text for sentence in (*kept, *fresh))


def best_sentences(texts: Sequence[str], most_tokens: int, known: Sequence[Sentence] = ()) -> list[Sentence]:
    """Sentences by what they say for their length, none twice, in their order."""
    sentences = [one for place, text in enumerate(texts) for one in split(text, place)]
    common = Counter(stem for one in sentences for stem in one.stems)
    ranked = sorted(sentences, key=lambda one: -worth(one, common, len(sentences)))
    chosen: list[Sentence] = []
    room = most_tokens
    for one in ranked:
        if one.tokens <= room and not any(alike(one, other) for other in (*known, *chosen)):
            chosen.append(one)
            room -= one.tokens
    order = {id(one): number for number, one in enumerate(sentences)}
    return sorted(chosen, key=lambda one: order[id(one)])


def split(text: str, place: int) -> list[Sentence]:
    """The sentences of a text; very short ones say nothing, very long ones are cut."""
    parts = (" ".join(part.split())[:LONGEST] for part in SENTENCE.split(text))
    return [Sentence(part, place, frozenset(stems_in(part) - STOP_WORDS)) for part in parts if len(part) >= SHORTEST]


def worth(sentence: Sentence, common: Counter[str], of: int) -> float:
    """How much a sentence says for its length: numbers, names, decisions, words that few others have."""
    rare = sum(1.0 - common[stem] / of for stem in sentence.stems)
    told = 2.0 * bool(NUMBER.search(sentence.text)) + min(3, len(NAME.findall(sentence.text)))
    told += 3.0 * bool(sentence.stems & DECIDED) - 2.0 * sentence.text.endswith("?")
    return (told + rare) / (8.0 + sentence.tokens)


def alike(one: Sentence, other: Sentence) -> bool:
    """Whether two sentences say about the same."""
    if one.text == other.text:
        return True
    smaller = min(len(one.stems), len(other.stems))
    numbers = NUMBER.search(one.text) or NUMBER.search(other.text)
    return bool(smaller) and not numbers and len(one.stems & other.stems) / smaller > ALIKE
