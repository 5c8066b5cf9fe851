"""Secrets that people tell in a sentence: "the wifi at the cabin is still grandpas-old-boat", "pw: tulip44".

Each word of a line that speaks of secrets is judged by a linear model over its shape and the words around it, learned
by `train_told_secrets` from what independent authors wrote (``data/secrets``); numpy alone at run time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

WEIGHTS = Path(__file__).with_name("told_secrets.npz")
SPEAKS_OF = re.compile(
    r"pass|code|códig|token|secret|cred|phrase|combi|kennw|zugang|geheim|schlüssel|contrase|clave|usuario|identifiant"
    r"|log[- ]?in|log on|(?:un)?lock|mot d|mot conv|wi-?fi|wlan|caja fuerte|coffre|tresor|account|konto|cuenta|compte"
    r"|prompt|door|opens? with|authenticator|\b(?:p(?:wd?s?|in)|otp|mdp|cl[eé]f?|puk|safe|root|keys?|gate|enter)\b"
    r"|\b(?:alarm|admin)",
    re.IGNORECASE,
)
"""What a line speaks of that may tell a secret; no other line is looked at."""
CODE = re.compile(r"[{}]|\w\(\w*\)|;\s*$|\s[=!:]=|^\s*(?:#!|//|\$ |(?:return|import|from|def|class)\b)")
"""Lines of programs, which have rules of their own."""
WORD = re.compile(r"[^\s\"'`“”„‘’«»,;<>()\[\]{}|*]+")
END = re.compile(r"[.?!:…]+$")
LETTERS, DIGITS = re.compile(r"[^\W\d_]"), re.compile(r"\d")
MARKUP = re.compile(r"<[^<>\s][^<>]{0,300}>|(?<!\w)@[A-Za-z][\w.-]*(?=[\s,;:!?)]|$)")
"""Mentions and links, which are no secrets."""
LONGEST_LINE, LONGEST = 500, 200
"""Characters of a line that is read at once, and of a word."""
SURE, BESIDE = 0.5, 0.3
"""A word is a secret from here on; a word next to one from there on."""
NEAR = 4


@dataclass(frozen=True)
class Word:
    """A word of a line, where it stands, and what is written around it."""

    text: str
    start: int
    before: str
    after: str

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)


def words_of(line: str) -> list[Word]:
    """The words of a line; ``user/secret`` and ``user:secret`` are two, a full stop at the end is none of it."""
    found: list[Word] = []
    for match in WORD.finditer(line):
        parts = [(match.start(), match[0])]
        if pair := re.fullmatch(r"([\w.@-]{2,40})([:/])([^/:\s]{3,})", match[0]):
            parts = [(match.start(), pair[1]), (match.start() + pair.start(3), pair[3])]
        for start, text in parts:
            bare = (
                text
                if re.search(r"[a-z]\d*!$", text) and len(text) > 7 and re.search(r"\d|[A-Z]", text)
                else END.sub("", text)
            )
            if bare and len(bare) <= LONGEST:
                end = start + len(bare)
                found.append(Word(bare, start, line[max(start - 2, 0) : start], line[end : end + 2]))
    return found


def shape_of(text: str) -> str:
    """``Zk7!pw`` as ``Aa0!a``."""
    kinds = [
        "0" if c.isdigit() else "A" if c.isupper() else "a" if c.isalpha() else c if c in "-_./@:#%" else "!"
        for c in text
    ]
    return "".join(c for n, c in enumerate(kinds) if n == 0 or kinds[n - 1] != c)[:8]


def features(words: Sequence[Word], place: int, line: str) -> Iterator[str]:
    """What is seen of a word."""
    word = words[place]
    low, shape = word.text.lower(), shape_of(word.text)
    size = min(len(word.text), 12)
    digit, letter = bool(DIGITS.search(word.text)), bool(LETTERS.search(word.text))
    signs = bool(re.search(r"[!@#$%^&*+=~?_-]", word.text))
    kind = f"{'d' if digit else ''}{'l' if letter else ''}{'s' if signs else ''}"
    yield f"shape {shape}"
    yield f"kind {kind}"
    yield f"kind {kind} {size}"
    yield f"size {size}"
    yield f"word {low}" if not digit else "word with digits"
    for n in (2, 3, 4):
        yield f"ends {low[-n:]}"
    yield f"begins {low[:3]}"
    left = [w.text.lower() for w in words[max(place - NEAR, 0) : place]]
    right = [w.text.lower() for w in words[place + 1 : place + 3]]
    mixed = "plain" if kind == "l" and word.text.islower() else "strange" if digit and letter else kind
    for n in (1, 2, 3):
        if len(left) >= n:
            yield f"left {' '.join(left[-n:])}"
            yield f"left {' '.join(left[-n:])} {mixed}"
    for other in left:
        yield f"near {other}"
    yield f"right {right[0] if right else '.'}"
    yield f"right {' '.join(right)}"
    yield f"before {word.before} {mixed}"
    yield f"after {word.after}"
    yield f"around {word.before}{word.after}"
    noun = None
    for noun in SPEAKS_OF.finditer(line[: word.start]):  # noqa: B007 - the last of them
        pass
    gap = sum(w.start >= noun.end() for w in words[:place]) if noun else 9
    yield f"gap {min(gap, 9)} {mixed}"
    yield f"noun {noun[0].lower() if noun else ''} {min(gap, 4)} {mixed}"
    yield f"first {place == 0} last {place == len(words) - 1}"
    if "?" in line:
        yield "asks"
    for w in words:
        if LETTERS.search(w.text) and not DIGITS.search(w.text) and w.start != word.start:
            yield f"line {w.text.lower()}"


@dataclass(frozen=True)
class Model:
    """Weights: one a feature."""

    vocabulary: Mapping[str, int]
    weights: NDArray[np.float32]
    offset: float

    def chances(self, words: Sequence[Word], line: str) -> list[float]:
        """How likely each word is a secret."""
        scores = (
            sum(
                float(self.weights[p])
                for f in set(features(words, n, line))
                if (p := self.vocabulary.get(f)) is not None
            )
            for n in range(len(words))
        )
        return [1 / (1 + np.exp(-(score + self.offset))) for score in scores]


@cache
def load() -> Model:
    """Read the weights once. Raises: OSError: there are none."""
    with np.load(WEIGHTS, allow_pickle=False) as data:
        names = str(data["features"]).split("\n")
        return Model({n: i for i, n in enumerate(names)}, data["weights"].astype(np.float32), float(data["offset"]))


def told_secrets(text: str, model: Model | None = None) -> Iterator[tuple[int, int]]:
    """Where secrets stand that a text tells in its sentences: start and end of each, in order."""
    if not SPEAKS_OF.search(text):
        return
    at = 0
    for part in parts_of(text):
        plain = MARKUP.sub(lambda found: " " * len(found[0]), part)
        if SPEAKS_OF.search(plain) and not CODE.search(plain):
            for start, end in in_line(plain, model or load()):
                yield at + start, at + end
        at += len(part) + 1


def parts_of(text: str) -> Iterator[str]:
    """The lines of a text, long ones in parts that end at a space."""
    for line in text.split("\n"):
        rest = line
        while len(rest) > LONGEST_LINE and (cut := rest.rfind(" ", LONGEST_LINE // 2, LONGEST_LINE)) > 0:
            yield rest[:cut]
            rest = rest[cut + 1 :]
        yield rest


def in_line(line: str, model: Model) -> Iterator[tuple[int, int]]:
    """The same of one line."""
    words = words_of(line)
    chances = model.chances(words, line)
    inside = [c >= SURE for c in chances]
    for order in (range(1, len(words)), range(len(words) - 2, -1, -1)):
        step = -1 if order.step > 0 else 1
        for n in order:
            inside[n] = inside[n] or (inside[n + step] and chances[n] >= BESIDE)
    start = None
    for n, word in enumerate(words):
        if inside[n] and start is None:
            start = word.start
        if start is not None and inside[n] and (n + 1 == len(words) or not inside[n + 1]):
            yield start, word.end
            start = None
