"""``bench causes FOLDER``: incidents with known causes, as in edgedelta/root-cause-bench, by the rules alone.

``FOLDER`` holds a checkout of the set; nothing of it is kept here. Incidents are split by lot (the SHA-256 of their names):
the first half was read while the rules were made, the third quarter after they were measured once, the last never.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from workers.sources.causes.bundle import read_bundle
from workers.sources.causes.evidence import HIGH
from workers.sources.causes.verdict import reach_verdict


def main(args: list[str]) -> None:
    """Print a row for each part of the set."""
    found = sorted(p.parent.parent for p in Path(args[0]).rglob("tests/ground_truth.json"))
    truths = {p: json.loads((p / "tests/ground_truth.json").read_text()) for p in found}
    known = [p for p in truths if "root_cause_commit" in truths[p]]
    drawn = sorted(known, key=lambda p: hashlib.sha256(p.name.encode()).hexdigest())
    half, quarter = len(drawn) // 2, len(drawn) * 3 // 4
    print(f"{'part':<22}{'right':>8}{'none right':>12}{'decoys':>8}{'decoys, high':>14}{'first service':>15}{'ms':>6}")
    for name, part in (
        ("read", drawn[:half]),
        ("read after measuring", drawn[half:quarter]),
        ("never read", drawn[quarter:]),
        ("all", drawn),
    ):
        print(row(name, part, truths))


def row(name: str, part: Sequence[Path], truths: dict[Path, dict[str, object]]) -> str:
    """How many causes of a part were found, and how many innocent ones were blamed."""
    right = none_right = decoys = sure = first = none = 0
    began = perf_counter()
    for folder in part:
        truth, verdict = truths[folder], reach_verdict(read_bundle(folder / "environment"))
        correct = verdict.commit == truth["root_cause_commit"]
        innocent = truth["decoy_deploy_commits"]
        decoy = isinstance(innocent, list) and verdict.commit in innocent
        right += correct
        none += truth["root_cause_commit"] == "none"
        none_right += correct and verdict.commit == "none"
        decoys += decoy
        sure += decoy and verdict.confidence >= HIGH
        first += verdict.symptoms.first == truth["first_failing_service"]
    ms = 1_000 * (perf_counter() - began) / max(1, len(part))
    counts = f"{f'{right}/{len(part)}':>8}{f'{none_right}/{none}':>12}{decoys:>8}{sure:>14}"
    return f"{name:<22}{counts}{f'{first}/{len(part)}':>15}{ms:>6.0f}"
