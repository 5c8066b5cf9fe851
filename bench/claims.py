"""Claims that people wrote about evidence of any shape: what is struck of true and of false ones, by source and kind.

Each line of a file is ``{source, evidence[], claims[{id, text, evidence, label, kind}]}``. Then each rule of relations: how
often it fires on true and on false claims, and the ratio of both (one added to each count): a rule stays from five on.
"""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from workers.contracts import Claim, Evidence, Verdict
from workers.grounding.fact_extraction import evidence_from
from workers.grounding.ground import check_claim
from workers.grounding.value_format import Voice

NOW = datetime(2026, 11, 25, 17, 10, tzinfo=UTC)
SPECIFICS = frozenset(
    "wrong-number wrong-unit wrong-time wrong-path wrong-line wrong-name wrong-version-or-commit wrong-quote wrong-link "
    "wrong-count wrong-arithmetic".split()
)
RELATIONS = frozenset({"wrong-direction", "wrong-size", "wrong-order", "wrong-owner"})


@dataclass(frozen=True)
class Judged:
    """One written claim with its verdict and the lines of its arithmetic."""

    source: str
    true: bool
    kind: str
    text: str
    verdict: Verdict
    arithmetic: tuple[str, ...]

    @property
    def group(self) -> str:
        """True, or what sort of falsehood."""
        if self.true:
            return "true"
        return "specifics" if self.kind in SPECIFICS else "relations" if self.kind in RELATIONS else "meaning"


def main(args: list[str]) -> None:
    """Print the tables for the files given; ``v`` lists every mistake."""
    found: list[Judged] = []
    began = time.process_time()
    for name in args:
        if name != "v":
            for line in Path(name).read_text(encoding="utf-8").splitlines():
                found.extend(judge_case(json.loads(line)))
    spent = (time.process_time() - began) / max(len(found), 1) * 1e3
    print(f"{len(found)} claims, {spent:.1f} ms each with the making of the index\n")
    print_groups(found)
    print_kinds(found)
    print_rules(found)
    for one in found if "v" in args else ():
        if one.true is not (one.verdict.verdict == "supported"):
            print(
                f"{one.source} {one.kind}: {one.text}\n    {one.verdict.verdict} {one.verdict.reason} {one.arithmetic}"
            )


def judge_case(case: Mapping[str, Any]) -> list[Judged]:
    """The claims of one case."""
    evidence: dict[str, Evidence] = {}
    for i, item in enumerate(case["evidence"], 1):
        one = evidence_from(item, i)
        evidence[one.id] = one
    out = []
    for item in case["claims"]:
        claim = Claim(template=item["text"], evidence=tuple(item["evidence"]))
        done = check_claim(claim, evidence, Voice(NOW), item["id"])
        out.append(
            Judged(
                case["source"], item["label"] == "true", item["kind"], item["text"], done.verdict, done.claim.arithmetic
            )
        )
    return out


def row_of(name: str, some: Sequence[Judged]) -> str:
    """Counts of the verdicts, and shares."""
    said = Counter(j.verdict.verdict for j in some)
    cells = [name, len(some), said["supported"], said["hypothesis"], said["struck"]]
    shares = (f"{said[v] / max(len(some), 1):.1%}" for v in ("supported", "struck"))
    return f"| {' | '.join(map(str, (*cells, *shares)))} |"


HEAD = "| {} | claims | supported | hypothesis | struck | supported | struck |\n|---|---|---|---|---|---|---|"


def print_groups(found: Sequence[Judged]) -> None:
    """True claims and the sorts of false ones, by source."""
    print(HEAD.format("what"))
    for group in ("true", "specifics", "relations", "meaning"):
        own = [j for j in found if j.group == group]
        print(row_of(group, own))
        for source in sorted({j.source for j in own}):
            print(row_of(f"{group}, {source}", [j for j in own if j.source == source]))
    print()


def print_kinds(found: Sequence[Judged]) -> None:
    """The same by kind."""
    print(HEAD.format("kind"))
    for true, kind in sorted({(not j.true, j.kind) for j in found}):
        print(
            row_of(f"{'false' if true else 'true'} {kind}", [j for j in found if j.kind == kind and j.true is not true])
        )
    print()


def print_rules(found: Sequence[Judged]) -> None:
    """How often each rule fires on true and on false claims."""
    fired: dict[str, Counter[bool]] = defaultdict(Counter)
    for one in found:
        if one.verdict.verdict != "supported":
            fired[rule_of(one.verdict.reason)][one.true] += 1
    whole = Counter(j.true for j in found)
    print("| rule | on true | on false | likelihood ratio |\n|---|---|---|---|")
    for rule, counts in sorted(fired.items()):
        ratio = ((counts[False] + 1) / (whole[False] + 2)) / ((counts[True] + 1) / (whole[True] + 2))
        print(f"| {rule} | {counts[True]} | {counts[False]} | {ratio:.1f} |")
    print()


def rule_of(reason: str) -> str:
    """A reason without what it quotes."""
    import re

    return re.sub(r"\s+", " ", re.sub(r"“[^”]*”", "…", reason)).strip()[:80]
