"""Which commits changed a thing: ``python -m bench changes TREES [YAML] [--window 600]``.

TREES is one repository, or a folder of them (``OWNER+NAME/repo``, bare or not); YAML a folder of written questions on
their newest commits, ``OWNER+NAME.yaml``. Every question is asked of a repository's last commits; right are the commits
that touched the thing. The things: files and definitions, named by their words; definitions, named by what is
said above them (these words stand in the tree, and as a rule in no commit of the span); written questions, answered by
the commits that touched the files which answer them.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import re
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

import yaml

from bench.search.comments import commented
from bench.search.measure import mean, ndcg
from bench.search.questions import chosen as sample
from bench.search.questions import git
from workers.language.stems import stem
from workers.language.tokens import WORD, split_identifier, terms_of
from workers.search import CodeIndex
from workers.sources.code.file_kinds import kind_of, skip_path
from workers.sources.code.syntax_tree import enclosing, read_definitions
from workers.sources.git import open_repository, read_blobs
from workers.sources.history.change_search import find_changes
from workers.sources.history.commit_ranking import SAYS_CHANGE
from workers.sources.history.related_files import related_files, related_places
from workers.sources.terms.programming_languages import language_of
from workers.sources.terms.query_terms import read_query

SETS = ("files", "definitions", "comments", "written")
MOST_RIGHT, MOST_FILES, A_SET = 3, 12, 8
FORMS = (
    "what changed in {} lately?",
    "who changed {} last?",
    "recent changes to {}",
    "which commit touched {}?",
    "why was {} changed?",
)
PLAIN = frozenset("index main init mod lib utils util helpers common base core types test tests get set new".split())


@dataclass(frozen=True)
class Asked:
    """A question, and the commits that are right."""

    set: str
    text: str
    right: tuple[str, ...]


@dataclass(frozen=True)
class Span:
    """A repository's last commits. ``files``: commit -> code files it changed; ``ages``: newest first."""

    name: str
    place: Path
    since: datetime
    until: datetime
    ages: tuple[str, ...]
    files: dict[str, tuple[str, ...]]
    said: dict[str, str] = field(default_factory=dict)

    @property
    def limits(self) -> tuple[str, str]:
        """Both ends as git reads them."""
        return f"--since={self.since.isoformat()}", f"--until={self.until.isoformat()}"


def read_span(name: str, place: Path, window: int) -> Span:
    """The last commits of a repository, merges left out."""
    form = "--format=%x01%H%x00%ct%x00%s%x00"
    raw = git(place, "log", f"-{window}", "--no-merges", "--no-renames", form, "--name-only", "HEAD", check=False)
    rows = [entry.split("\0", 3) for entry in raw.split("\1")[1:]]
    times = [int(row[1]) for row in rows]
    paths = {row[0]: [p for p in row[3].split("\n") if p] for row in rows}
    kept = {c: tuple(p for p in named if kind_of(p) == "code" and not skip_path(p)) for c, named in paths.items()}
    said = {row[0]: f"{row[2]} {' '.join(paths[row[0]])}" for row in rows}
    since, until = (datetime.fromtimestamp(t, UTC) for t in (min(times), max(times)))
    files = {c: p for c, p in kept.items() if len(paths[c]) <= MOST_FILES}
    return Span(name, place, since, until, tuple(kept), files, said)


def collect(span: Span, sheet: Path | None) -> list[Asked]:
    """The questions of all sets, at most `A_SET` each but all that are written."""
    present = set(git(span.place, "ls-tree", "-r", "--name-only", "HEAD").split("\n"))
    by_file: dict[str, list[str]] = defaultdict(list)
    for commit, paths in span.files.items():
        for path in paths:
            by_file[path].append(commit)
    touched = {p: c for p, c in by_file.items() if p in present and len(c) <= MOST_RIGHT}
    symbols = touched_definitions(span, present)
    asked = [*chosen(about_files(touched)), *chosen(about_definitions(symbols))]
    asked += chosen(about_comments(span, symbols))
    if sheet and sheet.exists():
        for row in yaml.safe_load(sheet.read_text())["questions"]:
            right = {c for path in row["files"] for c in by_file.get(path, ())}
            if 1 <= len(right) <= MOST_RIGHT:
                asked.append(Asked("written", row["ask"], tuple(right)))
    return asked


