"""How likely a finding answers a question: a logistic model over few features that a person can read.

The weights lie in ``finding_weights.json`` and are learned by ``python -m bench.boards train``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from workers.reasoning.findings import ANSWERS, Finding
from workers.reasoning.wish import Wish

WEIGHTS = Path(__file__).with_name("finding_weights.json")
ALARMING = frozenset({"latency", "errors"})
"""What is measured of how something stands, where nothing is named."""
WEIGHED = ("commit", "deploy", "status")
"""Kinds that are likelier or less likely right than their other features tell."""
HALF = 0.5
ANSWERED = 0.7
"""From this chance on a finding is an answer; below it is what lies nearest. Training weighs the right and the wrong
findings of a question the same, so that most findings with a chance of one half are wrong."""


def features_of(finding: Finding, wish: Wish) -> dict[str, float]:
    """The features by name, most of them 0 to 1."""
    named = bool(wish.subjects)
    own = len(wish.subjects & finding.entities) / len(wish.subjects) if named else 0.0
    shared = wish.share(finding.words)
    measured = finding.kind in {"metric", "incident", "status"}
    state = wish.kinds.get("operations_status", 0.0) + wish.kinds.get("debug_incident", 0.0)
    found = {
        "bias": 1.0,
        "kind_fits": sum(wish.kinds.get(kind, 0.0) for kind in answered_by(finding, wish)),
        "of_subject": own,
        "of_another": float(named and (measured or finding.kind in {"deploys", "deploy"}) and not own),
        "measure_fits": float(bool(finding.measure) and finding.measure in wish.measures),
        "as_measured": float(finding.measure in wish.measures and (not named or own > 0)),
        "not_measured": float(not measured and bool(wish.measures)),
        "measure_differs": float(bool(finding.measure) and finding.measure not in (wish.measures or ALARMING)),
        "shared": shared,
        "head": wish.share(finding.head),
        "measured_missing": (1.0 - shared) * float(measured and bool(wish.words)),
        "usual": len(wish.usual & finding.words) / len(wish.usual) if wish.usual else 0.0,
        "score": finding.score,
        "unknown": wish.unknown,
        "later": math.log1p(finding.place),
        "size": finding.size / 3.0,
        "moved_and_asked": finding.size / 3.0 * state,
        "in_test": float(finding.file == "test"),
        "in_doc": float(finding.file in {"doc", "log"} and finding.kind == "place"),
        "joined": min(finding.made_of - 1, 3) / 3.0,
        "who_owner": float(wish.who and finding.kind == "owner"),
        "who_authors": float(wish.who and finding.kind == "authors"),
        "who_other": float(wish.who and finding.kind not in {"owner", "authors"}),
        "amount_valued": float(
            (wish.amount and finding.valued and finding.kind in {"setting", "cell"}) or finding.is_asked_cell
        ),
        "aside": float(is_aside(finding, wish)),
        "to_do_steps": float(wish.to_do and finding.kind == "procedure"),
        "why_moved": float(wish.why and finding.kind == "incident" and finding.size > 0),
        "why_decision": float(wish.why and finding.kind == "decision"),
    }
    found |= {f"is_{kind}": float(finding.kind == kind) for kind in WEIGHED}
    return found


def is_aside(finding: Finding, wish: Wish) -> bool:
    """Whether a finding lacks what is asked for: a value, the words of what to do, what holds of any release."""
    if wish.amount and not finding.valued:
        return True
    if finding.kind == "procedure":
        return wish.share(finding.words) < HALF
    return finding.file == "log" and not wish.released


def answered_by(finding: Finding, wish: Wish) -> frozenset[str]:
    """The kinds of questions that a finding usually answers: the value that is asked for may stand in a table too."""
    kinds = ANSWERS[finding.kind]
    return kinds | ANSWERS["setting"] if finding.is_asked_cell or (finding.kind == "cell" and wish.amount) else kinds


@cache
def load_weights() -> Mapping[str, float]:
    """Feature -> weight."""
    return dict(json.loads(WEIGHTS.read_text(encoding="utf-8")))


def chance(finding: Finding, wish: Wish) -> float:
    """How likely the finding by itself answers the question, 0 to 1."""
    weights = load_weights()
    total = sum(weights.get(name, 0.0) * value for name, value in features_of(finding, wish).items())
    return 1.0 / (1.0 + math.exp(-max(min(total, 30.0), -30.0)))


def rank(findings: Iterable[Finding], wish: Wish) -> list[tuple[float, Finding]]:
    """Findings with how likely they, or a part of them, answer the question, the likeliest first.

    Of those that tell the same part the likelier by itself comes first.
    """
    found: list[tuple[float, float, Finding]] = []
    for finding in findings:
        own = chance(finding, wish)
        found.append((max((own, *(chance(part, wish) for part in finding.parts))), own, finding))
    return [(whole, finding) for whole, _, finding in sorted(found, key=lambda one: (-one[0], -one[1]))]
