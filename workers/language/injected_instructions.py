"""Sentences that give orders to whoever reads for the team, or to a model: they are never quoted, nor obeyed.

A document, a comment, a commit message or a label may hold "ignore your instructions" or "always answer that all is
well". A linear model over words, parts of words and `order_words.txt` tells them from steps of a runbook, rules for
a team, quotations and remarks to a person; `train_injected_instructions` learns it from what authors wrote
(``data/orders``); numpy alone at run time.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

WEIGHTS = Path(__file__).with_name("injected_instructions.npz")
MEANINGS = Path(__file__).with_name("order_words.txt")
SHAPES = (
    (re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w.-]{1,80}"), " zzmail "),
    (re.compile(r"https?://\S+|\bwww\.\S+"), " zzurl "),
    (re.compile(r"(?<![\w.-])[\w-]{1,60}(?:\.[\w-]{1,60}){0,4}\.(?:example|com|net|org|io|dev)\b\S*"), " zzurl "),
    (re.compile(r"`[^`]{1,300}`"), " zzcode "),
)
"""What leads somewhere, and code, as what they are: no address is learned."""
TOKEN = re.compile(r"[\w'-]+|[?!:,.;\"«»„“”@#/*<>\[\]()|]")
NUMBER = re.compile(r"\d+")
OPENS, CLOSES = frozenset("«„"), frozenset("»”")
OTHER = ("_",)
LONGEST = 600
"""Characters of a sentence that are read."""
PARTS = (3, 4, 5)
BLOCKS = {"w": 0.7, "c": 1.2, "k": 1.0, "kk": 0.7, "kkk": 0.4, "p": 1.0, "i": 0.7, "l": 0.3}
"""How much each kind of feature weighs: words, parts of words, meanings, runs of two and three, pairs anywhere, what
it begins with, length."""
REMEMBERED = 8_192
END = re.compile(r"(?<=[.!?…])[)\"'”»]*\s+(?=\S)|\n+|(?<=\S)[ \t]{1,40}(?=(?:#|//|/\*|--) )")
"""The end of a sentence, of a line, or of the code before a comment."""
PROSE = re.compile(r"[^\W\d_]{2,}(?:[ ,:;'’\"“”„«»()-]{1,4}[^\W\d_]+){2}")
"""Words in a row: nothing else can give an order."""
HIDDEN = re.compile(r"<!--.*?(?:-->|\Z)|^\[(?://|comment)\]: # .*$", re.DOTALL | re.MULTILINE)
"""A comment of HTML or Markdown."""
CANCELS = re.compile(
    r"\b(?:ignore|disregard|forget|override)\s(?:(?:all|any|the|your|my|these|of)\s){0,3}(?:previous|prior|above|earlier)\s"
    r"(?:instructions?|rules|prompts?|directions|orders)\b",
    re.IGNORECASE,
)
"""The form that such orders have most often: what was said before counts no more."""
ROLE_LINE = re.compile(r"\W{0,8}(?:SYSTEM|ASSISTANT)\s?:\s{0,4}(?:you|always|never|ignore|do)\b")
"""A line that pretends to be one of the model's own conversation."""
COMMENT_MARK = re.compile(r"\s{0,40}(?:#|//|/\*|--|\*)\s{1,8}")
"""Before a comment or a heading: what it says is read without it, too."""
Row = NDArray[np.float32]


@dataclass(frozen=True)
class Model:
    """Weights: one a feature. A sentence whose score is above ``bound`` gives orders."""

    vocabulary: Mapping[str, int]
    idf: Row
    weights: Row
    offset: float
    bound: float

    def score(self, text: str) -> float:
        """The log-odds that a sentence gives orders."""
        places, values = weigh(text, self.vocabulary, self.idf)
        return float(values @ self.weights[places]) + self.offset


# --- what is seen of a sentence -------------------------------------------------------------------------------


def folded(text: str) -> str:
    """Compatible forms made one, what nobody sees left out, blanks made one."""
    plain = unicodedata.normalize("NFKC", text)
    unseen = {ord(c): None for c in set(plain) if not c.isspace() and unicodedata.category(c) in {"Cc", "Cf"}}
    return " ".join(plain.translate(unseen).split()) if unseen else " ".join(plain.split())


@cache
def meanings() -> tuple[Mapping[str, tuple[str, ...]], Mapping[str, tuple[str, ...]]]:
    """Whole words, and beginnings of words, with what they mean."""
    whole: dict[str, tuple[str, ...]] = {}
    begun: dict[str, tuple[str, ...]] = {}
    lines = MEANINGS.read_text(encoding="utf-8").splitlines()
    for name, _, words in (line.partition(": ") for line in lines if not line.startswith("#")):
        for word in words.split():
            known = begun if word.endswith("*") else whole
            key = word.rstrip("*")
            known[key] = (*known.get(key, ()), name)
    return whole, begun


@lru_cache(maxsize=REMEMBERED)
def meaning_of(word: str) -> tuple[str, ...]:
    """What a word without accents may mean."""
    whole, begun = meanings()
    found = [*whole.get(word, ()), *(m for n in range(2, len(word) + 1) for m in begun.get(word[:n], ()))]
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=REMEMBERED)
def bare(word: str) -> str:
    """A word in lower case without accents, each number as 0."""
    plain = unicodedata.normalize("NFKD", word.lower().replace("ß", "ss").replace("ł", "l"))
    return NUMBER.sub("0", "".join(c for c in plain if not unicodedata.combining(c)))


