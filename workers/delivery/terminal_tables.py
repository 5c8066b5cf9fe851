"""A ranked list in a terminal as a table, made from the facts of its evidence."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from workers.contracts import Claim, Evidence, RequestLog
from workers.delivery.cited_evidence import label_of, said, type_of, voice_of
from workers.delivery.rich_text import safe

COLUMNS = {
    "deal_precedents": (
        ("name", "deal"),
        ("sector", "sector"),
        ("region", "region"),
        ("years", "years"),
        ("reasons", "why"),
    )
}
"""The facts of a row and the titles of its columns, by the type of question; the first fact names the row."""


def ranked_table(log: RequestLog, claims: Sequence[Claim]) -> Table | None:
    """The claims of a ranked list as rows; None where evidence lacks a fact, or there is no table for the question."""
    columns = COLUMNS.get(type_of(log), ())
    rows = [row_of(log, claim, [fact for fact, _ in columns]) for claim in claims] if columns else []
    if not rows or not all(rows):
        return None
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, header_style="bold blue", padding=(0, 1), pad_edge=False)
    table.add_column("#", justify="right", no_wrap=True)
    for fact, title in columns:
        table.add_column(title, no_wrap=fact == "years", overflow="fold")
    for number, cells in enumerate(rows, 1):
        table.add_row(f"{number}", *cells)
    return table


def row_of(log: RequestLog, claim: Claim, facts: Sequence[str]) -> list[Text]:
    """The cells of a claim, from the first evidence that has all facts; empty when none has."""
    known = {item.id: item for item in log.evidence}
    cited = [known[key] for key in claim.evidence if key in known]
    item = next((item for item in cited if all(fact in item.facts for fact in facts)), None)
    if item is None:
        return []
    first, *others = (Text(safe(said(item.facts[fact], voice_of(log)))) for fact in facts)
    first.stylize("bold")
    label = Text(label_of(claim), style="italic magenta")
    return [Text.assemble(label, first, *(marker(source) for source in cited)), *others]


def marker(item: Evidence) -> Text:
    """The id of a row's evidence, a link when it has an address."""
    url = safe(item.url or "")
    return Text(f" [{item.id}]", style=f"dim link {url}" if url else "dim")
