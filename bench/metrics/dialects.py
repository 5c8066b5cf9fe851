"""Ways in which invented companies name what a service does: metrics, labels, units, shapes.

Nothing here follows a public convention as a whole, so that a catalogue of common names does not help.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Literal

Half = Literal["tune", "held"]
HALVES: tuple[Half, ...] = ("tune", "held")


@dataclass(frozen=True)
class Latency:
    """How response times stand on the server.

    ``kind``: ``histogram`` (classic), ``summary`` (quantiles, sum, count), ``mean`` (sum and count only), ``gauge``
    (a p95), ``average`` (a gauge of the mean), ``ranked`` (gauges told apart by the label ``rank``: p50, p95, p99).
    ``scale``: units a second; ``parts``: how the names of sum and count end; ``peak``: a gauge of the slowest, or none.
    """

    kind: Literal["histogram", "summary", "mean", "gauge", "average", "ranked"]
    name: str
    scale: float
    rank: str = "quantile"
    ranks: tuple[str, ...] = ("0.5", "0.9", "0.95", "0.99")
    parts: tuple[str, str] = ("_sum", "_count")
    peak: str = ""


@dataclass(frozen=True)
class Traffic:
    """How requests are counted. An empty name: only by the count of the latency.

    ``gauge``: requests in ``per_s`` seconds.
    """

    name: str = ""
    gauge: bool = False
    per_s: int = 1


@dataclass(frozen=True)
class Errors:
    """How failures are counted.

    ``kind``: ``counter`` (its own; with a ``label``, one for each value of ``client`` and ``bad``), ``label`` (the
    traffic counter has a label with an outcome), ``ratio`` (a gauge; ``scale`` 100 for percent), ``pace`` (a gauge of
    the failures in ``scale`` seconds). ``lazy``: the series begins with the first failure; ``timed``: response times
    have the label too; ``fine``: a counter of what did not fail, or none.
    """

    kind: Literal["counter", "label", "ratio", "pace"]
    name: str = ""
    label: str = ""
    good: tuple[str, ...] = ()
    client: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()
    scale: float = 1.0
    lazy: bool = False
    timed: bool = False
    fine: str = ""


@dataclass(frozen=True)
class Saturation:
    """How full something is: a ratio (``size`` empty, ``scale`` 100 for percent), or a gauge beside its capacity.

    ``service``: the label that has the plain name of the service here, when it is another one than elsewhere.
    """

    name: str
    size: str = ""
    scale: float = 1.0
    capacity: int = 40
    service: str = ""


@dataclass(frozen=True)
class Labels:
    """What a server calls the things that a question names. ``spelled``: what stands around a service's name."""

    service: str
    endpoint: str
    pod: str
    version: str
    region: str
    spelled: str = "{}"


Style = Literal["path", "verb", "rpc", "dotted", "task", "template", "route", "method", "module", "spanish"]


@dataclass(frozen=True)
class Dialect:
    """One company's way. ``style``: what endpoints look like; ``build``: the metric that tells versions, or none;
    ``scraped``: series also have ``job`` and ``instance``, and there is ``up``; ``versioned``: requests have a version;
    ``beside``: labels that are the same on all requests.
    """

    name: str
    labels: Labels
    latency: Latency
    traffic: Traffic
    errors: Errors
    saturation: Saturation
    style: Style
    build: str = ""
    scraped: bool = False
    versioned: bool = True
    half: Half = "tune"
    beside: tuple[tuple[str, str], ...] = ()


