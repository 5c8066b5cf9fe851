"""``oracle search``: what code and documents hold, and where the frames of a stack trace are."""

from __future__ import annotations

import sys
from dataclasses import asdict
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from bot.cli.exits import EXIT_USAGE, fail
from bot.cli.shared_options import Docs, Json, Repos, print_json, settings_from
from workers.delivery.console import make_console
from workers.delivery.rich_text import safe
from workers.language.payload_values import encodable
from workers.sources.code.excerpt import densest
from workers.sources.code.index import CodeHit
from workers.sources.connections.multi_index_search import Survey, ask_all, open_all
from workers.sources.connections.open_sources import OpenSources, open_code_sources, open_document_sources
from workers.sources.evidence.line_history_result import Lines, trace_places
from workers.sources.evidence.search_result import Opened, nearest_only
from workers.sources.history.stack_traces import Trace, read_trace
from workers.sources.history.trace_hits import AROUND
from workers.sources.terms.query_terms import read_query
from workers.toolkit.redaction import build_redactor

SHOWN = 4
"""Lines of a hit."""


class Kind(StrEnum):
    """What can be searched."""

    CODE = "code"
    DOCS = "docs"


def search(
    kind: Annotated[Kind, typer.Argument(help="code or docs")],
    query: Annotated[str, typer.Argument(help="Words, names, paths or a stack trace; - reads it from standard input.")],
    repo: Repos = None,
    docs: Docs = None,
    k: Annotated[int, typer.Option("-k", help="How many results.", min=1, max=100)] = 10,
    json_out: Json = False,
) -> None:
    """Search code or documents; best first. A stack trace leads to the lines that its frames name."""
    settings = settings_from(repo, docs)
    query = encodable(sys.stdin.read() if query == "-" else query)
    shelf: OpenSources[Any] = open_code_sources(settings) if kind is Kind.CODE else open_document_sources(settings)
    if not shelf.sources:
        fail(f"nothing to search: connect {kind} in config/oracle.yaml, or name it with --repo or --docs", EXIT_USAGE)
    with make_console(error=True).status("reading …"):
        opened, problems = open_all(shelf)
    for problem in problems:
        print(safe(problem), file=sys.stderr)
    trace = read_trace(query) if kind is Kind.CODE else None
    if trace:
        found = hits_of_trace(trace, opened, k)
    else:
        survey = ask_all(opened, lambda index: index.find(query, k), k)
        found = [asdict(hit) for _, hit in survey.hits]
        if survey.hits and (survey.missing or survey.absent or survey.doubtful):
            print(safe(f"{nearest_only(survey, 'nothing here')}; the nearest:"), file=sys.stderr)
    shown = build_redactor(settings).value(found)
    if json_out:
        print_json(shown)
    else:
        print_hits(make_console(), shown, query)


def hits_of_trace(trace: Trace, opened: Opened, k: int) -> list[dict[str, Any]]:
    """The lines of a trace's frames, innermost first, with ``frame_line`` and ``frame_note``; then what it says."""

    def ask(query: str, most: int) -> Survey[CodeHit]:
        return ask_all(opened, lambda index: index.find(query, most, max_lines=AROUND), most)

    places = trace_places(trace, Lines(opened, ask, k, AROUND, datetime.now(UTC)))
    frames = [asdict(f.hit) | {"frame_line": f.line, "frame_note": f.note} for _, f in places.frames]
    return [*frames, *(asdict(hit) for _, hit in places.rest)][:k]


def print_hits(console: Console, shown: list[dict[str, Any]], query: str) -> None:
    """Each with its place, its names, how well it fits, and the lines that match; of a frame those at its line."""
    asked = read_query(query)
    wanted = asked.terms | {f"={c}": 2.0 for c in asked.compounds}
    if not shown:
        console.print(Text("nothing found", style="yellow"))
    for hit in shown:
        note = hit.get("heading") or ", ".join(hit["symbols"][:3])
        link = f"cyan link {safe(hit['url'])}" if hit["url"] else "cyan"
        line = hit.get("frame_line", 0)
        place = f"{hit['path']}:{line}" if line else f"{hit['path']}:{hit['start_line']}-{hit['end_line']}"
        fits = hit.get("frame_note", "") if line else f"{hit['score']:.2f}"
        console.print(Text.assemble((safe(place), link), (f"  {safe(note)}", "bold"), (f"  {fits}", "dim")))
        rows = hit["excerpt"].splitlines()
        best = densest(rows, (1, len(rows)), wanted, SHOWN)[0] - 1 if rows else 0
        first = max(line - hit["start_line"] - 3, 0) if line else best
        for text in rows[first : first + SHOWN]:
            console.print(Text(f"    {safe(text)}", style="dim"))
