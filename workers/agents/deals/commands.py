"""``oracle deals``: load records of deals, learn a ranking, ask."""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from workers.agents.deals.source.data_error import DealDataError
from workers.agents.deals.source.labelled_queries import read_queries
from workers.agents.deals.source.load import load_deals, load_mapped
from workers.agents.deals.source.portfolio import RANKER_FILE, Portfolio, deals_folder
from workers.agents.deals.source.ranker import write_artefact
from workers.agents.deals.source.records import KINDS, DealBook
from workers.agents.deals.source.store import save_book
from workers.errors import ConfigError, OracleError
from workers.language.payload_values import encodable
from workers.settings.load import load_settings

AGENT = "deals"
MOST_FAULTS = 20
HELP = "load FOLDER-OR-FILE | train QUERIES | ask WORDS"


class Verb(StrEnum):
    """What can be done."""

    LOAD = "load"
    TRAIN = "train"
    ASK = "ask"


def deals(
    context: typer.Context,
    verb: Annotated[Verb, typer.Argument(help=HELP)],
    words: Annotated[list[str], typer.Argument(help="A folder or file, or the question.")],
    mapping: Annotated[Path | None, typer.Option(help="Loading: how records are made of other columns.")] = None,
    seed: Annotated[int, typer.Option(help="Training: of what the learning leaves to chance.", min=0)] = 1,
    json_out: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> str | int | None:
    """Load records of deals, learn how precedents are ranked, ask about them; see docs/deals.md."""
    given = [encodable(word) for word in words]
    if verb is Verb.ASK:
        return ask(context, " ".join(given), json_out)
    if len(given) != 1:
        raise ConfigError(f"oracle deals {verb}: it takes one file or folder; oracle deals {HELP}")
    try:
        data = load(Path(given[0]), mapping) if verb is Verb.LOAD else train(Path(given[0]), seed)
    except DealDataError as error:
        raise ConfigError(*shortened(error.faults)) from error
    except OSError as error:
        raise OracleError(f"the deals cannot be written: {error.strerror or error}") from error
    if json_out:
        return json.dumps(data, indent=2)
    left = data.get("left_out")
    told = [f"Left out {len(left):,} rows that do not fit:", *(f"  {line}" for line in shortened(left))] if left else []
    return "\n".join([data["told"], *told])


def ask(context: typer.Context, question: str, json_out: bool) -> int | None:
    """Ask this agent, as ``oracle ask --agent deals`` does. Returns: its exit code."""
    oracle, shown = context.find_root(), ["--json"] if json_out else []
    words = ["ask", "--agent", AGENT, *shown, "--", question]
    code: int | None = oracle.command.main(words, oracle.info_name, standalone_mode=False)
    return code


def load(source: Path, mapping: Path | None) -> dict[str, Any]:
    """Check records and load them in place of those of before. Raises: DealDataError: nothing was loaded; OSError."""
    book, left = load_mapped(source, mapping) if mapping else (load_deals(source), ())
    save_book(book, deals_folder(load_settings().home))
    counts = {kind: len(getattr(book, kind)) for kind in KINDS}
    return {"told": f"Loaded {said(book)}.", "counts": counts, "left_out": left}


def train(queries: Path, seed: int) -> dict[str, Any]:
    """Learn the ranking of the loaded deals. Raises: DealDataError, ToolUnavailable, OSError."""
    from workers.agents.deals.source.training import train as learn  # noqa: PLC0415 - loading and asking train nothing

    folder = deals_folder(load_settings().home)
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
