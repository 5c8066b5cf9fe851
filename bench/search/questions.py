"""Three sets of questions with the files that answer them, and the trees to search.

``written``: questions that people wrote. ``history``: subjects of later commits, answered by the files they changed.
``comments``: what is said above a function, answered by its file once the comment is taken out of the tree.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

import yaml

from bench.search.comments import commented, without
from workers.sources.code.file_kinds import kind_of, skip_path
from workers.sources.terms.programming_languages import PROSE, language_of

SETS = ("written", "history", "comments")
CHORES = re.compile(
    r"\b(bump|release|typo|version|merge|changelog|lint|style|format|ci|docs?|readme|tests?|revert|upgrade|deps)\b",
    re.IGNORECASE,
)
NUMBER = re.compile(r"\(?#\d+\)?")
BACK = 600
WHO = ("-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "commit.gpgsign=false")
MOST = {"history": 40, "comments": 30}


class Asking(Protocol):
    """Anything with the text of a question."""

    @property
    def text(self) -> str:
        """The question."""
        ...


T = TypeVar("T", bound=Asking)


@dataclass(frozen=True)
class Question:
    """``files`` is empty for one about something that the repository does not have."""

    text: str
    files: tuple[str, ...] = ()
    kind: str = ""


@dataclass(frozen=True)
class Exam:
    """Questions on one tree. ``language`` is the one that most of the repository's code is in."""

    repository: str
    set: str
    language: str
    tree: Path
    questions: tuple[Question, ...]


def git(folder: Path, *args: str, check: bool = True) -> str:
    """Run git and return its output; without ``check`` what it had said when it failed too."""
    done = subprocess.run(["git", "-C", str(folder), *args], capture_output=True, check=check)
    return done.stdout.decode("utf-8", "replace")


def prepare(
    source: Path, name: str, which: str, folder: Path, written: Path | None = None, most: Mapping[str, int] = MOST
) -> Exam | None:
    """Check out a tree under ``folder`` and collect the questions of one set on it.

    Args:
        source: a repository, bare or not.
        name: what the repository is called.
        which: one of `SETS`.
        folder: where trees are kept; one already there is used as it is.
        written: the YAML file of the written questions, if there is one.
        most: how many questions of the other sets.
    """
    tree = folder / name / which
    if which == "written":
        if written is None or not written.exists():
            return None
        sheet = yaml.safe_load(written.read_text())
        check_out(source, tree, sheet["commit"])
        asked = [Question(q["ask"], tuple(q["files"]), q["kind"]) for q in sheet["questions"]]
        asked += [Question(text, (), "absent") for text in sheet["absent"]]
    elif which == "history":
        commits = git(source, "rev-list", "--first-parent", "HEAD").split()
        base = commits[min(BACK, len(commits) // 3)]
        check_out(source, tree, base)
        asked = chosen(list(subjects(source, base, tree)), most[which])
    else:
        head = git(source, "rev-parse", "HEAD").strip()
        check_out(source, tree, head)
        git(tree, "reset", "-q", head)
        subprocess.run(["git", "-C", str(tree), "checkout-index", "-q", "-a", "-f"], capture_output=True, check=False)
        asked = hide_comments(tree, most[which])
    return Exam(name, which, main_language(tree), tree, tuple(asked))


def check_out(source: Path, tree: Path, commit: str) -> None:
    """A work tree of a commit, without copying the repository's objects."""
    if not (tree / ".git").exists():
        tree.parent.mkdir(parents=True, exist_ok=True)
        git(Path.cwd(), "clone", "-q", "--shared", "--no-checkout", str(source), str(tree))
        git(tree, "update-ref", "refs/heads/main", commit)
        git(tree, "symbolic-ref", "HEAD", "refs/heads/main")
        git(tree, "read-tree", commit)
        laid = ["git", "-C", str(tree), "checkout-index", "-q", "-a", "-f"]
        subprocess.run(laid, capture_output=True, check=False)  # a snapshot may lack its largest blobs


def chosen(questions: Iterable[T], most: int | None = None) -> list[T]:
    """A sample that stays the same from run to run, in an order that does too; all of them without ``most``."""
    return sorted(questions, key=lambda q: hashlib.sha256(q.text.encode()).digest())[:most]


def subjects(source: Path, base: str, tree: Path) -> Iterator[Question]:
    """Subjects of the commits after ``base`` that changed one to three code files which it has."""
    present = set(git(tree, "ls-tree", "-r", "-z", "--name-only", base).split("\0"))
    log = git(source, "log", "--no-merges", "--no-renames", "--format=%x01%s%x00", "--name-only", f"{base}..HEAD")
    for entry in log.split("\1"):
        subject, _, names = entry.partition("\0")
        files = {f for f in names.split("\n") if f and kind_of(f) == "code" and not skip_path(f)}
        if 1 <= len(files) <= 3 and files <= present and len(subject.split()) > 3 and not CHORES.search(subject):
            yield Question(NUMBER.sub("", subject).strip(), tuple(sorted(files)))


def hide_comments(tree: Path, most: int) -> list[Question]:
    """Take some comments out of the tree, commit that, and return what they said as questions."""
    found = []
    for path in git(tree, "ls-files", "-z").split("\0"):
        place = tree / path
        if path and kind_of(path) == "code" and not skip_path(path) and place.is_file() and not place.is_symlink():
            found += [(path, c) for c in commented(place.read_bytes()[:400_000], language_of(path))]
    said = Counter(c.question for _, c in found)
    alone = {c.question: (path, c) for path, c in found if said[c.question] == 1}
    questions = chosen([Question(text, (path,)) for text, (path, _) in alone.items()], most)
    by_file: dict[str, list[tuple[int, int]]] = {}
    for question in questions:
        path, comment = alone[question.text]
        by_file.setdefault(path, []).append((comment.start, comment.end))
    for path, spans in by_file.items():
        (tree / path).write_bytes(without((tree / path).read_bytes(), spans))
    if by_file:
        git(tree, "add", "-u")
        made = git(tree, "write-tree").strip()
        parents = ["-p", "HEAD", "-p", "HEAD~1"]  # a merge, so that the history says nothing of what was hidden
        git(tree, "update-ref", "HEAD", git(tree, *WHO, "commit-tree", *parents, "-m", "hide comments", made).strip())
    return questions


def main_language(tree: Path) -> str:
    """The language with the most files of code."""
    sizes: Counter[str] = Counter()
    for path in git(tree, "ls-files", "-z").split("\0"):
        if path and kind_of(path) == "code" and language_of(path) not in PROSE and (tree / path).is_file():
            sizes[language_of(path)] += 1
    return {"tsx": "typescript"}.get(sizes.most_common(1)[0][0], sizes.most_common(1)[0][0]) if sizes else ""
