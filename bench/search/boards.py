"""Written questions with their right lines: ``python -m bench.search.boards SHEETS --trees FOLDER --work FOLDER``.

SHEETS is a folder of ``OWNER+NAME.yaml``: ``{repository, commit, author, questions: [{ask, kind, places: [{path, start,
end}], files}]}``, such as ``bench/search/sheets/learn``; ``--trees`` holds a git directory of each, ``OWNER+NAME``.
Told for each method: NDCG@10 by file and by line; of this project how many questions found nothing, and how many
questions of another repository are answered without a word of what is missing. Questions of kind ``docs`` are asked of
the documents. The authors saw neither code nor each other's questions. ``held`` is not for learning or tuning.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import subprocess
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from bench.search.questions import check_out
from workers.sources.code.index import CodeIndex
from workers.sources.documents.encoder import has_encoder
from workers.sources.documents.index import DocIndex
from workers.sources.documents.section_vectors import encode_sections

DEEP, SHOWN = 10, 20
"""Files and places that count; hits that are asked for, as several may be of one file."""
LINES = 15
"""Lines of a hit that an answer shows."""
SHARED_LINES = 3
"""A hit is right when it shows so many lines of a right place, or all that it has."""
FOREIGN_PER_REPOSITORY = 20
PEERS = ("semble", "tantivy", "tantivy-lines")


@dataclass(frozen=True)
class Place:
    """Lines of a file, both ends included."""

    path: str
    start: int
    end: int

    def shares(self, other: Place) -> bool:
        """Whether another place shows enough of this one's lines."""
        shared = min(self.end, other.end) - max(self.start, other.start) + 1
        return self.path == other.path and shared >= min(SHARED_LINES, self.size, other.size)

    @property
    def size(self) -> int:
        """How many lines."""
        return self.end - self.start + 1


@dataclass(frozen=True)
class Case:
    """A question with its right places."""

    repository: str
    ask: str
    kind: str
    places: tuple[Place, ...]


@dataclass(frozen=True)
class Sheet:
    """All questions on one repository, at one commit."""

    name: str
    commit: str
    source: Path
    cases: tuple[Case, ...]


def read_sheets(folder: Path, trees: Path) -> list[Sheet]:
    """Every sheet of a folder."""
    out = []
    for file in sorted(folder.glob("*.yaml")):
        raw = yaml.safe_load(file.read_text())
        cases = tuple(
            Case(file.stem, q["ask"], q["kind"], tuple(Place(p["path"], p["start"], p["end"]) for p in q["places"]))
            for q in raw["questions"]
        )
        out.append(Sheet(file.stem, raw["commit"], trees / file.stem, cases))
    return out


def ndcg_by_file(found: Sequence[Place], case: Case) -> float:
    """NDCG@10 of the files in order of their first place."""
    wanted = {p.path for p in case.places}
    paths = list(dict.fromkeys(p.path for p in found))[:DEEP]
    gain = sum(1 / math.log2(i + 2) for i, path in enumerate(paths) if path in wanted)
    return gain / sum(1 / math.log2(i + 2) for i in range(min(len(wanted), DEEP)))


def ndcg_by_line(found: Sequence[Place], case: Case) -> float:
    """NDCG@10 of places; one that was already shown counts no second time."""
    left, gain = list(case.places), 0.0
    for i, place in enumerate(found[:DEEP]):
        hit = next((w for w in left if w.shares(place)), None)
        if hit:
            left.remove(hit)
            gain += 1 / math.log2(i + 2)
    return gain / sum(1 / math.log2(i + 2) for i in range(min(len(case.places), DEEP)))


@dataclass
class Scores:
    """What a method reached, question by question."""

    by_file: dict[str, float]
    by_line: dict[str, float]
    first: dict[str, float]
    silent: list[str]
    ms: list[float]


def judge(cases: Iterable[Case], search: Callable[[str], Sequence[Place]]) -> Scores:
    """Ask each question."""
    scores = Scores({}, {}, {}, [], [])
    for case in cases:
        started = time.perf_counter()
        found = search(case.ask)
        scores.ms.append((time.perf_counter() - started) * 1e3)
        key = f"{case.repository}: {case.ask}"
        scores.by_file[key] = ndcg_by_file(found, case)
        scores.by_line[key] = ndcg_by_line(found, case)
        scores.first[key] = float(any(w.shares(p) for p in found[:1] for w in case.places))
        if not found:
            scores.silent.append(key)
    return scores


