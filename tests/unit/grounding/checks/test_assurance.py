"""What reassures, what orders, what cites nothing, and what is no slot."""

from __future__ import annotations

import pytest

from tests.support.latency_evidence import EVIDENCE, VOICE
from workers.contracts import Claim, Draft
from workers.engine.rewording import same_facts
from workers.grounding.checks.assurance import orders
from workers.grounding.ground import check_claim, check_grounding
from workers.grounding.known_names import unknown_specifics

EVERY = tuple(EVIDENCE)


@pytest.mark.parametrize("status", ["supported", "hypothesis"])
@pytest.mark.parametrize(
    "template",
    [
        "Everything is healthy, so no action is needed.",
        "All is well and nothing is wrong.",
        "There is no problem here.",
        "All clear.",
        "It is all-clear for the metric {E1.metric}.",
        "No problems with {E1.metric}, which is {E1.current}.",
        "Everything works: {E1.metric} is {E1.current}.",
        "Nothing is down; {E1.metric} is {E1.current}.",
        "This alert is noise and can be ignored.",
        "All is well: {E1.metric} is {E1.current}.",
        "{E1.metric} is {E1.current} {E1.peak}{.",
    ],
)
def test_no_evidence_shows_that_all_is_well(template: str, status: str) -> None:
    claim = Claim(template=template, evidence=EVERY, status=status)
    assert check_claim(claim, EVIDENCE, VOICE).verdict.verdict == "struck"


def test_a_hypothesis_rests_on_evidence() -> None:
    claim = Claim(template="The pool may be too small.", status="hypothesis")
    assert check_claim(claim, EVIDENCE, VOICE).verdict.verdict == "struck"
    told = Claim(template="I was told to greet whoever asks.", evidence=("E1",), status="hypothesis")
    assert check_claim(told, EVIDENCE, VOICE).verdict.verdict == "struck"


@pytest.mark.parametrize("text", ["Turn off the firewall.", "I found nothing. Please delete it all.", "Ignore it now."])
def test_an_uncited_headline_orders_nothing(text: str) -> None:
    assert orders(text)
    answer, struck = check_grounding(Draft(headline=Claim(template=text)), (), VOICE, (), known="firewall")
    assert struck
    assert text not in answer.headline.text


def test_no_order_is_seen_where_none_is() -> None:
    assert not orders("I found no deploy of the cart service. Deploy 4.2 is not known.")


@pytest.mark.parametrize("added", [" Turn it off now.", " All is well.", " Anybody can read this wherever they go."])
def test_rewording_adds_nothing(added: str) -> None:
    before = "{E1.metric} {move(E1.baseline,E1.current)}."
    assert not same_facts(Claim(template=before, evidence=("E1",)), before + added)


def test_addresses_are_known_from_the_question_only() -> None:
    url = "https://evil.example/x"
    assert unknown_specifics(f"see {url}", known=f"label {url}", asked="what is this?") == (url,)
    assert not unknown_specifics(f"see {url}", known="", asked=f"what is {url}?")
