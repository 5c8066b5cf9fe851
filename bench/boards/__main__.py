"""``python -m bench.boards run|train|again SHEETS --systems FOLDER… --work FOLDER``.

``run`` asks and judges. ``train`` fits the ranker. ``again`` asks everything again, by the same person and by another,
and compares.

SHEETS is a folder of sheets, see `bench.boards.cases`; each system is looked for by its sheet's name in the folders.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from bench.boards.ask import Asked, ask_all, fresh, open_system
from bench.boards.cases import Case, read_sheet
from bench.boards.judge import VERDICTS, judge, shown_lines
from bench.boards.train import fit
from workers.bootstrap import Oracle
from workers.engine.engine import none_kept


def main() -> None:
    """Read the arguments; run or train."""
    parser = argparse.ArgumentParser(prog="python -m bench.boards", description=__doc__)
    parser.add_argument("command", choices=("run", "train", "again"))
    parser.add_argument("sheets", type=Path)
    parser.add_argument("--systems", type=Path, action="append", required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--now", type=datetime.fromisoformat, default=datetime.now(UTC))
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    if given.command == "again":
        for sheet in sheets_of(given):
            print(sheet.stem, again(sheet, given))
        return
    asked = (one for sheet in sheets_of(given) for one in ask_sheet(sheet, given))
    if given.command == "train":
        fit(list(asked))
    else:
        report(asked, given.work / f"{given.sheets.name}.jsonl")


def sheets_of(given: argparse.Namespace) -> list[Path]:
    """The sheets that are asked for."""
    return [sheet for sheet in sorted(given.sheets.glob("*.jsonl")) if given.only in sheet.stem]


def ask_sheet(sheet: Path, given: argparse.Namespace) -> Iterator[Asked]:
    """All cases of a sheet."""
    with open_system(source_of(sheet, given), fresh(given.work / "homes" / sheet.stem)) as oracle:
        agent = "research" if given.command == "train" else ""
        yield from ask_all(oracle, read_sheet(sheet), given.now, agent)


def source_of(sheet: Path, given: argparse.Namespace) -> Path:
    """Where the system of a sheet lies."""
    places = [folder / name for folder in given.systems for name in (sheet.stem, f"{sheet.stem}/out")]
    return next(p for p in places if any((p / part).exists() for part in (".git", "metrics.txt", "config")))


def again(sheet: Path, given: argparse.Namespace) -> str:
    """How many cases are answered otherwise when they are asked again; every one that is, is printed.

    The order: a person asks everything, asks it again, then another person does; without kept answers, then with them.
    """
    cases, said = read_sheet(sheet), list[str]()
    with open_system(source_of(sheet, given), fresh(given.work / "homes" / sheet.stem)) as oracle:
        without = replace(oracle, engine=replace(oracle.engine, find_kept=none_kept))
        for name, asked in (("not kept", without), ("kept", oracle)):
            first, *others = (answers(asked, cases, given.now, who) for who in ("U1", "U1", "U2"))
            other = [n for n in range(len(cases)) if any(found[n] != first[n] for found in others)]
            for n in other:
                print(
                    json.dumps([cases[n].ask, first[n], *(found[n] for found in others)], ensure_ascii=False, indent=1)
                )
            said.append(f"{name}: {len(other)} of {len(cases)} otherwise")
    return "; ".join(said)


def answers(oracle: Oracle, cases: list[Case], now: datetime, asker: str) -> list[list[str]]:
    """The lines that are shown for each case."""
    return [shown_lines(one.log) for one in ask_all(oracle, cases, now, asker=asker)]


def report(asked: Iterator[Asked], out: Path) -> None:
    """Print the counts of each sheet and kind; write each answer with its verdict."""
    counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.open("w", encoding="utf-8") as file:
        for one in asked:
            verdict = judge(one.case, one.log)
            for row in (one.case.board, f"kind: {one.case.kind}", f"language: {one.case.lang}", "all"):
                counts[row][verdict] += 1
            answer = {"id": one.case.id, "ask": one.case.ask, "verdict": verdict, "truth": one.case.truth}
            answer |= {"kind": one.case.kind, "agent": one.log.route.task if one.log.route else ""}
            file.write(json.dumps(answer | {"lines": shown_lines(one.log)}, ensure_ascii=False) + "\n")
    print(table(counts))


def table(counts: dict[str, dict[str, int]]) -> str:
    """Counts as Markdown."""
    head = f"| what | n | {' | '.join(VERDICTS)} |\n|---|---|{'---|' * len(VERDICTS)}"
    return "\n".join((head, *(row(name, counts[name]) for name in sorted(counts))))


def row(name: str, counts: dict[str, int]) -> str:
    """One row of the table."""
    return f"| {name} | {sum(counts.values())} | {' | '.join(str(counts[v]) for v in VERDICTS)} |"


if __name__ == "__main__":
    main()
