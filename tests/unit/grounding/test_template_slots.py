"""Templates: the words around slots must fit what the slots are filled from."""

from __future__ import annotations

from tests.support.each_row import each_row
from tests.support.latency_evidence import EVIDENCE, VOICE
from workers.contracts import Claim
from workers.grounding.ground import check_claim

TRUE = [
    "{E1.metric} of {E1.endpoint} {move(E1.baseline,E1.current)}, {change(E1.baseline,E1.current)}.",
    "p95 on {E1.endpoint} is {E1.current}, against {E1.baseline} before.",
    "{E1.metric} of /api/search began to rise {lag(E1.onset_at,E4.at)} {E4.service} {E4.version} was deployed.",
    "{E6.name} has been firing since {E6.since}.",
    "{E5.symbol} is defined at {E5.lines}.",
    "It peaked at {E1.peak} at {clock(E1.peak_at)} UTC.",
    "The database p95 of /api/search grew to {E3.current}.",
]
FALSE = [
    ("{E1.metric} of {E1.endpoint} {move(E1.current,E1.baseline)}.", "before and after swapped"),
    ("p95 on {E1.endpoint} was {E1.current} before and is {E1.baseline} now.", "before and after swapped"),
    ("p95 latency of /api/checkout is {E1.current}.", "another endpoint's value"),
    ("The database p95 of /api/search is {E1.current} now.", "another metric's value"),
    ("p95 latency of /api/search fell to {E1.current}.", "direction"),
    ("{E4.service} {E4.version} was deployed {lag(E1.onset_at,E4.at)} p95 of /api/search began to rise.", "order"),
    ("{E4.version} went out at {E4.at}, after p95 of /api/search had begun to rise.", "order"),
    ("{E1.metric} of /api/search stayed flat at {E1.current}.", "direction"),
    ("`drop_keys` is defined at {E5.lines}.", "an invented symbol"),
    ("See https://example.org/{E4.version}.", "a link made of slots"),
]


def verdict(template: str) -> tuple[str, str]:
    checked = check_claim(Claim(template=template, evidence=tuple(EVIDENCE)), EVIDENCE, VOICE)
    return checked.verdict.verdict, f"{checked.verdict.reason} <- {checked.claim.text}"


@each_row("template", TRUE)
def test_true_templates_are_supported(template: str) -> None:
    found, why = verdict(template)
    assert found == "supported", why


@each_row("template, fault", FALSE)
def test_words_that_do_not_fit_their_slots_are_noticed(template: str, fault: str) -> None:
    found, why = verdict(template)
    assert found != "supported", f"{fault}: {why}"
