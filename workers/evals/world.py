"""A world file: a small team's repository, documents, metrics, alerts and deploys, relative to its own "now"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, Discriminator, Field, Tag, model_validator

from workers.errors import ConfigError
from workers.evals.relative_times import When, moment_of
from workers.evals.yaml_models import Piece, checked, read_yaml
from workers.settings.load import shown_path
from workers.sources.metrics.catalogue import Role, Unit, normal

Name = Annotated[str, Field(min_length=1, max_length=200)]
SeriesName = Annotated[str, Field(pattern=r"^[a-zA-Z_:][a-zA-Z0-9_:]*$")]
Labels = dict[Annotated[str, Field(pattern=r"^[a-zA-Z_][a-zA-Z0-9_]*$")], str]
Share = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[float, Field(gt=0, lt=1e12)]
Amount = Annotated[float, Field(ge=0, lt=1e12)]
PERSON = re.compile(r"[^<>\n\0]+")


class Commit(Piece):
    """One commit. ``files``: path -> the text it has afterwards; ``delete``: paths that go."""

    at: When
    author: Annotated[str, Field(pattern=r"^[^<>\n\x00]*\S[^<>\n\x00]*$")]
    message: Annotated[str, Field(min_length=1)]
    files: dict[str, str] = Field(default_factory=dict)
    delete: tuple[str, ...] = ()
    tag: Annotated[str, Field(pattern=r"^[A-Za-z0-9._/-]*$")] = ""


class Repository(Piece):
    """A git repository. ``permalink`` is a template with {commit} {path} {start} {end}."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]+$")]
    permalink: str = ""
    commits: Annotated[tuple[Commit, ...], Field(min_length=1)]


class DeployEntry(Piece):
    """One deploy; ``tag`` names the commit that went out."""

    service: Name
    version: Name
    tag: str = ""
    at: When


class Documents(Piece):
    """A folder of documents. ``url`` is a template with {path} {anchor}."""

    url: str = ""
    files: dict[str, str]


class Span(Piece):
    """When a level is another one; without ``until`` it stays so."""

    at: When
    until: When | None = None


class LatencyShift(Span):
    """What is not named keeps its base level."""

    rate: Positive | None = None
    p50: Positive | None = None
    p95: Positive | None = None
    errors: Share | None = None


class GaugeShift(Span):
    """What is not named keeps its base level."""

    value: float | None = None
    noise: Amount | None = None


class CounterShift(Span):
    """A counter that grows at another rate."""

    rate: Amount


class Latency(Piece):
    """Requests with these labels: a duration histogram (seconds) and a counter by status. ``rate`` a second."""

    latency: Labels
    rate: Positive
    p50: Positive
    p95: Positive
    errors: Share = 0.0
    shifts: tuple[LatencyShift, ...] = ()

    @model_validator(mode="after")
    def rises(self) -> Latency:
        """The 95th percentile lies above the median, before and after every shift."""
        for shift in (None, *self.shifts):
            p50 = (shift and shift.p50) or self.p50
            p95 = (shift and shift.p95) or self.p95
            if p95 <= p50:
                raise ValueError(f"p95 ({p95:g}) must be greater than p50 ({p50:g})")
        return self


class Gauge(Piece):
    """A gauge. ``noise`` is a standard deviation in its own unit, 1 % of the value when not given."""

    gauge: SeriesName
    labels: Labels = Field(default_factory=dict)
    value: float
    noise: Amount | None = None
    shifts: tuple[GaugeShift, ...] = ()


class Counter(Piece):
    """A counter; ``rate`` a second."""

    counter: SeriesName
    labels: Labels = Field(default_factory=dict)
    rate: Amount
    shifts: tuple[CounterShift, ...] = ()


def sort_of_metric(value: Any) -> str | None:
    """Which of the three an entry is, by its first key's name."""
    keys = value.keys() if isinstance(value, dict) else {type(value).__name__.lower()}
    sorts = [sort for sort in ("latency", "gauge", "counter") if sort in keys]
    return sorts[0] if len(sorts) == 1 else None


Metric = Annotated[
    Annotated[Latency, Tag("latency")] | Annotated[Gauge, Tag("gauge")] | Annotated[Counter, Tag("counter")],
    Discriminator(
        sort_of_metric,
        custom_error_type="sort",
        custom_error_message="must have exactly one of the keys latency, gauge and counter",
    ),
]


class Alert(Piece):
    """An alert as Prometheus records it; a resolved one fired from ``since`` to ``until``."""

    name: Name
    severity: str = ""
    labels: Labels = Field(default_factory=dict)
    state: Literal["firing", "pending", "resolved"]
    since: When
    until: When | None = None

    @model_validator(mode="after")
    def ends(self) -> Alert:
        """Only a resolved alert has an end, and it always has one."""
        if (self.state == "resolved") != (self.until is not None):
            raise ValueError("a resolved alert needs until, and only a resolved one has it")
        return self


class Word(Piece):
    """What people call a gauge or counter of the world, as the catalogue of metrics_query has it.

    ``of`` is the name of the series; left out when the entry's own name is one, or with ``promql``.
    """

    title: str = ""
    unit: Unit
    role: Role = ""
    worse: Literal["up", "down"] = "up"
    aliases: tuple[str, ...] = ()
    of: str = ""
    promql: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    group_by: tuple[str, ...] = ()
    floor: Amount = 0.0


