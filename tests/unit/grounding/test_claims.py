"""Sentences about one request's evidence, as engineers put them: the true ones pass, in whatever words, and those that
say something specific that is false never do.

A line is ``ids of the cited evidence|sentence``; ``python -m bench claims`` judges hundreds more.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from tests.support.each_row import each_row
from workers.contracts import Claim
from workers.grounding.fact_extraction import evidence_from
from workers.grounding.ground import check_claim
from workers.grounding.value_format import Voice

ROOT = Path(__file__).parents[3]
ITEMS = json.loads((ROOT / "bench" / "data" / "claims" / "sets" / "fares.json").read_text(encoding="utf-8"))["evidence"]
EVIDENCE = {e.id: e for e in (evidence_from(item, i) for i, item in enumerate(ITEMS, 1))}
VOICE = Voice(datetime(2026, 11, 21, 11, tzinfo=UTC))
TRUE = (
    "E1|p95 latency on /v1/fares jumped eightfold, from 340 ms to 2.72 s.",
    "E1,E13|FareLatencyHigh fired 8 minutes after p95 on /v1/fares began to rise.",
    "E1,E3|On /v1/fares p95 is 2.72 s and p50 is 558 ms.",
    "E8|The load on /v1/fares is up by only 1.5 %.",
    "E20|The last step is to page the on-call database engineer after 15 minutes.",
    "E9|Traffic on /v1/rides is 1.1 % lower than at baseline.",
    "E20|Step 3 warns that raising DB_POOL_MAX to 60 is only a stopgap.",
    "E14,E15|b07d5f3 is from 07:38 UTC, 9c41e7d from 08:47 UTC.",
    "E8|Traffic on /v1/fares is steady at around 418 req/s, so load is not the explanation.",
    "E14|The commit 9c41e7d dates from 08:47 UTC.",
    "E1|At 2.72 s the p95 of /v1/fares is still close to its peak of 3.11 s.",
    "E1,E3|On /v1/fares p95 is 2.72 s, 340 ms before, and p50 rose too.",
    "E20,E10|The runbook's case of an exhausted pool fits: 39 connections are in use and 40 were at the peak.",
)
FALSE = (
    "E1|p95 latency on /v1/fares jumped sevenfold, from 340 ms to 2.72 s.",
    "E6,E13|Because FareLatencyHigh fired at 09:27 UTC, errors on /v1/fares rose.",
    "E1|The 95th percentile of /v1/fares: 0.34 s, up from 2.72 s.",
    "E6,E7|On /v1/rides 4.7 % of requests end in an error.",
    "E14|Commit 9c41e7e was authored by Mara Lindqvist.",
    "E4|fares-db p95 latency: baseline 168 ms, current 14 ms.",
    "E14|9c41e7d is by Mara and Jonas Okafor.",
)


def verdict(line: str) -> tuple[str, str]:
    ids, _, text = line.partition("|")
    found = check_claim(Claim(template=text, evidence=tuple(ids.split(","))), EVIDENCE, VOICE).verdict
    return found.verdict, found.reason


@each_row("line", TRUE)
def test_true_sentences_are_supported(line: str) -> None:
    found, reason = verdict(line)
    assert found == "supported", reason


@each_row("line", FALSE)
def test_false_sentences_are_not_supported(line: str) -> None:
    assert verdict(line)[0] != "supported"
