"""repo_search: code and its changes in the configured git repositories, read only."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from datetime import datetime
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from workers.contracts import Deploy, Landscape, ToolOutput
from workers.errors import StoreUnavailable, ToolArgumentError, ToolUnavailable
from workers.ports import ToolContext
from workers.sources.code.index import CodeHit, CodeIndex, whole_lines
from workers.sources.code.named_folders import named_folder
from workers.sources.code.symbol_uses import own_uses
from workers.sources.connections.index_warmup import Warmer
from workers.sources.connections.multi_index_search import Survey, ask_all, open_all
from workers.sources.connections.open_sources import OpenSources, Source, open_code_sources
from workers.sources.connections.source_status import joined, refreshed
from workers.sources.evidence.code_origin_result import show_origin
from workers.sources.evidence.commit_list_result import Span, report, show_span
from workers.sources.evidence.commit_range_result import Wanted, show_range, show_release
from workers.sources.evidence.line_history_result import Lines, show_history, show_trace
from workers.sources.evidence.search_hits import Details, code_evidence, with_folder, with_owner
from workers.sources.evidence.search_result import Opened, names_of, nothing, shape, unnamed
from workers.sources.evidence.setting_result import show_settings
from workers.sources.git import open_repository, tags
from workers.sources.history.blame import LastChange, last_change
from workers.sources.history.change_search import change
from workers.sources.history.commit_range import read_range
from workers.sources.history.releases import DEPLOYS_SINCE, read_release
from workers.sources.history.stack_traces import read_trace
from workers.sources.history.time_span import read_span
from workers.toolkit.tool import Resources, Tool, ToolArgs

MAX_ROUTES = 500
MAX_TAGS = 50


class RepoOptions(BaseModel):
    """Options of ``repo_search`` in ``config/tools.yaml``.

    ``detailed_hits`` best hits also say when they last changed, for which git gets ``blame_ms``, and who uses them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    excerpt_lines: int = Field(15, ge=3, le=80)
    detailed_hits: int = Field(2, ge=0, le=10)
    blame_ms: int = Field(1_000, ge=0, le=5_000)
    references: int = Field(5, ge=0, le=20)


class RepoArgs(ToolArgs):
    """What to look for. With ``since``, ``until``, ``commit``, ``range`` or ``deploy`` it is changes, else code."""

    query: str = Field(
        "", max_length=20_000, description="question, identifier, path, endpoint, error message or stack trace"
    )
    since: str = Field("", description="RFC 3339: changes from this moment on")
    until: str = Field("", description="RFC 3339: changes up to this moment")
    commit: str = Field("", max_length=200, description="a commit, tag or branch: what this one changed")
    range: str = Field(
        "", max_length=400, description="OLD..NEW, commits, tags or deployed versions: the changes between them"
    )
    deploy: str = Field(
        "",
        max_length=300,
        description="SERVICE, SERVICE@ENVIRONMENT or SERVICE:VERSION: what its last deploy, or that version, brought; "
        "@ is the last of any service",
    )
    path: str = Field("", max_length=500, description="only paths that begin so")
    history: bool = Field(
        False, description="the commits that changed the lines which answer best, each value's old and new line"
    )
    origin: bool = Field(
        False, description="the commit that brought the name, file or part of the query, and the one that removed it"
    )
    values: bool = Field(
        False, description="every place that sets what the query asks for: its value in each environment, its default"
    )
    k: int = Field(6, ge=1, le=20, description="how many results")