class World(Piece):
    """The whole file. ``hours`` of samples every ``step_s`` seconds end at ``now``."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]+$")]
    now: AwareDatetime
    environment: Name = "production"
    hours: Annotated[int, Field(ge=1, le=24 * 14)] = 48
    step_s: Annotated[int, Field(ge=10, le=3_600)] = 60
    repository: Repository | None = None
    deploys: tuple[DeployEntry, ...] = ()
    documents: Documents | None = None
    metrics: tuple[Metric, ...] = ()
    alerts: tuple[Alert, ...] = ()
    catalogue: dict[str, Word] = Field(default_factory=dict)

    @model_validator(mode="after")
    def holds_together(self) -> World:
        """Everything named exists, and nothing happens after now."""
        found = [*wrong_paths(self), *wrong_names(self), *wrong_times(self)]
        if found:
            raise ValueError("; ".join(found))
        return self

    def series_names(self) -> frozenset[str]:
        """The gauges and counters it names."""
        return frozenset(
            m.gauge if isinstance(m, Gauge) else m.counter for m in self.metrics if not isinstance(m, Latency)
        )

    def commits(self) -> tuple[Commit, ...]:
        """Oldest first."""
        made = self.repository.commits if self.repository else ()
        return tuple(sorted(made, key=lambda c: moment_of(c.at, self.now)))


def wrong_paths(world: World) -> Iterator[str]:
    """Paths that leave their folder, or cannot be deleted because they are not there."""
    there: set[str] = set()
    for commit in world.commits():
        for path in (*commit.files, *commit.delete):
            if not is_path(path):
                yield f"repository: {path!r} is not a relative path of a file"
        for path in commit.delete:
            if path not in there:
                yield f"repository: {path} is deleted before it exists"
        there = (there | commit.files.keys()) - set(commit.delete)
        if not commit.files and not commit.delete:
            yield f"repository: the commit {commit.message.splitlines()[0]!r} changes no file"
    for path in world.documents.files if world.documents else ():
        if not is_path(path):
            yield f"documents: {path!r} is not a relative path of a file"


def is_path(text: str) -> bool:
    """A relative path that stays in its folder and means the same to git and to the file system."""
    parts = PurePosixPath(text).parts
    plain = text.isprintable() and not text.startswith(("/", '"')) and "\\" not in text
    return bool(parts) and plain and not {"..", ".git"} & set(parts) and str(PurePosixPath(text)) == text


def wrong_names(world: World) -> Iterator[str]:
    """Tags, series and words that do not exist or stand twice."""
    tags = [c.tag for c in world.commits() if c.tag]
    yield from (f"repository: the tag {t} stands twice" for t in sorted({t for t in tags if tags.count(t) > 1}))
    for i, deploy in enumerate(world.deploys):
        if deploy.tag and deploy.tag not in tags:
            yield f"deploys.{i}.tag: no commit has the tag {deploy.tag}"
    keys = [str(series_key(metric)) for metric in world.metrics]
    yield from (f"metrics.{i}: the same series stands twice" for i, key in enumerate(keys) if key in keys[:i])
    for name, word in world.catalogue.items():
        if not word.promql and (word.of or name) not in world.series_names():
            yield f"catalogue.{name}: no gauge or counter is named {word.of or name}"
    words = [normal(w) for name, word in world.catalogue.items() for w in {name, *word.aliases}]
    yield from (f"catalogue: {w!r} stands for two metrics" for w in sorted({w for w in words if words.count(w) > 1}))


def series_key(metric: Latency | Gauge | Counter) -> tuple[str, tuple[tuple[str, str], ...]]:
    """What makes a metric of a world this one."""
    if isinstance(metric, Latency):
        return "latency", tuple(sorted(metric.latency.items()))
    return metric.gauge if isinstance(metric, Gauge) else metric.counter, tuple(sorted(metric.labels.items()))


def wrong_times(world: World) -> Iterator[str]:
    """What would happen after now, or end before it begins."""

    def late(place: str, at: Any, until: Any = None) -> Iterator[str]:
        begin: datetime = moment_of(at, world.now)
        if begin > world.now:
            yield f"{place}: lies after now"
        if until is not None and moment_of(until, world.now) <= begin:
            yield f"{place}: until lies before its begin"

    for i, commit in enumerate(world.repository.commits if world.repository else ()):
        yield from late(f"repository.commits.{i}.at", commit.at)
    for i, deploy in enumerate(world.deploys):
        yield from late(f"deploys.{i}.at", deploy.at)
    for i, alert in enumerate(world.alerts):
        yield from late(f"alerts.{i}", alert.since, alert.until)
    for i, metric in enumerate(world.metrics):
        for n, shift in enumerate(metric.shifts):
            yield from late(f"metrics.{i}.shifts.{n}", shift.at, shift.until)


def load_world(path: Path) -> World:
    """Read a world file. Raises: ConfigError: with file and key of every mistake."""
    raw = read_yaml(path)
    if not isinstance(raw, dict):
        raise ConfigError(f"{shown_path(path)}: a world is a mapping with name and now")
    return checked(World, raw, shown_path(path))
