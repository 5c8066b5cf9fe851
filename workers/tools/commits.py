"""show_commit and log_of: what a commit did, and which commits touched a place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pydantic import Field

from workers.contracts import ToolOutput
from workers.errors import ToolArgumentError
from workers.ports import ToolContext
from workers.sources.connections.open_clones import NO_REPOSITORY, Clone, at_commit, connected_repositories
from workers.sources.evidence.commit_diff_result import show_diff
from workers.sources.evidence.commit_log_result import show_log
from workers.sources.evidence.search_result import cut_notes, with_notes
from workers.sources.history.change_search import change
from workers.sources.history.commit_log import Log, LogQuery, ever_touched, log_of_all, log_of_lines, log_of_path
from workers.sources.history.diff import FileChange
from workers.sources.history.file_lines import files_at, read_lines, read_span
from workers.sources.history.path_matching import in_folder, match_path, split_place
from workers.sources.history.releases import bare
from workers.sources.history.text_grep import is_searchable
from workers.sources.history.time_span import read_span as read_times
from workers.toolkit.tool import NoOptions, Resources, Tool, ToolArgs

REPO = "only this connected repository, by its name; all when empty"

SHOW_COMMIT = (
    "Show one commit of the connected repositories: message, author, time, files, first release that has it, "
    "deploys of it, and both sides of its diff, removed (-) and added (+) lines with their numbers. Use it to "
    'check what a suspected deploy or commit really changed. Example: {"commit": "v1.42.0", "path": '
    '"cache.py"}.'
)

LOG_OF = (
    "List the commits that touched a file, a folder or a range of lines, newest first (at most 30, with how "
    "many there are), merges left out: author, time and subject of each; with lines also what they were "
    'before and after. Example: {"path": "payments/client.py", "lines": "22-30", "since": '
    '"2026-01-01T00:00:00Z"}.'
)


class ShowArgs(ToolArgs):
    """Which commit."""

    commit: str = Field(
        "", max_length=200, description="hash, tag, branch or deployed version: 91c2597, v1.42.0, main, HEAD~3"
    )
    path: str = Field("", max_length=500, description="only the diff of this file or folder")
    repo: str = Field("", max_length=200, description=REPO)


class LogArgs(ToolArgs):
    """Which commits."""

    path: str = Field("", max_length=500, description="file (under earlier names too) or folder; all files when empty")
    lines: str = Field(
        "", max_length=40, description="41-90: only commits that changed these lines of the file, as it is now"
    )
    since: str = Field("", max_length=60, description="RFC 3339, such as 2026-01-31T14:00:00Z: from this moment on")
    until: str = Field("", max_length=60, description="RFC 3339: up to this moment; now when empty")
    author: str = Field("", max_length=200, description="a part of the author's name")
    words: str = Field("", max_length=300, description="words that the commit's message holds, all of them")
    repo: str = Field("", max_length=200, description=REPO)


def build_show_commit(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError: an option is unknown."""
    commits = Commits(options, resources)
    return Tool(
        name="show_commit",
        purpose="look at a commit",
        description=SHOW_COMMIT,
        access="read",
        args=ShowArgs,
        run=commits.show,
    )


