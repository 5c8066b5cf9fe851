"""Definitions, uses and maps of code as evidence."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from workers.contracts import Evidence, Fact
from workers.sources.code.definition_lookup import DefinitionPlace
from workers.sources.code.index import CodeHit, CodeIndex
from workers.sources.code.reference_search import Reference
from workers.sources.code.repo_map import MappedFile
from workers.sources.connections.open_sources import Source
from workers.sources.evidence.search_hits import Details, code_evidence

SHOWN_LINES = 30
LINE_CHARS = 200
PIECE_CHARS = 2_200
SAID = ("", "possible", "likely", "sure")
MOST_MEANINGS = 3


def definition_evidence(source: Source, index: CodeIndex, place: DefinitionPlace) -> Evidence:
    """A definition by its first lines.

    Facts: as `code_evidence` without score, and definition_kind, container, signature, definition_lines.
    """
    end = min(place.end, place.start + SHOWN_LINES - 1)
    hit = CodeHit(
        path=place.path,
        start_line=place.start,
        end_line=end,
        symbols=(place.qualified,),
        score=1.0,
        excerpt=index.lines(place.path, place.start, end) or "",
        commit=index.commit,
        url=index.link(place.path, place.start, end),
        kind=place.file_kind,
    )
    item = code_evidence(source.name, hit, Details())
    entity = place.qualified
    more = {
        "definition_kind": Fact(value=place.kind, entity=entity),
        "signature": Fact(value=place.signature, entity=entity),
        "definition_lines": Fact(value=f"{place.path}:{place.start}-{place.end}", unit="lines", entity=entity),
    }
    if place.container:
        more["container"] = Fact(value=place.container, entity=entity)
    facts = {name: fact for name, fact in item.facts.items() if name != "score"}
    return item.model_copy(update={"facts": {**facts, **more}})


def definition_data(source: Source, index: CodeIndex, place: DefinitionPlace) -> dict[str, Any]:
    """A definition as plain data."""
    return {
        "repository": source.name,
        "path": place.path,
        "start_line": place.start,
        "end_line": place.end,
        "kind": place.kind,
        "name": place.name,
        "container": place.container,
        "signature": place.signature,
        "file_kind": place.file_kind,
        "commit": index.commit,
        "url": index.link(place.path, place.start, place.end),
    }


def reference_evidence(
    source: Source, index: CodeIndex, symbol: str, uses: Sequence[Reference]
) -> tuple[Evidence, ...]:
    """Uses, those of a file together (``44: …``).

    Facts: path, lines (of the first), commit, repository, file_kind, symbol, uses_in_file, and of each use_1,
    use_1_text, use_1_inside, use_1_means, use_1_certainty.
    """
    order = list(dict.fromkeys(use.path for use in uses))
    ranked = sorted(uses, key=lambda use: (order.index(use.path), use.line))
    return tuple(
        file_evidence(source, index, symbol, path, list(group)) for path, group in groupby(ranked, lambda use: use.path)
    )


def file_evidence(source: Source, index: CodeIndex, symbol: str, path: str, uses: Sequence[Reference]) -> Evidence:
    """The uses in one file."""
    first = uses[0].line
    place = f"{path}:{first}-{first}"
    facts = {
        "path": Fact(value=path, unit="path", entity=path),
        "lines": Fact(value=place, unit="lines", entity=path),
        "commit": Fact(value=index.commit, unit="commit", entity=path),
        "repository": Fact(value=source.name, entity=path),
        "file_kind": Fact(value=uses[0].file_kind, entity=path),
        "symbol": Fact(value=symbol, entity=path),
        "uses_in_file": Fact(value=len(uses), unit="count", entity=path),
    }
    for i, use in enumerate(uses, 1):
        facts[f"use_{i}"] = Fact(value=f"{path}:{use.line}-{use.line}", unit="lines", entity=symbol)
        facts[f"use_{i}_text"] = Fact(value=use.text[:LINE_CHARS], entity=path)
        facts[f"use_{i}_certainty"] = Fact(value=SAID[use.certainty], entity=symbol)
        if use.inside:
            facts[f"use_{i}_inside"] = Fact(value=use.inside, entity=path)
        if use.means:
            facts[f"use_{i}_means"] = Fact(value=", ".join(meanings(use)), entity=symbol)
    rows = [f"{use.line}: {use.text[:LINE_CHARS]}" for use in uses]
    return Evidence(
        kind="code",
        title=f"uses of {symbol} in {path.rpartition('/')[2]}",
        locator=place,
        url=index.link(path, first, first),
        excerpt="\n".join(rows),
        facts=facts,
    )


def meanings(use: Reference) -> list[str]:
    """Where the definitions stand that a use may mean, each once."""
    return list(dict.fromkeys(f"{place.path}:{place.line}" for place in use.means))[:MOST_MEANINGS]


def reference_data(source: Source, index: CodeIndex, use: Reference) -> dict[str, Any]:
    """A use as plain data."""
    return {
        "repository": source.name,
        "path": use.path,
        "line": use.line,
        "text": use.text[:LINE_CHARS],
        "inside": use.inside,
        "means": meanings(use),
        "certainty": SAID[use.certainty],
        "import": use.imports,
        "file_kind": use.file_kind,
        "commit": index.commit,
        "url": index.link(use.path, use.line, use.line),
    }


def map_evidence(source: Source, index: CodeIndex, files: Sequence[MappedFile]) -> tuple[Evidence, ...]:
    """A map in pieces that can be shown whole. Facts: path and lines of the first file's first definition, commit,
    repository, mapped_files, and of each definition symbol_1, symbol_1_lines.
    """
    out: list[Evidence] = []
    piece: list[MappedFile] = []
    for file in [*files, None]:
        if piece and (file is None or sum(len(f.text) + 1 for f in [*piece, file]) > PIECE_CHARS):
            out.append(piece_evidence(source, index, piece, len(out) + 1))
            piece = []
        piece += [file] if file else []
    return tuple(out)


def piece_evidence(source: Source, index: CodeIndex, files: Sequence[MappedFile], number: int) -> Evidence:
    """Some files of a map."""
    first = files[0]
    start, end = (first.symbols[0].start, first.symbols[0].end) if first.symbols else (1, 1)
    place = f"{first.path}:{start}-{end}"
    facts = {
        "path": Fact(value=first.path, unit="path", entity=first.path),
        "lines": Fact(value=place, unit="lines", entity=first.path),
        "commit": Fact(value=index.commit, unit="commit", entity=source.name),
        "repository": Fact(value=source.name, entity=source.name),
        "mapped_files": Fact(value=len(files), unit="count", entity=source.name),
    }
    symbols = [(file.path, symbol) for file in files for symbol in file.symbols]
    for i, (path, symbol) in enumerate(symbols, 1):
        facts[f"symbol_{i}"] = Fact(value=symbol.name, entity=path)
        facts[f"symbol_{i}_lines"] = Fact(value=f"{path}:{symbol.start}-{symbol.end}", unit="lines", entity=symbol.name)
    return Evidence(
        kind="code",
        title=f"map of {source.name}, part {number}",
        locator=place,
        url=index.link(first.path, start, end),
        excerpt="\n".join(file.text for file in files),
        facts=facts,
    )
