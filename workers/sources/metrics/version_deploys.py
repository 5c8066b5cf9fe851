"""Deploys as metrics show them: the moment from which a service tells another version of itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from threading import Lock

import numpy as np

from workers.contracts import Deploy
from workers.errors import ToolUnavailable
from workers.language.environment_names import environment_of
from workers.sources.metrics.backend import Backend, Floats, Grid, Series

SERVICE = ("service", "service_name", "app", "app_kubernetes_io_name", "application", "container", "deployment", "job")
"""Labels that name a service, the surest first."""
VERSION = ("version", "app_version", "service_version", "release", "tag", "image_tag")
COMMIT = ("revision", "commit", "git_commit", "commit_sha", "git_sha", "sha", "vcs_revision", "service_commit")
IMAGE = "image"
ENVIRONMENT = ("environment", "env", "deployment_environment", "namespace", "cluster")
INFO = "_info"
RUNTIMES = frozenset(
    "go python jvm java nodejs ruby php dotnet process promhttp prometheus alertmanager node grafana loki tempo "
    "otelcol pushgateway blackbox kube_state_metrics cadvisor etcd coredns apiserver kubernetes postgres redis "
    "mysql".split()
)
"""Whose versions are not those of a team's services, by how the names of their metrics begin."""
MOST_METRICS = 8
BACK_S, COARSE_S, FINE_S = 14 * 86_400, 300, 15
"""How far back is looked, and how exactly: first coarsely, then about each moment."""
KEPT_S = 60.0
MOST_DEPLOYS = 60


@dataclass(frozen=True)
class Running:
    """A version of a service, and the moments at which it runs, epoch seconds."""

    service: str
    environment: str
    version: str
    commit: str
    promql: str
    times: tuple[float, ...]


class VersionDeploys:
    """The deploys of a source of metrics; what was found is kept for a minute."""

    def __init__(self, connect: Callable[[], Backend], environment: str) -> None:
        self.connect = connect
        self.environment = environment
        self.lock = Lock()
        self.found: tuple[float, int, tuple[Deploy, ...]] | None = None

    def deploys(self, start: datetime, end: datetime) -> tuple[Deploy, ...]:
        """Those of a span, at most of the two weeks before its end, oldest first; none when the source does not
        answer."""
        minute = int(end.timestamp() // 60)
        with self.lock:
            if self.found is None or self.found[1] != minute or time.monotonic() - self.found[0] > KEPT_S:
                self.found = (time.monotonic(), minute, self.read(minute * 60))
        return tuple(d for d in self.found[2] if start <= d.at <= end)

    def read(self, end: int) -> tuple[Deploy, ...]:
        """Ask for every metric that tells of versions."""
        try:
            backend = self.connect()
            names = sorted(n for n in backend.names() if tells_versions(n))[:MOST_METRICS]
            grid = Grid(end - BACK_S, end, COARSE_S)
            running = [r for name in names for r in read_versions(backend, name, grid, self.environment)]
            return tuple(deploy_of(backend, one, at) for one, at in changes_of(running)[-MOST_DEPLOYS:])
        except ToolUnavailable:
            return ()


def read_versions(backend: Backend, name: str, grid: Grid, environment: str) -> list[Running]:
    """The versions that a metric tells of. Raises: ToolUnavailable."""
    labels = backend.label_names(name)
    wanted = [x for x in (*SERVICE, *VERSION, *COMMIT, IMAGE, *ENVIRONMENT) if x in labels]
    if not set(wanted) & {*VERSION, *COMMIT, IMAGE} or not set(wanted) & set(SERVICE):
        return []
    frame = backend.query_range(f"max by ({','.join(wanted)}) ({name})", grid)
    found = (read_running(name, series, frame.times, environment) for series in frame.series)
    return [r for r in found if r is not None]


def deploy_of(backend: Backend, one: Running, at: float) -> Deploy:
    """A deploy, from the first sample of its version on, to a quarter of a minute. Raises: ToolUnavailable."""
    frame = backend.query_range(one.promql, Grid(int(at) - COARSE_S, int(at), FINE_S))
    known = [frame.times[np.isfinite(s.values)] for s in frame.series]
    moment = min((float(t[0]) for t in known if len(t)), default=at)
    return Deploy(
        service=one.service,
        version=one.version,
        commit=one.commit,
        at=datetime.fromtimestamp(moment, UTC),
        source="metrics",
        environment=one.environment,
    )


def tells_versions(name: str) -> bool:
    """Whether a metric tells of the versions of a team's services, by its name."""
    return name.endswith(INFO) and not any(name.startswith(f"{word}_") for word in RUNTIMES)


def read_running(name: str, series: Series, times: Floats, environment: str) -> Running | None:
    """A version of a service; None when its labels name no service or no version."""
    labels = series.labels
    image = labels.get(IMAGE, "").partition("@")[0].rpartition("/")[2]
    service = first(labels, SERVICE)
    version, commit = first(labels, VERSION) or image.partition(":")[2], first(labels, COMMIT).lower()
    hexadecimal = 7 <= len(commit) <= 64 and not set(commit) - set("0123456789abcdef")
    if not service or not (version or hexadecimal):
        return None
    matches = ",".join(f'{key}="{value}"' for key, value in labels.items() if '"' not in value and "\\" not in value)
    known = times[np.isfinite(series.values)]
    return Running(
        service=service,
        environment=environment_of(labels, environment),
        version=version or commit[:7],
        commit=commit if hexadecimal else "",
        promql=f"max({name}{{{matches}}})",
        times=tuple(float(t) for t in known),
    )


def changes_of(running: Sequence[Running]) -> list[tuple[Running, float]]:
    """Each version that a service ran after another one, with the moment from which it did, oldest first.

    The version that a service runs first is none of them: when it began is not known. Two versions side by side are
    one change, from the moment the newer one is there.
    """
    found: list[tuple[Running, float]] = []
    for place in dict.fromkeys((r.service, r.environment) for r in running):
        own = [r for r in running if (r.service, r.environment) == place]
        edges = sorted((at, i) for i, one in enumerate(own) for at in beginnings(one.times))
        each = [(own[i], at) for at, i in edges]
        found += [(one, at) for (before, _), (one, at) in pairwise(each) if one.version != before.version]
    return sorted(found, key=lambda change: change[1])


def beginnings(times: Sequence[float]) -> list[float]:
    """The moments after which there was none for a while before."""
    return [at for before, at in zip((float("-inf"), *times), times, strict=False) if at - before > 3 * COARSE_S]


def first(labels: Mapping[str, str], names: Sequence[str]) -> str:
    """The first of some labels that has a value."""
    return next((labels[n].strip() for n in names if labels.get(n, "").strip()), "")
