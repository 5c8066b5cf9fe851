"""``python -m bench investigations [--home NAME=PATH]…``: investigations as a strong model makes them, played by hand.

Each file of ``tests/data/investigations`` holds what a strong model called and said. Its claims are counted by what
became of them, its calls and tokens as the Messages API counts them with its prompt cache, dollars by the prices in
``config/models.yaml``. Those of the demo are played on a demo that is built for it; others need the home of an Oracle
on the same repository at the same commit.
"""

from __future__ import annotations

import argparse
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from bot.cli.demo import build
from tests.support.model_server.server import MessagesServer, run_messages_server
from tests.support.played_investigation import Outcome, Played, open_played, play, read_played

FOLDER = Path(__file__).parents[1] / "tests" / "data" / "investigations"
COLUMNS = (
    "investigation",
    "tool calls",
    "model calls",
    "uncached tokens",
    "from the cache",
    "written",
    "US cents",
    "claims stand",
    "planted, named",
    "lost",
)
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def main(args: list[str]) -> None:
    """Play, count, print."""
    parser = argparse.ArgumentParser(prog="python -m bench investigations")
    parser.add_argument("--home", action="append", default=[], help="NAME=PATH of an ORACLE_HOME, for another source")
    homes = dict(pair.split("=", 1) for pair in parser.parse_args(args).home)
    files = {path.stem: read_played(path) for path in sorted(FOLDER.glob("*.yaml"))}
    with tempfile.TemporaryDirectory() as folder, run_messages_server(models=None) as server:
        build(Path(folder), NOON, 0)
        homes["demo"] = folder
        rows = [row for source, home in homes.items() for row in play_all(server, Path(home), source, files)]
    print_rows(rows)


def play_all(
    server: MessagesServer, home: Path, source: str, files: dict[str, Played]
) -> list[tuple[str, Played, Outcome]]:
    """Play every file of a source; twice, so that the second finds what stays the same in the cache."""
    oracle = open_played(server, home, NOON)
    try:
        mine = {name: played for name, played in files.items() if played.source == source}
        for played in list(mine.values())[:1]:
            play(server, oracle, played)
        return [(name, played, play(server, oracle, played)) for name, played in mine.items()]
    finally:
        oracle.close()


def print_rows(rows: list[tuple[str, Played, Outcome]]) -> None:
    """The table of bench/README.md."""
    print(f"| {' | '.join(COLUMNS)} |")
    print("|---" * len(COLUMNS) + "|")
    totals = [0.0] * 9
    for name, played, outcome in rows:
        used = outcome.log.usage
        true = [i for i in outcome.sorts if i not in played.planted]
        cells = (
            len(outcome.log.tool_calls),
            sum(1 for call in outcome.log.model_calls if call.status == "ok"),
            used.input_tokens + used.cache_write_tokens,
            used.cache_read_tokens,
            used.output_tokens,
            100 * used.cost_usd,
            sum(outcome.sorts[i] in {"supported", "hypothesis"} for i in true),
            sum(outcome.sorts[i] == "named" for i in outcome.sorts if i in played.planted),
            sum(sort == "lost" for sort in outcome.sorts.values()),
        )
        totals = [a + b for a, b in zip(totals, cells, strict=True)]
        of = (f"{cells[6]} of {len(true)}", f"{cells[7]} of {len(played.planted)}", str(cells[8]))
        print(f"| {name} | {' | '.join(f'{c:,}' for c in cells[:5])} | {cells[5]:.2f} | {' | '.join(of)} |")
    if rows:
        mean = [total / len(rows) for total in totals]
        print(f"| mean | {' | '.join(f'{c:,.1f}' for c in mean[:5])} | {mean[5]:.2f} | | | |")
