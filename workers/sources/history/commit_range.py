"""What changed from one commit to another, such as from one deploy to the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workers.errors import ToolArgumentError
from workers.language.nearest_names import nearest_versions
from workers.sources.git import Repository, resolve, tags
from workers.sources.history.change_search import choose
from workers.sources.history.commit_ranking import read_wish
from workers.sources.history.commits import Change, count, cut_within, keep_paths, list_range
from workers.sources.terms.query_terms import read_query

NEWEST_TAGS = 3


@dataclass(frozen=True)
class Between:
    """Changes that one commit has and another has not.

    ``old`` and ``new`` are full hashes. ``changes`` are the best for the question, newest first without one; ``count``
    is of all of them, merges left out that others account for. ``behind``: so many commits the old one has and the new
    one has not; with a ``count`` of 0 the new one is older, and going there is a rollback. ``cut``: a shallow clone
    lacks some of the commits between, so that ``count`` is of those that it has and ``behind`` is 0. ``asked``: files
    that ``asked_name`` means, whose commits come first; ``touching``: how many they are.
    """

    old: str
    new: str
    changes: tuple[Change, ...]
    count: int
    behind: int
    cut: bool = False
    asked: tuple[str, ...] = ()
    asked_name: str = ""
    touching: int = 0

    def describe(self, ends: tuple[str, str], path: str = "") -> str:
        """How one commit stands to the other, in a line. ``ends``: what they are called; ``path``: what was limited."""
        old, new = ends
        under = f" under {path}" if path else ""
        if self.old == self.new:
            return f"{old} and {new} are the same commit, {self.old[:7]}"
        if self.cut:
            return f"the history between {old} and {new} is not whole here: {counted(self.count)}{under} of it known"
        if not self.count and self.behind:
            return f"{new} is {counted(self.behind)}{under} behind {old} and has nothing new: going there is a rollback"
        if not self.count:
            return f"no commit{under} from {old} to {new}"
        lacks = f"; {self.behind} of {old} are not in {new}" if self.behind else ""
        first = self.changes[0]
        return f"{counted(self.count)}{under} from {old} to {new}, first {first.short} {first.subject}{lacks}"


def counted(number: int) -> str:
    """So many commits."""
    return f"{number} commit{'' if number == 1 else 's'}"


def read_range(text: str) -> tuple[str, str]:
    """Both ends of ``OLD..NEW``. Raises: ToolArgumentError."""
    old, dots, new = (part.strip() for part in text.partition(".."))
    if not dots or not old or not new or new.startswith("."):
        raise ToolArgumentError(f"range: {text!r} is not OLD..NEW, two commits or tags, like v1.4..v1.5")
    return old, new


def between(
    repo: Repository,
    old: str,
    new: str,
    query: str = "",
    paths: Sequence[str] = (),
    k: int = 10,
    *,
    related: Mapping[str, float] | None = None,
) -> Between | None:
    """The changes that came with ``new`` and were not in ``old``; None when one of them is unknown here.

    Args:
        repo: where to look.
        old: any name git knows a commit by.
        new: as above.
        query: ranks; it does not filter.
        paths: only commits that touch a path which begins so.
        k: how many.
        related: path -> 0..1, files that are known to matter to the question.

    Raises: ToolUnavailable: git failed.
    """
    ends = resolve(repo, old), resolve(repo, new)
    if ends[0] is None or ends[1] is None:
        return None
    wish = read_wish(read_query(query), related)
    old_end, new_end = ends[0], ends[1]
    found = choose(repo, list_range(repo, f"{old_end}..{new_end}"), wish, paths, k)
    cut = any(cut_within(repo, span) for span in (f"{old_end}..{new_end}", f"{new_end}..{old_end}"))
    behind = 0 if cut else count_behind(repo, old_end, new_end, paths)
    return Between(old_end, new_end, found.changes, found.count, behind, cut)


def count_behind(repo: Repository, old: str, new: str, paths: Sequence[str]) -> int:
    """How many commits, merges left out, the old one has and the new one has not."""
    span = f"{new}..{old}"
    if not paths:
        return count(repo, "--no-merges", span)
    return sum(not c.merge for c in keep_paths(repo, list_range(repo, span).commits, paths))


def unknown_ends(ends: tuple[str, str], repos: Mapping[str, Repository]) -> ToolArgumentError:
    """Which end of a range no repository (by its name) knows, with the tags that come nearest, else the newest."""
    where = ", ".join(repos)
    unknown = [name for name in ends if not any(resolve(repo, name) for repo in repos.values())]
    if not unknown:
        return ToolArgumentError(f"range: {ends[0]} and {ends[1]} are of different repositories ({where})")
    known = sorted((tag for repo in repos.values() for tag in tags(repo)), key=lambda t: t.at, reverse=True)
    newest = [tag.name for tag in known]
    nearest = nearest_versions(unknown, newest) or tuple(newest[:NEWEST_TAGS])
    near = f"; the nearest tags are {', '.join(nearest)}" if nearest else ""
    return ToolArgumentError(f"range: no commit {' or '.join(unknown)} in {where}{near}", nearest)
