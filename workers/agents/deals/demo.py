"""The demo team's deals."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from examples.deals.generate import generate
from workers.agents.deals.source.labelled_queries import write_queries
from workers.agents.deals.source.portfolio import RANKER_FILE, Portfolio, deals_folder, is_loaded
from workers.agents.deals.source.ranker import write_artefact
from workers.agents.deals.source.store import save_book
from workers.agents.deals.source.training import train
from workers.errors import ToolUnavailable

DEALS, QUERIES = 600, 120


def build_demo(home: Path, now: datetime, seed: int) -> dict[str, Any]:
    """An invented portfolio of deals with a learned ranking, where no deals are loaded; it is the same at any time."""
    del now, seed
    if is_loaded(home):
        return {}
    folder = deals_folder(home)
    portfolio = generate(deals=DEALS, queries=QUERIES)
    save_book(portfolio.book, folder)
    write_queries(folder / "queries.jsonl", portfolio.queries)
    with suppress(ToolUnavailable):  # where LightGBM cannot be loaded a fixed sum of features ranks
        write_artefact(folder / RANKER_FILE, train(Portfolio(folder).index(), portfolio.queries))
    return {}