def about_files(touched: dict[str, list[str]]) -> Iterator[Asked]:
    """Files by the words of their names, the folder before them where one word says too little."""
    for path, commits in touched.items():
        place = PurePosixPath(path)
        words = split_identifier(place.stem)
        if len(words) < 2:
            words = [*split_identifier(place.parent.name), *words]
        words = list(dict.fromkeys(words))
        if 2 <= len(words) <= 4 and not set(words) <= PLAIN:
            yield Asked("files", phrased(" ".join(words)), tuple(commits))


def about_definitions(symbols: dict[tuple[str, str], set[str]]) -> Iterator[Asked]:
    """Definitions by the words of their names."""
    for (_, name), commits in symbols.items():
        words = split_identifier(name.rpartition(".")[2])
        if 2 <= len(words) <= 5 and not set(words) & PLAIN and all(len(w) > 2 for w in words):
            yield Asked("definitions", phrased("the " + " ".join(words)), tuple(commits))


def about_comments(span: Span, symbols: dict[tuple[str, str], set[str]]) -> Iterator[Asked]:
    """Definitions by what is said above them."""
    paths = sorted({path for path, _ in symbols})
    sources = read_blobs(open_repository(span.place), [f"HEAD:{path}" for path in paths])
    for path, source in zip(paths, sources, strict=True):
        language = language_of(path)
        outline = read_definitions(source, language)
        for comment in commented(source[:400_000], language):
            inside = enclosing(outline, comment.start) if language == "python" else None
            below = [d for d in outline if d.start > comment.end]
            about = inside or min(below, key=lambda d: d.start, default=None)
            right = symbols.get((path, about.qualified)) if about else None
            if right:
                yield Asked("comments", comment.question, tuple(right))


def touched_definitions(span: Span, present: set[str]) -> dict[tuple[str, str], set[str]]:
    """(path, qualified name) -> the commits that changed lines inside; those with few commits."""
    out: dict[tuple[str, str], set[str]] = defaultdict(set)
    repo = open_repository(span.place)
    pairs = [(c, p) for c, paths in span.files.items() for p in paths if p in present and language_of(p)]
    for (commit, path), source in zip(pairs, read_blobs(repo, [f"{c}:{p}" for c, p in pairs]), strict=True):
        if not 0 < len(source) < 300_000:
            continue
        outline = read_definitions(source, language_of(path))
        patch = git(span.place, "show", "--format=", "-U0", "--no-renames", commit, "--", path, check=False)
        for start, count in re.findall(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", patch, re.MULTILINE):
            for line in range(int(start), int(start) + int(count or 1)):
                around = enclosing(outline, line)
                if around and around.kind in {"function", "method", "class", "type"}:
                    out[path, around.qualified].add(commit)
    return {key: commits for key, commits in out.items() if len(commits) <= MOST_RIGHT}


def phrased(thing: str) -> str:
    """A question for it; always the same one."""
    return FORMS[hashlib.sha256(thing.encode()).digest()[0] % len(FORMS)].format(thing)


def chosen(asked: Iterator[Asked]) -> list[Asked]:
    """A sample that stays the same from run to run; one question of each commit."""
    out: list[Asked] = []
    used: set[str] = set()
    for one in sample(asked):
        if not used & set(one.right) and len(out) < A_SET:
            used |= set(one.right)
            out.append(one)
    return out


def ours(span: Span, index: CodeIndex) -> Callable[[str], list[str]]:
    """This project's ranking."""

    def ask(text: str) -> list[str]:
        near, places = related_files(index, text), related_places(index, text)
        found = find_changes(span.place, span.since, span.until, text, related=near, places=places)
        return [c.commit for c in found.changes]

    return ask


def subject(text: str) -> list[str]:
    """The words of a question that do not only say that changes are asked for."""
    return [w for w in read_query(text).words if len(w) > 2 and stem(w.lower()) not in SAYS_CHANGE]


def grep(span: Span) -> Callable[[str], list[str]]:
    """``git log --grep`` for any of the words: those with most of them first, then the newest."""

    def ask(text: str) -> list[str]:
        words = subject(text)
        found: Counter[str] = Counter()
        for word in words:
            said = git(
                span.place, "log", *span.limits, "--format=%H", "-i", "-F", f"--grep={word}", "HEAD", check=False
            )
            found.update(said.split())
        ages = {c: i for i, c in enumerate(span.ages)}
        return sorted((c for c in found if c in ages), key=lambda c: (-found[c], ages[c]))

    return ask


def pickaxe(span: Span) -> Callable[[str], list[str]]:
    """``git log -G`` for the words written as one identifier in any usual way, the newest first."""

    def ask(text: str) -> list[str]:
        words = [w for w in subject(text) if w.isalnum()][:5]
        pattern = "[ _.-]?".join(words)
        found = git(
            span.place, "log", *span.limits, "--format=%H", "-i", "-G", pattern, "--no-merges", "HEAD", check=False
        ).split()
        ages = {c: i for i, c in enumerate(span.ages)}
        return sorted((c for c in found if c in ages), key=lambda c: ages[c]) if words else []

    return ask


def bm25(span: Span) -> Callable[[str], list[str]]:
    """BM25 over subject and paths, words split and stemmed."""
    texts = [Counter(t for w in WORD.findall(span.said[c]) for t in terms_of(w)) for c in span.ages]
    held = Counter(t for text in texts for t in text)
    average = mean([text.total() for text in texts])

    def ask(text: str) -> list[str]:
        scores = [0.0] * len(texts)
        for term in {t for w in subject(text) for t in terms_of(w)}:
            rare = math.log(1 + (len(texts) - held[term] + 0.5) / (held[term] + 0.5))
            for i, counts in enumerate(texts):
                if tf := counts[term]:
                    scores[i] += rare * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * counts.total() / average))
        order = sorted(range(len(texts)), key=lambda i: -scores[i])
        return [span.ages[i] for i in order[:10] if scores[i] > 0]

    return ask