def code_search(index: CodeIndex) -> Callable[[str], list[Place]]:
    """This project's search, as an answer shows it."""
    return lambda ask: [Place(h.path, h.start_line, h.end_line) for h in index.search(ask, SHOWN, max_lines=LINES)]


def document_search(index: DocIndex) -> Callable[[str], list[Place]]:
    """This project's search over documents."""
    return lambda ask: [Place(h.path, h.start_line, h.end_line) for h in index.search(ask, SHOWN)]


def peer_search(tree: Path, python: str, method: str, cases: Sequence[Case]) -> Callable[[str], list[Place]]:
    """A peer, asked all at once."""
    asked = "".join(f"{json.dumps(c.ask)}\n" for c in cases)
    command = [python, str(Path(__file__).with_name("peer.py")), method, str(tree)]
    done = subprocess.run(command, input=asked, capture_output=True, text=True, check=True)
    _, *answers = [json.loads(line) for line in done.stdout.splitlines()]
    known = {c.ask: [Place(*p) for p in a["places"]] for c, a in zip(cases, answers, strict=True)}
    return known.__getitem__


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.search.boards")
    parser.add_argument("sheets", type=Path)
    parser.add_argument("--trees", type=Path, required=True, help="git directories, OWNER+NAME")
    parser.add_argument("--work", type=Path, required=True, help="a folder for checked out trees and indexes; kept")
    parser.add_argument("--peers", default="")
    parser.add_argument("--save", type=Path, help="scores of each question, as JSON")
    given = parser.parse_args()
    totals: dict[str, list[Scores]] = defaultdict(list)
    sheets = read_sheets(given.sheets, given.trees)
    unsaid: list[tuple[str, str]] = []
    asked = 0
    for sheet in sheets:
        tree = given.work / "trees" / sheet.name
        check_out(sheet.source, tree, sheet.commit)
        code = [c for c in sheet.cases if c.kind != "docs"]
        documents = [c for c in sheet.cases if c.kind == "docs"]
        index = CodeIndex.ensure(tree, given.work / "code" / sheet.name)
        totals["oracle"].append(judge(code, code_search(index)))
        pages = DocIndex.ensure(tree, given.work / "documents" / sheet.name)
        if has_encoder():
            encode_sections(pages.sections, given.work / "documents" / sheet.name, pages.container.identity)
        totals["oracle, documents"].append(judge(documents, document_search(pages)))
        for method in PEERS if given.peers else ():
            totals[method].append(judge(code, peer_search(tree, given.peers, method, code)))
            if method != "tantivy":
                pages_of_peer = peer_search(tree, given.peers, method, documents)
                totals[f"{method}, documents"].append(judge(documents, pages_of_peer))
        others = [c.ask for s in sheets if s is not sheet for c in s.cases if c.kind != "docs"]
        for ask in random.Random(sheet.name).sample(others, FOREIGN_PER_REPOSITORY):
            asked += 1
            found = index.find(ask, DEEP)
            if not (found.coverage.doubtful or found.coverage.missing):
                unsaid.append((sheet.name, ask))
    show(totals)
    print(f"\nQuestions of another repository answered without a word of what is missing: {len(unsaid)} of {asked}")
    if given.save:
        saved: dict[str, Any] = {m: [vars(s) for s in rows] for m, rows in totals.items()}
        given.save.write_text(json.dumps({"scores": saved, "unsaid": unsaid}, indent=1))


def show(totals: dict[str, list[Scores]]) -> None:
    """A row a method."""
    print("| method | questions | by file | by line | first | nothing found | p50 ms |\n|---|---|---|---|---|---|---|")
    for method, rows in totals.items():
        files = [v for s in rows for v in s.by_file.values()]
        lines = [v for s in rows for v in s.by_line.values()]
        first = [v for s in rows for v in s.first.values()]
        ms = sorted(v for s in rows for v in s.ms)
        silent = sum(len(s.silent) for s in rows)
        count = len(files)
        print(
            f"| {method} | {count} | {sum(files) / count:.3f} | {sum(lines) / count:.3f} | {sum(first) / count:.3f} "
            f"| {silent} | {ms[count // 2]:.1f} |"
        )


if __name__ == "__main__":
    main()
