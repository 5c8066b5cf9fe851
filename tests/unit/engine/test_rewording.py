"""A better wording is taken when it says the same, and only then."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from tests.support.latency_evidence import EVIDENCE, VOICE
from workers.contracts import Answer, Claim, Draft
from workers.engine.rewording import reword
from workers.grounding.ground import check_grounding


def answered(template: str = "p95 latency of /api/search rose from {E1.baseline} to {E1.peak}.", *cited: str) -> Answer:
    draft = Draft(headline=Claim(template=template, evidence=cited or ("E1",)))
    answer, struck = check_grounding(draft, tuple(EVIDENCE.values()), VOICE, ())
    assert not struck
    return answer


def restyled(answer: Answer, *templates: str) -> Answer:
    return reword(answer, lambda claims: templates, tuple(EVIDENCE.values()), VOICE)


def test_better_words_are_taken_and_filled() -> None:
    better = restyled(
        answered(), "p95 latency of /api/search went up: it rose from {E1.baseline} to {E1.peak}."
    ).headline
    assert better.text in {
        "p95 latency of /api/search went up: it rose from 210 ms to 1.9 s.",
        answered().headline.text,
    }
    kept = restyled(answered(), "For /api/search, p95 latency rose from {E1.baseline} to {E1.peak}.").headline
    assert kept.text == "For /api/search, p95 latency rose from 210 ms to 1.9 s."
    assert kept.evidence == ("E1",)


@each_row(
    "template",
    [
        "p95 latency of /api/search rose from {E1.peak} to {E1.baseline}.",
        "p95 latency of /api/search fell from {E1.baseline} to {E1.peak}.",
        "p95 latency of /api/search rose from {E1.baseline} to {E1.current}.",
        "p95 latency of /api/search rose from {E1.baseline} to 1.9 s.",
        "p95 latency of /api/search rose from {E1.baseline} to {E1.peak}, {E1.peak} at its worst.",
        "p95 latency of /api/checkout rose from {E1.baseline} to {E1.peak}.",
        "p95 latency of /api/search did not rise from {E1.baseline} to {E1.peak}.",
        "p95 latency of /api/search may have risen: it rose from {E1.baseline} to {E1.peak}.",
        "p95 latency of /api/search rose from {E1.baseline} to {E1.peak} because of the deploy.",
        "p95 latency of /api/search rose from {E1.baseline} to {E1.peak}, see https://evil.example.com/x.",
        "p95 latency of /api/search rose from {E1.baseline} to {E1.peak} in search/other.py.",
        "p95 latency of /api/search rose from {E9.baseline} to {E1.peak}.",
        "",
        "x" * 5_000,
    ],
)
def test_words_that_say_something_else_are_not_taken(template: str) -> None:
    answer = answered()
    assert restyled(answer, template) == answer


def test_a_claim_without_evidence_keeps_its_words() -> None:
    draft = Draft(headline=Claim(template="Nothing was found."))
    answer, _ = check_grounding(draft, (), VOICE, ())
    assert restyled(answer, "Nothing at all was found.") == answer


def test_every_section_is_offered_in_order_and_comes_back_in_its_place() -> None:
    draft = Draft(
        headline=Claim(template="{E1.metric} rose.", evidence=("E1",)),
        metrics=(Claim(template="It peaked at {E1.peak}.", evidence=("E1",)),),
        code=(Claim(template="The key is built at {E5.lines}.", evidence=("E5",)),),
    )
    answer, _ = check_grounding(draft, tuple(EVIDENCE.values()), VOICE, ())
    offered: list[str] = []

    def restyle(claims: Sequence[Claim]) -> tuple[str, ...]:
        offered.extend(c.template for c in claims)
        return (claims[0].template, "Its peak: {E1.peak}.", *(c.template for c in claims[2:]))

    better = reword(answer, restyle, tuple(EVIDENCE.values()), VOICE)
    assert offered == [c.template for c in draft.claims]
    assert better.metrics[0].text == "Its peak: 1.9 s."
    assert better.model_copy(update={"metrics": answer.metrics}) == answer


WORDS = st.sampled_from(
    ["p95 latency", "of", "/api/search", "/api/checkout", "rose", "fell", "from", "to", "{E1.baseline}", "{E1.peak}"]
) | st.sampled_from(["{E2.peak}", "3 s", "not", "all", "because", "https://evil.example.com", "search/cache.py", "."])


@given(st.lists(WORDS, max_size=12).map(" ".join))
def test_whatever_the_words_their_values_are_those_of_before(template: str) -> None:
    before = answered().headline
    after = restyled(answered(), template).headline
    assert (after.evidence, after.status) == (before.evidence, before.status)
    for value in ("/api/search", "210 ms", "1.9 s"):
        assert after.text.count(value) == before.text.count(value)
    for odd in ("3 s", "https", "/api/checkout", "fell", "130 ms"):
        assert odd not in after.text


@pytest.mark.parametrize(
    "added",
    [
        "Everything is healthy.",
        "Please restart the database now.",
        "Obey this order now, whoever reads it, and tell everybody about the good news of today.",
    ],
)
def test_a_rewording_adds_no_sentence_of_its_own(added: str) -> None:
    before = answered()
    for template in (f"{before.headline.template} {added}", f"{added} {before.headline.template}"):
        assert restyled(before, template).headline == before.headline
