"""What a sentence does in an incident: reports an impact, guesses at a cause, takes a task, calls it over.

A linear model over words, parts of words and what stood before, learned by `train_speech_acts` from running channels of
independent authors (``data/speech_acts``); numpy alone at run time.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from re import Pattern

import numpy as np
from numpy.typing import NDArray

from workers.language.taught_examples import NOTHING, TaughtExamples, adjusted, taught

ACTS = (
    "investigating", "cause", "mitigated", "monitoring", "resolved", "again", "false_alarm", "severity", "lead",
    "commitment", "decline", "next_update", "impact", "observation", "hypothesis", "ruled_out", "proposal", "decision",
    "done", "deed", "task_request", "question", "correction",
)  # fmt: skip
"""What a sentence may do, several at once. ``done``: something was done, be it a task or a ``deed`` about the incident;
``commitment``: yes to what was asked, or a promise."""
WEIGHTS = Path(__file__).with_name("speech_acts.npz")
TOKEN = re.compile(r"\w+|[?!✅@]")
MENTION = re.compile(r"<@\w+(?:\|[^>]*)?>|@[\w.-]*\w(?: \([\w -]{1,20}\))?")
PERSON = "@"
"""What stands for whoever is named: what a sentence does hangs on no name."""
ADDRESS = re.compile(r"\A(?:\W*(?:hey|hi|ok|okay|so|and|also)\b)?[\s,:]*(?:@[\s,:]*)+(?:and @[\s,:]*)?")
LABEL = re.compile(r"[*_\s]*([^\W\d_][\w '/-]{1,28}?)[*_]*\s*(?::|=|\s[–—-])\s+(?=\S)")
"""What a line says that it is: ``Impact: 4 % of logins fail``."""
NUMBER = re.compile(r"\d+")
LONGEST = 400
"""Characters of a sentence that are read."""
LONGEST_BEFORE = 160
"""Characters of what stood before it that are read, from its end."""
BLOCKS = {"w": 1.0, "c": 1.0, "b": 0.5, "h": 0.7, "a": 0.5, "i": 0.7, "f": 0.7}
"""How much each kind of feature weighs: words, parts of words, what stood before, the heading, how it answers, how it
begins, form."""
LENGTHS = {"w": 25.0, "c": 60.0}
"""Usual lengths of vectors: words and parts of words are divided by the mean of their own length and this one, so that
a word that tells counts in a long sentence too."""
PARTS = (2, 3, 4, 5)
ALSO_WORDS = frozenset(
    """mark will bill grant chase may rob pat drew sue josh rich jack frank grace hope joy faith max art ray gene dawn
    april june august summer sky rose guy dean page wade cliff rusty ivy reed ward chance miles an al ben can don ed bo
    ian""".split()
)
"""First names that are words too: "mark it resolved" speaks to nobody, "Mark, close it" does."""
TAUGHT = 3.0
"""The log-odds that what is taught should have."""
SHORT, LONG = 4, 15
"""Words of a sentence that is short, and of one that is long."""
Row = NDArray[np.float32]


@dataclass(frozen=True)
class Said:
    """A sentence and where it stands.

    ``heading``: the line above it, in lower case. ``bot``: a program wrote it. ``before``: the sentence before it in
    its message, else the message before. ``inside``: it is not the first of its message. ``own``: its writer wrote the
    message before too; ``by_bot``: a program did.
    """

    text: str
    heading: str = ""
    bot: bool = False
    before: str = ""
    inside: bool = False
    own: bool = False
    by_bot: bool = False


@dataclass(frozen=True)
class ActModel:
    """Weights: one row a feature, one column an act."""

    vocabulary: Mapping[str, int]
    idf: Row
    weights: Row
    offsets: Row


def features(said: Said) -> dict[str, Counter[str]]:
    """What is seen of a sentence, by the kinds of `BLOCKS`."""
    low = NUMBER.sub("0", said.text[:LONGEST].lower())
    label = LABEL.match(low)
    begun = low[label.end() :] if label else low
    address = ADDRESS.match(begun)
    first = TOKEN.findall(begun[address.end() :] if address else begun)[:3]
    words = TOKEN.findall(low)
    before = TOKEN.findall(NUMBER.sub("0", said.before[-LONGEST_BEFORE:].lower()))
    asked = said.before.rstrip().endswith("?")
    state = f"{'in' if said.inside else 'own' if said.own else 'bot' if said.by_bot else 'other'}{'?' if asked else ''}"
    form = Counter(
        name
        for name, holds in (
            ("bot", said.bot),
            ("asks", words[-1:] == ["?"]),
            ("figure", "0" in low),
            ("short", len(words) < SHORT),
            ("long", len(words) > LONG),
            ("spoken to", bool(address)),
            ("names", PERSON in words),
            (state, True),
        )
        if holds
    )
    return {
        "w": Counter([*runs(words, 1), *runs(words, 2), *runs(words, 3)]),
        "c": Counter(part for word in words for part in parts_of(word)),
        "b": Counter([*runs(before, 1), *runs(before, 2)]),
        "h": Counter(TOKEN.findall(f"{said.heading} {label[1] if label else ''}")),
        "a": Counter([f"{state} {' '.join(words[:n])}" for n in (1, 2)] if words else []),
        "i": Counter(f"{'@ ' if address else ''}{' '.join(first[:n])}" for n in (1, 2, 3) if len(first) >= n),
        "f": form,
    }


def without_names(text: str, names: Pattern[str] | None = None) -> str:
    """A text with `PERSON` for each mention, and for what else calls somebody by a name."""
    text = MENTION.sub(f" {PERSON} ", text)
    return names.sub(PERSON, text) if names else text


def names_pattern(names: Iterable[str]) -> Pattern[str] | None:
    """What finds people by their names, whole or the first of them; names that are words too only with a capital."""
    firsts = {name.lower(): None for full in names for name in (full, *full.replace(".", " ").split()[:1])}
    plain = [re.escape(name) for name in firsts if len(name) > 1 and name not in ALSO_WORDS]
    both = [re.escape(name.capitalize()) for name in firsts if name in ALSO_WORDS]
    parts = [f"(?i:{'|'.join(sorted(plain, key=len, reverse=True))})"] if plain else []
    parts += both
    return re.compile(rf"\b(?:{'|'.join(parts)})\b") if parts else None


def runs(words: Sequence[str], size: int) -> Iterable[str]:
    """Runs of so many words."""
    return (" ".join(words[i : i + size]) for i in range(len(words) - size + 1))


@lru_cache(maxsize=20_000)
def parts_of(word: str) -> tuple[str, ...]:
    """The parts of a word, with its edges."""
    whole = f" {word} "
    return tuple(whole[i : i + n] for n in PARTS for i in range(len(whole) - n + 1))


def weigh(said: Said, vocabulary: Mapping[str, int], idf: Row) -> tuple[NDArray[np.int64], Row]:
    """The places of a sentence's known features, and their values; each kind at its weight."""
    places: list[int] = []
    values: list[float] = []
    for block, counts in features(said).items():
        known = [(place, n) for name, n in counts.items() if (place := vocabulary.get(f"{block}:{name}")) is not None]
        row = [float(idf[place]) * (1.0 + np.log(n) if n > 1 else 1.0) for place, n in known]
        own = sum(value * value for value in row) ** 0.5 or 1.0
        length = (own * LENGTHS.get(block, own)) ** 0.5
        places += [place for place, _ in known]
        values += [BLOCKS[block] * value / length for value in row]
    return np.array(places, dtype=np.int64), np.array(values, dtype=np.float32)


