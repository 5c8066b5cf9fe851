"""read_file, grep_code and list_files: the files of the connected repositories as an engineer reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import Field

from workers.contracts import ToolOutput
from workers.errors import ToolArgumentError
from workers.ports import ToolContext
from workers.sources.connections.open_clones import NO_REPOSITORY, Clone, at_commit, connected_repositories
from workers.sources.evidence.code_files_output import (
    MOST_LINES,
    MOST_MATCHES,
    no_file,
    no_folder,
    no_match,
    show_file,
    show_matches,
    unclear,
)
from workers.sources.evidence.code_files_result import tree_evidence, tree_rows
from workers.sources.history.file_lines import files_at, read_span
from workers.sources.history.glob_paths import fits_glob, is_glob
from workers.sources.history.path_matching import in_folder, match_path, nearest_paths, split_place
from workers.sources.history.text_grep import Match, check_pattern, grep_commit
from workers.toolkit.tool import NoOptions, Resources, Tool, ToolArgs

AROUND = 15
REPO = "only this connected repository, by its name; all when empty"
COMMIT = "as of this commit, tag or deployed version, such as v1.41.0; the newest commit when empty"

READ_FILE = (
    f"Read a file of the connected repositories, whole (up to {MOST_LINES} lines) or some of its lines, as of "
    "the newest or any other commit. Use it to see the code around a place that another tool or a stack trace "
    'names. Example: {"path": "payments/client.py", "lines": "20-60"}. An unclear path is answered with the '
    "files it may mean."
)

GREP_CODE = (
    "Find every line that matches a regular expression in all files of the connected repositories, at their "
    "newest commit: exact uses of a name, an error message, a setting. Says how many lines match in which "
    f"files, and shows up to {MOST_MATCHES} with a line around each. For questions in words use repo_search. "
    'Example: {"pattern": "max_attempts", "path": "*.yaml"}.'
)

LIST_FILES = (
    "List the files of a connected repository or folder with their sizes, or those that fit a glob; folders "
    'that hold very much are counted. Example: {"path": "db/", "glob": "*.sql"}.'
)


class ReadArgs(ToolArgs):
    """Which file."""

    path: str = Field(
        "",
        max_length=500,
        description="path, end of a path, path of a stack trace or dotted module: payments/client.py, client.py, "
        "/app/src/payments/client.py, payments.client",
    )
    lines: str = Field("", max_length=40, description="41-90, 41- or 41; from the first line when empty")
    commit: str = Field("", max_length=200, description=COMMIT)
    repo: str = Field("", max_length=200, description=REPO)


class GrepArgs(ToolArgs):
    """What to look for."""

    pattern: str = Field(
        "",
        max_length=500,
        description="Perl-compatible regular expression, matched line by line: TTL_SECONDS\\s*=, def charge\\b, "
        "requests\\.(get|post)\\(",
    )
    path: str = Field(
        "", max_length=500, description="only this file or folder, or files that fit a glob: config/, *.yaml"
    )
    ignore_case: bool = Field(False, description="capital letters count as small ones")
    repo: str = Field("", max_length=200, description=REPO)


class ListArgs(ToolArgs):
    """Which files."""

    path: str = Field("", max_length=500, description="a folder, such as payments/; the whole repository when empty")
    glob: str = Field("", max_length=300, description="only files that fit: *.sql, config/*.yaml, **/test_*.py")
    repo: str = Field("", max_length=200, description=REPO)


def build_read_file(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError: an option is unknown."""
    files = CodeFiles(options, resources)
    return Tool(
        name="read_file",
        purpose="read a file",
        description=READ_FILE,
        access="read",
        args=ReadArgs,
        run=files.read,
    )


