"""The generated days: each plants one thing, or nothing, and says what is true of the questions about it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from bench.metrics.stage import HOUR_S, MIDNIGHT, Size, Stage, Truth, pod_name, set_stage, version_names
from bench.metrics.world import DAY_S, Cell, Effect, Habit

MINUTE_S = 60


def window_of(seed: int, *windows: str) -> str:
    """The window of a variant."""
    return windows[seed % len(windows)]


def spike_at_deploy(seed: int) -> Stage:
    """A new version takes over on new pods; one endpoint is slow or fails from then on, or until it is rolled back."""
    window = window_of(seed, "24h", "6h", "24h", "24h", "6h", "24h", "7d", "24h")
    size = Size(endpoints=2, pods=1) if window == "7d" else Size(endpoints=3, pods=2)
    stage = set_stage("spike at deploy", seed, size, window)
    onset = stage.moment()
    deploy(stage, onset)
    victim = stage.pick(*stage.endpoints)
    length = math.inf if stage.chance(0.6) else float(stage.rng.uniform(25, 120)) * MINUTE_S
    where = {"service": stage.service, "endpoint": victim}
    what = stage.pick("latency", "latency", "errors")
    harm(stage, what, where, onset, onset + length)
    asks_deploy = bool(stage.dialect.build or stage.dialect.versioned) and stage.chance(0.35)
    truth = Truth(onset, direction="rose")
    stage.asked(what, truth, window="deploy" if asks_deploy else "", endpoint=victim)
    stage.asked("traffic", endpoint=victim)
    return stage


def deploy(stage: Stage, at: float) -> None:
    """Replace all pods of the service by new ones with the next version, at one moment."""
    old = [c for c in stage.world.cells if c.service == stage.service]
    rest = [c for c in stage.world.cells if c.service != stage.service]
    version = version_names(stage.rng, 1)[0] + "-n"
    fresh = {pod: pod_name(stage.rng, stage.service, 1000 + i) for i, pod in enumerate(sorted({c.pod for c in old}))}
    new = [replace(c, pod=fresh[c.pod], version=version, since=at) for c in old]
    stage.world.cells = [*(replace(c, until=at) for c in old), *new, *rest]


def harm(
    stage: Stage, what: str, where: dict[str, str], start: float, end: float = math.inf, most: float = 6.0
) -> None:
    """Make cells slow, wholly or for a good share of requests, or let them fail."""
    rng = stage.rng
    if what == "latency":
        share = 1.0 if stage.chance(0.6) else float(rng.uniform(0.2, 0.5))
        factor = float(rng.uniform(1.9, most)) if share == 1.0 else float(rng.uniform(5, 12))
        stage.world.effects.append(Effect("latency", where, start, factor, end, share=share))
    else:
        stage.world.effects.append(Effect("errors", where, start, float(rng.uniform(0.04, 0.4)), end))


def slow_drift(seed: int) -> Stage:
    """Response times, or how full the pods are, grow over hours."""
    stage = set_stage("slow drift", seed, Size(endpoints=2, pods=2), "24h")
    ramp = float(stage.rng.uniform(3, 9)) * HOUR_S
    start = stage.now - ramp - float(stage.rng.uniform(0.2, 4)) * HOUR_S
    truth = Truth(ramp=(start, start + ramp), direction="rose")
    if seed % 4 == 3:
        stage.world.saturation = min(stage.world.saturation, 0.35)
        effect = Effect(
            "saturation", {"service": stage.service}, start, float(stage.rng.uniform(0.35, 0.55)), ramp_s=ramp
        )
        stage.world.effects.append(effect)
        stage.asked("saturation", truth)
        return stage
    victim = stage.pick(*stage.endpoints)
    where = {"service": stage.service, "endpoint": victim}
    stage.world.effects.append(Effect("latency", where, start, float(stage.rng.uniform(1.9, 4)), ramp_s=ramp))
    stage.asked("latency", truth, endpoint=victim)
    return stage


def weekly_season(seed: int) -> Stage:
    """Asked on a Monday at noon: the morning's rush is that of every Monday; in two of five something is wrong too."""
    rng_habit = Habit(
        amplitude=0.35 + 0.03 * (seed % 6),
        peak_hour=12.0 + seed % 4,
        weekly=True,
        opening_hour=8.0 + (seed % 3) / 2,
        opening_factor=1.5 + 0.1 * (seed % 7),
        load_on_latency=0.15 if seed % 2 else 0.05,
        rate_noise=0.03,
    )
    stage = set_stage("weekly season", seed, Size(endpoints=2, pods=1), "7d", habit=rng_habit)
    noon = MIDNIGHT + 21 * DAY_S + float(stage.rng.uniform(9.75, 13)) * HOUR_S
    stage.world.times = stage.world.times + int(noon - stage.now)
    stage.now += int(noon - stage.now)
    stage.window = window_of(seed, "24h", "6h", "24h", "7d")
    where = {"service": stage.service, "endpoint": stage.endpoints[0]}
    metric = stage.pick("traffic", "latency")
    if seed % 5 in {1, 3}:
        onset = stage.now - float(stage.rng.uniform(0.5, 2.5)) * HOUR_S
        if metric == "traffic":
            factor = stage.pick("0.35", "2.2")
            stage.world.effects.append(Effect("traffic", where, onset, float(factor)))
            truth = Truth(onset, direction="rose" if factor == "2.2" else "fell")
        else:
            harm(stage, "latency", where, onset)
            truth = Truth(onset, direction="rose")
        stage.asked(metric, truth, endpoint=where["endpoint"])
        return stage
    stage.asked(metric, endpoint=where["endpoint"])
    stage.asked("traffic")
    return stage


