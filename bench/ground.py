"""Grounding: the share of false claims that is caught, and of true ones that is struck.

Claims that people wrote about one request's evidence (``data/claims``; rules were tuned on one half only), and twins
made by templates from the demo team's evidence, one true and one with a single planted fault each.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.mutations import FAULTS, make_twins
from bot.cli.demo import build
from workers.bootstrap import Oracle, build_engine
from workers.contracts import Claim, Evidence, Question
from workers.engine.facts import evidence_from
from workers.engine.ground import check_claim
from workers.engine.style import Voice
from workers.ports import ToolContext
from workers.settings import load_settings

DATA = Path(__file__).parent / "data" / "claims"
WRITTEN_AT = datetime(2026, 11, 21, 11, 0, tzinfo=UTC)
HALVES = ("tune", "held")
QUESTION = "Latency on /api/search has been spiky since yesterday's deploy. What's going on?"
METRICS = ("latency_p95", "db_latency_p95", "cache_hit_ratio", "error_ratio", "traffic")
CODE_QUERIES = (
    "retry policy",
    "cache",
    "connection pool",
    "checkout handler",
    "alert rules",
    "metrics",
    "search",
    "cart",
)
EACH, SEED = 60, 7


def main(args: list[str]) -> None:
    """Print both tables; ``v`` lists what went wrong among the made claims."""
    print("Claims written by hand\n")
    hand_written()
    print(f"\nClaims by templates, {EACH} a kind, with their true twins\n")
    made("v" in args)


def verdicts(rows: Iterable[tuple[str, tuple[str, ...]]], evidence: Mapping[str, Evidence], voice: Voice) -> list[str]:
    """The verdict of each text."""
    return [check_claim(Claim(template=t, evidence=ids), evidence, voice).verdict.verdict for t, ids in rows]


def read_rows(name: str) -> list[dict[str, Any]]:
    """One file of claims."""
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def hand_written() -> None:
    """Lies caught by kind, true claims by verdict, for both halves."""
    items = json.loads((DATA / "evidence.json").read_text(encoding="utf-8"))
    evidence = {e.id: e for e in (evidence_from(x, i) for i, x in enumerate(items, 1))}
    voice = Voice(WRITTEN_AT)
    caught: dict[str, dict[str, str]] = {}
    for half in HALVES:
        rows = read_rows(f"lies_{half}.jsonl")
        found = verdicts(((r["text"], tuple(r["evidence"])) for r in rows), evidence, voice)
        total, right = Counter(r["kind"] for r in rows), Counter[str]()
        for row, verdict in zip(rows, found, strict=True):
            right[row["kind"]] += verdict != "supported"
        for kind in [*sorted(total), "all lies"]:
            every = kind == "all lies"
            n, of = (right.total(), total.total()) if every else (right[kind], total[kind])
            caught.setdefault(kind, {})[half] = f"{n} of {of}"
        true = read_rows(f"true_{half}.jsonl")
        said = Counter(verdicts(((r["text"], tuple(r["evidence"])) for r in true), evidence, voice))
        for verdict in ("supported", "hypothesis", "struck"):
            caught.setdefault(f"true, {verdict}", {})[half] = f"{said[verdict]} of {len(true)}"
    print("| kind | tuning half | held half |\n|---|---|---|")
    for kind in sorted(caught, key=lambda k: (k.startswith("true"), k == "all lies")):
        print(f"| {kind} | {caught[kind].get('tune', '')} | {caught[kind].get('held', '')} |")


def made(verbose: bool) -> None:
    """Share caught and share of true twins struck, by fault."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ.pop("ORACLE_CONFIG", None)
        now = datetime.now(UTC).replace(microsecond=0)
        build(Path(folder), now, 0)
        oracle = build_engine(load_settings(home=Path(folder)))
        try:
            evidence = gather(oracle, now)
        finally:
            oracle.close()
    known, voice = {e.id: e for e in evidence}, Voice(now)
    twins = make_twins(evidence, voice, EACH, SEED)
    print("| fault | caught | true twins struck | true twins called hypothesis |\n|---|---|---|---|")
    for fault in (*FAULTS, "all"):
        own = [t for t in twins if fault in {t.fault, "all"}]
        lies = verdicts(((t.lie, t.cited) for t in own), known, voice)
        true = verdicts(((t.true, t.cited) for t in own), known, voice)
        caught = sum(v != "supported" for v in lies)
        print(f"| {fault} | {caught} of {len(own)} | {true.count('struck')} | {true.count('hypothesis')} |")
        if verbose and fault != "all":
            for twin, lie, truth in zip(own, lies, true, strict=True):
                if lie == "supported" or truth != "supported":
                    print(f"    {lie}: {twin.lie}\n    {truth}: {twin.true}   {[known[i].title for i in twin.cited]}")


def gather(oracle: Oracle, now: datetime) -> list[Evidence]:
    """One request's evidence, and the same metrics of every other endpoint."""
    log = oracle.engine.ask(Question(request_id="ground", text=QUESTION, received_at=now))
    context = ToolContext("ground", "bench", now)
    tool, search = (oracle.rack.tools[name].tool for name in ("metrics_query", "repo_search"))
    out = list(log.evidence)
    for query in CODE_QUERIES:
        out.extend(search.run(search.args(query=query), context).evidence)
    landscape = oracle.rack.landscape(context)
    for endpoint in landscape.labels.get("endpoint", ()):
        for metric in METRICS:
            query = tool.args(query=f"metric={metric} window=24h endpoint={endpoint}")
            out.extend(e for e in tool.run(query, context).evidence if e.kind == "metric")
    unique = {e.title if e.kind == "metric" else f"{e.kind} {e.locator}": e for e in reversed(out)}
    return [e.model_copy(update={"id": f"E{i}"}) for i, e in enumerate(reversed(unique.values()), 1)]
