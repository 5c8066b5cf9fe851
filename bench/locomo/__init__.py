"""``python -m bench locomo FOLDER``: whether what was said long ago is found again.

LoCoMo's ten long conversations (snap-research/locomo) with the evidence that dial481/locomo-audit corrected. All turns
are entries of one person, each session a thread. As the published figures have it, a question's sessions are looked for
among those of all conversations: recall@5 is the share of them among the first five, MRR counts the first one up to
rank ten, and questions without evidence count as not found. ``--fit`` chooses the weights of the ranking.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from bench.locomo.data import Asked, read_locomo
from bench.locomo.fit import Fit, chosen_differs, mean, score
from bench.locomo.peers import Bm25, full_text
from workers.agents.memory.source.threads.entry_search import load_entries
from workers.agents.memory.source.threads.ranking import WEIGHTS
from workers.agents.memory.source.threads.seek import look_up, seek
from workers.store.database import Database, open_database
from workers.store.migrate import migrate
from workers.store.threads import Entry, merge

USER, ENTRIES = "reader", 100
"""So many entries are asked for, to have ten threads among them."""
CATEGORIES = {1: "several turns", 2: "when", 3: "inferred", 4: "one turn", 5: "misleading"}


def main(args: list[str]) -> None:
    """Ask every question of every method, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench locomo")
    parser.add_argument("folder", type=Path, help="a checkout of dial481/locomo-audit")
    parser.add_argument("--fit", action="store_true", help="choose the weights, leaving out one conversation at a time")
    given = parser.parse_args(args)
    entries, asked = read_locomo(given.folder)
    with tempfile.TemporaryDirectory(prefix="oracle-locomo-") as folder:
        database = open_database(f"sqlite:///{folder}/oracle.db")
        migrate(database)
        for start in range(0, len(entries), 1_000):
            merge(database, USER, [], entries[start : start + 1_000])
        if given.fit:
            choose_weights(database, entries, asked)
        else:
            measure(database, entries, asked)
        database.close()


def measure(database: Database, entries: Sequence[Entry], asked: Sequence[Asked]) -> None:
    """All methods in one run."""
    now = max(entry.timestamp for entry in entries)
    bm25 = Bm25(entries)
    print(f"{len(asked):,} questions, {len({e.thread_id for e in entries})} threads, {len(entries):,} entries\n")
    print("| method | recall@5 | MRR | turns: recall@5 | turns: MRR | ms a question |\n|---|---|---|---|---|---|")
    found, ms = timed([question.text for question in asked], bm25.threads)
    print(row("BM25, whole sessions", asked, found, None, ms))
    hits, ms = timed([q.text for q in asked], lambda text: full_text(database, text, ENTRIES))
    print(row("FTS5 alone", asked, [distinct(h) for h in hits], hits, ms))
    sought, ms = timed(
        [q.text for q in asked], lambda text: [h.entry for h in seek(database, USER, text, ENTRIES, now=now)]
    )
    print(row("thread_seek", asked, [distinct(h) for h in sought], sought, ms))
    for number, name in CATEGORIES.items():
        chosen = [i for i, question in enumerate(asked) if question.category == number]
        some = [sought[i] for i in chosen]
        print(row(f"– {name} ({len(chosen)})", [asked[i] for i in chosen], [distinct(h) for h in some], some, ms))


def choose_weights(database: Database, entries: Sequence[Entry], asked: Sequence[Asked]) -> None:
    """Print the weights that do best, and what they reach on the conversation that was left out."""
    now = max(entry.timestamp for entry in entries)
    searches = [look_up(database, USER, question.text, now=now) for question in asked]
    with database.begin() as connection:
        rows = load_entries(connection, [position.id for position in searches[0][0].positions])
    fit = Fit(searches, asked, {row: entry.entry_id for row, entry in rows.items()})
    print("recall@5 and MRR by session, then by turn")
    print("weights in use:", mean(fit.reached(WEIGHTS)))
    print("chosen without the conversation that is asked:", fit.held_out())
    print("chosen on all, where they differ:", chosen_differs(fit.choose()))


def timed(questions: Sequence[str], ask) -> tuple[list, float]:
    """What a method finds for each question, and the mean time that it takes in milliseconds."""
    began = time.perf_counter()
    found = [ask(question) for question in questions]
    return found, (time.perf_counter() - began) * 1000 / len(questions)


def row(
    name: str, asked: Sequence[Asked], threads: Sequence[list[str]], hits: Sequence[list[Entry]] | None, ms: float
) -> str:
    """One line of the table."""
    cells = list(figures(threads, [question.threads for question in asked]))
    if hits is not None:
        cells += figures([[e.entry_id for e in some] for some in hits], [question.entries for question in asked])
    told = [f"{cell:.3f}".removeprefix("0") for cell in cells] + ["–"] * (4 - len(cells))
    return f"| {name} | {' | '.join(told)} | {ms:.1f} |"


def figures(found: Iterable[Sequence[str]], wanted: Iterable[frozenset[str]]) -> tuple[float, float]:
    """Recall@5 and MRR, as means over all questions."""
    return mean([score(best, truth) for best, truth in zip(found, wanted, strict=True)])


def distinct(hits: Iterable[Entry]) -> list[str]:
    """The threads of entries, each once, in their order."""
    return list(dict.fromkeys(entry.thread_id for entry in hits))
