"""Notes that say the same: found by equal words, then by shared runs of words; merged without losing any."""

from __future__ import annotations

import re
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from workers.agents.memory.source.vault.markdown_blocks import front_matter_end
from workers.agents.memory.source.vault.note import bytes_of, text_of
from workers.agents.memory.source.vault.note_index import NoteIndex, title_of
from workers.agents.memory.source.vault.note_paths import is_note
from workers.agents.memory.source.vault.note_text import paragraphs, same_words
from workers.agents.memory.source.vault.staging import Staging
from workers.errors import ToolArgumentError

RUN, HASHES, BANDS = 4, 64, 16
LEAST_WORDS, ALIKE = 12, 0.7
MOST_PAIRS, MOST_TOLD, MOST_IN_BUCKET, MOST_WORDS = 200, 5, 50, 20_000
PRIME = np.uint64((1 << 31) - 1)
WORD = re.compile(r"\w+")
Floats = NDArray[np.uint64]


@dataclass(frozen=True)
class Duplicate:
    """Two notes that say the same. ``alike``: share of their runs of four words that both have, 1 for equal words.

    ``only_first``, ``only_second``: paragraphs that the other one has not, at most five each.
    """

    first: str
    second: str
    alike: float
    only_first: tuple[str, ...] = ()
    only_second: tuple[str, ...] = ()


def find_duplicates(
    index: NoteIndex, read: Callable[[str], bytes], *, below: str = "", least: float = ALIKE
) -> list[Duplicate]:
    """Pairs of notes that are equal or nearly so, the most alike first; at most 200.

    Args:
        index: the notes.
        read: gives a note's bytes.
        below: only notes of this folder.
        least: how alike, 0..1.
    """
    words = {path: words_of(text_of(read(path))) for path in index.below(below.strip("/")) if path in index.notes}
    words = {path: found for path, found in words.items() if found}
    equal: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for path, found in words.items():
        equal[tuple(found)].append(path)
    pairs = {(group[0], other): 1.0 for group in equal.values() for other in group[1:]}
    runs = {group[0]: runs_of(found) for found, group in equal.items() if len(found) >= LEAST_WORDS}
    for first, second in near_pairs(runs):
        alike = jaccard(runs[first], runs[second])
        if alike >= least:
            pairs[min(first, second), max(first, second)] = alike
    best = sorted(pairs.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_PAIRS]
    return [compared(first, second, alike, read) for (first, second), alike in best]


def words_of(text: str) -> list[str]:
    """A note's words in small letters, without its properties."""
    return WORD.findall(text[front_matter_end(text) :].lower())[:MOST_WORDS]


def runs_of(words: Sequence[str]) -> Floats:
    """The hashes of all runs of four words."""
    joined = (" ".join(words[i : i + RUN]).encode("utf-8", "surrogateescape") for i in range(len(words) - RUN + 1))
    return np.unique(np.fromiter((zlib.crc32(run) for run in joined), np.uint64) % PRIME)


def near_pairs(runs: dict[str, Floats]) -> set[tuple[str, str]]:
    """Pairs that probably share most runs: their least hashes agree in one band of sixteen (MinHash)."""
    chance = np.random.default_rng(7)
    factors = chance.integers(1, int(PRIME), HASHES, dtype=np.uint64)[:, None]
    offsets = chance.integers(0, int(PRIME), HASHES, dtype=np.uint64)[:, None]
    buckets: dict[tuple[int, bytes], list[str]] = defaultdict(list)
    for path, found in runs.items():
        least = ((found[None, :] * factors + offsets) % PRIME).min(1).reshape(BANDS, -1)
        for band, row in enumerate(least):
            buckets[band, row.tobytes()].append(path)
    groups = (sorted(group)[:MOST_IN_BUCKET] for group in buckets.values() if len(group) > 1)
    return {pair for group in groups for pair in combinations(group, 2)}


def jaccard(first: Floats, second: Floats) -> float:
    """The share of all runs that both have."""
    both = len(np.intersect1d(first, second, assume_unique=True))
    return both / max(len(first) + len(second) - both, 1)


def compared(first: str, second: str, alike: float, read: Callable[[str], bytes]) -> Duplicate:
    """A pair, with what each has alone."""
    ours, theirs = (list(paragraphs(text_of(read(path)))) for path in (first, second))
    alone = (missing(ours, theirs)[:MOST_TOLD], missing(theirs, ours)[:MOST_TOLD])
    return Duplicate(first, second, round(alike, 3), *alone)


def missing(ours: Iterable[str], theirs: Iterable[str]) -> tuple[str, ...]:
    """The paragraphs that the others have not."""
    known = {same_words(text) for text in theirs}
    return tuple(text for text in ours if same_words(text) not in known)


def merge(staging: Staging, kept: str, other: str) -> str:
    """Put one note into another: what only it says goes to the end, links to it lead there, and it is deleted.

    Returns: the path of the note that is kept.

    Raises:
        ToolArgumentError: there is no such note, or both are one; or the result would be over 1 MiB.
    """
    keep, gone = staging.find(kept), staging.find(other)
    if keep == gone or not is_note(keep) or not is_note(gone):
        raise ToolArgumentError(f"{kept!r} and {other!r} are not two notes")
    texts = dict(staging.rewrite({gone: keep}).texts)
    ours, theirs = texts.pop(keep, staging.text(keep)), texts.pop(gone, staging.text(gone))
    staging.delete(gone)
    for path, text in texts.items():
        staging.put(path, bytes_of(text))
    together = joined(ours, theirs, title_of(gone))
    if together != staging.text(keep):
        staging.write(keep, together)
    return keep


def joined(ours: str, theirs: str, title: str) -> str:
    """A note with what only another one says at its end, below a heading that names it."""
    ending = "\r\n" if "\r\n" in ours else "\n"
    added = [*own_properties(ours, theirs), *own_parts(ours, theirs)]
    if not ours[: front_matter_end(ours)] and (front := theirs[: front_matter_end(theirs)]):
        ours, added = front.removeprefix("\ufeff") + ours, list(own_parts(ours, theirs))
    if not added:
        return ours
    more = (part.replace("\r\n", "\n").replace("\n", ending) for part in (f"## From {title}", *added))
    return (ending * 2).join([ours.rstrip("\r\n"), *more]) + ending


def own_properties(ours: str, theirs: str) -> list[str]:
    """The properties that only the other note has, as a block of code, so that nothing is lost."""
    own, other = (text[: front_matter_end(text)].splitlines()[1:-1] for text in (ours, theirs))
    lines = [line for line in other if line not in own]
    return ["```yaml\n" + "\n".join(lines) + "\n```"] if any(line.strip() for line in lines) else []


def own_parts(ours: str, theirs: str) -> list[str]:
    """The paragraphs that only the other note has, each below the heading that it stood under."""
    known = {same_words(text) for text in paragraphs(ours)}
    out: list[str] = []
    heading = ""
    for text in paragraphs(theirs):
        if text.startswith("#"):
            heading = text
        if same_words(text) in known:
            continue
        if heading and text is not heading:
            out.append(heading)
        heading = ""
        out.append(text)
    return out
