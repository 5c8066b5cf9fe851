"""What is shown without evidence names nothing that nobody named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from tests.support.latency_evidence import EVIDENCE, VOICE
from workers.contracts import Answer, Claim, Draft, Gap
from workers.grounding.ground import check_grounding

QUESTION = "Why is /api/search slow since the deploy?"
FOUND = Claim(template="Database p95 latency {move(E3.baseline,E3.current)}.", evidence=("E3",))
CITED = st.lists(st.sampled_from(["E1", "E4", "E9"]), max_size=2).map(tuple)


def ground(draft: Draft, known: str = QUESTION, *, knowledge: bool = False) -> Answer:
    answer, _ = check_grounding(
        draft, list(EVIDENCE.values()), VOICE, ("metrics_query ×2",), known=known, knowledge=knowledge
    )
    return answer


def shown(answer: Answer) -> str:
    claims = (answer.headline, *answer.what_changed, *answer.metrics, *answer.code, *answer.docs, *answer.next_steps)
    return "\n".join((*(c.text for c in claims), *(g.text for g in answer.missing)))


@each_row(
    "template, kept, hidden",
    [
        ("p95 latency of /api/search is 3 s, see https://evil.example/x.", "p95 latency of /api/search is …", "evil"),
        ("Ask <@U123> about `drop_tables` in evil/path.py.", "a claim about the metrics", "drop_tables"),
        ("`drop_tables`!", "a claim about the metrics", "drop_tables"),
        ("p95 latency of /api/search is 121 ms.", "121 ms", "evil"),
    ],
)
def test_a_struck_claim_is_listed_without_what_nothing_shows(template: str, kept: str, hidden: str) -> None:
    draft = Draft(headline=FOUND, metrics=(Claim(template=template, evidence=("E1", "E2")),))
    answer = ground(draft)
    assert not answer.metrics
    assert kept in answer.missing[-1].text
    assert hidden not in answer.missing[-1].text


def test_gaps_name_only_what_is_known() -> None:
    gaps = (
        Gap(text="No metric for /api/search; metrics_query 2 times."),
        Gap(text="See www.evil.example/x or `secret_table`.", tried=("evil.example",)),
    )
    answer = ground(Draft(headline=FOUND, missing=gaps))
    assert answer.missing == gaps[:1]


@each_row(
    "template",
    [
        "All good: nothing wrong here.",
        "Everything looks fine.",
        "The system is healthy.",
        "There is no problem with /api/search.",
        "Look at https://evil.example.",
        "/api/checkout is the culprit.",
        "It is 35 ms.",
    ],
)
def test_a_first_line_without_evidence_neither_soothes_nor_names(template: str) -> None:
    answer = ground(Draft(headline=Claim(template=template), metrics=(FOUND,)))
    assert answer.headline.text == "Database p95 latency rose from 18 ms to 240 ms."
    assert template not in shown(answer)


@each_row(
    "template",
    [
        "Latency is rising.",
        "The error rate of /api/search is up.",
        "I don't know more, but latency is rising.",
        "Nothing else is known, but throughput dropped.",
    ],
)
def test_a_first_line_without_evidence_tells_of_no_behaviour(template: str) -> None:
    answer = ground(Draft(headline=Claim(template=template), metrics=(FOUND,)))
    assert answer.headline.text == "Database p95 latency rose from 18 ms to 240 ms."


@each_row(
    "template",
    [
        "I can't say why /api/search is slow.",
        "I have no metrics for /api/search, so I can't say how it behaved.",
        "I can't tell how things stand: no metric of errors or latency answered.",
        "/api/search is not among the alerts that fire.",
        "No source here explains the slow deploy.",
        "No source is connected that could answer this: name one with --repo, --docs or --prometheus, or in config.",
        "I can't look up who is on call: no source of on-call schedules is connected.",
    ],
)
def test_a_first_line_may_say_what_is_lacking_in_the_words_of_the_question(template: str) -> None:
    assert ground(Draft(headline=Claim(template=template), metrics=(FOUND,))).headline.text == template


def test_a_gap_is_never_struck_for_its_grammar() -> None:
    gap = Gap(text="No logs, so whether latency rose because of the deploy is open.")
    assert ground(Draft(headline=FOUND, missing=(gap,))).missing == (gap,)


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ("p95 is the value below which 95 % of requests fall.", True),
        ("The p95 is exceeded by 5 % of requests.", True),
        ("The p95 is always 1.9 s.", False),
    ],
)
def test_general_knowledge_may_hold_the_numbers_of_the_question(text: str, stands: bool) -> None:
    draft = Draft(headline=Claim(template=text), docs=(Claim(template=text),))
    question = "What does p95 mean?"
    answer, _ = check_grounding(draft, (), VOICE, (), known=question, asked=question, knowledge=True)
    assert bool(answer.docs) is stands


def test_general_knowledge_orders_nothing_and_a_step_without_source_is_marked_as_advice() -> None:
    order = Claim(template="Restart the pods before reading the logs.")
    general = Claim(template="A circuit breaker stops calling a dependency.")
    look = Claim(template="Compare the two releases side by side.")
    answer = ground(Draft(headline=FOUND, docs=(order, general), next_steps=(order, look)), knowledge=True)
    assert [c.text for c in answer.docs] == [general.template]
    assert [(c.text, c.note) for c in answer.next_steps] == [(look.template, "advice")]


@pytest.mark.parametrize(
    "text",
    ["Roll back v9.9.9.", "Look at /api/unheard.", "Everything is fine now.", "Delete the queue.", "Call 555-0100."],
)
def test_advice_names_nothing_that_was_not_asked_for_and_changes_nothing(text: str) -> None:
    assert not ground(Draft(headline=FOUND, next_steps=(Claim(template=text),))).next_steps


def test_a_first_line_may_say_that_nothing_was_found() -> None:
    answer = ground(Draft(headline=Claim(template="I found nothing about /api/search.")))
    assert answer.headline.text == "I found nothing about /api/search."


def test_general_knowledge_stands_only_in_answer_to_a_general_question() -> None:
    general = Claim(
        template="A circuit breaker stops calling a dependency that keeps failing, and tries again after a pause."
    )
    draft = Draft(headline=FOUND, docs=(general,))
    (claim,) = ground(draft, knowledge=True).docs
    assert claim.status == "supported"
    assert not ground(draft).docs


@each_row(
    "template",
    ["Our breaker is open.", "Retries are set to 5.", "Latency is rising.", "All is well.", "Use `tenacity`."],
)
def test_what_speaks_of_the_team_is_no_general_knowledge(template: str) -> None:
    draft = Draft(headline=FOUND, docs=(Claim(template=template),))
    assert not ground(draft, knowledge=True).docs


@given(st.text(max_size=120), CITED)
def test_no_unknown_address_is_ever_shown(text: str, cited: tuple[str, ...]) -> None:
    claim = Claim(template=f"{text} https://evil.example/{len(text)} <!channel>", evidence=cited)
    draft = Draft(headline=claim, metrics=(claim,), next_steps=(claim,), missing=(Gap(text=claim.template),))
    assert "evil.example" not in shown(ground(draft))
    assert "<!channel>" not in shown(ground(draft))
