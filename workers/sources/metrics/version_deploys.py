"""Deploys as metrics show them: the moment from which a service tells another version of itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
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
    "mysql argocd cert_manager kube_node kube_pod_info".split()
)
"""Whose versions are not those of a team's services, by how the names of their metrics begin."""
MOST_METRICS = 8
BACK_S, COARSE_S, FINE_S = 14 * 86_400, 300, 15
"""How far back is looked, and how exactly: first coarsely, then about each moment."""
GAP_S = 3.0 * COARSE_S
"""A version without samples for so long does not run."""
KEPT_S = 300.0
MOST_EXACT = 12
"""Of so many deploys, the newest, the moment is looked up exactly."""


@dataclass(frozen=True)
class Running:
    """A version of a service, and the moments at which it runs, epoch seconds."""

    service: str
    environment: str
    version: str
    commit: str
    promql: str
    times: tuple[float, ...]

    @property
    def release(self) -> str:
        """What makes it another one: its version and commit."""
        return f"{self.version} {self.commit}"


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
        moment = int(end.timestamp())
        with self.lock:
            known = self.found
            if known is None or abs(moment - known[1]) > KEPT_S or time.monotonic() - known[0] > KEPT_S:
                known = self.found = (time.monotonic(), moment, self.read(moment // COARSE_S * COARSE_S + COARSE_S))
        return tuple(d for d in known[2] if start <= d.at <= end)

    def read(self, end: int) -> tuple[Deploy, ...]:
        """Ask for every metric that tells of versions."""
        try:
            backend = self.connect()
            names = sorted(n for n in backend.names() if tells_versions(n))[:MOST_METRICS]
            grid = Grid(end - BACK_S, end, COARSE_S)
            running = [r for name in names for r in read_versions(backend, name, grid, self.environment)]
        except ToolUnavailable:
            return ()
        changes = changes_of(running)
        exact = [deploy_of(one, first_sample(backend, one, at)) for one, at in changes[-MOST_EXACT:]]
        return (*(deploy_of(one, at) for one, at in changes[:-MOST_EXACT]), *exact)


def read_versions(backend: Backend, name: str, grid: Grid, environment: str) -> list[Running]:
    """The versions that a metric tells of. Raises: ToolUnavailable."""
    labels = backend.label_names(name)
    wanted = [x for x in (*SERVICE, *VERSION, *COMMIT, IMAGE, *ENVIRONMENT) if x in labels]
    if not set(wanted) & {*VERSION, *COMMIT, IMAGE} or not set(wanted) & set(SERVICE):
        return []
    frame = backend.query_range(f"max by ({','.join(wanted)}) ({name})", grid)
    found = (read_running(name, series, frame.times, environment) for series in frame.series)
    return [r for r in found if r is not None]


def first_sample(backend: Backend, one: Running, at: float) -> float:
    """The moment of a version's first sample, to a quarter of a minute; as it is known where the source is silent."""
    try:
        frame = backend.query_range(one.promql, Grid(int(at) - COARSE_S, int(at), FINE_S))
    except ToolUnavailable:
        return at
    known = [frame.times[np.isfinite(s.values)] for s in frame.series]
    return min((float(t[0]) for t in known if len(t)), default=at)


def deploy_of(one: Running, at: float) -> Deploy:
    """A version that runs from a moment on, as a deploy."""
    return Deploy(
        service=one.service,
        version=one.version,
        commit=one.commit,
        at=datetime.fromtimestamp(at, UTC),
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

    Those that run first are none of them: when they began is not known. Two versions side by side are one
    change, from the moment the newer one is there; one that is there again was deployed again only where another ran
    just before: else samples were missing.
    """
    found: list[tuple[Running, float]] = []
    for place in dict.fromkeys((r.service, r.environment) for r in running):
        own = [r for r in running if (r.service, r.environment) == place]
        began = min((one.times[0] for one in own if one.times), default=0.0)
        current = next((one.release for one in own if one.times and one.times[0] == began), "")
        seen = {one.release for one in own if one.times and one.times[0] <= began + COARSE_S}
        for at, i in sorted((at, i) for i, one in enumerate(own) for at in beginnings(one.times)):
            one = own[i]
            replaced = any(o.release != one.release and ran_before(o.times, at) for o in own)
            if at > began + COARSE_S and one.release != current and (one.release not in seen or replaced):
                found.append((one, at))
                current = one.release
            seen.add(one.release)
    return sorted(found, key=lambda change: change[1])


def ran_before(times: Sequence[float], at: float) -> bool:
    """Whether there was a sample within a while before a moment."""
    return any(at - GAP_S <= t < at for t in times)


def beginnings(times: Sequence[float]) -> list[float]:
    """The moments after which there was none for a while before."""
    return [at for before, at in zip((float("-inf"), *times), times, strict=False) if at - before > GAP_S]


def first(labels: Mapping[str, str], names: Sequence[str]) -> str:
    """The first of some labels that has a value."""
    return next((labels[n].strip() for n in names if labels.get(n, "").strip()), "")
