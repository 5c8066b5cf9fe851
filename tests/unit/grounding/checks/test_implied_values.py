"""Values, times and lines whose part in the sentence is not what the words say."""

from __future__ import annotations

import pytest

from tests.support.latency_evidence import EVIDENCE, VOICE
from workers.contracts import Claim
from workers.grounding.ground import check_claim


@pytest.mark.parametrize(
    ("true", "lie"),
    [
        ("{E1.metric}: first {E1.baseline}, then {E1.current}.",
         "{E1.metric}: first {E1.current}, then {E1.baseline}."),
        ("{E1.metric} peaked at {E1.peak}.", "As of the last sample, {E1.metric} stands at {E1.peak}."),
        ("At most, {E1.metric} was {E1.peak}.", "At most, {E1.metric} was {E1.baseline}."),
        (
            "{E1.metric} rose to {E1.current} {lag(E1.onset_at,E4.at)} the deploy of {E4.version}.",
            "{lag(E4.at,E1.onset_at)} the deploy of {E4.version}, {E1.metric} rose to {E1.current}.",
        ),
    ],
)  # fmt: skip
def test_the_part_of_a_value_follows_from_its_words(true: str, lie: str) -> None:
    assert check_claim(Claim(template=true, evidence=("E1",)), EVIDENCE, VOICE).verdict.verdict == "supported"
    assert check_claim(Claim(template=lie, evidence=("E1",)), EVIDENCE, VOICE).verdict.verdict != "supported"
