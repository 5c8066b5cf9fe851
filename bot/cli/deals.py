"""``oracle deals``: load records of deals, learn a ranking, ask."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from bot.cli.ask import ask
from bot.cli.exits import EXIT_FAILED, EXIT_USAGE, fail
from bot.cli.shared_options import Json, print_json, settings_from
from workers.delivery.rich_text import safe
from workers.errors import DealDataError
from workers.language.payload_values import encodable
from workers.sources.deals.labelled_queries import read_queries
from workers.sources.deals.load import load_deals, load_mapped
from workers.sources.deals.portfolio import RANKER_FILE, Portfolio, deals_folder
from workers.sources.deals.ranker import write_artefact
from workers.sources.deals.records import KINDS, DealBook
from workers.sources.deals.store import save_book

AGENT = "deals"
MOST_FAULTS = 20
HELP = "load FOLDER-OR-FILE | train QUERIES | ask WORDS"


class Verb(StrEnum):
    """What can be done."""

    LOAD = "load"
    TRAIN = "train"
    ASK = "ask"


def deals(
    verb: Annotated[Verb, typer.Argument(help=HELP)],
    words: Annotated[list[str], typer.Argument(help="A folder or file, or the question.")],
    mapping: Annotated[Path | None, typer.Option(help="Loading: how records are made of other columns.")] = None,
    seed: Annotated[int, typer.Option(help="Training: of what the learning leaves to chance.", min=0)] = 1,
    json_out: Json = False,
) -> None:
    """Load records of deals, learn how precedents are ranked, ask about them; see docs/deals.md."""
    given = [encodable(word) for word in words]
    if verb is Verb.ASK:
        ask(" ".join(given), agent=AGENT, json_out=json_out)
        return
    if len(given) != 1:
        fail(f"oracle deals {verb}: it takes one file or folder; oracle deals {HELP}", EXIT_USAGE)
    try:
        data = load(Path(given[0]), mapping) if verb is Verb.LOAD else train(Path(given[0]), seed)
    except DealDataError as error:
        fail("\n".join(shortened(error.faults)), EXIT_USAGE)
    except OSError as error:
        fail(f"the deals cannot be written: {error.strerror or error}", EXIT_FAILED)
    if json_out:
        print_json(data)
        return
    print(safe(data["told"]))
    if left := data.get("left_out"):
        print(f"Left out {len(left):,} rows that do not fit:")
        print("\n".join(f"  {safe(line)}" for line in shortened(left)))


def load(source: Path, mapping: Path | None) -> dict[str, Any]:
    """Check records and load them in place of those of before. Raises: DealDataError: nothing was loaded; OSError."""
    book, left = load_mapped(source, mapping) if mapping else (load_deals(source), ())
    save_book(book, deals_folder(settings_from().home))
    counts = {kind: len(getattr(book, kind)) for kind in KINDS}
    return {"told": f"Loaded {said(book)}.", "counts": counts, "left_out": left}


def train(queries: Path, seed: int) -> dict[str, Any]:
    """Learn the ranking of the loaded deals. Raises: DealDataError, ToolUnavailable, OSError."""
    from workers.sources.deals.training import train as learn

    folder = deals_folder(settings_from().home)
    index = Portfolio(folder).index()
    artefact = learn(index, read_queries(queries, (d.id for d in index.book.deals)), seed)
    write_artefact(folder / RANKER_FILE, artefact)
    told = ", ".join(f"{name} {artefact.metrics[name]:.3f}" for name in ("ndcg@10", "recall@10", "mrr"))
    return {
        "told": f"Learned a ranking; on the newest queries: {told}.",
        "metrics": artefact.metrics,
        "data_hash": artefact.data_hash,
        "features": artefact.features,
    }


def said(book: DealBook) -> str:
    """``2,000 deals, 12 sectors …``."""
    order = ("deals", "sectors", "regions", "events", "snippets")
    return ", ".join(f"{len(getattr(book, kind)):,} {kind}" for kind in order)


def shortened(faults: Sequence[str]) -> list[str]:
    """The first faults, and how many more there are."""
    more = len(faults) - MOST_FAULTS
    return [*faults[:MOST_FAULTS], *([f"… and {more:,} more."] if more > 0 else [])]
