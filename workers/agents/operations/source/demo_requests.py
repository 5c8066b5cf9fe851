"""A database of an invented team: 15 days of requests that follow day and night, and eight incidents seen in them.

The same seed, number and moment give the same rows.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workers.agents.operations.source.bulk_insert import Row
from workers.agents.operations.source.demo_team import (
    BACKENDS,
    DEPLOYED,
    ERRORS,
    EVALS,
    MODELS,
    STRATEGIES,
    TASKS,
    TIERS,
    TROUBLES,
    USERS,
)
from workers.agents.operations.source.demo_team_rows import DAYS, deployment_rows, incident_rows, span, user_rows
from workers.agents.operations.source.row_parsing import stored_time

SCORED = 0.6
AGAIN = 0.25
"""The share of all requests that goes to an incident's target while it lasts: who gets no answer asks again."""
CHUNK = 100_000
TIMEOUT_MS = 30_000.0
Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Tables = Mapping[str, Iterator[Row]]


@dataclass(frozen=True)
class Traffic:
    """All requests, one array a column; moments are seconds before the end, as negative numbers."""

    at: Floats
    user: Ints
    deployment: Ints
    task: Ints
    latency: Floats
    ttft: Floats
    decode: Floats
    inputs: Ints
    outputs: Ints
    cost: Floats
    status: Ints  # 0 success, 1 error, 2 timeout
    error: Ints
    worse: Floats
    score: Floats  # nan: not scored


def generate(now: datetime, seed: int = 0, count: int = 1_000_000) -> Tables:
    """Rows for every table, in the order in which they can be written.

    Args:
        now: when the requests end; aware, and taken to its second.
        seed: draws everything.
        count: how many requests.
    """
    end = now.astimezone(UTC).replace(microsecond=0)
    rng = np.random.default_rng(seed)
    traffic = draw(rng, count, end)
    return {
        "models": iter([(m.name, m.provider, m.context, *m.flags, None) for m in MODELS]),
        "backends": iter([(name, provider, region, kind, None) for name, provider, region, kind, _ in BACKENDS]),
        "deployments": iter(deployment_rows(end)),
        "tiers": iter(TIERS),
        "users": iter(user_rows()),
        "deployment_state_current": iter(state_rows(traffic, end, count, rng)),
        "requests": request_rows(traffic, end, seed),
        "incidents": iter(incident_rows(end)),
        "quality_scores": score_rows(traffic, end, seed),
    }


def pick(rng: np.random.Generator, weights: list[float], count: int) -> Ints:
    """Draw indexes by weight."""
    share = np.array(weights, float)
    return rng.choice(len(weights), size=count, p=share / share.sum())


def draw(rng: np.random.Generator, count: int, end: datetime) -> Traffic:
    """All requests."""
    at = moments(rng, count, end)
    names = [model.name for model in MODELS]
    of_model = np.array([names.index(model) for model, _, _ in DEPLOYED])
    places = [name for name, *_ in BACKENDS]
    slowness = np.array([BACKENDS[places.index(backend)][4] for _, backend, _ in DEPLOYED])
    deployment = pick(rng, [MODELS[of_model[i]].weight * share for i, (_, _, share) in enumerate(DEPLOYED)], count)
    deployment = asked_again(rng.spawn(1)[0], at, deployment)
    model = of_model[deployment]
    slower, errors, timeouts, worse = afflictions(at, deployment)
    p50 = np.array([m.p50_ms for m in MODELS])[model]
    spread = np.array([m.spread for m in MODELS])[model]
    busy = 1 + 0.12 * intensity(at, end)
    latency = p50 * slowness[deployment] * busy * slower * np.exp(rng.normal(0, 1, count) * spread)
    chance = rng.random(count)
    timed_out = chance < 0.002 + timeouts
    failed = ~timed_out & (chance < 0.010 + timeouts + errors)
    status = np.where(timed_out, 2, np.where(failed, 1, 0))
    latency = np.where(failed, latency * rng.uniform(0.1, 0.9, count), latency)
    latency = np.round(np.where(timed_out, TIMEOUT_MS, np.minimum(latency, TIMEOUT_MS - 1)), 1)
    outputs = np.where(status == 0, rng.gamma(2.0, 110, count).astype(int) + 1, 0)
    inputs = rng.gamma(1.6, 420, count).astype(int) + 8
    ttft = np.round(latency * rng.uniform(0.18, 0.42, count), 1)
    decode = np.round(outputs / np.maximum((latency - ttft) / 1000, 0.01), 1)
    cost = np.array([m.cost_usd for m in MODELS])[model] * (0.4 + inputs / 2_000 + outputs / 400)
    quality = np.array([m.score for m in MODELS])[model] - worse
    score = np.clip(rng.beta(quality * 14, (1 - quality) * 14), 0, 1).round(3)
    chosen = rng.random(count) < SCORED / max(float((status == 0).mean()), SCORED)
    return Traffic(
        at=at,
        user=pick(rng, [user[6] for user in USERS], count),
        deployment=deployment,
        task=pick(rng, [weight for _, weight in TASKS], count),
        latency=latency,
        ttft=ttft,
        decode=decode,
        inputs=inputs,
        outputs=outputs,
        cost=np.where(status == 0, cost, cost * 0.2).round(6),
        status=status,
        error=pick(rng, [weight for _, weight in ERRORS], count),
        worse=worse,
        score=np.where(chosen & (status == 0), score, np.nan),
    )


