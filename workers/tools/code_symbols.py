"""search_code, find_definition, find_references and get_repo_map: code by its meaning, its names and its structure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt
from typing import Any

from pydantic import Field

from workers.contracts import ToolOutput
from workers.errors import ToolArgumentError
from workers.language.nearest_names import nearest_names
from workers.language.token_count import count_tokens
from workers.ports import ToolContext
from workers.sources.code.definition_lookup import find_definitions, split_symbol
from workers.sources.code.index import CodeIndex
from workers.sources.code.reference_graph import GraphShelf
from workers.sources.code.reference_search import find_references
from workers.sources.code.repo_map import RepoMap, map_repository
from workers.sources.connections.index_warmup import Warmer
from workers.sources.connections.multi_index_search import ask_all, open_all
from workers.sources.connections.open_sources import OpenSources, Source, open_code_sources
from workers.sources.evidence.code_symbols_output import (
    counted,
    joined_map,
    left_out,
    place_name,
    search_result,
    summarize,
    undefined,
    unused,
)
from workers.sources.evidence.code_symbols_result import (
    definition_data,
    definition_evidence,
    map_evidence,
    reference_data,
    reference_evidence,
)
from workers.sources.evidence.search_hits import Details, code_evidence
from workers.sources.evidence.search_result import Opened, names_of, nothing, unnamed
from workers.toolkit.tool import NoOptions, Resources, Tool, ToolArgs

NO_REPOSITORY = "no repository is connected"
EXCERPT_LINES = 30
MOST_DEFINITIONS = 20
LEAST_SHARE = 150
REPO = "only this connected repository, by its name; all when empty"
NAME = "a name, or one behind what holds it: retry, Client.get, payments.client.Client, pkg::run, Queue#push"
LANGUAGE = "only this language: python, typescript, javascript, go, java, rust, ruby and so on"

SEARCH_CODE = (
    "Find the code that a question, a name or an error message is about, by words and meaning, best first. "
    'Example: {"query": "where are payments retried"}.'
)
FIND_DEFINITION = (
    "Find where a function, class, method, constant or type is defined: every definition of the name, with its lines, "
    'signature and what holds it. Example: {"name": "Client.get"}.'
)
FIND_REFERENCES = (
    "Find where a function, class, method, constant or type is used: each line with the function around it and the "
    "definition that it most likely means; comments, strings and definitions are left out. "
    'Example: {"name": "Client.get", "k": 30}.'
)
GET_REPO_MAP = (
    "Get an overview of the connected repositories: their most used files with the signatures of their most used "
    'definitions, within a number of tokens. Example: {"tokens": 2000, "focus": "payments/client.py, Retry"}.'
)


class SearchArgs(ToolArgs):
    """What to look for."""

    query: str = Field("", max_length=20_000, description="question, name, path, endpoint or error message")
    k: int = Field(5, ge=1, le=20, description="how many results")
    path: str = Field("", max_length=500, description="only paths that begin so")
    repo: str = Field("", max_length=200, description=REPO)


class DefinitionArgs(ToolArgs):
    """Which definition."""

    name: str = Field("", max_length=400, description=NAME)
    path: str = Field("", max_length=500, description="only definitions in paths that begin so")
    language: str = Field("", max_length=40, description=LANGUAGE)
    repo: str = Field("", max_length=200, description=REPO)


class ReferenceArgs(ToolArgs):
    """Whose uses."""

    name: str = Field("", max_length=400, description=NAME)
    k: int = Field(20, ge=1, le=50, description="how many uses")
    path: str = Field("", max_length=500, description="which definition is meant: one in paths that begin so")
    within: str = Field("", max_length=500, description="only uses in paths that begin so")
    language: str = Field("", max_length=40, description=LANGUAGE)
    repo: str = Field("", max_length=200, description=REPO)


class MapArgs(ToolArgs):
    """How much, and of what."""

    tokens: int = Field(2_000, ge=500, le=8_000, description="how many tokens the map may take")
    focus: str = Field(
        "", max_length=2_000, description="files, folders and names between commas: what is near to them comes first"
    )
    path: str = Field("", max_length=500, description="only paths that begin so")
    repo: str = Field("", max_length=200, description=REPO)


def build_search_code(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError: an option is unknown."""
    symbols = CodeSymbols(options, resources)
    prepare = symbols.warmer.prepare
    return reading("search_code", "search the code", SEARCH_CODE, SearchArgs, symbols.search, prepare)


