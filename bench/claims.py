"""Claims that people wrote about evidence of any shape: what is struck of true and of false ones, by source and kind.

Each line is ``{source, evidence[], claims[{id, text, evidence, label, kind}]}``. False specifics are told apart
by whether they stand anywhere in the cited evidence. Then each reason: how often it is given of true and false claims,
and the ratio of both (one added to each count). Last, what a verifier adds that judges each claim and errs in a tenth.
"""

from __future__ import annotations

import json
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from workers.contracts import Claim, Verdict
from workers.grounding.fact_extraction import evidence_from
from workers.grounding.ground import check_claim
from workers.grounding.literals import find_specifics
from workers.grounding.value_format import Voice
from workers.language.durations import NUMBER_WORDS

NOW = datetime(2026, 11, 25, 17, 10, tzinfo=UTC)
SPECIFICS = frozenset(
    "wrong-number wrong-unit wrong-time wrong-path wrong-line wrong-name wrong-version-or-commit wrong-quote "
    "wrong-link wrong-count wrong-arithmetic".split()
)
RELATIONS = frozenset({"wrong-direction", "wrong-size", "wrong-order", "wrong-owner"})
GROUPS = ("true", "specifics that stand nowhere", "specifics that stand elsewhere", "relations", "meaning")
ERRS, SEED = 0.1, 7
"""How often the verifier of the last table is wrong."""


@dataclass(frozen=True)
class Judged:
    """One written claim with its verdict and arithmetic; ``known``: all its specifics stand in the evidence."""

    source: str
    true: bool
    kind: str
    text: str
    verdict: Verdict
    arithmetic: tuple[str, ...]
    known: bool

    @property
    def group(self) -> str:
        """True, or what sort of falsehood."""
        if self.true or self.kind not in SPECIFICS:
            return "true" if self.true else "relations" if self.kind in RELATIONS else "meaning"
        return f"specifics that stand {'elsewhere' if self.known else 'nowhere'}"


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
    print_reasons(found)
    print_verifier(found)
    for one in found if "v" in args else ():
        if one.true is not (one.verdict.verdict == "supported"):
            print(
                f"{one.source} {one.kind}: {one.text}\n    {one.verdict.verdict} {one.verdict.reason} {one.arithmetic}"
            )


def judge_case(case: Mapping[str, Any]) -> list[Judged]:
    """The claims of one case."""
    evidence = {e.id: e for e in (evidence_from(item, i) for i, item in enumerate(case["evidence"], 1))}
    shown = {str(item["id"]): json.dumps(item, ensure_ascii=False) for item in case["evidence"]}
    out = []
    for item in case["claims"]:
        claim = Claim(template=item["text"], evidence=tuple(item["evidence"]))
        done = check_claim(claim, evidence, Voice(NOW), item["id"])
        known = all_stand(item["text"], "\n".join(shown[i] for i in item["evidence"]))
        true = item["label"] == "true"
        out.append(Judged(case["source"], true, item["kind"], item["text"], done.verdict, done.claim.arithmetic, known))
    return out


def all_stand(text: str, shown: str) -> bool:
    """Whether every specific of a claim stands somewhere in the evidence's raw text, in whatever unit or zone."""
    numbers = {digits(n) for n in re.findall(r"\d[\d,_]*(?:\.\d+)?", shown)}
    return all(stands(s.text, s.kind, shown, numbers) for s in find_specifics(text))


def stands(said: str, kind: str, shown: str, numbers: set[str]) -> bool:
    """The same for one: a number by its digits as far as they are written, a time by its minute, else the very text."""
    if re.search(rf"(?<![\w.]){re.escape(said)}(?!\w)", shown, re.IGNORECASE):
        return True
    if kind == "time" and (minute := re.search(r":\d\d", said)):
        return minute.group() in shown
    word = NUMBER_WORDS.get(re.split(r"[ -]", said.lower())[0])
    number = re.search(r"\d[\d,]*(?:\.\d+)?", said)
    if kind not in {"quantity", "factor"} or (number is None and word is None):
        return False
    wanted = digits(number.group() if number else str(word))
    rounded = (digits(f"{float('0.' + n):.{len(wanted)}f}") for n in numbers if len(n) > len(wanted) > 1)
    return wanted in numbers or wanted in set(rounded)


def digits(number: str) -> str:
    """A number's digits without the zeros at its ends: the same for 0.21 and 210."""
    return re.sub(r"\D", "", number).strip("0")


def row_of(name: str, verdicts: Sequence[str]) -> str:
    """Counts of the verdicts, and shares."""
    said = Counter(verdicts)
    cells = [name, len(verdicts), said["supported"], said["hypothesis"], said["struck"]]
    shares = (f"{said[v] / max(len(verdicts), 1):.1%}" for v in ("supported", "struck"))
    return f"| {' | '.join(map(str, (*cells, *shares)))} |"


HEAD = "| {} | claims | supported | hypothesis | struck | supported | struck |\n|---|---|---|---|---|---|---|"


def print_groups(found: Sequence[Judged]) -> None:
    """True claims and the sorts of false ones, by source."""
    print(HEAD.format("what"))
    for group in GROUPS:
        own = [j for j in found if j.group == group]
        print(row_of(group, [j.verdict.verdict for j in own]))
        for source in sorted({j.source for j in own}):
            print(row_of(f"{group}, {source}", [j.verdict.verdict for j in own if j.source == source]))
    print()


def print_kinds(found: Sequence[Judged]) -> None:
    """The same by kind."""
    print(HEAD.format("kind"))
    for false, kind in sorted({(not j.true, j.kind) for j in found}):
        own = [j.verdict.verdict for j in found if j.kind == kind and j.true is not false]
        print(row_of(f"{'false' if false else 'true'} {kind}", own))
    print()


def print_reasons(found: Sequence[Judged]) -> None:
    """How often each reason is given of true and of false claims."""
    fired: dict[str, Counter[bool]] = defaultdict(Counter)
    for one in found:
        if one.verdict.verdict != "supported":
            fired[re.sub(r"“[^”]*”", "…", one.verdict.reason)][one.true] += 1
    whole = Counter(j.true for j in found)
    print("| reason | on true | on false | likelihood ratio |\n|---|---|---|---|")
    for rule, counts in sorted(fired.items()):
        ratio = ((counts[False] + 1) / (whole[False] + 2)) / ((counts[True] + 1) / (whole[True] + 2))
        print(f"| {rule} | {counts[True]} | {counts[False]} | {ratio:.1f} |")
    print()


def print_verifier(found: Sequence[Judged]) -> None:
    """The groups without a verifier and with a scripted one: struck is what code strikes or the verifier refutes."""
    errs = random.Random(SEED)
    refuted = [one.true is (errs.random() < ERRS) for one in found]
    print(f"| what | claims | struck by code | struck with a verifier wrong in {ERRS:.0%} |\n|---|---|---|---|")
    for group in GROUPS:
        own = [(j.verdict.verdict == "struck", no) for j, no in zip(found, refuted, strict=True) if j.group == group]
        alone, both = sum(struck for struck, _ in own), sum(struck or no for struck, no in own)
        size = max(len(own), 1)
        print(f"| {group} | {len(own)} | {alone} ({alone / size:.1%}) | {both} ({both / size:.1%}) |")
    print()
