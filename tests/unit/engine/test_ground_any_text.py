"""Whatever is written, filling and checking end with a verdict."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.engine.samples import EVIDENCE, VOICE
from workers.contracts import Claim
from workers.engine.ground import LONGEST, check_claim
from workers.engine.normal import normalise
from workers.engine.slots import SLOT

VERDICTS = {"supported", "hypothesis", "struck"}
PIECES = (
    "p95 latency of /api/search|the database|cache_key|`search/cache.py:15`|line 13 of search/cache.py|210 ms|1.9 s|"
    "9 times|×9|14:06 UTC|two minutes|after|before|by the time|followed by|then|rose|fell|unchanged|doubled|from|to|→|"
    "because|led to|made|was|is now|baseline|peak|the deploy|SearchLatencyHigh|v1.42.0|4f2c1ab|all|only|never|"
    "three files|step 3|,|.|;|(|)|than|slower|faster|more than|about|a third of|Mara Lindqvist|“a quote”|{E1.peak}|"
    "{move(E1.baseline,E1.current)}|{E9.x}|{|}"
).split("|")
REPEATED = ("a/", "1:", "1.", "0.34 s → 1.9 s and ", "before ", "of ", "`", "x_", "((", "until ", "A b ")
SENTENCES = st.lists(st.sampled_from(PIECES), min_size=1, max_size=25).map(" ".join)


def check(text: str) -> str:
    claim = Claim(template=text, evidence=tuple(EVIDENCE))
    checked = check_claim(claim, EVIDENCE, VOICE, "c")
    assert checked.claim.template == (normalise(text) if len(text) <= LONGEST else text)
    return checked.verdict.verdict


@given(st.text(max_size=400))
def test_any_text_gets_a_verdict(text: str) -> None:
    assert check(text) in VERDICTS


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=200)
@given(SENTENCES)
def test_any_sentence_of_its_own_words_gets_a_verdict(text: str) -> None:
    assert check(text) in VERDICTS


@given(SENTENCES)
def test_a_supported_claim_is_filled_and_shows_no_slot(text: str) -> None:
    checked = check_claim(Claim(template=text, evidence=tuple(EVIDENCE)), EVIDENCE, VOICE, "c")
    if checked.verdict.verdict == "supported":
        assert not SLOT.search(checked.claim.text)
        assert checked.verdict.reason == ""


@pytest.mark.parametrize("piece", REPEATED)
def test_endless_repeats_end(piece: str) -> None:
    assert check((piece * LONGEST)[:LONGEST]) in VERDICTS


def test_what_is_longer_than_a_claim_is_struck() -> None:
    assert check("p95 latency of /api/search is 1.9 s. " * 100) == "struck"


def test_a_claim_that_lists_endless_values_is_struck() -> None:
    assert check("p95 latency of /api/search: " + "1.9 s, " * 60) == "struck"


def test_a_text_without_words_is_not_supported() -> None:
    assert check("…") != "supported"