def build_find_definition(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError: an option is unknown."""
    symbols = CodeSymbols(options, resources)
    prepare = symbols.prepare
    return reading("find_definition", "find a definition", FIND_DEFINITION, DefinitionArgs, symbols.define, prepare)


def build_find_references(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError: an option is unknown."""
    symbols = CodeSymbols(options, resources)
    return reading("find_references", "find uses", FIND_REFERENCES, ReferenceArgs, symbols.refer, symbols.prepare)


def build_get_repo_map(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError: an option is unknown."""
    symbols = CodeSymbols(options, resources)
    return reading("get_repo_map", "map the code", GET_REPO_MAP, MapArgs, symbols.map, symbols.prepare)


def reading(
    name: str,
    purpose: str,
    description: str,
    args: type[ToolArgs],
    run: Callable[[Any, ToolContext], ToolOutput],
    prepare: Callable[[], None],
) -> Tool:
    """A tool that reads."""
    return Tool(name=name, purpose=purpose, description=description, access="read", args=args, run=run, prepare=prepare)


class CodeSymbols:
    """What the four work with: the opened indexes of the configured repositories."""

    def __init__(self, options: dict[str, Any], resources: Resources) -> None:
        NoOptions.model_validate(options)
        self.shelf: OpenSources[CodeIndex] = resources.shared(open_code_sources)
        self.warmer = Warmer(self.shelf, lambda index, question: index.find(question, 1))
        self.graphs = GraphShelf()

    def prepare(self) -> None:
        """Open what is not open yet. Raises: ToolUnavailable: there are sources, and none can be opened."""
        open_all(self.shelf)

    def open(self, repo: str) -> tuple[Opened, tuple[str, ...]]:
        """The indexes that can be opened, or that of one repository, and a sentence for each that cannot.

        Raises:
            ToolArgumentError: there is no repository of that name.
            ToolUnavailable: none can be opened.
        """
        opened, problems = open_all(self.shelf)
        chosen = [pair for pair in opened if not repo or pair[0].name.casefold() == repo.casefold()]
        if opened and not chosen:
            names = [source.name for source, _ in opened]
            near = nearest_names([repo], names) or tuple(names[:3])
            raise ToolArgumentError(f"repo: no repository is named {repo!r}; there are {', '.join(names[:8])}", near)
        return chosen, problems

    def search(self, args: SearchArgs, context: ToolContext) -> ToolOutput:
        """Search by words and meaning.

        Returns: ``data = {"results": [{"content", "source_type", "source_path", "retrieval_method", "score",
            "token_count", "metadata"}], "unnamed"}``, best first; the score is 0..1. ``unnamed``: sentences on what of
            the question nothing names.

        Raises:
            ToolArgumentError: no question, or no such repository.
            ToolUnavailable: no repository can be read.
        """
        del context
        if not args.query.strip():
            raise ToolArgumentError("query is empty; give a question or a name, such as where are payments retried")
        opened, problems = self.open(args.repo)
        if not opened:
            return ToolOutput(status="empty", reason=NO_REPOSITORY, data={"results": []})
        survey = ask_all(
            opened,
            lambda index: index.find(args.query, args.k, path=args.path, max_lines=EXCERPT_LINES),
            args.k,
            problems,
        )
        if not survey.covered:
            return nothing(survey, opened, args.query, args.path).model_copy(update={"data": {"results": []}})
        best = survey.hits[0][1]
        return ToolOutput(
            summary=f"{counted(len(survey.hits), 'place')}, first {best.path}:{best.start_line}-{best.end_line}",
            data={
                "results": [search_result(source, hit) for source, hit in survey.hits],
                "unnamed": unnamed(survey, opened, args.query),
            },
            evidence=tuple(code_evidence(source.name, hit, Details()) for source, hit in survey.hits),
            reason="; ".join(problems),
        )

    def define(self, args: DefinitionArgs, context: ToolContext) -> ToolOutput:
        """Find definitions.

        Returns: ``data = {"definitions": [{"repository", "path", "start_line", "end_line", "kind", "name",
            "container", "signature", "file_kind", "commit", "url"}], "total"}``, the likeliest first.

        Raises:
            ToolArgumentError: no name, or no such repository.
            ToolUnavailable: no repository can be read.
        """
        del context
        name = named(args.name)
        opened, problems = self.open(args.repo)
        if not opened:
            return ToolOutput(status="empty", reason=NO_REPOSITORY, data={"definitions": [], "total": 0})
        path = args.path.removeprefix("./").lstrip("/")
        found = [
            (source, index, place)
            for source, index in opened
            for place in find_definitions(index, args.name, path, args.language)
        ]
        if not found:
            return undefined(args.name, name, opened)
        shown = found[:MOST_DEFINITIONS]
        first = shown[0][2]
        left = f"{len(found) - len(shown)} more definitions were left out; a path or a class before the name narrows it"
        return ToolOutput(
            summary=f"{counted(len(found), 'definition')} of {args.name}, first {first.kind} {place_name(first)}",
            data={"definitions": [definition_data(*one) for one in shown], "total": len(found)},
            evidence=tuple(definition_evidence(*one) for one in shown),
            reason="; ".join(filter(None, [left if len(found) > len(shown) else "", *problems])),
        )

    def refer(self, args: ReferenceArgs, context: ToolContext) -> ToolOutput:
        """Find uses.

        Returns: ``data = {"references": [{"repository", "path", "line", "text", "inside", "means", "certainty",
            "import", "file_kind", "commit", "url"}], "total", "definitions"}``, the surest first. ``means``: where the
            definitions stand that a use may mean; ``certainty``: sure, likely or possible.

        Raises:
            ToolArgumentError: no name, or no such repository.
            ToolUnavailable: no repository can be read.
        """
        del context
        name = named(args.name)
        opened, problems = self.open(args.repo)
        if not opened:
            return ToolOutput(status="empty", reason=NO_REPOSITORY, data={"references": [], "total": 0})
        path, within = (text.removeprefix("./").lstrip("/") for text in (args.path, args.within))
        each = [(s, index, find_references(index, args.name, path, within, args.language)) for s, index in opened]
        defined = any(found.definitions for *_, found in each)
        kept = [one for one in each if one[2].definitions or not defined]
        ranked = sorted(
            ((source, index, use) for source, index, found in kept for use in found.uses),
            key=lambda one: -one[2].certainty,
        )
        if not ranked:
            return unused(args.name, kept, opened) if defined else undefined(args.name, name, opened)
        shown = ranked[: args.k]
        return ToolOutput(
            summary=summarize(args.name, [use for *_, use in ranked]),
            data={
                "references": [reference_data(*one) for one in shown],
                "total": len(ranked),
                "definitions": [definition_data(s, i, p) for s, i, f in kept for p in f.definitions[:MOST_DEFINITIONS]],
            },
            evidence=tuple(
                item
                for source, index, _ in kept
                if (own := [use for s, _, use in shown if s is source])
                for item in reference_evidence(source, index, args.name, own)
            ),
            reason="; ".join(filter(None, [*left_out(args.name, kept, len(ranked), len(shown)), *problems])),
        )

    def map(self, args: MapArgs, context: ToolContext) -> ToolOutput:
        """Lay out the most used files and definitions.

        Returns: ``data = {"map", "tokens", "files", "left_out"}``: the text, how many tokens it takes, how many files
            it shows, and how many definitions found no room.

        Raises:
            ToolArgumentError: no such repository.
            ToolUnavailable: no repository can be read.
        """
        del context
        opened, problems = self.open(args.repo)
        if not opened:
            return ToolOutput(status="empty", reason=NO_REPOSITORY)
        focus = [part for one in args.focus.split(",") if (part := one.strip())]
        path = args.path.removeprefix("./").lstrip("/")
        maps = self.maps(opened, args.tokens, focus, path)
        maps = [one for one in maps if one[2].files]
        if not maps:
            where = names_of(opened) + (f" under {path}" if path else "")
            return ToolOutput(status="empty", reason=f"no definition of code in {where}")
        text = joined_map(maps)
        files = sum(len(found.files) for *_, found in maps)
        tokens = count_tokens(text)
        return ToolOutput(
            summary=f"{counted(files, 'file')} of {names_of([(s, i) for s, i, _ in maps])} in {tokens} tokens",
            data={"map": text, "tokens": tokens, "files": files, "left_out": sum(m.left_out for *_, m in maps)},
            evidence=tuple(item for s, i, found in maps for item in map_evidence(s, i, found.files)),
            reason="; ".join(problems),
        )

    def maps(
        self, opened: Opened, tokens: int, focus: Sequence[str], path: str
    ) -> list[tuple[Source, CodeIndex, RepoMap]]:
        """A map of each repository; a large one gets more of the tokens, and what a small one leaves."""
        sizes = {source: sqrt(len(index.columns.definition_rows)) for source, index in opened}
        left, out = tokens, list[tuple[Source, CodeIndex, RepoMap]]()
        ordered = sorted(opened, key=lambda pair: sizes[pair[0]])
        for i, (source, index) in enumerate(ordered):
            rest = sum(sizes[s] for s, _ in ordered[i:])
            heading = count_tokens(f"# {source.name}\n\n") if len(opened) > 1 else 0
            share = int(left * sizes[source] / rest) - heading if rest else 0
            if share < LEAST_SHARE:
                continue
            graph = self.graphs.get(index, source.index_dir)
            found = map_repository(index, graph, share, focus, path)
            left -= count_tokens(found.text) + heading if found.files else 0
            out.append((source, index, found))
        return sorted(out, key=lambda one: [source for source, _ in opened].index(one[0]))


def named(symbol: str) -> str:
    """The bare name of a symbol. Raises: ToolArgumentError: there is none."""
    _, name = split_symbol(symbol)
    if not name:
        raise ToolArgumentError("name is empty; give a function, class, method, constant or type, such as Client.get")
    return name