NIMBUS = Dialect(
    "nimbus",
    Labels("svc", "uri_template", "kube_pod", "build", "dc"),
    Latency("histogram", "nimbus_edge_serve_duration_seconds", 1),
    Traffic("nimbus_edge_served_total"),
    Errors("label", label="rc", good=("200", "204"), client=("404",), bad=("500", "503")),
    Saturation("nimbus_worker_slots_busy", "nimbus_worker_slots_max"),
    "path",
    build="nimbus_build_info",
    scraped=True,
)
ZEPHYR = Dialect(
    "zephyr",
    Labels("component", "op", "unit_id", "rev", "cell"),
    Latency("histogram", "zephyr_rpc_elapsed_ms", 1e3),
    Traffic("zephyr_rpc_calls"),
    Errors("counter", "zephyr_rpc_faults", lazy=True),
    Saturation("zephyr_cpu_busy_pct", scale=100),
    "rpc",
    build="zephyr_release",
)
KESTREL = Dialect(
    "kestrel",
    Labels("appname", "resource", "host_slot", "artifact", "site"),
    Latency("mean", "kestrel_exchange_seconds", 1),
    Traffic(),
    Errors("counter", "kestrel_exchange_failures_total"),
    Saturation("kestrel_executor_active", "kestrel_executor_pool_limit"),
    "verb",
    scraped=True,
)
QUILL = Dialect(
    "quill",
    Labels("micro", "handler_name", "replica", "release_tag", "zone_name"),
    Latency("summary", "quill_resp_time_us", 1e6),
    Traffic("quill_hits_total"),
    Errors("counter", "quill_resp_bad_total"),
    Saturation("quill_queue_fill_ratio"),
    "dotted",
    build="quill_version_info",
    scraped=True,
)
FATHOM = Dialect(
    "fathom",
    Labels("sys", "page", "box", "sw_version", "location"),
    Latency("gauge", "fathom_p95_latency_ms", 1e3),
    Traffic("fathom_req_per_sec", gauge=True),
    Errors("ratio", "fathom_err_pct", scale=100),
    Saturation("fathom_load_pct", scale=100),
    "path",
)
LEDGERLY = Dialect(
    "ledgerly",
    Labels("service_id", "route_id", "task_slot", "image_tag", "geo"),
    Latency("gauge", "route:ledgerly_turnaround_seconds:p95_5m", 1),
    Traffic("route:ledgerly_inbound:rate_5m", gauge=True),
    Errors("ratio", "route:ledgerly_failures:ratio_5m"),
    Saturation("task:ledgerly_memory_used:ratio"),
    "path",
    build="ledgerly_image_info",
    scraped=True,
)
TERN = Dialect(
    "tern",
    Labels("rpc_server", "rpc_verb", "pod_uid", "git_tag", "az"),
    Latency("histogram", "tern_handling_time_seconds", 1),
    Traffic("tern_handled_total"),
    Errors("label", label="verdict", good=("OK",), client=("NotFound",), bad=("Internal", "Unavailable"), lazy=True),
    Saturation("tern_inflight_slots", "tern_inflight_ceiling", capacity=128),
    "rpc",
    build="tern_build",
)
WERK = Dialect(
    "werk",
    Labels("dienst", "ressource", "knoten", "ausgabe", "standort"),
    Latency("histogram", "werk_antwortzeit_ms", 1e3),
    Traffic("werk_anfragen_total"),
    Errors("counter", "werk_fehler_total"),
    Saturation("werk_auslastung_prozent", scale=100),
    "path",
    scraped=True,
)
LATTICE = Dialect(
    "lattice",
    Labels("workload", "route_name", "sidecar", "canary_rev", "locality"),
    Latency("histogram", "lattice_upstream_rq_time", 1e3),
    Traffic("lattice_upstream_rq"),
    Errors("label", label="response_class", good=("2xx", "3xx"), client=("4xx",), bad=("5xx",)),
    Saturation("lattice_pending_slots_used", "lattice_pending_slots_limit", capacity=256),
    "verb",
    scraped=True,
)
ONYX = Dialect(
    "onyx",
    Labels("onyx_service_name", "onyx_route", "k8s_replica", "onyx_service_rev", "cloud_zone"),
    Latency("histogram", "onyx_processing_time_milliseconds", 1e3),
    Traffic(),
    Errors("counter", "onyx_exceptions_total", lazy=True),
    Saturation("onyx_cpu_utilisation"),
    "verb",
    build="onyx_target_info",
)
STATLINE = Dialect(
    "statline",
    Labels("team_app", "action", "dyno", "slug", "pop"),
    Latency("summary", "statline_action_timer", 1),
    Traffic("statline_action_hits"),
    Errors("counter", "statline_action_crashes"),
    Saturation("statline_puma_backlog_share"),
    "dotted",
    versioned=False,
)
PULSE = Dialect(
    "pulse",
    Labels("subsystem", "tx_name", "node_ref", "bundle", "region_code"),
    Latency("histogram", "pulse_tx_dur_us", 1e6),
    Traffic("pulse_tx_count"),
    Errors("label", label="result", good=("ok",), client=("rejected",), bad=("fail", "timeout")),
    Saturation("pulse_threads_in_use", "pulse_threads_size"),
    "task",
    build="pulse_bundle_info",
    scraped=True,
)
GATE = Dialect(
    "gate",
    Labels("backend_app", "vpath", "gw_node", "app_ver", "colo"),
    Latency("ranked", "gate_ttfb_msec", 1e3, "stat", ("p50", "p95", "p99")),
    Traffic("gate_throughput_rps", gauge=True),
    Errors("ratio", "gate_fail_ratio"),
    Saturation("gate_conn_table_used", "gate_conn_table_size", capacity=500),
    "path",
    build="gate_app_rollout",
)
ORCHARD = Dialect(
    "orchard",
    Labels("farm", "job_kind", "picker", "crate_version", "field_site"),
    Latency("histogram", "orchard_job_turnaround_nanos", 1e9),
    Traffic("orchard_job_invocations_total"),
    Errors("label", label="ok", good=("true",), bad=("false",)),
    Saturation("orchard_backlog_ratio"),
    "task",
    versioned=False,
    scraped=True,
)
HARBOR = Dialect(
    "harborline",
    Labels("deployable", "entrypoint", "container_ref", "deploy_sha", "metro"),
    Latency("summary", "harborline_wall_clock_millis", 1e3, ranks=("0.5", "0.95", "0.99")),
    Traffic("harborline_volume_total"),
    Errors("label", label="outcome_kind", good=("SUCCESS",), client=("CLIENT_FAULT",), bad=("SERVER_FAULT",)),
    Saturation("harborline_db_sessions_open", "harborline_db_sessions_cap", capacity=60),
    "verb",
    build="harborline_deployable_info",
    scraped=True,
)
MOSAIC = Dialect(
    "mosaic",
    Labels("tile", "verb_path", "shard_ref", "tile_release", "grid"),
    Latency("histogram", "mosaic_reply_delay_seconds", 1),
    Traffic("mosaic_asks_total"),
    Errors("counter", "mosaic_unhappy_replies_total"),
    Saturation("mosaic_mem_pressure_percent", scale=100),
    "dotted",
    build="mosaic_tile_info",
    scraped=True,
)
WRITTEN = (
    NIMBUS,
    ZEPHYR,
    KESTREL,
    QUILL,
    FATHOM,
    LEDGERLY,
    TERN,
    WERK,
    LATTICE,
    ONYX,
    STATLINE,
    PULSE,
    GATE,
    ORCHARD,
    HARBOR,
    MOSAIC,
)


def digest(*parts: object) -> int:
    """The same number for the same parts, on every machine."""
    return int.from_bytes(hashlib.sha256(":".join(map(str, parts)).encode()).digest()[:8], "big")


def halved(written: tuple[Dialect, ...]) -> tuple[Dialect, ...]:
    """Every other one, in the order of the hashes of their names, is held back."""
    ordered = sorted(written, key=lambda d: digest("dialect", d.name))
    return tuple(replace(d, half=HALVES[i % 2]) for i, d in enumerate(ordered))


DIALECTS = halved(WRITTEN)


def half_of(scenario: str, seed: int) -> Half:
    """The half of a generated day."""
    return HALVES[digest("half", scenario, seed) % 2]
