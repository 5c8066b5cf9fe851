"""What is known of an incident: its alert, series, log patterns, spans, changes and notices. Times are aware."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from workers.sources.history.commits import Change
from workers.sources.history.diff import diff_text
from workers.sources.traces.span import Span


@dataclass(frozen=True)
class Alert:
    """What fired: the service that it is of, the metric, a sentence, and when."""

    service: str
    metric: str
    summary: str
    at: datetime | None


@dataclass(frozen=True)
class Series:
    """Samples of one metric of one service: epoch seconds and values, in order."""

    service: str
    metric: str
    times: Sequence[float]
    values: Sequence[float]


@dataclass(frozen=True)
class LogPattern:
    """Lines of one shape: how many there are, by how many more than before, and whether they tell of trouble."""

    service: str
    text: str
    count: int
    grown_by: int
    trouble: bool

    @property
    def is_new(self) -> bool:
        """Whether most of its lines came with the incident."""
        return self.grown_by > 0 and self.grown_by >= self.count / 2


@dataclass(frozen=True)
class Commit:
    """A change of code or of what is kept with it. ``diff``: unified, as far as it is known."""

    sha: str
    at: datetime | None
    title: str
    files: tuple[str, ...]
    diff: str

    @classmethod
    def of(cls, change: Change) -> Commit:
        """A commit of a repository, its diff as far as it was read."""
        files = tuple(f.path for f in change.files)
        return cls(change.commit, change.at, change.subject, files, diff_text(change.files))


@dataclass(frozen=True)
class Release:
    """A deploy of a service. ``holds``: the commits that it brought, where these are known; None where not."""

    service: str
    commit: str
    version: str
    at: datetime
    holds: frozenset[str] | None = None

    def is_of(self, commit: Commit) -> bool:
        """Whether it deployed a commit itself, which may be named by the beginning of its sha."""
        return bool(self.commit) and commit.sha.startswith(self.commit)


@dataclass(frozen=True)
class Flag:
    """A feature flag or a setting outside the code that was changed."""

    name: str
    service: str
    change: str
    at: datetime


@dataclass(frozen=True)
class Notice:
    """What a provider, a cluster or a person told.

    ``source`` names who; ``thing`` what it is about, where services use that; ``warns``: it is marked as a warning;
    ``is_event``: a machine tells what happened then, so that what it tells of later is no cause.
    """

    source: str
    text: str
    status: str
    at: datetime | None
    thing: str = ""
    warns: bool = False
    is_event: bool = False


@dataclass(frozen=True)
class Part:
    """The value of a label that carries most of what moved. ``share``: of all of it, 0 to 1."""

    label: str
    value: str
    share: float


@dataclass(frozen=True)
class Incident:
    """Everything that is known.

    ``calls``: caller and callee. ``uses``: a service, and a node, data store, resolver or gateway that it rests on.
    ``part``: which part of what moved carries it. ``recovered``: when that came back. ``unread``: what could not be
    read, in sentences.
    """

    alert: Alert
    series: tuple[Series, ...] = ()
    patterns: tuple[LogPattern, ...] = ()
    spans: tuple[Span, ...] = ()
    commits: tuple[Commit, ...] = ()
    releases: tuple[Release, ...] = ()
    flags: tuple[Flag, ...] = ()
    notices: tuple[Notice, ...] = ()
    calls: frozenset[tuple[str, str]] = frozenset()
    uses: frozenset[tuple[str, str]] = frozenset()
    part: Part | None = None
    recovered: datetime | None = None
    unread: tuple[str, ...] = ()

    @cached_property
    def commit_times(self) -> dict[str, datetime | None]:
        """When each commit was made, by its sha."""
        return {c.sha: c.at for c in self.commits}

    @cached_property
    def ordered_releases(self) -> tuple[Release, ...]:
        """The deploys, the earliest first."""
        return tuple(sorted(self.releases, key=lambda r: r.at))

    @cached_property
    def services(self) -> frozenset[str]:
        """Every service that a source names."""
        named = {self.alert.service, *(s.service for s in self.series), *(p.service for p in self.patterns)}
        named |= {s.service for s in self.spans} | {r.service for r in self.releases} | {f.service for f in self.flags}
        return frozenset(named | {name for call in self.calls for name in call}) - {""}
