"""Every method asked the same questions on the same sections."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.documents.questions import Exam
from bench.search.measure import mean, ndcg
from workers.language.stop_words import STOP_WORDS
from workers.search import DocIndex
from workers.sources.documents.question_coverage import DOUBT

PEER = Path(__file__).with_name("peer.py")
DEEP, SHOWN = 50, 10
HEADING_WEIGHT = 3.0
Place = tuple[str, int]


@dataclass(frozen=True)
class Asked:
    """One method's answers to an exam: path and first line of each hit (0 for a whole file), milliseconds, seconds.

    ``doubted``: of which it said that they are doubtful.
    """

    method: str
    exam: Exam
    found: list[list[Place]]
    times: list[float]
    seconds: float
    doubted: tuple[bool, ...] = ()

    def sections(self) -> list[float]:
        """NDCG@10 by section of each question that has an answer; a hit stands for the section that it lies in."""
        return [
            ndcg([section_of(place, q.answers) for place in found], [str(a) for a in q.answers])
            for found, q in zip(self.found, self.exam.questions, strict=True)
            if q.answers
        ]

    def files(self) -> list[float]:
        """NDCG@10 by file of each question that has an answer."""
        return [
            ndcg(list(dict.fromkeys(p for p, _ in found)), list({a[0] for a in q.answers}))
            for found, q in zip(self.found, self.exam.questions, strict=True)
            if q.answers
        ]


def section_of(place: Place, answers: Sequence[tuple[str, int, int]]) -> str:
    """The answer that a line belongs to, else the line."""
    path, line = place
    return next((str(a) for a in answers if a[0] == path and a[1] <= line <= a[2]), f"{path}:{line}")


def ask_all(exam: Exam, folder: Path, python: str = "") -> list[Asked]:
    """All methods that are at hand: tantivy when the Python that has it is named."""
    place = folder / exam.repository / exam.set
    started = time.perf_counter()
    DocIndex.ensure(exam.folder, place)
    took = time.perf_counter() - started
    index = DocIndex.open(place)
    answers = timed(exam, lambda q, k: [(h.path, h.start_line) for h in index.search(q, k)])
    doubted = tuple(index.find(q.text, 1).coverage.chance < DOUBT for q in exam.questions)
    out = [Asked("oracle", exam, *answers, took, doubted)]
    sections = [
        {
            "path": r.path,
            "line": s.start,
            "title": " ".join((r.title, *s.breadcrumb)),
            "body": "\n".join(lines[s.start - 1 : s.end]),
        }
        for file, r in enumerate(index.records)
        for lines in [index.lines_of(file)]
        for s in r.sections
    ]
    if python:
        wholes = [
            {"path": r.path, "line": 0, "title": r.path, "body": "\n".join(index.lines_of(f))}
            for f, r in enumerate(index.records)
        ]
        out += [peer(exam, python, "tantivy, sections", sections), peer(exam, python, "tantivy, whole files", wholes)]
    return [*out, fts5(exam, sections)]


def timed(exam: Exam, search: Callable[[str, int], list[Place]]) -> tuple[list[list[Place]], list[float]]:
    """Ask every question for its best `DEEP` hits, then again for `SHOWN`, which is timed."""
    found, times = [], []
    for question in exam.questions:
        found.append(search(question.text, DEEP))
        started = time.perf_counter()
        search(question.text, SHOWN)
        times.append((time.perf_counter() - started) * 1e3)
    return found, times


def content(question: str) -> list[str]:
    """A question's words without those that carry no meaning, which all methods leave out."""
    words = re.findall(r"\w+", question)
    return [w for w in words if w.lower() not in STOP_WORDS] or words


