"""What search_code, find_definition, find_references and get_repo_map return beside evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workers.contracts import ToolOutput
from workers.language.nearest_names import nearest_names
from workers.language.token_count import count_tokens
from workers.sources.code.definition_lookup import DefinitionPlace
from workers.sources.code.index import CodeHit, CodeIndex
from workers.sources.code.reference_search import Reference, References
from workers.sources.code.repo_map import RepoMap
from workers.sources.connections.open_sources import Source
from workers.sources.evidence.search_result import Opened, names_of


def search_result(source: Source, hit: CodeHit) -> dict[str, Any]:
    """A hit in the shape that all retrieval shares."""
    return {
        "content": hit.excerpt,
        "source_type": "code",
        "source_path": hit.path,
        "retrieval_method": "hybrid",
        "score": hit.score,
        "token_count": count_tokens(hit.excerpt),
        "metadata": {
            "repository": source.name,
            "start_line": hit.start_line,
            "end_line": hit.end_line,
            "symbols": list(hit.symbols),
            "commit": hit.commit,
            "url": hit.url,
            "file_kind": hit.kind,
        },
    }


def place_name(place: DefinitionPlace) -> str:
    """What is defined and where."""
    return f"{place.qualified} in {place.path}:{place.start}-{place.end}"


def counted(number: int, noun: str) -> str:
    """So many of something."""
    return f"{number} {noun}{'s' * (number != 1)}"


def summarize(symbol: str, uses: Sequence[Reference]) -> str:
    """How many uses there are, in how many files, and how sure."""
    files = len({use.path for use in uses})
    unsure = sum(use.certainty == 1 for use in uses)
    doubt = f", {unsure} of them only possible" if unsure else ""
    return f"{counted(len(uses), 'use')} of {symbol} in {counted(files, 'file')}{doubt}"


def left_out(symbol: str, each: Sequence[tuple[Source, CodeIndex, References]], total: int, shown: int) -> list[str]:
    """What is not shown, in words."""
    unread = sum(found.unread for *_, found in each)
    defined = any(found.definitions for *_, found in each)
    return [
        f"{total - shown} more uses were left out; the surest are shown" if total > shown else "",
        f"{counted(unread, 'file')} that hold the name were not read" if unread else "",
        "" if defined else f"{symbol} is defined in none of them, so it comes from elsewhere",
    ]


def undefined(symbol: str, name: str, opened: Opened) -> ToolOutput:
    """Nothing of that name is defined: the nearest names that are."""
    near = nearest_names([name], (known for _, index in opened for known in index.columns.names))
    return ToolOutput(status="empty", reason=f"{names_of(opened)} has no definition of {symbol}", nearest=near)


def unused(symbol: str, each: Sequence[tuple[Source, CodeIndex, References]], opened: Opened) -> ToolOutput:
    """It is defined and used nowhere."""
    places = [place for *_, found in each for place in found.definitions][:3]
    where = ", ".join(f"{place.path}:{place.line}" for place in places)
    return ToolOutput(
        status="empty", reason=f"{symbol} is defined in {where}, and nothing in {names_of(opened)} uses it"
    )


def joined_map(maps: Sequence[tuple[Source, CodeIndex, RepoMap]]) -> str:
    """The text of all maps, each under the name of its repository when there are several."""
    if len(maps) == 1:
        return maps[0][2].text
    return "\n\n".join(f"# {source.name}\n{found.text}" for source, _, found in maps)
