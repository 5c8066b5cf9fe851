"""Where in an index a thing is named: one word, or several that stand next to each other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from workers.language.stems import stem
from workers.sources.code.file_kinds import KINDS
from workers.sources.code.file_parsing import DEFINITION
from workers.sources.code.index_columns import Columns

OWN = np.array([kind in {"code", "config"} for kind in KINDS])
TESTS = np.array([kind == "test" for kind in KINDS])
SCARCE = 2
LARGE = 300
LOOK_AT = 8
READ = 30
MOST_READ = 200
Ints = NDArray[np.int64]


class Occurrences(IntEnum):
    """Where a thing is named: nowhere, only beside the code (documents, change logs), in a line or two, or properly.

    What commits said of files that still stand is named by them.
    """

    GONE = 0
    BESIDE = 1
    SCARCE = 2
    NAMED = 3


def occurrences(index: Columns, name: Sequence[str]) -> Occurrences:
    """Where a name stands: one word, or several that stand together."""
    if len(name) == 1 and (index.told.has(name[0]) or index.path_words.has(name[0])):
        return Occurrences.NAMED
    units, files = where(index, name)
    kinds = index.kinds[index.file_of[units]]
    few = SCARCE if index.standing[1] >= LARGE else 0
    if len(files) or int(OWN[kinds].sum()) > few or is_defined(index, name):
        return Occurrences.NAMED
    if (OWN | TESTS)[kinds].any():
        return Occurrences.SCARCE
    return Occurrences.BESIDE if len(units) else Occurrences.GONE


def is_defined(index: Columns, name: Sequence[str]) -> bool:
    """Whether a definition of the code bears a word as part of its name."""
    if len(name) > 1:
        return bool(index.defined("".join(name)))
    units, counts = index.words.get(name[0])
    return bool((OWN[index.kinds[index.file_of[units]]] & (counts[:, DEFINITION] > 0)).any())


def where(index: Columns, name: Sequence[str]) -> tuple[Ints, Ints]:
    """Chunks that hold a name, and files that bear it."""
    if len(name) == 1:
        units, files = index.words.get(name[0])[0], index.path_words.get(name[0])[0]
        written = index.words.get(f"={name[0]}")[0]  # ``k8s`` is no word of the index, but an identifier
        return (np.union1d(units, written) if len(written) else units), files
    whole = "".join(name)
    together = meet([index.words.get(term)[0] for term in name])
    found = [index.words.get(f"={whole}")[0], index.words.get(stem(whole))[0], adjacent(index, name, together)]
    files = meet([index.path_words.get(term)[0] for term in name])
    return np.unique(np.concatenate(found)), np.union1d(files, index.path_words.get(stem(whole))[0])


def meet(groups: Sequence[Ints]) -> Ints:
    """What stands in all groups, each of them sorted."""
    out = min(groups, key=len)
    for group in groups:
        if len(out) and group is not out:
            present = np.zeros(int(max(group[-1], out[-1])) + 1, bool)  # much faster than `np.isin` here
            present[group] = True
            out = out[present[out]]
    return out


def apart(index: Columns, name: Sequence[str]) -> bool:
    """Whether no file and no chunk puts the words next to each other; False when too many would have to be read."""
    units = meet([index.words.get(term)[0] for term in name])
    if len(units) > READ or any(map(len, where(index, name))):
        return False
    pattern = pattern_of(name)
    return not any(pattern.search(index.text_of(unit)) for unit in units.tolist())


def pattern_of(name: Sequence[str]) -> re.Pattern[str]:
    """What stems look like next to each other."""
    return re.compile(r"[\W_]{0,3}".join(rf"{re.escape(beginning(w))}\w{{0,6}}?" for w in name), re.IGNORECASE)


def adjacent(index: Columns, name: Sequence[str], units: Ints) -> Ints:
    """Those of some chunks in which words stand next to each other.

    Of many chunks a few are read; where none of those has them all are, or all count when they are very many: what a
    few do not hold may still be there.
    """
    pattern = pattern_of(name)

    def kept(some: Ints) -> list[int]:
        return [unit for unit in some.tolist() if pattern.search(index.text_of(unit))]

    if len(units) > LOOK_AT and (len(units) > MOST_READ or kept(units[:: len(units) // LOOK_AT][:LOOK_AT])):
        return units
    return np.array(kept(units), units.dtype)


def beginning(root: str) -> str:
    """What all forms of a stem begin with: ``polici`` stands for policy, ``time`` for timing."""
    return root[:-1] if len(root) > 3 and root[-1] in "eiy" else root