def asked_again(rng: np.random.Generator, at: Floats, deployment: Ints) -> Ints:
    """The deployment of each request, with more on those that an incident is about while it lasts."""
    chance, out = rng.random(len(at)), deployment.copy()
    for trouble in TROUBLES:
        start, stop = span(trouble)
        targets = [i for i, (m, b, _) in enumerate(DEPLOYED) if trouble.target in {f"{m}/{b}", m, b}]
        more = (at >= start) & (at < stop) & (chance < AGAIN)
        out[more] = rng.choice(targets, size=int(more.sum()))
    return out


def intensity(at: Floats, end: datetime) -> Floats:
    """How busy it is, -1 to 1: most at 15:00 UTC, least at 03:00; weekends are quieter."""
    seconds = end.timestamp() + at
    hour = seconds / 3600 % 24
    weekday = (seconds // 86_400 + 3) % 7  # the epoch was a Thursday
    curve: Floats = np.cos((hour - 15) / 24 * 2 * np.pi) - np.where(weekday >= 5, 0.35, 0.0)
    return curve


def moments(rng: np.random.Generator, count: int, end: datetime) -> Floats:
    """When requests came, oldest first, to the millisecond."""
    minutes = np.arange(-DAYS * 1440, 0) * 60.0
    weight = 1 + 0.65 * intensity(minutes, end)
    at: Floats = np.interp(
        np.sort(rng.random(count)), np.concatenate([[0], np.cumsum(weight) / weight.sum()]), [*minutes, 0.0]
    )
    to_the_millisecond: Floats = np.minimum(np.floor(at * 1000) / 1000, -0.001)
    return to_the_millisecond


def afflictions(at: Floats, deployment: Ints) -> tuple[Floats, Floats, Floats, Floats]:
    """What incidents do to each request: times slower, more errors, more timeouts, worse scores."""
    slower, errors = np.ones(len(at)), np.zeros(len(at))
    timeouts, worse = np.zeros(len(at)), np.zeros(len(at))
    for trouble in TROUBLES:
        start, stop = span(trouble)
        hit = np.array([trouble.target in {f"{m}/{b}", m, b} for m, b, _ in DEPLOYED])[deployment]
        hit &= (at >= start) & (at < stop)
        slower[hit] *= trouble.slower
        errors[hit] += trouble.errors
        timeouts[hit] += trouble.timeouts
        worse[hit] += trouble.worse
    return slower, errors, timeouts, worse


def state_rows(traffic: Traffic, end: datetime, count: int, rng: np.random.Generator) -> list[Row]:
    """How each deployment does, from the requests of the last window; its length follows how many there are."""
    wanted = 40 * len(DEPLOYED) / max(count / (DAYS * 86_400), 1e-9)
    window = int(min(max(round(wanted / 300), 1), 12)) * 300
    rows: list[Row] = []
    for i, (model, backend, _) in enumerate(DEPLOYED):
        mine = (traffic.deployment == i) & (traffic.at >= -window)
        samples = int(mine.sum())
        errors = round(float((traffic.status[mine] == 1).mean()), 6) if samples else None
        timeouts = round(float((traffic.status[mine] == 2).mean()), 6) if samples else None
        latency = quantiles(traffic.latency[mine])
        usual = quantiles(traffic.latency[(traffic.deployment == i) & (traffic.at < -86_400)])[1]
        state = health(latency[1], usual, errors or 0.0, timeouts or 0.0)
        busy = 40 if state != "healthy" else 3
        rows.append(
            (
                f"{model}/{backend}",
                state,
                window,
                samples,
                stored_time(end - timedelta(seconds=int(rng.integers(2, 45)))),
                *latency,
                errors,
                timeouts,
                int(rng.poisson(busy)),
                int(rng.integers(200, 900) / busy * 3),
                *quantiles(traffic.ttft[mine]),
                *quantiles(traffic.decode[mine & (traffic.status == 0)]),
            )
        )
    return rows


def quantiles(values: Floats) -> tuple[float | None, float | None]:
    """p50 and p95."""
    if not len(values):
        return None, None
    return round(float(np.quantile(values, 0.5)), 3), round(float(np.quantile(values, 0.95)), 3)


def health(p95: float | None, usual: float | None, errors: float, timeouts: float) -> str:
    """The status that goes with the numbers."""
    if errors + timeouts > 0.5:
        return "down"
    slow = p95 is not None and usual is not None and p95 > 1.8 * usual
    return "degraded" if slow else "healthy"


def request_id(seed: int, i: int) -> str:
    """An id that stands once, in the order of time; its end differs from seed to seed."""
    return f"req_{i:07x}{(i * 0x9E3779B1 + seed * 0x7F4A7C15) >> 7 & 0xFFFF:04x}"


def stored_times(at: Floats, end: datetime) -> list[str]:
    """Moments as text in UTC."""
    base = np.datetime64(end.replace(tzinfo=None), "ms")
    text = np.datetime_as_string(base + np.round(at * 1000).astype("timedelta64[ms]"), unit="ms")
    return [f"{moment[:10]} {moment[11:]}000" for moment in text.tolist()]


def request_rows(traffic: Traffic, end: datetime, seed: int) -> Iterator[Row]:
    """Oldest first."""
    ids = [f"{model}/{backend}" for model, backend, _ in DEPLOYED]
    tasks, codes = [name for name, _ in TASKS], [name for name, _ in ERRORS]
    users, tiers = [user[0] for user in USERS], [user[1] for user in USERS]
    words = ("success", "error", "timeout")
    reasons = [
        [json.dumps({"strategy": s, "tier": t, "candidates": 3, "chosen": d}) for s in STRATEGIES]
        for d in ids
        for t in ("premium", "standard", "budget")
    ]
    tier_of = {"premium": 0, "standard": 1, "budget": 2}
    for start in range(0, len(traffic.at), CHUNK):
        part = slice(start, start + CHUNK)
        columns: list[list[Any]] = [
            stored_times(traffic.at[part], end),
            traffic.user[part].tolist(),
            traffic.deployment[part].tolist(),
            traffic.task[part].tolist(),
            traffic.inputs[part].tolist(),
            traffic.outputs[part].tolist(),
            traffic.latency[part].tolist(),
            traffic.ttft[part].tolist(),
            traffic.decode[part].tolist(),
            traffic.cost[part].tolist(),
            traffic.status[part].tolist(),
            traffic.error[part].tolist(),
        ]
        for i, (at, u, d, task, inp, out, lat, ttft, dec, cost, st, err) in enumerate(
            zip(*columns, strict=True), start
        ):
            model, backend, _ = DEPLOYED[d]
            yield (
                request_id(seed, i),
                at,
                users[u],
                ids[d],
                model,
                backend,
                tasks[task],
                inp,
                out,
                lat,
                ttft if st == 0 else None,
                dec if st == 0 else None,
                cost,
                words[st],
                None if st == 0 else "upstream_timeout" if st == 2 else codes[err],
                "router-4.2" if i % 10 else "router-4.3",
                None if i % 5 else "exp-cheaper-first",
                reasons[d * 3 + tier_of[tiers[u]]][i % len(STRATEGIES)],
            )


def score_rows(traffic: Traffic, end: datetime, seed: int) -> Iterator[Row]:
    """One for each scored request, some minutes after it and not after the end."""
    names = [name for name, weight in EVALS for _ in range(weight)]
    (scored,) = np.nonzero(~np.isnan(traffic.score))
    later = np.minimum(traffic.at[scored] + 30 + scored % 270, -0.001)
    for i, score, at in zip(scored.tolist(), traffic.score[scored].tolist(), stored_times(later, end), strict=True):
        yield request_id(seed, i), names[i % len(names)], score, at