def build(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool.

    Raises:
        pydantic.ValidationError: an option is unknown or out of range.
    """
    search = RepoSearch(RepoOptions.model_validate(options), resources)
    return Tool(
        name="repo_search",
        purpose="search the code",
        description="Find code, configuration and commits in the connected git repositories.",
        access="read",
        args=RepoArgs,
        run=search.run,
        ping=search.ping,
        landscape=search.landscape,
        refresh=search.refresh,
        prepare=search.warmer.prepare,
    )


class RepoSearch:
    """The tool's state: its options and the opened indexes."""

    def __init__(self, options: RepoOptions, resources: Resources) -> None:
        self.options = options
        self.shelf: OpenSources[CodeIndex] = resources.shared(open_code_sources)
        self.warmer = Warmer(self.shelf, lambda index, question: index.find(question, 1))
        self.deploys = resources.deploys_anywhere
        self.environment = resources.settings.core.environment
        self.touched = lru_cache(maxsize=2_000)(self.blame)

    def run(self, args: RepoArgs, context: ToolContext) -> ToolOutput:
        """Answer one call.

        Returns:
            ``data = {"snippets", "changes", "missing", "absent", "unavailable"}``: the first two as evidence holds
            them, then specific things and plain words of the question that no repository names. With a range also
            ``"range": {"repository", "old", "new", "count", "behind"}``, with a deploy ``"deploy"``: its service,
            version, commit, environment, source and at, and under ``replaced`` the same of the one before it. With
            ``since`` or ``until`` ``"span"`` (`sources.evidence.commit_list_result`), with a stack trace as the query
            ``"frames"``, with ``history`` ``"steps"`` (`sources.evidence.line_history_result`), with ``origin``
            ``"origin"`` (`workers.sources.evidence.code_origin_result`), with ``values`` ``"settings"``
            (`workers.sources.evidence.setting_result`).

        Raises:
            ToolArgumentError: no question, a moment that is none, or an end of a range that no repository knows.
            ToolUnavailable: no configured repository can be read.
        """
        span = read_span(args.since, args.until, context.now)
        ends = read_range(args.range) if args.range else None
        release = read_release(args.deploy) if args.deploy else None
        if len([one for one in (ends, release, args.commit, args.since or args.until) if one]) > 1:
            name = "range" if ends else "deploy" if release else "commit"
            raise ToolArgumentError(f"{name}: give only one of since with until, commit, range and deploy")
        if not args.query.strip() and not (ends or release or args.since or args.until or args.commit):
            raise ToolArgumentError("query is empty; give a question, or since, until, commit, range or deploy")
        if not self.shelf.sources:
            return ToolOutput(status="empty", reason="no repository is connected", data=shape())
        opened, problems = open_all(self.shelf)
        if ends:
            return show_range(ends, self.wanted(args, context.now, opened, problems))
        if release:
            return show_release(release, self.wanted(args, context.now, opened, problems))
        if args.commit:
            return self.show_commit(args, opened, problems)
        if args.since or args.until:
            return show_span(Span(*span, args.query, args.path, args.k), opened, problems)
        if args.values:
            return show_settings(args.query, opened, problems)
        if args.origin:
            return show_origin(args.query, self.lines(args, context.now, opened, problems))
        trace = None if args.history else read_trace(args.query)
        if trace:
            return show_trace(trace, self.lines(args, context.now, opened, problems, deployed=True))
        if args.history:
            return show_history(args.query, self.lines(args, context.now, opened, problems))
        return self.show_code(args, opened, problems)

    def lines(
        self, args: RepoArgs, now: datetime, opened: Opened, problems: tuple[str, ...], *, deployed: bool = False
    ) -> Lines:
        """Where lines are looked for, and with ``deployed`` what was deployed."""
        known = self.wanted(args, now, opened, problems) if deployed else None

        def ask(query: str, k: int) -> Survey[CodeHit]:
            return self.ask(query, args.path, k, opened, problems)

        most = self.options.excerpt_lines
        return Lines(opened, ask, args.k, most, now, problems, known.deploys if known else (), self.environment)

    def ask(self, query: str, path: str, k: int, opened: Opened, problems: tuple[str, ...]) -> Survey[CodeHit]:
        """Put a question to every repository."""
        lines = self.options.excerpt_lines
        return ask_all(opened, lambda index: index.find(query, k, path=path, max_lines=lines), k, problems)

    def show_code(self, args: RepoArgs, opened: Opened, problems: tuple[str, ...]) -> ToolOutput:
        """Snippets, best first."""
        folders = {s: f for s, index in opened if not args.path and (f := named_folder(index, args.query))}
        source = max(folders, key=lambda s: folders[s].files, default=None)
        path = folders[source].path if source else args.path
        survey = self.ask(args.query, path, args.k, [p for p in opened if source in {None, p[0]}], problems)
        if not survey.covered and source:
            survey = self.ask(args.query, args.path, args.k, opened, problems)
        if not survey.covered:
            return nothing(survey, opened, args.query, args.path)
        indexes = dict(opened)
        details = self.detail(survey, indexes)
        evidence = tuple(
            with_folder(with_owner(code_evidence(source.name, hit, more), indexes[source]), folders.get(source))
            for (source, hit), more in zip(survey.hits, details, strict=True)
        )
        snippets = [asdict(hit) | {"repository": source.name} for source, hit in survey.hits]
        best = survey.hits[0][1]
        count = f"{len(snippets)} place{'s' * (len(snippets) > 1)}"
        return ToolOutput(
            summary=f"{count}, first {best.path}:{best.start_line}-{best.end_line}",
            data=shape(survey, snippets=snippets) | {"unnamed": unnamed(survey, opened, args.query)},
            evidence=evidence,
            reason="; ".join(problems),
        )

    def show_commit(self, args: RepoArgs, opened: Opened, problems: tuple[str, ...]) -> ToolOutput:
        """What one commit changed, from the first repository that has it."""
        for source, _ in opened:
            one = change(source.path, args.commit, args.query)
            if one:
                return report([(source, one)], Survey(unavailable=problems), dict(opened), "")
        return ToolOutput(status="empty", reason=f"no commit {args.commit} in {names_of(opened)}", data=shape())

    def wanted(self, args: RepoArgs, now: datetime, opened: Opened, problems: tuple[str, ...]) -> Wanted:
        """Which changes of a range or a deploy."""
        try:
            deploys = self.deploys(now - DEPLOYS_SINCE, now)
        except StoreUnavailable as error:
            raise ToolUnavailable(str(error)) from error
        return Wanted(args.query, args.path, args.k, now, opened, problems, deploys, self.environment)

    def detail(self, survey: Survey[CodeHit], indexes: dict[Source, CodeIndex]) -> list[Details]:
        """Last change and uses of the best hits; git runs for all of them at once."""
        top = survey.hits[: self.options.detailed_hits]
        rest = [Details()] * (len(survey.hits) - len(top))
        if not top:
            return rest
        with ThreadPoolExecutor(len(top)) as pool:
            lasts = list(pool.map(lambda pair: self.last(indexes[pair[0]], *pair), top))
        return [
            Details(last, own_uses(indexes[source], hit, self.options.references), whole_lines(indexes[source], hit))
            for last, (source, hit) in zip(lasts, top, strict=True)
        ] + rest

    def last(self, index: CodeIndex, source: Source, hit: CodeHit) -> LastChange | None:
        """The last change of a hit's lines, of all lines of what begins there, when git says in time."""
        return self.touched(source, hit.commit, hit.path, *whole_lines(index, hit))

    def blame(self, source: Source, commit: str, path: str, start: int, end: int) -> LastChange | None:
        """Ask git who last touched some lines."""
        if not self.options.blame_ms:
            return None
        return last_change(source.path, commit, path, start, end, timeout_s=self.options.blame_ms / 1_000)

    def ping(self) -> str:
        """Name every repository with its commit, bringing its index up to date.

        Raises:
            ToolUnavailable: one of them cannot be read.
        """
        return joined(self.refresh()) or "no repository is connected"

    def refresh(self) -> Iterator[tuple[str, bool]]:
        """Bring the index of each repository up to date. Yields: as `source_status.refreshed`."""
        return refreshed("repo_search", self.shelf)

    def landscape(self, context: ToolContext) -> Landscape:
        """Repository names, the endpoints their code registers, and their tags as deploys."""
        try:
            opened, _ = open_all(self.shelf)
        except ToolUnavailable:
            return Landscape()
        routes = tuple(dict.fromkeys(route for _, index in opened for route in index.routes()))[:MAX_ROUTES]
        return Landscape(
            labels={"route": routes} if routes else {},
            repositories=tuple(source.name for source, _ in opened),
            deploys=tuple(sorted(tag_deploys(opened, context.now), key=lambda d: d.at)),
        )


def tag_deploys(opened: Opened, now: datetime) -> Iterator[Deploy]:
    """The newest tags of each repository up to now, as deploys."""
    for source, _ in opened:
        past = [t for t in tags(open_repository(source.path)) if t.at <= now]
        for tag in past[-MAX_TAGS:]:
            yield Deploy(service=source.name, version=tag.name, commit=tag.commit, at=tag.at, source="git tag")
