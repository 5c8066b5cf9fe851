"""Grounding: the share of lies that is caught, and of true claims that is struck.

Claims that people wrote about other requests' evidence without having seen the rules (``data/claims``): ``sets`` holds
what the tools returned, ``tune`` and ``held`` the claims; rules were tuned on the first half only. Then twins made by
templates from the demo team's evidence, one true and one with a single planted fault each.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from bench.mutations import FAULTS, make_twins
from bot.cli.demo import build
from workers.bootstrap import Oracle, build_engine
from workers.contracts import Claim, Evidence, Question, Verdict
from workers.grounding.fact_extraction import evidence_from, moment
from workers.grounding.ground import check_claim
from workers.grounding.value_format import Voice
from workers.ports import ToolContext
from workers.settings.load import load_settings

DATA = Path(__file__).parent / "data" / "claims"
HALVES = ("tune", "held")
FORMS = ("text", "template")
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


@dataclass(frozen=True)
class Row:
    """One written claim: its kind is ``true`` or that of its planted fault."""

    id: str
    kind: str
    form: str
    claim: Claim


@dataclass(frozen=True)
class Judged:
    """A written claim with its verdict."""

    row: Row
    verdict: Verdict

    @property
    def wrong(self) -> bool:
        """A lie that is shown, or a true claim that is struck."""
        return self.verdict.verdict == ("struck" if self.row.kind == "true" else "supported")


def main(args: list[str]) -> None:
    """Print all tables; ``v`` lists the mistakes among the tuning half and among the made claims."""
    print("Claims written by people\n")
    written("v" in args)
    print(f"\nClaims by templates, {EACH} a kind, with their true twins\n")
    made("v" in args)


# --- written claims -------------------------------------------------------------------------------------------


@cache
def read_set(name: str) -> tuple[dict[str, Evidence], Voice]:
    """The evidence of one request by id, and the asker's clock."""
    data = json.loads((DATA / "sets" / f"{name}.json").read_text(encoding="utf-8"))
    evidence = (evidence_from(item, i) for i, item in enumerate(data["evidence"], 1))
    return {e.id: e for e in evidence}, Voice(moment(data["now"]), data["zone"])


def read_rows(half: str) -> dict[str, list[Row]]:
    """The claims of one half by the name of their set, disputed ones included."""
    out: dict[str, list[Row]] = {}
    for path in sorted((DATA / half).glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip():
                item = json.loads(line)
                out.setdefault(item["set"], []).append(read_row(item))
    return out


def read_row(item: Mapping[str, Any]) -> Row:
    """One line of a file of claims."""
    form = "template" if "template" in item else "text"
    claim = Claim(template=item[form], evidence=item["evidence"], status=item.get("status", "supported"))
    return Row(item["id"], item["kind"], form, claim)


def disputed() -> dict[str, str]:
    """Ids of claims whose author was wrong, with the reason."""
    found: dict[str, str] = json.loads((DATA / "disputed.json").read_text(encoding="utf-8"))
    return found


def judge(half: str) -> tuple[list[Judged], int]:
    """Every undisputed claim of one half with its verdict, and how many were left out."""
    without = disputed()
    out: list[Judged] = []
    dropped = 0
    for name, rows in read_rows(half).items():
        evidence, voice = read_set(name)
        kept = [r for r in rows if r.id not in without]
        dropped += len(rows) - len(kept)
        out.extend(Judged(r, check_claim(r.claim, evidence, voice, r.id).verdict) for r in kept)
    return out, dropped


def written(verbose: bool) -> None:
    """The tables of both halves."""
    began = time.process_time()
    found: dict[str, list[Judged]] = {}
    for half in HALVES:
        found[half], dropped = judge(half)
        sets = len(read_rows(half))
        print(f"{half}: {len(found[half])} claims about {sets} sets of evidence; {dropped} disputed and left out")
    spent, n = time.process_time() - began, sum(map(len, found.values()))
    print(f"{spent / max(n, 1) * 1e3:.1f} ms a claim\n")
    print_lies(found)
    print()
    print_truths(found)
    for one in found["tune"] if verbose else ():
        if one.wrong:
            print(
                f"{one.row.id} {one.row.kind}: {one.row.claim.template}\n    {one.verdict.verdict} {one.verdict.reason}"
            )


def print_lies(found: Mapping[str, Sequence[Judged]]) -> None:
    """Lies by kind: caught, and of these called a hypothesis."""
    heads = " | ".join(f"{half}: lies | struck | hypothesis | shown | caught" for half in found)
    print(f"| kind | {heads} |\n|---|{'---|' * 5 * len(found)}")
    kinds = sorted({j.row.kind for rows in found.values() for j in rows} - {"true"})
    for name in (*kinds, *(f"all, {form}s" for form in FORMS), "all"):
        cells = []
        for rows in found.values():
            own = [j for j in rows if j.row.kind != "true" and fits(name, j.row)]
            said = Counter(j.verdict.verdict for j in own)
            cells.append(" | ".join(map(str, (len(own), said["struck"], said["hypothesis"], said["supported"]))))
            cells.append(share(len(own) - said["supported"], len(own)))
        print(f"| {name} | {' | '.join(cells)} |")


def print_truths(found: Mapping[str, Sequence[Judged]]) -> None:
    """True claims by form: shown as written, called a hypothesis, struck."""
    heads = " | ".join(f"{half}: true | supported | hypothesis | struck | wrongly struck" for half in found)
    print(f"| form | {heads} |\n|---|{'---|' * 5 * len(found)}")
    for name in (*(f"all, {form}s" for form in FORMS), "all"):
        cells = []
        for rows in found.values():
            own = [j for j in rows if j.row.kind == "true" and fits(name, j.row)]
            said = Counter(j.verdict.verdict for j in own)
            cells.append(" | ".join(map(str, (len(own), said["supported"], said["hypothesis"], said["struck"]))))
            cells.append(share(said["struck"], len(own)))
        print(f"| {name} | {' | '.join(cells)} |")


def fits(name: str, row: Row) -> bool:
    """Whether a claim counts in a line of the table."""
    return name in {"all", row.kind, f"all, {row.form}s"}


def share(some: int, whole: int) -> str:
    """In percent."""
    return f"{some / whole:.1%}" if whole else "–"


# --- claims by templates --------------------------------------------------------------------------------------


def verdicts(rows: Iterable[tuple[str, tuple[str, ...]]], evidence: Mapping[str, Evidence], voice: Voice) -> list[str]:
    """The verdict of each text."""
    return [check_claim(Claim(template=t, evidence=ids), evidence, voice).verdict.verdict for t, ids in rows]


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
    tool, search = (oracle.toolbox.tools[name].tool for name in ("metrics_query", "repo_search"))
    out = list(log.evidence)
    for query in CODE_QUERIES:
        out.extend(search.run(search.args(query=query), context).evidence)
    landscape = oracle.toolbox.landscape(context)
    for endpoint in landscape.labels.get("endpoint", ()):
        for metric in METRICS:
            query = tool.args(query=f"metric={metric} window=24h endpoint={endpoint}")
            out.extend(e for e in tool.run(query, context).evidence if e.kind == "metric")
    unique = {e.title if e.kind == "metric" else f"{e.kind} {e.locator}": e for e in reversed(out)}
    return [e.model_copy(update={"id": f"E{i}"}) for i, e in enumerate(reversed(unique.values()), 1)]