def bad_pod(seed: int) -> Stage:
    """One of twenty pods is slow, or fails."""
    stage = set_stage(
        "one bad pod of 20", seed, Size(endpoints=2, pods=20, regions=2), window_of(seed, "6h", "6h", "24h")
    )
    onset = stage.moment()
    pod = stage.pick(*sorted({c.pod for c in stage.world.cells if c.service == stage.service}))
    where = {"service": stage.service, "pod": pod}
    truth = Truth(onset, direction="rose", culprit=stage.names_of(pod))
    if seed % 2:
        stage.world.effects.append(Effect("errors", where, onset, float(stage.rng.uniform(0.3, 0.9))))
    else:
        stage.world.effects.append(Effect("latency", where, onset, float(stage.rng.uniform(10, 20))))
    stage.asked("errors" if seed % 2 else "latency", truth)
    stage.asked("traffic")
    return stage


def bad_version(seed: int) -> Stage:
    """One of two versions is slow, or fails: a canary since its deploy, or one of two that ran side by side."""
    size = Size(endpoints=2, pods=4, versions=2, regions=1)
    stage = set_stage("one bad version of 2", seed, size, window_of(seed, "24h", "6h"), versioned=True)
    onset = stage.moment()
    bad = stage.world.cells[-3].version  # the last cell of the service that is asked about
    if stage.chance(0.5):
        share = float(stage.rng.uniform(0.15, 0.5))
        own = [c for c in stage.world.cells if c.service == stage.service]
        rest = [c for c in stage.world.cells if c.service != stage.service]
        stage.world.cells = [*(canary(c, bad, share, onset) for c in own), *rest]
        stage.world.effects.extend(
            Effect("traffic", {"service": stage.service, "version": v}, onset, 1 - share)
            for v in {c.version for c in own} - {bad}
        )
    what = stage.pick("latency", "errors")
    harm(stage, what, {"service": stage.service, "version": bad}, onset, most=8.0)
    stage.asked(what, Truth(onset, direction="rose", culprit=frozenset({bad})))
    return stage


def canary(cell: Cell, bad: str, share: float, onset: float) -> Cell:
    """The same cell when the other version carried everything until the onset."""
    if cell.version == bad:
        return replace(cell, since=onset, rate=cell.rate * 2 * share)
    return replace(cell, rate=cell.rate * 2)


def bad_region(seed: int) -> Stage:
    """One of three regions is slow, or fails."""
    size = Size(endpoints=2, pods=6, regions=3)
    stage = set_stage("one bad region of 3", seed, size, window_of(seed, "24h", "6h", "6h"))
    onset = stage.moment()
    region = stage.pick(*sorted({c.region for c in stage.world.cells if c.service == stage.service}))
    length = math.inf if stage.chance(0.7) else float(stage.rng.uniform(30, 120)) * MINUTE_S
    what = stage.pick("latency", "errors")
    harm(stage, what, {"service": stage.service, "region": region}, onset, onset + length)
    stage.asked(what, Truth(onset, direction="rose", culprit=frozenset({region})))
    return stage


