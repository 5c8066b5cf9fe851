"""Every method asked the same questions on the same trees."""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.search.questions import SETS, Exam
from workers.language.stems import stem
from workers.language.tokens import WORD, split_identifier
from workers.search import CodeIndex
from workers.sources.terms.query_terms import read_query

PEER = Path(__file__).with_name("peer.py")
DEEP = 20
TOLD = 3
ENDS = ("silent", "says so", "answers")


@dataclass(frozen=True)
class Asked:
    """One method's answers to an exam: paths and milliseconds of each question, seconds and bytes of its index.

    ``told``: of each question, the names that it says stand nowhere.
    """

    method: str
    exam: Exam
    paths: list[list[str]]
    times: list[float]
    seconds: float = 0.0
    size: int = 0
    told: list[tuple[str, ...]] = field(default_factory=list)

    def scores(self) -> list[float]:
        """NDCG@10 of each question that has an answer."""
        pairs = zip(self.paths, self.exam.questions, strict=True)
        return [ndcg(found, q.files) for found, q in pairs if q.files]

    def outcomes(self, *, there: bool) -> list[str]:
        """``silent``, ``says so`` or ``answers`` for each question about what is there, or is not."""
        told = self.told or [()] * len(self.paths)
        asked = zip(self.exam.questions, self.paths, told, strict=True)
        return [outcome(q.text, found, names) for q, found, names in asked if bool(q.files) == there]


def ours(exam: Exam, folder: Path) -> Asked:
    """This project's index; kept in ``folder``, and only timed when it is not there yet."""
    started = time.perf_counter()
    CodeIndex.ensure(exam.tree, folder)
    took = time.perf_counter() - started
    index = CodeIndex.open(folder)
    paths, times = timed(exam, lambda q: [h.path for h in index.search(q, DEEP)])
    told = [index.find(q.text, DEEP).coverage.missing[:TOLD] for q in exam.questions]
    size = sum(f.stat().st_size for f in folder.iterdir())
    return Asked("oracle", exam, paths, times, took, size, told)


def ripgrep(exam: Exam) -> Asked:
    """Files by how many lines hold one of the question's words."""

    def search(question: str) -> list[str]:
        words = [w for w in read_query(question).words if len(w) > 2] or [question]
        patterns = [part for word in words for part in ("-e", re.escape(word))]
        done = subprocess.run(["rg", "-i", "-c", *patterns, "."], cwd=exam.tree, capture_output=True, check=False)
        counts = (line.rpartition(":") for line in done.stdout.decode("utf-8", "replace").splitlines())
        return [path.removeprefix("./") for path, _, n in sorted(counts, key=lambda c: -int(c[2]))]

    return Asked("ripgrep, OR of keywords", exam, *timed(exam, search))


def timed(exam: Exam, search: Callable[[str], list[str]]) -> tuple[list[list[str]], list[float]]:
    """Ask every question twice, the first time to warm up."""
    paths, times = [], []
    for question in exam.questions:
        search(question.text)
        started = time.perf_counter()
        found = search(question.text)
        times.append((time.perf_counter() - started) * 1e3)
        paths.append(list(dict.fromkeys(found)))
    return paths, times


def peer(exam: Exam, python: str, method: str, model: str = "") -> Asked:
    """A peer in an environment of its own (see `bench.search.peer`).

    Raises:
        RuntimeError: it did not answer every question.
    """
    asked = "".join(f"{json.dumps(q.text)}\n" for q in exam.questions)
    command = [python, str(PEER), method, str(exam.tree), *([model] if model else [])]
    done = subprocess.run(command, input=asked, capture_output=True, text=True, check=False)
    first, *answers = [json.loads(line) for line in done.stdout.splitlines()] or [{}]
    if len(answers) != len(exam.questions):
        raise RuntimeError(f"{method} on {exam.repository}: {done.stderr[-500:]}")
    paths, times = [a["paths"] for a in answers], [a["ms"] for a in answers]
    return Asked(first["name"], exam, paths, times, first["seconds"], first["bytes"])


def ask_all(exam: Exam, folder: Path, python: str = "", model: str = "") -> list[Asked]:
    """All methods that are at hand: peers when the Python that has them is named, ripgrep when it is installed."""
    out = [ours(exam, folder / exam.repository / exam.set)]
    if python:
        out += [peer(exam, python, "semble"), peer(exam, python, "tantivy")]
        out += [peer(exam, python, "semble", model)] if model else []
    return [*out, ripgrep(exam)] if shutil.which("rg") else out


def ndcg(found: Sequence[str], wanted: Sequence[str] | frozenset[str], k: int = 10) -> float:
    """NDCG@k of files."""
    gain = sum(1 / math.log2(i + 2) for i, path in enumerate(found[:k]) if path in wanted)
    return gain / sum(1 / math.log2(i + 2) for i in range(min(len(wanted), k)))


def show(rows: Sequence[Asked]) -> None:
    """Print tables by set, and by language, of NDCG@10; of speed; and of what was said of things that are not there."""
    methods = list(dict.fromkeys(r.method for r in rows))
    for title, key in (("set", lambda e: e.set), ("language", lambda e: e.language)):
        print(f"\n| {title} | questions | {' | '.join(methods)} |\n|---|---|{'---|' * len(methods)}")
        for group in sorted({key(r.exam) for r in rows}):
            scores = [[s for r in rows if r.method == m and key(r.exam) == group for s in r.scores()] for m in methods]
            print(f"| {group} | {len(scores[0])} | {' | '.join(f'{mean(s):.3f}' for s in scores)} |")
    print("\n| method | query p50 | p99 | index s | MB |")
    print("|---|---|---|---|---|")
    for method in methods:
        own = [r for r in rows if r.method == method]
        times = sorted(t for r in own for t in r.times)
        speed = " | ".join(f"{times[int(share * (len(times) - 1))]:.1f} ms" for share in (0.5, 0.99))
        built = f"{sum(r.seconds for r in own):.1f} | {sum(r.size for r in own) / 1e6:.1f}"
        print(f"| {method} | {speed} | {built} |")
    show_absent(rows)


def show_absent(rows: Sequence[Asked]) -> None:
    """Print how questions about what is not there end, and what that costs those about what is."""
    print("\n| method | questions | silent | says so | answers |\n|---|---|---|---|---|")
    for method in dict.fromkeys(r.method for r in rows):
        own = [r for r in rows if r.method == method]
        groups = {"not there": [end for r in own for end in r.outcomes(there=False)]}
        groups |= {name: [e for r in own if r.exam.set == name for e in r.outcomes(there=True)] for name in SETS}
        for name, ends in groups.items():
            if ends:
                shares = " | ".join(f"{mean([end == e for end in ends]):.1%}" for e in ENDS)
                print(f"| {method} | {name} ({len(ends)}) | {shares} |")


def outcome(question: str, found: Sequence[str], told: Sequence[str]) -> str:
    """How a question ends; a name that is told counts when it holds a word that the question is about."""
    if not found:
        return ENDS[0]
    terms = read_query(question).terms
    about = {stem(part) for name in told for word in WORD.findall(name) for part in split_identifier(word)}
    return ENDS[1] if any(terms.get(term, 0.0) == 1.0 for term in about) else ENDS[2]


def mean(values: Sequence[float]) -> float:
    """The mean, 0 of nothing."""
    return sum(values) / len(values) if values else 0.0
