"""``bench causes FOLDER [--connected]``: incidents with known causes, by the rules alone; nothing of the sets is kept.

``FOLDER`` holds checkouts of edgedelta/root-cause-bench (which commit, or none), edgedelta/blast-radius-bench (what
failed first, and how it spread), edgedelta/noise-bench (which alerts to page) and
amazon-science/petshop-root-cause-analysis (which node), any of them.

Bundles are split by lot (the SHA-256 of their names): the first half was read while the rules were made, of
root-cause-bench the third quarter after it was measured once, the rest never.
"""

from __future__ import annotations

import csv
import hashlib
import json
import math
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from bench.causes_connected import ask_connected
from workers.agents.causes.evidence.verdict_evidence import HIGH, MEDIUM
from workers.agents.causes.source.bundle import read_bundle
from workers.agents.causes.source.failure_chain import costly_callees
from workers.agents.causes.source.symptoms import read_symptoms
from workers.agents.causes.source.triage.batch import read_alerts
from workers.agents.causes.source.triage.decision import triage
from workers.agents.causes.source.verdict import Verdict, reach_verdict

Truths = dict[Path, dict[str, Any]]
CONNECTED = "--connected"
SIGMAS = 3.0
"""A node's metric is beyond its usual range from so many deviations on."""


def main(args: list[str]) -> None:
    """Print a table for each set that is there."""
    args, connected = [a for a in args if a != CONNECTED], CONNECTED in args
    found = sorted(p.parent.parent for p in Path(args[0]).rglob("tests/ground_truth.json"))
    truths = {p: json.loads((p / "tests/ground_truth.json").read_text()) for p in found}
    if connected:
        print_connected(lot([p for p in truths if "root_cause_commit" in truths[p]]), truths)
        return
    if drawn := lot([p for p in truths if "root_cause_commit" in truths[p]]):
        half, quarter = len(drawn) // 2, len(drawn) * 3 // 4
        print(
            f"{'which commit':<22}{'right':>8}{'none right':>12}{'decoys':>8}{'decoys, high':>14}"
            f"{'first service':>15}{'ms':>6}"
        )
        parts = {"read": drawn[:half], "read after measuring": drawn[half:quarter], "never read": drawn[quarter:]}
        for name, part in (parts | {"all": drawn}).items():
            print(commit_row(name, part, truths))
    if drawn := lot([p for p in truths if "propagation_path" in truths[p]]):
        half = len(drawn) // 2
        print(f"{'how it spread':<22}{'all right':>10}{'origin':>9}{'reversed':>10}")
        for name, part in {"read": drawn[:half], "never read": drawn[half:], "all": drawn}.items():
            print(spread_row(name, part, truths))
    if drawn := lot([p for p in truths if "must_page" in truths[p]]):
        half = len(drawn) // 2
        print(f"{'which alerts to page':<22}{'reward':>8}{'passed':>8}{'F1':>7}{'missed':>8}{'of noise':>10}{'ms':>6}")
        for name, part in {"read": drawn[:half], "never read": drawn[half:], "all": drawn}.items():
            print(page_row(name, part, truths))
    if targets := sorted(Path(args[0]).rglob("target.json")):
        print_nodes(targets)
    sets = {file.parent: json.loads(file.read_text()) for file in sorted(Path(args[0]).rglob("answers.json"))}
    outcomes = [outcome for folder, answers in sets.items() for outcome in print_answers(folder, answers)]
    outcomes += [
        commit_outcome(p, truths[p]) for p in lot([p for p in truths if "root_cause_commit" in truths[p]])[12:]
    ]
    if outcomes:
        print_calibration(outcomes)


def lot(folders: Sequence[Path]) -> list[Path]:
    """Folders in an order that nobody chose."""
    return sorted(folders, key=lambda p: hashlib.sha256(p.name.encode()).hexdigest())


def print_connected(drawn: Sequence[Path], truths: Truths) -> None:
    """How many causes are found where the same is connected as a team has it."""
    told = ask_connected(drawn, truths)
    half, quarter = len(drawn) // 2, len(drawn) * 3 // 4
    parts = {"read": drawn[:half], "read after measuring": drawn[half:quarter], "never read": drawn[quarter:]}
    print(f"{'which commit, connected':<26}{'right':>8}{'none right':>12}{'decoys':>8}{'nothing told':>14}{'s':>6}")
    for name, part in (parts | {"all": drawn}).items():
        none = [p for p in part if truths[p]["root_cause_commit"] == "none"]
        right = [p for p in part if told[p].commit == truths[p]["root_cause_commit"]]
        decoys = sum(told[p].commit in truths[p]["decoy_deploy_commits"] for p in part)
        counts = f"{f'{len(right)}/{len(part)}':>8}{f'{len({*none} & {*right})}/{len(none)}':>12}{decoys:>8}"
        silent, seconds = sum(not told[p].commit for p in part), fmean([told[p].seconds for p in part] or [0.0])
        print(f"{name:<26}{counts}{silent:>14}{seconds:>6.1f}")


