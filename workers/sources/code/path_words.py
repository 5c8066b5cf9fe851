"""The words of paths."""

from __future__ import annotations

from collections.abc import Sequence

from workers.language.tokens import WORD, terms_of
from workers.sources.code.posting_lists import Postings, WordCounter

STEM, FOLDER = range(2)
FIELDS = 2


def stem_of(path: str) -> str:
    """The name of a file without its suffixes; all of it when it begins with a dot."""
    name = path.rpartition("/")[2]
    return name.partition(".")[0] or name


def path_postings(paths: Sequence[str]) -> Postings:
    """Index the words of paths: the stem of the file, and its folders."""
    counter = WordCounter(FIELDS)
    for number, path in enumerate(paths):
        counter.add(number, STEM, WORD.findall(stem_of(path)))
        counter.add(number, FOLDER, WORD.findall(path.rpartition("/")[0]))
    return counter.postings(len(paths), terms_of)
