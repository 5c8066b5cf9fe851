"""Stems of words: what "retry", "retries" and "retried" have in common."""

from __future__ import annotations

from functools import lru_cache
from threading import local

from Stemmer import Stemmer

_local = local()


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """Stem one lower-case word by the Snowball English rules."""
    stemmer = getattr(_local, "stemmer", None)
    if stemmer is None:
        stemmer = _local.stemmer = Stemmer("english", 0)  # not safe to share between threads
    return str(stemmer.stemWord(word))