def commit_row(name: str, part: Sequence[Path], truths: Truths) -> str:
    """How many causes of a part were found, and how many innocent ones were blamed."""
    right = none_right = decoys = sure = first = none = 0
    began = perf_counter()
    for folder in part:
        truth, verdict = truths[folder], reach_verdict(read_bundle(folder / "environment"))
        correct = verdict.commit == truth["root_cause_commit"]
        decoy = verdict.commit in truth["decoy_deploy_commits"]
        right += correct
        none += truth["root_cause_commit"] == "none"
        none_right += correct and verdict.commit == "none"
        decoys += decoy
        sure += decoy and verdict.confidence >= HIGH
        first += verdict.symptoms.first == truth["first_failing_service"]
    ms = 1_000 * (perf_counter() - began) / max(1, len(part))
    counts = f"{f'{right}/{len(part)}':>8}{f'{none_right}/{none}':>12}{decoys:>8}{sure:>14}"
    return f"{name:<22}{counts}{f'{first}/{len(part)}':>15}{ms:>6.0f}"


def spread_row(name: str, part: Sequence[Path], truths: Truths) -> str:
    """How many chains are whole: the origin, every edge of the truth, and none of them the other way round."""
    whole = origins = turned = 0
    for folder in part:
        truth, chain = truths[folder], read_symptoms(read_bundle(folder / "environment")).chain
        names = {n.lower() for n in (truth["origin_service"], *truth.get("accept_origin_aliases", ()))}
        true = {(e["from"].lower(), e["to"].lower()) for e in truth["propagation_path"]}
        told = {(a.lower(), b.lower()) for a, b in chain.edges}
        back = {(a, b) for a, b in told if (b, a) in true and (a, b) not in true}
        recall = len(told & true) / max(1, len(true))
        right = chain.origin.lower() in names
        origins += right
        turned += len(back)
        whole += right and recall >= truth.get("edge_overlap_threshold", 1.0) and not back
    return f"{name:<22}{f'{whole}/{len(part)}':>10}{f'{origins}/{len(part)}':>9}{turned:>10}"


def page_row(name: str, part: Sequence[Path], truths: Truths) -> str:
    """The rewards of a part: F1 of the alerts that are paged, nothing where one is missed that must be; how many pass
    the set's own bounds; alerts of incidents that are missed; pages for noise."""
    rewards, scores, passed, missed, noise = [], [], 0, 0, 0
    began = perf_counter()
    for folder in part:
        truth = truths[folder]
        paged = {d.alert.id for d in triage(read_alerts(folder / "environment")) if d.pages}
        real = {alert for alert, label in truth["labels"].items() if label == "page"}
        must, lost, false = set(truth["must_page"]), real - paged, paged - real
        score = 2 * len(real & paged) / max(1, len(real) + len(paged))
        scores.append(score)
        rewards.append(0.0 if must & lost else score)
        passed += not must & lost and len(lost) <= truth.get("miss_budget", 0) and score >= truth["f1_threshold"]
        missed += len(lost)
        noise += len(false)
    ms = 1_000 * (perf_counter() - began) / max(1, len(part))
    counts = f"{fmean(rewards):>8.3f}{f'{passed}/{len(part)}':>8}{fmean(scores):>7.3f}{missed:>8}{noise:>10}"
    return f"{name:<22}{counts}{ms:>6.0f}"


# --- incidents of other authors -------------------------------------------------------------------------------------

Outcome = tuple[float, bool]
"""How sure a verdict is that names a cause, and whether it is right."""
PICTURE = Path(__file__).with_name("causes.png")
BOUNDS = (0.0, 0.5, MEDIUM, HIGH, 1.0)


def print_answers(folder: Path, answers: dict[str, Any]) -> list[Outcome]:
    """How many causes of a set are found: ``answers.json`` beside one folder an incident."""
    outcomes, right, third, sure = list[Outcome](), 0, 0, 0
    for name, truth in answers.items():
        verdict = reach_verdict(read_bundle(folder / name))
        correct = is_right(verdict, truth)
        first = [c.name if c.kind in {"commit", "flag"} else c.kind for c in verdict.candidates[:3]]
        right += correct
        third += correct or any(x in first for x in (truth["commit"], truth["flag"], truth["cause_kind"]) if x)
        sure += not correct and verdict.confidence >= HIGH
        outcomes += [(verdict.confidence, correct)] if verdict.cause else []
    counts = f"{right}/{len(answers)} right, {third}/{len(answers)} among three, {sure} wrong with high confidence"
    print(f"{folder.name}: {counts}")
    return outcomes