def build_log_of(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError: an option is unknown."""
    commits = Commits(options, resources)
    return Tool(
        name="log_of",
        purpose="look at the history",
        description=LOG_OF,
        access="read",
        args=LogArgs,
        run=commits.log,
    )


class Commits:
    """What both work with: the configured repositories and the known deploys."""

    def __init__(self, options: dict[str, Any], resources: Resources) -> None:
        NoOptions.model_validate(options)
        self.repositories = connected_repositories(resources.settings, resources.deploys_anywhere)

    def show(self, args: ShowArgs, context: ToolContext) -> ToolOutput:
        """Show a commit.

        Returns: ``data`` as `sources.evidence.commit_diff_result.show_diff` says.

        Raises:
            ToolArgumentError: no commit, or none of that name.
            ToolUnavailable: no repository can be read.
        """
        if not args.commit.strip():
            raise ToolArgumentError("commit is empty; give a hash, tag, branch or deployed version, such as v1.42.0")
        clones, problems = self.repositories.open(args.repo)
        if not clones:
            return ToolOutput(status="empty", reason=NO_REPOSITORY)
        known = self.repositories.known(context.now)
        clone = at_commit(clones, args.commit.strip(), known)[0]
        found = change(clone.repo, clone.commit)
        if found is None:
            return ToolOutput(status="empty", reason=f"{clone.name} has no commit {args.commit}")
        chosen = touched(found.files, args.path)
        if not chosen and args.path and not found.cut:
            near = tuple(f.path for f in found.files[:5])
            reason = (
                f"{found.short} {found.subject} did not touch {args.path}; it touched {len(found.files)} other files"
            )
            return ToolOutput(status="empty", reason=reason, nearest=near)
        named = [d for d in known.deploys if d.version and bare(d.version) == bare(args.commit.strip())]
        hint = f"{args.commit} is shown by its own commit; repo_search with deploy lists all that came with it"
        return show_diff(clone, found, chosen, known.deploys, [*problems, *([hint] if named else [])])

    def log(self, args: LogArgs, context: ToolContext) -> ToolOutput:
        """List commits.

        Returns: ``data`` as `sources.evidence.commit_log_result.show_log` says.

        Raises:
            ToolArgumentError: nothing is asked for, a time or range that is none, or lines without a file.
            ToolUnavailable: no repository can be read, or git gave up.
        """
        mistaken = next((n for n in ("path", "author", "words") if not is_searchable(getattr(args, n))), "")
        if mistaken:
            raise ToolArgumentError(f"{mistaken} holds a line break or another character that cannot be searched for")
        path, named = split_place(args.path)
        lines = args.lines or named
        if not (path or args.author.strip() or args.words.strip() or args.since):
            raise ToolArgumentError("give a path, an author, words or since: which commits are meant")
        if lines and not path:
            raise ToolArgumentError("lines need the path of their file")
        span = read_span(lines) if lines else None
        since, until = read_times(args.since, args.until, context.now)
        query = LogQuery(since, min(until, context.now), args.author.strip(), tuple(args.words.split()))
        clones, problems = self.repositories.open(args.repo)
        if not clones:
            return ToolOutput(status="empty", reason=NO_REPOSITORY)
        if not path:
            logs = [(c, log_of_all(c.repo, c.commit, query)) for c in clones]
            return logged(logs, "", query, problems)
        places = [(clone, place) for clone in clones for place in meant(clone, path)]
        if len(places) != 1:
            return no_place(args.path, clones, places)
        clone, place = places[0]
        if span is None:
            return logged([(clone, log_of_path(clone.repo, clone.commit, place, query))], place, query, problems)
        log, shown = lines_of(clone, place, span, query)
        return logged([(clone, log)], shown, query, problems)


def logged(logs: Sequence[tuple[Clone, Log]], place: str, query: LogQuery, problems: Sequence[str]) -> ToolOutput:
    """The commits as output; those of a shallow clone are all that it has, not all that there are."""
    notes = cut_notes([(c.name, c.repo, c.commit) for c, _ in logs], query.since)
    rows = [(c.name, replace(log, whole=log.whole and not notes)) for c, log in logs]
    return with_notes(show_log(rows, place, query, problems), notes)


def touched(files: Sequence[FileChange], path: str) -> Sequence[FileChange]:
    """The files of a commit that a path means, by their names before and after."""
    if not path:
        return files
    names = tuple(dict.fromkeys(n for f in files for n in (f.path, f.old_path) if n))
    chosen = {*match_path(split_place(path)[0], names).paths}
    folders = in_folder(path, names)
    return [f for f in files if chosen & {f.path, f.old_path} or (folders and f.path.startswith(folders))]


def meant(clone: Clone, path: str) -> tuple[str, ...]:
    """The files or folders that a path means; a file that is gone by its whole path."""
    paths = tuple(files_at(clone.repo, clone.commit))
    exact = [p for p in paths if p == path.strip("/")]
    found = tuple(exact) or in_folder(path, paths) or match_path(path, paths).paths
    if found:
        return found
    gone = path.strip("/")
    return (gone,) if ever_touched(clone.repo, clone.commit, gone) else ()


def lines_of(clone: Clone, path: str, span: tuple[int, int], query: LogQuery) -> tuple[Log, str]:
    """The history of some lines of a file, and their place. Raises: ToolArgumentError: there are no such lines."""
    blob = files_at(clone.repo, clone.commit).get(path)
    if blob is None:
        raise ToolArgumentError(f"lines: {path} is a folder or is gone; lines are those of a file as it is now")
    lines, why = read_lines(clone.repo, blob)
    if why or span[0] > len(lines):
        raise ToolArgumentError(f"lines: {path} {why or f'has {len(lines)} lines'}, so it has no line {span[0]}")
    last = min(span[1] or len(lines), len(lines))
    return log_of_lines(clone.repo, clone.commit, path, (span[0], last), query), f"{path}:{span[0]}-{last}"


def no_place(asked: str, clones: Sequence[Clone], places: Sequence[tuple[Clone, str]]) -> ToolOutput:
    """No file or folder is meant, or several."""
    where = ", ".join(c.name for c in clones)
    if not places:
        near = [p for c in clones for p in match_path(asked, tuple(files_at(c.repo, c.commit))).nearest]
        reason = f"{where} has and had no file or folder {asked!r}"
        return ToolOutput(status="empty", reason=reason, nearest=tuple(near[:5]))
    names = tuple(dict.fromkeys(f"{c.name}: {p}" if len(clones) > 1 else p for c, p in places))
    reason = f"{asked!r} may be any of {len(names)}: {', '.join(names[:8])}; give more of the path, or repo"
    return ToolOutput(status="empty", reason=reason, nearest=names[:8])
