"""What a name says of the value behind it: ``db_password``, ``Kennwort`` hold secrets, ``cache_key`` none.

A linear model over the parts and letters of a name, learned by `train_secret_names` from labelled names
(``data/secret_names``); numpy alone at run time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Kind = Literal["any", "machine", "random", "none"]
KINDS: tuple[Kind, ...] = ("any", "machine", "random", "none")
"""A secret whatever its letters; one where it is no plain word; one only where it mixes cases and digits; none."""
WEIGHTS = Path(__file__).with_name("secret_names.npz")
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+(?:[a-z]+)?")
LETTERS = re.compile(r"[^\W_]+")
STEMS = re.compile(
    r"pas{1,2}|pw|psw|secre|tok|jeton|key|cred|auth|code|kod|pin|pep|salt|hash|dig|se[es][ds]|sid|cook|otp|jwt|bear|mnem|phra"
    r"|psk|comm|lic|sig|cvv|cvc|puk|clave|contra|senha|parol|has|hesl|wacht|nord|salas|adgang|kenn|gehe|schl|sif|hook|assert"
    r"|verif|crypt|mac|log|zug|acces|mdp|loz|gesl|zapor|slap|cha|chia|llave|cl[eé]|sleu|nyck|klucz|sas|fa|pat|invit|val|puert"
    r"|conn|tunnel|unseal|shake|sign|phras|[^\x00-\x7f]",
    re.IGNORECASE,
)
"""What a name that says secret holds of such names: any other is not read further."""
LONGEST_NAME, LAST_PARTS = 80, 5
"""Characters of a name that is read, and its last parts that are."""
REMEMBERED = 16_384


@dataclass(frozen=True)
class NameModel:
    """Weights: a row a feature, a column a kind."""

    vocabulary: dict[str, int]
    weights: NDArray[np.float32]
    offsets: NDArray[np.float32]

    def kind_of(self, name: str) -> Kind:
        """The likeliest kind of a name."""
        rows = [place for f in set(features(name)) if (place := self.vocabulary.get(f)) is not None]
        return KINDS[int(np.argmax(self.offsets + self.weights[rows].sum(axis=0)))]


def parts_of(name: str) -> list[str]:
    """The words of a name in lower case; digits are left out: ``dbPassword2`` -> ``db password``."""
    found = [part.lower() for word in LETTERS.findall(name) for part in PART.findall(word)]
    return [part for part in found if not part.isdigit()][-LAST_PARTS:]


def features(name: str) -> Iterator[str]:
    """What is seen of a name: its words, their order, and how its letters begin and end."""
    parts = parts_of(name)
    joined = "".join(parts)
    yield f"= {joined}"
    yield f"parts {min(len(parts), 3)}"
    for n, part in enumerate(parts):
        yield f"has {part}"
        if n:
            yield f"pair {parts[n - 1]} {part}"
    if parts:
        yield f"last {parts[-1]}"
        yield f"first {parts[0]}"
        for n in range(3, 9):
            yield f"ends {parts[-1][-n:]}"
            yield f"joined ends {joined[-n:]}"
        for n in range(3, 7):
            yield f"begins {joined[:n]}"
    yield from {f"in {joined[n : n + 4]}" for n in range(len(joined) - 3)}


@cache
def load() -> NameModel:
    """Read the weights once. Raises: OSError: there are none."""
    with np.load(WEIGHTS, allow_pickle=False) as data:
        names = str(data["features"]).split("\n")
        return NameModel(
            {name: place for place, name in enumerate(names)},
            data["weights"].astype(np.float32),
            data["offsets"].astype(np.float32),
        )


@lru_cache(maxsize=REMEMBERED)
def kind_of_name(name: str) -> Kind:
    """What stands behind a name; of one that is no name, none."""
    if len(name) > LONGEST_NAME or not STEMS.search(name):
        return "none"
    return load().kind_of(name)