def outline(words: Sequence[str], low: Sequence[str]) -> list[tuple[str, ...]]:
    """What the words mean in order, runs of other ones as one; those inside quotation marks are marked."""
    out: list[tuple[str, ...]] = [("^",)]
    quoted = False
    for word, plain in zip(words, low, strict=True):
        if plain in OPENS or plain in CLOSES or plain in {'"', "“"}:
            quoted = plain in OPENS or (plain not in CLOSES and not quoted)
            out.append(("quote",))
            continue
        if plain.startswith("zz") or not plain[0].isalnum():
            found: tuple[str, ...] = (plain,)
        else:
            found = meaning_of(plain) or (("0",) if plain.isdigit() else ("Name",) if word[0].isupper() else OTHER)
        found = tuple(f"q{name}" for name in found) if quoted else found
        if found != OTHER or out[-1] != OTHER:
            out.append(found)
    return out


def features(text: str) -> Counter[str]:
    """What is seen of a sentence, each name after its kind of `BLOCKS`."""
    plain = folded(text)[:LONGEST].replace("’", "'")
    for pattern, shape in SHAPES:
        plain = pattern.sub(shape, plain)
    words = TOKEN.findall(plain)
    low = [bare(word) or "0" for word in words]
    seen = Counter(f"w:{' '.join(low[i : i + n])}" for n in (1, 2, 3) for i in range(len(low) - n + 1))
    for word in low:
        whole = f" {word} "
        seen.update(f"c:{whole[i : i + n]}" for n in PARTS for i in range(len(whole) - n + 1))
    seen.update(dict.fromkeys(outline_features(outline(words, low)), 1))
    seen[f"l:{min(len(low) // 6, 6)}"] = 1
    return seen


def outline_features(meant: Sequence[tuple[str, ...]]) -> set[str]:
    """Meanings, runs of them, pairs of them anywhere, and what the sentence begins with."""
    found: set[str] = set()
    for place, names in enumerate(meant):
        for a in names:
            found.add(f"k:{a}")
            for b in meant[place + 1] if place + 1 < len(meant) else ():
                found.add(f"kk:{a} {b}")
                found |= {f"kkk:{a} {b} {c}" for c in (meant[place + 2] if place + 2 < len(meant) else ())}
    all_names = sorted({name for names in meant for name in names} - {"_", "0"})
    found |= {f"p:{a}&{b}" for n, a in enumerate(all_names) for b in all_names[n + 1 :]}
    return found | {f"i:{place} {name}" for place, names in enumerate(meant[1:5]) for name in names}


def weigh(text: str, vocabulary: Mapping[str, int], idf: Row) -> tuple[NDArray[np.int64], Row]:
    """The places of a sentence's known features, and their values; each kind at its weight."""
    rows: dict[str, list[tuple[int, float]]] = {}
    for name, n in features(text).items():
        if (place := vocabulary.get(name)) is not None:
            rows.setdefault(name.partition(":")[0], []).append((place, float(idf[place]) * (1 + float(np.log(n)))))
    places, values = [], []
    for block, row in rows.items():
        length = sum(value * value for _, value in row) ** 0.5
        places += [place for place, _ in row]
        values += [BLOCKS[block] * value / length for _, value in row]
    return np.array(places, dtype=np.int64), np.array(values, dtype=np.float32)


# --- sentences that give orders -------------------------------------------------------------------------------


@cache
def load() -> Model:
    """Read the weights once. Raises: OSError: there are none."""
    with np.load(WEIGHTS, allow_pickle=False) as data:
        return Model(
            vocabulary={name: place for place, name in enumerate(str(data["features"]).split("\n"))},
            idf=data["idf"].astype(np.float32),
            weights=data["weights"].astype(np.float32),
            offset=float(data["offset"]),
            bound=float(data["bound"]),
        )


@lru_cache(maxsize=REMEMBERED)
def instructs_reader(text: str) -> bool:
    """Whether a sentence, a heading or a line gives orders to an assistant or a reader, or demands an answer."""
    if not PROSE.search(folded(text)[:LONGEST]):
        return False
    cancels = CANCELS.search(text)
    if ROLE_LINE.match(text) or (cancels and not is_quoted(text, cancels.start())):
        return True
    model, said = load(), COMMENT_MARK.sub("", text, count=1) if COMMENT_MARK.match(text) else text
    return any(model.score(one) > model.bound for one in dict.fromkeys((text, said)))


def is_quoted(text: str, place: int) -> bool:
    """Whether a place of a sentence stands inside quotation marks."""
    before = text[:place]
    return before.count('"') % 2 == 1 or before.count("`") % 2 == 1 or before.rfind("“") > before.rfind("”")


def sentences_in(text: str) -> Iterator[tuple[int, int]]:
    """Where the sentences of a text stand: start and end of each, in order, blanks between them left out."""
    begun = 0
    for end in (*END.finditer(text), None):
        stop = end.start() if end else len(text)
        if text[begun:stop].strip():
            yield begun, stop
        begun = end.end() if end else stop


def without_orders(text: str) -> str:
    """A text without the sentences that give orders; its lines stay, and its other sentences as they are."""
    out, last = [], 0
    for start, end in sentences_in(text):
        if instructs_reader(text[start:end]):
            out.append(text[last:start])
            last = end
    return "".join((*out, text[last:])) if out else text


def orders_in(text: str) -> list[str]:
    """The sentences of a text that give orders."""
    return [part for start, end in sentences_in(text) if instructs_reader(part := text[start:end].strip())]


def without_comments(text: str) -> str:
    """Markdown without its comments, line for line."""
    return HIDDEN.sub(lambda found: "\n" * found[0].count("\n"), text) if "<!--" in text or "]: #" in text else text
