"""Which questions are about deals, and what kind of question they are."""

from __future__ import annotations

from datetime import UTC, datetime

from tests.support.each_row import each_row
from workers.agents.deals.agent import claim, disclaim, read_intent
from workers.contracts import Landscape, Question
from workers.ports import Playbook

NAMES = Landscape(
    labels={
        "deal": ("Quarrel Foods", "Veloma", "Birchwood Dairy", "Birchwood Timber"),
        "deal_sector": ("Food processing", "Chemical distribution"),
        "deal_region": ("Nordics", "Midwest"),
        "service": ("veloma-api", "checkout"),
    }
)


def asked(text: str) -> Question:
    return Question(request_id="q", text=text, received_at=datetime(2026, 3, 1, tzinfo=UTC))


@each_row(
    "text",
    [
        "was ist aus veloma geworden",
        "tell me of quarrel fods",
        "so how is Birchwood doing",
        "companies in food that were sold",
        "write-offs in the Midwest",
        "which of them lost money and had no bolt-ons",
    ],
)
def test_a_question_that_names_deals_or_says_only_what_deals_are_is_claimed(text: str) -> None:
    assert claim(asked(text), NAMES) > 0


@each_row("text", ["anything burning?", "who is on call tonight", "why is checkout slow", "did the deploy go out"])
def test_a_question_that_names_nothing_of_deals_is_left_to_others(text: str) -> None:
    assert (disclaim(asked(text), NAMES), claim(asked(text), NAMES)) == (True, 0)


@each_row("text", ["is checkout sold out in the Nordics", "food delivery is late again"])
def test_what_others_may_mean_is_not_claimed(text: str) -> None:
    assert claim(asked(text), NAMES) == 0


def test_without_deals_nothing_is_claimed() -> None:
    assert claim(asked("write-offs of portfolio companies"), Landscape()) == 0


@each_row(
    "text, kind",
    [
        ("Nordic chemical distribution companies", "deal_list"),
        ("food companies in the Midwest without add-ons", "deal_list"),
        ("anything similar in food, Nordics?", "deal_precedents"),
        ("Birchwood Dairy and Veloma", "deal_profile"),
        ("what dangers were seen in food processing?", "deal_risks"),
        ("please set Veloma to sold", "deal_change"),
    ],
)
def test_conditions_alone_are_a_list_and_names_alone_a_profile(text: str, kind: str) -> None:
    read = read_intent(asked(text), NAMES, datetime(2026, 3, 1, tzinfo=UTC), Playbook({}, 4, ()))
    assert read.question_type == kind