def traffic_then_latency(seed: int) -> Stage:
    """Requests double, pods fill up, and response times follow minutes later."""
    stage = set_stage("traffic, then latency", seed, Size(endpoints=2, pods=2), window_of(seed, "6h", "24h"))
    latency = stage.moment()
    lag = float(stage.rng.uniform(5, 20)) * MINUTE_S
    where, first = {"service": stage.service}, latency - lag
    factor = float(stage.rng.uniform(1.8, 2.6))
    slower = float(stage.rng.uniform(1.8, 4))
    stage.world.effects += [
        Effect("traffic", where, first, factor),
        Effect("latency", where, latency, slower),
        Effect("saturation", where, first + lag / 2, 0.2),
    ]
    stage.asked("latency", Truth(latency, direction="rose", first="traffic", first_onset=first))
    stage.asked("traffic", Truth(first, direction="rose"))
    return stage


def error_burst(seed: int) -> Stage:
    """One endpoint fails for a while."""
    stage = set_stage("error burst", seed, Size(endpoints=5, pods=2), window_of(seed, "6h", "24h", "24h"))
    onset = stage.moment()
    end = onset + float(stage.rng.uniform(10, 40)) * MINUTE_S
    victim = stage.pick(*stage.endpoints[:4])
    factor = float(stage.rng.uniform(0.1, 0.7))
    where = {"service": stage.service, "endpoint": victim}
    stage.world.effects.append(Effect("errors", where, onset, factor, end))
    stage.asked("errors", Truth(onset, direction="rose", culprit=frozenset({victim})))
    stage.asked("latency")
    return stage


def counter_resets(seed: int) -> Stage:
    """Pods restart, one after another or all at once, and nothing changes."""
    stage = set_stage("counter resets", seed, Size(endpoints=3, pods=3), window_of(seed, "24h", "6h"))
    moment = stage.moment()
    for i, pod in enumerate(sorted({c.pod for c in stage.world.cells if c.service == stage.service})):
        apart = 0 if seed % 3 == 0 else float(stage.rng.uniform(60, 400)) * i
        again = [moment + apart - 3 * HOUR_S] if seed % 4 == 1 else []
        stage.world.resets[pod] = [*again, moment + apart]
    told = Truth(missing="reset")
    stage.asked(stage.pick("traffic", "errors"), told)
    stage.asked(stage.pick("traffic", "latency"), told, endpoint=stage.pick(*stage.endpoints[:2]))
    return stage


def gaps(seed: int) -> Stage:
    """Scrapes fail for a while; or the samples end; or, to be told from both, the requests really do."""
    stage = set_stage("gaps", seed, Size(endpoints=2, pods=2), window_of(seed, "6h", "24h", "6h", "24h"))
    kind = ("gap", "ended", "zero")[seed % 3]
    minutes = float(stage.rng.uniform(16, 60))
    metric = "traffic" if kind == "zero" or stage.chance(0.6) else "latency"
    if kind == "gap":
        start = stage.moment(latest_h=1.5)
        stage.world.missing = [(start, start + minutes * MINUTE_S)]
        truth = Truth(missing="gap")
    elif kind == "ended":
        stage.world.missing = [(stage.now - minutes * MINUTE_S, math.inf)]
        truth = Truth(missing="ended")
    else:
        onset = stage.now - minutes * MINUTE_S
        stage.world.effects = [Effect("traffic", {"service": stage.service}, onset, 0.0)]
        truth = Truth(onset, direction="fell", missing="zero")
    stage.asked(metric, truth)
    return stage


def nothing_wrong(seed: int) -> Stage:
    """A day, or a week, like any other, with noise, and in some a harmless deploy."""
    window = window_of(seed, "24h", "6h", "24h", "24h", "7d", "6h")
    size = Size(endpoints=2, pods=1) if window == "7d" else Size(endpoints=3, pods=2)
    stage = set_stage("nothing wrong", seed, size, window)
    stage.world.habit.blips = int(stage.rng.integers(0, 4))
    harmless = stage.chance(0.4)
    if harmless:
        deploy(stage, stage.moment())
    since = "deploy" if harmless and (stage.dialect.build or stage.dialect.versioned) else ""
    stage.asked("latency", window=since, endpoint=stage.pick(*stage.endpoints[:2]))
    stage.asked(stage.pick("errors", "traffic"))
    stage.asked("saturation" if stage.chance(0.3) else "latency")
    return stage


SCENARIOS: dict[str, Callable[[int], Stage]] = {
    "spike at deploy": spike_at_deploy,
    "slow drift": slow_drift,
    "weekly season": weekly_season,
    "one bad pod of 20": bad_pod,
    "one bad version of 2": bad_version,
    "one bad region of 3": bad_region,
    "traffic, then latency": traffic_then_latency,
    "error burst": error_burst,
    "counter resets": counter_resets,
    "gaps": gaps,
    "nothing wrong": nothing_wrong,
}
