"""Sentences about one request's evidence, as engineers put them: the true ones pass, the false ones never do, and true
ones in words that no rule knows ("unsure") are called a hypothesis rather than struck.

Each line of ``claims/*.txt`` is ``ids of the cited evidence|sentence``.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from workers.contracts import Claim
from workers.grounding.fact_extraction import evidence_from
from workers.grounding.ground import check_claim
from workers.grounding.value_format import Voice

ROOT = Path(__file__).parents[3]
ITEMS = json.loads((ROOT / "bench" / "data" / "claims" / "sets" / "fares.json").read_text(encoding="utf-8"))["evidence"]
EVIDENCE = {e.id: e for e in (evidence_from(item, i) for i, item in enumerate(ITEMS, 1))}
VOICE = Voice(datetime(2026, 11, 21, 11, tzinfo=UTC))
FOLDER = Path(__file__).parent / "claims"


def lines(name: str) -> list[str]:
    return (FOLDER / name).read_text(encoding="utf-8").splitlines()


def verdict(line: str, *, everything: bool = False) -> tuple[str, str]:
    ids, _, text = line.partition("|")
    cited = tuple(EVIDENCE) if everything else tuple(ids.split(","))
    found = check_claim(Claim(template=text, evidence=cited), EVIDENCE, VOICE).verdict
    return found.verdict, found.reason


@pytest.mark.parametrize("line", lines("true.txt"))
def test_true_sentences_are_supported(line: str) -> None:
    found, reason = verdict(line)
    assert found == "supported", reason


@pytest.mark.parametrize("line", lines("false.txt"))
def test_false_sentences_are_not_supported(line: str) -> None:
    assert verdict(line)[0] != "supported"


@pytest.mark.parametrize("line", lines("unsure.txt"))
def test_true_sentences_in_other_words_are_not_struck(line: str) -> None:
    found, reason = verdict(line)
    assert found == "hypothesis", reason


def test_names_decide_whose_value_it_is_when_all_evidence_is_cited() -> None:
    """With twenty pieces of evidence cited at once, nearly every verdict stays what it was."""
    true, false = lines("true.txt"), lines("false.txt")
    struck = [line for line in true if verdict(line, everything=True)[0] == "struck"]
    kept = [line for line in true if verdict(line, everything=True)[0] == "supported"]
    passed = [line for line in false if verdict(line, everything=True)[0] == "supported"]
    assert len(struck) <= 0.02 * len(true), struck
    assert len(kept) >= 0.9 * len(true), set(true) - set(kept)
    assert len(passed) <= 0.05 * len(false), passed