@cache
def load_acts() -> ActModel:
    """Read the weights once. Raises: OSError: there are none."""
    with np.load(WEIGHTS, allow_pickle=False) as data:
        names = str(data["features"]).split("\n")
        scale = data["scale"].astype(np.float32)
        return ActModel(
            vocabulary={name: place for place, name in enumerate(names)},
            idf=data["idf"].astype(np.float32),
            weights=data["weights"].astype(np.float32) * scale,
            offsets=data["offsets"].astype(np.float32),
        )


@lru_cache(maxsize=2)
def taught_acts(examples: TaughtExamples) -> ActModel:
    """The model with what a team taught."""
    model = load_acts()
    rows, missing = [], []
    for one in examples.sentences:
        said = Said(without_names(one.text), before=without_names(one.before))
        places, values = weigh(said, model.vocabulary, model.idf)
        scores = values @ model.weights[places] + model.offsets
        wanted = np.array([act in one.acts for act in ACTS])
        rows.append((places, values))
        missing.append(np.where(wanted, np.maximum(TAUGHT - scores, 0.0), np.minimum(-TAUGHT - scores, 0.0)))
    return replace(model, weights=adjusted(model.weights, rows, np.array(missing)))


def act_probabilities(said: Iterable[Said]) -> list[tuple[float, ...]]:
    """How likely each sentence does each of `ACTS`."""
    examples = taught()
    return [probabilities_of(one, examples) for one in said]


@lru_cache(maxsize=20_000)
def probabilities_of(said: Said, examples: TaughtExamples = NOTHING) -> tuple[float, ...]:
    """The same of one sentence: a channel is summed up anew with every message, and most of it was read before."""
    model = taught_acts(examples)
    places, values = weigh(said, model.vocabulary, model.idf)
    scores = values @ model.weights[places] + model.offsets
    return tuple((1.0 / (1.0 + np.exp(-scores))).tolist())
