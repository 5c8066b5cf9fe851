"""The connected repositories opened through git alone: no index is needed, and any commit of them can be read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from workers.contracts import Deploy
from workers.errors import StoreUnavailable, ToolArgumentError, ToolUnavailable
from workers.language.nearest_names import nearest_names, nearest_versions
from workers.settings.load import Settings
from workers.sources.code.permalinks import file_link, permalink
from workers.sources.connections.open_sources import Source, code_sources
from workers.sources.connections.source_status import lateness, waiting
from workers.sources.git import Repository, open_repository, remote_url, resolve, tags
from workers.sources.history.releases import DEPLOYS_SINCE, by_version, commit_of

NEWEST = 3
NO_REPOSITORY = "no repository is connected"


@dataclass(frozen=True)
class Clone:
    """A repository and the commit that is read of it: its branch's newest by default."""

    source: Source
    repo: Repository
    commit: str
    head: str

    @property
    def name(self) -> str:
        """What the repository is called."""
        return self.source.name

    def link(self, path: str, start: int, end: int) -> str | None:
        """The address of lines at this commit; of the newest one also the file in the work tree."""
        address = self.source.template or remote_url(self.repo)
        known = permalink(address, self.commit, path, start, end)
        here = self.repo.root if self.commit == self.head else None
        return known or (file_link(here, path, start, end) if here else None)


@dataclass(frozen=True)
class KnownDeploys:
    """What was deployed up to a moment, to any environment; ``environment`` is the one that counts by default."""

    deploys: Sequence[Deploy]
    environment: str
    now: datetime


@dataclass(frozen=True)
class Repositories:
    """The configured repositories, and who reads the deploys whose versions may name a commit of them."""

    sources: Sequence[Source]
    deploys: Callable[[datetime, datetime], Sequence[Deploy]]
    environment: str

    def open(self, wanted: str = "") -> tuple[list[Clone], tuple[str, ...]]:
        """The repositories that can be read, or the one of a name, and a sentence for each that cannot or that is old.

        Raises:
            ToolArgumentError: there is no repository of that name.
            ToolUnavailable: none can be read.
        """
        chosen = [s for s in self.sources if not wanted or s.name.casefold() == wanted.casefold()]
        if self.sources and not chosen:
            names = tuple(dict.fromkeys(s.name for s in self.sources))
            near = nearest_names([wanted], names) or names[:NEWEST]
            raise ToolArgumentError(f"repo: no repository is named {wanted!r}; there are {', '.join(names[:8])}", near)
        clones: list[Clone] = []
        problems: list[str] = []
        for source in chosen:
            try:
                repo = open_repository(source.path)
            except ToolUnavailable as error:
                problems.append(waiting(source) if source.kept else str(error))
                continue
            head = resolve(repo, source.branch)
            if head is None:
                what = f"has no branch {source.branch}" if source.branch else "has no commits yet"
                problems.append(f"{source.name} {what}")
                continue
            clones.append(Clone(source, repo, head, head))
            problems += filter(None, [lateness(source)])
        if problems and not clones:
            raise ToolUnavailable("; ".join(problems))
        return clones, tuple(problems)

    def known(self, now: datetime) -> KnownDeploys:
        """The deploys up to a moment. Raises: ToolUnavailable: they cannot be read."""
        try:
            return KnownDeploys(self.deploys(now - DEPLOYS_SINCE, now), self.environment, now)
        except StoreUnavailable as error:
            raise ToolUnavailable(str(error)) from error


def connected_repositories(
    settings: Settings, deploys: Callable[[datetime, datetime], Sequence[Deploy]]
) -> Repositories:
    """Those of the configuration; ``deploys``: to any environment, of a span."""
    return Repositories(code_sources(settings), deploys, settings.core.environment)


def at_commit(clones: Sequence[Clone], name: str, known: KnownDeploys) -> list[Clone]:
    """The clones that know a commit by its hash, tag, branch or deployed version, each as of it.

    Raises:
        ToolArgumentError: none of them knows it; carries the nearest tags and versions.
    """
    if not name:
        return list(clones)
    found = [as_of(clone, commit) for clone in clones if (commit := resolve(clone.repo, name))]
    deploy = None if found else by_version(known.deploys, name, known.environment, known.now)
    if deploy:
        found = [as_of(c, commit) for c in clones if (commit := commit_of(deploy, c.repo, c.name))]
    if found:
        return found
    marks = sorted((tag for c in clones for tag in tags(c.repo)), key=lambda t: t.at, reverse=True)
    versions = [d.version for d in sorted(known.deploys, key=lambda d: d.at, reverse=True) if d.version]
    names = list(dict.fromkeys((*(tag.name for tag in marks), *versions)))
    near = nearest_versions([name], names) or tuple(names[:NEWEST])
    where = ", ".join(c.name for c in clones)
    raise ToolArgumentError(f"commit: {where} has no commit, tag, branch or deployed version {name!r}", near)


def as_of(clone: Clone, commit: str) -> Clone:
    """The same repository at another commit."""
    return Clone(clone.source, clone.repo, commit, clone.head)
