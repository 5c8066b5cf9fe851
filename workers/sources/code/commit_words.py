"""What commits said of the files they changed: the words of their subjects, a file at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from workers.language.tokens import WORD, terms_of
from workers.sources.code.array_file import Container
from workers.sources.code.posting_lists import Array, Postings, WordCounter, combine, from_arrays
from workers.sources.git import Repository, call, cut_commits, path_of

COMMITS = 3_000
RECENT = 300
MOST_FILES = 12
TIMEOUT_S = 60.0


@dataclass(frozen=True)
class Told:
    """``words``: terms of subjects by file; ``often``: how many commits changed each file, in all and lately."""

    words: Postings
    often: Array

    def arrays(self) -> dict[str, Array]:
        """Named arrays for `store.write_container`."""
        return self.words.arrays("told") | {"told.often": self.often}


def read_commit_words(repo: Repository, commit: str | None, paths: Sequence[str], old: Container | None = None) -> Told:
    """Read what the last commits up to one said; a history that cannot be read says nothing.

    Args:
        repo: the repository.
        commit: None where there is none.
        paths: the indexed files, in order.
        old: an earlier index; when it is of an ancestor, only the commits since are read.
    """
    known = str(old.meta["commit"]) if old else ""
    before = old if old and commit and known and is_ancestor(repo, known, commit) else None
    new = count(commits_of(repo, f"{known}..{commit}" if before else commit) if commit else (), paths)
    return joined_with(before, new, paths) if before else new


def is_ancestor(repo: Repository, old: str, new: str) -> bool:
    """True when one commit is another or comes before it."""
    return call(repo, ["merge-base", "--is-ancestor", old, new]).returncode == 0


def commits_of(repo: Repository, revisions: str) -> Iterator[tuple[str, list[str]]]:
    """Subject and changed paths of the last commits of a range, newest first.

    Merges are left out, and commits at which a shallow clone is cut.
    """
    args = ["log", f"-{COMMITS}", "--no-merges", "--no-renames", "--format=%x01%H %s", "--name-only", "-z"]
    done = call(repo, [*args, revisions], timeout_s=TIMEOUT_S)
    cut = cut_commits(repo)
    for entry in done.stdout.split(b"\1")[1:]:
        head, _, names = entry.partition(b"\0")
        commit, _, subject = head.decode("utf-8", "replace").partition(" ")
        if commit not in cut:
            yield subject, [path_of(name.lstrip(b"\n")) for name in names.split(b"\0") if name.strip()]


def count(commits: Iterator[tuple[str, list[str]]] | tuple[()], paths: Sequence[str]) -> Told:
    """Count the words of subjects by file; those of a commit that changed very many files say little of each."""
    numbers = {path: i for i, path in enumerate(paths)}
    counter = WordCounter(1)
    often = np.zeros((len(paths), 2), np.int32)
    for age, (subject, changed) in enumerate(commits):
        known = [numbers[p] for p in changed if p in numbers]
        often[known] += (1, age < RECENT)
        if len(changed) <= MOST_FILES:
            words = WORD.findall(subject)
            for number in known:
                counter.add(number, 0, words)
    return Told(counter.postings(len(paths), terms_of), often)


def joined_with(old: Container, new: Told, paths: Sequence[str]) -> Told:
    """What an earlier index knew, under the present numbers of its files, and the new."""
    numbers = {path: i for i, path in enumerate(paths)}
    mapping = np.array([numbers.get(path, -1) for path in old.text("file.path")], np.int64)
    kept = mapping >= 0
    often = new.often.copy()
    often[mapping[kept]] += old.arrays["told.often"][kept]
    parts = [(from_arrays(old.arrays, "told"), mapping), (new.words, np.arange(new.words.size))]
    return Told(combine(parts, len(paths), 1), often)