def main(args: list[str]) -> None:
    """Ask every method everything and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench changes")
    parser.add_argument("trees", type=Path)
    parser.add_argument("written", type=Path, nargs="?", help="folder of written questions")
    parser.add_argument("--window", type=int, default=600, help="commits a repository")
    parser.add_argument("--only", nargs="*", default=[], help="names of repositories")
    given = parser.parse_args(args)
    one = (given.trees / ".git").exists() or (given.trees / "HEAD").exists()
    places = {given.trees.name: given.trees} if one else {p.name: p / "repo" for p in sorted(given.trees.iterdir())}
    rows: dict[str, list[tuple[Asked, float, float, float]]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for name, place in places.items():
            if given.only and name not in given.only:
                continue
            span = read_span(name, place, given.window)
            index = CodeIndex.ensure(place, Path(folder, name))
            methods = {"oracle": ours(span, index), "BM25, subject and paths": bm25(span)}
            methods |= {"git log --grep": grep(span), "git log -G": pickaxe(span)}
            for asked in collect(span, given.written / f"{name}.yaml" if given.written else None):
                for method, ask in methods.items():
                    began = time.perf_counter()
                    found = ask(asked.text)
                    took = (time.perf_counter() - began) * 1e3
                    first = float(any(c in asked.right for c in found[:3]))
                    rows[method].append((asked, ndcg(found, asked.right), first, took))
    show(rows)


def show(rows: dict[str, list[tuple[Asked, float, float, float]]]) -> None:
    """Print NDCG@10, then the share with a right commit among the first three, by set; and times."""
    methods = list(rows)
    print(f"| set | questions | {' | '.join(methods)} |\n|---|---|{'---|' * len(methods)}")
    asked: Sequence[Asked] = [row[0] for row in rows[methods[0]]]
    for which in (*SETS, "all"):
        own = [i for i, a in enumerate(asked) if which in {a.set, "all"}]
        if own:
            parts = {m: [rows[m][i] for i in own] for m in methods}
            cells = (f"{mean([r[1] for r in c]):.3f}, {mean([r[2] for r in c]):.0%}" for c in parts.values())
            print(f"| {which} | {len(own)} | {' | '.join(cells)} |")
    for share in (0.5, 0.99):
        cells = (f"{sorted(r[3] for r in rows[m])[int(share * (len(asked) - 1))]:.0f}" for m in methods)
        print(f"| ms, p{share * 100:.0f} | | {' | '.join(cells)} |")
