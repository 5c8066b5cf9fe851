"""Measures metrics_query on generated days in dialects that nothing in it was written for.

Each variant is a real Prometheus with one company's names; half of the dialects and variants are ``tune``, whose single
rows may be looked at, the other half is ``held``, of which only totals are shown.
"""

from __future__ import annotations

import argparse
import multiprocessing
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from bench.metrics.asking import answer, make_home
from bench.metrics.dialects import DIALECTS, HALVES, Dialect, half_of
from bench.metrics.dialects_tune import FURTHER
from bench.metrics.judge import Row, judge
from bench.metrics.reference import complaints
from bench.metrics.report import details, table
from bench.metrics.scenarios import SCENARIOS
from bench.metrics.serve import serve
from bench.metrics.stage import Ask, Stage, Truth, spoken

DIALECTS_HELP = (
    "only these, in turn, on days of their own, whatever the half of the day; further: the eight of dialects_tune.py, "
    f"which are chosen in no other way ({', '.join(d.name for d in FURTHER)}); with --seeds 8 each meets each scenario,"
    " but that of two versions only those whose requests have one"
)


def main(args: list[str]) -> None:
    """Run the variants and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m bench metrics")
    parser.add_argument("--seeds", type=int, default=25, help="variants of each scenario")
    parser.add_argument("--scenarios", default="", help="names or parts of names, with commas")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--half", choices=HALVES, default=None)
    parser.add_argument("--verbose", action="store_true", help="the rows of the tune half that are not right")
    parser.add_argument("--check", action="store_true", help="ask the server itself whether it shows what was planted")
    parser.add_argument("--budget", type=int, help="milliseconds for side questions (labels, related metrics)")
    parser.add_argument("--dialects", type=dialects_named, default=(), metavar="NAME,NAME", help=DIALECTS_HELP)
    options = parser.parse_args(args)
    named = tuple(d for d in options.dialects if options.half in {None, d.half})
    wanted = [part.strip() for part in options.scenarios.split(",")]
    names = [name for name in SCENARIOS if any(part in name for part in wanted)]
    variants = [
        (name, seed, options.check, options.budget, named)
        for seed in range(options.seeds)
        for name in names
        if (named if options.dialects else options.half in {None, half_of(name, seed)})
    ]
    began = time.monotonic()
    with multiprocessing.get_context("spawn").Pool(options.jobs) as pool:
        rows = [row for some in pool.imap_unordered(measure, variants) for row in some]
    rows.sort(key=lambda r: (names.index(r.scenario), r.seed))
    print(table(rows))
    print(f"\n{len(variants)} servers, {len(rows)} questions, {time.monotonic() - began:.0f} s")
    if options.verbose:
        print(details([r for r in rows if r.half == "tune"]))
    if options.check:
        found = [r for r in rows if r.notes]
        print(f"\n{len(found)} of {len(rows)} questions whose server does not show what was planted")
        print(*(f"{r.scenario} {r.seed} {r.dialect}: {r.notes}" for r in found if r.half == "tune"), sep="\n")


def dialects_named(text: str) -> tuple[Dialect, ...]:
    """The dialects of an option.

    Raises:
        argparse.ArgumentTypeError: there is none of this name.
    """
    known = {d.name: (d,) for d in (*DIALECTS, *FURTHER)} | {"further": FURTHER}
    if unknown := [name for name in text.split(",") if name not in known]:
        raise argparse.ArgumentTypeError(f"no dialect {', '.join(unknown)}; there are {', '.join(known)}")
    return tuple(d for name in text.split(",") for d in known[name])


def measure(variant: tuple[str, int, bool, int | None, tuple[Dialect, ...]]) -> list[Row]:
    """One generated day: its server, its questions."""
    name, seed, check, budget_ms, named = variant
    with spoken(named):
        stage = SCENARIOS[name](seed)
    with tempfile.TemporaryDirectory(prefix="oracle-metrics-") as folder, serve(stage, Path(folder)) as address:
        home = Path(folder) / "home"
        make_home(home, budget_ms)
        return [ask_one(stage, ask, address, home, check=check) for ask in stage.asks]


def ask_one(stage: Stage, ask: Ask, address: str, home: Path, *, check: bool) -> Row:
    """One question of a day, judged."""
    reply, took_s = answer(ask, address, stage.now, home)
    checks, error_s = judge(ask, stage.dialect, reply, usual_s(stage, ask))
    notes = tuple(complaints(stage, ask, address)) if check else ()
    told = " ".join(
        f"{k}={reply.get(k)}"
        for k in (
            "status",
            "metric",
            "unit",
            "baseline",
            "current",
            "direction",
            "onset",
            "culprit",
            "gaps",
            "reason",
            "promql",
        )
        if reply.get(k) is not None
    )
    truth = f"{ask.query} · truth: {told_truth(ask.truth)}"
    return Row(
        stage.scenario, stage.seed, stage.dialect.half, stage.dialect.name, truth, checks, error_s, took_s, told, notes
    )


def told_truth(truth: Truth) -> str:
    """A truth in words, times as the answers write them."""
    moments = {"onset": truth.onset, "first onset": truth.first_onset or None}
    moments |= dict(zip(("drift from", "to"), truth.ramp or (), strict=False))
    out = [f"{k} {datetime.fromtimestamp(v, UTC):%Y-%m-%dT%H:%M:%SZ}" for k, v in moments.items() if v is not None]
    out += [f"{k} {v}" for k, v in (("", truth.direction), ("first", truth.first), ("missing", truth.missing)) if v]
    out += [f"culprit {' or '.join(sorted(truth.culprit))}"] if truth.culprit else []
    return ", ".join(out) or "nothing changed"


def usual_s(stage: Stage, ask: Ask) -> float | None:
    """The median response time of what a question is about, in seconds, by requests."""
    endpoint = ask.filters.get("endpoint")
    cells = [c for c in stage.world.cells if c.service == stage.service and endpoint in {None, c.endpoint}]
    return sum(c.median_s * c.rate for c in cells) / sum(c.rate for c in cells) if cells else None
