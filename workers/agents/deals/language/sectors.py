"""Which sectors of the records a question names: by their whole name, by a part of it, or by another word for that."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import yaml

from workers.agents.deals.language.terms import Token, tokens_of
from workers.language.nearest_names import nearest_names
from workers.language.stems import stem
from workers.sources.code.word_vectors import words as known_words

TRADES = Path(__file__).with_name("trades.yaml")
GENERAL = frozenset(
    map(stem, "services service business products technology other general niche group solutions and".split())
)
"""Words of names of sectors that tell nothing alone."""
SHORT, LONG, CLOSE = 2, 7, 85
Wholes = Mapping[tuple[str, ...], frozenset[int]]
Parts = Mapping[str, tuple[frozenset[int], frozenset[int]]]


@dataclass(frozen=True)
class SectorName:
    """Sectors, by their places in the records, that the tokens from ``first`` to before ``last`` name.

    ``part``: only by the noun that their names end with, such as the clinics of veterinary clinics. ``own``: in words
    of the names themselves, and not in others for the same.
    """

    sectors: frozenset[int]
    first: int
    last: int
    part: bool = False
    own: bool = True


@cache
def trades() -> dict[tuple[str, ...], str]:
    """Words for trades, as stems -> the trade."""
    return {stems(word): trade for trade, words in trade_words().items() for word in (trade, *words)}


def same_words(word: str) -> list[str]:
    """A word, and single words that stand for the same trade."""
    trade = trade_of(*stems(word))
    read: dict[str, list[str]] = trade_words()
    return [word, *(w for w in (trade, *read.get(trade, ())) if " " not in w and trade in read)]


@cache
def trade_words() -> dict[str, list[str]]:
    """Each trade with its other words."""
    read: dict[str, list[str]] = yaml.safe_load(TRADES.read_text(encoding="utf-8"))
    return read


def stems(text: str) -> tuple[str, ...]:
    """The stems of the words of a text."""
    return tuple(stem(t.word) for t in tokens_of(text))


def trade_of(*words: str) -> str:
    """What the stems of some words stand for: a trade, or themselves."""
    return trades().get(words, " ".join(words))


def sectors_in(text: str, tokens: Sequence[Token], names: Sequence[str]) -> list[SectorName]:
    """The sectors that a text names, none where a longer name of one stands."""
    said = [stem(t.word) for t in tokens]
    whole, parts = known_sectors(tuple(names))
    out, at = list[SectorName](), 0
    while at < len(said):
        for size in range(min(5, len(said) - at), 0, -1):
            words = tuple(said[at : at + size])
            trade = trade_of(*words) if size > 1 else known_trade(tokens[at].word, parts)
            if words in whole:
                out.append(SectorName(whole[words], at, at + size))
            elif trade in parts and is_word(text, tokens[at]):
                strong, weak = parts[trade]
                some = strong or weak
                literal = frozenset(i for i in some if words[0] in stems(names[i]))  # before other words for the same
                out.append(SectorName(literal or some, at, at + size, part=not strong, own=bool(literal)))
            else:
                continue
            at += size
            break
        else:
            at += 1
    return out


@lru_cache(maxsize=16)
def known_sectors(names: tuple[str, ...]) -> tuple[Wholes, Parts]:
    """The places of sectors in the records by the stems of their whole names; and by parts of those, see `parts_of`."""
    whole: dict[tuple[str, ...], set[int]] = {}
    for i, name in enumerate(names):
        whole.setdefault(stems(name), set()).add(i)
    return {words: frozenset(at) for words, at in whole.items()}, parts_of(names)


def known_trade(word: str, parts: Collection[str]) -> str:
    """What a word stands for among some trades; one that nobody writes stands for what is spelled nearly so."""
    trade = trade_of(stem(word))
    if trade in parts or len(word) < LONG or stem(word).encode() in known_words().numbers:
        return trade
    spelled = {w: t for t in parts for w in (t, *trade_words().get(t, ()))}
    near = nearest_names((word,), spelled, limit=1, least=CLOSE)
    return spelled[near[0]] if near else trade


def is_word(text: str, token: Token) -> bool:
    """Whether a token can name something: one of two letters only in capitals."""
    return token.end - token.start > SHORT or text[token.start : token.end].isupper()


def parts_of(names: Sequence[str]) -> Parts:
    """Trades and words in names of sectors -> the sectors that they tell apart, and those that only end with them."""
    strong: dict[str, set[int]] = {}
    weak: dict[str, set[int]] = {}
    for i, name in enumerate(names):
        words = stems(name)
        listed = "&" in name or "and" in words
        for place, word in enumerate(words):
            if word not in GENERAL:
                ends = place == len(words) - 1 and place > 0 and not listed
                (weak if ends else strong).setdefault(trade_of(word), set()).add(i)
    return {w: (frozenset(strong.get(w, ())), frozenset(weak.get(w, ()))) for w in dict.fromkeys((*strong, *weak))}