def is_right(verdict: Verdict, truth: dict[str, Any]) -> bool:
    """Whether the cause is the true one: the commit or flag by its name, else the kind."""
    kind = verdict.cause.kind if verdict.cause else "none"
    if truth["cause_kind"] == "commit":
        return verdict.commit == truth["commit"]
    return kind == truth["cause_kind"] and (
        kind != "flag" or verdict.cause is None or verdict.cause.name == truth["flag"]
    )


def commit_outcome(folder: Path, truth: dict[str, Any]) -> Outcome:
    """The outcome of an incident that names a commit or none."""
    verdict = reach_verdict(read_bundle(folder / "environment"))
    return verdict.confidence, verdict.commit == truth["root_cause_commit"]


def print_calibration(outcomes: Sequence[Outcome]) -> None:
    """How often a verdict is right by how sure it is, as a table and as a picture."""
    rows = []
    for low, high in pairwise(BOUNDS):
        part = [(sure, right) for sure, right in outcomes if low <= sure < high or sure == high == 1.0]
        if part:
            rows.append((float(np.mean([s for s, _ in part])), float(np.mean([r for _, r in part])), len(part)))
            print(f"confidence {low:.2f} to {high:.2f}: {sum(r for _, r in part)}/{len(part)} right")
    figure, axes = plt.subplots(figsize=(4.5, 4.0), dpi=110)
    axes.plot([0, 1], [0, 1], color="0.7", linewidth=1)
    axes.scatter([r[0] for r in rows], [r[1] for r in rows], s=[30 * r[2] for r in rows], color="#2f6f9f", zorder=3)
    for sure, right, count in rows:
        axes.annotate(str(count), (sure, right), ha="center", va="center", color="white", fontsize=8, zorder=4)
    axes.set(xlim=(0, 1), ylim=(-0.05, 1.05), xlabel="confidence told", ylabel="share that is right")
    axes.set_title("Causes of incidents that no rule was made on", fontsize=9)
    figure.tight_layout()
    figure.savefig(PICTURE)


# --- nodes of a call graph --------------------------------------------------------------------------------------

Columns = list[tuple[str, str, str]]


def print_nodes(targets: Sequence[Path]) -> None:
    """Which node of a call graph is at fault, of the issues whose usual metrics are there."""
    first = third = counted = left = 0
    for file in targets:
        usual = file.parents[2] / "noissue" / "metrics.csv"
        if not usual.is_file():
            left += 1
            continue
        told, truth = json.loads(file.read_text()), json.loads(file.read_text())["root_cause"]["node"]
        ranked = node_ranking(
            read_table(usual), read_table(file.parent / "metrics.csv"), file.parents[2], told["target"]
        )
        counted += 1
        first += ranked[:1] == [truth]
        third += truth in ranked[:3]
    print(
        f"which node: first {first}/{counted}, among three {third}/{counted}; {left} without usual metrics are left out"
    )


def read_table(file: Path) -> tuple[Columns, np.ndarray[Any, Any]]:
    """Columns (node, metric, statistic) and their values, one row a moment."""
    rows = list(csv.reader(file.open(encoding="utf-8")))
    values = np.array([[float(cell) if cell else math.nan for cell in row[1:]] for row in rows[4:]])
    return list(zip(rows[0][1:], rows[1][1:], rows[2][1:], strict=True)), values


def node_ranking(
    usual: tuple[Columns, np.ndarray[Any, Any]],
    now: tuple[Columns, np.ndarray[Any, Any]],
    folder: Path,
    target: dict[str, str],
) -> list[str]:
    """The nodes that explain what the target lost, the likeliest first."""
    graph = list(csv.reader((folder / "graph.csv").open(encoding="utf-8")))
    names = graph[0][1:]
    calls = {
        (row[0], name) for row in graph[1:] for name, cell in zip(names, row[1:], strict=True) if cell and float(cell)
    }
    before = {column: usual[1][:, i] for i, column in enumerate(usual[0])}
    costs: dict[str, float] = {}
    for i, column in enumerate(now[0]):
        node, metric, statistic = column
        if (metric, statistic) != (target["metric"], target["agg"]) or column not in before:
            continue
        base, samples = (part[np.isfinite(part)] for part in (before[column], now[1][:, i]))
        if len(base) < 10 or not len(samples):
            continue
        level = float(np.median(base))
        spread = 1.4826 * float(np.median(np.abs(base - level))) or float(np.std(base)) or 1e-9
        rose = metric == "latency"
        beyond = (samples.max() - level) / spread if rose else (level - samples.min()) / max(spread, 0.5)
        if beyond > SIGMAS:
            asked = [np.nanmean(now[1][:, j]) for j, c in enumerate(now[0]) if c[0] == node and c[1] == "requests"]
            count = float(asked[0]) if asked and np.isfinite(asked[0]) else 0.0
            costs[node] = abs(float(samples.mean()) - level) * count
    return list(costly_callees(calls, costs, target["node"]))