def build_grep_code(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError: an option is unknown."""
    files = CodeFiles(options, resources)
    return Tool(
        name="grep_code",
        purpose="search the code for a pattern",
        description=GREP_CODE,
        access="read",
        args=GrepArgs,
        run=files.grep,
    )


def build_list_files(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError: an option is unknown."""
    files = CodeFiles(options, resources)
    return Tool(
        name="list_files",
        purpose="list the files",
        description=LIST_FILES,
        access="read",
        args=ListArgs,
        run=files.tree,
    )


class CodeFiles:
    """What the three work with: the configured repositories and the known deploys."""

    def __init__(self, options: dict[str, Any], resources: Resources) -> None:
        NoOptions.model_validate(options)
        self.repositories = connected_repositories(resources.settings, resources.deploys_anywhere)

    def read(self, args: ReadArgs, context: ToolContext) -> ToolOutput:
        """Read a file.

        Returns: ``data = {"path", "repository", "commit", "start_line", "end_line", "total_lines", "text", "cut"}``:
            ``cut`` says which lines were left out, if any; ``{"candidates"}`` alone when several files may be meant.

        Raises:
            ToolArgumentError: no path, no such lines, or a commit or repository that does not exist.
            ToolUnavailable: no repository can be read.
        """
        path, named = split_place(args.path)
        if not path:
            raise ToolArgumentError("path is empty; give a file, such as payments/client.py")
        span = read_span(args.lines) if args.lines else around_line(named) if named else (1, 0)
        clones, problems = self.repositories.open(args.repo)
        if not clones:
            return ToolOutput(status="empty", reason=NO_REPOSITORY)
        if args.commit:
            clones = at_commit(clones, args.commit, self.repositories.known(context.now))
        found = [(clone, match_path(path, tuple(files_at(clone.repo, clone.commit)))) for clone in clones]
        meant = [(clone, p) for clone, match in found for p in match.paths]
        exact = [(clone, p) for clone, p in meant if p == path.strip("/")]
        if len(exact) == 1 or len(meant) == 1:
            return show_file(*(exact or meant)[0], span, problems)
        if meant:
            return unclear(args.path, meant)
        return no_file(args.path, clones, [p for _, match in found for p in match.nearest])

    def grep(self, args: GrepArgs, context: ToolContext) -> ToolOutput:
        """Search.

        Returns: ``data = {"matches", "files", "whole", "lines": [{"repository", "path", "line", "text"}]}``: how many
            lines match in how many files, whether these are all, and the lines that are shown.

        Raises:
            ToolArgumentError: the pattern is none, or there is no such repository.
            ToolUnavailable: no repository can be read, or the search takes too long.
        """
        del context
        if not args.pattern.strip():
            raise ToolArgumentError("pattern is empty; give a regular expression, such as max_attempts\\s*[:=]")
        clones, problems = self.repositories.open(args.repo)
        if not clones:
            return ToolOutput(status="empty", reason=NO_REPOSITORY)
        check_pattern(clones[0].repo, args.pattern, ignore_case=args.ignore_case)
        limits = {clone.name: limit_paths(clone, args.path) for clone in clones}
        if args.path and not any(limits.values()):
            near = [p for c in clones for p in nearest_paths(args.path, tuple(files_at(c.repo, c.commit)))]
            where = ", ".join(c.name for c in clones)
            return ToolOutput(
                status="empty", reason=f"{where} has no file or folder {args.path!r}", nearest=tuple(near[:5])
            )
        searched = [(clone, limits[clone.name]) for clone in clones if limits[clone.name] or not args.path]
        found, whole = grep_all(searched, args.pattern, ignore_case=args.ignore_case)
        if not found:
            otherwise = [] if args.ignore_case else grep_all(searched, args.pattern, ignore_case=True)[0]
            return no_match(args.pattern, args.path, clones, len(otherwise))
        return show_matches(args.pattern, clones, found, problems, whole=whole)

    def tree(self, args: ListArgs, context: ToolContext) -> ToolOutput:
        """List files.

        Returns: ``data = {"folders": [{"repository", "folder", "commit", "files", "rows"}]}``: per repository how many
            files there are, and the rows that are shown.

        Raises:
            ToolArgumentError: there is no such repository.
            ToolUnavailable: no repository can be read.
        """
        del context
        clones, problems = self.repositories.open(args.repo)
        if not clones:
            return ToolOutput(status="empty", reason=NO_REPOSITORY)
        listed = []
        for clone in clones:
            files = files_at(clone.repo, clone.commit)
            folders = in_folder(args.path, tuple(files)) if args.path.strip("/. ") else ("",)
            for folder in folders:
                inside = [b for p, b in files.items() if p.startswith(folder) and fits_glob(p, args.glob, folder)]
                listed += [(clone, folder, inside)] if inside else []
        if not listed:
            return no_folder(args.path, args.glob, clones)
        evidence = [e for c, folder, held in listed for e in tree_evidence(c, folder, tree_rows(folder, held), held)]
        said = "; ".join(f"{len(held)} files in {folder or clone.name}" for clone, folder, held in listed)
        data = [
            {
                "repository": clone.name,
                "folder": folder,
                "commit": clone.commit,
                "files": len(held),
                "rows": tree_rows(folder, held),
            }
            for clone, folder, held in listed
        ]
        return ToolOutput(summary=said, data={"folders": data}, evidence=tuple(evidence), reason="; ".join(problems))


def grep_all(
    searched: Sequence[tuple[Clone, tuple[str, ...]]], pattern: str, *, ignore_case: bool
) -> tuple[list[tuple[Clone, Match]], bool]:
    """Matching lines of several repositories, each with the paths that are searched, and whether these are all."""
    each = [
        (clone, grep_commit(clone.repo, clone.commit, pattern, p, ignore_case=ignore_case)) for clone, p in searched
    ]
    return [(clone, match) for clone, own in each for match in own.found], all(own.whole for _, own in each)


def around_line(named: str) -> tuple[int, int]:
    """The lines around the one that a path names, as a stack trace does; a range as it is."""
    first, last = read_span(named)
    return (max(first - AROUND, 1), last + AROUND) if first == last else (first, last)


def limit_paths(clone: Clone, asked: str) -> tuple[str, ...]:
    """The files and folders that a search is limited to."""
    if not asked:
        return ()
    paths = tuple(files_at(clone.repo, clone.commit))
    if is_glob(asked):
        return tuple(p for p in paths if fits_glob(p, asked))
    return in_folder(asked, paths) or match_path(split_place(asked)[0], paths).paths
