"""One event of Kubernetes, whatever version of the API it is of, and how grave it is. PURE.

Sources: ``Event`` of core/v1 and of events.k8s.io/v1 in the reference of Kubernetes' API.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from workers.language.payload_values import one_line, parse_moment, text_at, value_at

GRAVE = frozenset(
    "OOMKilling SystemOOM OOMKilled NodeNotReady Evicted Evicting EvictionThresholdMet Preempted Preempting "
    "TaintManagerEviction NodeHasDiskPressure NodeHasInsufficientMemory NodeHasInsufficientPID FreeDiskSpaceFailed "
    "KernelOops KernelDeadlock ReadonlyFilesystem Rebooted FailedMount FailedAttachVolume FailedCreate FailedKillPod "
    "FailedScheduling FailedCreatePodSandBox NetworkNotReady".split()
)
"""Reasons of what takes capacity or lets nothing start, whatever type they are marked with."""
CHANGES = frozenset(
    "ScalingReplicaSet SuccessfulRescale Killing DeletingNode RemovingNode NodeNotSchedulable Drain ScaledUpGroup "
    "ScaleDown DeploymentRollback NodeReady Starting".split()
)
"""Reasons of what somebody or a controller changed: no trouble, and yet what trouble may follow."""
RANDOM = "[bcdfghjklmnpqrstvwxz2456789]"
"""The letters that Kubernetes makes suffixes of."""
POD_SUFFIX = re.compile(rf"(?:-{RANDOM}{{6,10}})?-{RANDOM}{{5}}|-\d{{1,4}}")
SET_SUFFIX = re.compile(rf"-{RANDOM}{{6,10}}")
JOB_SUFFIX = re.compile(r"-\d{6,12}")
SUFFIXES = {"Pod": POD_SUFFIX, "ReplicaSet": SET_SUFFIX, "Job": JOB_SUFFIX}
MOST_DEPTH = 12
LONGEST_NAME, LONGEST_MESSAGE = 253, 2_000
NODE_AGENTS = frozenset({"kubelet", "kube-proxy"})
"""Components whose instance is a node."""


@dataclass(frozen=True)
class ClusterEvent:
    """One event, which stands for as many as ``count``.

    ``warning``: it is of the type Warning. ``kind``, ``namespace``, ``name``: the object that it is about; a node has
    no namespace. ``node``: where that runs, empty where it is not said. ``first_at``, ``last_at``: UTC.
    """

    reason: str
    warning: bool
    kind: str
    namespace: str
    name: str
    node: str
    component: str
    message: str
    count: int
    first_at: datetime
    last_at: datetime

    @property
    def workload(self) -> str:
        """The deployment or set that the object belongs to, by its name; the object's name where that has no suffix."""
        return workload_of(self.kind, self.name)

    @property
    def gravity(self) -> int:
        """0 for what takes capacity or lets nothing start, 1 other warnings, 2 changes, 3 whatever else."""
        return 0 if self.reason in GRAVE else 1 if self.warning else 2 if self.reason in CHANGES else 3

    @property
    def key(self) -> tuple[str, str, str, str, str]:
        """What makes it one, where a cluster tells of it again with a higher count."""
        return self.reason, self.kind, self.namespace, self.name, self.message


def workload_of(kind: str, name: str) -> str:
    """``checkout`` of the pod ``checkout-7d9f8b6c5-x2x7z``, of its set, or of a job's run."""
    suffix = SUFFIXES.get(kind)
    for start in range(1, len(name)) if suffix else ():
        if name[start] == "-" and suffix is not None and suffix.fullmatch(name, start):
            whole = name[:start]
            return JOB_SUFFIX.sub("", whole) if kind == "Pod" else whole
    return name


def read_events(value: Any, depth: int = 0) -> Iterator[ClusterEvent | None]:
    """The events of any JSON: one, a list, an ``EventList``, what a watch sends; None for an event that has no reason,
    object or time.
    """
    if depth > MOST_DEPTH:
        return
    if isinstance(value, list):
        for one in value:
            yield from read_events(one, depth + 1)
    elif isinstance(value, Mapping):
        if isinstance(value.get("items"), list):
            yield from read_events(value["items"], depth + 1)
        elif isinstance(value.get("object"), Mapping):
            yield from read_events(value["object"], depth + 1)
        elif is_event(value):
            yield read_event(value)


def is_event(value: Any) -> bool:
    """Whether an object has the keys of an event."""
    named = isinstance(value, Mapping) and isinstance(value.get("reason"), str)
    return named and any(isinstance(value.get(key), Mapping) for key in ("involvedObject", "regarding"))


def read_event(event: Mapping[str, Any]) -> ClusterEvent | None:
    """One event of either version; None where a reason, an object or a time is missing."""
    about = event.get("involvedObject") if isinstance(event.get("involvedObject"), Mapping) else event.get("regarding")
    source = event.get("source") if isinstance(event.get("source"), Mapping) else event.get("deprecatedSource")
    created = value_at(event, "metadata", "creationTimestamp")
    series = event.get("series")
    at = parse_moment(event.get("eventTime"))
    first = parse_moment(event.get("firstTimestamp")) or parse_moment(event.get("deprecatedFirstTimestamp")) or at
    last = parse_moment(value_at(series, "lastObservedTime"))
    last = last or parse_moment(event.get("lastTimestamp")) or parse_moment(event.get("deprecatedLastTimestamp")) or at
    first = first or last or parse_moment(created)
    last = last or first
    reason, name = one_line(text_at(event, "reason"), LONGEST_NAME), one_line(text_at(about, "name"), LONGEST_NAME)
    if first is None or last is None or not reason or not name:
        return None
    kind = one_line(text_at(about, "kind"), LONGEST_NAME)
    component = text_at(source, "component") or text_at(event, "reportingComponent")
    component = one_line(component or text_at(event, "reportingController"), LONGEST_NAME)
    host = text_at(source, "host") or (text_at(event, "reportingInstance") if component in NODE_AGENTS else "")
    counts = (event.get("count"), value_at(series, "count"), event.get("deprecatedCount"))
    return ClusterEvent(
        reason=reason,
        warning=text_at(event, "type") == "Warning",
        kind=kind,
        namespace="" if kind == "Node" else one_line(text_at(about, "namespace"), LONGEST_NAME),
        name=name,
        node=name if kind == "Node" else one_line(host, LONGEST_NAME),
        component=component,
        message=one_line(text_at(event, "message") or text_at(event, "note"), LONGEST_MESSAGE),
        count=max((c for c in counts if isinstance(c, int) and not isinstance(c, bool) and c > 0), default=1),
        first_at=min(first, last),
        last_at=max(first, last),
    )
