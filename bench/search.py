"""Code search on a real checkout: ``python -m bench search CHECKOUT``.

Questions are the subjects of later commits, answers the files that these changed; every method searches the same tree,
the one before the first of those commits. Peers are measured in the same run when they are installed: ``rg`` and the
Python package ``semble`` (its lexical part when its model cannot be loaded).
"""

from __future__ import annotations

import importlib.util
import math
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from workers.search import CodeIndex
from workers.search.files import kind_of, skip_path
from workers.search.query import read_query

CHORES = re.compile(
    r"\b(bump|release|typo|version|merge|changelog|lint|style|format|ci|docs?|readme|tests?|revert|upgrade|deps)\b",
    re.IGNORECASE,
)
BACK = 600
MOST = 150
Ranked = Callable[[str], list[str]]


@dataclass(frozen=True)
class Row:
    """One method's measures. Times in milliseconds, speed in MB of text a second."""

    method: str
    ndcg: float
    p50_ms: float
    p99_ms: float
    speed: float = 0.0
    index_mb: float = 0.0
    open_ms: float = 0.0


def main(args: list[str]) -> None:
    """Measure every method and print a table."""
    if len(args) != 1:
        print("python -m bench search CHECKOUT")
        return
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "tree")
        questions = prepare(Path(args[0]), tree)
        print(f"{len(questions)} questions on {args[0]}")
        rows = [ours(tree, Path(folder, "index"), questions)]
        if shutil.which("rg"):
            rows.append(measure("ripgrep, OR of keywords", lambda q: ripgrep(tree, q), questions))
        if importlib.util.find_spec("semble"):
            rows.append(semble(tree, questions))
        show(rows)


def git(folder: Path, *args: str) -> str:
    """Run git and return its output."""
    done = subprocess.run(["git", "-C", str(folder), *args], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")


def prepare(checkout: Path, tree: Path) -> list[tuple[str, set[str]]]:
    """Check out the tree of some hundred commits ago, and list later commits as questions with their files."""
    commits = git(checkout, "rev-list", "--first-parent", "HEAD").split()
    base = commits[min(BACK, len(commits) // 3)]
    git(Path.cwd(), "clone", "-q", "--shared", "--no-checkout", str(checkout), str(tree))
    git(tree, "checkout", "-q", "-B", "main", base)
    present = set(git(tree, "ls-files", "-z").split("\0"))
    out = []
    for entry in git(checkout, "log", "--no-merges", "--format=%x01%s%x00", "--name-only", f"{base}..HEAD").split("\1"):
        subject, _, names = entry.partition("\0")
        files = {f for f in names.split("\n") if f and kind_of(f) == "code" and not skip_path(f)}
        if 1 <= len(files) <= 3 and files <= present and len(subject.split()) > 3 and not CHORES.search(subject):
            out.append((re.sub(r"\(?#\d+\)?", "", subject), files))
    return out[:MOST]


def ours(tree: Path, index_dir: Path, questions: Sequence[tuple[str, set[str]]]) -> Row:
    """This project's index."""
    started = time.perf_counter()
    index = CodeIndex.build(tree, index_dir)
    took = time.perf_counter() - started
    text = sum(len("\n".join(index.columns.lines_of(i))) for i in range(len(index.columns.paths)))
    started = time.perf_counter()
    again = CodeIndex.open(index_dir)
    opened = time.perf_counter() - started
    row = measure("oracle", lambda q: [h.path for h in again.search(q, 20)], questions)
    size = sum(f.stat().st_size for f in index_dir.iterdir())
    return Row(row.method, row.ndcg, row.p50_ms, row.p99_ms, text / took / 1e6, size / 1e6, opened * 1e3)


def ripgrep(tree: Path, question: str) -> list[str]:
    """Files by how many lines hold one of the question's words."""
    words = [w for w in read_query(question).words if len(w) > 2] or [question]
    patterns = [part for word in words for part in ("-e", re.escape(word))]
    done = subprocess.run(["rg", "-i", "-c", *patterns, "."], cwd=tree, capture_output=True, check=False)
    counts = (line.rpartition(":") for line in done.stdout.decode("utf-8", "replace").splitlines())
    return [path.removeprefix("./") for path, _, n in sorted(counts, key=lambda c: -int(c[2]))]


def semble(tree: Path, questions: Sequence[tuple[str, set[str]]]) -> Row:
    """The best open peer, hybrid where its model is at hand, else by its words alone."""
    from semble import SembleIndex  # type: ignore[import-not-found]  # noqa: PLC0415
    from semble.index import index as module  # type: ignore[import-not-found]  # noqa: PLC0415

    name, options = "semble, hybrid", {}
    try:
        module.load_model()
    except (OSError, ValueError):
        name, options = "semble, lexical", {"alpha": 0.0}
        module.load_model = lambda path=None: (NoModel(), "none")  # noqa: ARG005
    started = time.perf_counter()
    index = SembleIndex.from_path(tree)
    took = time.perf_counter() - started
    text = sum(len(c.content) for c in index.chunks)
    row = measure(name, lambda q: [r.chunk.file_path for r in index.search(q, top_k=20, **options)], questions)
    return Row(row.method, row.ndcg, row.p50_ms, row.p99_ms, text / took / 1e6)


class NoModel:
    """Stands where semble wants an embedding model; with ``alpha=0`` nothing of it is used."""

    dim = 2

    def encode(self, texts: Sequence[str], **_: object) -> object:
        """The same vector for every text."""
        import numpy as np  # noqa: PLC0415

        return np.ones((len(texts), 2), np.float32)


def measure(method: str, search: Ranked, questions: Sequence[tuple[str, set[str]]]) -> Row:
    """Ask every question twice, the first time to warm up."""
    scores, times = [], []
    for question, files in questions:
        search(question)
        started = time.perf_counter()
        found = search(question)
        times.append((time.perf_counter() - started) * 1e3)
        scores.append(ndcg(list(dict.fromkeys(found)), files))
    times.sort()
    at = [times[int(share * (len(times) - 1))] for share in (0.5, 0.99)] if times else [0.0, 0.0]
    return Row(method, sum(scores) / max(len(scores), 1), *at)


def ndcg(found: Sequence[str], wanted: set[str], k: int = 10) -> float:
    """NDCG@k of files."""
    gain = sum(1 / math.log2(i + 2) for i, path in enumerate(found[:k]) if path in wanted)
    return gain / sum(1 / math.log2(i + 2) for i in range(min(len(wanted), k)))


def show(rows: Sequence[Row]) -> None:
    """Print the table."""
    print("| method | NDCG@10 | query p50 | p99 | index | size | open |\n|---|---|---|---|---|---|---|")
    for r in rows:
        speed = f"{r.speed:.1f} MB/s" if r.speed else "none"
        size, opened = (f"{r.index_mb:.1f} MB", f"{r.open_ms:.1f} ms") if r.index_mb else ("–", "–")
        print(f"| {r.method} | {r.ndcg:.3f} | {r.p50_ms:.1f} ms | {r.p99_ms:.1f} ms | {speed} | {size} | {opened} |")
