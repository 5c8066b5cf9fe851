"""Which agent answers: requests of authors who saw neither rules nor examples, by the policy and without a model."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np

from workers.agents.registry import agent_examples, build_agents, build_likelihood
from workers.contracts import Landscape, Question
from workers.engine.policy import Policy, choose_route
from workers.language.question_kinds import features
from workers.ports import Playbook
from workers.reasoning.rules import RulesReasoner
from workers.settings.load import load_settings

DATA = Path(__file__).parent / "data" / "routes"
PICTURE = Path(__file__).with_name("routes.png")
REFUSED = ("unsafe", "out_of_scope")
STEPS = (0.0, 0.3, 0.5, 0.7, 0.9, 1.01)
NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)


def main(args: list[str]) -> None:
    """Print what each file's requests came to, the mistakes, the calibration, and how near they are to the examples.

    Args:
        args: files of ``{text, label, also}``, one a line; those under ``bench/data/routes`` when none is given.
    """
    files = [Path(a) for a in args] or sorted(DATA.glob("*.jsonl"))
    with TemporaryDirectory() as home:
        settings = load_settings(home=Path(home))
        agents = {n: replace(a, lacks="") for n, a in build_agents(settings).items()}
        likely = build_likelihood(settings)
        modules = {n: a.module for n, a in agents.items()}
        rules = RulesReasoner(settings.default_agent, modules, Playbook({}), Landscape, likely)
        policy = Policy(agents, settings.default_agent, settings.core.fallback_agent, likely)
        likely(ask("warm up"))
        print("| file | requests | right agent | unsafe refused | refused needlessly | p50 ms | p99 ms |")
        print("|---|---|---|---|---|---|---|")
        rows = [row for file in files for row in judged(file, policy, rules)]
        for file in (*files, None):
            summarise(file, [row for row in rows if file is None or row["file"] == file])
        print("\n| likelihood | requests | right |\n|---|---|---|")
        for low, high in pairwise(STEPS):
            some = [row for row in rows if low <= row["confidence"] < high]
            share = f"{sum(row['best'] for row in some) / len(some):.0%}" if some else "-"
            print(f"| {low:.1f} to {min(high, 1.0):.1f} | {len(some)} | {share} |")
        draw(rows)
        known = [text for texts in agent_examples(settings).values() for text in texts]
        near = nearest([str(row["text"]) for row in rows], known)
        print(f"\nfeatures shared with the nearest example: median {np.median(near):.0%}, most {near.max():.0%}")
        for row in rows:
            if not row["right"]:
                print(f"wrong: {row['label']} -> {row['chosen']} ({row['confidence']:.2f}) {row['text'][:120]}")


def ask(text: str) -> Question:
    """One request, at a fixed time."""
    return Question(request_id="bench", text=text, received_at=NOW)


def judged(file: Path, policy: Policy, rules: RulesReasoner) -> list[dict[str, object]]:
    """Each request with what was chosen."""
    out = []
    tasks = {agent.task: name for name, agent in policy.agents.items()}
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        question = ask(row["text"])
        began = time.perf_counter()
        route = choose_route(question, policy, rules.choose_agent)
        spent = (time.perf_counter() - began) * 1e3
        found = policy.likely(question)
        best = max(found, key=lambda label: found[label])
        chosen = tasks.get(route.task, "refused")
        wanted = {row["label"], *row.get("also", ())}
        right = chosen in wanted or (chosen == "refused" and bool(wanted & set(REFUSED)))
        known = {"best": best in wanted, "confidence": found[best], "ms": spent, "file": file}
        out.append({**row, "chosen": chosen, "right": right, **known})
    return out


def summarise(file: Path | None, rows: list[dict[str, object]]) -> None:
    """One line of the table."""
    unsafe = [r for r in rows if r["label"] == "unsafe"]
    fine = [r for r in rows if r["label"] not in REFUSED]
    refused = sum(r["chosen"] == "refused" for r in unsafe)
    needless = sum(r["chosen"] == "refused" for r in fine)
    times = np.array([r["ms"] for r in rows], dtype=float)
    right = sum(bool(r["right"]) for r in rows)
    name = file.stem if file else "all"
    print(
        f"| {name} | {len(rows)} | {right / len(rows):.1%} | {refused} of {len(unsafe)} | {needless} of {len(fine)} | "
        f"{np.percentile(times, 50):.1f} | {np.percentile(times, 99):.1f} |"
    )


def draw(rows: list[dict[str, object]]) -> None:
    """The calibration as a picture: how often the likeliest label is right, by its likelihood."""
    figure, axes = plt.subplots(figsize=(4.2, 3.4), layout="constrained")
    axes.plot([0, 1], [0, 1], color="0.7", linewidth=1)
    for low, high in pairwise(STEPS):
        some = [row for row in rows if low <= row["confidence"] < high]
        if some:
            said = np.mean([row["confidence"] for row in some])
            axes.scatter(said, np.mean([row["best"] for row in some]), s=12 + 2 * len(some), color="#1264a3", alpha=0.8)
            axes.annotate(f" {len(some)}", (said, np.mean([row["best"] for row in some])), va="top")
    axes.set(
        xlabel="likelihood of the likeliest label", ylabel="share that is right", xlim=(0, 1.05), ylim=(-0.05, 1.05)
    )
    figure.savefig(PICTURE, dpi=110)


def nearest(texts: list[str], examples: list[str]) -> np.ndarray:
    """How near each text is to the nearest example: the share of features that both have (Jaccard), 0 to 1."""
    known = [features(e) for e in examples]
    return np.array([max(len(f & k) / len(f | k) for k in known) for f in map(features, texts)])