def fts5(exam: Exam, sections: Sequence[dict[str, object]]) -> Asked:
    """SQLite FTS5: Porter stems, BM25, any of the words, headings weighing more than text."""
    started = time.perf_counter()
    base = sqlite3.connect(":memory:")
    base.execute(
        "CREATE VIRTUAL TABLE s USING fts5(title, body, path UNINDEXED, line UNINDEXED, tokenize='porter unicode61')"
    )
    base.executemany("INSERT INTO s VALUES (:title, :body, :path, :line)", sections)
    base.commit()
    took = time.perf_counter() - started
    ranked = f"SELECT path, line FROM s WHERE s MATCH ? ORDER BY bm25(s, {HEADING_WEIGHT}, 1.0) LIMIT ?"

    def search(question: str, k: int) -> list[Place]:
        return list(base.execute(ranked, (" OR ".join(f'"{w}"' for w in content(question)), k)))

    return Asked("SQLite FTS5, sections", exam, *timed(exam, search), took)


def peer(exam: Exam, python: str, method: str, units: Sequence[dict[str, object]]) -> Asked:
    """tantivy over the same sections, or over whole files, in an environment of its own (see `bench.documents.peer`).

    Raises:
        RuntimeError: it did not answer every question.
    """
    asked = json.dumps(
        {"units": units, "questions": [content(q.text) for q in exam.questions], "deep": DEEP, "shown": SHOWN}
    )
    done = subprocess.run([python, str(PEER)], input=asked, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{method} on {exam.repository}: {done.stderr[-500:]}")
    answer = json.loads(done.stdout)
    found = [[(path, line) for path, line in places] for places in answer["found"]]
    return Asked(method, exam, found, answer["times"], answer["seconds"])


def show(rows: Sequence[Asked]) -> None:
    """Print NDCG@10 by section and by file, speed, and what was said of things that are not there."""
    methods = list(dict.fromkeys(r.method for r in rows))
    asked = [r for r in rows if any(q.answers for q in r.exam.questions)]
    keys = {"folder": lambda e: e.repository, "set": lambda e: e.set, "": lambda _: "**all**"}
    cut = [m for m in methods if any(line for r in asked if r.method == m for hits in r.found for _, line in hits)]
    for title, measure, compared in (("section", Asked.sections, cut), ("file", Asked.files, methods)):
        print(f"\n| NDCG@10 by {title} | questions | {' | '.join(compared)} |\n|---|---|{'---|' * len(compared)}")
        for key in keys.values():
            for group in dict.fromkeys(key(r.exam) for r in asked):
                own = [r for r in asked if key(r.exam) == group]
                scores = [[s for r in own if r.method == m for s in measure(r)] for m in compared]
                print(f"| {group} | {len(scores[0])} | {' | '.join(f'{mean(s):.3f}' for s in scores)} |")
    head = ("method", "query p50", "p99", "index s")
    print(f"\n| {' | '.join(head)} |\n{'|---' * len(head)}|")
    for method in methods:
        own = [r for r in rows if r.method == method]
        times = sorted(t for r in own for t in r.times)
        speed = " | ".join(f"{times[int(share * (len(times) - 1))]:.1f} ms" for share in (0.5, 0.99))
        print(f"| {method} | {speed} | {sum(r.seconds for r in asked if r.method == method):.1f} |")
    show_silence(rows)


def show_silence(rows: Sequence[Asked]) -> None:
    """Print what share of each set got nothing, and what share a word of doubt beside what was found."""
    head = ("set", "questions", "method", "nothing returned", "doubt told", "answered")
    print(f"\n| {' | '.join(head)} |\n{'|---' * len(head)}|")
    for which, method in dict.fromkeys((r.exam.set, r.method) for r in rows):
        own = [r for r in rows if (r.exam.set, r.method) == (which, method)]
        silent = [not found for r in own for found in r.found]
        told = [bool(found) and any(r.doubted[i : i + 1]) for r in own for i, found in enumerate(r.found)]
        shares = (mean(silent), mean(told), 1 - mean(silent) - mean(told))
        print(f"| {which} | {len(silent)} | {method} | {' | '.join(f'{s:.1%}' for s in shares)} |")
